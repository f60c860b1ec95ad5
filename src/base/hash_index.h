/* SPDX-License-Identifier: MIT */
/*
 * The hash index: finds objects of an array by hash. It holds their numbers alone, in 4 bytes
 * each, for arrays that are searched at random; the owner compares the objects. Zeroed is
 * empty.
 *
 *     size_t place = hash_index_place(index, hash);
 *     while ((i = index->slots[place]) != 0 && !is_wanted(&list[i - 1]))
 *         place = hash_index_next(index, place);
 *
 * The slot found is that of the object, or the empty one for its insertion: slots[place] = i
 * + 1.
 */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_index {
	uint32_t *slots;       /* number of an object, plus 1; 0: empty. NULL while empty */
	size_t mask;	       /* 2^n - 1 */
	struct hash_seed seed; /* set by tests before hash_index_reserve; else random */
};

/* Returns the first place of a hash. Requires slots. */
static inline size_t
hash_index_place(const struct hash_index *index, uint64_t hash)
{
	return (size_t)hash & index->mask;
}

/* Returns the place after one. */
static inline size_t
hash_index_next(const struct hash_index *index, size_t place)
{
	return (place + 1) & index->mask;
}

/* The objects of an index, which find their hashes. */
struct hashed_objects {
	const void *list;
	size_t count;
	uint64_t (*hash)(const struct hash_index *index, const void *list, size_t i);
};

/*
 * Makes room for room objects, at most half full. A larger table gets the present ones. False:
 * out of memory, and nothing changed.
 */
bool hash_index_reserve(
	struct hash_index *index, size_t room, const struct hashed_objects *present);

/* Removes all objects and keeps the memory. */
void hash_index_clear(struct hash_index *index);

/* Frees the memory; the index may be used again. */
void hash_index_free(struct hash_index *index);

#endif
