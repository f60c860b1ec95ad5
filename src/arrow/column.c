/* SPDX-License-Identifier: MIT */
/*
 * Columns as Arrow arrays. Numbers have the layout of batches already; presence bits are the
 * validity bitmap.
 * spec: Arrow columnar format, "Physical memory layout"; Arrow C data interface, "Data type
 * description".
 */
#include "arrow/column.h"

#include "base/bits.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "model/columns.h"

#include <string.h>

void
arrow_column_init(struct arrow_column *column)
{
	const struct column_traits *traits = &column_table[column->id];
	const enum poly_form form = traits->form;
	column->size = traits->size;
	column->layout = ARROW_NUMBERS;
	if (form <= POLY_FORM_NAME)
		column->layout = ARROW_CODES;
	else if (form == POLY_FORM_BOOL)
		column->layout = ARROW_BITS;
	else if (form >= POLY_FORM_BYTES) {
		column->layout = ARROW_STRINGS;
		column->is_text = form == POLY_FORM_TEXT;
		column->size = sizeof(int32_t);
	}
}

static const char *
format_of(const struct arrow_column *column)
{
	switch (column->layout) {
	case ARROW_BITS: return "b";
	case ARROW_STRINGS: return column->is_text ? "u" : "z";
	case ARROW_CODES: return column->size == 1 ? "C" : "i";
	case ARROW_NUMBERS: break;
	}
	switch (column->size) {
	case 1: return "C";
	case 2: return "S";
	case 4: return "I";
	default: return column_table[column->id].is_signed ? "l" : "L";
	}
}

bool
arrow_column_schema(
	const struct arrow_column *column, const char *name, struct ArrowSchema *schema)
{
	if (!arrow_schema_init(schema, name, 0))
		return false;
	schema->format = format_of(column);
	schema->flags = column->id == POLY_COLUMN_row ? 0 : ARROW_FLAG_NULLABLE;
	if (column->layout != ARROW_CODES)
		return true;
	schema->dictionary = mem_new(1, sizeof *schema->dictionary);
	if (!schema->dictionary || !arrow_schema_init(schema->dictionary, "", 0)) {
		schema->release(schema);
		return false;
	}
	schema->dictionary->format = "u";
	return true;
}

bool
arrow_column_begin(struct arrow_column *column, size_t rows)
{
	const bool strings = column->layout == ARROW_STRINGS;
	column->validity = mem_new((rows + 63) / 64, sizeof *column->validity);
	column->values = column->layout == ARROW_BITS
				 ? mem_new((rows + 63) / 64, sizeof(uint64_t))
				 : mem_resize(NULL, rows + strings, column->size);
	if (column->values && strings)
		memset(column->values, 0, column->size);
	return column->validity && column->values;
}

size_t
arrow_column_room(const struct arrow_column *column, const struct arrow_rows *rows)
{
	const struct poly_slice *slices =
		column->layout == ARROW_STRINGS ? column_data(rows->batch, column->id) : NULL;
	size_t used = column->bytes.size;
	for (size_t i = 0; slices && i < rows->count; i++) {
		if (!poly_present(rows->batch, column->id, rows->from + i))
			continue;
		/* A byte becomes U+FFFD, of three bytes. */
		used += slices[rows->from + i].length * (column->is_text ? (size_t)3 : 1);
		if (used > (rows->at + i ? ARROW_STRINGS_MAX : INT32_MAX))
			return i;
	}
	return rows->count;
}

/* Returns whether rows fill whole words of a bitmap and are all present. */
static bool
is_dense(const uint64_t *validity, size_t first, size_t end)
{
	uint64_t all = first % 64 || end % 64 ? 0 : UINT64_MAX;
	for (size_t word = first / 64; word < end / 64; word++)
		all &= validity[word];
	return all == UINT64_MAX;
}

/* Sets the elements of absent rows to 0, without branches: presence is hard to predict. */
#define CLEAR_ABSENT(type)                     \
	for (size_t i = first; i < end; i++)   \
	((type *)(void *)column->values)[i] &= \
		(type)(0 - (column->validity[i / 64] >> i % 64 & 1))

static void
clear_absent(struct arrow_column *column, size_t first, size_t end)
{
	switch (column->size) {
	case 1: CLEAR_ABSENT(uint8_t); break;
	case 2: CLEAR_ABSENT(uint16_t); break;
	case 4: CLEAR_ABSENT(uint32_t); break;
	default: CLEAR_ABSENT(uint64_t); break;
	}
}

/* Appends numbers, which are all absent if data is NULL. */
static void
append_numbers(struct arrow_column *column, const struct arrow_rows *rows, const uint8_t *data)
{
	const size_t size = column->size;
	uint8_t *values = column->values + rows->at * size;
	if (!data) {
		memset(values, 0, rows->count * size);
		return;
	}
	memcpy(values, data + rows->from * size, rows->count * size);
	if (!is_dense(column->validity, rows->at, rows->at + rows->count))
		clear_absent(column, rows->at, rows->at + rows->count);
}

static void
append_bits(struct arrow_column *column, const struct arrow_rows *rows, const uint8_t *data)
{
	uint64_t *bits = (uint64_t *)(void *)column->values;
	for (size_t i = 0; i < rows->count; i++) {
		if (data[rows->from + i] && bit_test(column->validity, rows->at + i))
			bit_set(bits, rows->at + i);
	}
}

/* Returns one more than the index of a value in the dictionary; 0: out of memory. */
static uint32_t
code_of(struct arrow_column *column, uint32_t value)
{
	const size_t count = column->dictionary_count;
	if (!VEC_ROOM_ZEROED(column->codes, column->codes_capacity, value))
		return 0;
	if (column->codes[value])
		return column->codes[value];
	if (!VEC_ROOM(column->dictionary, column->dictionary_capacity, count))
		return 0;
	column->dictionary[count] = value;
	column->codes[value] = ++column->dictionary_count;
	return column->codes[value];
}

static bool
append_codes(struct arrow_column *column, const struct arrow_rows *rows, const void *data)
{
	const struct column_traits *traits = &column_table[column->id];
	uint32_t *wide = (uint32_t *)(void *)column->values;
	for (size_t i = 0; i < rows->count; i++) {
		uint32_t code = 1;
		if (bit_test(column->validity, rows->at + i))
			code = code_of(
				column, (uint32_t)column_load(traits, data, rows->from + i));
		if (!code)
			return false;
		if (column->size == 1)
			column->values[rows->at + i] = (uint8_t)(code - 1);
		else
			wide[rows->at + i] = code - 1;
	}
	return true;
}

/* Appends n bytes as UTF-8. */
static void
append_text(struct buf *dst, const void *text, size_t n)
{
	if (utf8_is_valid(text, n))
		buf_append(dst, text, n);
	else
		utf8_append_bytes(dst, text, n);
}

static bool
append_strings(struct arrow_column *column, const struct arrow_rows *rows)
{
	int32_t *ends = (int32_t *)(void *)column->values + rows->at + 1;
	for (size_t i = 0; i < rows->count; i++) {
		size_t length = 0;
		const uint8_t *bytes = NULL;
		if (bit_test(column->validity, rows->at + i))
			bytes = poly_batch_bytes(
				rows->batch, column->id, rows->from + i, &length);
		if (length && column->is_text)
			append_text(&column->bytes, bytes, length);
		else if (length)
			buf_append(&column->bytes, bytes, length);
		ends[i] = (int32_t)column->bytes.size;
	}
	return !column->bytes.failed;
}

static void
append_row_numbers(struct arrow_column *column, const struct arrow_rows *rows)
{
	uint64_t *numbers = (uint64_t *)(void *)column->values + rows->at;
	for (size_t i = 0; i < rows->count; i++) {
		numbers[i] = poly_batch_number(rows->batch, rows->from + i);
		bit_set(column->validity, rows->at + i);
	}
}

bool
arrow_column_append(struct arrow_column *column, const struct arrow_rows *rows)
{
	const uint8_t *data = column_data(rows->batch, column->id);
	if (column->id == POLY_COLUMN_row) {
		append_row_numbers(column, rows);
		return true;
	}
	const uint64_t *present = data ? rows->batch->present[column->id] : NULL;
	if (present)
		bits_copy(column->validity, rows->at, present, rows->from, rows->count);
	switch (column->layout) {
	case ARROW_BITS:
		if (data)
			append_bits(column, rows, data);
		return true;
	case ARROW_CODES: return append_codes(column, rows, data);
	case ARROW_STRINGS: return append_strings(column, rows);
	case ARROW_NUMBERS: break;
	}
	append_numbers(column, rows, present ? data : NULL);
	return true;
}

/* Appends the text of a value. */
static void
append_name(struct buf *dst, const struct arrow_column *column,
	const struct poly_trace_info *info, uint32_t value)
{
	char room[COLUMN_TEXT];
	size_t length;
	const char *text = column_text(info, column->id, value, room, &length);
	append_text(dst, text, length);
}

/* Moves the bytes of strings to the last buffer of an array, which may not be NULL. */
static bool
store_bytes(struct ArrowArray *array, struct buf *bytes)
{
	void **owned = array->private_data;
	if (!buf_reserve(bytes, 1))
		return false;
	owned[2] = bytes->data;
	memset(bytes, 0, sizeof *bytes);
	return true;
}

/* Moves the dictionary to an array of strings. */
static bool
store_dictionary(struct arrow_column *column, const struct poly_trace_info *info,
	struct ArrowArray *array)
{
	struct buf bytes = {0};
	const size_t count = column->dictionary_count;
	if (!arrow_array_init(array, 3, 0))
		return false;
	int32_t *offsets = mem_new(count + 1, sizeof *offsets);
	bool fits = offsets != NULL;
	((void **)array->private_data)[1] = offsets;
	array->length = (int64_t)count;
	for (size_t i = 0; i < count; i++) {
		append_name(&bytes, column, info, column->dictionary[i]);
		fits = fits && bytes.size <= INT32_MAX;
		if (fits)
			offsets[i + 1] = (int32_t)bytes.size;
		column->codes[column->dictionary[i]] = 0;
	}
	column->dictionary_count = 0;
	fits = fits && !bytes.failed;
	if (!fits)
		buf_free(&bytes);
	return fits && store_bytes(array, &bytes);
}

/* Moves the collected rows to an array; false: out of memory. */
static bool
store_rows(struct arrow_column *column, const struct poly_trace_info *info,
	struct ArrowArray *array)
{
	void **owned = array->private_data;
	const size_t rows = (size_t)array->length;
	array->null_count = (int64_t)(rows - bit_count(column->validity, rows));
	/* Without nulls there need not be a bitmap. */
	if (array->null_count)
		owned[0] = column->validity;
	else
		mem_free(column->validity);
	owned[1] = column->values;
	column->validity = NULL;
	column->values = NULL;
	if (column->layout == ARROW_STRINGS)
		return store_bytes(array, &column->bytes);
	if (column->layout != ARROW_CODES)
		return true;
	array->dictionary = mem_new(1, sizeof *array->dictionary);
	return array->dictionary && store_dictionary(column, info, array->dictionary);
}

bool
arrow_column_finish(struct arrow_column *column, const struct poly_trace_info *info,
	size_t rows, struct ArrowArray *array)
{
	if (!arrow_array_init(array, column->layout == ARROW_STRINGS ? 3 : 2, 0))
		return false;
	array->length = (int64_t)rows;
	if (store_rows(column, info, array))
		return true;
	array->release(array);
	return false;
}

void
arrow_column_fini(struct arrow_column *column)
{
	mem_free(column->validity);
	mem_free(column->values);
	mem_free(column->dictionary);
	mem_free(column->codes);
	buf_free(&column->bytes);
}
