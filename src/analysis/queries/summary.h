/* SPDX-License-Identifier: MIT */
/* Accumulated summary. */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include "polytrace/summary.h"

#include "analysis/facts/access_stats.h"

/* Columns of execution contexts whose distinct values are counted. */
enum summary_context {
	CONTEXT_CPU,
	CONTEXT_PROCESS,
	CONTEXT_THREAD,
	CONTEXT_COUNT,
};

struct poly_summary {
	const struct poly_trace_info *info; /* of the last batch; NULL: none yet */
	uint64_t rows;
	struct byte_histogram kinds, records;
	uint64_t synthetic; /* instructions added by the tracer */
	uint64_t later;	    /* further micro-operations of an instruction, not synthetic */
	uint64_t uops;	    /* rows with an index of a micro-operation */
	uint64_t raw;	    /* rows of kind other with raw bytes */
	struct access_stats accesses;
	struct value_range pc, time;
	struct distinct_set contexts[CONTEXT_COUNT];
};

#endif
