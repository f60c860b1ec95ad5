/* SPDX-License-Identifier: MIT */
/* The state of running analyses. */
#ifndef ANALYSIS_ANALYSIS_INSTANCE_H
#define ANALYSIS_ANALYSIS_INSTANCE_H

#include "analysis/analysis.h"
#include "analysis/confidence_interval.h"

#include "model/option.h"
#include "model/slice.h"

#include <stdatomic.h>

/* An analysis that was asked for. */
struct analysis_instance {
	const struct analysis *analysis;
	void *state;
	struct option_values values;
	bool suits;  /* the trace that began last */
	bool suited; /* any of the traces */
	struct ratio_estimator
		*confidence; /* NULL: no units are sampled, or it has no ratios */
};

/* The arrays of struct analysis_rows, of a batch. */
struct row_numbers {
	uint32_t op[POLY_BATCH_ROWS], site[POLY_BATCH_ROWS];
	uint16_t context[POLY_BATCH_ROWS];
};

struct poly_stats {
	struct poly_stats_options options; /* its pointers hold in poly_stats_new alone */
	bool by_name;			   /* the analyses were asked for by name */
	struct analysis_instance *runs;
	size_t count;
	struct static_ops ops;
	struct contexts contexts;
	poly_columns columns;
	unsigned shares; /* of the analyses that suit */
	uint64_t seen;	 /* rows of the trace */
	struct row_numbers found;
	struct slice slice;
	struct thread_pool *team; /* NULL: the caller works alone */
	enum poly_status status;  /* sticky */
	/* What a round of the team is about. */
	struct analysis_rows rows;
	struct analysis_instance **due; /* runs that are updated */
	size_t due_count;
	atomic_bool failed;
};

#endif
