/* SPDX-License-Identifier: MIT */
/* Simulates steps of references in a cache of a sweep. */
#include "analysis/sim/cache_sweep.h"

#include "analysis/sim/counts.h"

#include <string.h>

/* Classifies misses; first: weights of first accesses. */
static void
count_classes(struct swept_cache *swept, const struct cache_batch *batch, const uint8_t *first,
	struct classified_misses *misses, bool counts)
{
	miss_classes_run(swept->classes, batch, first, misses);
	if (counts)
		miss_class_counts_add(&swept->causes, miss_classes_counts(swept->classes));
	miss_classes_reset(swept->classes);
}

static void
read_counts(const struct swept_cache *swept, struct cache_counts *counts)
{
	if (swept->opt)
		belady_count(swept->opt, counts);
	else
		cache_count(swept->cache, counts);
}

/* Counts the misses of the first cache by instruction and region; false: out of memory. */
static bool
count_hotspots(struct cache_simulation *sim, size_t misses)
{
	const struct mem_refs *refs = sim->sizes.list[sim->caches->shift]->step;
	memset(sim->weights, 0, refs->count * sizeof *sim->weights);
	for (size_t i = 0; i < misses; i++)
		sim->weights[sim->caches->missed[i]] = 1;
	return hotspots_pair_add(&sim->hotspots, refs, sim->weights);
}

/* Simulates demand accesses; *count: misses, whose indexes go to missed unless that is NULL. */
static bool
access_lines(struct cache_simulation *sim, struct swept_cache *swept,
	const struct access_log_step *step, uint32_t *missed, size_t *count)
{
	struct cache_counts before, now;
	struct classified_misses misses = {.missed = missed};
	read_counts(swept, &before);
	misses.count = swept->opt ? belady_run(swept->opt, &step->refs, step->next, missed)
				  : cache_run(swept->cache, &step->refs, missed);
	*count = misses.count;
	read_counts(swept, &now);
	if (swept->classes)
		count_classes(swept, &step->refs, step->first, &misses, step->counts);
	if (!step->counts)
		return true;
	counts_add(&swept->counts, &now, &before, sizeof now);
	return !sim->hotspots.max || swept != sim->caches || count_hotspots(sim, misses.count);
}

bool
swept_cache_access(struct cache_simulation *sim, struct swept_cache *swept,
	const struct access_log_step *step)
{
	const bool needs_missed = swept->classes || (sim->hotspots.max && swept == sim->caches);
	size_t misses;
	return access_lines(sim, swept, step, needs_missed ? swept->missed : NULL, &misses);
}

/* Corrects the traffic of writes that allocate whole lines; misses: of the last batch. */
static void
count_allocations(struct swept_cache *swept, const struct cache_batch *refs, size_t misses)
{
	const struct cache_config *config = cache_config(swept->cache);
	uint64_t lines = 0;
	for (size_t i = 0; i < misses && !config->no_allocate; i++) {
		const uint32_t size = refs->sizes[swept->missed[i]];
		lines += size == 0 || size == config->line_size;
	}
	swept->operations.allocations += lines;
	swept->counts.fills -= lines;
	swept->counts.bytes_from_below -= lines * config->line_size;
}

/* Prefetches a line. */
static void
prefetch(struct cache *cache, uint64_t address, struct cache_counts *counts)
{
	struct cache_outcome outcome;
	cache_fill(cache, address, false, &outcome);
	counts->fills++;
	counts->evictions += outcome.evicted;
	counts->dirty_evictions += outcome.dirty;
	counts->bytes_from_below += cache_config(cache)->line_size;
	counts->bytes_to_below += outcome.dirty ? cache_config(cache)->line_size : 0;
}

/* Counts a line of a cache, as a cache_line_fn. */
static void
count_line(void *user, uint64_t address, bool dirty)
{
	uint64_t *lines = user;
	(void)address;
	lines[dirty]++;
}

/* Performs an operation on all lines. */
static void
operate_all(struct cache *cache, enum cache_operation operation, struct swept_cache *sums)
{
	uint64_t lines[2] = {0, 0}; /* clean and dirty ones */
	cache_clean_all(cache, operation != CACHE_CLEAN_ALL, count_line, lines);
	const uint64_t written = operation == CACHE_INVALIDATE_ALL ? 0 : lines[true];
	sums->operations.invalidations +=
		operation == CACHE_CLEAN_ALL ? 0 : lines[false] + lines[true];
	sums->operations.writebacks += written;
	sums->counts.bytes_to_below += written * cache_config(cache)->line_size;
}

/* Performs an operation on a line. */
static void
operate(struct cache *cache, enum cache_operation operation, uint64_t address,
	struct swept_cache *sums)
{
	struct cache_outcome outcome = {0};
	bool written = false;
	if (operation >= CACHE_CLEAN_ALL) {
		operate_all(cache, operation, sums);
		return;
	}
	if (operation == CACHE_PREFETCH && !cache_holds(cache, address)) {
		prefetch(cache, address, &sums->counts);
		sums->operations.prefetches++;
	} else if (operation == CACHE_CLEAN) {
		written = cache_clean(cache, address);
	} else if (operation != CACHE_PREFETCH) {
		cache_drop(cache, address, &outcome);
		written = outcome.dirty && operation != CACHE_INVALIDATE;
	}
	sums->operations.invalidations += outcome.hit;
	sums->operations.writebacks += written;
	sums->counts.bytes_to_below += written ? cache_config(cache)->line_size : 0;
}

/* Performs the operations of a step in a cache that is not opt. */
static void
run_operations(struct swept_cache *swept, const struct cache_batch *refs, bool counts)
{
	struct swept_cache uncounted = {0};
	for (size_t i = 0; i < refs->count; i++) {
		const enum cache_operation operation = (enum cache_operation)refs->kinds[i];
		operate(swept->cache, operation, refs->addresses[i],
			counts ? swept : &uncounted);
		if (swept->classes)
			operate(miss_classes_full(swept->classes), operation,
				refs->addresses[i], &uncounted);
	}
}

bool
swept_cache_run(struct cache_simulation *sim, struct swept_cache *swept,
	enum mem_refs_step kind, const struct access_log_step *step)
{
	size_t misses;
	if (kind == REFS_OPERATIONS) {
		run_operations(swept, &step->refs, step->counts);
		return true;
	}
	if (kind == REFS_DEMAND)
		return swept_cache_access(sim, swept, step);
	if (!access_lines(sim, swept, step, swept->missed, &misses))
		return false;
	if (step->counts)
		count_allocations(swept, &step->refs, misses);
	return true;
}
