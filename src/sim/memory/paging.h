/* SPDX-License-Identifier: MIT */
/*
 * Page replacement over frames of memory: fifo, lru, opt, and clock, which gives pages used
 * since the hand passed a second chance (a new page counts as used).
 *
 * source of clock: F. J. Corbató, "A paging experiment with the Multics system", 1968.
 */
#ifndef SIM_PAGING_H
#define SIM_PAGING_H

#include "sim/cache/cache.h"

enum paging_policy { PAGING_FIFO, PAGING_LRU, PAGING_CLOCK, PAGING_OPT, PAGING_POLICIES };

struct paging_config {
	uint32_t frames;    /* 1 to 2^26 */
	uint32_t page_size; /* bytes, a power of two from 4 to 2^30 */
	enum paging_policy policy;
};

struct paging_counts {
	uint64_t accesses;
	uint64_t faults;
	uint64_t written; /* dirty pages replaced */
};

struct paging;

/* Creates empty frames. POLY_ERR_USAGE with a message for an invalid configuration,
 * POLY_ERR_MEMORY. Memory: up to 64 bytes per frame. */
enum poly_status paging_new(
	const struct paging_config *config, struct paging **paging, struct poly_error *error);
void paging_free(struct paging *paging);

/* Performs all accesses of a batch, as cache_run; next has their next uses
 * (sim/cache/next_use.h, of pages) for opt, and is ignored by the others. */
size_t paging_run(struct paging *paging, const struct cache_batch *batch, const uint64_t *next,
	uint32_t *missed);

void paging_count(const struct paging *paging, struct paging_counts *counts);

#endif
