/* SPDX-License-Identifier: MIT */
/* Replacement policies that keep a line in its way. */
#include "sim/cache/cache_state.h"

#define PREDICTION_MAX 3
#define DUEL_MAX 1023
#define DUEL_HALF 512
#define RARE 32		  /* one new line in RARE gets the nearer prediction under brrip */
#define CONSTITUENCIES 32 /* maximum number of groups of sets with a leader of each kind */
#define STRETCH_MIN 8	  /* minimum sets per group, unless the cache has fewer */

/* Sets the bits on the path to a way so that they point to the other halves. */
static void
plru_use(uint64_t *bits, uint32_t ways, uint32_t way)
{
	uint32_t node = 1;
	for (uint32_t half = ways / 2; half; half /= 2) {
		uint64_t right = (way & half) != 0;
		*bits = (*bits & ~(UINT64_C(1) << node)) | (right ^ 1) << node;
		node = 2 * node + (uint32_t)right;
	}
}

static uint32_t
plru_victim(uint64_t bits, uint32_t ways)
{
	uint32_t node = 1;
	while (node < ways)
		node = 2 * node + (uint32_t)(bits >> node & 1);
	return node - ways;
}

static uint32_t
rrip_victim(uint8_t *predictions, uint32_t ways)
{
	for (;;) {
		for (uint32_t way = 0; way < ways; way++)
			if (predictions[way] == PREDICTION_MAX)
				return way;
		for (uint32_t way = 0; way < ways; way++)
			predictions[way]++;
	}
}

/*
 * Returns whether a new line of a set is inserted by brrip. The first set of each group always
 * uses srrip and the last brrip; their misses move the duel counter, which the others follow.
 * Groups have at least eight sets, so that small caches have followers, too: 6 of 8. A cache
 * of one set has only the first.
 */
static bool
drrip_is_bimodal(struct cache *cache, uint64_t set_number)
{
	const uint64_t sets = cache->config.sets, few = sets < STRETCH_MIN ? sets : STRETCH_MIN;
	const uint64_t group = sets / CONSTITUENCIES > few ? sets / CONSTITUENCIES : few;
	const uint64_t position = set_number % group;
	if (position == 0) {
		cache->duel += cache->duel < DUEL_MAX;
		return false;
	}
	if (position == group - 1) {
		cache->duel -= cache->duel > 0;
		return true;
	}
	return cache->duel >= DUEL_HALF;
}

static uint8_t
new_prediction(struct cache *cache, uint64_t set_number)
{
	if (cache->config.policy == CACHE_DRRIP && drrip_is_bimodal(cache, set_number) &&
		++cache->rare % RARE != 0)
		return PREDICTION_MAX;
	return PREDICTION_MAX - 1;
}

void
cache_way_used(struct cache *cache, uint64_t set_number, uint32_t way)
{
	const uint32_t ways = cache->config.ways;
	if (cache->config.policy == CACHE_POINTER)
		cache->set_states[set_number] = way + 1 == ways ? 0 : way + 1;
	else if (cache->config.policy == CACHE_PLRU)
		plru_use(&cache->set_states[set_number], ways, way);
	else if (cache->predictions)
		cache->predictions[set_number * ways + way] = 0;
}

void
cache_way_filled(struct cache *cache, uint64_t set_number, uint32_t way)
{
	if (cache->predictions)
		cache->predictions[set_number * cache->config.ways + way] =
			new_prediction(cache, set_number);
	else
		cache_way_used(cache, set_number, way);
}

uint32_t
cache_way_victim(struct cache *cache, uint64_t set_number)
{
	const uint32_t ways = cache->config.ways;
	const uint64_t *set = cache->entries + set_number * ways;
	if (cache->config.policy == CACHE_POINTER)
		return (uint32_t)cache->set_states[set_number];
	for (uint32_t way = 0; way < ways; way++)
		if (!set[way])
			return way;
	if (cache->config.policy == CACHE_RANDOM)
		return cache_random(&cache->random) % ways;
	if (cache->config.policy == CACHE_PLRU)
		return plru_victim(cache->set_states[set_number], ways);
	return rrip_victim(cache->predictions + set_number * ways, ways);
}
