/* SPDX-License-Identifier: MIT */
/*
 * The hash table: 64-bit keys to 64-bit values, open addressing, growing. Zeroed is empty.
 *
 * The place of a key depends on a seed that a table draws at its first key, so that no input is
 * slow. Therefore a table has no order: the only list of its keys is sorted.
 *
 * A table of objects holds their indices in an array by map_pair or map_bytes of their fields.
 * Two objects may have the same key: the next keys are tried until the object at the index is
 * the wanted one, or the key is new.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t key, value; /* key 0: empty */
};

struct map {
	/* NULL while empty. The last entry is beyond the mask, and that of key 0; its key is 1
	 * if it is held. */
	struct map_entry *entries;
	size_t mask;	       /* 2^n - 1: the places of keys */
	size_t count;	       /* keys held */
	struct hash_seed seed; /* set by tests before the first key; else random */
};

/* Returns the entry of a key with this hash_number, or the empty one for its insertion.
 * Requires entries. */
static inline struct map_entry *
map_place_hashed(const struct map *map, uint64_t key, uint64_t hash)
{
	if (!key)
		return &map->entries[map->mask + 1];
	size_t i = (size_t)hash & map->mask;
	while (map->entries[i].key && map->entries[i].key != key)
		i = (i + 1) & map->mask;
	return &map->entries[i];
}

/* The same, of any key. */
static inline struct map_entry *
map_place(const struct map *map, uint64_t key)
{
	return map_place_hashed(map, key, hash_number(&map->seed, key));
}

/* Returns the value of key, or NULL. Valid until the next insertion. */
static inline uint64_t *
map_find(const struct map *map, uint64_t key)
{
	struct map_entry *entry = map->entries ? map_place(map, key) : NULL;
	return entry && entry->key ? &entry->value : NULL;
}

/*
 * Returns the value of key. If the key is new, stores initial as its value and sets *added.
 * NULL: out of memory. Valid until the next insertion.
 */
uint64_t *map_get(struct map *map, uint64_t key, uint64_t initial, bool *added);

/*
 * Returns the previous value of key. If the key is new, stores initial as its value, unless the
 * map has max keys, and returns NULL. Valid until the next call.
 */
uint64_t *map_before(struct map *map, uint64_t key, uint64_t initial, size_t max);

/* Makes room, so that map_get succeeds for count keys in all. False: out of memory. */
bool map_reserve(struct map *map, size_t count);

/* Returns a key for two numbers. */
static inline uint64_t
map_pair(struct map *map, uint64_t a, uint64_t b)
{
	if (!map->seed.factor)
		hash_seed_draw(&map->seed);
	return hash_pair(&map->seed, a, b);
}

/* Returns a key for n bytes. */
static inline uint64_t
map_bytes(struct map *map, const void *bytes, size_t n)
{
	if (!map->seed.factor)
		hash_seed_draw(&map->seed);
	return hash_bytes(&map->seed, bytes, n);
}

/* Returns copies of the entries in order of their keys, which the caller frees; NULL: out of
 * memory. */
struct map_entry *map_sorted(const struct map *map);

/* Removes all keys and keeps the memory. */
void map_clear(struct map *map);

/* Frees the memory; the map may be used again. */
void map_free(struct map *map);

#endif
