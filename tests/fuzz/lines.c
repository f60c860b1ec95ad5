/* SPDX-License-Identifier: MIT */
/* Comparison of predictive parsing with the plain parser. */
#include "lines.h"

#include "format/core/reader.h"
#include "model/columns.h"

#include <string.h>

static bool
same_bytes(const struct poly_batch *a, const struct poly_batch *b, enum poly_column column,
	size_t row)
{
	size_t n, m;
	const uint8_t *p = poly_batch_bytes(a, column, row, &n);
	const uint8_t *q = poly_batch_bytes(b, column, row, &m);
	return n == m && (n == 0 || memcmp(p, q, n) == 0);
}

static bool
same_cell(const struct poly_batch *a, const struct poly_batch *b, enum poly_column column,
	size_t row)
{
	const enum poly_form form = poly_column_form(column);
	if (poly_present(a, column, row) != poly_present(b, column, row))
		return false;
	if (!poly_present(a, column, row))
		return true;
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
		return same_bytes(a, b, column, row);
	return poly_batch_integer(a, column, row) == poly_batch_integer(b, column, row);
}

/* The name of a column that is not the same in both, or NULL. */
static const char *
different_column(const struct poly_batch *a, const struct poly_batch *b)
{
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		for (size_t row = 0; row < a->rows; row++) {
			if (!same_cell(a, b, (enum poly_column)c, row))
				return poly_column_name((enum poly_column)c);
		}
	}
	return NULL;
}

static bool
same_error(const struct poly_error *a, const struct poly_error *b)
{
	return a->status == b->status && a->offset == b->offset && a->record == b->record &&
	       a->line == b->line && strcmp(a->message, b->message) == 0;
}

static const char *
different_findings(const struct poly_reader *a, const struct poly_reader *b)
{
	struct poly_finding f, g;
	for (size_t i = 0;; i++) {
		bool one = poly_reader_finding_at(a, i, &f);
		if (one != poly_reader_finding_at(b, i, &g))
			return "number of findings";
		if (!one)
			return NULL;
		if (f.rule != g.rule || f.count != g.count || f.record != g.record ||
			f.offset != g.offset || strcmp(f.message, g.message) != 0)
			return "a finding";
	}
}

static const char *
different_end(const struct poly_reader *a, const struct poly_reader *b)
{
	struct poly_reader_counts m = {0}, n = {0};
	poly_reader_count(a, &m);
	poly_reader_count(b, &n);
	if (m.records != n.records || m.content_bytes != n.content_bytes ||
		m.skipped_bytes != n.skipped_bytes || m.skipped_places != n.skipped_places)
		return "a count";
	return different_findings(a, b);
}

static const char *
compare(struct poly_reader *a, struct poly_reader *b)
{
	for (;;) {
		const struct poly_batch *left, *right;
		struct poly_error one = {0}, other = {0};
		enum poly_status status = poly_reader_next(a, &left, &one);
		if (poly_reader_next(b, &right, &other) != status)
			return "status";
		if (status == POLY_END)
			return different_end(a, b);
		if (status != POLY_OK)
			return same_error(&one, &other) ? different_end(a, b) : "error";
		if (left->rows != right->rows || left->first != right->first)
			return "rows of a batch";
		const char *column = different_column(left, right);
		if (column)
			return column;
	}
}

const char *
lines_difference(const uint8_t *data, size_t size, const struct poly_read_options *options,
	enum predict_way way)
{
	struct poly_reader *a, *b = NULL;
	const char *difference = NULL;
	if (poly_reader_open_memory(data, size, options, &a, NULL) != POLY_OK)
		return NULL;
	if (poly_reader_open_memory(data, size, options, &b, NULL) != POLY_OK)
		difference = "opening";
	else if (reader_predict_by(a, PREDICT_NEVER) && reader_predict_by(b, way))
		difference = compare(a, b);
	poly_reader_close(a);
	poly_reader_close(b);
	return difference;
}
