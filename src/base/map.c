/* SPDX-License-Identifier: MIT */
/* Linear probing, at most half full. */
#include "base/map.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool
map_reserve(struct map *map, size_t count)
{
	size_t places = map->entries ? map->mask + 1 : 0;
	if (count <= places / 2)
		return true;
	for (places = places ? places : 256; places / 2 < count;)
		places *= 2;
	struct map larger = *map;
	larger.entries = mem_resize(NULL, places + 1, sizeof *larger.entries);
	larger.mask = places - 1;
	if (!larger.entries)
		return false;
	/* Written before a key is searched for: a page that is read first is mapped twice. */
	memset(larger.entries, 0, (places + 1) * sizeof *larger.entries);
	if (!larger.seed.factor)
		hash_seed_draw(&larger.seed);
	for (size_t i = 0; map->entries && i <= map->mask; i++) {
		if (map->entries[i].key)
			*map_place(&larger, map->entries[i].key) = map->entries[i];
	}
	if (map->entries)
		larger.entries[places] = map->entries[map->mask + 1];
	mem_free(map->entries);
	*map = larger;
	return true;
}

uint64_t *
map_get(struct map *map, uint64_t key, uint64_t initial, bool *added)
{
	*added = false;
	const bool is_full = !map->entries || map->count > map->mask / 2;
	if (is_full && !map_reserve(map, map->count + 1))
		return NULL;
	struct map_entry *entry = map_place(map, key);
	if (!entry->key) {
		*entry = (struct map_entry){key ? key : 1, initial};
		map->count++;
		*added = true;
	}
	return &entry->value;
}

uint64_t *
map_before(struct map *map, uint64_t key, uint64_t initial, size_t max)
{
	bool added = false;
	if (map->count >= max)
		return map_find(map, key);
	uint64_t *value = map_get(map, key, initial, &added);
	return added ? NULL : value;
}

static int
compare_keys(const void *a, const void *b)
{
	const struct map_entry *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}

struct map_entry *
map_sorted(const struct map *map)
{
	struct map_entry *sorted = mem_new(map->count, sizeof *sorted);
	size_t n = 0;
	for (size_t i = 0; sorted && n < map->count; i++) {
		if (!map->entries[i].key)
			continue;
		sorted[n] = map->entries[i];
		sorted[n++].key *= i <= map->mask;
	}
	if (sorted)
		qsort(sorted, n, sizeof *sorted, compare_keys);
	return sorted;
}

void
map_clear(struct map *map)
{
	if (map->count)
		memset(map->entries, 0, (map->mask + 2) * sizeof *map->entries);
	map->count = 0;
}

void
map_free(struct map *map)
{
	mem_free(map->entries);
	memset(map, 0, sizeof *map);
}
