/* SPDX-License-Identifier: MIT */
/* Dense numbers of pairs of numbers: from 0, in order of first appearance. */
#ifndef ANALYSIS_PAIR_INDEX_H
#define ANALYSIS_PAIR_INDEX_H

#include "base/map.h"

struct indexed_pair {
	uint64_t a, b;
};

/* Zeroed is empty. */
struct pair_index {
	struct map numbers;
	struct indexed_pair *list; /* by number */
	uint32_t count, capacity;
};

/* The index has its maximum number of pairs, or lacks the pair. */
#define PAIR_INDEX_FULL UINT32_MAX

/* Out of memory. */
#define PAIR_INDEX_FAILED (UINT32_MAX - 1)

/* Returns the number of a pair, which is added if there are fewer than limit pairs; else
 * PAIR_INDEX_FULL or PAIR_INDEX_FAILED. */
uint32_t pair_index_add(struct pair_index *pairs, uint64_t a, uint64_t b, uint32_t limit);

/* Returns the number of a pair; PAIR_INDEX_FULL if there is none. */
uint32_t pair_index_find(const struct pair_index *pairs, uint64_t a, uint64_t b);

/* Frees the memory. */
void pair_index_fini(struct pair_index *pairs);

#endif
