/* SPDX-License-Identifier: MIT */
/*
 * Why accesses miss: the first of its line (compulsory); else where a fully associative lru
 * cache of as many lines misses too (capacity); else because of the sets (conflict), or of the
 * policy, where it is not lru.
 *
 * source: M. D. Hill, "Aspects of cache memory and instruction buffer performance", 1987,
 * chapter 3.
 *
 * Memory: as a fully associative cache, and sim/dense_index.h a line of the trace.
 */
#ifndef SIM_MISS_CLASSES_H
#define SIM_MISS_CLASSES_H

#include "sim/cache.h"

enum miss_class { MISS_COMPULSORY, MISS_CAPACITY, MISS_CONFLICT, MISS_CLASSES };

struct miss_classes;

/* For the misses of a cache; its stores allocate or not in the other too. At most lines
 * different lines can be told apart. POLY_ERR_USAGE as cache_check, POLY_ERR_MEMORY. */
enum poly_status miss_classes_new(const struct cache_config *config, uint32_t lines,
	struct miss_classes **classes, struct poly_error *error);
void miss_classes_free(struct miss_classes *classes);

/* The misses of a batch, as cache_run gave their places. */
struct classified_misses {
	const uint32_t *missed;
	size_t count;
	uint8_t *classes; /* of each, enum miss_class; NULL: they are only counted */
	size_t next;	  /* miss_classes_run's own */
};

/*
 * Tells why accesses of a batch missed. Batches have to come as they did to the cache.
 * POLY_ERR_LIMIT where there are more lines than said, POLY_ERR_MEMORY.
 */
enum poly_status miss_classes_run(struct miss_classes *classes, const struct cache_batch *batch,
	struct classified_misses *misses, struct poly_error *error);

/* How many misses were of each class. */
const uint64_t *miss_classes_counts(const struct miss_classes *classes);

/* All counts begin anew; the lines stay known. For warm-up. */
void miss_classes_reset(struct miss_classes *classes);

#endif
