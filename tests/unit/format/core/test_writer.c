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

/* 0: one per processor. */
static const unsigned thread_counts[] = {0, 2, 3, 8, 70};

/* Checks that the output does not depend on the number of threads. */
static void
compare_threads(const struct buf *trace, const char *from, const char *to)
{
	struct buf one = written_twice(trace, from, to, 1);
	assert_true(one.size > 30000);
	for (size_t i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++) {
		struct buf out = written_twice(trace, from, to, thread_counts[i]);
		assert_int_equal(out.size, one.size);
		assert_memory_equal(out.data, one.data, one.size);
		buf_free(&out);
	}
	buf_free(&one);
}

static void
threads_change_no_byte(void **state)
{
	static const char *const of_bus[] = {
		"jsonl", "csv", "bach", "bach-text", "text:address:hex"};
	static const char *const of_lines[] = {"jsonl", "csv", "text:pc:hex", "din"};
	struct buf bus = {0}, lines = {0};
	(void)state;
	/* Two batches and a part of one; and lines that are kept as they were, without an end.
	 */
	for (unsigned i = 0; i < 2 * POLY_BATCH_ROWS + 1111; i++) {
		buf_printf(&bus, "%08x %02x IO_READ\n", i * 24, i % 256);
		buf_printf(&lines, "%s{\"pc\": \"0x%x\", \"kind\": \"instruction\"}",
			i ? "\n" : "", i * 4);
	}
	for (unsigned i = 0; i < sizeof of_bus / sizeof *of_bus; i++)
		compare_threads(&bus, "bach-text", of_bus[i]);
	for (unsigned i = 0; i < sizeof of_lines / sizeof *of_lines; i++)
		compare_threads(&lines, "jsonl", of_lines[i]);
	buf_free(&bus);
	buf_free(&lines);
}

/* The result of writing a trace up to its end, or to a failure. */
struct written {
	struct buf bytes;
	struct poly_error error;
	const char *note;
	uint64_t note_count;
};

static struct written
write_lines(const struct buf *trace, unsigned threads)
{
	struct poly_write_options options = to_format("din");
	struct poly_reader *reader = open_trace(trace, "jsonl");
	const struct poly_batch *batch;
	struct poly_writer *writer;
	struct written written = {.error = {.status = POLY_OK}};
	const struct poly_sink sink = {collect, &written.bytes};
	static const char *const sized[] = {"din.form=sized", NULL};
	options.threads = threads;
	options.options = sized;
	assert_int_equal(
		poly_writer_open_sink(&sink, poly_reader_info(reader), &options, &writer, NULL),
		POLY_OK);
	while (written.error.status == POLY_OK &&
		poly_reader_next(reader, &batch, NULL) == POLY_OK)
		written.error.status = poly_writer_write(writer, batch, &written.error);
	poly_writer_finish(writer, NULL);
	written.note = poly_writer_note_at(writer, 0, &written.note_count);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return written;
}

/* In the middle of a batch a row has no size; rows before and after it are dropped. */
static void
a_failure_and_notes_do_not_depend_on_threads(void **state)
{
	struct buf trace = {0};
	(void)state;
	for (unsigned i = 0; i < 2 * POLY_BATCH_ROWS; i++) {
		const bool dropped = i % 100 == 7, fails = i == POLY_BATCH_ROWS + 2345;
		buf_printf(&trace, "{\"kind\": \"%s\"%s%s}\n", dropped ? "event" : "access",
			dropped ? "" : ", \"access\": \"read\", \"address\": \"0x1234\"",
			dropped || fails ? "" : ", \"size\": 4");
	}
	struct written one = write_lines(&trace, 1);
	assert_int_equal(one.error.status, POLY_ERR_LOSS);
	assert_int_equal(one.error.record, POLY_BATCH_ROWS + 2346);
	assert_int_equal(one.note_count, (POLY_BATCH_ROWS + 2345 - 8) / 100 + 1);
	for (size_t i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++) {
		struct written many = write_lines(&trace, thread_counts[i]);
		assert_int_equal(many.error.status, one.error.status);
		assert_int_equal(many.error.record, one.error.record);
		assert_string_equal(many.error.message, one.error.message);
		assert_string_equal(many.note, one.note);
		assert_int_equal(many.note_count, one.note_count);
		assert_int_equal(many.bytes.size, one.bytes.size);
		assert_memory_equal(many.bytes.data, one.bytes.data, one.bytes.size);
		buf_free(&many.bytes);
	}
	buf_free(&one.bytes);
	buf_free(&trace);
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

/* A short trace, and a format that it is converted to. */
struct short_conversion {
	const char *from, *text, *to;
};

static enum poly_status
convert_short(void *context)
{
	const struct short_conversion *conversion = context;
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	const struct poly_write_options writing = to_format(conversion->to);
	size_t bytes = 0;
	const struct poly_sink sink = {count_bytes, &bytes};
	const struct poly_batch *batch;
	struct poly_reader *reader;
	struct poly_writer *writer = NULL;
	reading.format = conversion->from;
	reading.one_thread = true;
	enum poly_status status = poly_reader_open_memory(
		conversion->text, strlen(conversion->text), &reading, &reader, NULL);
	if (status != POLY_OK)
		return status;
	status =
		poly_writer_open_sink(&sink, poly_reader_info(reader), &writing, &writer, NULL);
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
a_conversion_without_memory_does_not_succeed(void **state)
{
	static const char tarmac[] = "1 clk IT (1) 00001000 e1a00000 A svc_s : mov r0, r0\n"
				     "1 clk R r1 00000001\n2 clk R cpsr 00000010\n";
	static const char spike[] =
		"core   0: 3 0x0000000080000000 (0x30529073) c773_mtvec 0x0000000000000004\n"
		"core   0: 3 0x0000000080000004 (0x00600113) x2  0x0000000000000006\n";
	static struct short_conversion conversions[] = {{"tarmac", tarmac, "vcd"},
		{"tarmac", tarmac, "tarmac"}, {"tarmac", tarmac, "jsonl"},
		{"tarmac", tarmac, "csv"}, {"riscv-log", spike, "riscv-log"},
		{"riscv-log", spike, "vcd"}, {"riscv-log", spike, "jsonl"}};
	(void)state;
	for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
		assert_true(law_memory(convert_short, &conversions[i]) > 10);
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
		TEST(a_failure_and_notes_do_not_depend_on_threads),
		TEST(lack_of_memory_is_not_a_failure_of_the_output),
		TEST(a_conversion_without_memory_does_not_succeed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
