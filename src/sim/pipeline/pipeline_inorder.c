/* SPDX-License-Identifier: MIT */
/*
 * In order, a micro-op issues in the latest of the slots after its predecessor's and those in
 * which its registers are ready. A slot is a cycle with the position within it in the low
 * bits: these are all ones for the last one that fits, so that the next slot is in the next
 * cycle.
 *
 * A register is one number: the first slot of the cycle in which it is ready, then the cause
 * of the delay. The maximum of several is the last one ready, with its cause. The maximum, and
 * whether a cycle is full, cannot be predicted, so the code does not branch on them.
 */
#include "sim/pipeline/pipeline.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * Cycles count from the start of a run, and the longest run is 4096 times the maximum cycles
 * of a micro-op, thrice PIPELINE_LATENCY_MAX: below 2 to the 26th.
 */
enum { RUN_LENGTH = 4096, ROOM_BITS = 6, PLACE_SHIFT = 32, EXTRA_SHIFT = 8, TRACK_BITS = 20 };

#define ROOM ((1u << ROOM_BITS) - 1)
#define CYCLE ((uint64_t)1 << (PLACE_SHIFT + ROOM_BITS))

/*
 * For cycles alone, a micro-op occupies a fraction of a cycle on a track: the length of a
 * cycle divided by the width, rounded up, so that the last one that fits ends in the next
 * cycle. Rounding shifts consecutive micro-ops by less than one unit each, RUN_LENGTH in
 * total, and a fraction is far longer than that.
 */
#define TRACK_CYCLE ((uint64_t)1 << TRACK_BITS)
#define TRACK_ENDS 4 /* flags that end a cycle */

struct track {
	uint64_t part;			    /* of a micro-op */
	uint64_t latency[PIPELINE_CLASSES]; /* in units of the track */
	/* By track_end: delay of the next issue, and the mask of the bits kept. */
	uint64_t step[TRACK_ENDS], kept[TRACK_ENDS];
	uint64_t at; /* nothing more issues before it */
	uint64_t ready[PIPELINE_REGISTERS + 1];
};

/* Position of the pipeline. */
struct position {
	uint32_t place;	     /* nothing more issues before it */
	uint32_t attributed; /* cycles before this one are attributed */
	int64_t last;	     /* the last cycle with an issue; -1: none yet */
};

/* Configuration that is needed for every micro-op. */
struct rules {
	uint32_t start;			    /* low bits of the first slot in a cycle */
	unsigned ends, stalls;		    /* flags: the cycle ends; the penalty applies */
	unsigned penalty;		    /* cycles */
	uint64_t latency[PIPELINE_CLASSES]; /* added to the result's slot */
	uint64_t extra[PIPELINE_CLASSES];   /* and added for each extra cycle */
};

struct pipeline_inorder {
	enum pipeline_order order;
	bool cycles_only;
	struct rules rules;
	uint64_t ops, start; /* micro-ops; the cycle from which the run counts */
	struct position at;
	uint64_t missed; /* extra cycles of waiting for loads */
	uint64_t parts[PIPELINE_PARTS];
	uint64_t ready[PIPELINE_REGISTERS + 1];
	struct track track;
};

static struct rules
rules_of(const struct pipeline_inorder_config *config)
{
	struct rules rules = {.start = ROOM + 1 - config->width,
		.ends = config->taken_ends ? PIPELINE_TAKEN : 0,
		.stalls = config->penalty ? PIPELINE_MISPREDICTED : 0,
		.penalty = config->penalty};
	for (size_t i = 0; i < PIPELINE_CLASSES; i++) {
		const bool load = i == PIPELINE_LOADS;
		rules.latency[i] = CYCLE * config->latency[i] |
				   (uint64_t)rules.start << PLACE_SHIFT |
				   (load ? PIPELINE_LOAD : PIPELINE_EXECUTE);
		rules.extra[i] = CYCLE | (uint64_t)load << EXTRA_SHIFT;
	}
	return rules;
}

/* Returns the effect of a micro-op on the end of its cycle. */
static inline unsigned
track_end(const struct pipeline_op *op)
{
	return op->flags / PIPELINE_TAKEN % TRACK_ENDS;
}

static struct track
track_of(const struct pipeline_inorder_config *config)
{
	struct track track = {.part = (TRACK_CYCLE + config->width - 1) / config->width};
	for (size_t i = 0; i < PIPELINE_CLASSES; i++)
		track.latency[i] = config->latency[i] * TRACK_CYCLE;
	for (unsigned end = 0; end < TRACK_ENDS; end++) {
		const unsigned flags = end * PIPELINE_TAKEN;
		const bool stalls = flags & PIPELINE_MISPREDICTED && config->penalty;
		const bool ends = flags & PIPELINE_TAKEN && config->taken_ends;
		track.step[end] = stalls ? config->penalty * TRACK_CYCLE
				  : ends ? TRACK_CYCLE
					 : track.part;
		track.kept[end] = stalls || ends ? ~(TRACK_CYCLE - 1) : ~(uint64_t)0;
	}
	return track;
}

struct pipeline_inorder *
pipeline_inorder_new(const struct pipeline_inorder_config *config, struct poly_error *error)
{
	if (pipeline_inorder_sound(config, error) != POLY_OK)
		return NULL;
	struct pipeline_inorder *pipeline = mem_new(1, sizeof *pipeline);
	if (!pipeline) {
		err_memory(error);
		return NULL;
	}
	pipeline->order = config->order;
	pipeline->cycles_only = config->cycles_only;
	pipeline->rules = rules_of(config);
	pipeline->track = track_of(config);
	pipeline->at = (struct position){.place = pipeline->rules.start, .last = -1};
	return pipeline;
}

static inline uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Returns the constraint of the order of writes, encoded like a register; a source that is
 * equally late is the greater number.
 */
static inline uint64_t
order_of(const uint64_t *ready, const struct pipeline_op *op, uint64_t latency,
	enum pipeline_order order)
{
	const uint64_t places = ~(uint64_t)0 << PLACE_SHIFT;
	const uint64_t written = later(ready[op->dests[0]], ready[op->dests[1]]) & places;
	const uint64_t cycles = latency & ~(CYCLE - 1);
	switch (order) {
	case PIPELINE_ORDER_FREE: break;
	case PIPELINE_ORDER_LATENCY:
		return (later(written + CYCLE, cycles) - cycles) | PIPELINE_ORDER;
	case PIPELINE_ORDER_ALL: return written | PIPELINE_ORDER;
	}
	return 0;
}

/*
 * Attributes the cycles since the last issue, mostly none; to may be the cycle before from.
 * Returns the number of extra cycles of a load among them.
 */
static inline uint64_t
explain(uint64_t *parts, uint32_t from, uint32_t to, uint64_t key)
{
	const uint32_t left = to - from + (to < from);
	const uint32_t extra = key >> EXTRA_SHIFT & 0xffff;
	parts[key & 0xff] += left;
	return extra < left ? extra : left;
}

/* Returns the next slot, in the next cycle if this one is full or ended. */
static inline uint32_t
next_slot(uint32_t place, bool ended, uint32_t start)
{
	const uint32_t next = (place | (ROOM & (0u - ended))) + 1;
	const uint32_t first = (next & ~ROOM) | start;
	return next > first ? next : first;
}

/* Rebases the cycles, so that they stay small. */
static void
start_run(struct pipeline_inorder *pipeline)
{
	struct position *at = &pipeline->at;
	const uint32_t now = at->place >> ROOM_BITS;
	for (size_t i = 0; i < PIPELINE_REGISTERS; i++) {
		uint64_t *ready = &pipeline->ready[i];
		*ready = *ready / CYCLE > now ? *ready - now * CYCLE : 0;
	}
	pipeline->start += now;
	at->last -= now;
	at->attributed -= now;
	at->place &= ROOM;
}

/* Rebases to the cycle of the track, and removes the rounding. */
static void
start_track(struct pipeline_inorder *pipeline)
{
	struct track *track = &pipeline->track;
	const uint64_t now = track->at & ~(TRACK_CYCLE - 1);
	for (size_t i = 0; i < PIPELINE_REGISTERS; i++)
		track->ready[i] -= track->ready[i] > now ? now : track->ready[i];
	pipeline->start += now / TRACK_CYCLE;
	pipeline->at.last -= (int64_t)(now / TRACK_CYCLE);
	track->at = (track->at - now) / track->part * track->part;
}

/* Returns the constraint of the order of writes, on the track. */
static inline uint64_t
order_of_track(const uint64_t *ready, const struct pipeline_op *op, uint64_t latency,
	enum pipeline_order order)
{
	const uint64_t written = later(ready[op->dests[0]], ready[op->dests[1]]);
	switch (order) {
	case PIPELINE_ORDER_FREE: break;
	case PIPELINE_ORDER_LATENCY: return later(written + TRACK_CYCLE, latency) - latency;
	case PIPELINE_ORDER_ALL: return written;
	}
	return 0;
}

/*
 * Computes the cycles alone. The dependence of each micro-op on its predecessor is three
 * operations long. run_with_stack is the oracle of the tests.
 */
static inline __attribute__((always_inline)) void
run_track(struct pipeline_inorder *pipeline, const struct pipeline_op *ops, size_t n,
	enum pipeline_order order)
{
	struct track *track = &pipeline->track;
	uint64_t *ready = track->ready, at = track->at, place = at;
	for (size_t i = 0; i < n; i++) {
		const struct pipeline_op op = ops[i];
		const unsigned end = track_end(&op);
		const uint64_t latency = track->latency[op.flags & PIPELINE_CLASS] +
					 (op.extra & PIPELINE_LATENCY_MAX) * TRACK_CYCLE;
		uint64_t need = later(ready[op.sources[0]], ready[op.sources[1]]);
		need = later(need, ready[op.sources[2]]);
		need = later(need, order_of_track(ready, &op, latency, order));
		place = later(need, at);
		at = (place + track->step[end]) & track->kept[end];
		ready[op.dests[0]] = ready[op.dests[1]] =
			(place & ~(TRACK_CYCLE - 1)) + latency;
		ready[PIPELINE_NONE] = 0;
	}
	track->at = at;
	pipeline->at.last = (int64_t)(place / TRACK_CYCLE);
}

static inline __attribute__((always_inline)) void
run_with_stack(struct pipeline_inorder *pipeline, const struct pipeline_op *ops, size_t n,
	struct pipeline_times *times, enum pipeline_order order)
{
	const struct rules rules = pipeline->rules;
	struct position at = pipeline->at;
	uint64_t *ready = pipeline->ready, missed = 0;
	for (const struct pipeline_op *op = ops; op < ops + n; op++) {
		const unsigned class = op->flags & PIPELINE_CLASS;
		const uint64_t latency =
			rules.latency[class] +
			(op->extra & PIPELINE_LATENCY_MAX) * rules.extra[class];
		uint64_t key = later(ready[op->sources[0]], ready[op->sources[1]]);
		key = later(key, ready[op->sources[2]]);
		key = later(key, order_of(ready, op, latency, order));
		const uint32_t need = (uint32_t)(key >> PLACE_SHIFT);
		const uint32_t place = need > at.place ? need : at.place;
		const uint32_t cycle = place >> ROOM_BITS;
		missed += explain(pipeline->parts, at.attributed, cycle, key);
		ready[op->dests[0]] = ready[op->dests[1]] = cycle * CYCLE + latency;
		ready[PIPELINE_NONE] = 0;
		at.place = next_slot(place, op->flags & rules.ends, rules.start);
		at.last = cycle;
		at.attributed = cycle + 1;
		if (op->flags & rules.stalls) {
			at.attributed = cycle + rules.penalty;
			at.place = at.attributed << ROOM_BITS | rules.start;
			pipeline->parts[PIPELINE_BRANCH] += rules.penalty - 1;
		}
		if (times) {
			const uint64_t then = pipeline->start + cycle;
			const uint64_t done = then + latency / CYCLE;
			times[op - ops] = (struct pipeline_times){then, then, done, done};
		}
	}
	pipeline->at = at;
	pipeline->missed += missed;
}

static inline __attribute__((always_inline)) void
run_order(struct pipeline_inorder *pipeline, const struct pipeline_op *ops, size_t n,
	struct pipeline_times *times, enum pipeline_order order)
{
	if (pipeline->cycles_only)
		run_track(pipeline, ops, n, order);
	else
		run_with_stack(pipeline, ops, n, times, order);
}

static void
run_rule(struct pipeline_inorder *pipeline, const struct pipeline_op *ops, size_t n,
	struct pipeline_times *times)
{
	switch (pipeline->order) {
	case PIPELINE_ORDER_FREE:
		run_order(pipeline, ops, n, times, PIPELINE_ORDER_FREE);
		break;
	case PIPELINE_ORDER_LATENCY:
		run_order(pipeline, ops, n, times, PIPELINE_ORDER_LATENCY);
		break;
	case PIPELINE_ORDER_ALL: run_order(pipeline, ops, n, times, PIPELINE_ORDER_ALL); break;
	}
}

void
pipeline_inorder_run(struct pipeline_inorder *pipeline, const struct pipeline_op *ops, size_t n,
	struct pipeline_times *times)
{
	for (size_t done = 0; done < n;) {
		const size_t more = n - done < RUN_LENGTH ? n - done : RUN_LENGTH;
		if (pipeline->cycles_only)
			start_track(pipeline);
		else
			start_run(pipeline);
		run_rule(pipeline, ops + done, more, times ? times + done : NULL);
		done += more;
	}
	pipeline->ops += n;
}

void
pipeline_inorder_result(const struct pipeline_inorder *pipeline, struct pipeline_result *result)
{
	const struct position *at = &pipeline->at;
	const int64_t end = at->last + 1;
	*result = (struct pipeline_result){
		.ops = pipeline->ops, .cycles = pipeline->start + (uint64_t)end};
	if (pipeline->cycles_only)
		return;
	memcpy(result->parts, pipeline->parts, sizeof result->parts);
	/* Cycles after the last micro-op do not count, even if it was a mispredicted branch. */
	if (at->attributed > end)
		result->parts[PIPELINE_BRANCH] -= (uint64_t)(at->attributed - end);
	result->parts[PIPELINE_LOAD] -= pipeline->missed;
	result->parts[PIPELINE_MISS] = pipeline->missed;
	result->parts[PIPELINE_BUSY] = result->cycles;
	for (size_t i = PIPELINE_BUSY + 1; i < PIPELINE_PARTS; i++)
		result->parts[PIPELINE_BUSY] -= result->parts[i];
}

void
pipeline_inorder_free(struct pipeline_inorder *pipeline)
{
	mem_free(pipeline);
}
