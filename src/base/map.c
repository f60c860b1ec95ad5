/* SPDX-License-Identifier: MIT */
/* A hash map from 64-bit keys to 64-bit values. */
#include "base/map.h"

#include "base/mem.h"

#include <string.h>

/*
 * Double hashing: the first slot and the step depend on different bits of the hash, so that the
 * addresses of a trace cannot be chosen to collide in one sequence of slots.
 */
static size_t
find_slot(const struct map *map, uint64_t key)
{
	/* 2^64 divided by the golden ratio: Fibonacci hashing */
	uint64_t hash = key * 0x9E3779B97F4A7C15u;
	size_t i = (size_t)(hash ^ hash >> 32) & map->mask;
	size_t step = (size_t)(hash >> 40) | 1; /* odd: reaches every slot */
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
		size_t slot = find_slot(&larger, map->entries[i].key);
		larger.entries[slot] = map->entries[i];
		larger.used[slot] = 1;
	}
	mem_free(map->entries);
	mem_free(map->used);
	*map = larger;
	return true;
}

uint64_t *
map_get(struct map *map, uint64_t key, uint64_t initial, bool *added)
{
	*added = false;
	if (!map->entries || map->count > map->mask / 2) {
		if (!map_grow(map))
			return NULL;
	}
	size_t i = find_slot(map, key);
	if (!map->used[i]) {
		map->used[i] = 1;
		map->entries[i] = (struct map_entry){key, initial};
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
	size_t i = find_slot(map, key);
	return map->used[i] ? &map->entries[i].value : NULL;
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

void
map_free(struct map *map)
{
	mem_free(map->entries);
	mem_free(map->used);
	memset(map, 0, sizeof *map);
}
