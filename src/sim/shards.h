/* SPDX-License-Identifier: MIT */
/*
 * Miss ratios of all sizes from a sample of the lines: those whose hash is below a limit, in
 * eight samples that share no line, so that their spread shows how far to trust the mean.
 * Distances among 1 of 2^k lines are a 2^k-th of the true ones. Counts are divided by the uses
 * that a sample should have, not by those that it has (as SHARDS-adj).
 *
 * source: C. A. Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015,
 * sections 3 and 3.3.
 *
 * Memory: as stack distances and dense numbers of the lines sampled.
 */
#ifndef SIM_SHARDS_H
#define SIM_SHARDS_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARDS_SAMPLES 8
#define SHARDS_MIN 3 /* 2^-k of the lines are a sample: eight need at least this k */
#define SHARDS_MAX 20

struct shards;

/* Miss ratios of a size, from 0 to 1 (sampling may lead a little above). */
struct shards_ratio {
	double mean, min, max; /* of the eight samples */
};

/* Samples of one of 2^k lines each, of at most lines lines each. POLY_ERR_USAGE where k is not
 * SHARDS_MIN to SHARDS_MAX; POLY_ERR_MEMORY. */
enum poly_status shards_new(
	unsigned k, uint32_t lines, struct shards **shards, struct poly_error *error);
void shards_free(struct shards *shards);

/* Uses lines, by their numbers, one after the other. POLY_ERR_LIMIT, POLY_ERR_MEMORY. */
enum poly_status shards_run(
	struct shards *shards, const uint64_t *lines, size_t count, struct poly_error *error);

/* The miss ratios of a fully associative lru cache of so many lines; 0 where nothing was used.
 */
void shards_ratio(const struct shards *shards, uint64_t lines, struct shards_ratio *ratio);

/* Whether uses are counted from now on, as they are at first. For warm-up. */
void shards_counting(struct shards *shards, bool counting);

/* How many uses the samples have in all. */
uint64_t shards_sampled(const struct shards *shards);

/* The hash by which lines are chosen: sample s has those of hash mod 2^k = s. It is the
 * finalizer of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014). */
static inline uint64_t
shards_hash(uint64_t line)
{
	line = (line ^ line >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	line = (line ^ line >> 27) * UINT64_C(0x94d049bb133111eb);
	return line ^ line >> 31;
}

#endif
