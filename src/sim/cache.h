/* SPDX-License-Identifier: MIT */
/*
 * One cache: sets of ways of lines, as a state machine that is given addresses. It knows only
 * lines and counts; what stands above or below it is the caller's (sim/hierarchy.h).
 *
 * An access is to one line, that of its address; accesses over the end of a line are two, for
 * the caller to make. Lines are numbered by address / line_size; set = number mod sets.
 *
 * Policies, which choose the line that a new one replaces:
 *   lru      the line that was used the longest ago
 *   fifo     the line that came the longest ago
 *   random   way r mod ways, r of an xorshift64* generator (see cache_random)
 *   plru     the tree of ways - 1 bits, each pointing away from the half used last
 *   srrip    re-reference prediction of 2 bits, hit priority: a hit sets 0, a new line gets 2,
 *            the first way with 3 is replaced, after all are raised until there is one
 *   drrip    sets duel between srrip and brrip, where 31 of 32 new lines get 3 instead of 2
 *   pointer  a pointer a set; after an access to way w it is w + 1 mod ways, and the way that
 * it points at is replaced (reference cis501 7.1.4: lru for 1 and 2 ways only) All but the
 * pointer, which alone decides, fill the first way that is empty.
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

/* What an access is; the values of cache_batch.kinds. */
enum cache_kind { CACHE_READ, CACHE_WRITE, CACHE_FETCH, CACHE_KINDS };

#define CACHE_WAYS_MAX 64		    /* with more than one set */
#define CACHE_LINES_MAX (UINT64_C(1) << 26) /* sets times ways */
#define CACHE_LINE_MIN 4		    /* bytes */
#define CACHE_LINE_MAX (UINT32_C(1) << 30)  /* bytes: pages are lines too */
#define CACHE_STORE_SIZE \
	4 /* bytes of a store whose size is not given: reference cis501 7.1.4 */

struct cache_config {
	uint64_t sets;	    /* a power of two */
	uint32_t ways;	    /* of a set: 1 to 64; with one set also more (lru, fifo, random) */
	uint32_t line_size; /* bytes, a power of two from CACHE_LINE_MIN to CACHE_LINE_MAX */
	enum cache_policy policy;
	bool write_through; /* stores go below at once, and no line is ever dirty */
	bool no_allocate;   /* a write that misses goes below and brings no line */
	/* No valid bits, as in the course: every way holds the line of tag 0, clean, from the
	 * beginning (reference cis501 7.1.4). At most 64 ways, lru or
	 * pointer. */
	bool always_valid;
	uint64_t seed; /* of random */
};

/* What was counted since cache_new or cache_count_anew. */
struct cache_counts {
	uint64_t accesses[CACHE_KINDS];
	uint64_t misses[CACHE_KINDS];
	uint64_t dirty_misses[CACHE_KINDS]; /* misses that replaced a dirty line */
	uint64_t fills;			    /* lines brought from below by misses */
	uint64_t evictions;		    /* lines replaced by those, dirty ones included */
	uint64_t dirty_evictions;
	uint64_t bytes_from_below; /* fills times the line size */
	/* Dirty lines replaced times the line size, and the bytes of stores that go below at
	 * once. What is dirty at the end stays where it is: reference cis501 7.1.4. */
	uint64_t bytes_to_below;
};

/* Accesses in order. All arrays are the caller's. */
struct cache_batch {
	const uint64_t *addresses;
	const uint8_t *kinds;  /* enum cache_kind of each */
	const uint32_t *sizes; /* bytes of each; NULL: CACHE_STORE_SIZE, only stores count */
	size_t count;	       /* below 2^32 */
};

/* What happened to an access or to the line that had to make room. */
struct cache_outcome {
	bool hit;
	bool evicted;	 /* a line was replaced: */
	bool dirty;	 /* it was dirty */
	uint64_t victim; /* its first address */
};

struct cache;

/* POLY_ERR_USAGE with a message where lines cannot have so many bytes; what they are called
 * there: "lines", "pages". */
enum poly_status cache_check_line(const char *what, uint32_t size, struct poly_error *error);

/* POLY_ERR_USAGE with a message where a configuration makes no sense. */
enum poly_status cache_check(const struct cache_config *config, struct poly_error *error);

/*
 * A cache with nothing in it (unless always_valid), for the caller to free. POLY_ERR_USAGE as
 * cache_check; POLY_ERR_MEMORY. Memory: 8 to 18 bytes a line, with more than 64 ways up to 40.
 */
enum poly_status cache_new(
	const struct cache_config *config, struct cache **cache, struct poly_error *error);
void cache_free(struct cache *cache);

/* The configuration, until cache_free. */
const struct cache_config *cache_config(const struct cache *cache);

/* What was counted. */
void cache_count(const struct cache *cache, struct cache_counts *counts);

/* All counts begin anew; what the cache holds stays. For warm-up. */
void cache_count_anew(struct cache *cache);

/*
 * Makes all accesses of a batch, and returns how many missed. Their places in the batch, in
 * order, go to missed, which is NULL or has room for batch->count.
 */
size_t cache_run(struct cache *cache, const struct cache_batch *batch, uint32_t *missed);

/* Makes one access, of size bytes (which count where a store goes below at once). */
void cache_access(struct cache *cache, uint64_t address, enum cache_kind kind, uint32_t size,
	struct cache_outcome *outcome);

/* The rest is for hierarchies, and counts nothing. */

/* Whether the line of an address is held; nothing changes. */
bool cache_holds(const struct cache *cache, uint64_t address);

/* Uses the line of an address where it is held, and makes it dirty where asked (and the cache
 * has dirty lines at all). Whether it is held. */
bool cache_touch(struct cache *cache, uint64_t address, bool dirty);

/* Brings the line of an address, which must not be held. */
void cache_fill(
	struct cache *cache, uint64_t address, bool dirty, struct cache_outcome *outcome);

/* Drops the line of an address where it is held; outcome->hit and ->dirty say what it was. */
void cache_drop(struct cache *cache, uint64_t address, struct cache_outcome *outcome);

/* The next number of an xorshift64* generator (Vigna, "An experimental exploration of
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

/* The state that a generator of cache_random begins with for a seed: never 0. */
static inline uint64_t
cache_random_state(uint64_t seed)
{
	return seed ? seed : UINT64_C(0x9e3779b97f4a7c15);
}

#endif
