/* SPDX-License-Identifier: MIT */
/* Loops over a batch: hits stay in the loop, misses leave it. */
#include "sim/cache/cache_state.h"

#include <string.h>

bool
cache_lru_use(uint64_t *set, uint32_t ways, uint64_t key, uint64_t flags)
{
	uint32_t way = 0;
	while (way < ways && (set[way] | ENTRY_DIRTY) != (key | ENTRY_DIRTY))
		way++;
	if (way == ways)
		return false;
	const uint64_t entry = set[way] | flags;
	memmove(set + 1, set, way * sizeof *set);
	set[0] = entry;
	return true;
}

size_t
cache_lru_run(struct cache *cache, const struct cache_batch *batch, uint32_t *missed)
{
	const uint64_t mask = cache->set_mask, dirty = cache->dirty;
	const unsigned shift = cache->line_shift;
	const uint32_t ways = cache->config.ways;
	size_t misses = 0;
	for (size_t i = 0; i < batch->count; i++) {
		const uint64_t line = batch->addresses[i] >> shift, key = entry_of(line);
		const uint64_t flags = batch->kinds[i] == CACHE_WRITE ? dirty : 0;
		uint64_t *set = cache->entries + (line & mask) * ways;
		if (cache_lru_use(set, ways, key, flags))
			continue;
		cache_miss(cache, batch, i);
		if (missed)
			missed[misses] = (uint32_t)i;
		misses++;
	}
	return misses;
}
