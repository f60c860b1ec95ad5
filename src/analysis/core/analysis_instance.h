/* SPDX-License-Identifier: MIT */
/* Requested analyses and their states. */
#ifndef ANALYSIS_ANALYSIS_INSTANCE_H
#define ANALYSIS_ANALYSIS_INSTANCE_H

#include "analysis/core/part_list.h"
#include "analysis/core/part_pipeline.h"
#include "analysis/core/plugin.h"
#include "analysis/core/confidence_interval.h"
#include "analysis/core/real_addresses.h"

#include "model/option.h"
#include "model/slice.h"

#include <stdatomic.h>

/* A requested analysis and its state. */
struct analysis_instance {
	const struct analysis *analysis;
	void *state;
	struct option_values values;
	bool suits;			   /* supports the current trace */
	bool suited;			   /* supported any of the traces */
	struct ratio_estimator *estimator; /* NULL: no sampling, or no ratios */
};

/* The arrays of struct analysis_rows for one batch. */
struct row_numbers {
	uint32_t op[POLY_BATCH_ROWS], site[POLY_BATCH_ROWS];
	uint16_t context[POLY_BATCH_ROWS];
};

/* Rows of a block that threads analyse as a part: merging a part costs as much as analysing
 * some thousand rows. */
#define ANALYSIS_BLOCK_ROWS ((size_t)1 << 17)

/* Room for the analyses that are not available; longer lists are truncated. */
#define ANALYSIS_DIAGNOSTIC_SIZE 256

struct poly_stats {
	struct analysis_list analyses;	   /* the caller's, too */
	struct poly_stats_options options; /* pointers are valid only in poly_stats_new */
	bool by_name;			   /* analyses were requested by name */
	struct buf words;		   /* of the options, each with a NUL */
	struct part_list parts;		   /* of loaded results */
	struct poly_share share;	   /* of the machines; count 0: all of them */
	struct analysis_instance *instances;
	size_t count;
	struct static_ops ops;
	struct contexts contexts;
	poly_columns columns;
	unsigned shares;       /* of the analyses of the trace */
	uint64_t seen;	       /* rows of the trace */
	uint64_t first_number; /* of the first row of the first trace with rows; 0: no rows */
	uint64_t row_offset;   /* of the numbers of rows that update saw, for merges */
	/* Of the first trace and of the current one; NULL: none. */
	const struct poly_trace_info *first_info, *info;
	unsigned begun_records;			   /* records of info when the trace began */
	char diagnostic[ANALYSIS_DIAGNOSTIC_SIZE]; /* of the trace; "": none */
	char first_diagnostic[ANALYSIS_DIAGNOSTIC_SIZE]; /* of all traces */
	struct row_numbers numbers;
	struct slice slice;
	struct effects *effects;	/* converts the trace's rows; or NULL */
	struct thread_pool *team;	/* NULL: single-threaded */
	struct part_pipeline *pipeline; /* of the only analysis; NULL: it is updated directly */
	bool in_blocks;			/* rows after the first block are analysed in blocks */
	size_t block_rows;		/* rows of a block; constant, except in tests */
	struct parallel_run *run;	/* of these blocks; NULL: has not begun */
	struct stats_work *work;	/* of decoders; or NULL */
	struct digest_work *digests;	/* instead, for the pipeline; or NULL */
	struct real_addresses real;	/* if options.real_addresses */
	enum poly_status status;	/* sticky */
	/* Arguments of the tasks of an update: */
	struct analysis_rows rows, real_rows;
	struct poly_batch real_batch;	/* of real_rows */
	struct analysis_instance **due; /* instances to update */
	size_t due_count;
	atomic_bool failed;
};

/* Creates and initialises the state of an instance with analysis and values set. */
enum poly_status analysis_instance_start(struct analysis_instance *instance,
	const struct poly_stats *stats, struct poly_error *error);

/* Starts as many threads as there are tasks, unless rows are analysed in blocks; without
 * threads, the caller does all work. */
void stats_start_team(struct poly_stats *stats);

/* Returns whether rows of the trace can be analysed as parts of it. */
bool stats_are_divisible(const struct poly_stats *stats);

/* The functions of polytrace/stats.h of these names, without blocks (runner_blocks.c). */
enum poly_status stats_begin(
	struct poly_stats *stats, const struct poly_trace_info *info, struct poly_error *error);
enum poly_status stats_update(
	struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error);
enum poly_status stats_merge(
	struct poly_stats *into, const struct poly_stats *from, struct poly_error *error);
enum poly_status stats_save(struct poly_stats *stats, const struct poly_part *parts,
	size_t count, const struct poly_sink *sink, struct poly_error *error);
enum poly_status stats_finish(struct poly_stats *stats, struct poly_error *error);
void stats_free(struct poly_stats *stats);

/* Adds the rows of a batch as stats->effects converts them; NULL: the last ones of the trace.
 */
enum poly_status stats_update_converted(
	struct poly_stats *stats, const struct poly_batch *batch, struct poly_error *error);

/* Waits until the states have all rows; false: out of memory. */
bool stats_drain(struct poly_stats *stats);

#endif
