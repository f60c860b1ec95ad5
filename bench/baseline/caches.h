/* SPDX-License-Identifier: MIT */
/* Textbook caches: the baselines of bench/sim.c. */
#ifndef BENCH_BASELINE_CACHES_H
#define BENCH_BASELINE_CACHES_H

#include <stddef.h>
#include <stdint.h>

/* Uses of lines: line numbers, store flags, and dense ids below `lines`. */
struct baseline_uses {
	const uint64_t *numbers;
	const uint8_t *stores;
	const uint32_t *ids;
	size_t count;
	uint32_t lines;
};

/*
 * Returns misses plus dirty evictions of an LRU cache of 64 sets and 8 ways with time stamps.
 * The state persists between calls; NULL resets it.
 */
uint64_t baseline_lru_stamps(const struct baseline_uses *uses);

/*
 * Returns the misses of all LRU caches of 2^0 to 2^13 sets and 1 to 16 ways, one after the
 * other; each set is a linked list, most recent first.
 */
uint64_t baseline_lru_lists(const struct baseline_uses *uses);

/* Returns the sum of all stack distances by a Fenwick tree over time. */
uint64_t baseline_distances_fenwick(const struct baseline_uses *uses);

#endif
