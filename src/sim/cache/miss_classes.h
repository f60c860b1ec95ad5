/* SPDX-License-Identifier: MIT */
/*
 * The 3C classification of misses: the first access to a line (compulsory); else, if a fully
 * associative lru cache of equal size misses too (capacity); else due to the sets, or to a
 * policy other than lru (conflict).
 *
 * source: M. D. Hill, "Aspects of cache memory and instruction buffer performance", 1987,
 * chapter 3.
 *
 * Memory: that of a fully associative cache, and sim/memory/dense_index.h a line of the trace.
 */
#ifndef SIM_MISS_CLASSES_H
#define SIM_MISS_CLASSES_H

#include "sim/cache/cache.h"

enum miss_class { MISS_COMPULSORY, MISS_CAPACITY, MISS_CONFLICT, MISS_CLASSES };

struct miss_classes;

/* Creates a classification of the misses of a cache; stores allocate in both or in neither.
 * lines is the maximum of distinct lines. POLY_ERR_USAGE as cache_check, POLY_ERR_MEMORY. */
enum poly_status miss_classes_new(const struct cache_config *config, uint32_t lines,
	struct miss_classes **classes, struct poly_error *error);
void miss_classes_free(struct miss_classes *classes);

/* Returns the fully associative cache, for operations that the caller performs on both. */
struct cache *miss_classes_full(struct miss_classes *classes);

/* The misses of a batch, by index as cache_run returned them. */
struct classified_misses {
	const uint32_t *missed;
	size_t count;
	uint8_t *classes; /* enum miss_class of each; NULL: only counted */
	size_t next;	  /* miss_classes_run's own */
};

/*
 * Classifies the misses of a batch. Batches must be those of the cache, in order.
 * POLY_ERR_LIMIT beyond the maximum of lines, POLY_ERR_MEMORY.
 */
enum poly_status miss_classes_run(struct miss_classes *classes, const struct cache_batch *batch,
	struct classified_misses *misses, struct poly_error *error);

/* Returns the misses of each class. */
const uint64_t *miss_classes_counts(const struct miss_classes *classes);

/* Resets the counts; known lines stay. For warm-up. */
void miss_classes_reset(struct miss_classes *classes);

#endif
