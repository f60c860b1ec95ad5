/* SPDX-License-Identifier: MIT */
/* Numbers for pairs of numbers: dense from 0, in the order of first appearance. */
#ifndef ANALYSIS_PAIRS_H
#define ANALYSIS_PAIRS_H

#include "base/map.h"

struct pair {
	uint64_t a, b;
	uint32_t next; /* another pair of the same hash, plus 1; 0: none */
};

/* Zeroed is empty. */
struct pairs {
	struct map first;  /* first pair of a hash */
	struct pair *list; /* by number */
	uint32_t count, capacity;
};

/* There are as many pairs as there may be. */
#define PAIRS_FULL UINT32_MAX

/* Memory could not be had. */
#define PAIRS_FAILED (UINT32_MAX - 1)

/* The number of a pair, a new one where there are fewer than most; else PAIRS_FULL. */
uint32_t pairs_number(struct pairs *pairs, uint64_t a, uint64_t b, uint32_t most);

/* The number of a pair; PAIRS_FULL where it has none. */
uint32_t pairs_find(const struct pairs *pairs, uint64_t a, uint64_t b);

/* Gives the memory back. */
void pairs_fini(struct pairs *pairs);

#endif
