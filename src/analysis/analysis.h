/* SPDX-License-Identifier: MIT */
/*
 * What an analysis is. Each is one file of src/analysis/stats/ (or sim/) that exports
 * const struct analysis analysis_NAME, and one word in the build's list.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "polytrace/stats.h"

#include "analysis/static_ops.h"
#include "analysis/contexts.h"
#include "base/thread_pool.h"

/* What an analysis is made with. */
struct analysis_setup {
	const uint64_t *values;	  /* of its options, in the order of its table */
	const char *const *texts; /* of those that are texts; NULL: none; else NULL elements */
	const bool *given;	  /* which of them were asked for, and are not initial ones */
	const struct static_ops
		*ops; /* the dictionary of all traces; grows while rows are added */
	const struct contexts *contexts;	/* of all traces; grows, too */
	const struct poly_stats_stores *stores; /* NULL: there are none */
};

/*
 * A batch, or some rows of one, with what is worked out of it once for all analyses. Arrays
 * have an element a row; those that no analysis of the run asked for are NULL.
 */
struct analysis_rows {
	const struct poly_batch *batch;
	bool counts;	      /* false while warming up: no row is to be counted, or all are */
	const uint32_t *op;   /* SHARES_OPS: operation of an instruction; else OP_NONE */
	const uint32_t *site; /* SHARES_SITES: static instruction that the row is, or, for an
				 access or register, belongs to; OP_NONE: not known */
	const uint16_t *context; /* SHARES_CONTEXTS: who did it, dense from 0; NULL also where
				  all rows of the batch are of the context only */
	uint16_t sole_context;	 /* of all rows, if context is NULL */
	const struct static_ops *ops;
	struct thread_pool *team; /* shares out the parts of an update (thread_pool_for_each);
				     may be NULL */
};

/* What has to be worked out for an analysis; bits. */
enum analysis_shares {
	SHARES_OPS = 1,	     /* rows->op */
	SHARES_SITES = 2,    /* rows->site, and ops->sites */
	SHARES_CONTEXTS = 4, /* rows->context */
};

/* Other numbers of the same things: those of one run as another one has them. */
struct analysis_numbers {
	const uint32_t *ops;	  /* by operation */
	const uint32_t *sites;	  /* by site */
	const uint16_t *contexts; /* by context */
};

/* Two counts whose quotient tells something; for confidence intervals of samples. */
struct analysis_ratio {
	const char *key, *title; /* static */
	uint64_t part, whole;	 /* so far */
};

/* Most ratios of an analysis. */
#define ANALYSIS_RATIOS 16

struct analysis {
	struct poly_analysis_info info;
	unsigned shares;   /* bits of enum analysis_shares */
	bool needs_warmup; /* update is called while warming up, too */
	size_t state_size; /* the framework allocates and zeroes the state */
	/* Says whether a trace that has the needed columns suits; NULL: it does. */
	bool (*suits)(const struct poly_trace_info *info);
	/* Prepares the zeroed state; NULL: zeroed is ready. */
	enum poly_status (*init)(
		void *state, const struct analysis_setup *setup, struct poly_error *error);
	/* A trace begins: what was before it is forgotten, counts stay. NULL: nothing to do. */
	void (*begin)(void *state, const struct poly_trace_info *info);
	/* Adds rows; false: memory could not be had, and the run is over. */
	bool (*update)(void *state, const struct analysis_rows *rows);
	/*
	 * Into how many parts update is shared out where nothing else runs: machines that are
	 * simulated beside each other. Fixed from init on. NULL: it has one.
	 */
	size_t (*task_count)(const void *state);
	/*
	 * As update, of rows that stand for several records (weight of their batch) and come in
	 * the order of the first of these; in which order all of them stood is told with the
	 * last batch of a stretch (model/chain_graph.h), and then the state becomes what it would by
	 * update with all of them. Sites of accesses and registers are not known, nor does
	 * update know them of those that follow before an instruction. NULL: it takes more than
	 * that, so that records are not counted where this analysis is asked for.
	 */
	bool (*update_weighted)(void *state, const struct analysis_rows *rows);
	/*
	 * Adds what from, which saw the rows behind those of into, has counted: as if into had
	 * been updated with them too. numbers: from's as into has them. NULL: the order of rows
	 * matters beyond that. False: no memory.
	 */
	bool (*merge)(void *into, const void *from, const struct analysis_numbers *numbers);
	/* There are no more rows: looks at what it kept a second time. NULL: nothing to do. */
	enum poly_status (*finish)(void *state, struct poly_error *error);
	/* Fills ratios (room for ANALYSIS_RATIOS), always the same ones; how many. NULL: none.
	 */
	size_t (*ratios)(const void *state, struct analysis_ratio *ratios);
	/* Writes its answer into the section that is open; for no rows, too. */
	void (*report)(
		const void *state, const struct static_ops *ops, struct poly_report *report);
	/* Gives the state's memory back, also after init failed. NULL: nothing to do. */
	void (*fini)(void *state);
};

/* The i-th analysis of the build's list; NULL after the last one. */
const struct analysis *analysis_at(size_t i);

#endif
