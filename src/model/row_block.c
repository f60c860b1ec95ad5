/* SPDX-License-Identifier: MIT */
#include "model/row_block.h"

#include "base/bits.h"
#include "base/mem.h"

#include <string.h>

struct row_block *
row_block_new(size_t capacity)
{
	struct row_block *block = mem_new(1, sizeof *block);
	if (block)
		block->capacity = capacity;
	return block;
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
add_column(struct row_block *block, enum poly_column column)
{
	const size_t words = (block->capacity + 63) / 64;
	if (!block->values[column])
		block->values[column] =
			mem_resize(NULL, block->capacity, column_table[column].size);
	if (!block->bits[column])
		block->bits[column] = mem_resize(NULL, words, sizeof(uint64_t));
	if (!block->values[column] || !block->bits[column])
		return false;
	memset(block->bits[column], 0, words * sizeof(uint64_t));
	block->view.present[column] = block->bits[column];
	set_column(&block->view, column, block->values[column]);
	return true;
}

/* Copies the bytes of a column's slices into the arena. */
static void
copy_slices(struct row_block *block, const struct poly_batch *batch, enum poly_column column,
	size_t from, size_t rows)
{
	struct poly_slice *slices = block->values[column];
	for (size_t row = 0; row < rows; row++) {
		if (!poly_present(batch, column, from + row))
			continue;
		size_t n;
		const uint8_t *bytes = poly_batch_bytes(batch, column, from + row, &n);
		/* Offsets have 32 bits. */
		block->arena.failed |= n > UINT32_MAX - block->arena.size;
		slices[block->view.rows + row] =
			(struct poly_slice){(uint32_t)block->arena.size, (uint32_t)n};
		buf_append(&block->arena, bytes, n);
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
row_block_append(
	struct row_block *block, const struct poly_batch *batch, size_t from, size_t rows)
{
	const size_t at = block->view.rows;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const enum poly_column column = (enum poly_column)c;
		const uint8_t *data = column_data(batch, column);
		const size_t size = column_table[c].size;
		const enum poly_form form = column_table[c].form;
		if (!data || !any_bit(batch->present[c], from, rows))
			continue;
		if (!block->view.present[c] && !add_column(block, column))
			return false;
		bits_copy(block->bits[c], at, batch->present[c], from, rows);
		if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
			copy_slices(block, batch, column, from, rows);
		else
			memcpy((uint8_t *)block->values[c] + at * size, data + from * size,
				rows * size);
	}
	block->view.rows += rows;
	block->view.arena = block->arena.data;
	block->view.arena_size = block->arena.size;
	return !block->arena.failed;
}

void
row_block_clear(struct row_block *block)
{
	memset(&block->view, 0, sizeof block->view);
	buf_clear(&block->arena);
}

void
row_block_free(struct row_block *block)
{
	if (!block)
		return;
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++) {
		mem_free(block->values[c]);
		mem_free(block->bits[c]);
	}
	buf_free(&block->arena);
	mem_free(block);
}
