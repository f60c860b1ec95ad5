/* SPDX-License-Identifier: MIT */
/* Collecting the rows of a segment. */
#include "format/ptz/encode.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

const uint8_t ptz_range_columns[PTZ_RANGES] = {
	POLY_COLUMN_time, POLY_COLUMN_pc, POLY_COLUMN_address};

static void
clear_ranges(struct ptz_segment *segment)
{
	for (size_t i = 0; i < PTZ_RANGES; i++)
		segment->range[i] = (struct ptz_range){UINT64_MAX, 0};
}

void
segment_init(struct ptz_segment *segment, enum ptz_plan plan)
{
	dictionary_init(&segment->dictionary, plan);
	clear_ranges(segment);
}

void
segment_clear(struct ptz_segment *segment)
{
	dictionary_clear(&segment->dictionary);
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++) {
		segment->varying[c].count = 0;
		buf_clear(&segment->varying[c].bytes);
	}
	segment->rows = 0;
	clear_ranges(segment);
}

void
segment_fini(struct ptz_segment *segment)
{
	dictionary_fini(&segment->dictionary);
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++) {
		mem_free(segment->varying[c].values);
		mem_free(segment->varying[c].template);
		buf_free(&segment->varying[c].bytes);
	}
	mem_free(segment->numbers);
	memset(segment, 0, sizeof *segment);
}

static bool
grow_varying(struct ptz_varying *varying)
{
	const size_t count = varying->count + POLY_BATCH_ROWS;
	size_t room[2] = {varying->capacity, varying->capacity};
	if (!VEC_RESERVE(varying->values, room[0], count) ||
		!VEC_RESERVE(varying->template, room[1], count))
		return false;
	varying->capacity = room[0];
	return true;
}

/* Appends the values of a column from the rows in which it varies. */
static bool
add_varying(
	struct ptz_segment *segment, const struct poly_batch *batch, enum poly_column column)
{
	struct ptz_varying *varying = &segment->varying[column];
	const column_mask bit = (column_mask)1 << column;
	const struct ptz_shape *shape = segment->dictionary.shape;
	const uint32_t *numbers = segment->numbers + segment->rows;
	if (!grow_varying(varying))
		return false;
	for (size_t row = 0; row < batch->rows; row++) {
		if (!(shape[row].varying & bit))
			continue;
		uint64_t v;
		if (ptz_is_slice(column)) {
			size_t n;
			const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
			buf_append(&varying->bytes, bytes, n);
			v = n;
		} else {
			v = poly_batch_integer(batch, column, row);
		}
		varying->template[varying->count] = numbers[row];
		varying->values[varying->count++] = v;
	}
	return !varying->bytes.failed;
}

void
ptz_extend_range(
	struct ptz_range *range, const struct poly_batch *batch, enum poly_column column)
{
	const uint64_t *values = column == POLY_COLUMN_time ? batch->time
				 : column == POLY_COLUMN_pc ? batch->pc
							    : batch->address;
	for (size_t row = 0; values && row < batch->rows; row++) {
		if (!poly_present(batch, column, row))
			continue;
		if (values[row] < range->min)
			range->min = values[row];
		if (values[row] > range->max)
			range->max = values[row];
	}
}

bool
segment_add(struct ptz_segment *segment, const struct poly_batch *batch)
{
	column_mask varying = 0;
	if (!VEC_RESERVE(
		    segment->numbers, segment->capacity, segment->rows + POLY_BATCH_ROWS) ||
		!dictionary_add(&segment->dictionary, batch, segment->numbers + segment->rows))
		return false;
	for (size_t row = 0; row < batch->rows; row++)
		varying |= segment->dictionary.shape[row].varying;
	for (; varying; varying &= varying - 1) {
		if (!add_varying(segment, batch, (enum poly_column)__builtin_ctzll(varying)))
			return false;
	}
	for (size_t i = 0; i < PTZ_RANGES; i++)
		ptz_extend_range(
			&segment->range[i], batch, (enum poly_column)ptz_range_columns[i]);
	segment->rows += batch->rows;
	return true;
}
