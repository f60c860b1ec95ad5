/* SPDX-License-Identifier: MIT */
/*
 * Cycles of pipelines by the address of the instruction to which they are attributed, and by
 * component of the CPI stack: to the micro-operation that issued (in order) or committed (out
 * of order) next, except that penalties belong to the mispredicted branch.
 */
#ifndef ANALYSIS_SIM_PIPELINE_STALLS_H
#define ANALYSIS_SIM_PIPELINE_STALLS_H

#include "analysis/sim/pipeline/pipeline.h"

#include "sim/memory/dense_index.h"

/* Maximum number of different addresses: 160 bytes each. */
#define PIPELINE_STALLS_MAX ((uint32_t)1 << 20)

/* An instruction and its cycles. */
struct pipeline_stalled {
	uint64_t pc;
	uint64_t executions;
	uint64_t parts[PIPELINE_PARTS];
	uint32_t site;
};

struct pipeline_stalls {
	uint64_t top; /* rows of the table */
	struct dense_index dense;
	struct pipeline_stalled *list; /* by dense number */
	uint32_t capacity;
	bool full; /* further instructions are not counted */
	bool failed;
	uint32_t ids[PIPELINE_BUFFER];
};

/* Creates an empty table of top rows, at least 1; NULL: out of memory. */
struct pipeline_stalls *pipeline_stalls_new(uint64_t top);

/* Finds the instructions of a buffer; false: these are not counted. Sets failed if out of
 * memory.
 */
bool pipeline_stalls_find(struct pipeline_stalls *stalls, const struct pipeline_buffer *buffer);

/* Adds the cycles of micro-operation index of the buffer that was found, from stream->last to
 * now: to its instruction, or to the last mispredicted branch. */
void pipeline_stalls_add(struct pipeline_stalls *stalls, const struct pipeline_stream *stream,
	size_t index, const struct pipeline_result *now);

/* Reports the table. */
void pipeline_stalls_report(const struct pipeline_stalls *stalls, const struct static_ops *ops,
	struct poly_report *report);

/* Accepts NULL. */
void pipeline_stalls_free(struct pipeline_stalls *stalls);

#endif
