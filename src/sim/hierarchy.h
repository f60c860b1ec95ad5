/* SPDX-License-Identifier: MIT */
/*
 * Levels of caches over a memory: unified, or split at the top into one for instructions and
 * one for data.
 *
 * An access goes to the top. What misses there is asked of the next level as a read of the
 * line, and so on to the memory; the line is then brought into the levels on the way back
 * (exclusive: into the top alone). NINE       levels do not mind each other inclusive  a line
 * that leaves a level leaves those above it, and takes their changes along exclusive  a line is
 * in one level: it moves up to the top, and what makes room for it moves down, changed or not.
 * All levels are write-back and write-allocate A changed line that leaves goes to the next
 * level, where it becomes changed, and is brought where it was not (from below, where lines are
 * longer there). A store that a level does not keep (write-through, or a miss of one that does
 * not allocate) is a store of the next level.
 *
 * A victim cache is fully associative, lru, and holds what left its cache; a line that is found
 * there changes places with the one that makes room for it.
 *
 * Prefetchers are told of an access to their cache (not of stores that another level did not
 * keep, nor of prefetches of others) when it is done, the top's first; what they want and the
 * cache and its victims do not hold is read from below and brought.
 *
 * A hit of a level costs its latency and those above it; of the memory, all and its own. Stores
 * and changed lines that go on, and prefetches, cost nothing.
 *
 * One thread at a time.
 */
#ifndef SIM_HIERARCHY_H
#define SIM_HIERARCHY_H

#include "sim/cache.h"
#include "sim/prefetch.h"

#define HIERARCHY_LEVELS 4
#define HIERARCHY_CACHES (HIERARCHY_LEVELS + 1) /* the instruction cache is the last */

enum hierarchy_inclusion { HIERARCHY_NINE, HIERARCHY_INCLUSIVE, HIERARCHY_EXCLUSIVE };

struct hierarchy_level {
	struct cache_config cache; /* always_valid must not be set */
	uint32_t latency;	   /* cycles */
	uint32_t victims;	   /* lines of a victim cache, 0: there is none */
	enum prefetch_kind prefetch;
	uint32_t prefetch_degree; /* 1 to PREFETCH_DEGREE_MAX where there is a prefetcher */
};

struct hierarchy_config {
	struct hierarchy_level
		levels[HIERARCHY_LEVELS]; /* from the top: 0 is for data if split */
	unsigned count;			  /* of levels, 1 to HIERARCHY_LEVELS */
	bool split;
	struct hierarchy_level instructions; /* the other top, where split */
	enum hierarchy_inclusion inclusion;
	uint32_t memory_latency; /* cycles */
};

/* What one cache was asked by the accesses themselves, and what happened besides. */
struct hierarchy_counts {
	uint64_t accesses[CACHE_KINDS]; /* by what the access at the top was; no prefetches */
	uint64_t misses[CACHE_KINDS];	/* victim hits included */
	uint64_t victim_hits;
	uint64_t stores;	/* that the level above did not keep */
	uint64_t lines_put;	/* by the level above, as they left it */
	uint64_t invalidations; /* lines that left because they left a level below */
	uint64_t prefetches;	/* lines brought by the prefetcher */
	uint64_t prefetch_hits; /* of those, used before they left */
};

struct hierarchy_totals {
	uint64_t accesses, cycles; /* their quotient is the average memory access time */
	uint64_t memory_reads;	   /* lines */
	uint64_t memory_writes;	   /* lines and stores */
};

/* Accesses in order; all arrays are the caller's. */
struct hierarchy_batch {
	const uint64_t *addresses;
	const uint64_t *pcs;  /* for stride prefetchers; NULL: the addresses */
	const uint8_t *kinds; /* enum cache_kind */
	size_t count;
};

struct hierarchy;

/* POLY_ERR_USAGE with a message where a configuration makes no sense: as cache_check; lines
 * that get shorter downwards, or, unless NINE, differ at all. */
enum poly_status hierarchy_check(
	const struct hierarchy_config *config, struct poly_error *error);

/* Empty caches. POLY_ERR_USAGE, POLY_ERR_MEMORY. Memory: as the caches, and 36 bytes more a
 * line where there is a prefetcher. */
enum poly_status hierarchy_new(const struct hierarchy_config *config,
	struct hierarchy **hierarchy, struct poly_error *error);
void hierarchy_free(struct hierarchy *hierarchy);

/* Makes all accesses of a batch. cycles is NULL or gets the cost of each. */
void hierarchy_run(
	struct hierarchy *hierarchy, const struct hierarchy_batch *batch, uint32_t *cycles);

/* The counts of a level, HIERARCHY_LEVELS being the instruction cache; until hierarchy_free. */
const struct hierarchy_counts *hierarchy_counts(
	const struct hierarchy *hierarchy, unsigned level);
const struct hierarchy_totals *hierarchy_totals(const struct hierarchy *hierarchy);

/* All counts begin anew; what the caches hold stays. For warm-up. */
void hierarchy_count_anew(struct hierarchy *hierarchy);

#endif
