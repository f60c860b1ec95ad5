/* SPDX-License-Identifier: MIT */
/* One cache, by batches (by=0) or an access at a time (by=1). */
#include "drive.h"

#include "sim/cache/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void
print_counts(const struct cache *cache)
{
	struct cache_counts all, *counts = &all;
	cache_count(cache, counts);
	printf("counts");
	for (int kind = 0; kind < CACHE_KINDS; kind++)
		printf(" %" PRIu64 " %" PRIu64 " %" PRIu64, counts->accesses[kind],
			counts->misses[kind], counts->dirty_misses[kind]);
	printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts->fills,
		counts->evictions, counts->dirty_evictions, counts->bytes_from_below,
		counts->bytes_to_below);
}

static void
by_batches(struct cache *cache, const struct accesses *accesses)
{
	uint32_t missed[100];
	for (size_t from = 0; from < accesses->count; from += 100) {
		const size_t rest = accesses->count - from;
		const struct cache_batch batch = {accesses->addresses + from,
			accesses->kinds + from, accesses->sizes + from,
			rest < 100 ? rest : 100};
		const size_t misses = cache_run(cache, &batch, missed);
		for (size_t i = 0; i < misses; i++)
			printf("miss %zu\n", from + missed[i]);
	}
}

static void
one_by_one(struct cache *cache, const struct accesses *accesses)
{
	for (size_t i = 0; i < accesses->count; i++) {
		struct cache_outcome outcome;
		cache_access(cache, accesses->addresses[i], (enum cache_kind)accesses->kinds[i],
			accesses->sizes[i], &outcome);
		if (!outcome.hit)
			printf("miss %zu\n", i);
	}
}

void
drive_cache(const struct settings *s, const struct accesses *accesses)
{
	const struct cache_config config = {
		.sets = setting(s, NULL, "sets", 1),
		.ways = (uint32_t)setting(s, NULL, "ways", 1),
		.line_size = (uint32_t)setting(s, NULL, "line", 64),
		.policy = (enum cache_policy)setting(s, NULL, "policy", 0),
		.write_through = setting(s, NULL, "through", 0),
		.no_allocate = setting(s, NULL, "around", 0),
		.always_valid = setting(s, NULL, "valid", 0),
		.seed = setting(s, NULL, "seed", 0),
	};
	struct poly_error error;
	struct cache *cache;
	if (cache_new(&config, &cache, &error) != POLY_OK) {
		puts(error.message);
		exit(1);
	}
	if (setting(s, NULL, "by", 0))
		one_by_one(cache, accesses);
	else
		by_batches(cache, accesses);
	print_counts(cache);
	cache_free(cache);
}
