/* SPDX-License-Identifier: MIT */
/* Comparing the records of two traces, column by column. */
#include "cli/files/ptz_files.h"

#include "cli/print/diagnostics.h"
#include "cli/options/column_list.h"
#include <string.h>

/* A trace, and the next row of its batch to compare. */
struct trace_side {
	struct command_input source;
	const struct poly_batch *batch; /* NULL: end of the trace */
	size_t row;
};

/* Returns a value as bytes: those of a slice, a name's text, or the number's own. */
static const void *
value_bytes(const struct poly_batch *batch, enum poly_column column, size_t row,
	uint64_t *value, size_t *n)
{
	const enum poly_form form = poly_column_form(column);
	const char *name = NULL;
	if (form == POLY_FORM_TEXT || form == POLY_FORM_BYTES)
		return poly_batch_bytes(batch, column, row, n);
	*value = poly_batch_integer(batch, column, row);
	/* Numbers of records match, since their names were compared with the head section. */
	if (form == POLY_FORM_NAME)
		name = poly_trace_name(batch->info, (uint32_t)*value);
	*n = name ? strlen(name) : sizeof *value;
	return name ? (const void *)name : value;
}

static bool
same_value(const struct trace_side sides[2], enum poly_column column, size_t i)
{
	size_t size[2] = {0, 0};
	uint64_t value[2] = {0, 0};
	const void *bytes[2];
	bool there[2];
	for (unsigned k = 0; k < 2; k++)
		there[k] = poly_present(sides[k].batch, column, sides[k].row + i);
	if (there[0] != there[1] || !there[0])
		return there[0] == there[1];
	for (unsigned k = 0; k < 2; k++)
		bytes[k] = value_bytes(
			sides[k].batch, column, sides[k].row + i, &value[k], &size[k]);
	return size[0] == size[1] && (size[0] == 0 || memcmp(bytes[0], bytes[1], size[0]) == 0);
}

/* Compares the rows that both batches have, and skips them; prints a difference. */
static bool
same_rows(struct trace_side sides[2], const char *path)
{
	const size_t left = sides[0].batch->rows - sides[0].row;
	const size_t right = sides[1].batch->rows - sides[1].row;
	const size_t rows = left < right ? left : right;
	const poly_columns places = POLY_COLUMNS_INIT(origin, site);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		for (size_t i = 0; i < rows && !poly_columns_has(places, (enum poly_column)c);
			i++) {
			if (same_value(sides, (enum poly_column)c, i))
				continue;
			diag_print(sides[0].source.name,
				"record %llu differs in '%s' from record %llu of '%s'",
				(unsigned long long)poly_batch_number(
					sides[0].batch, sides[0].row + i),
				poly_column_name((enum poly_column)c),
				(unsigned long long)poly_batch_number(
					sides[1].batch, sides[1].row + i),
				path);
			return false;
		}
	}
	sides[0].row += rows;
	sides[1].row += rows;
	return true;
}

/* Compares all rows of two traces; prints a difference. */
static bool
same_sources(struct trace_side sides[2], const char *path)
{
	for (;;) {
		for (unsigned k = 0; k < 2; k++) {
			struct trace_side *side = &sides[k];
			if (side->batch && side->row < side->batch->rows)
				continue;
			side->batch = input_next(&side->source);
			side->row = 0;
		}
		if (!sides[0].batch || !sides[1].batch)
			break;
		if (!same_rows(sides, path))
			return false;
	}
	const bool same = !sides[0].batch && !sides[1].batch;
	if (!same && !input_is_partial(&sides[0].source) && !input_is_partial(&sides[1].source))
		diag_print(sides[0].source.name, "has %s records than '%s'",
			sides[0].batch ? "more" : "fewer", path);
	return same;
}

bool
packed_verify_appended(const char *packed, const char *path, uint64_t first,
	const struct input_options *options)
{
	const struct input_needs wants = {
		.columns = columns_to_write(POLY_ALL_COLUMNS), .lists_findings = true};
	const struct input_options after_first = {.skip = {true, first}};
	struct input_options reading = *options;
	struct trace_side sides[2] = {{.batch = NULL}, {.batch = NULL}};
	reading.on_error = ON_ERROR_SKIP;
	if (!input_open(&sides[0].source, packed, &after_first, &wants))
		return false;
	if (!input_open(&sides[1].source, path, &reading, &wants)) {
		input_discard(&sides[0].source);
		return false;
	}
	bool good = same_sources(sides, path);
	for (unsigned k = 0; k < 2; k++) {
		good &= !input_is_partial(&sides[k].source);
		input_print_end(&sides[k].source);
		input_discard(&sides[k].source);
	}
	return good;
}
