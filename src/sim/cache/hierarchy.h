/* SPDX-License-Identifier: MIT */
/*
 * A cache hierarchy above a memory: unified, or with split instruction and data caches at the
 * top.
 *
 * An access goes to the top. A miss becomes a read of the line in the next level, and so on to
 * the memory; the line is then filled into the levels on the way back (exclusive: into the top
 * alone). NINE       non-inclusive, non-exclusive: levels are independent inclusive  a line
 * evicted from a level is invalidated in those above, and their changes are merged exclusive  a
 * line is in one level: it moves up to the top, and the evicted line moves down, dirty or not.
 * All levels are write-back and write-allocate. A dirty evicted line is written back to the
 * next level and becomes dirty there; it is filled if it was absent (from below, if lines are
 * longer there). A store that a level does not keep (write-through, or a miss of one that does
 * not allocate) is a store to the next level.
 *
 * A victim cache is fully associative, lru, and holds the lines evicted from its cache; a
 * victim hit swaps the line with the one evicted for it.
 *
 * Prefetchers see the accesses to their cache (not stores that another level did not keep, nor
 * prefetches of others) when they are complete, the top's first; requested lines that neither
 * the cache nor its victims hold are read from below and filled.
 *
 * Cache operations act in every level, or in the instruction cache alone. A changed line is
 * written to memory once, however many levels have it.
 *
 * A hit in a level costs its latency and those of the levels above; an access to memory costs
 * all and its own. Forwarded stores, write-backs, prefetches and cache operations cost nothing.
 *
 * One thread at a time.
 */
#ifndef SIM_HIERARCHY_H
#define SIM_HIERARCHY_H

#include "sim/cache/cache.h"
#include "sim/cache/prefetch.h"

#define HIERARCHY_LEVELS 4
#define HIERARCHY_CACHES (HIERARCHY_LEVELS + 1) /* the instruction cache is the last */

enum hierarchy_inclusion { HIERARCHY_NINE, HIERARCHY_INCLUSIVE, HIERARCHY_EXCLUSIVE };

struct hierarchy_level {
	struct cache_config cache; /* always_valid must not be set */
	uint32_t latency;	   /* cycles */
	uint32_t victims;	   /* lines of the victim cache; 0: none */
	enum prefetch_kind prefetch;
	uint32_t prefetch_degree; /* 1 to PREFETCH_DEGREE_MAX with a prefetcher */
};

struct hierarchy_config {
	struct hierarchy_level
		levels[HIERARCHY_LEVELS]; /* from the top: 0 is for data if split */
	unsigned count;			  /* number of levels, 1 to HIERARCHY_LEVELS */
	bool split;
	struct hierarchy_level instructions; /* the instruction cache, if split */
	enum hierarchy_inclusion inclusion;
	uint32_t memory_latency; /* cycles */
	bool stores_as_reads;	 /* stores change nothing, as in TLBs */
};

/* Counts of one cache: demand accesses, and side effects. */
struct hierarchy_counts {
	uint64_t accesses[CACHE_KINDS]; /* by kind of the access at the top, without prefetches
					 */
	uint64_t misses[CACHE_KINDS];	/* victim hits included */
	uint64_t victim_hits;
	uint64_t stores;	/* stores that the level above did not keep */
	uint64_t lines_put;	/* evictions from the level above */
	uint64_t invalidations; /* lines invalidated by evictions from a level below */
	uint64_t prefetches;	/* lines filled by the prefetcher */
	uint64_t prefetch_hits; /* prefetched lines used before their eviction */
	/* Cache operations: */
	uint64_t requested;    /* lines filled by prefetch instructions */
	uint64_t unfilled;     /* lines allocated without a fill */
	uint64_t written_back; /* dirty lines */
	uint64_t dropped;      /* lines invalidated */
};

struct hierarchy_totals {
	uint64_t accesses, cycles; /* cycles / accesses is the average memory access time */
	uint64_t memory_reads;	   /* lines */
	uint64_t memory_writes;	   /* lines and stores */
};

/* Accesses in order; the caller owns all arrays. */
struct hierarchy_batch {
	const uint64_t *addresses;
	const uint64_t *pcs;  /* for stride prefetchers; NULL: the addresses */
	const uint8_t *kinds; /* enum cache_kind */
	size_t count;
	/* NULL, or bytes of each: writes of a whole line, or of 0, allocate it without a fill.
	 */
	const uint32_t *sizes;
};

struct hierarchy;

/* Validates a configuration. POLY_ERR_USAGE as cache_check, and if lines are shorter in a
 * lower level, or, unless NINE, differ. */
enum poly_status hierarchy_check(
	const struct hierarchy_config *config, struct poly_error *error);

/* Creates empty caches. POLY_ERR_USAGE, POLY_ERR_MEMORY. Memory: that of the caches, and 36
 * bytes more per line with a prefetcher. */
enum poly_status hierarchy_new(const struct hierarchy_config *config,
	struct hierarchy **hierarchy, struct poly_error *error);
void hierarchy_free(struct hierarchy *hierarchy);

/* Performs all accesses of a batch. cycles is NULL or gets the cost of each. */
void hierarchy_run(
	struct hierarchy *hierarchy, const struct hierarchy_batch *batch, uint32_t *cycles);

/* Performs a cache operation on the line of an address. */
void hierarchy_operate(
	struct hierarchy *hierarchy, enum cache_operation operation, uint64_t address);

/* Returns the counts of a level, HIERARCHY_LEVELS for the instruction cache; valid until
 * hierarchy_free. */
const struct hierarchy_counts *hierarchy_counts(
	const struct hierarchy *hierarchy, unsigned level);
const struct hierarchy_totals *hierarchy_totals(const struct hierarchy *hierarchy);

/* Resets the counts; the contents stay. For warm-up. */
void hierarchy_count_anew(struct hierarchy *hierarchy);

#endif
