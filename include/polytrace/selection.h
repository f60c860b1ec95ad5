/* SPDX-License-Identifier: MIT */
/*
 * Selections: subsets of a trace's records by filters, start and stop conditions, times and
 * samples.
 *
 *     struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
 *     options.where = "access == write";
 *     poly_selection_new(&options, &selection, &error);
 *     ... open a reader with poly_selection_columns(selection) among its columns ...
 *     source = poly_reader_source(reader);
 *     poly_selection_bind(selection, source.info, &error);
 *     plan.may_match = poly_selection_pruning(selection), plan.user = selection;
 *     poly_reader_plan(reader, &plan, &error);
 *     while ((status = poly_selection_next(selection, &source, &batch, &error)) == POLY_OK) ...
 *
 * A selection is used by one thread at a time, and for one reading of one trace.
 */
#ifndef POLYTRACE_SELECTION_H
#define POLYTRACE_SELECTION_H

#include "polytrace/filter.h"
#include "polytrace/source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_selection;

/* Maximum of tail. */
#define POLY_TAIL_MAX 16777216

/*
 * Steps of a selection, applied in the order of the fields: each selects among the records that
 * pass those before. Initialise with POLY_SELECTION_OPTIONS_INIT. Expressions are those of
 * polytrace-filter(7); NULL: none.
 */
struct poly_selection_options {
	size_t size;	      /* of this struct in bytes; set by the macro, and not 0 */
	const char *start_at; /* starts at the first record for which this holds */
	const char *stop_at;  /* stops after the first record, from the start, for which this
				 holds */
	/*
	 * First and last time, in ticks of the trace's clock. A record without a time has that
	 * of the record before; records before the first time are excluded.
	 */
	uint64_t from_time, to_time;
	bool has_times;	   /* from_time and to_time apply */
	const char *where; /* records for which this holds */
	uint64_t every;	   /* every Nth record, from the first; 0 and 1: all */
	uint64_t sample;   /* each record with probability 1/N; 0 and 1: all */
	uint64_t seed;	   /* random seed: the same seed selects the same records */
	uint64_t head;	   /* the first N records */
	uint64_t tail;	   /* the last N records; UINT64_MAX: all */
	/* Names of addresses in the expressions, used by poly_selection_new; NULL: none. */
	const struct poly_filter_names *names;
	/*
	 * The column site has the same values as if the whole trace were read, so nothing is
	 * pruned. Not needed for expressions that read site.
	 */
	bool keep_sites;
	/*
	 * Records that belong to an instruction are selected with it, and only with it: the
	 * escapes 1 to 5 of TT6, which precede it, and the synthetic pair of TT6E, which
	 * follows its twi. For selections that are written.
	 */
	bool keep_attached;
	/*
	 * Positions for keep_attached, before all other steps: skips the first records, then
	 * selects the first count. They apply if poly_selection_margin is not 0.
	 */
	uint64_t skip, count;
};

/* Initial values: every record. */
#define POLY_SELECTION_OPTIONS_INIT                                                   \
	{                                                                             \
		.size = sizeof(struct poly_selection_options), .to_time = UINT64_MAX, \
		.head = UINT64_MAX, .tail = UINT64_MAX, .count = UINT64_MAX           \
	}

/*
 * On POLY_OK *selection belongs to the caller; on failure it is NULL. POLY_ERR_USAGE: a syntax
 * error in an expression, with its position in the message; options of size 0; from_time above
 * to_time. POLY_ERR_LIMIT: tail above POLY_TAIL_MAX, or as poly_filter_new.
 * POLY_ERR_UNSUPPORTED, POLY_ERR_MEMORY: as poly_filter_new.
 */
POLY_API enum poly_status poly_selection_new(const struct poly_selection_options *options,
	struct poly_selection **selection, struct poly_error *error);

/* Returns the columns that the selection reads; request them from the reader. */
POLY_API poly_columns poly_selection_columns(const struct poly_selection *selection);

/*
 * Returns the i-th register, from 0, that the selection reads; name it in the plan of the
 * reader. NULL after the last one. Valid as long as the selection.
 */
POLY_API const char *poly_selection_register_at(
	const struct poly_selection *selection, unsigned i);

/*
 * Checks the expressions against a trace, as poly_filter_bind does. POLY_ERR_USAGE: also if
 * times are selected in a trace without times.
 */
POLY_API enum poly_status poly_selection_bind(struct poly_selection *selection,
	const struct poly_trace_info *info, struct poly_error *error);

/*
 * Returns the function, to be passed to the reader with the selection as its user, that lets
 * the reader skip intervals of records none of which can be selected; NULL: the selection
 * needs every record. The selection must stay valid as long as records are read. Skipping
 * is optional: the same records are selected without it.
 */
POLY_API poly_may_match_fn poly_selection_pruning(const struct poly_selection *selection);

/*
 * Returns the next selected records, at least one, from a source of the trace that the
 * selection is bound to: its batches in order from the first one. The batch belongs to the
 * selection and the source and is valid until the next call. POLY_END after the last selected
 * record, perhaps before the end of the trace. Failures are those of the source; with tail,
 * after the records before the failure. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_selection_next(struct poly_selection *selection,
	const struct poly_source *source, const struct poly_batch **batch,
	struct poly_error *error);

/*
 * Returns the margin that the plan of the reader needs, after poly_selection_bind: 0 if the
 * trace has no records that belong to an instruction, or all positions are selected.
 */
POLY_API uint64_t poly_selection_margin(const struct poly_selection *selection);

/* Returns the number of records that poly_selection_next has delivered. */
POLY_API uint64_t poly_selection_count(const struct poly_selection *selection);

/* Frees a selection. Accepts NULL. */
POLY_API void poly_selection_free(struct poly_selection *selection);

#ifdef __cplusplus
}
#endif

#endif
