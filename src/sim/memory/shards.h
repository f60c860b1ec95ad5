/* SPDX-License-Identifier: MIT */
/*
 * Miss ratios of all sizes from a sample of the lines: those whose hash is below a limit, in
 * eight disjoint samples, whose spread bounds the error of the mean.
 * Distances among 1 of 2^k lines are a 2^k-th of the true ones. Counts are divided by the
 * expected accesses of a sample, not by the actual ones (as SHARDS-adj).
 *
 * source: C. A. Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015,
 * sections 3 and 3.3.
 *
 * Memory: that of the stack distances and dense numbers of the sampled lines.
 */
#ifndef SIM_SHARDS_H
#define SIM_SHARDS_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARDS_SAMPLES 8
#define SHARDS_MIN 3 /* a sample has 2^-k of the lines: eight samples need at least this k */
#define SHARDS_MAX 20

struct shards;

/* Miss ratios of a size, from 0 to 1 (sampling may lead a little above). */
struct shards_ratio {
	double mean, min, max; /* of the eight samples */
};

/* Creates samples of one in 2^k lines, of at most lines lines each. POLY_ERR_USAGE unless k is
 * SHARDS_MIN to SHARDS_MAX; POLY_ERR_MEMORY. */
enum poly_status shards_new(
	unsigned k, uint32_t lines, struct shards **shards, struct poly_error *error);
void shards_free(struct shards *shards);

/* Accesses lines in order, by number. POLY_ERR_LIMIT, POLY_ERR_MEMORY. */
enum poly_status shards_run(
	struct shards *shards, const uint64_t *lines, size_t count, struct poly_error *error);

/* Counts accesses to lines that are in no sample, which the caller need not pass to shards_run.
 */
void shards_skip(struct shards *shards, uint64_t count);

/* Returns the miss ratios of a fully associative lru cache of a number of lines; 0 without
 * accesses.
 */
void shards_ratio(const struct shards *shards, uint64_t lines, struct shards_ratio *ratio);

/* Switches counting, which is initially on. For warm-up. */
void shards_counting(struct shards *shards, bool counting);

/* Returns the accesses in all samples. */
uint64_t shards_sampled(const struct shards *shards);

/* Returns the hash that selects lines: sample s has those of hash mod 2^k = s. It is the
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
