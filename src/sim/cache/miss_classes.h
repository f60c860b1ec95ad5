/* SPDX-License-Identifier: MIT */
/*
 * The 3C classification of misses: the first access to a line (compulsory); else, if a fully
 * associative lru cache of equal size misses too (capacity); else due to the sets, or to a
 * policy other than lru (conflict).
 *
 * source: M. D. Hill, "Aspects of cache memory and instruction buffer performance", 1987,
 * chapter 3.
 *
 * The caller knows which accesses are the first ones to their lines, or those to the lines of
 * a sample (sim/memory/line_table.h). Then compulsory and capacity misses are estimates.
 *
 * Memory: that of a fully associative cache.
 */
#ifndef SIM_MISS_CLASSES_H
#define SIM_MISS_CLASSES_H

#include "sim/cache/cache.h"

enum miss_class { MISS_COMPULSORY, MISS_CAPACITY, MISS_CONFLICT, MISS_CLASSES };

struct miss_classes;

/* Creates a classification of the misses of a cache; stores allocate in both or in neither.
 * POLY_ERR_USAGE as cache_check, POLY_ERR_MEMORY. */
enum poly_status miss_classes_new(const struct cache_config *config,
	struct miss_classes **classes, struct poly_error *error);
void miss_classes_free(struct miss_classes *classes);

/* Returns the fully associative cache, for operations that the caller performs on both. */
struct cache *miss_classes_full(struct miss_classes *classes);

/* The misses of a batch, by index as cache_run returned them. */
struct classified_misses {
	const uint32_t *missed;
	size_t count;
	uint8_t *classes; /* enum miss_class of each, if no lines are sampled; NULL: only
			     counted */
	size_t next;	  /* miss_classes_run's own */
};

/* Counts of misses. */
struct miss_class_counts {
	/* By whether the fully associative cache has the line: all of them, and the estimate of
	 * those that are the first accesses to their lines. */
	uint64_t all[2], first[2];
	double variance; /* of the estimate of the first ones */
};

/* Classifies the misses of a batch; first: weights of line_table_weigh. Batches must be those
 * of the cache, in order. */
void miss_classes_run(struct miss_classes *classes, const struct cache_batch *batch,
	const uint8_t *first, struct classified_misses *misses);

/* Returns the counts. */
const struct miss_class_counts *miss_classes_counts(const struct miss_classes *classes);

/* Adds counts to a sum. */
void miss_class_counts_add(
	struct miss_class_counts *sum, const struct miss_class_counts *counts);

/* The misses of each class, and how far the estimates of those that are not conflict misses may
 * be off: three standard deviations; 0: they are exact. */
struct miss_class_estimate {
	uint64_t misses[MISS_CLASSES];
	uint64_t error;
};
void miss_class_counts_estimate(
	const struct miss_class_counts *counts, struct miss_class_estimate *estimate);

/* Resets the counts. For warm-up. */
void miss_classes_reset(struct miss_classes *classes);

#endif
