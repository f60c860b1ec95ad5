/* SPDX-License-Identifier: MIT */
/*
 * In order, a micro-op issues at the latest of the cycles in which the one before it issued and
 * in which its registers are ready.
 *
 * What is kept of a register is one number: the cycle in which it is ready, then why it is so
 * late. The greatest of several is the one that is waited for longest, and says why.
 */
#include "sim/pipeline.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* Cycles count from the start of a stretch, so that they fit half of such a number. */
enum { STRETCH = 4096, READY_SHIFT = 32, EXTRA_SHIFT = 8 };

struct pipeline_inorder {
	struct pipeline_inorder_config config;
	uint64_t ops, start; /* micro-ops; the cycle that the stretch counts from */
	int64_t now;	     /* nothing more issues before this cycle */
	int64_t end;	     /* the cycle behind the last one that issued */
	unsigned issued;     /* micro-ops that issued in the cycle now */
	uint64_t parts[PIPELINE_PARTS];
	uint64_t ready[PIPELINE_REGISTERS + 1];
};

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
	pipeline->config = *config;
	return pipeline;
}

static inline uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The cycle that the order of writes asks for; may be negative. */
static inline int64_t
order_of(const struct pipeline_inorder *pipeline, const struct pipeline_op *op, int64_t latency)
{
	const uint64_t key =
		later(pipeline->ready[op->dests[0]], pipeline->ready[op->dests[1]]);
	const int64_t written = (int64_t)(key >> READY_SHIFT);
	switch (pipeline->config.order) {
	case PIPELINE_ORDER_FREE: break;
	case PIPELINE_ORDER_LATENCY: return written - latency + 1;
	case PIPELINE_ORDER_ALL: return written;
	}
	return 0;
}

/* Says where the cycles between the last that issued something and this one went. */
static void
explain(struct pipeline_inorder *pipeline, int64_t issued, uint64_t key, int64_t order)
{
	int64_t from = pipeline->end;
	if (pipeline->now > from) {
		pipeline->parts[PIPELINE_BRANCH] += (uint64_t)(pipeline->now - from);
		from = pipeline->now;
	}
	uint64_t left = (uint64_t)(issued - from);
	if (order > (int64_t)(key >> READY_SHIFT)) {
		pipeline->parts[PIPELINE_ORDER] += left;
		return;
	}
	const enum pipeline_part part = (enum pipeline_part)(key & 0xff);
	uint64_t extra = key >> EXTRA_SHIFT & 0xffff;
	if (part != PIPELINE_LOAD)
		extra = 0;
	extra = extra < left ? extra : left;
	pipeline->parts[PIPELINE_MISS] += extra;
	pipeline->parts[part] += left - extra;
}

/* Counts cycles from now on, so that they stay small. */
static void
start_stretch(struct pipeline_inorder *pipeline)
{
	const uint64_t now = (uint64_t)pipeline->now;
	for (size_t i = 0; i <= PIPELINE_REGISTERS; i++) {
		uint64_t *ready = &pipeline->ready[i];
		*ready = *ready >> READY_SHIFT > now ? *ready - (now << READY_SHIFT) : 0;
	}
	pipeline->start += now;
	pipeline->end -= pipeline->now;
	pipeline->now = 0;
}

/* The cycles of a micro-op behind its issue. */
static inline uint64_t
latency_of(const unsigned *latency, const struct pipeline_op *op)
{
	const unsigned extra =
		op->extra < PIPELINE_LATENCY_MOST ? op->extra : PIPELINE_LATENCY_MOST;
	return latency[op->flags & PIPELINE_CLASS] + extra;
}

/* Issues a micro-op; returns the cycle. */
static inline uint64_t
issue(struct pipeline_inorder *pipeline, const struct pipeline_op *op)
{
	const struct pipeline_inorder_config *config = &pipeline->config;
	uint64_t *ready = pipeline->ready;
	const uint64_t latency = latency_of(config->latency, op);
	const uint64_t key = later(
		later(ready[op->sources[0]], ready[op->sources[1]]), ready[op->sources[2]]);
	int64_t at = (int64_t)(key >> READY_SHIFT);
	int64_t order = 0;
	if (config->order) {
		order = order_of(pipeline, op, (int64_t)latency);
		at = order > at ? order : at;
	}
	at = at > pipeline->now ? at : pipeline->now;
	if (at > pipeline->end)
		explain(pipeline, at, key, order);
	pipeline->parts[PIPELINE_BUSY] += at >= pipeline->end;
	pipeline->issued = at > pipeline->now ? 1 : pipeline->issued + 1;
	pipeline->end = at + 1;
	const bool load = (op->flags & PIPELINE_CLASS) == PIPELINE_LOADS;
	const uint64_t result = ((uint64_t)at + latency) << READY_SHIFT |
				(uint64_t)op->extra << EXTRA_SHIFT |
				(load ? PIPELINE_LOAD : PIPELINE_EXECUTE);
	ready[op->dests[0]] = ready[op->dests[1]] = result;
	ready[PIPELINE_NONE] = 0;
	bool full = pipeline->issued == config->width ||
		    (config->taken_ends && op->flags & PIPELINE_TAKEN);
	int64_t next = full;
	if (op->flags & PIPELINE_MISPREDICTED && config->penalty)
		next = config->penalty;
	pipeline->now = at + next;
	pipeline->issued = next ? 0 : pipeline->issued;
	return (uint64_t)at;
}

void
pipeline_inorder_run(struct pipeline_inorder *pipeline, const struct pipeline_op *ops, size_t n,
	struct pipeline_times *times)
{
	for (size_t done = 0; done < n;) {
		const size_t more = n - done < STRETCH ? n - done : STRETCH;
		start_stretch(pipeline);
		for (size_t i = done; i < done + more; i++) {
			const uint64_t at = pipeline->start + issue(pipeline, &ops[i]);
			if (!times)
				continue;
			const uint64_t end = at + latency_of(pipeline->config.latency, &ops[i]);
			times[i] = (struct pipeline_times){at, at, end, end};
		}
		done += more;
	}
	pipeline->ops += n;
}

void
pipeline_inorder_result(const struct pipeline_inorder *pipeline, struct pipeline_result *result)
{
	*result = (struct pipeline_result){
		.ops = pipeline->ops, .cycles = pipeline->start + (uint64_t)pipeline->end};
	memcpy(result->parts, pipeline->parts, sizeof result->parts);
}

void
pipeline_inorder_free(struct pipeline_inorder *pipeline)
{
	mem_free(pipeline);
}
