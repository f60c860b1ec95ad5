/* SPDX-License-Identifier: MIT */
/* A cache with Belady's replacement. Wide ones have a heap of frames, the furthest next use on
 * top. */
#include "sim/cache/belady.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/memory/lru_list.h"

struct belady_way {
	uint64_t line, next;
	bool held, dirty;
};

struct belady {
	struct cache_config config;
	struct cache_counts counts;
	unsigned line_shift;
	struct belady_way *ways; /* by set and way; of a wide cache, by frame */
	/* Of a wide cache: */
	struct lru_list frames;
	uint32_t *heap;	 /* frames in heap order: a parent's next use is not before its
			    children's */
	uint32_t *place; /* heap position of each frame */
};

enum poly_status
belady_new(const struct cache_config *config, struct belady **belady, struct poly_error *error)
{
	const struct cache_config plain = {
		.sets = config->sets, .ways = config->ways, .line_size = config->line_size};
	*belady = NULL;
	const enum poly_status status = cache_check(&plain, error);
	if (status != POLY_OK)
		return status;
	struct belady *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	created->config = plain;
	created->line_shift = (unsigned)__builtin_ctz(plain.line_size);
	created->ways = mem_new((size_t)(plain.sets * plain.ways), sizeof *created->ways);
	bool good = created->ways;
	if (good && plain.ways > CACHE_WAYS_MAX) {
		created->heap = mem_new(plain.ways, sizeof *created->heap);
		created->place = mem_new(plain.ways, sizeof *created->place);
		good = created->heap && created->place &&
		       lru_list_init(&created->frames, plain.ways);
	}
	if (!good) {
		belady_free(created);
		return err_memory(error);
	}
	*belady = created;
	return POLY_OK;
}

void
belady_free(struct belady *belady)
{
	if (!belady)
		return;
	lru_list_fini(&belady->frames);
	mem_free(belady->ways);
	mem_free(belady->heap);
	mem_free(belady->place);
	mem_free(belady);
}

/* Returns whether a frame is replaced before another. */
static bool
before(const struct belady *belady, uint32_t a, uint32_t b)
{
	const uint64_t x = belady->ways[a].next, y = belady->ways[b].next;
	return x > y || (x == y && a < b);
}

static void
stand(struct belady *belady, uint32_t at, uint32_t frame)
{
	belady->heap[at] = frame;
	belady->place[frame] = at;
}

/* Restores the heap order after a change of a frame's next use. */
static void
settle(struct belady *belady, uint32_t at)
{
	const uint32_t frame = belady->heap[at], held = belady->frames.held;
	for (; at && before(belady, frame, belady->heap[(at - 1) / 2]); at = (at - 1) / 2)
		stand(belady, at, belady->heap[(at - 1) / 2]);
	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child + 1 < held &&
			before(belady, belady->heap[child + 1], belady->heap[child]))
			child++;
		if (child >= held || !before(belady, belady->heap[child], frame))
			break;
		stand(belady, at, belady->heap[child]);
		at = child;
	}
	stand(belady, at, frame);
}

/* Uses a line, present or filled; the replaced entry goes to *old. */
static bool
use_wide(struct belady *belady, const struct belady_way *use, struct belady_way *old)
{
	struct lru_list *frames = &belady->frames;
	uint32_t frame = lru_list_find(frames, use->line);
	const bool held = frame != LRU_LIST_NONE;
	bool dirty = use->dirty;
	if (held) {
		dirty |= belady->ways[frame].dirty;
	} else if (frames->held < frames->capacity) {
		frame = lru_list_insert(frames, use->line);
		stand(belady, frame, frame);
	} else {
		frame = belady->heap[0];
		*old = belady->ways[frame];
		lru_list_replace(frames, frame, use->line);
	}
	belady->ways[frame] = *use;
	belady->ways[frame].dirty = dirty;
	settle(belady, belady->place[frame]);
	return held;
}

/* The same in a set: uses the way that holds the line, or is empty, or has the furthest next
 * use.
 */
static bool
use_set(struct belady *belady, const struct belady_way *use, struct belady_way *old)
{
	const uint32_t ways = belady->config.ways;
	struct belady_way *set = belady->ways + (use->line & (belady->config.sets - 1)) * ways;
	uint32_t furthest = 0;
	for (uint32_t way = 0; way < ways && set[way].held; way++) {
		if (set[way].line == use->line) {
			set[way].next = use->next;
			set[way].dirty |= use->dirty;
			return true;
		}
		if (set[way].next > set[furthest].next)
			furthest = way;
	}
	for (uint32_t way = 0; way < ways; way++)
		if (!set[way].held) {
			set[way] = *use;
			return false;
		}
	*old = set[furthest];
	set[furthest] = *use;
	return false;
}

size_t
belady_run(struct belady *belady, const struct cache_batch *batch, const uint64_t *next,
	uint32_t *missed)
{
	struct cache_counts *counts = &belady->counts;
	const bool wide = belady->config.ways > CACHE_WAYS_MAX;
	size_t misses = 0;
	for (size_t i = 0; i < batch->count; i++) {
		const uint8_t kind = batch->kinds[i];
		const struct belady_way use = {batch->addresses[i] >> belady->line_shift,
			next[i], true, kind == CACHE_WRITE};
		struct belady_way old = {0};
		counts->accesses[kind]++;
		if (wide ? use_wide(belady, &use, &old) : use_set(belady, &use, &old))
			continue;
		counts->misses[kind]++;
		counts->dirty_misses[kind] += old.dirty;
		counts->evictions += old.held;
		if (missed)
			missed[misses] = (uint32_t)i;
		misses++;
	}
	return misses;
}

void
belady_count(const struct belady *belady, struct cache_counts *counts)
{
	*counts = belady->counts;
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		counts->fills += counts->misses[kind];
		counts->dirty_evictions += counts->dirty_misses[kind];
	}
	counts->bytes_from_below = counts->fills * belady->config.line_size;
	counts->bytes_to_below = counts->dirty_evictions * belady->config.line_size;
}
