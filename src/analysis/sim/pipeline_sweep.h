/* SPDX-License-Identifier: MIT */
/* Many pipelines over the same instructions. */
#ifndef ANALYSIS_SIM_PIPELINE_SWEEP_H
#define ANALYSIS_SIM_PIPELINE_SWEEP_H

#include "analysis/sim/pipeline.h"

#include "sim/pipeline_simd.h"

enum { PIPELINE_SWEEP_MOST = 256, PIPELINE_SWEEP_KEYS = 8 };

/* What pipelines have in common before the instructions come to them. */
struct pipeline_sweep_front {
	struct pipeline_machine machine; /* the first one that has it */
	struct pipeline_met met;	 /* of what counts */
};

/* A pipeline of the sweep. */
struct pipeline_sweep_config {
	struct pipeline_machine machine;
	uint64_t chosen[PIPELINE_SWEEP_KEYS]; /* values of the keys */
	uint32_t front;
	uint32_t group, lane; /* in order: where its cycles are */
};

/* Pipelines in order that run in lanes. */
struct pipeline_sweep_group {
	struct pipeline_inorder_config members[PIPELINE_LANES];
	uint32_t front, count;
};

/* What is asked for, and what came of it; fixed but for the counts. */
struct pipeline_sweep {
	size_t keys[PIPELINE_SWEEP_KEYS]; /* places in the options, in the order given */
	size_t key_count;
	struct pipeline_sweep_config configs[PIPELINE_SWEEP_MOST];
	struct pipeline_sweep_front fronts[PIPELINE_SWEEP_MOST];
	struct pipeline_sweep_group groups[PIPELINE_SWEEP_MOST];
	uint64_t cycles[PIPELINE_SWEEP_MOST]; /* of what has ended */
	size_t count, front_count, group_count;
	struct thread_pool
		*team; /* shares out the pipelines of the update under way; may be NULL */
};

/*
 * Takes lists of values by option, "width=1,2,4,size=32..256", and all their combinations; the
 * other options are as values. error: POLY_ERR_USAGE, or POLY_ERR_MEMORY. On POLY_OK *made is
 * to be freed by mem_free.
 */
enum poly_status pipeline_sweep_new(const char *text, const uint64_t *values,
	struct pipeline_sweep **made, struct poly_error *error);

/* The pipelines of a context. */
struct pipeline_sweep_stream;

/* At their beginning; NULL: no memory. The sweep stays the caller's. */
struct pipeline_sweep_stream *pipeline_sweep_stream_new(struct pipeline_sweep *sweep);

/* Runs the instructions of a buffer, which no predictor or cache has seen; counts: whether what
 * is met is counted. */
void pipeline_sweep_stream_run(
	struct pipeline_sweep_stream *stream, struct pipeline_buffer *buffer, bool counts);

/* The cycles that count from now on are those behind the present ones. */
void pipeline_sweep_stream_mark(struct pipeline_sweep_stream *stream);

/* Adds the cycles of each pipeline since then. */
void pipeline_sweep_stream_add(const struct pipeline_sweep_stream *stream, uint64_t *cycles);

/* Accepts NULL. */
void pipeline_sweep_stream_free(struct pipeline_sweep_stream *stream);

/* A table of what came of it, cycles included. */
void pipeline_sweep_report(const struct pipeline_sweep *sweep, const uint64_t *cycles,
	uint64_t instructions, struct poly_report *report);

#endif
