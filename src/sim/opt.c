/* SPDX-License-Identifier: MIT */
/* The cache that knows what comes. Wide ones have a heap of frames, the furthest on top. */
#include "sim/opt.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/frames.h"

struct opt_way {
	uint64_t line, next;
	bool held, dirty;
};

struct opt {
	struct cache_config config;
	struct cache_counts counts;
	unsigned line_shift;
	struct opt_way *ways; /* of each set, side by side; of a wide one, by frame */
	/* Of a wide one: */
	struct frames frames;
	uint32_t *heap;	 /* frames: none is used further ahead than the one above it */
	uint32_t *place; /* of each frame in the heap */
};

enum poly_status
opt_cache_new(const struct cache_config *config, struct opt **opt, struct poly_error *error)
{
	const struct cache_config plain = {
		.sets = config->sets, .ways = config->ways, .line_size = config->line_size};
	*opt = NULL;
	const enum poly_status status = cache_check(&plain, error);
	if (status != POLY_OK)
		return status;
	struct opt *made = mem_new(1, sizeof *made);
	if (!made)
		return err_memory(error);
	made->config = plain;
	made->line_shift = (unsigned)__builtin_ctz(plain.line_size);
	made->ways = mem_new((size_t)(plain.sets * plain.ways), sizeof *made->ways);
	bool good = made->ways;
	if (good && plain.ways > CACHE_WAYS_MOST) {
		made->heap = mem_new(plain.ways, sizeof *made->heap);
		made->place = mem_new(plain.ways, sizeof *made->place);
		good = made->heap && made->place && frames_init(&made->frames, plain.ways);
	}
	if (!good) {
		opt_cache_free(made);
		return err_memory(error);
	}
	*opt = made;
	return POLY_OK;
}

void
opt_cache_free(struct opt *opt)
{
	if (!opt)
		return;
	frames_fini(&opt->frames);
	mem_free(opt->ways);
	mem_free(opt->heap);
	mem_free(opt->place);
	mem_free(opt);
}

/* Whether a frame is to be replaced before another. */
static bool
before(const struct opt *opt, uint32_t a, uint32_t b)
{
	const uint64_t x = opt->ways[a].next, y = opt->ways[b].next;
	return x > y || (x == y && a < b);
}

static void
stand(struct opt *opt, uint32_t at, uint32_t frame)
{
	opt->heap[at] = frame;
	opt->place[frame] = at;
}

/* Moves a frame whose next use has changed to its place. */
static void
settle(struct opt *opt, uint32_t at)
{
	const uint32_t frame = opt->heap[at], held = opt->frames.held;
	for (; at && before(opt, frame, opt->heap[(at - 1) / 2]); at = (at - 1) / 2)
		stand(opt, at, opt->heap[(at - 1) / 2]);
	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child + 1 < held && before(opt, opt->heap[child + 1], opt->heap[child]))
			child++;
		if (child >= held || !before(opt, opt->heap[child], frame))
			break;
		stand(opt, at, opt->heap[child]);
		at = child;
	}
	stand(opt, at, frame);
}

/* Uses a line, found in the frames or brought; what was replaced goes to *old. */
static bool
use_wide(struct opt *opt, const struct opt_way *use, struct opt_way *old)
{
	struct frames *frames = &opt->frames;
	uint32_t frame = frames_find(frames, use->line);
	const bool held = frame != FRAMES_NONE;
	bool dirty = use->dirty;
	if (held) {
		dirty |= opt->ways[frame].dirty;
	} else if (frames->held < frames->capacity) {
		frame = frames_put(frames, use->line);
		stand(opt, frame, frame);
	} else {
		frame = opt->heap[0];
		*old = opt->ways[frame];
		frames_replace(frames, frame, use->line);
	}
	opt->ways[frame] = *use;
	opt->ways[frame].dirty = dirty;
	settle(opt, opt->place[frame]);
	return held;
}

/* The same in a set: the way that holds the line, or is empty, or is used the furthest ahead.
 */
static bool
use_set(struct opt *opt, const struct opt_way *use, struct opt_way *old)
{
	const uint32_t ways = opt->config.ways;
	struct opt_way *set = opt->ways + (use->line & (opt->config.sets - 1)) * ways;
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
opt_cache_run(struct opt *opt, const struct cache_batch *batch, const uint64_t *next,
	uint32_t *missed)
{
	struct cache_counts *counts = &opt->counts;
	const bool wide = opt->config.ways > CACHE_WAYS_MOST;
	size_t misses = 0;
	for (size_t i = 0; i < batch->count; i++) {
		const uint8_t kind = batch->kinds[i];
		const struct opt_way use = {batch->addresses[i] >> opt->line_shift, next[i],
			true, kind == CACHE_WRITE};
		struct opt_way old = {0};
		counts->accesses[kind]++;
		if (wide ? use_wide(opt, &use, &old) : use_set(opt, &use, &old))
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
opt_cache_count(const struct opt *opt, struct cache_counts *counts)
{
	*counts = opt->counts;
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		counts->fills += counts->misses[kind];
		counts->dirty_evictions += counts->dirty_misses[kind];
	}
	counts->bytes_from_below = counts->fills * opt->config.line_size;
	counts->bytes_to_below = counts->dirty_evictions * opt->config.line_size;
}
