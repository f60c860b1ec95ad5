/* SPDX-License-Identifier: MIT */
/* Page replacement: clock is implemented here, the others are fully associative caches of
 * pages. */
#include "sim/memory/paging.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/memory/lru_list.h"
#include "sim/cache/belady.h"

struct paging {
	enum paging_policy policy;
	struct cache *cache; /* fifo, lru */
	struct belady *opt;
	/* The clock: */
	struct lru_list frames;
	uint8_t *used, *dirty; /* of frames */
	uint32_t hand;
	unsigned page_shift;
	struct paging_counts counts;
};

static enum poly_status
open_machine(struct paging *paging, const struct paging_config *config,
	const struct cache_config *as_cache, struct poly_error *error)
{
	if (config->policy == PAGING_OPT)
		return belady_new(as_cache, &paging->opt, error);
	if (config->policy != PAGING_CLOCK)
		return cache_new(as_cache, &paging->cache, error);
	paging->page_shift = (unsigned)__builtin_ctz(config->page_size);
	paging->used = mem_new(config->frames, 1);
	paging->dirty = mem_new(config->frames, 1);
	if (!paging->used || !paging->dirty || !lru_list_init(&paging->frames, config->frames))
		return err_memory(error);
	return POLY_OK;
}

enum poly_status
paging_new(const struct paging_config *config, struct paging **paging, struct poly_error *error)
{
	const struct cache_config as_cache = {.sets = 1,
		.ways = config->frames,
		.line_size = config->page_size,
		.policy = config->policy == PAGING_FIFO ? CACHE_FIFO : CACHE_LRU};
	*paging = NULL;
	if ((unsigned)config->policy >= PAGING_POLICIES)
		return err_usage(error, "unknown page replacement %d", (int)config->policy);
	enum poly_status status = cache_check_line("pages", config->page_size, error);
	if (status == POLY_OK)
		status = cache_check(&as_cache, error);
	if (status != POLY_OK)
		return status;
	struct paging *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	created->policy = config->policy;
	status = open_machine(created, config, &as_cache, error);
	if (status != POLY_OK) {
		paging_free(created);
		return status;
	}
	*paging = created;
	return POLY_OK;
}

void
paging_free(struct paging *paging)
{
	if (!paging)
		return;
	cache_free(paging->cache);
	belady_free(paging->opt);
	lru_list_fini(&paging->frames);
	mem_free(paging->used);
	mem_free(paging->dirty);
	mem_free(paging);
}

/* Returns the frame for a new page. */
static uint32_t
take_frame(struct paging *paging, uint64_t page)
{
	struct lru_list *frames = &paging->frames;
	if (frames->held < frames->capacity)
		return lru_list_insert(frames, page);
	while (paging->used[paging->hand]) {
		paging->used[paging->hand] = 0;
		paging->hand = paging->hand + 1 == frames->capacity ? 0 : paging->hand + 1;
	}
	const uint32_t frame = paging->hand;
	paging->hand = frame + 1 == frames->capacity ? 0 : frame + 1;
	paging->counts.written += paging->dirty[frame];
	paging->dirty[frame] = 0;
	lru_list_replace(frames, frame, page);
	return frame;
}

static size_t
run_clock(struct paging *paging, const struct cache_batch *batch, uint32_t *missed)
{
	size_t faults = 0;
	for (size_t i = 0; i < batch->count; i++) {
		const uint64_t page = batch->addresses[i] >> paging->page_shift;
		uint32_t frame = lru_list_find(&paging->frames, page);
		if (frame == LRU_LIST_NONE) {
			frame = take_frame(paging, page);
			if (missed)
				missed[faults] = (uint32_t)i;
			faults++;
		}
		paging->used[frame] = 1;
		paging->dirty[frame] |= batch->kinds[i] == CACHE_WRITE;
	}
	paging->counts.accesses += batch->count;
	paging->counts.faults += faults;
	return faults;
}

size_t
paging_run(struct paging *paging, const struct cache_batch *batch, const uint64_t *next,
	uint32_t *missed)
{
	if (paging->policy == PAGING_OPT)
		return belady_run(paging->opt, batch, next, missed);
	if (paging->policy != PAGING_CLOCK)
		return cache_run(paging->cache, batch, missed);
	return run_clock(paging, batch, missed);
}

void
paging_count(const struct paging *paging, struct paging_counts *counts)
{
	struct cache_counts all;
	*counts = paging->counts;
	if (paging->policy == PAGING_CLOCK)
		return;
	if (paging->policy == PAGING_OPT)
		belady_count(paging->opt, &all);
	else
		cache_count(paging->cache, &all);
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		counts->accesses += all.accesses[kind];
		counts->faults += all.misses[kind];
	}
	counts->written = all.dirty_evictions;
}
