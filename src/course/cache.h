/* SPDX-License-Identifier: MIT */
/*
 * The courses' data caches: homework 4 of Penn and Washington University, with a pointer per
 * set instead of ages and without valid bits, and the cache of San Francisco State's project
 * 2, with both. Loads and stores access the block of their address; a store that misses fills
 * its block, too. Blocks that are dirty at the end are not written back.
 *
 * spec: CIS 501 homework 4 and its grader; CSC 656 project 2 (San Francisco State)
 */
#ifndef COURSE_CACHE_H
#define COURSE_CACHE_H

#include "course/course.h"

#include "polytrace/status.h"

enum {
	COURSE_CACHE_FRAMES_MAX = 1 << 22,
	COURSE_CACHE_WAYS_MAX = 64,
	COURSE_WAY_ENTRIES_MAX = 1 << 16,
	COURSE_STORE_BYTES = 4, /* bytes that a store writes through: the format has no sizes */
};

/* The frame of a set to replace. */
enum course_policy {
	COURSE_POINTER, /* the one after the most recently used; LRU only for 1 and 2 ways */
	COURSE_LRU,	/* the least recently used one; the first empty one */
};

/* The geometry of a cache: powers of two, at most COURSE_CACHE_FRAMES_MAX frames. */
struct course_cache_config {
	uint64_t capacity, block; /* bytes */
	uint32_t ways;		  /* 1 to COURSE_CACHE_WAYS_MAX */
	enum course_policy policy;
	bool has_valid;	      /* else an empty frame is a clean one with the tag 0 */
	uint32_t way_entries; /* entries of the way predictor, for 2 ways: a power of two; 0:
				 none */
};

struct course_frame {
	uint64_t tag, used; /* used: number of the last access from 1 */
	bool dirty, valid;
};

struct course_cache {
	struct course_cache_config config;
	uint64_t sets;
	struct course_frame *frames; /* by set, then by way */
	uint32_t *next;		     /* each set's pointer */
	uint64_t loads, stores, load_misses, store_misses;
	/*
	 * The way predictor: by block number, the most recently used way, initially 0; and the
	 * hits in another way.
	 */
	uint8_t *predicted;
	uint64_t way_mispredictions;
	uint64_t dirty_loads, dirty_stores; /* misses that replaced a dirty frame */
};

/* The result of an access. */
struct course_access {
	uint64_t set, tag, block; /* block: address of its first byte */
	bool hit, dirty;	  /* dirty: the replaced frame was */
};

/*
 * Initializes an empty cache: 32 bytes per frame, 4 per set and 1 per entry of the way
 * predictor. POLY_ERR_USAGE if the geometry is invalid, POLY_ERR_MEMORY.
 */
enum poly_status course_cache_init(struct course_cache *cache,
	const struct course_cache_config *config, struct poly_error *error);

/* Returns the set, tag and block of an address, without an access. */
struct course_access course_cache_find(const struct course_cache *cache, uint64_t address);

/* Loads or stores at an address. */
struct course_access course_cache_access(
	struct course_cache *cache, uint64_t address, bool is_store);

/* Returns the traffic in bytes of a write-back cache, or of a write-through cache. */
uint64_t course_cache_back(const struct course_cache *cache);
uint64_t course_cache_through(const struct course_cache *cache);

/* Frees the members, also after init failed. */
void course_cache_fini(struct course_cache *cache);

/* Prints the heading of homework 4; name: of the trace. */
void course_cache_begin(
	const struct course_cache *cache, const char *name, bool is_quiet, struct buf *out);

/* Processes a record, and prints its line, with the cache before it; out NULL: no line.
 */
void course_cache_uop(
	struct course_cache *cache, const struct course_uop *uop, struct buf *out);

/*
 * Prints the results after uops records, and those of the way predictor, if there is one,
 * whose wording is not a course's.
 */
void course_cache_end(const struct course_cache *cache, uint64_t uops, struct buf *out);

#endif
