/* SPDX-License-Identifier: MIT */
/* A hash map from 64-bit keys to 64-bit values, open addressing, growing. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t key, value;
};

struct map {
	struct map_entry *entries; /* NULL while empty */
	uint8_t *used;		   /* one byte per entry */
	size_t mask;		   /* capacity - 1 */
	size_t count;		   /* keys held */
};

/*
 * Returns the value of key. If the key is new, stores initial as its value and sets *added.
 * NULL: out of memory. Valid until the next call.
 */
uint64_t *map_get(struct map *map, uint64_t key, uint64_t initial, bool *added);

/* Returns the value of key, or NULL. Valid until the next map_get. */
uint64_t *map_find(const struct map *map, uint64_t key);

/*
 * Returns the previous value of key. If the key is new, stores initial as its value, unless the
 * map has max keys, and returns NULL. Valid until the next call.
 */
uint64_t *map_before(struct map *map, uint64_t key, uint64_t initial, size_t max);

/* Frees the memory; the map may be used again. */
void map_free(struct map *map);

#endif
