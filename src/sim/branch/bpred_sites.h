/* SPDX-License-Identifier: MIT */
/*
 * Executions, taken executions and mispredictions of each static branch. Branches are
 * identified by the caller's dense site numbers.
 */
#ifndef SIM_BPRED_SITES_H
#define SIM_BPRED_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpred_site {
	uint64_t executions, taken, wrong;
};

/* Zeroed is empty. Memory: at most 48 bytes for each number up to the highest. */
struct bpred_sites {
	struct bpred_site *sites; /* by number */
	size_t count, capacity;	  /* count: one more than the highest number */
};

/*
 * Counts n branches: site numbers, outcomes and predictions (1: taken). Returns false if out
 * of memory; then none is counted.
 */
bool bpred_sites_count(struct bpred_sites *sites, const uint32_t *numbers, const uint8_t *taken,
	const uint8_t *predicted, size_t n);

/*
 * Lists the numbers of the branches with most mispredictions, descending, then by number;
 * excludes those without any. Fills at most max numbers. Returns the number filled.
 */
size_t bpred_sites_worst(const struct bpred_sites *sites, uint32_t *worst, size_t max);

/* Frees the memory; the table is then empty. */
void bpred_sites_free(struct bpred_sites *sites);

/* Returns mispredictions per thousand instructions; 0 without instructions. */
double bpred_mpki(uint64_t wrong, uint64_t instructions);

#endif
