/* SPDX-License-Identifier: MIT */
/*
 * Selections: which records of a trace are looked at, by filters, places, times and samples.
 *
 *     struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
 *     options.where = "access == write";
 *     poly_selection_new(&options, &selection, &error);
 *     ... open a reader with poly_selection_columns(selection) among its columns ...
 *     poly_selection_bind(selection, poly_reader_info(reader), &error);
 *     while ((status = poly_selection_next(selection, reader, &batch, &error)) == POLY_OK) ...
 *
 * A selection is used by one thread at a time, and for one reading of one trace. It tells the
 * reader what it need not read (poly_reader_prune), so it has to stay as long as records
 * are asked of that reader.
 */
#ifndef POLYTRACE_SELECTION_H
#define POLYTRACE_SELECTION_H

#include "polytrace/filter.h"
#include "polytrace/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_selection;

/* Most records that tail can keep. */
#define POLY_TAIL_MOST 16777216

/*
 * What is selected. Each restricts what those above it leave. Initialise with
 * POLY_SELECTION_OPTIONS_INIT. Expressions are those of polytrace-filter(7); NULL: none.
 */
struct poly_selection_options {
	size_t size;	      /* of this struct in bytes; set by the macro, and not 0 */
	const char *start_at; /* begins with the first record for which this holds */
	const char *stop_at;  /* ends with the first record, from there on, for which it does */
	/*
	 * First and last time, in ticks of the trace's clock. A record without a time has that
	 * of the record before it, and none at the front of the trace: it is left out.
	 */
	uint64_t from_time, to_time;
	bool has_times;	   /* from_time and to_time count */
	const char *where; /* records for which this holds */
	uint64_t every;	   /* the first record of every so many; 0 and 1: all */
	uint64_t sample;   /* each record by a chance of one in so many; 0 and 1: all */
	uint64_t seed;	   /* of chance: the same seed takes the same records */
	uint64_t head;	   /* the first so many records */
	uint64_t tail;	   /* the last so many; UINT64_MAX: all */
	/* Names of addresses in the expressions, used by poly_selection_new; NULL: none. */
	const struct poly_filter_names *names;
	/*
	 * The column site is to have the numbers that it has when the whole trace is read, so
	 * nothing is passed over. An expression that looks at it says so itself.
	 */
	bool keep_sites;
};

/* Initial values: every record. */
#define POLY_SELECTION_OPTIONS_INIT                                                            \
	{                                                                                      \
		sizeof(struct poly_selection_options), NULL, NULL, 0, UINT64_MAX, false, NULL, \
			0, 0, 0, UINT64_MAX, UINT64_MAX, NULL, false                           \
	}

/*
 * On POLY_OK *selection belongs to the caller; on failure it is NULL. POLY_ERR_USAGE: an
 * expression can't be understood, and the message shows the place; options of size 0; from_time
 * above to_time. POLY_ERR_LIMIT: tail above POLY_TAIL_MOST, or as poly_filter_new.
 * POLY_ERR_UNSUPPORTED, POLY_ERR_MEMORY: as poly_filter_new.
 */
POLY_API enum poly_status poly_selection_new(const struct poly_selection_options *options,
	struct poly_selection **selection, struct poly_error *error);

/* The columns that it looks at: a reader has to be asked for them. */
POLY_API poly_columns poly_selection_columns(const struct poly_selection *selection);

/*
 * Checks it against a trace, as poly_filter_bind does. POLY_ERR_USAGE, also where times are
 * selected of a trace that has none.
 */
POLY_API enum poly_status poly_selection_bind(struct poly_selection *selection,
	const struct poly_trace_info *info, struct poly_error *error);

/*
 * The next selected records, at least one, from the reader whose trace it was bound to. The
 * batch belongs to the selection and the reader and holds until the next call. POLY_END after
 * the last one: what stands behind it need not have been read. Failures are those of
 * poly_reader_next; with tail they come after the records before them. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_selection_next(struct poly_selection *selection,
	struct poly_reader *reader, const struct poly_batch **batch, struct poly_error *error);

/* Records that poly_selection_next has given so far. */
POLY_API uint64_t poly_selection_count(const struct poly_selection *selection);

/* Frees a selection. Accepts NULL. */
POLY_API void poly_selection_free(struct poly_selection *selection);

#ifdef __cplusplus
}
#endif

#endif
