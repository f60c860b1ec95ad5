/* SPDX-License-Identifier: MIT */
/* San Francisco State's projects. */
#include "course/sfsu.h"

#include "course/counter.h"
#include "course/text.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/branch/btb.h"

#include <inttypes.h>
#include <string.h>

static void
print_number(struct buf *out, const char *what, uint64_t number)
{
	buf_printf(out, "%s = %" PRIu64 "\n", what, number);
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
course_sfsu_static_mispredictions(const struct course_sfsu_static *system)
{
	return system->forward_taken + system->backward - system->backward_taken;
}

void
course_sfsu_static_end(const struct course_sfsu_static *system, struct buf *out)
{
	uint64_t branches = course_sfsu_static_branches(system);
	uint64_t mispredictions = course_sfsu_static_mispredictions(system);
	print_number(out, "branches", branches);
	print_number(out, "forward branches", system->forward);
	print_number(out, "forward branches taken", system->forward_taken);
	print_number(out, "backward branches", system->backward);
	print_number(out, "backward branches taken", system->backward_taken);
	print_number(out, "mispredicted branches", mispredictions);
	buf_printf(out, "misprediction rate = %.6f\n",
		course_percent(mispredictions, branches) / 100);
}

enum poly_status
course_sfsu_dynamic_init(struct course_sfsu_dynamic *system, uint32_t predictors,
	uint32_t entries, struct poly_error *error)
{
	const struct btb_config config = {.sets = entries, .ways = 1};
	memset(system, 0, sizeof *system);
	if (!predictors || !entries || predictors > COURSE_SFSU_ENTRIES_MAX ||
		entries > COURSE_SFSU_ENTRIES_MAX)
		return err_usage(error,
			"found %" PRIu32 " predictors and %" PRIu32
			" entries of the BTB, expected 1 to %d of each",
			predictors, entries, COURSE_SFSU_ENTRIES_MAX);
	system->predictors = predictors;
	system->entries = entries;
	system->counters = mem_new(predictors, 1);
	if (!system->counters)
		return err_memory(error);
	memset(system->counters, 1, predictors);
	return btb_new(&config, &system->btb, error);
}

/* Looks up the BTB if the branch is predicted taken, and updates it. */
static void
look_up_target(struct course_sfsu_dynamic *system, const struct course_uop *uop,
	const uint8_t *looks_up)
{
	const uint8_t taken = uop->branch == 'T';
	const struct btb_batch batch = {&uop->pc, &uop->target, &taken, looks_up, 1};
	uint8_t hit;
	uint64_t found;
	btb_run(system->btb, &batch, &hit, &found);
	system->accesses += *looks_up;
	system->misses += *looks_up && !hit;
}

void
course_sfsu_dynamic_uop(
	struct course_sfsu_dynamic *system, const struct course_uop *uop, struct buf *out)
{
	if (uop->branch == '-')
		return;
	const uint64_t index = uop->pc % system->predictors;
	uint8_t *counter = &system->counters[index];
	const uint8_t before = *counter, taken = uop->branch == 'T',
		      predicted = counter_train(counter, taken);
	look_up_target(system, uop, &predicted);
	system->mispredictions += predicted != taken;
	if (out)
		buf_printf(out,
			"%" PRIu64 " %" PRIx64 " %u %u %" PRIu64 " %" PRIx64 " %" PRIu64
			" %" PRIu64 "\n",
			system->branches, index, before, *counter, uop->pc % system->entries,
			uop->pc / system->entries, system->accesses, system->misses);
	system->branches++;
}

void
course_sfsu_dynamic_end(const struct course_sfsu_dynamic *system, struct buf *out)
{
	print_number(out, "branches", system->branches);
	print_number(out, "mispredicted branches", system->mispredictions);
	buf_printf(out, "misprediction rate = %.6f\n",
		course_percent(system->mispredictions, system->branches) / 100);
	print_number(out, "BTB accesses", system->accesses);
	print_number(out, "BTB misses", system->misses);
	buf_printf(out, "BTB miss rate = %.6f\n",
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
course_sfsu_cache_end(const struct course_cache *cache, struct buf *out)
{
	uint64_t misses = cache->load_misses + cache->store_misses;
	uint64_t dirty = cache->dirty_loads + cache->dirty_stores;
	uint64_t accesses = cache->loads + cache->stores;
	print_number(out, "reads", cache->loads);
	print_number(out, "writes", cache->stores);
	print_number(out, "accesses", accesses);
	print_number(out, "read misses", cache->load_misses);
	print_number(out, "write misses", cache->store_misses);
	print_number(out, "misses", misses);
	print_number(out, "dirty read misses", cache->dirty_loads);
	print_number(out, "dirty write misses", cache->dirty_stores);
	print_number(out, "bytes read from memory", misses * cache->config.block);
	print_number(out, "bytes written to memory", dirty * cache->config.block);
	print_number(
		out, "access time of reads (cycles)", course_sfsu_cache_cycles(cache, false));
	print_number(
		out, "access time of writes (cycles)", course_sfsu_cache_cycles(cache, true));
	buf_printf(out, "miss rate = %.6f\n", course_percent(misses, accesses) / 100);
}
