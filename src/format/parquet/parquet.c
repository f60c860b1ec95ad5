/* SPDX-License-Identifier: MIT */
/*
 * Parquet: a table with typed columns, for DuckDB, Spark, ClickHouse, pandas and others;
 * written only.
 *
 * Numbers are unsigned numbers of their column's size, enumerations and names are texts.
 * Columns without any value are omitted unless requested by name. The metadata of the file hold
 * those of the trace. spec: Apache Parquet; polytrace-parquet(5)
 */
#include "parquet/parquet.h"

#include "base/utf8.h"
#include "format/core/format.h"
#include "model/columns.h"

#include <stdio.h>
#include <string.h>

/* Default and maximum number of rows of a group. */
#define ROWS_DEFAULT ((uint64_t)1 << 20)
#define ROWS_MAX ((uint64_t)1 << 26)

enum parquet_option { PARQUET_OPTION_ROWS };

struct parquet_writer {
	struct parquet *file;
	enum poly_column list[WRITING_COLUMNS_MAX]; /* columns to write, in order */
	size_t count;
	uint64_t replaced; /* texts that a note was added for */
	uint64_t numbers[POLY_BATCH_ROWS], all[POLY_BATCH_ROWS / 64]; /* of records */
};

static void
write_file(void *user, const void *bytes, size_t n)
{
	out_write(user, bytes, n);
}

/* Returns the text of a number of an enumeration or a name. */
static const char *
name_text(const struct parquet_column *column, uint64_t number, char room[PARQUET_NAME_ROOM],
	size_t *n)
{
	_Static_assert(PARQUET_NAME_ROOM >= COLUMN_TEXT, "room for any number");
	return column_text(column->user, (enum poly_column)column->id, number, room, n);
}

static enum parquet_type
type_of(const struct column_traits *traits)
{
	switch (traits->form) {
	case POLY_FORM_BOOL: return PARQUET_BOOL;
	case POLY_FORM_DEC:
	case POLY_FORM_HEX: return traits->is_signed ? PARQUET_SIGNED : PARQUET_UNSIGNED;
	case POLY_FORM_BYTES: return PARQUET_BYTES;
	case POLY_FORM_TEXT: return PARQUET_TEXT;
	case POLY_FORM_KIND:
	case POLY_FORM_ACCESS:
	case POLY_FORM_BRANCH:
	case POLY_FORM_SYNC:
	case POLY_FORM_EVENT:
	case POLY_FORM_FLAGS:
	case POLY_FORM_RECORD:
	case POLY_FORM_NAME: break;
	}
	return PARQUET_NAME;
}

/* Adds a key with the value of a trace's metadata, if it is known; false: out of memory. */
static bool
add_property(struct parquet *file, const char *group, const char *key, const char *value)
{
	struct buf name = {0}, text = {0};
	if (!value)
		return true;
	buf_printf(&name, "polytrace.%s%s", group, key);
	utf8_append(&text, value);
	parquet_property(file, buf_text(&name), buf_text(&text));
	const bool good = !name.failed && !text.failed;
	buf_free(&name);
	buf_free(&text);
	return good;
}

/* Adds the metadata of the trace; false: out of memory. */
static bool
add_metadata(const struct writing *writing, struct parquet *file)
{
	const struct poly_trace_info *source = writing->source, *labels = writing->labels;
	char number[24];
	snprintf(number, sizeof number, "%u", source->address_bits);
	bool good = add_property(file, "", "format", source->format);
	good &= add_property(file, "", "isa", source->isa);
	good &= add_property(file, "", "clock", source->clock);
	good &= add_property(file, "", "producer", source->producer);
	good &= add_property(file, "", "address_bits", source->address_bits ? number : NULL);
	for (size_t i = 0; i < source->fact_count; i++)
		good &= add_property(
			file, "fact.", source->facts[i].key, source->facts[i].value);
	for (size_t i = 0; i < labels->label_count; i++)
		good &= add_property(
			file, "label.", labels->labels[i].key, labels->labels[i].value);
	return good;
}

static enum poly_status
parquet_wopen(struct writing *writing, struct poly_error *error)
{
	struct parquet_writer *state = writing->state;
	struct parquet_column columns[WRITING_COLUMNS_MAX];
	const struct parquet_options options = {
		.rows = (size_t)writing->options[PARQUET_OPTION_ROWS],
		.threads = writing->threads,
		.write = write_file,
		.user = writing->out};
	state->count = writing_list_columns(writing, state->list, error);
	if (!state->count)
		return POLY_ERR_USAGE;
	for (size_t i = 0; i < state->count; i++) {
		const struct column_traits *traits = &column_table[state->list[i]];
		columns[i] = (struct parquet_column){
			.name = poly_trace_column_name(writing->source, state->list[i]),
			.type = type_of(traits),
			.size = traits->size,
			.always = !writing_every_column(writing),
			.text = name_text,
			.user = writing->source,
			.id = (unsigned)state->list[i]};
	}
	const enum poly_status status =
		parquet_new(&options, columns, state->count, &state->file, error);
	if (status == POLY_OK && !add_metadata(writing, state->file))
		return err_memory(error);
	return status;
}

/* Appends the numbers of records. */
static void
append_numbers(struct parquet_writer *state, size_t i, const struct poly_batch *batch,
	size_t first, size_t rows)
{
	const struct parquet_cells cells = {state->numbers, state->all, 0, rows};
	for (size_t row = 0; row < rows; row++)
		state->numbers[row] = poly_batch_number(batch, first + row);
	memset(state->all, 0xff, sizeof state->all);
	parquet_append(state->file, i, &cells);
}

/* Appends cells of a column. */
static void
append_cells(struct parquet *file, size_t i, const struct poly_batch *batch,
	enum poly_column column, struct parquet_cells cells)
{
	const enum poly_form form = column_table[column].form;
	const bool has_bytes = form == POLY_FORM_TEXT || form == POLY_FORM_BYTES;
	cells.present = batch->present[column];
	cells.data = has_bytes ? NULL : column_data(batch, column);
	parquet_append(file, i, &cells);
	for (size_t row = cells.first; row < cells.first + cells.rows && has_bytes; row++) {
		size_t n;
		if (!poly_present(batch, column, row))
			continue;
		const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
		parquet_append_bytes(file, i, bytes, n);
	}
}

/* Counts the texts that were changed since the last call. */
static void
note_replaced(struct writing *writing)
{
	struct parquet_writer *state = writing->state;
	for (const uint64_t now = parquet_replaced(state->file); state->replaced < now;
		state->replaced++)
		writing_note(writing, "texts have U+FFFD in place of bytes that are not UTF-8");
}

static enum poly_status
parquet_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct parquet_writer *state = writing->state;
	enum poly_status status = POLY_OK;
	for (size_t row = 0, rows; row < batch->rows && status == POLY_OK; row += rows) {
		const size_t room = parquet_room(state->file), left = batch->rows - row;
		rows = left < room ? left : room;
		for (size_t i = 0; i < state->count; i++) {
			const enum poly_column column = state->list[i];
			if (column == POLY_COLUMN_row)
				append_numbers(state, i, batch, row, rows);
			else
				append_cells(state->file, i, batch, column,
					(struct parquet_cells){.first = row, .rows = rows});
		}
		status = parquet_end_rows(state->file, rows, error);
	}
	note_replaced(writing);
	return status;
}

static enum poly_status
parquet_wfinish(struct writing *writing, struct poly_error *error)
{
	struct parquet_writer *state = writing->state;
	const enum poly_status status = parquet_finish(state->file, error);
	note_replaced(writing);
	return status;
}

static void
parquet_wclose(struct writing *writing)
{
	struct parquet_writer *state = writing->state;
	parquet_free(state->file);
}

static const struct poly_option options[] = {
	[PARQUET_OPTION_ROWS] = {"parquet.rows", POLY_OPTION_NUMBER, POLY_OPTION_WRITE,
		.initial = ROWS_DEFAULT, .minimum = 1, .maximum = ROWS_MAX,
		.help = "maximum number of rows of a row group (default 1048576)",
		.source = "Apache Parquet, Concepts"},
	{.name = NULL},
};
static const struct poly_rule no_rules[] = {{.code = NULL}};

static const struct format parquet = {
	.content = {.users = "DuckDB, Spark",
		.kinds = POLY_KINDS_ALL,
		.own_columns = POLY_COLUMNS_INIT(raw)},
	.info = {.name = "parquet",
		.family = "parquet",
		.title = "Apache Parquet table, for DuckDB, Spark, ClickHouse and others",
		.extensions = "parquet",
		.spec = "Apache Parquet 2.10",
		.can_write = true,
		.columns = POLY_ALL_COLUMNS_INIT,
		.holds_labels = true,
		.options = options,
		.rules = no_rules},
	.writer_size = sizeof(struct parquet_writer),
	.wopen = parquet_wopen,
	.write = parquet_write,
	.wfinish = parquet_wfinish,
	.wclose = parquet_wclose,
};

const struct format *const formats_parquet[] = {&parquet, NULL};
