/* SPDX-License-Identifier: MIT */
/*
 * Parses sweeps: "size=1k..4M,ways=1,2,4,8,policy=lru,fifo" is every size from 1 KiB to 4 MiB,
 * doubling, with each number of ways and each policy.
 */
#ifndef ANALYSIS_SIM_SWEEP_H
#define ANALYSIS_SIM_SWEEP_H

#include "sim/cache/cache.h"

#define SWEEP_MAX 512	    /* combinations */
#define SWEEP_VALUES_MAX 64 /* of a key */

/* A key of a sweep; words: choices, NULL if the values are numbers. The last key has no name.
 */
struct sweep_key {
	const char *name;
	const char *const *words;
	uint64_t initial;
};

struct sweep_values {
	uint64_t values[SWEEP_VALUES_MAX];
	size_t count;
};

struct sweep {
	struct cache_config configs[SWEEP_MAX];
	bool is_opt[SWEEP_MAX]; /* simulated by sim/cache/belady.h; its policy is ignored */
	size_t count;
};

/* Names of enum cache_policy, then opt, NULL at the end. */
extern const char *const sweep_policies[];
#define SWEEP_OPT CACHE_POLICIES

/*
 * Parses a sweep of caches. Keys are size, ways ("full": one set), line, policy, write (back,
 * through), allocate, valid (yes, no); their defaults are 32k, 8, 64, lru, back, yes, yes. If
 * there are several caches, those smaller than a set are skipped. POLY_ERR_USAGE with a
 * message if it is invalid.
 */
enum poly_status sweep_parse(const char *text, struct sweep *sweep, struct poly_error *error);

/*
 * Parses lists of values by key, with at most 16 times SWEEP_MAX combinations. Numbers may
 * double, "1k..4M", or be a range, "3-10". expected: valid settings, for messages.
 * POLY_ERR_USAGE.
 */
enum poly_status sweep_parse_values(const char *text, const struct sweep_key *keys,
	const char *expected, struct sweep_values *values, struct poly_error *error);

/* Returns the number of combinations. */
size_t sweep_count_combinations(
	const struct sweep_key *keys, const struct sweep_values *values);

/* Computes the index-th combination, one value per key; the last key varies fastest. */
void sweep_combine(const struct sweep_key *keys, const struct sweep_values *values,
	size_t index, uint64_t *combination);

/*
 * Returns the storage of a cache in bits: per line its data, the tag of an address of
 * address_bits, a valid bit (unless always_valid) and a dirty bit (unless write-through); per
 * set the order of its ways (lru), the index of a way (fifo, pointer), ways - 1 (plru), 2 per
 * way (srrip, drrip, which has 10 more per cache), or none (random).
 */
uint64_t sweep_storage_bits(const struct cache_config *config, unsigned address_bits);

/* Parses a number with an optional suffix k, M or G, and moves *text past it; false: invalid.
 */
bool sweep_parse_number(const char **text, uint64_t *value);

#endif
