/* SPDX-License-Identifier: MIT */
/* San Francisco State's projects. */
#include "course/sfsu.h"

#include "course/text.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/btb.h"

#include <inttypes.h>
#include <string.h>

static void
put_number(struct buf *to, const char *what, uint64_t number)
{
	buf_printf(to, "%s = %" PRIu64 "\n", what, number);
}

void
course_sfsu_static_uop(struct course_sfsu_static *system, const struct course_uop *uop)
{
	bool taken = uop->branch == 'T';
	if (uop->branch == '-')
		return;
	if (uop->target <= uop->pc) {
		system->backward++;
		system->backward_taken += taken;
	} else {
		system->forward++;
		system->forward_taken += taken;
	}
}

uint64_t
course_sfsu_static_branches(const struct course_sfsu_static *system)
{
	return system->forward + system->backward;
}

uint64_t
course_sfsu_static_wrong(const struct course_sfsu_static *system)
{
	return system->forward_taken + system->backward - system->backward_taken;
}

void
course_sfsu_static_end(const struct course_sfsu_static *system, struct buf *to)
{
	uint64_t branches = course_sfsu_static_branches(system);
	uint64_t wrong = course_sfsu_static_wrong(system);
	put_number(to, "branches", branches);
	put_number(to, "forward branches", system->forward);
	put_number(to, "forward branches taken", system->forward_taken);
	put_number(to, "backward branches", system->backward);
	put_number(to, "backward branches taken", system->backward_taken);
	put_number(to, "mispredicted branches", wrong);
	buf_printf(to, "misprediction rate = %.6f\n", course_percent(wrong, branches) / 100);
}

enum poly_status
course_sfsu_dynamic_init(struct course_sfsu_dynamic *system, uint32_t predictors,
	uint32_t entries, struct poly_error *error)
{
	const struct btb_config config = {.sets = entries, .ways = 1};
	memset(system, 0, sizeof *system);
	if (!predictors || !entries || predictors > COURSE_SFSU_ENTRIES_MAX ||
		entries > COURSE_SFSU_ENTRIES_MAX)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"%" PRIu32 " predictors and %" PRIu32
			" entries of the target buffer, expected 1 to %d of each",
			predictors, entries, COURSE_SFSU_ENTRIES_MAX);
	system->predictors = predictors;
	system->entries = entries;
	system->counters = mem_new(predictors, 1);
	if (!system->counters)
		return err_memory(error);
	memset(system->counters, 1, predictors);
	return btb_new(&config, &system->btb, error);
}

/* Asks the target buffer where the branch is predicted taken, and tells it what happened. */
static void
find_target(
	struct course_sfsu_dynamic *system, const struct course_uop *uop, const uint8_t *asked)
{
	const uint8_t taken = uop->branch == 'T';
	const struct btb_batch batch = {&uop->pc, &uop->target, &taken, asked, 1};
	uint8_t hit;
	uint64_t found;
	btb_run(system->btb, &batch, &hit, &found);
	system->accesses += *asked;
	system->misses += *asked && !hit;
}

void
course_sfsu_dynamic_uop(
	struct course_sfsu_dynamic *system, const struct course_uop *uop, struct buf *to)
{
	if (uop->branch == '-')
		return;
	const uint64_t index = uop->pc % system->predictors;
	uint8_t *counter = &system->counters[index];
	const uint8_t before = *counter, predicted = before >= 2, taken = uop->branch == 'T';
	if (taken && before < 3)
		++*counter;
	else if (!taken && before > 0)
		--*counter;
	find_target(system, uop, &predicted);
	system->wrong += predicted != taken;
	if (to)
		buf_printf(to,
			"%" PRIu64 " %" PRIx64 " %u %u %" PRIu64 " %" PRIx64 " %" PRIu64
			" %" PRIu64 "\n",
			system->branches, index, before, *counter, uop->pc % system->entries,
			uop->pc / system->entries, system->accesses, system->misses);
	system->branches++;
}

void
course_sfsu_dynamic_end(const struct course_sfsu_dynamic *system, struct buf *to)
{
	put_number(to, "branches", system->branches);
	put_number(to, "mispredicted branches", system->wrong);
	buf_printf(to, "misprediction rate = %.6f\n",
		course_percent(system->wrong, system->branches) / 100);
	put_number(to, "target buffer accesses", system->accesses);
	put_number(to, "target buffer misses", system->misses);
	buf_printf(to, "target buffer miss rate = %.6f\n",
		course_percent(system->misses, system->accesses) / 100);
}

void
course_sfsu_dynamic_fini(struct course_sfsu_dynamic *system)
{
	mem_free(system->counters);
	btb_free(system->btb);
	memset(system, 0, sizeof *system);
}

struct course_cache_config
course_sfsu_cache(uint64_t capacity, uint32_t ways)
{
	return (struct course_cache_config){.capacity = capacity,
		.block = COURSE_SFSU_BLOCK,
		.ways = ways,
		.policy = COURSE_LRU,
		.has_valid = true};
}

uint64_t
course_sfsu_cache_cycles(const struct course_cache *cache, bool stores)
{
	uint64_t accesses = stores ? cache->stores : cache->loads;
	uint64_t misses = stores ? cache->store_misses : cache->load_misses;
	uint64_t dirty = stores ? cache->dirty_stores : cache->dirty_loads;
	return accesses + COURSE_SFSU_MEMORY * (misses + dirty);
}

void
course_sfsu_cache_end(const struct course_cache *cache, struct buf *to)
{
	uint64_t misses = cache->load_misses + cache->store_misses;
	uint64_t dirty = cache->dirty_loads + cache->dirty_stores;
	uint64_t accesses = cache->loads + cache->stores;
	put_number(to, "reads", cache->loads);
	put_number(to, "writes", cache->stores);
	put_number(to, "accesses", accesses);
	put_number(to, "read misses", cache->load_misses);
	put_number(to, "write misses", cache->store_misses);
	put_number(to, "misses", misses);
	put_number(to, "dirty read misses", cache->dirty_loads);
	put_number(to, "dirty write misses", cache->dirty_stores);
	put_number(to, "bytes read from memory", misses * cache->config.block);
	put_number(to, "bytes written to memory", dirty * cache->config.block);
	put_number(to, "access time of reads (cycles)", course_sfsu_cache_cycles(cache, false));
	put_number(to, "access time of writes (cycles)", course_sfsu_cache_cycles(cache, true));
	buf_printf(to, "miss rate = %.6f\n", course_percent(misses, accesses) / 100);
}
