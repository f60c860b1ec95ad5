/* SPDX-License-Identifier: MIT */
/*
 * TLBs: levels of caches of pages, the first of which may be split into instructions and data,
 * above multi-level page tables that are walked if all levels miss. Loads and stores are
 * equal. All pages have one size.
 */
#ifndef SIM_TLB_H
#define SIM_TLB_H

#include "sim/cache/hierarchy.h"

#define TLB_LEVELS 3

struct tlb_level {
	uint32_t entries; /* a power of two times the ways */
	uint32_t ways;	  /* entries: fully associative */
	enum cache_policy policy;
	uint32_t latency; /* cycles beyond those of the access itself */
};

struct tlb_config {
	uint32_t page_size;		     /* bytes, a power of two from 4 to 2^30 */
	struct tlb_level levels[TLB_LEVELS]; /* from the first; 0 is for data if split */
	unsigned count;			     /* number of levels, 1 to TLB_LEVELS */
	bool split;
	struct tlb_level instructions; /* the instruction TLB, if split */
	uint32_t walk_steps;	       /* levels of page tables: x86-64 has 4 */
	uint32_t step_latency;	       /* cycles of each */
};

/* Counts of one level, and of all together. */
struct tlb_counts {
	uint64_t accesses[CACHE_KINDS];
	uint64_t misses[CACHE_KINDS];
};

struct tlb_totals {
	uint64_t accesses;
	uint64_t walks;	 /* accesses that missed all levels */
	uint64_t cycles; /* of the levels and of walks */
};

struct tlb;

/* Creates empty TLBs. POLY_ERR_USAGE with a message for an invalid configuration,
 * POLY_ERR_MEMORY. */
enum poly_status tlb_new(
	const struct tlb_config *config, struct tlb **tlb, struct poly_error *error);
void tlb_free(struct tlb *tlb);

/* Translates addresses; kinds are enum cache_kind. cycles is NULL or gets the cost of each. */
void tlb_run(struct tlb *tlb, const uint64_t *addresses, const uint8_t *kinds, size_t count,
	uint32_t *cycles);

/* Copies the counts of a level, TLB_LEVELS for the instruction TLB. */
void tlb_count(const struct tlb *tlb, unsigned level, struct tlb_counts *counts);
void tlb_total(const struct tlb *tlb, struct tlb_totals *totals);

#endif
