/* SPDX-License-Identifier: MIT */
/* A hash map from 64-bit keys to 64-bit values. */
#include "base/map.h"

#include "base/mem.h"

#include <string.h>

/*
 * Double hashing: where a key is looked for next depends on other bits of its hash than where
 * it is looked for first, so that the addresses of a trace can't be chosen to meet in one
 * place.
 */
static size_t
map_place(const struct map *map, uint64_t key)
{
	/* 2^64 divided by the golden ratio: Fibonacci hashing */
	uint64_t hash = key * 0x9E3779B97F4A7C15u;
	size_t i = (size_t)(hash ^ hash >> 32) & map->mask;
	size_t step = (size_t)(hash >> 40) | 1; /* odd: every place is reached */
	while (map->used[i] && map->entries[i].key != key)
		i = (i + step) & map->mask;
	return i;
}

static bool
map_grow(struct map *map)
{
	size_t capacity = map->entries ? 2 * (map->mask + 1) : 256;
	struct map larger = {mem_new(capacity, sizeof *larger.entries), mem_new(capacity, 1),
		capacity - 1, map->count};
	if (!larger.entries || !larger.used) {
		mem_free(larger.entries);
		mem_free(larger.used);
		return false;
	}
	for (size_t i = 0; map->entries && i <= map->mask; i++) {
		if (!map->used[i])
			continue;
		size_t to = map_place(&larger, map->entries[i].key);
		larger.entries[to] = map->entries[i];
		larger.used[to] = 1;
	}
	mem_free(map->entries);
	mem_free(map->used);
	*map = larger;
	return true;
}

uint64_t *
map_get(struct map *map, uint64_t key, uint64_t fresh, bool *added)
{
	*added = false;
	if (!map->entries || map->count > map->mask / 2) {
		if (!map_grow(map))
			return NULL;
	}
	size_t i = map_place(map, key);
	if (!map->used[i]) {
		map->used[i] = 1;
		map->entries[i] = (struct map_entry){key, fresh};
		map->count++;
		*added = true;
	}
	return &map->entries[i].value;
}

uint64_t *
map_find(const struct map *map, uint64_t key)
{
	if (!map->entries)
		return NULL;
	size_t i = map_place(map, key);
	return map->used[i] ? &map->entries[i].value : NULL;
}

uint64_t *
map_before(struct map *map, uint64_t key, uint64_t fresh, size_t most)
{
	bool added = false;
	if (map->count >= most)
		return map_find(map, key);
	uint64_t *value = map_get(map, key, fresh, &added);
	return added ? NULL : value;
}

void
map_free(struct map *map)
{
	mem_free(map->entries);
	mem_free(map->used);
	memset(map, 0, sizeof *map);
}
