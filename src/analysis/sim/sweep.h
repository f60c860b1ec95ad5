/* SPDX-License-Identifier: MIT */
/*
 * Caches by a text: "size=1k..4M,ways=1,2,4,8,policy=lru,fifo" is every size from 1 KiB to 4
 * MiB, doubling, with each number of ways and each policy.
 */
#ifndef ANALYSIS_SIM_SWEEP_H
#define ANALYSIS_SIM_SWEEP_H

#include "sim/cache.h"

#define SWEEP_MOST 512	/* combinations */
#define SWEEP_VALUES 64 /* of a key */

/* What can be varied; words: NULL where values are numbers. The last one has no name. */
struct sweep_key {
	const char *name;
	const char *const *words;
	uint64_t initial;
};

struct sweep_values {
	uint64_t values[SWEEP_VALUES];
	size_t count;
};

struct sweep {
	struct cache_config configs[SWEEP_MOST];
	bool is_opt[SWEEP_MOST]; /* of sim/belady.h; then policy says nothing */
	size_t count;
};

/* Words of enum cache_policy, then opt, NULL at the end. */
extern const char *const sweep_policies[];
#define SWEEP_OPT CACHE_POLICIES

/*
 * Takes a text. Keys are size, ways ("full": one set), line, policy, write (back, through),
 * allocate, valid (yes, no); what is not said is 32k, 8, 64, lru, back, yes, yes. Sizes smaller
 * than a set are left out where there are several. POLY_ERR_USAGE with a message where it makes
 * no sense.
 */
enum poly_status sweep_parse(const char *text, struct sweep *sweep, struct poly_error *error);

/*
 * Takes lists of values by key, which make 16 times SWEEP_MOST combinations at most. Numbers
 * may double, "1k..4M", or be all between two, "3-10". POLY_ERR_USAGE: what is no
 * setting of what, which also says what is one.
 */
enum poly_status sweep_take(const char *text, const struct sweep_key *keys, const char *what,
	struct sweep_values *values, struct poly_error *error);

/* How many combinations there are. */
size_t sweep_combinations(const struct sweep_key *keys, const struct sweep_values *values);

/* One combination, a value a key; place counts through all of them, the last key first. */
void sweep_combine(const struct sweep_key *keys, const struct sweep_values *values,
	size_t place, uint64_t *chosen);

/*
 * The bits of memory that a cache needs: for each line its bytes, the tag of an address of so
 * many bits, a valid bit (unless always_valid) and a dirty one (unless write-through); for each
 * set the order of its ways (lru), one of them (fifo, pointer), ways - 1 (plru), 2 a way
 * (srrip, drrip, which has 10 more in all), or none (random).
 */
uint64_t sweep_bits(const struct cache_config *config, unsigned address_bits);

/* A number that may end in k, M or G; false: it is none. Moves *text behind it. */
bool sweep_number(const char **text, uint64_t *value);

#endif
