/* SPDX-License-Identifier: MIT */
/* Writing JSON Lines. */
#include "format/jsonl/jsonl.h"

#include <string.h>

/* Bytes to collect before each write. */
#define TEXT_MAX ((size_t)64 << 10)

/* Appends a line that is not canonical; the next one adds a missing line feed. */
static void
append_verbatim(struct jsonl_writer *state, const void *bytes, size_t n)
{
	if (!n)
		return;
	if (state->unterminated)
		buf_byte(&state->text, '\n');
	buf_append(&state->text, bytes, n);
	state->unterminated = ((const char *)bytes)[n - 1] != '\n';
}

static void
append_row(struct jsonl_writer *state, const struct poly_batch *batch, size_t row)
{
	if (state->verbatim && poly_present(batch, POLY_COLUMN_verbatim, row)) {
		size_t n;
		const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_verbatim, row, &n);
		append_verbatim(state, bytes, n);
		return;
	}
	if (state->unterminated)
		buf_byte(&state->text, '\n');
	state->unterminated = false;
	jsonl_row(&state->text, &state->plan, batch, row);
}

static enum poly_status
flush(struct writing *writing, struct poly_error *error)
{
	struct jsonl_writer *state = writing->state;
	if (state->text.failed)
		return err_memory(error);
	out_write(writing->out, state->text.data, state->text.size);
	buf_clear(&state->text);
	return POLY_OK;
}

enum poly_status
jsonl_wopen(struct writing *writing, struct poly_error *error)
{
	struct jsonl_writer *state = writing->state;
	const bool is_every = writing_every_column(writing);
	/* A line as it was read has no row, or that of another file. */
	state->verbatim = is_every && !writing->row && !info_register_count(writing->source);
	const poly_columns registers = poly_columns_minus(writing->columns, POLY_ALL_COLUMNS);
	state->columns =
		is_every ? poly_columns_union(JSONL_CANONICAL, registers) : writing->columns;
	writing->uses = poly_columns_union(state->columns, POLY_COLUMNS(verbatim));
	if (writing->row)
		poly_columns_add(&state->columns, POLY_COLUMN_row);
	/* Rows of a merge can have columns that the header does not name. */
	const bool is_own = POLY_HAS(writing->source->columns, verbatim);
	const char *header = poly_trace_fact(writing->source, JSONL_HEADER);
	bool keeps = header && state->verbatim && is_own;
	/* Labels can have changed since the lines were packed. */
	const enum poly_status status =
		keeps ? jsonl_compare_labels(header, writing->labels, &keeps, error) : POLY_OK;
	if (status != POLY_OK)
		return status;
	if (keeps)
		append_verbatim(state, header, strlen(header));
	else
		jsonl_header(&state->text, writing->source, state->columns, writing->labels);
	return flush(writing, error);
}

enum poly_status
jsonl_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct jsonl_writer *state = writing->state;
	enum poly_status status = POLY_OK;
	jsonl_plan(&state->plan, batch, state->columns);
	for (size_t row = 0; row < batch->rows && status == POLY_OK; row++) {
		append_row(state, batch, row);
		if (state->text.size >= TEXT_MAX)
			status = flush(writing, error);
	}
	return status == POLY_OK ? flush(writing, error) : status;
}

void
jsonl_wclose(struct writing *writing)
{
	struct jsonl_writer *state = writing->state;
	buf_free(&state->text);
}
