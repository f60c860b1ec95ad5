/* SPDX-License-Identifier: MIT */
/* The state of running analyses. */
#ifndef ANALYSIS_RUN_H
#define ANALYSIS_RUN_H

#include "analysis/analysis.h"
#include "analysis/confidence.h"

#include "model/option.h"
#include "model/slice.h"

#include <stdatomic.h>

/* An analysis that was asked for. */
struct run {
	const struct analysis *analysis;
	void *state;
	struct option_values values;
	bool suits;		       /* the trace that began last */
	bool suited;		       /* any of the traces */
	struct confidence *confidence; /* NULL: no units are sampled, or it has no ratios */
};

/* The arrays of struct analysis_rows, of a batch. */
struct run_shares {
	uint32_t op[POLY_BATCH_ROWS], site[POLY_BATCH_ROWS];
	uint16_t party[POLY_BATCH_ROWS];
};

struct poly_stats {
	struct poly_stats_options options; /* its pointers hold in poly_stats_new alone */
	bool by_name;			   /* the analyses were asked for by name */
	struct run *runs;
	size_t count;
	struct ops ops;
	struct parties parties;
	poly_columns columns;
	unsigned shares; /* of the analyses that suit */
	uint64_t seen;	 /* rows of the trace */
	struct run_shares found;
	struct slice slice;
	struct thread_pool *team; /* NULL: the caller works alone */
	enum poly_status status;  /* sticky */
	/* What a round of the team is about. */
	struct analysis_rows rows;
	struct run **due; /* runs that are updated */
	size_t due_count;
	atomic_bool failed;
};

#endif
