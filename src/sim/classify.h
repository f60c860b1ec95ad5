/* SPDX-License-Identifier: MIT */
/*
 * Why accesses miss: the first of its line (compulsory); else where a fully associative lru
 * cache of as many lines misses too (capacity); else because of the sets (conflict), or of the
 * policy, where it is not lru.
 *
 * source: M. D. Hill, "Aspects of cache memory and instruction buffer performance", 1987,
 * chapter 3.
 *
 * Memory: as a fully associative cache, and sim/dense.h a line of the trace.
 */
#ifndef SIM_CLASSIFY_H
#define SIM_CLASSIFY_H

#include "sim/cache.h"

enum miss_class { MISS_COMPULSORY, MISS_CAPACITY, MISS_CONFLICT, MISS_CLASSES };

struct classify;

/* For the misses of a cache; its stores allocate or not in the other too. At most lines
 * different lines can be told apart. POLY_ERR_USAGE as cache_check, POLY_ERR_MEMORY. */
enum poly_status classify_new(const struct cache_config *config, uint32_t lines,
	struct classify **classify, struct poly_error *error);
void classify_free(struct classify *classify);

/* The misses of a batch, as cache_run gave their places. */
struct classify_misses {
	const uint32_t *missed;
	size_t count;
	uint8_t *classes; /* of each, enum miss_class; NULL: they are only counted */
	size_t next;	  /* classify_run's own */
};

/*
 * Tells why accesses of a batch missed. Batches have to come as they did to the cache.
 * POLY_ERR_LIMIT where there are more lines than said, POLY_ERR_MEMORY.
 */
enum poly_status classify_run(struct classify *classify, const struct cache_batch *batch,
	struct classify_misses *misses, struct poly_error *error);

/* How many misses were of each class. */
const uint64_t *classify_counts(const struct classify *classify);

/* All counts begin anew; the lines stay known. For warm-up. */
void classify_count_anew(struct classify *classify);

#endif
