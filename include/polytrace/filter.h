/* SPDX-License-Identifier: MIT */
/*
 * Filters: an expression over the columns of a trace, parsed once, checked against the columns
 * of the trace, and evaluated one column at a time over its batches. The language is that of
 * polytrace-filter(7).
 *
 *     poly_filter_new("access == write and address in 0x1000..0x1fff", &filter, &error);
 *     ... open a reader with poly_filter_columns(filter) among its columns ...
 *     poly_filter_bind(filter, poly_reader_info(reader), &error);
 *     while (poly_reader_next(reader, &batch, &error) == POLY_OK)
 *             selected = poly_filter_apply(filter, batch, &error);
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
 * POLY_ERR_USAGE: a syntax error, with its position in the message. POLY_ERR_LIMIT: longer than
 * 64 KiB, or nested deeper than 64. POLY_ERR_UNSUPPORTED: the expression contains a regular
 * expression, and the build lacks the library. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_filter_new(
	const char *text, struct poly_filter **filter, struct poly_error *error);

/* Names of addresses in expressions: symbols. */
struct poly_filter_names {
	/*
	 * Finds the first and the last address of a name of length bytes; false if the name is
	 * unknown.
	 */
	bool (*find)(
		void *user, const char *name, size_t length, uint64_t *first, uint64_t *last);
	void *user; /* handed to find */
};

/*
 * As poly_filter_new, but words that are not columns, and strings, can be names of addresses,
 * which the call looks up. names may be NULL: no names.
 */
POLY_API enum poly_status poly_filter_new_named(const char *text,
	const struct poly_filter_names *names, struct poly_filter **filter,
	struct poly_error *error);

/* Returns the columns that the expression reads; request them from the reader. */
POLY_API poly_columns poly_filter_columns(const struct poly_filter *filter);

/*
 * Returns the i-th register, from 0, that the expression reads; name it in the plan of the
 * reader. NULL after the last one. Valid as long as the filter.
 */
POLY_API const char *poly_filter_register_at(const struct poly_filter *filter, unsigned i);

/*
 * Checks the expression against a trace, whose information must stay valid until the filter is
 * freed or bound to another trace. POLY_ERR_USAGE: the trace lacks a column (the message lists
 * those that the trace has), or a word is not a valid value of its column.
 */
POLY_API enum poly_status poly_filter_bind(struct poly_filter *filter,
	const struct poly_trace_info *info, struct poly_error *error);

/*
 * Returns the rows of a batch for which the bound expression holds, in order, possibly none,
 * with all columns of the batch; picked is set unless all rows were selected. The result
 * belongs to the filter, refers to the batch, and is valid until the next call. NULL: a failure, as
 * poly_filter_test.
 */
POLY_API const struct poly_batch *poly_filter_apply(
	struct poly_filter *filter, const struct poly_batch *batch, struct poly_error *error);

/*
 * Sets the bits of those rows: row r is bit r % 64 of selected[r / 64], which has room for
 * POLY_BATCH_ROWS bits. POLY_ERR_MEMORY. POLY_ERR_LIMIT: the result for a record, which the error
 * states, depends on a division by 0, or on a regular expression that exceeds its limit on a text.
 * After a failure not all bits are valid.
 */
POLY_API enum poly_status poly_filter_test(struct poly_filter *filter,
	const struct poly_batch *batch, uint64_t *selected, struct poly_error *error);

/*
 * Returns false if the bound expression holds for none of the records that bounds describes,
 * and true if bounds alone do not decide that. Evaluates comparisons of columns, numbers and
 * row, sums, shifts and masks of these, and their combinations. Does not modify the filter: any
 * number of threads can call this function.
 */
POLY_API bool poly_filter_possible(
	const struct poly_filter *filter, const struct poly_bounds *bounds);

/* Frees a filter. Accepts NULL. */
POLY_API void poly_filter_free(struct poly_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
