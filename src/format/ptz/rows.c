/* SPDX-License-Identifier: MIT */
/*
 * Rows of a segment, a column at a time, and in it stretches of neighbouring templates: a
 * program goes through them mostly in the order in which they were numbered.
 */
#include "format/ptz/decode.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* Rows whose templates are neighbours. */
struct stretch {
	uint32_t template, row, rows;
};

struct giving {
	struct unpacked *from;
	struct batch *batch;
	size_t rows, stretches;
	struct stretch stretch[POLY_BATCH_ROWS];
	uint32_t number[POLY_BATCH_ROWS];    /* the template of each row */
	uint64_t bits[POLY_BATCH_ROWS / 64]; /* rows that have a column */
	uint64_t value[POLY_BATCH_ROWS];
	uint32_t template[POLY_BATCH_ROWS]; /* of the values */
};

/* Finds the templates of the next rows. False: the streams do not say them. */
static bool
find_stretches(struct giving *it)
{
	struct unpacked *from = it->from;
	size_t row = 0;
	it->stretches = 0;
	while (row < it->rows) {
		if (from->next == PTZ_SEVERAL) {
			const uint32_t block = from->block < from->block_count
						       ? from->blocks[from->block]
						       : from->start_count;
			if (block >= from->start_count)
				return false;
			from->next = from->starts[block];
			from->block++;
		}
		const uint32_t t = from->next;
		const size_t left = it->rows - row;
		const uint32_t rows = from->run[t] < left ? from->run[t] : (uint32_t)left;
		it->stretch[it->stretches++] = (struct stretch){t, (uint32_t)row, rows};
		for (uint32_t i = 0; i < rows; i++)
			it->number[row + i] = t + i;
		row += rows;
		from->next = from->follow[t + rows - 1];
	}
	return true;
}

/* Sets the bits of the rows whose templates are in a map. */
static void
find_bits(struct giving *it, const uint64_t *map)
{
	memset(it->bits, 0, sizeof it->bits);
	for (size_t i = 0; i < it->stretches; i++) {
		const struct stretch *stretch = &it->stretch[i];
		for (uint32_t done = 0; done < stretch->rows;) {
			const uint32_t t = stretch->template + done, row = stretch->row + done;
			const uint32_t shift = t % 64, to = row % 64;
			uint32_t n = 64 - (shift > to ? shift : to);
			n = n < stretch->rows - done ? n : stretch->rows - done;
			const uint64_t some = map[t / 64] >> shift & (~(uint64_t)0 >> (64 - n));
			it->bits[row / 64] |= some << to;
			done += n;
		}
	}
}

/* Copies elements of size bytes, which is known where this is compiled. */
static inline __attribute__((always_inline)) void
copy(const struct giving *it, uint8_t *to, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < it->stretches; i++) {
		const struct stretch *stretch = &it->stretch[i];
		uint8_t *target = to + stretch->row * size;
		const uint8_t *source = from + stretch->template * size;
		if (stretch->rows <= PTZ_SLACK && stretch->row + PTZ_SLACK <= POLY_BATCH_ROWS)
			memcpy(target, source, PTZ_SLACK * size);
		else
			memcpy(target, source, stretch->rows * size);
	}
}

static void
give_values(const struct giving *it, const struct ptz_column *column)
{
	uint8_t *to = batch_column(it->batch, column->column);
	switch (column->size) {
	case 1: copy(it, to, column->values, 1); break;
	case 2: copy(it, to, column->values, 2); break;
	case 4: copy(it, to, column->values, 4); break;
	case 8: copy(it, to, column->values, 8); break;
	}
}

static void
give_slices(const struct giving *it, const struct ptz_column *column)
{
	const struct poly_slice *slices = column->values;
	for (size_t w = 0; 64 * w < it->rows; w++) {
		for (uint64_t left = it->bits[w]; left; left &= left - 1) {
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);
			const struct poly_slice *slice = &slices[it->number[row]];
			batch_put_bytes(it->batch, column->column, row,
				column->bytes ? column->bytes + slice->offset : NULL,
				slice->length);
		}
	}
}

/* The static values of a column. */
static void
give_fixed(struct giving *it, const struct ptz_column *column)
{
	uint64_t *bits = it->batch->bits[column->column];
	const size_t words = (it->rows + 63) / 64;
	if (column->always)
		memset(it->bits, 0xff, words * sizeof *it->bits);
	else
		find_bits(it, column->fixed);
	if (column->size == 0) {
		give_slices(it, column);
		return;
	}
	give_values(it, column);
	for (size_t w = 0; w < words; w++)
		bits[w] |= it->bits[w];
	if (it->rows % 64)
		bits[words - 1] &= ((uint64_t)1 << it->rows % 64) - 1;
}

/* The next slice of a moving column. */
static bool
take_slice(struct ptz_column *column, size_t n, const uint8_t **bytes)
{
	struct ptz_bytes *slices = &column->slices;
	if ((size_t)(slices->end - slices->p) < n)
		return false;
	*bytes = slices->p;
	slices->p += n;
	if (!column->is_xor)
		return true;
	if (n > column->before_capacity) {
		uint8_t *room = mem_resize(column->before, n, 1);
		if (!room)
			return false;
		column->before = room;
		column->before_capacity = n;
	}
	const bool same = n == column->before_size;
	for (size_t i = 0; i < n; i++)
		column->before[i] = (*bytes)[i] ^ (same ? column->before[i] : 0);
	column->before_size = n;
	*bytes = column->before;
	return true;
}

/* Stores a number in a column of a row. */
static inline void
store(void *array, unsigned size, size_t row, uint64_t v)
{
	switch (size) {
	case 1: ((uint8_t *)array)[row] = (uint8_t)v; break;
	case 2: ((uint16_t *)array)[row] = (uint16_t)v; break;
	case 4: ((uint32_t *)array)[row] = (uint32_t)v; break;
	case 8: ((uint64_t *)array)[row] = v; break;
	}
}

/* The moving values of a column. False: there are too few. */
static bool
give_moving(struct giving *it, struct ptz_column *column)
{
	void *array = batch_column(it->batch, column->column);
	uint64_t *bits = it->batch->bits[column->column];
	const size_t words = (it->rows + 63) / 64;
	size_t n = 0;
	find_bits(it, column->moves);
	for (size_t w = 0; w < words; w++) {
		for (uint64_t left = it->bits[w]; left; left &= left - 1)
			it->template[n++] = it->number[64 * w + (size_t)__builtin_ctzll(left)];
	}
	ptz_decode(&column->decoder, it->value, n, it->template);
	if (column->decoder.bytes.bad)
		return false;
	n = 0;
	for (size_t w = 0; w < words; w++) {
		for (uint64_t left = it->bits[w]; left; left &= left - 1, n++) {
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);
			const uint8_t *bytes;
			if (column->size) {
				store(array, column->size, row, it->value[n]);
				continue;
			}
			if (!take_slice(column, it->value[n], &bytes))
				return false;
			batch_put_bytes(it->batch, column->column, row, bytes, it->value[n]);
		}
		if (column->size)
			bits[w] |= it->bits[w];
	}
	return true;
}

enum poly_status
unpacked_rows(struct unpacked *from, struct batch *batch, size_t most, struct poly_error *error)
{
	if (!from->giving)
		from->giving = mem_new(1, sizeof *from->giving);
	struct giving *it = from->giving;
	if (!it)
		return err_memory(error);
	it->from = from;
	it->batch = batch;
	it->rows = from->rows - from->given < most ? from->rows - from->given : most;
	if (from->given == 0)
		from->next = PTZ_SEVERAL;
	bool ok = find_stretches(it);
	for (unsigned i = 0; ok && i < from->columns; i++) {
		struct ptz_column *column = &from->column[i];
		if (column->fixed)
			give_fixed(it, column);
		if (column->moves)
			ok = give_moving(it, column);
	}
	from->given += (uint32_t)it->rows;
	batch->view.rows = ok ? it->rows : 0;
	if (ok)
		return POLY_OK;
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"the streams of a segment of %u rows have fewer", from->rows);
}
