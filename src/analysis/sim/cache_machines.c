/* SPDX-License-Identifier: MIT */
/* Caches of a sweep that processes divide: those of other shares have counts alone. */
#include "analysis/sim/cache_sweep.h"

#include "analysis/facts/archive.h"
#include "base/mem.h"

#include <string.h>

/* Maximum variance of an estimate of misses. */
#define VARIANCE_MAX 1e36

void
swept_cache_close(struct swept_cache *swept)
{
	cache_free(swept->cache);
	belady_free(swept->opt);
	miss_classes_free(swept->classes);
	mem_free(swept->missed);
	swept->cache = NULL;
	swept->opt = NULL;
	swept->classes = NULL;
	swept->missed = NULL;
}

static size_t
count_caches(const void *state)
{
	const struct cache_simulation *sim = state;
	return sim->sweep.count;
}

/* Removes the line sizes of no cache, unless all of them share the memory. */
static void
remove_line_sizes(struct cache_simulation *sim)
{
	bool used[LINE_SIZES_SHIFTS] = {false};
	for (size_t i = 0; i < sim->sweep.count; i++)
		used[sim->caches[i].shift] |= sim->caches[i].cache != NULL;
	for (unsigned i = 0; i < LINE_SIZES_SHIFTS && !sim->sizes.tracked && !sim->sizes.logs;
		i++)
		if (!used[i])
			line_sizes_remove(&sim->sizes, i);
}

static bool
select_caches(void *state, const struct poly_share *share)
{
	struct cache_simulation *sim = state;
	for (size_t i = 0; i < sim->sweep.count; i++)
		if (!share_has(share, i))
			swept_cache_close(&sim->caches[i]);
	remove_line_sizes(sim);
	return true;
}

#define NUMBERS(archive, counts)                           \
	archive_numbers(archive, counts, sizeof(uint64_t), \
		sizeof *(counts) / sizeof(uint64_t), UINT64_MAX)

static void
transfer_causes(struct archive *archive, struct miss_class_counts *causes)
{
	uint64_t variance;
	ARCHIVE_ARRAY(archive, causes->all);
	ARCHIVE_ARRAY(archive, causes->first);
	memcpy(&variance, &causes->variance, sizeof variance);
	ARCHIVE(archive, variance);
	memcpy(&causes->variance, &variance, sizeof variance);
	archive_require(archive, causes->variance >= 0 && causes->variance <= VARIANCE_MAX);
}

static void
transfer_caches(void *state, const struct poly_share *share, struct archive *archive)
{
	struct cache_simulation *sim = state;
	for (size_t i = share->index; i < sim->sweep.count; i += share->count) {
		struct swept_cache *swept = &sim->caches[i];
		NUMBERS(archive, &swept->counts);
		NUMBERS(archive, &swept->operations);
		ARCHIVE(archive, swept->estimate.is_valid);
		ARCHIVE(archive, swept->estimate.misses_min);
		ARCHIVE(archive, swept->estimate.misses_max);
		transfer_causes(archive, &swept->causes);
	}
}

const struct analysis_machines cache_machines = {
	.count = count_caches,
	.select = select_caches,
	.transfer = transfer_caches,
};
