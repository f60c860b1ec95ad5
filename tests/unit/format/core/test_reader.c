/* SPDX-License-Identifier: MIT */
/* What the reader promises whatever the format, tried on listings made here line by line. */
#include "trace_help.h"

#include <errno.h>
#include <unistd.h>

/* Lines of a bus listing with the addresses 0, 8, 16...; every n-th line is corrupt. */
static struct buf
make_listing(unsigned lines, unsigned n)
{
	struct buf text = {0};
	for (unsigned i = 0; i < lines; i++) {
		if (n && i % n == n - 1)
			buf_string(&text, "corrupt\n");
		else
			buf_printf(&text, "%08x fe IO_READ\n", 8 * i);
	}
	return text;
}

static struct poly_reader *
open_listing(const struct buf *text, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	struct poly_error error;
	if (poly_reader_open_memory(text->data, text->size, options, &reader, &error) !=
		POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

static struct poly_read_options
listing_options(void)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "bach-text";
	return options;
}

static void
a_failed_open_leaks_nothing(void **state)
{
	(void)state;
	static const char *const unknown[] = {"no.such=1", NULL},
				 *const bare[] = {"bach.line", NULL},
				 *const range[] = {"bach.line=9", NULL};
	const struct {
		const char *format;
		const char *const *options;
		enum poly_status status;
		const char *message;
	} cases[] = {
		{"nothing", NULL, POLY_ERR_USAGE, "options.format: no such format 'nothing'"},
		{"csv", NULL, POLY_ERR_USAGE, "format 'csv' can only be written"},
		{NULL, NULL, POLY_ERR_FORMAT, "unrecognized format"},
		{"bach-text", unknown, POLY_ERR_USAGE, "unknown option 'no.such'"},
		{"bach-text", bare, POLY_ERR_USAGE, "option 'bach.line' has no value"},
		{"bach-text", range, POLY_ERR_USAGE,
			"option 'bach.line' is '9', expected 32 or 8"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		struct poly_reader *reader = (struct poly_reader *)&options;
		struct poly_error error = {0};
		options.format = cases[i].format;
		options.options = cases[i].options;
		assert_int_equal(poly_reader_open_memory("?", 1, &options, &reader, &error),
			cases[i].status);
		assert_null(reader);
		assert_int_equal(error.status, cases[i].status);
		if (!strstr(error.message, cases[i].message))
			fail_msg("'%s' without '%s'", error.message, cases[i].message);
		assert_int_equal(poly_reader_open_memory("?", 1, &options, &reader, NULL),
			cases[i].status);
	}
	struct poly_reader *reader;
	struct poly_error error;
	assert_int_equal(poly_reader_open("/no/where", NULL, &reader, &error), POLY_ERR_IO);
	assert_null(reader);
	assert_int_equal(error.sys_errno, ENOENT);
	poly_reader_close(NULL);
}

/* The struct of a version whose last member was options. */
static void
smaller_option_structs_are_accepted(void **state)
{
	(void)state;
	struct buf text = make_listing(10, 0);
	struct poly_read_options options = listing_options();
	struct poly_reader *reader;
	struct poly_error error;
	const struct poly_batch *batch;
	memset((char *)&options + offsetof(struct poly_read_options, strict), 0xee,
		sizeof options - offsetof(struct poly_read_options, strict));
	options.size = offsetof(struct poly_read_options, strict);
	reader = open_listing(&text, &options);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 10);
	poly_reader_close(reader);
	options.size = 0;
	assert_int_equal(
		poly_reader_open_memory(text.data, text.size, &options, &reader, &error),
		POLY_ERR_USAGE);
	assert_null(reader);
	/* A later version's. */
	struct {
		struct poly_read_options known;
		char more[64];
	} later = {listing_options(), {0}};
	later.known.size = sizeof later;
	later.known.batch_rows = 3;
	reader = open_listing(&text, &later.known);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 3);
	poly_reader_close(reader);
	buf_free(&text);
}

static void
an_error_is_written_only_on_failure(void **state)
{
	(void)state;
	struct buf text = make_listing(10, 0);
	struct poly_read_options options = listing_options();
	struct poly_error error, before;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	memset(&before, 0xa5, sizeof before);
	error = before;
	options.batch_rows = 3;
	assert_int_equal(
		poly_reader_open_memory(text.data, text.size, &options, &reader, &error),
		POLY_OK);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		;
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_END);
	assert_memory_equal(&error, &before, sizeof error);
	poly_reader_close(reader);
	buf_free(&text);
}

static void
records_precede_corrupt_data_and_the_error_is_sticky(void **state)
{
	(void)state;
	struct buf text = make_listing(30, 20);
	struct poly_read_options options = listing_options();
	for (options.batch_rows = 0; options.batch_rows < 6; options.batch_rows++) {
		struct poly_reader *reader = open_listing(&text, &options);
		const struct poly_batch *batch;
		struct poly_error error;
		uint64_t rows = 0;
		while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
			assert_true(batch->first == rows && batch->rows > 0);
			for (size_t row = 0; row < batch->rows; row++, rows++)
				assert_true(batch->address[row] == 8 * rows);
		}
		assert_int_equal(rows, 19);
		for (int i = 0; i < 3; i++) {
			memset(&error, 0, sizeof error);
			assert_int_equal(
				poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
			assert_null(batch);
			assert_int_equal(error.status, POLY_ERR_FORMAT);
			assert_int_equal(error.record, 20);
			assert_int_equal(error.line, 20);
			assert_int_equal(error.offset, 19 * 20);
			assert_int_equal(
				poly_reader_next(reader, &batch, NULL), POLY_ERR_FORMAT);
		}
		poly_reader_close(reader);
	}
	buf_free(&text);
}

static void
skipped_corrupt_data_are_counted(void **state)
{
	(void)state;
	struct buf text = make_listing(60, 20);
	/* Two consecutive corrupt lines are one region. */
	memcpy(text.data + 19 * 20 + 8, "another corrupt one\n", 20);
	struct poly_read_options options = listing_options();
	options.skip_errors = true;
	for (options.batch_rows = 0; options.batch_rows < 6; options.batch_rows++) {
		struct poly_reader *reader = open_listing(&text, &options);
		const struct poly_batch *batch;
		struct poly_reader_counts counts;
		uint64_t rows = 0, corrupt = 0;
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
			for (size_t row = 0; row < batch->rows; row++, rows++)
				corrupt += batch->kind[row] == POLY_KIND_OTHER;
		}
		assert_null(batch);
		assert_int_equal(rows, 60);
		assert_int_equal(corrupt, 4);
		poly_reader_count(reader, &counts);
		assert_int_equal(counts.records, 60);
		assert_int_equal(counts.skipped_places, 3);
		assert_int_equal(counts.skipped_bytes, 3 * 8 + 20);
		assert_int_equal(counts.content_bytes, text.size);
		assert_int_equal(counts.input_bytes, text.size);
		assert_int_equal(counts.input_total, text.size);
		poly_reader_close(reader);
	}
	buf_free(&text);
}

static void
a_window_is_part_of_the_whole(void **state)
{
	(void)state;
	struct buf text = make_listing(5000, 0);
	static const uint64_t places[] = {
		0, 1, 63, 64, 65, 4095, 4096, 4097, 4999, 5000, 9999, UINT64_MAX};
	for (unsigned i = 0; i < 144 * 2; i++) {
		struct poly_read_options options = listing_options();
		const struct poly_batch *batch;
		struct poly_reader_counts counts;
		options.skip = places[i % 12];
		options.count = places[i / 12 % 12];
		options.batch_rows = i / 144 ? 100 : 0;
		struct poly_reader *reader = open_listing(&text, &options);
		uint64_t at = options.skip, end = 5000;
		if (options.skip < end && options.count < end - options.skip)
			end = options.skip + options.count;
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
			assert_true(batch->first == at && batch->rows);
			for (size_t row = 0; row < batch->rows; row++, at++) {
				assert_true(batch->address[row] == 8 * at);
				assert_true(poly_present(batch, POLY_COLUMN_address, row));
			}
		}
		bool any = options.skip < 5000 && options.count > 0;
		assert_true(at == (any ? end : options.skip));
		poly_reader_count(reader, &counts);
		assert_true(counts.records == at - options.skip);
		assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_END);
		poly_reader_close(reader);
	}
	buf_free(&text);
}

/* Corrupt data after the selected records is not reported. */
static void
bytes_after_the_window_are_not_read(void **state)
{
	(void)state;
	struct buf text = make_listing(30, 20);
	struct poly_read_options options = listing_options();
	const struct poly_batch *batch;
	options.count = 19;
	struct poly_reader *reader = open_listing(&text, &options);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 19);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_END);
	poly_reader_close(reader);
	buf_free(&text);
}

static int
count_down(void *user, uint64_t bytes, uint64_t total)
{
	unsigned *left = user;
	assert_true(bytes <= total && total == 200 * 20);
	return *left == 0 || --*left == 0;
}

static void
a_cancelled_reader_stays_cancelled(void **state)
{
	(void)state;
	struct buf text = make_listing(200, 0);
	struct poly_read_options options = listing_options();
	const struct poly_batch *batch;
	struct poly_error error;
	unsigned left = 4, rows = 0;
	options.progress = count_down;
	options.user = &left;
	options.batch_rows = 10;
	struct poly_reader *reader = open_listing(&text, &options);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		rows += (unsigned)batch->rows;
	assert_int_equal(rows, 30);
	assert_int_equal(error.status, POLY_ERR_CANCELLED);
	left = 100;
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_CANCELLED);
	assert_null(batch);
	poly_reader_close(reader);
	buf_free(&text);
}

/* B08, the address of a port: a note from record 8193 on; B03: a warning, at one record. */
static void
findings_are_ordered_and_the_first_are_stored(void **state)
{
	(void)state;
	struct buf text = make_listing(9000, 0);
	memcpy(text.data + 20 * 100, "00000321", 8);
	struct poly_read_options options = listing_options();
	const struct poly_batch *batch;
	struct poly_finding finding;
	options.check = true;
	struct poly_reader *reader = open_listing(&text, &options);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		;
	assert_true(poly_reader_finding_at(reader, 0, &finding));
	assert_string_equal(finding.rule->code, "B03");
	assert_int_equal(finding.rule->severity, POLY_WARNING);
	assert_int_equal(finding.record, 101);
	assert_int_equal(finding.offset, 2000);
	assert_int_equal(finding.count, 1);
	assert_true(finding.message[0] != 0);
	size_t i = 1;
	for (; poly_reader_finding_at(reader, i, &finding); i++) {
		assert_string_equal(finding.rule->code, "B08");
		assert_int_equal(finding.count, 9000 - 8192);
		assert_int_equal(finding.record, 8192 + i);
	}
	assert_int_equal(i, 6);
	poly_reader_close(reader);

	/* Strict reading ends after the record of the warning. */
	options.strict = true;
	reader = open_listing(&text, &options);
	struct poly_error error;
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(batch->rows, 101);
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
		assert_int_equal(error.record, 101);
		assert_int_equal(error.offset, 2000);
		assert_memory_equal(error.message, "B03: ", 5);
	}
	poly_reader_close(reader);
	buf_free(&text);
}

static void
a_plan_is_set_once_before_the_first_batch(void **state)
{
	(void)state;
	struct buf text = make_listing(10, 0);
	struct poly_read_options options = listing_options();
	const struct poly_batch *batch;
	options.columns = POLY_COLUMNS(address, size);
	struct poly_reader *reader = open_listing(&text, &options);
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	struct poly_error error;
	plan.columns = POLY_COLUMNS(address, kind);
	plan.size = 0;
	assert_int_equal(poly_reader_plan(reader, &plan, &error), POLY_ERR_USAGE);
	plan.size = sizeof plan;
	assert_int_equal(poly_reader_plan(reader, &plan, &error), POLY_OK);
	plan.columns = POLY_COLUMNS(size);
	assert_int_equal(poly_reader_plan(reader, &plan, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "a plan of the reader after another one");
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_non_null(batch->address);
	assert_null(batch->size);
	assert_null(batch->kind);
	assert_null(batch->present[POLY_COLUMN_size]);
	poly_reader_close(reader);
	reader = open_listing(&text, &options);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(poly_reader_plan(reader, &plan, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "a plan of the reader after its first batch");
	assert_non_null(batch->size);
	poly_reader_close(reader);
	buf_free(&text);
}

/* The caller's strings may go as soon as the reader is open. */
static void
strings_of_the_options_are_not_kept(void **state)
{
	(void)state;
	struct buf text = make_listing(10, 5);
	char *format = mem_string("bach-text"), *name = mem_string("x.bach.txt"),
	     *word = mem_string("bach.line=8");
	const char *words[] = {word, NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const struct poly_batch *batch;
	options.format = format;
	options.name = name;
	options.options = words;
	struct poly_reader *reader = open_listing(&text, &options);
	memset(&options, 0xee, sizeof options);
	memset(format, '!', strlen(format));
	memset(word, '!', strlen(word));
	mem_free(format);
	mem_free(name);
	mem_free(word);
	words[0] = NULL;
	assert_string_equal(poly_reader_info(reader)->format, "bach-text");
	assert_string_equal(poly_trace_fact(poly_reader_info(reader), "bach.line"), "8");
	assert_string_equal(poly_reader_evidence(reader), "named by the user");
	assert_string_equal(poly_reader_compression(reader), "none");
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	poly_reader_close(reader);
	buf_free(&text);
}

/* A listing, its reader, and the result of the first call. */
struct reading {
	struct buf text;
	uint64_t count; /* maximum number of records */
	struct poly_reader *reader;
	enum poly_status status;
};

static void
open_reading(void *context)
{
	struct reading *reading = context;
	struct poly_read_options options = listing_options();
	options.skip = 7; /* takes a slice */
	options.count = reading->count;
	options.one_thread = true;
	reading->reader = open_listing(&reading->text, &options);
}

static enum poly_status
read_first(void *context)
{
	struct reading *reading = context;
	const struct poly_batch *batch;
	reading->status = poly_reader_next(reading->reader, &batch, NULL);
	assert_int_equal(batch == NULL, reading->status != POLY_OK);
	return reading->status;
}

/* There is memory again. */
static void
read_next_and_close(void *context)
{
	struct reading *reading = context;
	const struct poly_batch *batch;
	assert_int_equal(poly_reader_next(reading->reader, &batch, NULL),
		reading->status == POLY_OK ? POLY_END : POLY_ERR_MEMORY);
	poly_reader_close(reading->reader);
}

static void
lack_of_memory_stays(void **state)
{
	struct reading reading = {.text = make_listing(300, 0)};
	static const uint64_t counts[] = {UINT64_MAX, 100};
	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		reading.count = counts[i];
		law_memory_as(&(struct memory_law){.run = read_first,
			.prepare = open_reading,
			.release = read_next_and_close,
			.context = &reading});
	}
	buf_free(&reading.text);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failed_open_leaks_nothing),
		cmocka_unit_test(smaller_option_structs_are_accepted),
		cmocka_unit_test(an_error_is_written_only_on_failure),
		cmocka_unit_test(records_precede_corrupt_data_and_the_error_is_sticky),
		cmocka_unit_test(skipped_corrupt_data_are_counted),
		cmocka_unit_test(a_window_is_part_of_the_whole),
		cmocka_unit_test(bytes_after_the_window_are_not_read),
		cmocka_unit_test(a_cancelled_reader_stays_cancelled),
		cmocka_unit_test(findings_are_ordered_and_the_first_are_stored),
		cmocka_unit_test(a_plan_is_set_once_before_the_first_batch),
		cmocka_unit_test(strings_of_the_options_are_not_kept),
		cmocka_unit_test(lack_of_memory_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
