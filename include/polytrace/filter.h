/* SPDX-License-Identifier: MIT */
/*
 * Filters: an expression over the columns of a trace, parsed once, checked against what the
 * trace has, and evaluated a column at a time over its batches. The language is that of
 * polytrace-filter(7).
 *
 *     poly_filter_new("access == write and address in 0x1000..0x1fff", &filter, &error);
 *     ... open a reader with poly_filter_columns(filter) among its columns ...
 *     poly_filter_bind(filter, poly_reader_info(reader), &error);
 *     while (poly_reader_next(reader, &batch, &error) == POLY_OK)
 *             chosen = poly_filter_apply(filter, batch, &error);
 *
 * A filter is used by one thread at a time, and for one trace at a time.
 */
#ifndef POLYTRACE_FILTER_H
#define POLYTRACE_FILTER_H

#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_filter;

/*
 * Parses an expression. On POLY_OK *filter belongs to the caller; on failure it is NULL.
 * POLY_ERR_USAGE: it can't be understood; the message shows the place. POLY_ERR_LIMIT: it is
 * longer than 64 KiB or nested deeper than 64. POLY_ERR_UNSUPPORTED: it has a regular
 * expression, and the build lacks the library. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_filter_new(
	const char *text, struct poly_filter **filter, struct poly_error *error);

/* Names that stand for addresses in expressions: those of symbols. */
struct poly_filter_names {
	/*
	 * The first and the last address of what a name of length bytes stands for; false where
	 * it is not known.
	 */
	bool (*find)(
		void *user, const char *name, size_t length, uint64_t *first, uint64_t *last);
	void *user; /* handed to find */
};

/*
 * As poly_filter_new, where words that are no column, and strings, may be names of addresses,
 * looked up during the call. names may be NULL: there are none.
 */
POLY_API enum poly_status poly_filter_new_named(const char *text,
	const struct poly_filter_names *names, struct poly_filter **filter,
	struct poly_error *error);

/* The columns that the expression looks at: a reader has to be asked for them. */
POLY_API poly_columns poly_filter_columns(const struct poly_filter *filter);

/*
 * Checks the expression against a trace, whose information must stay until the filter is freed
 * or bound to another one. POLY_ERR_USAGE: the trace lacks a column, which is named with those
 * that it has, or a word is none of the column's.
 */
POLY_API enum poly_status poly_filter_bind(struct poly_filter *filter,
	const struct poly_trace_info *info, struct poly_error *error);

/*
 * The rows of a batch for which the bound expression holds, in their order, possibly none; all
 * columns of the batch, with picked set unless all rows were chosen. It belongs to the filter,
 * refers to the batch, and holds until the next call. NULL with POLY_ERR_MEMORY in error.
 */
POLY_API const struct poly_batch *poly_filter_apply(
	struct poly_filter *filter, const struct poly_batch *batch, struct poly_error *error);

/*
 * The same as bits: row r in bit r % 64 of chosen[r / 64], which has room for POLY_BATCH_ROWS
 * bits. POLY_ERR_MEMORY: they are not all known.
 */
POLY_API enum poly_status poly_filter_test(struct poly_filter *filter,
	const struct poly_batch *batch, uint64_t *chosen, struct poly_error *error);

/*
 * False where the bound expression holds for none of the records of which bounds tells. Where
 * that can't be told from bounds alone it is true: what is understood are comparisons of
 * columns, numbers and row, sums, shifts and masks of these, and what joins them. Changes
 * nothing: any number of threads may ask.
 */
POLY_API bool poly_filter_possible(
	const struct poly_filter *filter, const struct poly_bounds *bounds);

/* Frees a filter. Accepts NULL. */
POLY_API void poly_filter_free(struct poly_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
