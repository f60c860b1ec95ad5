/* SPDX-License-Identifier: MIT */
/* State of the queries "summary" and "totals". */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include "analysis/core/analysis.h"
#include "analysis/facts/access_stats.h"
#include "base/intern.h"

/* Columns of execution contexts whose distinct values are counted. */
enum summary_context {
	CONTEXT_CPU,
	CONTEXT_PROCESS,
	CONTEXT_THREAD,
	CONTEXT_COUNT,
};

/* Maximum number of names of records; further ones count as the last. */
#define SUMMARY_NAMES_MAX 512

struct summary {
	poly_columns columns; /* of all traces */
	unsigned digits;      /* of an address in the last trace */
	char *clock;	      /* unit of time of the first trace that has one; NULL: none */
	struct intern names;  /* of records */
	struct {
		uint64_t records;
		uint8_t value; /* of the column record in the first trace with the name */
	} by_name[SUMMARY_NAMES_MAX];
	uint32_t name_of[256]; /* values of the trace: number of the name + 1; 0: not known */
	uint64_t rows;
	struct byte_histogram kinds, records; /* records: of the current batch */
	uint64_t synthetic;		      /* instructions added by the tracer */
	uint64_t later; /* further micro-operations of an instruction, not synthetic */
	uint64_t uops;	/* rows with an index of a micro-operation */
	uint64_t raw;	/* rows of kind other with raw bytes */
	struct access_stats accesses;
	struct value_range pc, time;
	struct distinct_set contexts[CONTEXT_COUNT];
};

/* The columns of the totals. */
#define TOTALS_COLUMNS kind, access, address, size, uop_index, synthetic

/* Functions of struct analysis. totals_update counts only what the totals report. */
enum poly_status summary_init(
	void *state, const struct analysis_setup *setup, struct poly_error *error);
void summary_begin(void *state, const struct poly_trace_info *info);
bool totals_update(void *state, const struct analysis_rows *rows);
bool summary_merge(void *into, const void *from, const struct analysis_numbers *numbers);
void summary_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);
void totals_report(const void *state, const struct static_ops *ops, struct poly_report *report);
void summary_transfer(void *state, struct archive *archive);
void summary_fini(void *state);

/* Counts the records of a batch by name or else by number; false: out of memory. */
bool summary_count_names(struct summary *summary, const struct poly_trace_info *info);

#endif
