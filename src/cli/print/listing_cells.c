/* SPDX-License-Identifier: MIT */
/* The cells of a listing, whose sizes are bounded. */
#include "cli/print/listing_cells.h"

#include <string.h>

/* Bytes of a cell of text or bytes, and of a cell with a name. */
#define LONG_CELL 2100
#define NAME_CELL 120

static size_t
put_string(char *dst, const char *text)
{
	size_t n = strlen(text);
	memcpy(dst, text, n);
	return n;
}

/* Writes v in hexadecimal with 0x and at least digits digits (at most 16). */
static size_t
put_hex(char *dst, uint64_t v, unsigned digits)
{
	static const char hex[] = "0123456789abcdef";
	unsigned n = digits ? digits : 1;
	while (n < 16 && v >> (4 * n))
		n++;
	dst[0] = '0';
	dst[1] = 'x';
	for (unsigned i = 0; i < n; i++)
		dst[2 + i] = hex[v >> (4 * (n - 1 - i)) & 15];
	return 2 + n;
}

static size_t
put_decimal(char *dst, uint64_t v)
{
	char digits[20];
	size_t n = 0;
	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	for (size_t i = 0; i < n; i++)
		dst[i] = digits[n - 1 - i];
	return n;
}

/* Truncates a cell to max bytes, at most LONG_CELL, without its control characters. */
static size_t
sanitize(char *dst, size_t n, size_t max)
{
	char visible[LONG_CELL + 1];
	const size_t whole = n < max ? n : max;
	const size_t shown = poly_text_visible(visible, max + 1, dst, whole);
	const bool truncated = n > max || shown < whole;
	memcpy(dst, visible, shown);
	if (!truncated)
		return shown;
	n = shown < max ? shown : max - 3;
	n = n > max - 3 ? max - 3 : n;
	memcpy(dst + n, "...", 3);
	return n + 3;
}

static size_t
put_text(struct cell_source *source, const struct poly_batch *batch, size_t row, char *dst)
{
	const size_t max = LONG_CELL - DISASSEMBLY_REMARK - 3;
	const char *text = NULL;
	size_t n = 0;
	if (poly_present(batch, POLY_COLUMN_text, row))
		n = sanitize(dst, poly_batch_format(batch, POLY_COLUMN_text, row, dst, max + 1),
			max);
	if (!n && source->disassembly)
		text = disassembly_text(source->disassembly, batch, row);
	if (text)
		n = put_string(dst, text);
	if (source->disassembly) {
		char remark[DISASSEMBLY_REMARK];
		size_t length = disassembly_remark(source->disassembly, batch, row, remark);
		if (length && n)
			n += put_string(dst + n, "  ");
		memcpy(dst + n, remark, length);
		n += length;
	}
	if (n)
		return n;
	*dst = '-';
	return 1;
}

static size_t
put_column(const struct listing_column *shown, const struct poly_batch *batch, size_t row,
	char *dst)
{
	if (!poly_present(batch, shown->column, row)) {
		*dst = '-';
		return 1;
	}
	const char *name = NULL;
	if (shown->names) {
		uint64_t number = poly_batch_integer(batch, shown->column, row);
		if (number < shown->names->register_count)
			name = shown->names->registers[number];
	}
	if (name)
		return put_string(dst, name);
	if (shown->form == POLY_FORM_HEX) {
		unsigned digits = shown->digits;
		if (shown->column == POLY_COLUMN_opcode &&
			poly_present(batch, POLY_COLUMN_opcode_size, row))
			digits =
				batch->opcode_size[row] < 8 ? 2u * batch->opcode_size[row] : 16;
		return put_hex(dst, poly_batch_integer(batch, shown->column, row), digits);
	}
	if (shown->form == POLY_FORM_DEC && shown->column != POLY_COLUMN_immediate)
		return put_decimal(dst, poly_batch_integer(batch, shown->column, row));
	bool is_long = shown->form == POLY_FORM_BYTES || shown->form == POLY_FORM_TEXT;
	size_t max = is_long ? LONG_CELL - 1 : NAME_CELL;
	return sanitize(dst, poly_batch_format(batch, shown->column, row, dst, max + 1), max);
}

static size_t
put_register(const struct cell_source *source, const struct listing_column *shown, char *dst)
{
	if (source->has_state)
		return poly_powerpc_register(&source->state, shown->title, dst);
	*dst = '-';
	return 1;
}

size_t
cell_print(struct cell_source *source, const struct listing_column *shown,
	const struct poly_batch *batch, size_t row, char *dst)
{
	switch (shown->cell) {
	case CELL_COLUMN: return put_column(shown, batch, row, dst);
	case CELL_TEXT: return put_text(source, batch, row, dst);
	case CELL_REGISTER: return put_register(source, shown, dst);
	}
	return 0;
}

void
cell_read_state(struct cell_source *source, const struct poly_batch *batch, size_t row)
{
	source->has_state = source->registers && poly_powerpc_state_decode(batch, row,
							 &source->state, NULL) == POLY_OK;
	source->had_state |= source->has_state;
}
