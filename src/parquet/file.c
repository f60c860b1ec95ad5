/* SPDX-License-Identifier: MIT */
/*
 * Row groups and the metadata after them.
 *
 *     file   = "PAR1" { chunk } metadata size "PAR1" ;   (size: 4 bytes, little-endian)
 *
 * A column that had no value so far has no chunks. With its first value they are added for the
 * preceding groups, so a file has no columns that its trace promised in vain.
 *
 * spec: parquet.thrift (FileMetaData, RowGroup, ColumnChunk), LogicalTypes.md
 */
#include "parquet/parquet.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread_pool.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "parquet/chunk.h"
#include "parquet/thrift.h"

#include <stdatomic.h>
#include <string.h>

#define MAGIC "PAR1"

/* Zstandard's level, and its number among the compressions. */
#define LEVEL 3
#define CODEC_ZSTD 6

/* Bytes of distinct texts after which a group ends. */
#define TEXTS_MAX ((size_t)64 << 20)

/* Rows between tests of the size of texts, and the maximum of rows that are appended at once
 * if there are none. */
#define TEXTS_STEP 64
#define STEP 4096

/* Minimum number of rows that several threads encode. */
#define PARALLEL_ROWS_MIN 16384

/* spec: parquet.thrift, ConvertedType and FieldRepetitionType */
enum { CONVERTED_UTF8 = 0, CONVERTED_UINT_8 = 11, CONVERTED_INT_64 = 18 };
enum { REPETITION_OPTIONAL = 1 };

/* A row group. */
struct row_group {
	size_t rows;
	uint64_t offset, size, raw_size; /* of its chunks in bytes */
};

/* The metadata of a chunk. */
struct chunk_place {
	size_t offset, size; /* in the encoded chunks; size 0: none */
};

struct parquet {
	struct parquet_options options;
	struct cells *columns;
	size_t column_count;
	size_t rows;	/* of the pending group */
	size_t step;	/* STEP, or TEXTS_STEP if a column has texts or bytes */
	uint64_t total; /* rows of the groups */
	uint64_t offset;
	struct row_group *groups;
	size_t group_count, group_capacity;
	struct chunk_place *places; /* by group and column */
	size_t place_capacity;
	struct buf chunks; /* encoded metadata of the chunks */
	struct buf properties;
	size_t property_count;
	struct encoder *encoders; /* by thread */
	struct thread_pool *pool; /* NULL: not created */
	atomic_size_t next;	  /* the column to be encoded next */
	bool failed;		  /* out of memory */
};

static void
write_bytes(struct parquet *file, const void *bytes, size_t n)
{
	if (n)
		file->options.write(file->options.user, bytes, n);
	file->offset += n;
}

enum poly_status
parquet_new(const struct parquet_options *options, const struct parquet_column *columns,
	size_t count, struct parquet **result, struct poly_error *error)
{
	struct parquet *file = *result = mem_new(1, sizeof *file);
	if (!file)
		return err_memory(error);
	file->options = *options;
	file->columns = mem_new(count, sizeof *file->columns);
	file->encoders = mem_new(options->threads, sizeof *file->encoders);
	enum poly_status status = POLY_OK;
	if (!file->columns || !file->encoders)
		status = err_memory(error);
	for (unsigned i = 0; i < options->threads && status == POLY_OK; i++)
		status = block_packer_new(LEVEL, &file->encoders[i].packer, error);
	if (status != POLY_OK) {
		parquet_free(file);
		*result = NULL;
		return status;
	}
	file->step = STEP;
	for (size_t i = 0; i < count; i++) {
		const bool is_text =
			columns[i].type == PARQUET_TEXT || columns[i].type == PARQUET_BYTES;
		file->columns[i].column = columns[i];
		file->columns[i].seen = columns[i].always;
		if (!is_text)
			continue;
		file->columns[i].column.size = sizeof(uint32_t);
		file->step = TEXTS_STEP;
	}
	file->column_count = count;
	write_bytes(file, MAGIC, 4);
	return POLY_OK;
}

size_t
parquet_room(const struct parquet *file)
{
	const size_t left = file->options.rows - file->rows;
	const size_t room = file->step - file->rows % file->step;
	return left < room ? left : room;
}

/* Appends n numbers to the values. */
static void
append_numbers(struct cells *cells, const uint8_t *data, size_t n)
{
	buf_append(&cells->values, data, n * cells->column.size);
}

void
parquet_append(struct parquet *file, size_t column, const struct parquet_cells *source)
{
	struct cells *cells = &file->columns[column];
	const size_t end = file->rows + source->rows, size = cells->column.size;
	/* One word more: pages of a bitmap are read in words. */
	if (!VEC_RESERVE_ZEROED(cells->present, cells->present_capacity, end / 64 + 2)) {
		cells->failed = true;
		return;
	}
	if (!source->present)
		return;
	bits_copy(cells->present, file->rows, source->present, source->first, source->rows);
	if (!source->data)
		return;
	const uint8_t *data = source->data;
	for (size_t row = source->first, run; row < source->first + source->rows; row += run) {
		const bool present = bit_test(source->present, row);
		for (run = 1; row + run < source->first + source->rows; run++) {
			if (bit_test(source->present, row + run) != present)
				break;
		}
		if (present)
			append_numbers(cells, data + row * size, run);
	}
}

void
parquet_append_bytes(struct parquet *file, size_t column, const void *bytes, size_t n)
{
	struct cells *cells = &file->columns[column];
	if (cells->column.type == PARQUET_TEXT && !utf8_is_valid(bytes, n)) {
		buf_clear(&cells->valid);
		utf8_append_bytes(&cells->valid, bytes, n);
		cells->failed |= cells->valid.failed;
		cells->replaced++;
		bytes = cells->valid.data;
		n = cells->valid.size;
	}
	const uint32_t number = text_dictionary_add(&cells->texts, bytes, n);
	cells->failed |= number == UINT32_MAX;
	buf_append(&cells->values, &number, sizeof number);
}

/* Appends the type of the values that are stored in numbers or texts. */
static void
append_logical_type(struct thrift *thrift, const struct parquet_column *column)
{
	const bool is_signed = column->type == PARQUET_SIGNED;
	const unsigned size = column->size, power = size == 8 ? 3 : size / 2;
	if (column->type == PARQUET_TEXT || column->type == PARQUET_NAME) {
		thrift_i32(thrift, 6, CONVERTED_UTF8);
		thrift_begin(thrift, 10);
		thrift_begin(thrift, 1);
	} else if (is_signed || column->type == PARQUET_UNSIGNED) {
		thrift_i32(thrift, 6,
			is_signed ? CONVERTED_INT_64 : CONVERTED_UINT_8 + (int32_t)power);
		thrift_begin(thrift, 10);
		thrift_begin(thrift, 10);
		thrift_i8(thrift, 1, (int8_t)(8 * size));
		thrift_bool(thrift, 2, is_signed);
	} else {
		return;
	}
	thrift_end(thrift);
	thrift_end(thrift);
}

/* Appends the metadata of a chunk of rows rows that begins at an offset. */
static void
append_chunk(struct buf *dst, const struct cells *cells, size_t rows, uint64_t offset)
{
	struct thrift thrift = {.dst = dst};
	const struct stored_range *range = &cells->range;
	const bool has_dictionary = cells->dictionary_size != 0;
	const bool has_plain = has_dictionary || cells->encoding == ENCODING_PLAIN;
	const bool has_other = cells->encoding != ENCODING_PLAIN;
	thrift_i64(&thrift, 2, offset);
	thrift_begin(&thrift, 3);
	thrift_i32(&thrift, 1, (int32_t)physical_type_of(&cells->column));
	thrift_list(&thrift, 2, THRIFT_I32, 1U + has_plain + has_other);
	thrift_i32_element(&thrift, ENCODING_RLE);
	if (has_plain)
		thrift_i32_element(&thrift, ENCODING_PLAIN);
	if (has_other)
		thrift_i32_element(&thrift, (int32_t)cells->encoding);
	thrift_list(&thrift, 3, THRIFT_BINARY, 1);
	thrift_string_element(&thrift, cells->column.name);
	thrift_i32(&thrift, 4, CODEC_ZSTD);
	thrift_i64(&thrift, 5, rows);
	thrift_i64(&thrift, 6, cells->raw_size);
	thrift_i64(&thrift, 7, cells->pages.size);
	thrift_i64(&thrift, 9, offset + cells->dictionary_size);
	if (has_dictionary)
		thrift_i64(&thrift, 11, offset);
	thrift_begin(&thrift, 12);
	thrift_i64(&thrift, 3, cells->nulls);
	if (range->known) {
		thrift_binary(&thrift, 5, range->max, range->max_size);
		thrift_binary(&thrift, 6, range->min, range->min_size);
	}
	thrift_end(&thrift);
	thrift_end(&thrift);
	buf_byte(dst, 0);
}

/* Writes the encoded chunk of a column in a group, and stores its metadata. */
static void
write_chunk(struct parquet *file, const struct cells *cells, size_t column, size_t number)
{
	struct row_group *group = &file->groups[number];
	struct chunk_place *place = &file->places[number * file->column_count + column];
	place->offset = file->chunks.size;
	append_chunk(&file->chunks, cells, group->rows, file->offset);
	place->size = file->chunks.size - place->offset;
	group->size += cells->pages.size;
	group->raw_size += cells->raw_size;
	write_bytes(file, cells->pages.data, cells->pages.size);
}

/* Returns a failure of encoding. */
static enum poly_status
encoding_status(struct parquet *file, struct poly_error *error)
{
	bool failed = file->failed || file->chunks.failed || file->properties.failed;
	for (size_t i = 0; i < file->column_count; i++)
		failed |= file->columns[i].failed || file->columns[i].values.failed ||
			  file->columns[i].pages.failed;
	for (unsigned i = 0; i < file->options.threads; i++) {
		const struct encoder *encoder = &file->encoders[i];
		if (encoder->status == POLY_OK)
			continue;
		if (error)
			*error = encoder->error;
		return encoder->status;
	}
	return failed ? err_memory(error) : POLY_OK;
}

/* Adds a column to the groups before, in which it has no values. */
static enum poly_status
add_late_column(struct parquet *file, size_t column, struct poly_error *error)
{
	struct cells absent = {.column = file->columns[column].column};
	enum poly_status status = POLY_OK;
	file->columns[column].seen = true;
	for (size_t i = 0; i < file->group_count && status == POLY_OK; i++) {
		const size_t rows = file->groups[i].rows;
		cells_clear(&absent);
		if (!VEC_RESERVE_ZEROED(absent.present, absent.present_capacity, rows / 64 + 2))
			absent.failed = true;
		else
			cells_encode(&file->encoders[0], &absent, rows);
		file->failed |= absent.failed || absent.pages.failed;
		status = encoding_status(file, error);
		if (status == POLY_OK)
			write_chunk(file, &absent, column, i);
	}
	cells_free(&absent);
	return status;
}

/* Encodes columns of the pending group until none is left. */
static void
encode_columns(void *user, size_t i)
{
	struct parquet *file = user;
	struct encoder *encoder = &file->encoders[i];
	size_t column;
	while ((column = atomic_fetch_add(&file->next, 1)) < file->column_count) {
		struct cells *cells = &file->columns[column];
		if (cells->seen && encoder->status == POLY_OK)
			cells_encode(encoder, cells, file->rows);
	}
}

/* Makes room for a group; false: out of memory. */
static bool
add_group(struct parquet *file)
{
	const size_t count = (file->group_count + 1) * file->column_count;
	if (!VEC_ROOM(file->groups, file->group_capacity, file->group_count) ||
		!VEC_RESERVE_ZEROED(file->places, file->place_capacity, count))
		return false;
	file->groups[file->group_count] =
		(struct row_group){.rows = file->rows, .offset = file->offset};
	return true;
}

/* Writes the pending group, if it has rows. */
static enum poly_status
write_group(struct parquet *file, struct poly_error *error)
{
	unsigned threads = file->rows < PARALLEL_ROWS_MIN ? 1 : file->options.threads;
	enum poly_status status = encoding_status(file, error);
	if (!file->rows || status != POLY_OK)
		return status;
	if (!add_group(file))
		return err_memory(error);
	for (size_t i = 0; i < file->column_count && status == POLY_OK; i++) {
		if (!file->columns[i].seen && file->columns[i].values.size)
			status = add_late_column(file, i, error);
	}
	if (status != POLY_OK)
		return status;
	file->groups[file->group_count].offset = file->offset;
	if (threads > 1 && !file->pool)
		file->pool = thread_pool_new(threads);
	atomic_store(&file->next, 0);
	thread_pool_for_each(file->pool, encode_columns, file, file->pool ? threads : 1);
	status = encoding_status(file, error);
	for (size_t i = 0; i < file->column_count; i++) {
		if (status == POLY_OK && file->columns[i].seen)
			write_chunk(file, &file->columns[i], i, file->group_count);
		cells_clear(&file->columns[i]);
	}
	file->group_count++;
	file->total += file->rows;
	file->rows = 0;
	return status;
}

enum poly_status
parquet_end_rows(struct parquet *file, size_t rows, struct poly_error *error)
{
	size_t texts = 0;
	file->rows += rows;
	for (size_t i = 0; i < file->column_count; i++)
		texts += file->columns[i].texts.bytes.size;
	if (file->rows < file->options.rows && (file->rows % file->step || texts < TEXTS_MAX))
		return POLY_OK;
	return write_group(file, error);
}

void
parquet_property(struct parquet *file, const char *key, const char *value)
{
	struct thrift thrift = {.dst = &file->properties};
	thrift_begin(&thrift, 0);
	thrift_string(&thrift, 1, key);
	thrift_string(&thrift, 2, value);
	thrift_end(&thrift);
	file->property_count++;
}

uint64_t
parquet_replaced(const struct parquet *file)
{
	uint64_t replaced = 0;
	for (size_t i = 0; i < file->column_count; i++)
		replaced += file->columns[i].replaced;
	return replaced;
}

/* Appends the description of the columns. */
static void
append_schema(struct thrift *thrift, const struct parquet *file, size_t count)
{
	thrift_list(thrift, 2, THRIFT_STRUCT, 1 + count);
	thrift_begin(thrift, 0);
	thrift_string(thrift, 4, "trace");
	thrift_i32(thrift, 5, (int32_t)count);
	thrift_end(thrift);
	for (size_t i = 0; i < file->column_count; i++) {
		const struct parquet_column *column = &file->columns[i].column;
		if (!file->columns[i].seen)
			continue;
		thrift_begin(thrift, 0);
		thrift_i32(thrift, 1, (int32_t)physical_type_of(column));
		thrift_i32(thrift, 3, REPETITION_OPTIONAL);
		thrift_string(thrift, 4, column->name);
		append_logical_type(thrift, column);
		thrift_end(thrift);
	}
}

/* Appends the description of the groups. */
static void
append_groups(struct thrift *thrift, const struct parquet *file, size_t count)
{
	thrift_list(thrift, 4, THRIFT_STRUCT, file->group_count);
	for (size_t i = 0; i < file->group_count; i++) {
		const struct row_group *group = &file->groups[i];
		thrift_begin(thrift, 0);
		thrift_list(thrift, 1, THRIFT_STRUCT, count);
		for (size_t column = 0; column < file->column_count; column++) {
			const struct chunk_place *place =
				&file->places[i * file->column_count + column];
			if (place->size)
				buf_append(thrift->dst, file->chunks.data + place->offset,
					place->size);
		}
		thrift_i64(thrift, 2, group->raw_size);
		thrift_i64(thrift, 3, group->rows);
		thrift_i64(thrift, 5, group->offset);
		thrift_i64(thrift, 6, group->size);
		if (i <= INT16_MAX)
			thrift_i16(thrift, 7, (int16_t)i);
		thrift_end(thrift);
	}
}

/* Appends the metadata of the file. */
static void
append_metadata(struct buf *dst, const struct parquet *file)
{
	struct thrift thrift = {.dst = dst};
	size_t count = 0;
	for (size_t i = 0; i < file->column_count; i++)
		count += file->columns[i].seen;
	thrift_i32(&thrift, 1, 2); /* version of the format */
	append_schema(&thrift, file, count);
	thrift_i64(&thrift, 3, file->total);
	append_groups(&thrift, file, count);
	if (file->property_count) {
		thrift_list(&thrift, 5, THRIFT_STRUCT, file->property_count);
		buf_append(dst, file->properties.data, file->properties.size);
	}
	thrift_string(
		&thrift, 6, "polytrace version " POLY_VERSION " (build " POLY_VERSION ")");
	/* Statistics are in the order of the types; without this readers ignore them. */
	thrift_list(&thrift, 7, THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		thrift_begin(&thrift, 0);
		thrift_begin(&thrift, 1);
		thrift_end(&thrift);
		thrift_end(&thrift);
	}
	buf_byte(dst, 0);
}

enum poly_status
parquet_finish(struct parquet *file, struct poly_error *error)
{
	struct buf metadata = {0};
	uint8_t size[4];
	enum poly_status status = write_group(file, error);
	bool has_columns = false;
	for (size_t i = 0; i < file->column_count; i++)
		has_columns |= file->columns[i].seen;
	/* A table without any value has all columns: readers need some. */
	for (size_t i = 0; i < file->column_count && !has_columns && status == POLY_OK; i++)
		status = add_late_column(file, i, error);
	if (status != POLY_OK)
		return status;
	append_metadata(&metadata, file);
	if (metadata.failed)
		status = err_memory(error);
	else if (metadata.size > INT32_MAX)
		status = err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the metadata have %zu bytes, the limit of the format is %d; write "
			"more rows per group",
			metadata.size, INT32_MAX);
	if (status == POLY_OK) {
		store_le32(size, (uint32_t)metadata.size);
		write_bytes(file, metadata.data, metadata.size);
		write_bytes(file, size, sizeof size);
		write_bytes(file, MAGIC, 4);
	}
	buf_free(&metadata);
	return status;
}

void
parquet_free(struct parquet *file)
{
	if (!file)
		return;
	thread_pool_free(file->pool);
	for (size_t i = 0; i < file->column_count; i++)
		cells_free(&file->columns[i]);
	for (unsigned i = 0; file->encoders && i < file->options.threads; i++)
		encoder_free(&file->encoders[i]);
	mem_free(file->columns);
	mem_free(file->encoders);
	mem_free(file->groups);
	mem_free(file->places);
	buf_free(&file->chunks);
	buf_free(&file->properties);
	mem_free(file);
}
