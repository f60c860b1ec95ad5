/* SPDX-License-Identifier: MIT */
#include "format/core/line_ends.h"

#include "model/slice.h"

#include <string.h>

/* Returns whether a byte separates records. */
static bool
is_separator(const struct writing *writing, uint8_t c)
{
	return c == '\n' || (writing->is_free && (c == ' ' || (c >= '\t' && c <= '\r')));
}

bool
line_is_open(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_raw, row))
		return false;
	const struct poly_slice raw = batch->raw[row];
	return raw.length && !is_separator(writing, batch->arena[raw.offset + raw.length - 1]);
}

/* Returns the first row from row from on whose line is open; batch->rows: none. */
static size_t
find_open(const struct writing *writing, const struct poly_batch *batch, size_t from)
{
	const uint64_t *bits = batch->raw ? batch->present[POLY_COLUMN_raw] : NULL;
	size_t row = bits ? from : batch->rows;
	while (row < batch->rows && !line_is_open(writing, batch, row)) {
		row++;
		/* Few rows store their line. */
		while (row % 64 == 0 && row < batch->rows && !bits[row / 64])
			row += 64;
	}
	return row < batch->rows ? row : batch->rows;
}

bool
line_ends_are_open(const struct writing *writing, const struct poly_batch *batch)
{
	return writing->line_is_open || find_open(writing, batch, 0) < batch->rows;
}

bool
row_is_corrupt(const struct poly_batch *batch, size_t row)
{
	const struct poly_trace_info *info = batch->info;
	return poly_present(batch, POLY_COLUMN_record, row) &&
	       batch->record[row] < info->record_count &&
	       strcmp(info->records[batch->record[row]], "corrupt") == 0;
}

static bool
begins_with_separator(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_raw, row) && batch->raw[row].length &&
	       is_separator(writing, batch->arena[batch->raw[row].offset]);
}

/* Writes a newline if the line before a row is open, and the row does not continue it. */
static void
begin_row(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const bool continues = (writing->line_is_part && row_is_corrupt(batch, row)) ||
			       (writing->is_free && begins_with_separator(writing, batch, row));
	if (writing->line_is_open && !continues && out_last(writing->out, '\n') != '\n')
		out_write(writing->out, "\n", 1);
	writing->line_is_open = false;
}

/* Notes whether a written row has left its line open. */
static void
end_row(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	writing->line_is_open = line_is_open(writing, batch, row);
	writing->line_is_part = writing->line_is_open && row_is_corrupt(batch, row);
}

enum poly_status
line_ends_write_row(const struct format *format, struct writing *writing,
	const struct poly_batch *batch, size_t row, struct poly_error *error)
{
	if (!line_ends_matter(format, writing))
		return format->write_row(writing, batch, row, error);
	begin_row(writing, batch, row);
	const enum poly_status status = format->write_row(writing, batch, row, error);
	end_row(writing, batch, row);
	return status;
}

enum poly_status
line_ends_write(const struct format *format, struct writing *writing,
	const struct poly_batch *batch, struct poly_error *error)
{
	struct slice slice = {.bits = NULL};
	enum poly_status status = POLY_OK;
	for (size_t row = 0; !format->write && status == POLY_OK && row < batch->rows; row++)
		status = line_ends_write_row(format, writing, batch, row, error);
	if (!format->write)
		return status;
	for (size_t row = 0, count; status == POLY_OK && row < batch->rows; row += count) {
		const size_t open = find_open(writing, batch, row);
		const bool same = writing->line_is_open && format->continues_line &&
				  format->continues_line(writing, batch, row);
		count = same ? 1 : (open < batch->rows ? open + 1 : open) - row;
		status = slice_make(&slice, batch, row, count, error);
		if (status != POLY_OK)
			break;
		if (!same)
			begin_row(writing, batch, row);
		status = format->write(writing, &slice.view, error);
		if (!same)
			end_row(writing, batch, row + count - 1);
	}
	slice_fini(&slice);
	return status;
}
