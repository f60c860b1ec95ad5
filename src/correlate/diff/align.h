/* SPDX-License-Identifier: MIT */
/* Where two sequences of instructions agree again. */
#ifndef CORRELATE_DIFF_ALIGN_H
#define CORRELATE_DIFF_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions that have to be the same for two traces to agree. */
#define ALIGN_CONFIRM 4

/* A sequence of keys that may go on. */
struct align_side {
	const uint64_t *keys;
	size_t count;
	bool ended; /* nothing follows */
};

/* How many keys of each are left out: only the first has those, only the second these. */
struct alignment {
	size_t skipped[2];
};

/*
 * Where sides agree after the fewest keys of both are left out, at least one and of each at
 * most most: the next ALIGN_CONFIRM keys are the same, or as many as there are, at least one,
 * up to the end of a side. Of ways with as few the one that leaves out fewest of the first. 1:
 * found; 0: they do not; -1: no memory.
 */
int align_find(const struct align_side sides[2], size_t limit, struct alignment *alignment);

#endif
