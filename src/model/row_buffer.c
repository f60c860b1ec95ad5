/* SPDX-License-Identifier: MIT */
#include "model/row_buffer.h"

#include "base/bits.h"
#include "base/mem.h"

#include <string.h>

struct row_buffer *
row_buffer_new(size_t capacity)
{
	struct row_buffer *buffer = mem_new(1, sizeof *buffer);
	if (buffer)
		buffer->capacity = capacity;
	return buffer;
}

/* Sets the column of a batch to an array. */
static void
set_column(struct poly_batch *batch, enum poly_column column, void *array)
{
	switch ((unsigned)column) {
#define COLUMN(name, type, form, doc) \
	case POLY_COLUMN_##name:      \
		batch->name = array;  \
		break;
#include "polytrace/columns.def"
#undef COLUMN
	}
}

/* Adds a column, absent in all rows so far. Returns false if out of memory. */
static bool
add_column(struct row_buffer *buffer, enum poly_column column)
{
	const size_t words = (buffer->capacity + 63) / 64;
	if (!buffer->values[column])
		buffer->values[column] =
			mem_resize(NULL, buffer->capacity, column_table[column].size);
	if (!buffer->bits[column])
		buffer->bits[column] = mem_resize(NULL, words, sizeof(uint64_t));
	if (!buffer->values[column] || !buffer->bits[column])
		return false;
	memset(buffer->bits[column], 0, words * sizeof(uint64_t));
	buffer->view.present[column] = buffer->bits[column];
	set_column(&buffer->view, column, buffer->values[column]);
	return true;
}

/* Copies the bytes of a column's slices into the arena. */
static void
copy_slices(struct row_buffer *buffer, const struct poly_batch *batch, enum poly_column column,
	size_t from, size_t rows)
{
	struct poly_slice *slices = buffer->values[column];
	for (size_t row = 0; row < rows; row++) {
		if (!poly_present(batch, column, from + row))
			continue;
		size_t n;
		const uint8_t *bytes = poly_batch_bytes(batch, column, from + row, &n);
		/* Offsets have 32 bits. */
		buffer->arena.failed |= n > UINT32_MAX - buffer->arena.size;
		slices[buffer->view.rows + row] =
			(struct poly_slice){(uint32_t)buffer->arena.size, (uint32_t)n};
		buf_append(&buffer->arena, bytes, n);
	}
}

/* Returns whether any of the words of a bitmap with these bits has a bit set. */
static bool
any_bit(const uint64_t *bits, size_t from, size_t rows)
{
	uint64_t any = 0;
	for (size_t w = from / 64; bits && 64 * w < from + rows; w++)
		any |= bits[w];
	return any != 0;
}

bool
row_buffer_append(
	struct row_buffer *buffer, const struct poly_batch *batch, size_t from, size_t rows)
{
	const size_t at = buffer->view.rows;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const enum poly_column column = (enum poly_column)c;
		const uint8_t *data = column_data(batch, column);
		const size_t size = column_table[c].size;
		const enum poly_form form = column_table[c].form;
		if (!data || !any_bit(batch->present[c], from, rows))
			continue;
		if (!buffer->view.present[c] && !add_column(buffer, column))
			return false;
		bits_copy(buffer->bits[c], at, batch->present[c], from, rows);
		if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
			copy_slices(buffer, batch, column, from, rows);
		else
			memcpy((uint8_t *)buffer->values[c] + at * size, data + from * size,
				rows * size);
	}
	buffer->view.rows += rows;
	buffer->view.arena = buffer->arena.data;
	buffer->view.arena_size = buffer->arena.size;
	return !buffer->arena.failed;
}

void
row_buffer_clear(struct row_buffer *buffer)
{
	memset(&buffer->view, 0, sizeof buffer->view);
	buf_clear(&buffer->arena);
}

void
row_buffer_free(struct row_buffer *buffer)
{
	if (!buffer)
		return;
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++) {
		mem_free(buffer->values[c]);
		mem_free(buffer->bits[c]);
	}
	buf_free(&buffer->arena);
	mem_free(buffer);
}
