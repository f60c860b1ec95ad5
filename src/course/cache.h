/* SPDX-License-Identifier: MIT */
/*
 * The courses' data caches: homework 4 of Penn and Washington University, with a pointer a set
 * instead of ages and without valid bits, and the cache of San Francisco State's project 2,
 * with both. Loads and stores are accesses to the block of their address; a store's block is
 * fetched too. What is dirty at the end stays in the cache.
 *
 * spec: reference cis501 7.1.4, 7.1.7, 3 (rows 6 to 8)
 */
#ifndef COURSE_CACHE_H
#define COURSE_CACHE_H

#include "course/course.h"

#include "polytrace/status.h"

enum {
	COURSE_CACHE_FRAMES_MAX = 1 << 22,
	COURSE_CACHE_WAYS_MAX = 64,
	COURSE_WAY_ENTRIES_MAX = 1 << 16,
	COURSE_STORE_BYTES = 4, /* what a store writes through: the format has no sizes */
};

/* Which frame of a set goes. */
enum course_policy {
	COURSE_POINTER, /* the one behind that used last; LRU for 1 and 2 ways, else not */
	COURSE_LRU,	/* the least recently used one; of empty ones the first */
};

/* A cache's shape: powers of two, at most COURSE_CACHE_FRAMES_MAX frames. */
struct course_cache_config {
	uint64_t capacity, block; /* bytes */
	uint32_t ways;		  /* 1 to COURSE_CACHE_WAYS_MAX */
	enum course_policy policy;
	bool has_valid;	      /* else an empty frame is a clean one with the tag 0 */
	uint32_t way_entries; /* of a way predictor, for 2 ways: a power of two; 0: none */
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
	 * Of the way predictor: by block number, the way that was used last there, at first 0;
	 * and hits in another way than it says.
	 */
	uint8_t *predicted;
	uint64_t way_wrong;
	uint64_t dirty_loads, dirty_stores; /* misses for which a dirty frame went */
};

/* What an access met. */
struct course_access {
	uint64_t set, tag, block; /* block: address of its first byte */
	bool hit, dirty;	  /* dirty: of the frame that went */
};

/*
 * Prepares an empty cache: 32 bytes a frame, 4 a set and 1 a predicted way. POLY_ERR_USAGE
 * where its shape is not possible, POLY_ERR_MEMORY.
 */
enum poly_status course_cache_init(struct course_cache *cache,
	const struct course_cache_config *config, struct poly_error *error);

/* What an address looks up in a cache; it is not an access. */
struct course_access course_cache_find(const struct course_cache *cache, uint64_t address);

/* Loads or stores at an address. */
struct course_access course_cache_access(
	struct course_cache *cache, uint64_t address, bool is_store);

/* Bytes that pass between cache and memory when stores are written back, or through. */
uint64_t course_cache_back(const struct course_cache *cache);
uint64_t course_cache_through(const struct course_cache *cache);

/* Gives the memory back, also after init failed. */
void course_cache_fini(struct course_cache *cache);

/* Homework 4's printout: what stands before the first record of the trace of that name. */
void course_cache_begin(
	const struct course_cache *cache, const char *name, bool is_quiet, struct buf *to);

/* Takes a record, and prints its line, which has the cache as it was before; to NULL: no line.
 */
void course_cache_uop(struct course_cache *cache, const struct course_uop *uop, struct buf *to);

/*
 * What stands behind the last of so many records; at the end what the way predictor did, if
 * there is one, in words that are no course's.
 */
void course_cache_end(const struct course_cache *cache, uint64_t uops, struct buf *to);

#endif
