/* SPDX-License-Identifier: MIT */
/* Arrow streams, read by a consumer written from the layout rules of the C data interface. */
#include "trace_help.h"

#include "base/utf8.h"

#include <inttypes.h>

/* A cell as text: decimal numbers, strings, hexadecimal bytes; "" for null. */
static void
print_cell(const struct ArrowSchema *type, const struct ArrowArray *array, size_t row,
	struct buf *text)
{
	const uint8_t *validity = array->buffers[0];
	const void *values = array->buffers[1];
	buf_clear(text);
	if (validity && !(validity[row / 8] >> row % 8 & 1))
		return;
	uint64_t number = 0;
	switch (*type->format) {
	case 'C': number = ((const uint8_t *)values)[row]; break;
	case 'S': number = ((const uint16_t *)values)[row]; break;
	case 'I': number = ((const uint32_t *)values)[row]; break;
	case 'i': number = (uint64_t)((const int32_t *)values)[row]; break;
	case 'L':
	case 'l': number = ((const uint64_t *)values)[row]; break;
	case 'b': number = ((const uint8_t *)values)[row / 8] >> row % 8 & 1; break;
	case 'u':
	case 'z': {
		const int32_t *offsets = values;
		const uint8_t *bytes = array->buffers[2];
		for (int32_t i = offsets[row]; i < offsets[row + 1]; i++)
			buf_printf(text, *type->format == 'u' ? "%c" : "%02x", bytes[i]);
		return;
	}
	default: fail_msg("type %s", type->format);
	}
	if (type->dictionary) {
		assert_true(number < (uint64_t)array->dictionary->length);
		print_cell(type->dictionary, array->dictionary, number, text);
	} else {
		buf_printf(text, *type->format == 'l' ? "%" PRId64 : "%" PRIu64, number);
	}
}

/* The same of a cell of a batch, from the text of listings. */
static void
print_expected(
	const struct poly_batch *batch, enum poly_column column, size_t row, struct buf *text)
{
	char room[5000];
	buf_clear(text);
	if (column == POLY_COLUMN_row) {
		buf_printf(text, "%" PRIu64, poly_batch_number(batch, row));
		return;
	}
	assert_true(poly_batch_format(batch, column, row, room, sizeof room) < sizeof room);
	const bool is_number = poly_column_form(column) == POLY_FORM_HEX && *room;
	if (strcmp(room, "true") == 0 || strcmp(room, "false") == 0)
		buf_string(text, *room == 't' ? "1" : "0");
	else if (is_number)
		buf_printf(text, "%" PRIu64, (uint64_t)strtoull(room, NULL, 16));
	else /* A text of the sample is ill-formed; there is a test of what it becomes. */
		utf8_append(text, room);
}

/* A stream with its schema and its current array. */
struct consumer {
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array;
	int status;    /* of the last get_next */
	int64_t nulls; /* of the array, less those that were compared */
	uint64_t rows;
};

static void
begin(struct consumer *consumer)
{
	assert_int_equal(consumer->stream.get_schema(&consumer->stream, &consumer->schema), 0);
	assert_string_equal(consumer->schema.format, "+s");
}

/* Gets the next array; false after the last one or a failure. */
static bool
next(struct consumer *consumer)
{
	if (consumer->array.release)
		consumer->array.release(&consumer->array);
	consumer->status = consumer->stream.get_next(&consumer->stream, &consumer->array);
	if (consumer->status || !consumer->array.release)
		return false;
	assert_int_equal(consumer->array.n_children, consumer->schema.n_children);
	assert_true(consumer->array.length > 0);
	consumer->rows += (uint64_t)consumer->array.length;
	return true;
}

static void
end(struct consumer *consumer)
{
	if (consumer->array.release)
		consumer->array.release(&consumer->array);
	if (consumer->schema.release)
		consumer->schema.release(&consumer->schema);
	consumer->stream.release(&consumer->stream);
	assert_null(consumer->stream.release);
}

/* Compares a row of the only column with that of a batch, and counts nulls of the array. */
static void
compare_row(struct consumer *consumer, size_t *row, const struct poly_batch *batch, size_t i)
{
	struct buf found = {0}, expected = {0};
	const struct ArrowSchema *type = consumer->schema.children[0];
	enum poly_column column = poly_column_find(type->name, strlen(type->name));
	if (column == POLY_COLUMN_COUNT)
		column = POLY_COLUMN_row;
	if (!consumer->array.release || *row == (size_t)consumer->array.length) {
		assert_true(next(consumer));
		assert_int_equal(consumer->array.children[0]->length, consumer->array.length);
		consumer->nulls = consumer->array.children[0]->null_count;
		*row = 0;
	}
	print_cell(type, consumer->array.children[0], (*row)++, &found);
	print_expected(batch, column, i, &expected);
	assert_string_equal(buf_text(&found), buf_text(&expected));
	consumer->nulls -= !poly_present(batch, column, i);
	if (*row == (size_t)consumer->array.length)
		assert_int_equal(consumer->nulls, 0);
	buf_free(&found);
	buf_free(&expected);
}

/* Compares the only column of arrays with the rows of batches. */
static void
compare_column(struct consumer *consumer, struct poly_reader *reader)
{
	const struct poly_batch *batch = NULL;
	size_t row = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t i = 0; i < batch->rows; i++)
			compare_row(consumer, &row, batch, i);
	}
	assert_int_equal(row, consumer->array.length);
	assert_false(next(consumer));
	assert_int_equal(consumer->status, 0);
}

static struct consumer
open_arrow(const struct buf *bytes, struct poly_read_options reading, size_t rows,
	enum poly_column column, struct poly_reader **reader)
{
	struct consumer consumer = {0};
	struct poly_arrow_options options = POLY_ARROW_OPTIONS_INIT;
	*reader = open_memory(bytes, &reading);
	const struct poly_source source = poly_reader_source(*reader);
	options.rows = rows;
	options.columns = &column;
	options.column_count = 1;
	assert_int_equal(poly_source_arrow(&source, &options, &consumer.stream, NULL), POLY_OK);
	begin(&consumer);
	return consumer;
}

static void
arrays_have_the_values_of_batches(void **state)
{
	static const struct {
		const char *path;
		size_t batch_rows, array_rows;
	} cases[] = {{"amber/thread_001.tt6e", 0, 7}, {"cis501/sort_1k.trace", 100, 64},
		{"qemu4v/arm_start_2k.q4v", 0, 1000}, {"bach/special.tr", 3, 1},
		{"jsonl/columns.jsonl", 5, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = load_sample(cases[i].path);
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		for (unsigned c = 0; c <= POLY_COLUMN_COUNT; c++) {
			struct poly_reader *reader, *arrow;
			const enum poly_column column =
				c < POLY_COLUMN_COUNT ? (enum poly_column)c : POLY_COLUMN_row;
			struct consumer consumer;
			options.batch_rows = cases[i].batch_rows;
			options.columns = POLY_ALL_COLUMNS;
			consumer = open_arrow(
				&bytes, options, cases[i].array_rows, column, &arrow);
			reader = open_memory(&bytes, &options);
			compare_column(&consumer, reader);
			assert_true(consumer.rows > 10);
			end(&consumer);
			poly_reader_close(reader);
			poly_reader_close(arrow);
		}
		buf_free(&bytes);
	}
}

/* Rows with a text each, all of the same bytes of an arena. */
struct texts {
	struct poly_batch batch;
	struct poly_trace_info info;
	struct poly_slice slices[POLY_BATCH_ROWS];
	uint8_t executed[POLY_BATCH_ROWS];
	uint64_t pc[POLY_BATCH_ROWS];
	uint64_t present[POLY_BATCH_ROWS / 64];
	bool is_read;
	int closed;
};

static enum poly_status
next_texts(void *user, const struct poly_batch **batch, struct poly_error *error)
{
	struct texts *texts = user;
	(void)error;
	if (texts->is_read)
		return POLY_END;
	texts->is_read = true;
	*batch = &texts->batch;
	return POLY_OK;
}

static void
count_close(void *user)
{
	((struct texts *)user)->closed++;
}

static struct texts *
make_texts(const char *arena, size_t rows, uint32_t length)
{
	struct texts *texts = calloc(1, sizeof *texts);
	assert_non_null(texts);
	for (size_t i = 0; i < rows; i++) {
		texts->slices[i].length = length;
		texts->present[i / 64] |= (uint64_t)1 << i % 64;
	}
	texts->batch = (struct poly_batch){.rows = rows, .info = &texts->info};
	texts->batch.arena = (const uint8_t *)arena;
	texts->batch.arena_size = length;
	texts->batch.text = texts->slices;
	texts->batch.present[POLY_COLUMN_text] = texts->present;
	return texts;
}

static struct consumer
open_texts(struct texts *texts, const enum poly_column *columns, size_t count)
{
	struct consumer consumer = {0};
	const struct poly_source source = {&texts->info, next_texts, texts};
	struct poly_arrow_options options = POLY_ARROW_OPTIONS_INIT;
	options.columns = columns;
	options.column_count = count;
	options.close = count_close;
	options.user = texts;
	assert_int_equal(poly_source_arrow(&source, &options, &consumer.stream, NULL), POLY_OK);
	begin(&consumer);
	return consumer;
}

static const enum poly_column text_only[] = {POLY_COLUMN_text};

static void
ill_formed_texts_become_replacement_characters(void **state)
{
	struct texts *texts = make_texts("a\xff\xe2\x82"
					 "b\0c",
		65, 7);
	struct consumer consumer = open_texts(texts, text_only, 1);
	(void)state;
	assert_true(next(&consumer));
	const int32_t *offsets = consumer.array.children[0]->buffers[1];
	const uint8_t *bytes = consumer.array.children[0]->buffers[2];
	assert_int_equal(consumer.array.length, 65);
	assert_int_equal(offsets[65], 65 * 10);
	assert_memory_equal(bytes + 640,
		"a\xef\xbf\xbd\xef\xbf\xbd"
		"b\0c",
		10);
	assert_false(next(&consumer));
	end(&consumer);
	assert_int_equal(texts->closed, 1);
	free(texts);
}

static void
long_strings_divide_arrays(void **state)
{
	const size_t megabyte = 1 << 20;
	char *arena = malloc(2 * megabyte);
	(void)state;
	assert_non_null(arena);
	memset(arena, 'x', 2 * megabyte);
	struct texts *texts = make_texts(arena, 20, (uint32_t)(2 * megabyte));
	struct consumer consumer = open_texts(texts, text_only, 1);
	while (next(&consumer))
		assert_in_range(consumer.array.length, 1, 8);
	assert_int_equal(consumer.status, 0);
	assert_int_equal(consumer.rows, 20);
	end(&consumer);
	free(texts);
	free(arena);
}

static void
a_string_beyond_32_bits_is_an_error(void **state)
{
	struct texts *texts = make_texts("x", 3, 1);
	(void)state;
	texts->slices[2].length = 0x80000000;
	struct consumer consumer = open_texts(texts, text_only, 1);
	assert_true(next(&consumer));
	assert_int_equal(consumer.array.length, 2);
	for (int i = 0; i < 2; i++) {
		assert_false(next(&consumer));
		assert_int_equal(consumer.status, EIO);
		assert_string_equal(consumer.stream.get_last_error(&consumer.stream),
			"record 3: a value of the record has more than 2147483647 bytes");
	}
	end(&consumer);
	free(texts);
}

static void
absent_values_are_0(void **state)
{
	static const enum poly_column columns[] = {POLY_COLUMN_pc, POLY_COLUMN_executed};
	struct texts *texts = make_texts("", 130, 0);
	(void)state;
	memset(texts->pc, 0xff, sizeof texts->pc);
	memset(texts->executed, 1, sizeof texts->executed);
	for (size_t i = 0; i < 3; i++)
		texts->present[i] &= 0xfffffffffffffff0;
	texts->batch.pc = texts->pc;
	texts->batch.executed = texts->executed;
	texts->batch.present[POLY_COLUMN_pc] = texts->present;
	texts->batch.present[POLY_COLUMN_executed] = texts->present;
	struct consumer consumer = open_texts(texts, columns, 2);
	assert_true(next(&consumer));
	const uint64_t *pc = consumer.array.children[0]->buffers[1];
	const uint8_t *executed = consumer.array.children[1]->buffers[1];
	for (size_t i = 0; i < 130; i++) {
		assert_true(pc[i] == (i % 64 < 4 ? 0 : UINT64_MAX));
		assert_int_equal(executed[i / 8] >> i % 8 & 1, i % 64 >= 4);
	}
	assert_int_equal(consumer.array.children[0]->null_count, 10);
	end(&consumer);
	free(texts);
}

static void
a_child_outlives_the_stream_and_its_parent(void **state)
{
	struct buf bytes = load_sample("cis501/sort_1k.trace");
	struct consumer consumer = {0};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct buf text = {0};
	(void)state;
	options.columns = POLY_COLUMNS(mnemonic, uop_name);
	struct poly_reader *reader = open_memory(&bytes, &options);
	assert_int_equal(poly_reader_arrow(reader, &consumer.stream, NULL), POLY_OK);
	begin(&consumer);
	assert_int_equal(consumer.schema.n_children, 2);
	assert_true(next(&consumer));
	struct ArrowArray child = *consumer.array.children[0];
	const struct ArrowSchema type = *consumer.schema.children[0];
	consumer.array.children[0]->release = NULL;
	consumer.schema.children[0]->release = NULL;
	end(&consumer);
	print_cell(&type, &child, 6, &text);
	assert_string_equal(buf_text(&text), "PUSH");
	child.release(&child);
	assert_null(child.release);
	struct ArrowSchema moved = type;
	moved.release(&moved);
	buf_free(&text);
	buf_free(&bytes);
}

/* Lists the columns of a reader's stream. */
static void
list_columns(poly_columns requested, struct buf *names)
{
	struct buf bytes = load_sample("cis501/sort_1k.trace");
	struct consumer consumer = {0};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.columns = requested;
	struct poly_reader *reader = open_memory(&bytes, &options);
	assert_int_equal(poly_reader_arrow(reader, &consumer.stream, NULL), POLY_OK);
	begin(&consumer);
	buf_clear(names);
	for (int64_t i = 0; i < consumer.schema.n_children; i++)
		buf_printf(names, "%s ", consumer.schema.children[i]->name);
	assert_true(next(&consumer));
	end(&consumer);
	buf_free(&bytes);
}

static void
a_reader_has_its_requested_columns(void **state)
{
	struct buf names = {0};
	poly_columns columns = POLY_COLUMNS(mnemonic, time, origin, pc);
	(void)state;
	list_columns(POLY_ALL_COLUMNS, &names);
	assert_string_equal(buf_text(&names),
		"kind record pc branch target fallthrough access address mnemonic uop_name "
		"src1 src2 dest uop_index immediate flags ");
	list_columns(columns, &names);
	assert_string_equal(buf_text(&names), "pc mnemonic origin ");
	poly_columns_add(&columns, POLY_COLUMN_row);
	list_columns(columns, &names);
	assert_string_equal(buf_text(&names), "row pc mnemonic origin ");
	buf_free(&names);
}

static void
rows_before_corrupt_data_are_delivered(void **state)
{
	struct buf bytes = bytes_of("1 r\n2 w\n3 r\nx\n4 r\n");
	struct consumer consumer = {0};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	(void)state;
	options.format = "text:address:hex,access:r/w";
	reader = open_memory(&bytes, &options);
	assert_int_equal(poly_reader_arrow(reader, &consumer.stream, NULL), POLY_OK);
	begin(&consumer);
	assert_null(consumer.stream.get_last_error(&consumer.stream));
	assert_true(next(&consumer));
	assert_int_equal(consumer.array.length, 3);
	for (int i = 0; i < 2; i++) {
		assert_false(next(&consumer));
		assert_int_equal(consumer.status, EIO);
		const char *message = consumer.stream.get_last_error(&consumer.stream);
		assert_non_null(strstr(message, "record 4, line 4, byte 12: "));
	}
	end(&consumer);
	buf_free(&bytes);
}

static void
mistakes_are_refused(void **state)
{
	struct texts *texts = make_texts("", 1, 0);
	const struct poly_source source = {&texts->info, next_texts, texts};
	const enum poly_column unknown[] = {POLY_COLUMN_pc, (enum poly_column)100};
	struct poly_arrow_options options = POLY_ARROW_OPTIONS_INIT;
	struct ArrowArrayStream stream;
	struct poly_error error;
	(void)state;
	/* The source has no columns. */
	assert_int_equal(poly_source_arrow(&source, NULL, &stream, &error), POLY_ERR_USAGE);
	assert_null(stream.release);
	options.columns = unknown;
	options.column_count = 2;
	assert_int_equal(poly_source_arrow(&source, &options, &stream, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "options.columns[1]: no such column (found 100)");
	options.column_count = 1;
	options.rows = POLY_ARROW_ROWS_MAX + 1;
	assert_int_equal(poly_source_arrow(&source, &options, &stream, &error), POLY_ERR_USAGE);
	options.rows = options.size = 0;
	assert_int_equal(poly_source_arrow(&source, &options, &stream, &error), POLY_ERR_USAGE);
	free(texts);
}

static void
plans_with_weights_are_refused(void **state)
{
	struct buf bytes = load_sample("bach/special.tr");
	struct poly_reader *reader = open_memory(&bytes, NULL);
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	struct ArrowArrayStream stream;
	(void)state;
	plan.weights = true;
	assert_int_equal(poly_reader_plan(reader, &plan, NULL), POLY_OK);
	assert_int_equal(poly_reader_arrow(reader, &stream, NULL), POLY_ERR_USAGE);
	assert_null(stream.release);
	poly_reader_close(reader);
	buf_free(&bytes);
}

/* Reads a trace as arrays; counts on the status of get_next. */
static enum poly_status
read_all(void *context)
{
	const struct buf *bytes = context;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct consumer consumer = {0};
	options.format = "text:pc:hex,mnemonic|-,executed:y/n,text:rest";
	options.one_thread = true;
	enum poly_status status =
		poly_reader_open_memory(bytes->data, bytes->size, &options, &reader, NULL);
	if (status != POLY_OK)
		return status;
	status = poly_reader_arrow(reader, &consumer.stream, NULL);
	if (status != POLY_OK) {
		poly_reader_close(reader);
		return status;
	}
	consumer.status = consumer.stream.get_schema(&consumer.stream, &consumer.schema);
	while (!consumer.status && next(&consumer))
		;
	assert_true(!consumer.status || consumer.status == ENOMEM);
	status = consumer.status ? POLY_ERR_MEMORY : POLY_OK;
	end(&consumer);
	return status;
}

static void
lack_of_memory_is_reported(void **state)
{
	struct buf bytes = bytes_of("10 ADD y a b\n14 - n \xff\n18 SUB y c\n");
	(void)state;
	law_memory(read_all, &bytes);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_have_the_values_of_batches),
		cmocka_unit_test(ill_formed_texts_become_replacement_characters),
		cmocka_unit_test(long_strings_divide_arrays),
		cmocka_unit_test(a_string_beyond_32_bits_is_an_error),
		cmocka_unit_test(absent_values_are_0),
		cmocka_unit_test(a_child_outlives_the_stream_and_its_parent),
		cmocka_unit_test(a_reader_has_its_requested_columns),
		cmocka_unit_test(rows_before_corrupt_data_are_delivered),
		cmocka_unit_test(mistakes_are_refused),
		cmocka_unit_test(plans_with_weights_are_refused),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
