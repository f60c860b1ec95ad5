/* SPDX-License-Identifier: MIT */
/* Rows that decoders encode for a writer. The oracle is a writer that gets every row. */
#include "test_help.h"

#include "model/batch_internal.h"

/* A trace that is decoded in many chunks. */
static struct buf
make_trace(unsigned lines)
{
	struct buf text = {0};
	uint32_t seed = 3;
	for (unsigned i = 0; i < lines; i++)
		buf_printf(&text, "%u %x\n", draw_below(&seed, 3), draw_below(&seed, 1 << 30));
	assert_false(text.failed);
	return text;
}

static struct poly_reader *
open_trace(const struct buf *trace, unsigned threads)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	options.format = "din";
	options.threads = threads;
	options.block_size = 500;
	assert_int_equal(
		poly_reader_open_memory(trace->data, trace->size, &options, &reader, NULL),
		POLY_OK);
	return reader;
}

static struct poly_writer *
open_csv(const struct poly_reader *reader, bool strict, struct buf *to)
{
	static struct poly_sink sink;
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	options.format = "csv";
	options.columns = POLY_COLUMNS(row, access, address);
	options.threads = 3;
	options.strict = strict;
	sink = (struct poly_sink){collect, to};
	assert_int_equal(
		poly_writer_open_sink(&sink, poly_reader_info(reader), &options, &writer, NULL),
		POLY_OK);
	return writer;
}

/* The same, of other columns. */
static struct poly_writer *
open_columns(const struct poly_reader *reader, poly_columns columns, struct buf *to)
{
	const struct poly_sink sink = {collect, to};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	options.format = "csv";
	options.columns = columns;
	options.threads = 3;
	assert_int_equal(
		poly_writer_open_sink(&sink, poly_reader_info(reader), &options, &writer, NULL),
		POLY_OK);
	return writer;
}

/* Plans the work of a number of writers. */
static void
plan_work(struct poly_reader *reader, struct poly_writer *const *writers, unsigned count)
{
	const struct poly_decoder_work *work[2] = {NULL};
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	for (unsigned i = 0; i < count; i++)
		work[i] = poly_writer_decoder_work(writers[i]);
	plan.columns = poly_writer_columns(writers[0]);
	plan.work = work;
	plan.work_count = count;
	assert_int_equal(poly_reader_plan(reader, &plan, NULL), POLY_OK);
}

/* Writes a trace; returns the number of batches that decoders encoded. */
static size_t
write_trace(const struct buf *trace, bool works, struct buf *to)
{
	const struct poly_batch *batch;
	struct poly_reader *reader = open_trace(trace, works ? 3 : 1);
	struct poly_writer *writer = open_csv(reader, false, to);
	size_t encoded = 0;
	if (works)
		plan_work(reader, &writer, 1);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		encoded += batch_decoded(batch) != NULL;
		assert_int_equal(poly_writer_write(writer, batch, NULL), POLY_OK);
	}
	assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	poly_reader_close(reader);
	poly_writer_close(writer);
	return encoded;
}

static void
encoded_rows_have_their_numbers(void **state)
{
	(void)state;
	struct buf trace = make_trace(20000), plain = {0}, encoded = {0};
	assert_int_equal(write_trace(&trace, false, &plain), 0);
	assert_true(write_trace(&trace, true, &encoded) > 100);
	assert_int_equal(encoded.size, plain.size);
	assert_memory_equal(encoded.data, plain.data, plain.size);
	buf_free(&trace);
	buf_free(&plain);
	buf_free(&encoded);
}

/* Each of two writers gets its part of every chunk, and nothing else. */
static void
writers_take_their_own_parts(void **state)
{
	(void)state;
	struct buf trace = make_trace(5000), plain = {0}, two[2] = {{0}}, other = {0};
	const struct poly_batch *batch;
	struct poly_error error;
	size_t refused = 0;
	write_trace(&trace, false, &plain);
	struct poly_reader *reader = open_trace(&trace, 4);
	struct poly_writer *writers[] = {
		open_csv(reader, false, &two[0]), open_csv(reader, false, &two[1])};
	struct poly_writer *without = open_csv(reader, false, &other);
	plan_work(reader, writers, 2);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		if (batch_decoded(batch) && !refused++) {
			assert_int_equal(
				poly_writer_write(without, batch, &error), POLY_ERR_USAGE);
			assert_non_null(strstr(error.message, "without rows"));
		}
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(poly_writer_write(writers[i], batch, NULL), POLY_OK);
	}
	assert_true(refused > 10);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(poly_writer_finish(writers[i], NULL), POLY_OK);
	poly_reader_close(reader);
	poly_writer_close(without);
	for (unsigned i = 0; i < 2; i++) {
		poly_writer_close(writers[i]);
		assert_int_equal(two[i].size, plain.size);
		assert_memory_equal(two[i].data, plain.data, plain.size);
		buf_free(&two[i]);
	}
	buf_free(&trace);
	buf_free(&plain);
	buf_free(&other);
}

/* Strict writers stop at the first note, only the reader numbers sites, and work is that of one
 * reader. */
static void
some_writers_have_no_work(void **state)
{
	(void)state;
	struct buf trace = make_trace(10), to = {0};
	struct poly_reader *reader = open_trace(&trace, 2);
	struct poly_writer *writer = open_csv(reader, true, &to);
	assert_null(poly_writer_decoder_work(writer));
	poly_writer_close(writer);
	writer = open_columns(reader, POLY_COLUMNS(row, site), &to);
	assert_null(poly_writer_decoder_work(writer));
	poly_writer_close(writer);
	writer = open_csv(reader, false, &to);
	assert_non_null(poly_writer_decoder_work(writer));
	assert_null(poly_writer_decoder_work(writer));
	poly_reader_close(reader);
	poly_writer_close(writer);
	buf_free(&trace);
	buf_free(&to);
}

struct writing_job {
	struct buf trace, written;
	struct poly_reader *reader;
	struct poly_writer *writer;
	size_t size; /* of what is written */
};

static void
open_job(void *context)
{
	struct writing_job *job = context;
	buf_clear(&job->written);
	job->reader = open_trace(&job->trace, 2);
	job->writer = open_csv(job->reader, false, &job->written);
	plan_work(job->reader, &job->writer, 1);
}

static enum poly_status
run_job(void *context)
{
	struct writing_job *job = context;
	const struct poly_batch *batch;
	enum poly_status status, written = POLY_OK;
	while ((status = poly_reader_next(job->reader, &batch, NULL)) == POLY_OK) {
		written = poly_writer_write(job->writer, batch, NULL);
		if (written != POLY_OK)
			return written;
	}
	if (status == POLY_END)
		written = poly_writer_finish(job->writer, NULL);
	/* The sink may have been out of memory, too. */
	if (status == POLY_END && written == POLY_OK && !job->written.failed)
		assert_int_equal(job->written.size, job->size);
	return status == POLY_END ? written : status;
}

static void
close_job(void *context)
{
	struct writing_job *job = context;
	poly_reader_close(job->reader);
	poly_writer_close(job->writer);
}

static void
out_of_memory_loses_no_row(void **state)
{
	struct writing_job job = {.trace = make_trace(600)};
	(void)state;
	write_trace(&job.trace, false, &job.written);
	job.size = job.written.size;
	law_memory_as(&(struct memory_law){.run = run_job,
		.prepare = open_job,
		.release = close_job,
		.context = &job,
		.is_tolerant = true});
	buf_free(&job.trace);
	buf_free(&job.written);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoded_rows_have_their_numbers),
		cmocka_unit_test(writers_take_their_own_parts),
		cmocka_unit_test(some_writers_have_no_work),
		cmocka_unit_test(out_of_memory_loses_no_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
