/* SPDX-License-Identifier: MIT */
/*
 * Caches by a text: "size=1k..4M,ways=1,2,4,8,policy=lru,fifo" is every size from 1 KiB to 4
 * MiB, doubling, with each number of ways and each policy.
 */
#ifndef ANALYSIS_SIM_SWEEP_H
#define ANALYSIS_SIM_SWEEP_H

#include "sim/cache.h"

#define SWEEP_MOST 512 /* caches */

struct sweep {
	struct cache_config configs[SWEEP_MOST];
	size_t count;
};

/* Words of enum cache_policy, NULL at the end. */
extern const char *const sweep_policies[];

/*
 * Takes a text. Keys are size, ways ("full": one set), line, policy, write (back, through),
 * allocate, valid (yes, no); what is not said is 32k, 8, 64, lru, back, yes, yes. Sizes smaller
 * than a set are left out where there are several. POLY_ERR_USAGE with a message where it makes
 * no sense.
 */
enum poly_status sweep_parse(const char *text, struct sweep *sweep, struct poly_error *error);

/* A number that may end in k, M or G; false: it is none. Moves *text behind it. */
bool sweep_number(const char **text, uint64_t *value);

#endif
