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
	uint8_t *used;		   /* one byte an entry */
	size_t mask;		   /* capacity - 1 */
	size_t count;		   /* keys held */
};

/*
 * The value stored under key. Where there is none yet, fresh is stored and *added set; NULL
 * where memory could not be had. Holds until the next call.
 */
uint64_t *map_get(struct map *map, uint64_t key, uint64_t fresh, bool *added);

/* The value stored under key, or NULL. Holds until the next map_get. */
uint64_t *map_find(const struct map *map, uint64_t key);

/*
 * The value stored under key before. Where there is none, fresh is stored for the next time,
 * unless most keys are held already, and NULL returned. Holds until the next call.
 */
uint64_t *map_before(struct map *map, uint64_t key, uint64_t fresh, size_t most);

/* Gives the memory back; the map may be used again. */
void map_free(struct map *map);

#endif
