/* SPDX-License-Identifier: MIT */
/* Whether a packed trace has the records of another one, column by column. */
#include "cli/packed.h"

#include "cli/diagnostics.h"
#include <string.h>

/* A source, and the rows of its batch that were compared. */
struct side {
	struct command_input source;
	const struct poly_batch *batch; /* NULL: it has ended */
	size_t row;
};

/* Looks at a value as bytes: those of a slice, a name's text, or the number's own. */
static const void *
look_at(const struct poly_batch *batch, enum poly_column column, size_t row, uint64_t *value,
	size_t *n)
{
	const enum poly_form form = poly_column_form(column);
	const char *name = NULL;
	if (form == POLY_FORM_TEXT || form == POLY_FORM_BYTES)
		return poly_batch_bytes(batch, column, row, n);
	*value = poly_batch_integer(batch, column, row);
	/* Records are numbered alike, and their names were compared with the head. */
	if (form == POLY_FORM_NAME)
		name = poly_trace_name(batch->info, (uint32_t)*value);
	*n = name ? strlen(name) : sizeof *value;
	return name ? (const void *)name : value;
}

static bool
same_value(const struct side sides[2], enum poly_column column, size_t i)
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
		bytes[k] =
			look_at(sides[k].batch, column, sides[k].row + i, &value[k], &size[k]);
	return size[0] == size[1] && (size[0] == 0 || memcmp(bytes[0], bytes[1], size[0]) == 0);
}

/* Compares rows that both have, and passes over them; false, and told, where they differ. */
static bool
same_rows(struct side sides[2], const char *path)
{
	const size_t left = sides[0].batch->rows - sides[0].row;
	const size_t right = sides[1].batch->rows - sides[1].row;
	const size_t rows = left < right ? left : right;
	const poly_columns places = POLY_HAS(origin) | POLY_HAS(site);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		for (size_t i = 0; i < rows && !(places >> c & 1); i++) {
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

/* Compares all rows of two sources; false, and told, where they differ. */
static bool
same_sources(struct side sides[2], const char *path)
{
	for (;;) {
		for (unsigned k = 0; k < 2; k++) {
			struct side *side = &sides[k];
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
		diag_print(sides[0].source.name, "it has %s records than '%s'",
			sides[0].batch ? "more" : "fewer", path);
	return same;
}

bool
packed_verify_behind(const char *packed, const char *path, uint64_t first,
	const struct input_options *options)
{
	const struct input_needs wants = {
		.columns = columns_to_write(POLY_ALL_COLUMNS), .lists_findings = true};
	const struct input_options behind = {.skip = {true, first}};
	struct input_options reading = *options;
	struct side sides[2] = {{.batch = NULL}, {.batch = NULL}};
	reading.on_error = ON_ERROR_SKIP;
	if (!input_open(&sides[0].source, packed, &behind, &wants))
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
