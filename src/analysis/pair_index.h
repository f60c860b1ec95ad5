/* SPDX-License-Identifier: MIT */
/* Numbers for pairs of numbers: dense from 0, in the order of first appearance. */
#ifndef ANALYSIS_PAIR_INDEX_H
#define ANALYSIS_PAIR_INDEX_H

#include "base/map.h"

struct indexed_pair {
	uint64_t a, b;
	uint32_t next; /* another pair of the same hash, plus 1; 0: none */
};

/* Zeroed is empty. */
struct pair_index {
	struct map first;	   /* first pair of a hash */
	struct indexed_pair *list; /* by number */
	uint32_t count, capacity;
};

/* There are as many pairs as there may be. */
#define PAIR_INDEX_FULL UINT32_MAX

/* Memory could not be had. */
#define PAIR_INDEX_FAILED (UINT32_MAX - 1)

/* The number of a pair, a new one where there are fewer than most; else PAIR_INDEX_FULL. */
uint32_t pair_index_add(struct pair_index *pairs, uint64_t a, uint64_t b, uint32_t most);

/* The number of a pair; PAIR_INDEX_FULL where it has none. */
uint32_t pair_index_find(const struct pair_index *pairs, uint64_t a, uint64_t b);

/* Gives the memory back. */
void pair_index_fini(struct pair_index *pairs);

#endif
