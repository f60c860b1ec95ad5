/* SPDX-License-Identifier: MIT */
/*
 * CSV: a row of column names, then one row per record; written only.
 *
 * Values are those of JSON Lines without its quotes; text is written byte for byte. An absent
 * value is an empty field, and an empty text a pair of quotes. The columns row, raw, origin,
 * site and verbatim are written only when requested by name. spec: RFC 4180 (quoting; lines end
 * in a line feed alone, as reports do).
 */
#include "format/core/format.h"

#include "base/num.h"
#include "base/quote.h"
#include "model/columns.h"

#include <string.h>

/* Bytes to collect before each write. */
#define TEXT_MAX ((size_t)64 << 10)

struct csv_writer {
	struct buf text;			    /* lines to be written */
	enum poly_column list[WRITING_COLUMNS_MAX]; /* columns to write, in order */
	size_t count;
	bool safe;
	const void *data[WRITING_COLUMNS_MAX]; /* their arrays in the batch; NULL: none */
};

static void
append_bytes(struct buf *dst, const uint8_t *bytes, size_t n)
{
	if (!n)
		quote_csv(dst, bytes, 0, false);
	uint8_t *room = buf_reserve(dst, 2 * n);
	if (!room)
		return;
	num_hex_bytes((char *)room, bytes, n);
	dst->size += 2 * n;
}

static void
append_integer(struct csv_writer *state, const struct poly_batch *batch, size_t i, size_t row)
{
	enum poly_column column = state->list[i];
	const struct column_traits *traits = &column_table[column];
	char room[COLUMN_TEXT];
	size_t n;
	uint64_t value = column == POLY_COLUMN_row ? poly_batch_number(batch, row)
						   : column_load(traits, state->data[i], row);
	const char *text = column_text(batch->info, column, value, room, &n);
	if (traits->form == POLY_FORM_RECORD || traits->form == POLY_FORM_NAME)
		quote_csv(&state->text, text, n, state->safe);
	else
		buf_append(&state->text, text, n);
}

static void
append_value(struct csv_writer *state, const struct poly_batch *batch, size_t i, size_t row)
{
	enum poly_column column = state->list[i];
	enum poly_form form = column_table[column].form;
	size_t n;
	if (form != POLY_FORM_TEXT && form != POLY_FORM_BYTES) {
		append_integer(state, batch, i, row);
		return;
	}
	const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
	if (form == POLY_FORM_TEXT)
		quote_csv(&state->text, bytes, n, state->safe);
	else
		append_bytes(&state->text, bytes, n);
}

static void
append_row(struct csv_writer *state, const struct poly_batch *batch, size_t row)
{
	struct buf *dst = &state->text;
	for (size_t i = 0; i < state->count; i++) {
		if (i)
			buf_byte(dst, ',');
		if (poly_present(batch, state->list[i], row))
			append_value(state, batch, i, row);
		else if (state->count == 1)
			quote_csv(dst, "", 0, false); /* a blank line would not be a record */
	}
	buf_byte(dst, '\n');
}

static enum poly_status
flush(struct writing *writing, struct poly_error *error)
{
	struct csv_writer *state = writing->state;
	if (state->text.failed)
		return err_memory(error);
	out_write(writing->out, state->text.data, state->text.size);
	buf_clear(&state->text);
	return POLY_OK;
}

static enum poly_status
csv_wopen(struct writing *writing, struct poly_error *error)
{
	struct csv_writer *state = writing->state;
	state->safe = writing->options[0];
	state->count = writing_list_columns(writing, state->list, error);
	for (size_t i = 0; i < state->count; i++) {
		if (i)
			buf_byte(&state->text, ',');
		buf_string(
			&state->text, poly_trace_column_name(writing->source, state->list[i]));
	}
	buf_byte(&state->text, '\n');
	return state->count ? flush(writing, error) : POLY_ERR_USAGE;
}

static enum poly_status
csv_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct csv_writer *state = writing->state;
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < state->count; i++)
		state->data[i] = column_data(batch, state->list[i]);
	for (size_t row = 0; row < batch->rows && status == POLY_OK; row++) {
		append_row(state, batch, row);
		if (state->text.size >= TEXT_MAX)
			status = flush(writing, error);
	}
	return status == POLY_OK ? flush(writing, error) : status;
}

static void
csv_wclose(struct writing *writing)
{
	struct csv_writer *state = writing->state;
	buf_free(&state->text);
}

static const struct poly_option options[] = {
	{"csv.safe", POLY_OPTION_BOOL, POLY_OPTION_WRITE,
		.help = "begin texts that spreadsheets execute with an apostrophe",
		.source = "OWASP, CSV injection"},
	{.name = NULL}};
static const struct poly_rule no_rules[] = {{.code = NULL}};

static const struct format csv = {
	.content = {.users = "pandas, DuckDB",
		.kinds = POLY_KINDS_ALL,
		.own_columns = POLY_COLUMNS_INIT(raw)},
	.info = {.name = "csv",
		.family = "csv",
		.title = "comma-separated values with a row of column names",
		.extensions = "csv",
		.spec = "RFC 4180",
		.can_write = true,
		.columns = POLY_ALL_COLUMNS_INIT,
		.options = options,
		.rules = no_rules},
	.is_text = true,
	.rows_independent = true,
	.writer_size = sizeof(struct csv_writer),
	.wopen = csv_wopen,
	.write = csv_write,
	.wclose = csv_wclose,
};

const struct format *const formats_csv[] = {&csv, NULL};
