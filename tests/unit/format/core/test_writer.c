/* SPDX-License-Identifier: MIT */
/* What the writer promises whatever the format. */
#include "trace_help.h"

#include "model/batch.h"
#include "model/info.h"

#include <errno.h>
#include <unistd.h>

static const char listing[] = "00000010 fe IO_READ\n00000018 fd IO_WRITE\n";

/* A directory of its own for every test. */
static int
enter(void **state)
{
	char name[] = "/tmp/test_writer_XXXXXX";
	(void)state;
	return mkdtemp(name) && chdir(name) == 0 ? 0 : -1;
}

static int
leave(void **state)
{
	char name[200];
	(void)state;
	return getcwd(name, sizeof name) && chdir("/") == 0 ? rmdir(name) : -1;
}

/* A reader with its first batch. */
static struct poly_reader *
open_source(const struct poly_batch **batch)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	options.format = "bach-text";
	assert_int_equal(
		poly_reader_open_memory(listing, sizeof listing - 1, &options, &reader, NULL),
		POLY_OK);
	assert_int_equal(poly_reader_next(reader, batch, NULL), POLY_OK);
	return reader;
}

static struct poly_write_options
to_format(const char *format)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = format;
	return options;
}

static void
expect_file(const char *path, const char *truth)
{
	char text[200];
	FILE *file = fopen(path, "rb");
	if (!truth) {
		assert_null(file);
		return;
	}
	assert_non_null(file);
	size_t n = fread(text, 1, sizeof text, file);
	fclose(file);
	assert_int_equal(n, strlen(truth));
	assert_memory_equal(text, truth, n);
}

static void
the_suffix_selects_the_format(void **state)
{
	(void)state;
	const struct poly_batch *batch;
	struct poly_reader *reader = open_source(&batch);
	struct poly_writer *writer;
	struct poly_error error;
	assert_int_equal(
		poly_writer_open("x.bach.txt", poly_reader_info(reader), NULL, &writer, &error),
		POLY_OK);
	assert_int_equal(poly_writer_write(writer, batch, &error), POLY_OK);
	expect_file("x.bach.txt", NULL);
	assert_int_equal(poly_writer_finish(writer, &error), POLY_OK);
	poly_writer_close(writer);
	expect_file("x.bach.txt", listing);
	assert_int_equal(remove("x.bach.txt"), 0);
	assert_int_equal(
		poly_writer_open("x.unknown", poly_reader_info(reader), NULL, &writer, &error),
		POLY_ERR_USAGE);
	assert_null(writer);
	poly_reader_close(reader);
	poly_writer_close(NULL);
}

static void
a_rejected_writer_leaves_no_file(void **state)
{
	(void)state;
	static const char *const word[] = {"no.such=1", NULL};
	const struct {
		const char *format;
		const char *const *options;
		bool strict;
		enum poly_status status;
		const char *message;
	} cases[] = {
		{"nothing", NULL, false, POLY_ERR_USAGE,
			"options.format: no such format 'nothing'"},
		{"bach", word, false, POLY_ERR_USAGE, "unknown option 'no.such'"},
		{"tt6", NULL, false, POLY_ERR_LOSS, "holds powerpc only (found x86)"},
		{"byutr", NULL, true, POLY_ERR_LOSS,
			"cannot hold columns of 'bach-text': byte_enables, control"},
	};
	const struct poly_batch *batch;
	struct poly_reader *reader = open_source(&batch);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_write_options options = to_format(cases[i].format);
		struct poly_writer *writer = (struct poly_writer *)&options;
		struct poly_error error = {0};
		options.options = cases[i].options;
		options.strict = cases[i].strict;
		assert_int_equal(poly_writer_open("x", poly_reader_info(reader), &options,
					 &writer, &error),
			cases[i].status);
		assert_null(writer);
		assert_int_equal(error.status, cases[i].status);
		if (!strstr(error.message, cases[i].message))
			fail_msg("'%s' without '%s'", error.message, cases[i].message);
		expect_file("x", NULL);
	}
	poly_reader_close(reader);
}

static void
an_existing_file_is_replaced_only_if_permitted(void **state)
{
	(void)state;
	const struct poly_batch *batch;
	struct poly_reader *reader = open_source(&batch);
	struct poly_writer *writer;
	struct poly_error error;
	struct poly_write_options options = to_format("bach-text");
	FILE *file = fopen("x", "wb");
	fputs("old", file);
	fclose(file);
	options.overwrite = false;
	assert_int_equal(
		poly_writer_open("x", poly_reader_info(reader), &options, &writer, &error),
		POLY_ERR_USAGE);
	options.overwrite = true;
	assert_int_equal(
		poly_writer_open("x", poly_reader_info(reader), &options, &writer, &error),
		POLY_OK);
	assert_int_equal(poly_writer_write(writer, batch, &error), POLY_OK);
	poly_writer_close(writer); /* not finished: nothing happened */
	expect_file("x", "old");
	assert_int_equal(remove("x"), 0);
	poly_reader_close(reader);
}

static void
smaller_option_structs_are_accepted(void **state)
{
	(void)state;
	const struct poly_batch *batch;
	struct poly_reader *reader = open_source(&batch);
	struct poly_writer *writer;
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	struct poly_write_options options = to_format("csv");
	/* The struct of a version whose last member was format. */
	options.size = offsetof(struct poly_write_options, options);
	memset((char *)&options + options.size, 0xee, sizeof options - options.size);
	assert_int_equal(
		poly_writer_open_sink(&sink, poly_reader_info(reader), &options, &writer, NULL),
		POLY_OK);
	assert_int_equal(poly_writer_write(writer, batch, NULL), POLY_OK);
	assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	poly_writer_close(writer);
	assert_non_null(strstr(buf_text(&out), "address"));
	options = to_format("csv");
	options.size = 0;
	assert_int_equal(
		poly_writer_open_sink(&sink, poly_reader_info(reader), &options, &writer, NULL),
		POLY_ERR_USAGE);
	assert_null(writer);
	assert_int_equal(
		poly_writer_open_sink(&sink, poly_reader_info(reader), NULL, &writer, NULL),
		POLY_ERR_USAGE);
	buf_free(&out);
	poly_reader_close(reader);
}

static void
the_failure_of_a_sink_is_sticky(void **state)
{
	(void)state;
	const struct poly_batch *batch;
	struct poly_reader *reader = open_source(&batch);
	struct poly_writer *writer;
	struct poly_error error;
	unsigned calls = 0;
	const struct poly_sink sink = {refuse, &calls};
	struct poly_write_options options = to_format("bach-text");
	enum poly_status status = POLY_OK;
	assert_int_equal(poly_writer_open_sink(
				 &sink, poly_reader_info(reader), &options, &writer, &error),
		POLY_OK);
	for (int i = 0; i < 100000 && status == POLY_OK; i++)
		status = poly_writer_write(writer, batch, &error);
	assert_int_equal(status, POLY_ERR_IO);
	for (int i = 0; i < 2; i++) {
		memset(&error, 0, sizeof error);
		status = i ? poly_writer_finish(writer, &error)
			   : poly_writer_write(writer, batch, &error);
		assert_int_equal(status, POLY_ERR_IO);
		assert_int_equal(error.status, POLY_ERR_IO);
		assert_int_equal(error.sys_errno, ENOSPC);
	}
	assert_int_equal(calls, 1);
	poly_writer_close(writer);
	poly_reader_close(reader);
}

/* A writer of bus records for rows created here. */
static struct poly_writer *
open_bus(const struct info *info, const struct poly_sink *sink, bool strict)
{
	struct poly_writer *writer;
	struct poly_error error;
	struct poly_write_options options = to_format("bach");
	options.strict = strict;
	if (poly_writer_open_sink(sink, &info->view, &options, &writer, &error) != POLY_OK)
		fail_msg("%s", error.message);
	return writer;
}

static void
losses_are_reported_by_kind(void **state)
{
	(void)state;
	static const uint32_t sizes[] = {1, 0, 65, 0, 4, 100};
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	struct batch batch;
	struct info info;
	struct poly_error error;
	uint64_t count = 0;
	info_init(&info);
	info.view.format = "made here";
	info.view.columns = POLY_COLUMNS(access, address, size);
	assert_int_equal(batch_init(&batch, info.view.columns, 10, &info.view, NULL), POLY_OK);
	for (size_t row = 0; row < 6; row++) {
		batch_put(&batch, access, row, POLY_ACCESS_READ);
		batch_put(&batch, address, row, 0x1000);
		if (row != 1)
			batch_put(&batch, size, row, sizes[row]);
	}
	batch.view.rows = 6;
	struct poly_writer *writer = open_bus(&info, &sink, false);
	assert_int_equal(poly_writer_write(writer, &batch.view, NULL), POLY_OK);
	assert_int_equal(poly_writer_write(writer, &batch.view, NULL), POLY_OK);
	assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	assert_int_equal(out.size, 2 * 3 * 6);
	assert_string_equal(poly_writer_note_at(writer, 0, &count),
		"accesses of unknown size, written as 1 byte");
	assert_int_equal(count, 2);
	assert_string_equal(poly_writer_note_at(writer, 1, &count),
		"accesses dropped whose size is 0 or exceeds 64 bytes");
	assert_int_equal(count, 6);
	assert_null(poly_writer_note_at(writer, 2, &count));
	poly_writer_close(writer);

	/* Strict writing fails instead, and from then on. */
	writer = open_bus(&info, &sink, true);
	for (int i = 0; i < 2; i++)
		assert_int_equal(poly_writer_write(writer, &batch.view, &error), POLY_ERR_LOSS);
	assert_int_equal(poly_writer_finish(writer, &error), POLY_ERR_LOSS);
	assert_non_null(strstr(error.message, "unknown size"));
	poly_writer_close(writer);

	/* So does a row that cannot be written; the error has its number. */
	batch_clear(&batch);
	batch.view.rows = 3;
	batch.view.first = 100;
	for (size_t row = 0; row < 3; row++) {
		batch_put(&batch, access, row, POLY_ACCESS_READ);
		batch_put(&batch, size, row, 4);
		if (row < 2)
			batch_put(&batch, address, row, 0x1000);
	}
	writer = open_bus(&info, &sink, false);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(poly_writer_write(writer, &batch.view, &error), POLY_ERR_LOSS);
		assert_int_equal(error.record, 103);
		assert_non_null(strstr(error.message, "no 'address'"));
	}
	assert_int_equal(poly_writer_finish(writer, &error), POLY_ERR_LOSS);
	poly_writer_close(writer);
	batch_fini(&batch);
	info_fini(&info);
	buf_free(&out);
}

static void
columns_that_a_target_lacks_are_lost(void **state)
{
	(void)state;
	struct poly_trace_info source = {.format = "made here"};
	poly_columns missing = POLY_NO_COLUMNS;
	const struct poly_format_info *bach = poly_format_find("bach"),
				      *tt6 = poly_format_find("tt6");
	source.columns = POLY_COLUMNS(address, access, uop_name, origin, raw, kind);
	assert_true(poly_columns_equal(
		poly_format_loss(&source, bach, &missing), POLY_COLUMNS(uop_name)));
	assert_true(poly_columns_empty(missing));
	poly_format_loss(&source, tt6, &missing);
	assert_true(POLY_HAS(missing, pc) && !poly_columns_overlap(missing, source.columns));
	source.columns = POLY_ALL_COLUMNS;
	assert_true(poly_columns_empty(poly_format_loss(&source, bach, &missing)) &&
		    poly_columns_empty(missing));
}

static struct poly_reader *
open_trace(const struct buf *trace, const char *format)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = format;
	struct poly_reader *reader = open_memory(trace, &options);
	return reader;
}

/* The output of a trace written twice, by a number of threads. */
static struct buf
written_twice(const struct buf *trace, const char *from, const char *to, unsigned threads)
{
	struct poly_write_options options = to_format(to);
	const struct poly_batch *batch;
	struct poly_reader *readers[] = {open_trace(trace, from), open_trace(trace, from)};
	struct poly_writer *writer;
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	options.threads = threads;
	assert_int_equal(poly_writer_open_sink(
				 &sink, poly_reader_info(readers[0]), &options, &writer, NULL),
		POLY_OK);
	for (unsigned i = 0; i < 2; i++) {
		while (poly_reader_next(readers[i], &batch, NULL) == POLY_OK)
			assert_int_equal(poly_writer_write(writer, batch, NULL), POLY_OK);
	}
	assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	poly_writer_close(writer);
	poly_reader_close(readers[0]);
	poly_reader_close(readers[1]);
	return out;
}

static void
threads_change_no_byte(void **state)
{
	static const char *const targets[] = {"jsonl", "csv"};
	struct buf traces[2] = {{0}, {0}};
	(void)state;
	/* Two batches and a part of one; and lines that are kept as they were, without an end.
	 */
	for (unsigned i = 0; i < 2 * POLY_BATCH_ROWS + 1111; i++) {
		buf_printf(&traces[0], "%08x %02x IO_READ\n", i * 24, i % 256);
		buf_printf(&traces[1], "%s{\"pc\": \"0x%x\"}", i ? "\n" : "", i * 4);
	}
	for (unsigned i = 0; i < 4; i++) {
		const char *from = i < 2 ? "bach-text" : "jsonl", *to = targets[i % 2];
		struct buf one = written_twice(&traces[i / 2], from, to, 1);
		assert_true(one.size > 100000);
		for (unsigned threads = 0; threads <= 70; threads += threads < 6 ? 1 : 32) {
			struct buf out = written_twice(&traces[i / 2], from, to, threads);
			assert_int_equal(out.size, one.size);
			assert_memory_equal(out.data, one.data, one.size);
			buf_free(&out);
		}
		buf_free(&one);
	}
	buf_free(&traces[0]);
	buf_free(&traces[1]);
}

/* A batch, and a writer of several threads that has written a part of it. */
struct writing {
	const struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_writer *writer;
	size_t bytes;
};

static void
write_a_few_rows(void *context)
{
	struct writing *writing = context;
	struct poly_write_options options = to_format("jsonl");
	const struct poly_sink sink = {count_bytes, &writing->bytes};
	struct poly_batch few = *writing->batch;
	options.threads = 3;
	few.rows = 1024;
	assert_int_equal(poly_writer_open_sink(&sink, poly_reader_info(writing->reader),
				 &options, &writing->writer, NULL),
		POLY_OK);
	assert_int_equal(poly_writer_write(writing->writer, &few, NULL), POLY_OK);
}

static enum poly_status
write_all_rows(void *context)
{
	const struct writing *writing = context;
	return poly_writer_write(writing->writer, writing->batch, NULL);
}

static void
close_writing(void *context)
{
	poly_writer_close(((struct writing *)context)->writer);
}

static void
lack_of_memory_is_not_a_failure_of_the_output(void **state)
{
	struct buf trace = {0};
	struct writing writing = {0};
	size_t allocations = 0;
	(void)state;
	for (unsigned i = 0; i < POLY_BATCH_ROWS; i++)
		buf_printf(&trace, "%08x %02x IO_READ\n", i * 24, i % 256);
	struct poly_reader *reader = open_trace(&trace, "bach-text");
	writing.reader = reader;
	assert_int_equal(poly_reader_next(reader, &writing.batch, NULL), POLY_OK);
	/* The threads return buffers in time or not: the number of allocations varies. */
	for (int i = 0; i < 20; i++)
		allocations |= law_memory_as(&(struct memory_law){.run = write_all_rows,
			.prepare = write_a_few_rows,
			.release = close_writing,
			.context = &writing});
	assert_int_not_equal(allocations, 0);
	poly_reader_close(reader);
	buf_free(&trace);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_suffix_selects_the_format),
		TEST(a_rejected_writer_leaves_no_file),
		TEST(an_existing_file_is_replaced_only_if_permitted),
		TEST(smaller_option_structs_are_accepted),
		TEST(the_failure_of_a_sink_is_sticky),
		TEST(losses_are_reported_by_kind),
		TEST(columns_that_a_target_lacks_are_lost),
		TEST(threads_change_no_byte),
		TEST(lack_of_memory_is_not_a_failure_of_the_output),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
