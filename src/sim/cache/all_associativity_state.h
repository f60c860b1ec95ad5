/* SPDX-License-Identifier: MIT */
/* State of the caches of all sizes, shared by their loops. */
#ifndef SIM_ALL_ASSOCIATIVITY_STATE_H
#define SIM_ALL_ASSOCIATIVITY_STATE_H

#include "sim/cache/all_associativity.h"

#define LEVELS (ALL_ASSOCIATIVITY_BITS_MAX + 1)
#define WAYS ALL_ASSOCIATIVITY_WAYS

struct all_associativity {
	unsigned min, max; /* bits */
	/* The sets of level l, of 2^l sets, are 16 ids each, newest first, UINT32_MAX if
	 * empty. All begin at multiples of 64 bytes. */
	uint32_t *sets[LEVELS];
	void *memory;
	/* Accesses not to the newest line of the set, by way; WAYS: misses. */
	uint64_t found[LEVELS][WAYS + 1];
	uint64_t shown[LEVELS][WAYS + 1]; /* the counts, while counting is off */
	bool idle;			  /* not counting */
	void (*run)(struct all_associativity *, const uint64_t *, const uint32_t *, size_t);
};

void all_associativity_plain(struct all_associativity *all, const uint64_t *lines,
	const uint32_t *ids, size_t count);
void all_associativity_x86(struct all_associativity *all, const uint64_t *lines,
	const uint32_t *ids, size_t count);
int all_associativity_has_x86(void);

#endif
