/* SPDX-License-Identifier: MIT */
/* Gathering the rows of a segment. */
#include "format/ptz/encode.h"

#include "base/mem.h"

#include <string.h>

const uint8_t ptz_range_columns[PTZ_RANGES] = {
	POLY_COLUMN_time, POLY_COLUMN_pc, POLY_COLUMN_address};

static void
clear_ranges(struct segment *segment)
{
	for (size_t i = 0; i < PTZ_RANGES; i++)
		segment->range[i] = (struct ptz_range){UINT64_MAX, 0};
}

void
segment_init(struct segment *segment, enum ptz_plan plan)
{
	dictionary_init(&segment->dictionary, plan);
	clear_ranges(segment);
}

void
segment_clear(struct segment *segment)
{
	dictionary_clear(&segment->dictionary);
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++) {
		segment->moving[c].count = 0;
		buf_clear(&segment->moving[c].bytes);
	}
	segment->rows = 0;
	segment->slices = 0;
	clear_ranges(segment);
}

void
segment_fini(struct segment *segment)
{
	dictionary_fini(&segment->dictionary);
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++) {
		mem_free(segment->moving[c].values);
		mem_free(segment->moving[c].template);
		buf_free(&segment->moving[c].bytes);
	}
	mem_free(segment->numbers);
	memset(segment, 0, sizeof *segment);
}

/* Room for the rows of another batch. */
static bool
grow_rows(struct segment *segment)
{
	if (segment->capacity - segment->rows >= POLY_BATCH_ROWS)
		return true;
	const size_t capacity = segment->capacity ? 2 * segment->capacity : 4 * POLY_BATCH_ROWS;
	uint32_t *numbers = mem_resize(segment->numbers, capacity, sizeof *numbers);
	if (!numbers)
		return false;
	segment->numbers = numbers;
	segment->capacity = capacity;
	return true;
}

static bool
grow_moving(struct ptz_moving *moving)
{
	if (moving->capacity - moving->count >= POLY_BATCH_ROWS)
		return true;
	const size_t capacity = moving->capacity ? 2 * moving->capacity : 4 * POLY_BATCH_ROWS;
	uint64_t *values = mem_resize(moving->values, capacity, sizeof *values);
	moving->values = values ? values : moving->values;
	uint32_t *template = mem_resize(moving->template, capacity, sizeof *template);
	moving->template = template ? template : moving->template;
	if (!values || !template)
		return false;
	moving->capacity = capacity;
	return true;
}

/* Takes the values of a column from the rows in which it moves. */
static bool
add_moving(struct segment *segment, const struct poly_batch *batch, enum poly_column column)
{
	struct ptz_moving *moving = &segment->moving[column];
	const poly_columns bit = (poly_columns)1 << column;
	const struct ptz_shape *shape = segment->dictionary.shape;
	const uint32_t *numbers = segment->numbers + segment->rows;
	if (!grow_moving(moving))
		return false;
	for (size_t row = 0; row < batch->rows; row++) {
		if (!(shape[row].moving & bit))
			continue;
		uint64_t v;
		if (ptz_is_slice(column)) {
			size_t n;
			const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
			buf_append(&moving->bytes, bytes, n);
			segment->slices += n;
			v = n;
		} else {
			v = poly_batch_integer(batch, column, row);
		}
		moving->template[moving->count] = numbers[row];
		moving->values[moving->count++] = v;
	}
	return !moving->bytes.failed;
}

void
ptz_widen(struct ptz_range *range, const struct poly_batch *batch, enum poly_column column)
{
	const uint64_t *values = column == POLY_COLUMN_time ? batch->time
				 : column == POLY_COLUMN_pc ? batch->pc
							    : batch->address;
	for (size_t row = 0; values && row < batch->rows; row++) {
		if (!poly_present(batch, column, row))
			continue;
		if (values[row] < range->least)
			range->least = values[row];
		if (values[row] > range->greatest)
			range->greatest = values[row];
	}
}

bool
segment_add(struct segment *segment, const struct poly_batch *batch)
{
	poly_columns moving = 0;
	if (!grow_rows(segment) ||
		!dictionary_add(&segment->dictionary, batch, segment->numbers + segment->rows))
		return false;
	for (size_t row = 0; row < batch->rows; row++)
		moving |= segment->dictionary.shape[row].moving;
	for (; moving; moving &= moving - 1) {
		if (!add_moving(segment, batch, (enum poly_column)__builtin_ctzll(moving)))
			return false;
	}
	for (size_t i = 0; i < PTZ_RANGES; i++)
		ptz_widen(&segment->range[i], batch, (enum poly_column)ptz_range_columns[i]);
	segment->rows += batch->rows;
	return true;
}
