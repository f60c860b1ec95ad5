/* SPDX-License-Identifier: MIT */
/*
 * Parquet files: encodings decoded as Encodings.md describes them, and what a file does not
 * depend on. tests/parquet/ reads files with other implementations.
 */
#include "trace_help.h"

#include "parquet/encoding.h"
#include "parquet/parquet.h"

/* Returns a random number below a limit. */
static size_t
random_below(uint64_t *state, size_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(*state >> 33) % limit;
}

/* Bits of bytes, the least significant first. */
static uint64_t
get_bits(const uint8_t *bytes, size_t first, unsigned width)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < width; i++)
		value |= (uint64_t)(bytes[(first + i) / 8] >> (first + i) % 8 & 1) << i;
	return value;
}

static uint64_t
get_varint(const struct buf *buf, size_t *at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	do {
		assert_true(*at < buf->size);
		value |= (uint64_t)(buf->data[*at] & 0x7f) << shift;
		shift += 7;
	} while (buf->data[(*at)++] & 0x80);
	return value;
}

static int64_t
get_zigzag(const struct buf *buf, size_t *at)
{
	const uint64_t value = get_varint(buf, at);
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Decodes runs and groups, and compares them with n values. */
static void
expect_hybrid(const struct buf *buf, const uint32_t *values, size_t n, unsigned width)
{
	size_t at = 0, i = 0;
	while (i < n) {
		const uint64_t header = get_varint(buf, &at);
		const size_t count = header & 1 ? (header >> 1) * 8 : header >> 1;
		const size_t size = header & 1 ? (header >> 1) * width : (width + 7) / 8;
		assert_true(count && at + size <= buf->size);
		for (size_t k = 0; k < count && i < n; k++, i++)
			assert_int_equal(
				get_bits(buf->data + at, header & 1 ? k * width : 0, width),
				values[i]);
		at += size;
	}
	assert_int_equal(at, buf->size);
}

static void
runs_and_groups_have_the_values(void **state)
{
	enum { N = 700 };
	uint32_t values[N];
	(void)state;
	uint64_t random = 1;
	for (unsigned round = 0; round < 400; round++) {
		const unsigned width = 1 + round % 32;
		const size_t n = random_below(&random, N + 1),
			     repeats = 1 + random_below(&random, 40);
		struct buf buf = {0};
		for (size_t i = 0; i < n; i++)
			values[i] = i && random_below(&random, repeats)
					    ? values[i - 1]
					    : (uint32_t)(random_below(&random, 1 << 30) * 5 &
							 (UINT32_MAX >> (32 - width)));
		encode_hybrid(&buf, values, n, width);
		expect_hybrid(&buf, values, n, width);
		buf_free(&buf);
	}
}

/* Decodes differences, and compares their sums with numbers. */
static void
expect_delta(const struct buf *buf, const struct numbers *numbers)
{
	size_t at = 0, i = 1;
	const uint64_t mask = numbers->size == 8 ? UINT64_MAX : UINT32_MAX;
	const uint64_t block = get_varint(buf, &at), parts = get_varint(buf, &at);
	assert_int_equal(get_varint(buf, &at), numbers->count);
	uint64_t value = (uint64_t)get_zigzag(buf, &at);
	if (numbers->count)
		assert_true((value & mask) == number_at(numbers, 0));
	while (i < numbers->count) {
		const int64_t min = get_zigzag(buf, &at);
		const uint8_t *widths = buf->data + at;
		at += parts;
		for (size_t part = 0; part < parts && i < numbers->count; part++) {
			for (size_t k = 0; k < block / parts && i < numbers->count; k++, i++) {
				value +=
					(uint64_t)min + get_bits(buf->data + at,
								k * widths[part], widths[part]);
				assert_true((value & mask) == number_at(numbers, i));
			}
			at += block / parts / 8 * widths[part];
			assert_true(at <= buf->size);
		}
	}
	assert_int_equal(at, buf->size);
}

static void
differences_add_up_to_the_values(void **state)
{
	enum { N = 600 };
	uint64_t values[N];
	uint32_t shorts[N];
	(void)state;
	uint64_t random = 2;
	for (unsigned round = 0; round < 200; round++) {
		const size_t n = round < 3 ? round : random_below(&random, N + 1);
		const unsigned shift = (unsigned)random_below(&random, 64);
		struct buf buf = {0}, half = {0};
		for (size_t i = 0; i < n; i++) {
			values[i] =
				random_below(&random, 1 << 30) * 0x9e3779b97f4a7c15u >> shift;
			values[i] = random_below(&random, 20)
					    ? values[i]
					    : UINT64_MAX * random_below(&random, 2);
			shorts[i] = (uint32_t)values[i];
		}
		const struct numbers longs = {(const uint8_t *)values, n, 8},
				     words = {(const uint8_t *)shorts, n, 4};
		encode_delta(&buf, &longs);
		expect_delta(&buf, &longs);
		encode_delta(&half, &words);
		expect_delta(&half, &words);
		buf_free(&buf);
		buf_free(&half);
	}
}

/* A trace with columns that begin late, whose texts and numbers repeat or do not. */
static struct buf
made_trace(size_t rows)
{
	struct buf trace = {0};
	for (size_t i = 0; i < rows; i++) {
		buf_printf(&trace, "{\"kind\":\"instruction\",\"pc\":\"0x%zx\",\"time\":%zu",
			i * 4 % 999, i * i);
		if (i > rows / 2)
			buf_printf(&trace, ",\"thread\":%zu,\"reg\":\"r%zu\",\"text\":\"t%zu\"",
				i % 3, i % 40, i);
		buf_printf(&trace, "}\n");
	}
	return trace;
}

struct job {
	const struct buf *trace;
	unsigned threads;
	size_t batch_rows;
	struct buf out;
};

/* Converts the trace of a job. */
static enum poly_status
convert_job(void *context)
{
	static const char *const words[] = {"parquet.rows=20000", NULL};
	struct job *job = context;
	struct poly_reader *reader = NULL;
	struct poly_writer *writer = NULL;
	const struct poly_batch *batch;
	const struct poly_sink sink = {collect, &job->out};
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	reading.format = "jsonl";
	reading.one_thread = true;
	reading.batch_rows = job->batch_rows;
	writing.format = "parquet";
	writing.options = words;
	writing.threads = job->threads;
	buf_clear(&job->out);
	enum poly_status status = poly_reader_open_memory(
		job->trace->data, job->trace->size, &reading, &reader, NULL);
	if (status == POLY_OK)
		status = poly_writer_open_sink(
			&sink, poly_reader_info(reader), &writing, &writer, NULL);
	while (status == POLY_OK &&
		(status = poly_reader_next(reader, &batch, NULL)) == POLY_OK)
		status = poly_writer_write(writer, batch, NULL);
	if (status == POLY_END)
		status = poly_writer_finish(writer, NULL);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return status;
}

static void
a_file_depends_on_neither_threads_nor_batches(void **state)
{
	struct buf trace = made_trace(50000);
	struct job one = {&trace, 1, POLY_BATCH_ROWS, {0}};
	(void)state;
	need_library("zstd");
	assert_int_equal(convert_job(&one), POLY_OK);
	assert_true(one.out.size > 1000);
	for (unsigned threads = 1; threads < 4; threads++) {
		struct job other = {&trace, threads, 1000 + 333 * threads, {0}};
		assert_int_equal(convert_job(&other), POLY_OK);
		expect_same(&other.out, &one.out);
		buf_free(&other.out);
	}
	buf_free(&one.out);
	buf_free(&trace);
}

static void
add_size(void *user, const void *bytes, size_t n)
{
	(void)bytes;
	*(size_t *)user += n;
}

static void
long_texts_end_a_group(void **state)
{
	enum { SIZE = 1 << 20 };
	static uint8_t text[SIZE];
	static const uint64_t present[] = {1};
	static const struct parquet_column column = {.name = "text", .type = PARQUET_TEXT};
	const struct parquet_cells cells = {NULL, present, 0, 1};
	size_t written = 0;
	const struct parquet_options options = {
		.rows = 1 << 20, .threads = 1, .write = add_size, .user = &written};
	struct parquet *file;
	unsigned rows = 0;
	(void)state;
	need_library("zstd");
	assert_int_equal(parquet_new(&options, &column, 1, &file, NULL), POLY_OK);
	while (rows < 200 && written < SIZE / 1000) {
		assert_true(parquet_room(file) >= 1);
		text[0] = (uint8_t)('0' + rows / 64);
		text[1] = (uint8_t)('0' + rows++ % 64);
		parquet_append(file, 0, &cells);
		parquet_append_bytes(file, 0, text, sizeof text);
		assert_int_equal(parquet_end_rows(file, 1, NULL), POLY_OK);
	}
	assert_in_range(rows, 64, 128);
	assert_int_equal(parquet_finish(file, NULL), POLY_OK);
	parquet_free(file);
}

static void
free_output(void *context)
{
	buf_free(&((struct job *)context)->out);
}

static void
lack_of_memory_is_reported(void **state)
{
	struct buf trace = made_trace(300);
	struct job job = {&trace, 1, 100, {0}};
	(void)state;
	need_library("zstd");
	law_memory_as(&(struct memory_law){
		.run = convert_job, .release = free_output, .context = &job, .every = 100});
	buf_free(&trace);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_and_groups_have_the_values),
		cmocka_unit_test(differences_add_up_to_the_values),
		cmocka_unit_test(a_file_depends_on_neither_threads_nor_batches),
		cmocka_unit_test(long_texts_end_a_group),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests_name("parquet", tests, NULL, NULL);
}
