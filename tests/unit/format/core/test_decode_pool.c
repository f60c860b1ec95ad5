/* SPDX-License-Identifier: MIT */
/*
 * Traces that are decoded by several threads. The oracle is the program that makes the text: it
 * knows when each name and each site appears for the first time.
 */
#include "test_help.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A trace: its text, and what each line has to give. */
struct trace {
	struct buf text;
	unsigned lines;
	uint32_t *name, *site;
	unsigned names, sites;
};

static uint32_t seed;

/* A number that was there before, or in one of many cases the next one. */
static uint32_t
old_or_new(unsigned *count, unsigned many)
{
	if (*count == 0 || draw_below(&seed, many) == 0)
		return (*count)++;
	return draw_below(&seed, *count);
}

static void
add_line(struct trace *trace, uint32_t name, uint32_t site)
{
	trace->name[trace->lines] = name;
	trace->site[trace->lines++] = site;
	buf_printf(&trace->text, "1 %x -1 49 45 - - L -264 %x %x 0 A_NAME_%u LOAD\n",
		0x400000 + 4 * site, draw_below(&seed, 1 << 30), 0x400004 + 4 * site, name);
}

static struct trace
make_trace(unsigned lines, unsigned many)
{
	struct trace trace = {.name = calloc(lines, sizeof(uint32_t)),
		.site = calloc(lines, sizeof(uint32_t))};
	seed = 1;
	for (unsigned i = 0; i < lines; i++) {
		/* The second name is that of the other column of the first line. */
		uint32_t name = old_or_new(&trace.names, many);
		uint32_t site = old_or_new(&trace.sites, 7);
		add_line(&trace, name + (name > 0), site);
	}
	assert_false(trace.text.failed);
	return trace;
}

static void
trace_free(struct trace *trace)
{
	buf_free(&trace->text);
	free(trace->name);
	free(trace->site);
}

static struct poly_read_options
options_of(unsigned threads, size_t block_size)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "cis501";
	options.threads = threads;
	options.block_size = block_size;
	return options;
}

static struct poly_reader *
open_text(const struct buf *text, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	struct poly_error error;
	if (poly_reader_open_memory(text->data, text->size, options, &reader, &error) !=
		POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

static struct poly_reader *
open_file(const char *path, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	struct poly_error error;
	if (poly_reader_open(path, options, &reader, &error) != POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

/* Rows from a line on are those of the trace; returns how many there are. */
static size_t
expect_rows(const struct trace *trace, const struct poly_batch *batch, size_t line)
{
	char name[40];
	assert_true(line + batch->rows <= trace->lines);
	for (size_t row = 0; row < batch->rows; row++) {
		const uint32_t number = trace->name[line + row];
		assert_int_equal(batch->mnemonic[row], number);
		snprintf(name, sizeof name, "A_NAME_%u", number);
		assert_string_equal(poly_trace_name(batch->info, number), name);
		assert_string_equal(poly_trace_name(batch->info, batch->uop_name[row]), "LOAD");
		assert_int_equal(batch->site[row], trace->site[line + row]);
		assert_int_equal(batch->pc[row], 0x400000 + 4 * trace->site[line + row]);
	}
	return batch->rows;
}

/* Reads a trace to its end. */
static void
expect_trace(struct poly_reader *reader, const struct trace *trace)
{
	const struct poly_batch *batch;
	struct poly_error error;
	size_t line = 0;
	enum poly_status status;
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		assert_int_equal(batch->first, line);
		line += expect_rows(trace, batch, line);
	}
	assert_int_equal(status, POLY_END);
	assert_int_equal(line, trace->lines);
	poly_reader_close(reader);
}

static void
names_and_sites_are_numbered_as_they_appear(void **state)
{
	(void)state;
	static const unsigned threads[] = {1, 2, 3, 8, 64, 1000};
	static const size_t blocks[] = {0, 100, 1000, 65536};
	struct trace trace = make_trace(30000, 40);
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		for (size_t j = 0; j < sizeof blocks / sizeof *blocks; j++) {
			if (!sample_takes())
				continue;
			struct poly_read_options options = options_of(threads[i], blocks[j]);
			expect_trace(open_text(&trace.text, &options), &trace);
		}
	}
	trace_free(&trace);
}

/* Lines like these can't be predicted; that rests after some and begins again anywhere. */
static void
sites_keep_their_order_where_lines_are_not_predicted(void **state)
{
	(void)state;
	struct trace trace = make_trace(300000, 40);
	for (unsigned threads = 1; threads <= 2; threads++) {
		struct poly_read_options options = options_of(threads, 100000);
		options.batch_rows = 1000;
		expect_trace(open_text(&trace.text, &options), &trace);
	}
	trace_free(&trace);
}

/* Four MiB of names are kept; lines with others keep their bytes. */
static void
names_without_end_are_kept_up_to_the_same_one(void **state)
{
	(void)state;
	struct trace trace = make_trace(90000, 1);
	size_t kept[2] = {0, 0};
	for (int turn = 0; turn < 2; turn++) {
		struct poly_read_options options = options_of(turn ? 3 : 1, 0);
		struct poly_reader *reader = open_text(&trace.text, &options);
		const struct poly_batch *batch;
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
			for (size_t row = 0; row < batch->rows; row++) {
				size_t line = batch->first + row;
				bool named = poly_present(batch, POLY_COLUMN_mnemonic, row);
				assert_int_equal(
					named, !poly_present(batch, POLY_COLUMN_raw, row));
				assert_true(!named || batch->mnemonic[row] == trace.name[line]);
				kept[turn] += named;
			}
		}
		poly_reader_close(reader);
	}
	assert_int_equal(kept[0], kept[1]);
	assert_in_range(kept[0], 50000, 70000);
	trace_free(&trace);
}

static void
a_reader_is_closed_at_any_moment(void **state)
{
	(void)state;
	struct trace trace = make_trace(20000, 1000);
	for (unsigned i = 0; i < 60; i++) {
		if (!sample_takes())
			continue;
		struct poly_read_options options = options_of(2 + i % 4, i % 2 ? 400 : 30000);
		struct poly_reader *reader = open_text(&trace.text, &options);
		const struct poly_batch *batch;
		for (unsigned n = 0; n < i / 4; n++)
			assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
		poly_reader_close(reader);
	}
	trace_free(&trace);
}

static int
cancel_later(void *user, uint64_t input_bytes, uint64_t input_total)
{
	unsigned *left = user;
	assert_true(input_bytes <= input_total);
	return (*left)-- == 0;
}

static void
a_cancelled_reader_has_delivered_earlier_records(void **state)
{
	(void)state;
	struct trace trace = make_trace(20000, 1000);
	for (unsigned n = 0; n < 20; n++) {
		struct poly_read_options options = options_of(3, 1000);
		unsigned left = n, batches = 0;
		options.progress = cancel_later;
		options.user = &left;
		struct poly_reader *reader = open_text(&trace.text, &options);
		const struct poly_batch *batch;
		struct poly_error error;
		size_t line = 0;
		while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
			line += expect_rows(&trace, batch, line);
			batches++;
		}
		assert_int_equal(batches, n);
		assert_int_equal(error.status, POLY_ERR_CANCELLED);
		assert_int_equal(error.record, line + 1);
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_CANCELLED);
		poly_reader_close(reader);
	}
	trace_free(&trace);
}

/* A line that is longer than the ring of chunks, between good ones. */
static void
an_endless_line_is_skipped(void **state)
{
	(void)state;
	struct trace trace = make_trace(20000, 50);
	struct buf text = {0};
	const size_t half = trace.text.size / 2, size = 5000000;
	const uint8_t *newline = memchr(trace.text.data + half, '\n', half);
	const size_t front = (size_t)(newline + 1 - trace.text.data);
	buf_append(&text, trace.text.data, front);
	memset(buf_reserve(&text, size), 'x', size);
	text.size += size;
	buf_byte(&text, '\n');
	buf_append(&text, newline + 1, trace.text.size - front);
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct poly_read_options options = options_of(threads, 0);
		options.skip_errors = true;
		struct poly_reader *reader = open_text(&text, &options);
		const struct poly_batch *batch;
		struct poly_reader_counts counts;
		size_t line = 0;
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
			if (batch->kind[0] == POLY_KIND_INSTRUCTION)
				line += expect_rows(&trace, batch, line);
		}
		assert_int_equal(line, trace.lines);
		poly_reader_count(reader, &counts);
		assert_int_equal(counts.skipped_bytes, size + 1);
		assert_int_equal(counts.skipped_places, 1);
		assert_int_equal(counts.content_bytes, text.size);
		poly_reader_close(reader);
	}
	buf_free(&text);
	trace_free(&trace);
}

/* A corrupt line is reported with its number, which other threads have counted. */
static void
corrupt_data_have_the_number_of_their_line(void **state)
{
	(void)state;
	struct trace trace = make_trace(30000, 50);
	const uint32_t lines[] = {2, 9999, 30000};
	for (size_t i = 0; i < 3; i++) {
		uint8_t *p = trace.text.data;
		for (uint32_t line = 1; line < lines[i]; line++)
			p = (uint8_t *)memchr(p, '\n', 200) + 1;
		*p = 'x';
		struct poly_read_options options = options_of(2, 5000);
		struct poly_reader *reader = open_text(&trace.text, &options);
		const struct poly_batch *batch;
		struct poly_error error;
		size_t line = 0;
		while (poly_reader_next(reader, &batch, &error) == POLY_OK)
			line += expect_rows(&trace, batch, line);
		assert_int_equal(error.status, POLY_ERR_FORMAT);
		assert_int_equal(error.line, lines[i]);
		assert_int_equal(error.record, lines[i]);
		assert_int_equal(error.offset, p - trace.text.data);
		assert_int_equal(line, lines[i] - 1);
		poly_reader_close(reader);
		*p = '1';
	}
	trace_free(&trace);
}

/* Writes a trace to a file that its ending compresses; false where the build can't. */
static bool
write_compressed(const struct trace *trace, const char *path)
{
	struct poly_read_options options = options_of(1, 0);
	struct poly_write_options target = POLY_WRITE_OPTIONS_INIT;
	struct poly_reader *reader = open_text(&trace->text, &options);
	const struct poly_batch *batch;
	struct poly_writer *writer;
	struct poly_error error;
	target.format = "cis501";
	enum poly_status status =
		poly_writer_open(path, poly_reader_info(reader), &target, &writer, &error);
	while (status == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK)
		status = poly_writer_write(writer, batch, &error);
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	poly_writer_close(writer);
	poly_reader_close(reader);
	if (status != POLY_OK && status != POLY_ERR_UNSUPPORTED)
		fail_msg("%s", error.message);
	return status == POLY_OK;
}

static void
compressed_input_is_decoded_by_several(void **state)
{
	(void)state;
	struct trace trace = make_trace(50000, 50);
	char folder[] = "pool.XXXXXX", path[40];
	struct stat stat_of;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.cis501.gz", folder);
	bool able = write_compressed(&trace, path);
	for (unsigned threads = 1; able && threads <= 3; threads++) {
		struct poly_read_options options = options_of(threads, 0);
		expect_trace(open_file(path, &options), &trace);
	}
	/* The rows before the truncation come first. */
	size_t lines[4] = {0};
	struct poly_error error[4];
	if (able) {
		assert_int_equal(stat(path, &stat_of), 0);
		assert_int_equal(truncate(path, stat_of.st_size / 2), 0);
	}
	for (unsigned threads = 1; able && threads <= 3; threads++) {
		struct poly_read_options options = options_of(threads, 0);
		struct poly_reader *reader = open_file(path, &options);
		const struct poly_batch *batch;
		while (poly_reader_next(reader, &batch, &error[threads]) == POLY_OK) {
			size_t rows = batch->rows;
			/* The last line may be truncated. */
			while (rows && batch->kind[rows - 1] != POLY_KIND_INSTRUCTION)
				rows--;
			for (size_t row = 0; row < rows; row++)
				assert_int_equal(
					batch->mnemonic[row], trace.name[lines[threads] + row]);
			lines[threads] += rows;
		}
		poly_reader_close(reader);
		assert_in_range(lines[threads], 20000, 30000);
		assert_int_equal(lines[threads], lines[1]);
		assert_int_equal(error[threads].status, POLY_ERR_TRUNCATED);
		assert_int_equal(error[threads].record, error[1].record);
		assert_int_equal(error[threads].offset, error[1].offset);
		assert_string_equal(error[threads].message, error[1].message);
	}
	unlink(path);
	rmdir(folder);
	trace_free(&trace);
	if (!able)
		skip();
}

/* However many threads there could be: what has come is not held back. */
static void
a_pipe_delivers_rows_while_it_is_open(void **state)
{
	(void)state;
	struct trace trace = make_trace(600, 50);
	int ends[2];
	char path[40];
	const struct poly_batch *batch;
	struct poly_read_options options = options_of(8, 64);
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	assert_int_equal(
		write(ends[1], trace.text.data, trace.text.size), (ssize_t)trace.text.size);
	options.batch_rows = 10;
	struct poly_reader *reader = open_file(path, &options);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(expect_rows(&trace, batch, 0), 10);
	poly_reader_close(reader);
	close(ends[0]);
	close(ends[1]);
	trace_free(&trace);
}

#ifdef POLY_FAULT_INJECTION
/* The reader does what other threads have no memory for. */
static void
lack_of_memory_in_threads_changes_nothing(void **state)
{
	(void)state;
	struct trace trace = make_trace(2000, 20);
	for (size_t k = 1; k < 100; k++) {
		if (!sample_takes())
			continue;
		struct poly_read_options options = options_of(3, 2000);
		mem_fail_in_threads(k);
		expect_trace(open_text(&trace.text, &options), &trace);
	}
	mem_fail_in_threads(0);
	trace_free(&trace);
}
#endif

/* A reader of a trace by several threads, and what it has read. */
struct reading {
	struct trace trace;
	struct poly_reader *reader;
};

static void
open_reading(void *context)
{
	struct reading *reading = context;
	const struct poly_read_options options = options_of(2, 2000);
	reading->reader = open_text(&reading->trace.text, &options);
}

static enum poly_status
read_all(void *context)
{
	const struct reading *reading = context;
	const struct poly_batch *batch;
	enum poly_status status;
	size_t line = 0;
	while ((status = poly_reader_next(reading->reader, &batch, NULL)) == POLY_OK)
		line += expect_rows(&reading->trace, batch, line);
	if (status == POLY_END)
		assert_int_equal(line, reading->trace.lines);
	return status;
}

static void
close_reading(void *context)
{
	poly_reader_close(((struct reading *)context)->reader);
}

/* If only the pool is out of memory, the reader decodes alone. */
static void
out_of_memory_is_reported(void **state)
{
	struct reading reading = {.trace = make_trace(2000, 20)};
	(void)state;
	law_memory_as(&(struct memory_law){.run = read_all,
		.prepare = open_reading,
		.release = close_reading,
		.context = &reading,
		.is_tolerant = true});
	trace_free(&reading.trace);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_sites_are_numbered_as_they_appear),
		cmocka_unit_test(sites_keep_their_order_where_lines_are_not_predicted),
		cmocka_unit_test(names_without_end_are_kept_up_to_the_same_one),
		cmocka_unit_test(a_reader_is_closed_at_any_moment),
		cmocka_unit_test(a_cancelled_reader_has_delivered_earlier_records),
		cmocka_unit_test(an_endless_line_is_skipped),
		cmocka_unit_test(corrupt_data_have_the_number_of_their_line),
		cmocka_unit_test(compressed_input_is_decoded_by_several),
		cmocka_unit_test(a_pipe_delivers_rows_while_it_is_open),
#ifdef POLY_FAULT_INJECTION
		cmocka_unit_test(lack_of_memory_in_threads_changes_nothing),
#endif
		cmocka_unit_test(out_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
