/* SPDX-License-Identifier: MIT */
/*
 * A chunk: a dictionary page, if there is one, and data pages.
 *
 * The encoding is the smallest of a sample. A dictionary's numbers are also tried with whole
 * bytes, as traces repeat sequences of them: then Zstandard finds the repetitions, which are
 * at different bits in tightly packed numbers.
 *
 * spec: parquet.thrift (PageHeader), Encodings.md
 */
#include "parquet/chunk.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "parquet/thrift.h"

#include <string.h>

/* Rows of a page, a multiple of 64. */
#define PAGE_ROWS ((size_t)131072)

/* Values of the sample. */
#define SAMPLE 16384

/* spec: parquet.thrift, PageType */
enum page_type { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

/* An encoding, and the width of a dictionary's numbers in bits. */
struct coding {
	enum parquet_encoding encoding;
	unsigned width;
};

enum physical_type
physical_type_of(const struct parquet_column *column)
{
	switch (column->type) {
	case PARQUET_BOOL: return PHYSICAL_BOOLEAN;
	case PARQUET_UNSIGNED:
	case PARQUET_SIGNED: return column->size == 8 ? PHYSICAL_INT64 : PHYSICAL_INT32;
	case PARQUET_REAL: return PHYSICAL_DOUBLE;
	case PARQUET_NAME:
	case PARQUET_TEXT:
	case PARQUET_BYTES: break;
	}
	return PHYSICAL_BYTES;
}

static bool
has_texts(const struct cells *cells)
{
	return cells->column.type == PARQUET_TEXT || cells->column.type == PARQUET_BYTES;
}

/* Returns values from the first one on. */
static struct numbers
numbers_of(const struct cells *cells, size_t first, size_t count)
{
	const unsigned size = cells->column.size;
	return (struct numbers){
		cells->values.data ? cells->values.data + first * size : NULL, count, size};
}

/* Returns the text of a value of the dictionary; *n: its bytes. */
static const void *
text_of(struct encoder *encoder, struct cells *cells, uint64_t value, size_t *n)
{
	char room[PARQUET_NAME_ROOM];
	if (has_texts(cells))
		return text_dictionary_at(&cells->texts, (size_t)value, n);
	const char *text = cells->column.text(&cells->column, value, room, n);
	buf_clear(&encoder->text);
	if (utf8_is_valid(text, *n)) {
		buf_append(&encoder->text, text, *n);
	} else {
		utf8_append_bytes(&encoder->text, text, *n);
		cells->replaced++;
	}
	*n = encoder->text.size;
	return encoder->text.data ? (const void *)encoder->text.data : "";
}

/* Appends a page of the encoder's body to the chunk. */
static void
append_page(struct encoder *encoder, struct cells *cells, enum page_type type, size_t values)
{
	const struct buf *body = &encoder->body;
	struct thrift header = {.dst = &cells->pages};
	buf_clear(&encoder->packed);
	if (body->size > INT32_MAX) {
		encoder->status = err_set(&encoder->error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"a page of column '%s' has %zu bytes, the limit of the format is %d; "
			"write fewer rows per group",
			cells->column.name, body->size, INT32_MAX);
		return;
	}
	if (encoder->status == POLY_OK)
		encoder->status = block_pack(encoder->packer, body->size ? body->data : NULL,
			body->size, &encoder->packed, &encoder->error);
	const size_t start = cells->pages.size;
	thrift_i32(&header, 1, (int32_t)type);
	thrift_i32(&header, 2, (int32_t)body->size);
	thrift_i32(&header, 3, (int32_t)encoder->packed.size);
	thrift_begin(&header, type == PAGE_DATA ? 5 : 7);
	thrift_i32(&header, 1, (int32_t)values);
	thrift_i32(&header, 2, (int32_t)(type == PAGE_DATA ? cells->encoding : ENCODING_PLAIN));
	if (type == PAGE_DATA) {
		thrift_i32(&header, 3, ENCODING_RLE); /* definition levels */
		thrift_i32(&header, 4, ENCODING_RLE); /* no repetition levels */
	}
	thrift_end(&header);
	buf_byte(&cells->pages, 0);
	cells->raw_size += cells->pages.size - start + body->size;
	buf_append(&cells->pages, encoder->packed.data, encoder->packed.size);
	cells->failed |= body->failed || encoder->text.failed || cells->pages.failed ||
			 encoder->numbers.failed;
}

/* Appends a value to the body, as it is stored. */
static void
append_text(struct encoder *encoder, struct cells *cells, uint64_t value)
{
	size_t n;
	const void *text = text_of(encoder, cells, value, &n);
	encode_bytes(&encoder->body, text, n);
}

/* Returns the number of distinct values; 0: without a dictionary. */
static size_t
distinct(const struct encoder *encoder, const struct cells *cells)
{
	return has_texts(cells) ? cells->texts.count : encoder->numbers.count;
}

/* Appends a dictionary page. */
static void
append_dictionary(struct encoder *encoder, struct cells *cells)
{
	const size_t count = distinct(encoder, cells);
	const bool is_text = physical_type_of(&cells->column) == PHYSICAL_BYTES;
	buf_clear(&encoder->body);
	for (size_t i = 0; i < count && is_text; i++)
		append_text(encoder, cells, has_texts(cells) ? i : encoder->numbers.values[i]);
	if (!is_text) {
		const bool is_long = cells->column.size == 8;
		for (size_t i = 0; i < count; i++) {
			const uint64_t value = encoder->numbers.values[i];
			const uint32_t half = (uint32_t)value;
			const struct numbers one = {
				is_long ? (const uint8_t *)&value : (const uint8_t *)&half, 1,
				is_long ? 8 : 4};
			encode_plain(&encoder->body, &one);
		}
	}
	append_page(encoder, cells, PAGE_DICTIONARY, count);
	cells->dictionary_size = cells->pages.size;
}

/* Appends values to the body in an encoding. */
static void
append_values(struct encoder *encoder, struct cells *cells, struct coding coding, size_t first,
	size_t count)
{
	const struct numbers numbers = numbers_of(cells, first, count);
	struct buf *body = &encoder->body;
	if (coding.encoding == ENCODING_DICTIONARY) {
		const uint32_t *ids =
			has_texts(cells) ? (const uint32_t *)(const void *)cells->values.data
					 : encoder->numbers.ids;
		buf_byte(body, (uint8_t)coding.width);
		encode_hybrid(body, ids + first, count, coding.width);
	} else if (coding.encoding == ENCODING_DELTA) {
		encode_delta(body, &numbers);
	} else if (cells->column.type == PARQUET_BOOL) {
		encode_bits(body, &numbers);
	} else if (physical_type_of(&cells->column) == PHYSICAL_BYTES) {
		/* A larger page is refused. */
		for (size_t i = 0; i < count && body->size <= INT32_MAX; i++)
			append_text(encoder, cells, number_at(&numbers, i));
	} else {
		encode_plain(body, &numbers);
	}
}

/* Returns the estimated size of count values in an encoding, by a sample of them. */
static double
estimate(struct encoder *encoder, struct cells *cells, struct coding coding, size_t count)
{
	const size_t n = count < SAMPLE ? count : SAMPLE;
	const uint64_t replaced = cells->replaced;
	buf_clear(&encoder->body);
	buf_clear(&encoder->packed);
	append_values(encoder, cells, coding, (count - n) / 2, n);
	cells->replaced = replaced;
	if (encoder->status == POLY_OK)
		encoder->status = block_pack(encoder->packer, encoder->body.data,
			encoder->body.size, &encoder->packed, &encoder->error);
	return (double)encoder->packed.size * (double)count / (double)n;
}

/* Selects the smallest encoding of count values; appends the dictionary if it needs one. */
static struct coding
select_coding(struct encoder *encoder, struct cells *cells, size_t count)
{
	const struct coding plain = {ENCODING_PLAIN, 0};
	struct coding candidates[3];
	size_t candidate_count = 0, best = 0;
	const struct numbers numbers = numbers_of(cells, 0, count);
	const enum parquet_type type = cells->column.type;
	const bool is_integer = type == PARQUET_UNSIGNED || type == PARQUET_SIGNED;
	if (!count || type == PARQUET_BOOL)
		return plain;
	const bool repeats =
		has_texts(cells)
			? cells->texts.count <= SAMPLE || cells->texts.count <= count / 2
			: number_dictionary_fill(&encoder->numbers, &numbers);
	if (repeats) {
		unsigned width = 1;
		append_dictionary(encoder, cells);
		while (distinct(encoder, cells) > (size_t)1 << width)
			width++;
		candidates[candidate_count++] = (struct coding){ENCODING_DICTIONARY, width};
		if (width > 1 && width % 8)
			candidates[candidate_count++] =
				(struct coding){ENCODING_DICTIONARY, (width + 7) / 8 * 8};
		if (distinct(encoder, cells) == 1)
			return candidates[0];
	} else {
		candidates[candidate_count++] = plain;
	}
	if (is_integer)
		candidates[candidate_count++] = (struct coding){ENCODING_DELTA, 0};
	double least = 0;
	for (size_t i = 0; i < candidate_count && candidate_count > 1; i++) {
		double size = estimate(encoder, cells, candidates[i], count);
		if (candidates[i].encoding == ENCODING_DICTIONARY)
			size += (double)cells->dictionary_size;
		if (i == 0 || size < least) {
			least = size;
			best = i;
		}
	}
	return candidates[best];
}

/* Widens the range to a value as it is stored; a longer one leaves it unknown. */
static void
widen_range(struct stored_range *range, const void *value, size_t n, bool is_min, bool is_max)
{
	range->known &= n <= STATISTIC_MAX;
	if (is_min && range->known) {
		memcpy(range->min, value, n);
		range->min_size = n;
	}
	if (is_max && range->known) {
		memcpy(range->max, value, n);
		range->max_size = n;
	}
}

/* Compares texts by their bytes. */
static int
compare_texts(const void *a, size_t a_size, const void *b, size_t b_size)
{
	const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
	return order ? order : (a_size > b_size) - (a_size < b_size);
}

/* Determines the range of the texts of a dictionary. */
static void
find_text_range(struct encoder *encoder, struct cells *cells)
{
	struct stored_range *range = &cells->range;
	const size_t count = distinct(encoder, cells);
	const uint64_t replaced = cells->replaced;
	range->known = count && cells->dictionary_size && cells->column.type != PARQUET_BYTES;
	for (size_t i = 0; i < count && range->known; i++) {
		size_t n;
		const void *text = text_of(
			encoder, cells, has_texts(cells) ? i : encoder->numbers.values[i], &n);
		widen_range(range, text, n,
			!i || compare_texts(text, n, range->min, range->min_size) < 0,
			!i || compare_texts(text, n, range->max, range->max_size) > 0);
	}
	cells->replaced = replaced;
}

/* Determines the range of numbers. */
static void
find_number_range(struct encoder *encoder, struct cells *cells, size_t count)
{
	struct numbers numbers = numbers_of(cells, 0, count);
	const uint64_t sign = cells->column.type == PARQUET_SIGNED ? (uint64_t)1 << 63 : 0;
	uint64_t min = UINT64_MAX, max = 0;
	uint8_t bytes[8];
	if (cells->dictionary_size)
		numbers = (struct numbers){(const uint8_t *)encoder->numbers.values,
			encoder->numbers.count, sizeof *encoder->numbers.values};
	for (size_t i = 0; i < numbers.count; i++) {
		const uint64_t value = number_at(&numbers, i) ^ sign;
		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	struct stored_range *range = &cells->range;
	const enum physical_type type = physical_type_of(&cells->column);
	const size_t n = type == PHYSICAL_BOOLEAN ? 1 : type == PHYSICAL_INT32 ? 4 : 8;
	range->known = numbers.count != 0;
	store_le64(bytes, min ^ sign);
	widen_range(range, bytes, n, true, false);
	store_le64(bytes, max ^ sign);
	widen_range(range, bytes, n, false, true);
}

void
cells_encode(struct encoder *encoder, struct cells *cells, size_t rows)
{
	const size_t count = cells->values.size / cells->column.size;
	struct buf *body = &encoder->body;
	size_t first = 0, values;
	encoder->numbers.count = 0;
	const struct coding coding = select_coding(encoder, cells, count);
	if (coding.encoding != ENCODING_DICTIONARY) {
		buf_clear(&cells->pages);
		cells->dictionary_size = 0;
		cells->raw_size = 0;
	}
	cells->encoding = coding.encoding;
	cells->nulls = rows - count;
	for (size_t row = 0; row < rows && encoder->status == POLY_OK; row += PAGE_ROWS) {
		const size_t n = rows - row < PAGE_ROWS ? rows - row : PAGE_ROWS;
		const uint64_t *present = cells->present + row / 64;
		values = bit_count(present, n);
		buf_clear(body);
		encode_levels(body, present, n);
		append_values(encoder, cells, coding, first, values);
		append_page(encoder, cells, PAGE_DATA, n);
		first += values;
	}
	cells->range.known = false;
	if (physical_type_of(&cells->column) == PHYSICAL_BYTES)
		find_text_range(encoder, cells);
	else if (cells->column.type != PARQUET_REAL)
		find_number_range(encoder, cells, count);
}

void
cells_clear(struct cells *cells)
{
	buf_clear(&cells->values);
	buf_clear(&cells->pages);
	text_dictionary_clear(&cells->texts);
	cells->dictionary_size = 0;
	cells->raw_size = 0;
	if (cells->present)
		memset(cells->present, 0, cells->present_capacity * sizeof *cells->present);
}

void
cells_free(struct cells *cells)
{
	buf_free(&cells->values);
	buf_free(&cells->pages);
	buf_free(&cells->valid);
	text_dictionary_free(&cells->texts);
	mem_free(cells->present);
}

void
encoder_free(struct encoder *encoder)
{
	block_packer_free(encoder->packer);
	number_dictionary_free(&encoder->numbers);
	buf_free(&encoder->body);
	buf_free(&encoder->packed);
	buf_free(&encoder->text);
}
