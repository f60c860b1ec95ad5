/* SPDX-License-Identifier: MIT */
/*
 * A table of a report as a Parquet file. A column has the type of its cells: counts and
 * addresses are unsigned numbers, reals and ratios are doubles. Texts, and cells of several
 * types, are texts as in CSV.
 */
#include "parquet/parquet.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/render.h"

#include <string.h>

/* Maximum number of rows that are converted at once, a multiple of 64. */
#define ROWS 256

/* The cells of a table. */
struct table_cells {
	const struct poly_report *report;
	const struct report_item *cells; /* row by row */
	size_t columns, rows;
	struct parquet_column *types; /* by column */
};

static const struct report_item *
cell_at(const struct table_cells *table, size_t row, size_t column)
{
	return &table->cells[row * table->columns + column];
}

static enum parquet_type
type_of(const struct table_cells *table, size_t column)
{
	unsigned forms = 0;
	for (size_t row = 0; row < table->rows; row++)
		forms |= 1u << cell_at(table, row, column)->form;
	const unsigned whole = 1u << FORM_COUNT | 1u << FORM_ADDRESS,
		       real = 1u << FORM_COUNT | 1u << FORM_REAL | 1u << FORM_RATIO,
		       boolean = 1u << FORM_BOOL;
	forms &= ~(1u << FORM_ABSENT);
	if (!forms)
		return PARQUET_TEXT;
	return !(forms & ~whole)     ? PARQUET_UNSIGNED
	       : !(forms & ~real)    ? PARQUET_REAL
	       : !(forms & ~boolean) ? PARQUET_BOOL
				     : PARQUET_TEXT;
}

/* Appends a cell as the text that CSV has. */
static void
append_text(struct parquet *file, const struct table_cells *table, size_t column,
	const struct report_item *cell)
{
	char number[RENDER_NUMBER];
	const char *text = number;
	if (cell->form == FORM_TEXT)
		text = tree_text(table->report, cell->value.text);
	else if (cell->form == FORM_BOOL)
		text = cell->value.number ? "true" : "false";
	else
		render_number(cell, false, number);
	parquet_append_bytes(file, column, text, strlen(text));
}

/* Appends cells of a column, up to ROWS. */
static void
append_column(struct parquet *file, const struct table_cells *table, size_t column,
	size_t first, size_t rows)
{
	const enum parquet_type type = table->types[column].type;
	union {
		uint64_t numbers[ROWS];
		double reals[ROWS];
		uint8_t bytes[ROWS];
	} data;
	uint64_t present[ROWS / 64] = {0};
	for (size_t i = 0; i < rows; i++) {
		const struct report_item *cell = cell_at(table, first + i, column);
		if (cell->form == FORM_ABSENT)
			continue;
		bit_set(present, i);
		if (type == PARQUET_BOOL)
			data.bytes[i] = cell->value.number != 0;
		else if (type == PARQUET_REAL)
			data.reals[i] = cell->form == FORM_COUNT ? (double)cell->value.number
								 : cell->value.real;
		else if (type == PARQUET_UNSIGNED)
			data.numbers[i] = cell->value.number;
	}
	const struct parquet_cells cells = {
		type == PARQUET_TEXT ? NULL : &data, present, 0, rows};
	parquet_append(file, column, &cells);
	for (size_t i = 0; i < rows && type == PARQUET_TEXT; i++) {
		if (bit_test(present, i))
			append_text(file, table, column, cell_at(table, first + i, column));
	}
}

static void
append_output(void *user, const void *bytes, size_t n)
{
	struct render *render = user;
	buf_append(&render->out, bytes, n);
	render_flush(render);
}

/* Writes the rows of a table. */
static enum poly_status
write_rows(struct parquet *file, const struct table_cells *table, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0, rows; row < table->rows && status == POLY_OK; row += rows) {
		const size_t room = parquet_room(file), left = table->rows - row;
		rows = left < room ? left : room;
		rows = rows < ROWS ? rows : ROWS; /* a divisor of what room is limited to */
		for (size_t column = 0; column < table->columns; column++)
			append_column(file, table, column, row, rows);
		status = parquet_end_rows(file, rows, error);
	}
	return status == POLY_OK ? parquet_finish(file, error) : status;
}

enum poly_status
render_parquet_table(struct render *render, struct poly_error *error)
{
	struct table_cells table = {.report = render->report};
	const struct report_item *items = render->report->items;
	const struct parquet_options options = {
		.rows = (size_t)1 << 20, .threads = 1, .write = append_output, .user = render};
	struct parquet *file;
	while (items[1 + table.columns].type == ITEM_COLUMN)
		table.columns++;
	table.cells = items + 1 + table.columns;
	while (table.columns && cell_at(&table, table.rows, 0)->type == ITEM_CELL)
		table.rows++;
	if (!table.columns)
		return err_usage(error, "a table without columns cannot be a Parquet file");
	table.types = mem_new(table.columns, sizeof *table.types);
	if (!table.types)
		return err_memory(error);
	for (size_t i = 0; i < table.columns; i++) {
		const enum parquet_type type = type_of(&table, i);
		table.types[i] = (struct parquet_column){.name = items[1 + i].key,
			.type = type,
			.size = type == PARQUET_BOOL ? 1 : 8,
			.always = true};
	}
	enum poly_status status =
		parquet_new(&options, table.types, table.columns, &file, error);
	if (status == POLY_OK)
		status = write_rows(file, &table, error);
	parquet_free(file);
	mem_free(table.types);
	return status;
}
