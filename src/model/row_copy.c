/* SPDX-License-Identifier: MIT */
#include "model/row_copy.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

poly_columns
row_copy_columns(const struct poly_batch *batch)
{
	poly_columns columns = POLY_NO_COLUMNS;
	for (unsigned c = 0; c < COLUMN_STORED_END; c++) {
		if (column_data(batch, (enum poly_column)c))
			poly_columns_add(&columns, (enum poly_column)c);
	}
	return columns;
}

void
row_copy_begin(struct row_copy *copy, const struct poly_batch *source, struct batch *dst)
{
	copy->source = source;
	copy->dst = dst;
	copy->count = 0;
	FOR_COLUMNS(column, dst->wanted)
	{
		const struct column_traits *traits = &column_table[column];
		const void *data = column_data(source, column);
		const bool is_own = traits->form == POLY_FORM_BYTES ||
				    traits->form == POLY_FORM_TEXT ||
				    (traits->form == POLY_FORM_NAME && copy->names);
		if (data)
			copy->columns[copy->count++] =
				(struct row_copy_column){.column = column,
					.data = data,
					.present = source->present[column],
					.to = batch_column(dst, column),
					.bits = dst->bits[column],
					.size = is_own ? 0 : traits->size};
	}
}

/* Maps the number of a name; INTERN_FAILED: out of memory. */
static uint32_t
map_name(struct row_copy *copy, uint32_t number)
{
	const char *name = poly_trace_name(copy->source->info, number);
	if (!name)
		return number;
	if (!VEC_ROOM_ZEROED(copy->ids, copy->id_count, number))
		return INTERN_FAILED;
	if (!copy->ids[number]) {
		const uint32_t id = info_name(copy->names, name, strlen(name));
		if (id == INTERN_FAILED)
			return id;
		copy->ids[number] = id + 1;
	}
	return copy->ids[number] - 1;
}

/* Copies the bytes of an element. */
static inline void
copy_element(const struct row_copy_column *from, size_t row, size_t dst)
{
	switch (from->size) {
	case 1: ((uint8_t *)from->to)[dst] = ((const uint8_t *)from->data)[row]; break;
	case 2: ((uint16_t *)from->to)[dst] = ((const uint16_t *)from->data)[row]; break;
	case 4: ((uint32_t *)from->to)[dst] = ((const uint32_t *)from->data)[row]; break;
	default: ((uint64_t *)from->to)[dst] = ((const uint64_t *)from->data)[row]; break;
	}
}

/* Copies a value of another form; false: out of memory. */
static bool
copy_value(struct row_copy *copy, const struct row_copy_column *from, size_t row, size_t dst)
{
	const struct column_traits *traits = &column_table[from->column];
	if (traits->form == POLY_FORM_BYTES || traits->form == POLY_FORM_TEXT) {
		size_t n;
		const uint8_t *bytes = poly_batch_bytes(copy->source, from->column, row, &n);
		batch_put_bytes(copy->dst, from->column, dst, bytes, n);
		return true;
	}
	uint64_t value = column_load(traits, from->data, row);
	if (traits->form == POLY_FORM_NAME && copy->names) {
		value = map_name(copy, (uint32_t)value);
		if (value == INTERN_FAILED)
			return false;
	}
	batch_put_integer(copy->dst, from->column, dst, value);
	return true;
}

bool
row_copy_row(struct row_copy *copy, size_t row, size_t dst, poly_columns omitted)
{
	bool good = true;
	for (size_t i = 0; i < copy->count && good; i++) {
		const struct row_copy_column *from = &copy->columns[i];
		if (!from->present || !bit_test(from->present, row) ||
			poly_columns_has(omitted, from->column))
			continue;
		if (!from->size) {
			good = copy_value(copy, from, row, dst);
			continue;
		}
		copy_element(from, row, dst);
		bit_set(from->bits, dst);
	}
	return good;
}

void
row_copy_fini(struct row_copy *copy)
{
	mem_free(copy->ids);
}
