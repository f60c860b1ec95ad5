/* SPDX-License-Identifier: MIT */
/* Realigns two sequences of instructions. */
#ifndef CORRELATE_DIFF_ALIGN_H
#define CORRELATE_DIFF_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Consecutive equal instructions that are required to realign. */
#define ALIGN_CONFIRM 4

/* A sequence of keys, possibly a prefix. */
struct align_side {
	const uint64_t *keys;
	size_t count;
	bool ended; /* the sequence is complete */
};

/* The number of keys to skip in each sequence. */
struct alignment {
	size_t skipped[2];
};

/*
 * Finds the alignment that skips the fewest keys in total, at least one and at most limit of
 * each: the next ALIGN_CONFIRM keys are equal, or, at the end of a sequence, the remaining
 * ones, at least one. Of equal sums it returns the one that skips the fewest keys of the first
 * sequence. Returns 1: found; 0: none; -1: out of memory.
 */
int align_find(const struct align_side sides[2], size_t limit, struct alignment *alignment);

#endif
