/* SPDX-License-Identifier: MIT */
/* Many pipelines over the same instructions. */
#ifndef ANALYSIS_SIM_PIPELINE_SWEEP_H
#define ANALYSIS_SIM_PIPELINE_SWEEP_H

#include "analysis/sim/pipeline/pipeline.h"

#include "sim/pipeline/pipeline_simd.h"

enum { PIPELINE_SWEEP_MAX = 256, PIPELINE_SWEEP_KEYS = 8 };

/* A predictor and cache shared by pipelines. */
struct pipeline_sweep_front {
	struct pipeline_machine machine; /* of the first pipeline that shares it */
	struct pipeline_events events;	 /* counted */
};

/* A pipeline of the sweep. */
struct pipeline_sweep_config {
	struct pipeline_machine machine;
	uint64_t values[PIPELINE_SWEEP_KEYS]; /* values of the keys */
	uint32_t front;
	uint32_t group, lane; /* in order: the index of its cycles */
	bool is_elsewhere;    /* another process simulates it */
};

/* Counts of a pipeline. */
struct pipeline_sweep_counts {
	uint64_t cycles, mispredictions, misses;
};

/* In-order pipelines that run in SIMD lanes. */
struct pipeline_sweep_group {
	struct pipeline_inorder_config configs[PIPELINE_LANES];
	uint32_t front, count;
};

/* The configuration of a sweep, and its results; constant except the counts. */
struct pipeline_sweep {
	size_t keys[PIPELINE_SWEEP_KEYS]; /* indices of options, in the order of the text */
	size_t key_count;
	struct pipeline_sweep_config configs[PIPELINE_SWEEP_MAX];
	struct pipeline_sweep_front fronts[PIPELINE_SWEEP_MAX];
	struct pipeline_sweep_group groups[PIPELINE_SWEEP_MAX];
	uint64_t cycles[PIPELINE_SWEEP_MAX];			 /* of finished streams */
	struct pipeline_sweep_counts loaded[PIPELINE_SWEEP_MAX]; /* of pipelines elsewhere */
	size_t count, front_count, group_count;
	struct thread_pool *team; /* runs the pipelines of the current update; may be NULL */
};

/*
 * Parses lists of values by option, "width=1,2,4,size=32..256", and creates all their
 * combinations; the other options are values. POLY_ERR_USAGE, POLY_ERR_MEMORY. On POLY_OK the
 * caller frees *created with mem_free.
 */
enum poly_status pipeline_sweep_new(const char *text, const uint64_t *values,
	struct pipeline_sweep **created, struct poly_error *error);

/* Leaves those pipelines to another process that are marked is_elsewhere; before the first
 * stream. */
void pipeline_sweep_select(struct pipeline_sweep *sweep);

/* The pipelines of a context. */
struct pipeline_sweep_stream;

/* Creates them; NULL: out of memory. The sweep remains the caller's. */
struct pipeline_sweep_stream *pipeline_sweep_stream_new(struct pipeline_sweep *sweep);

/* Simulates the instructions of a buffer, before any predictor or cache; counts: whether
 * events count. */
void pipeline_sweep_stream_run(
	struct pipeline_sweep_stream *stream, struct pipeline_buffer *buffer, bool counts);

/* Starts counting cycles. */
void pipeline_sweep_stream_start_counting(struct pipeline_sweep_stream *stream);

/* Adds the cycles of each pipeline since the start of counting. */
void pipeline_sweep_stream_add(const struct pipeline_sweep_stream *stream, uint64_t *cycles);

/* Accepts NULL. */
void pipeline_sweep_stream_free(struct pipeline_sweep_stream *stream);

/* Returns the counts of a pipeline; cycles: those of all pipelines of this process. */
struct pipeline_sweep_counts pipeline_sweep_count(
	const struct pipeline_sweep *sweep, const uint64_t *cycles, size_t i);

/* Reports the pipelines with their cycles. */
void pipeline_sweep_report(const struct pipeline_sweep *sweep, const uint64_t *cycles,
	uint64_t instructions, struct poly_report *report);

#endif
