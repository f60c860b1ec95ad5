/* SPDX-License-Identifier: MIT */
/*
 * One cache: sets of ways of lines, as a state machine that is given addresses. It knows only
 * lines and counts; the levels above and below are the caller's (sim/cache/hierarchy.h).
 *
 * An access concerns one line, that of its address; the caller splits accesses that cross the
 * end of a line. Lines are numbered by address / line_size; set = number mod sets.
 *
 * Replacement policies:
 *   lru      the least recently used line
 *   fifo     the line inserted first
 *   random   way r mod ways, r of an xorshift64* generator (see cache_random)
 *   plru     the tree of ways - 1 bits, each pointing away from the half used last
 *   srrip    re-reference prediction of 2 bits, hit priority: a hit sets 0, a new line gets 2,
 *            the first way with 3 is replaced, after all are raised until there is one
 *   drrip    sets duel between srrip and brrip, where 31 of 32 new lines get 3 instead of 2
 *   pointer  a pointer a set; after an access to way w it is w + 1 mod ways, and the way that
 * it points to is replaced (CIS 501 homework 3; equals lru for 1 and 2 ways only). All others
 * fill the first empty way; for pointer the pointer alone decides.
 *
 * source of srrip and drrip: A. Jaleel et al., "High Performance Cache Replacement Using
 * Re-Reference Interval Prediction (RRIP)", ISCA 2010, sections 4 and 5.
 *
 * A cache belongs to one thread at a time; different caches, any threads.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cache_policy {
	CACHE_LRU,
	CACHE_FIFO,
	CACHE_RANDOM,
	CACHE_PLRU,
	CACHE_SRRIP,
	CACHE_DRRIP,
	CACHE_POINTER,
	CACHE_POLICIES
};

/* Kind of an access; the values of cache_batch.kinds. */
enum cache_kind { CACHE_READ, CACHE_WRITE, CACHE_FETCH, CACHE_KINDS };

/* Cache operations, which are numbered after the kinds of accesses. */
enum cache_operation {
	CACHE_CLEAN = CACHE_KINDS, /* writes a dirty line back */
	CACHE_FLUSH,		   /* writes a dirty line back, and removes it */
	CACHE_INVALIDATE,	   /* removes a line without writing it back */
	CACHE_CODE,		   /* flushes a line of an instruction cache */
	CACHE_PREFETCH,
	CACHE_CLEAN_ALL, /* of all lines, like the next ones; the address is not used */
	CACHE_FLUSH_ALL,
	CACHE_INVALIDATE_ALL,
	CACHE_OPERATIONS_END
};

#define CACHE_WAYS_MAX 64		    /* with more than one set */
#define CACHE_LINES_MAX (UINT64_C(1) << 26) /* sets times ways */
#define CACHE_LINE_MIN 4		    /* bytes */
#define CACHE_LINE_MAX (UINT32_C(1) << 30)  /* bytes: pages are lines too */
#define CACHE_STORE_SIZE 4 /* bytes of a store of unknown size (CIS 501 homework 3) */

struct cache_config {
	uint64_t sets;	    /* a power of two */
	uint32_t ways;	    /* of a set: 1 to 64; with one set also more (lru, fifo, random) */
	uint32_t line_size; /* bytes, a power of two from CACHE_LINE_MIN to CACHE_LINE_MAX */
	enum cache_policy policy;
	bool write_through; /* stores go to the next level at once, and lines are never dirty */
	bool no_allocate;   /* a write miss goes to the next level and inserts no line */
	/* No valid bits, as in the course: every way initially holds the line of tag 0, clean
	 * (CIS 501 homework 3). At most 64 ways, lru or
	 * pointer. */
	bool always_valid;
	uint64_t seed; /* of random */
};

/* Counts since cache_new. */
struct cache_counts {
	uint64_t accesses[CACHE_KINDS];
	uint64_t misses[CACHE_KINDS];
	uint64_t dirty_misses[CACHE_KINDS]; /* misses that replaced a dirty line */
	uint64_t fills;			    /* lines filled on misses */
	uint64_t evictions;		    /* lines replaced by fills, dirty ones included */
	uint64_t dirty_evictions;
	uint64_t bytes_from_below; /* fills times the line size */
	/* Dirty evictions times the line size, and the bytes of stores written through. Lines
	 * dirty at the end are not written back (CIS 501 homework 3). */
	uint64_t bytes_to_below;
};

/* Accesses in order. All arrays are the caller's. */
struct cache_batch {
	const uint64_t *addresses;
	const uint8_t *kinds;  /* enum cache_kind of each */
	/* Bytes of each; 0, or NULL: CACHE_STORE_SIZE. Only those of stores count. */
	const uint32_t *sizes;
	size_t count;	       /* below 2^32 */
};

/* Outcome of an access, and of the line that it evicted. */
struct cache_outcome {
	bool hit;
	bool evicted;	 /* a line was replaced: */
	bool dirty;	 /* it was dirty */
	uint64_t victim; /* its first address */
};

struct cache;

/* Validates a line size. POLY_ERR_USAGE with a message; what is the noun of the message:
 * "lines", "pages". */
enum poly_status cache_check_line(const char *what, uint32_t size, struct poly_error *error);

/* Validates a configuration. POLY_ERR_USAGE with a message. */
enum poly_status cache_check(const struct cache_config *config, struct poly_error *error);

/*
 * Creates an empty cache (unless always_valid). POLY_ERR_USAGE as cache_check;
 * POLY_ERR_MEMORY. Memory: 8 to 18 bytes per line, with more than 64 ways up to 40.
 */
enum poly_status cache_new(
	const struct cache_config *config, struct cache **cache, struct poly_error *error);
void cache_free(struct cache *cache);

/* Returns the configuration, valid until cache_free. */
const struct cache_config *cache_config(const struct cache *cache);

/* Copies the counts. */
void cache_count(const struct cache *cache, struct cache_counts *counts);

/*
 * Performs all accesses of a batch. Returns the number of misses. Their indexes in the batch,
 * ascending, go to missed, which is NULL or has room for batch->count.
 */
size_t cache_run(struct cache *cache, const struct cache_batch *batch, uint32_t *missed);

/* Performs one access of size bytes (the size counts only for write-through stores). */
void cache_access(struct cache *cache, uint64_t address, enum cache_kind kind, uint32_t size,
	struct cache_outcome *outcome);

/* The rest is for hierarchies and cache operations, and is not counted. */

/* Returns whether the line of an address is present; changes nothing. */
bool cache_holds(const struct cache *cache, uint64_t address);

/* Uses the line of an address if it is present, and makes it dirty on request (unless the
 * cache is write-through). Returns whether it is present. */
bool cache_touch(struct cache *cache, uint64_t address, bool dirty);

/* Inserts the line of an address, which must not be present. */
void cache_fill(
	struct cache *cache, uint64_t address, bool dirty, struct cache_outcome *outcome);

/* Removes the line of an address if it is present; outcome->hit and ->dirty describe it. */
void cache_drop(struct cache *cache, uint64_t address, struct cache_outcome *outcome);

/* Makes the line of an address clean if it is present, without using it. Returns whether it was
 * dirty. */
bool cache_clean(struct cache *cache, uint64_t address);

/* Called with the first address of a line, and whether it was dirty. Must not use its cache. */
typedef void cache_line_fn(void *user, uint64_t address, bool dirty);

/* Makes all lines clean, and removes them on request; calls line_fn for each. */
void cache_clean_all(struct cache *cache, bool drop, cache_line_fn *line_fn, void *user);

/* Returns the next number of an xorshift64* generator (Vigna, "An experimental exploration of
 * Marsaglia's xorshift generators, scrambled", 2016): shifts 12, 25, 27, multiplied by
 * 0x2545f4914f6cdd1d, of which the upper 32 bits are returned. State must not be 0. */
static inline uint32_t
cache_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)(*state * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

/* Returns the initial state of cache_random for a seed: never 0. */
static inline uint64_t
cache_random_state(uint64_t seed)
{
	return seed ? seed : UINT64_C(0x9e3779b97f4a7c15);
}

#endif
