/* SPDX-License-Identifier: MIT */
/*
 * Counts of a simulation whose state evolves during the warm-up, too: those of each step that
 * counts are added up, as the difference of snapshots of the simulator before and after it.
 */
#ifndef ANALYSIS_SIM_COUNTS_H
#define ANALYSIS_SIM_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Adds now - before (NULL: zeros) to sum; all are structs of uint64_t alone, of size bytes. */
static inline void
counts_add(void *sum, const void *now, const void *before, size_t size)
{
	uint64_t *sums = sum;
	const uint64_t *after = now, *first = before;
	for (size_t i = 0; i < size / sizeof *sums; i++)
		sums[i] += after[i] - (first ? first[i] : 0);
}

#endif
