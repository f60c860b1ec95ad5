/* SPDX-License-Identifier: MIT */
/*
 * What each static branch did: how often it was executed, taken and mispredicted. Branches are
 * named by the caller's dense numbers of sites.
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
 * Counts n branches: numbers of sites, outcomes and predictions (1: taken). False where memory
 * could not be had; then none of them is counted.
 */
bool bpred_sites_count(struct bpred_sites *sites, const uint32_t *numbers, const uint8_t *taken,
	const uint8_t *predicted, size_t n);

/*
 * The numbers of the worst branches, most mispredictions first, and of equals the lower number;
 * none that was never mispredicted. Fills at most most numbers, and returns how many.
 */
size_t bpred_sites_worst(const struct bpred_sites *sites, uint32_t *worst, size_t most);

/* Gives the memory back; the table is empty then. */
void bpred_sites_free(struct bpred_sites *sites);

/* Mispredictions per thousand instructions; 0 where there are no instructions. */
double bpred_mpki(uint64_t wrong, uint64_t instructions);

#endif
