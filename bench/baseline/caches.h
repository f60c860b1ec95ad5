/* SPDX-License-Identifier: MIT */
/* Caches as textbooks have them: the other side of what bench/sim.c measures. */
#ifndef BENCH_BASELINE_CACHES_H
#define BENCH_BASELINE_CACHES_H

#include <stddef.h>
#include <stdint.h>

/* Uses of lines: their numbers, whether they are stores, and dense numbers below lines. */
struct baseline_uses {
	const uint64_t *numbers;
	const uint8_t *stores;
	const uint32_t *ids;
	size_t count;
	uint32_t lines;
};

/* Misses plus dirty evictions of an lru cache of 64 sets and 8 ways, each way with its time. It
 * goes on where it stopped; NULL empties it. */
uint64_t baseline_lru_stamps(const struct baseline_uses *uses);

/* Misses of all lru caches of 2^0 to 2^13 sets and 1 to 16 ways, one after the other, each set
 * a linked list, newest first. */
uint64_t baseline_lru_lists(const struct baseline_uses *uses);

/* The sum of all stack distances by a Fenwick tree over time. */
uint64_t baseline_distances_fenwick(const struct baseline_uses *uses);

#endif
