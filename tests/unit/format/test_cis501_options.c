/* SPDX-License-Identifier: MIT */
/*
 * Reading options of CIS 501 traces: records independent of lines, and branches that are
 * identified by their targets.
 */
#include "trace_help.h"

#define FREE "cis501.lines=free"
#define TARGET "cis501.branch=target"

/* A micro-operation after its number, without a newline. */
#define CMP " 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB"

/* Joins the words of a text with a separator, and a newline after the last one. */
static struct buf
joined(const struct buf *text, const char *between)
{
	struct buf out = {0};
	const char *p = (const char *)text->data, *end = p + text->size;
	while (p < end) {
		size_t n = 0;
		while (p + n < end && p[n] > ' ')
			n++;
		if (n && out.size)
			buf_string(&out, between);
		buf_append(&out, p, n);
		p += n ? n : 1;
	}
	buf_byte(&out, '\n');
	return out;
}

static void
the_same_fields_in_other_lines_are_the_same_trace(void **state)
{
	(void)state;
	static const char *const between[] = {"\n", " ", "\v", "\f", "\r\n\t", "  \v\n\f "};
	struct buf trace = load_sample("cis501/sort_1k.trace");
	for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
		struct buf other = joined(&trace, between[i]);
		struct buf again = convert(
			open_bytes(&other, "cis501", FREE, false), "cis501", NULL, NULL);
		expect_same(&again, &other);
		buf_free(&again);
		struct buf blanks = convert(open_bytes(&other, "cis501", FREE, false), "cis501",
			"cis501.layout=blanks", NULL);
		again = convert(open_bytes(&blanks, "cis501", NULL, false), "cis501",
			"cis501.layout=columns", NULL);
		expect_same(&again, &trace);
		buf_free(&blanks);
		buf_free(&again);
		buf_free(&other);
	}
	buf_free(&trace);
}

/* Every column of every row. */
static struct buf
rows_of(const struct buf *trace, const char *option)
{
	return convert(open_bytes(trace, "cis501", option, true), "csv", NULL, NULL);
}

static void
a_trace_of_lines_has_the_same_rows_with_free_lines(void **state)
{
	(void)state;
	static const char *const names[] = {"cis501/tolerance.trace", "cis501/sort_1k.trace",
		"cis501/seed15.trace", "cis501/targets.trace"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buf trace = load_sample(names[i]);
		struct buf bound = rows_of(&trace, NULL), loose = rows_of(&trace, FREE);
		expect_same(&loose, &bound);
		buf_free(&bound);
		buf_free(&loose);
		buf_free(&trace);
	}
}

/* The kinds of a trace's records: o micro-operation, b blank, h header, d corrupt. */
static struct buf
records_of(struct poly_reader *reader)
{
	struct buf out = {0};
	const struct poly_batch *batch;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			buf_byte(&out, (uint8_t) "obhd"[batch->record[row]]);
	}
	poly_reader_close(reader);
	return out;
}

static void
header_rows_and_blank_lines_may_separate_records(void **state)
{
	(void)state;
	struct buf trace = load_sample("cis501/free.trace");
	struct buf records = records_of(open_bytes(&trace, "cis501", FREE, false));
	/* Lines of the course's form precede them, so that the format is detected. */
	assert_int_equal(strspn(buf_text(&records), "o"), 44);
	assert_string_equal(buf_text(&records) + 44, "hooboooooo");
	buf_free(&records);
	buf_free(&trace);
}

/*
 * Traces whose second record is invalid: its line, the message, the records and the findings.
 */
static const struct {
	const char *trace;
	uint64_t line, offset;
	const char *message, *records, *codes;
} bad[] = {
	/* The fifteenth field is the first one of the next record. */
	{"1" CMP " X\n1" CMP "\n", 1, 44, "column 45: field 1, uop, is 'X'", "odo", "C03:2 "},
	{"1" CMP " 2\n48d1e2 45 y 44 W - - 0\n0 48d1e9 0 CMP SUB\n3" CMP "\n", 2, 56,
		"column 11: field 4, src2, is 'y'", "odddo", "C03:2 C03:3 C03:4 "},
	{"1" CMP "\n2 48d1e2 45 3 44 W - -\n0 0 48dxe9 0 CMP SUB\n3" CMP "\n", 3, 71,
		"column 5: field 11, fallthrough, is '48dxe9'", "oddo", "C03:2 C03:3 "},
};

static void
an_invalid_field_is_reported_by_line_and_costs_the_rest_of_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct buf trace = bytes_of(bad[i].trace);
		struct poly_reader *reader = open_bytes(&trace, "cis501", FREE, false);
		const struct poly_batch *batch;
		struct poly_error error;
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
		assert_int_equal(batch->rows, 1);
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
		assert_int_equal(error.line, bad[i].line);
		assert_int_equal(error.offset, bad[i].offset);
		if (!strstr(error.message, bad[i].message))
			fail_msg("%zu: message '%s'", i, error.message);
		poly_reader_close(reader);
		struct buf records = records_of(open_bytes(&trace, "cis501", FREE, true));
		assert_string_equal(buf_text(&records), bad[i].records);
		struct buf codes = find_all(open_bytes(&trace, "cis501", FREE, true));
		if (strncmp(buf_text(&codes), bad[i].codes, strlen(bad[i].codes)) != 0)
			fail_msg("%zu: findings %s", i, buf_text(&codes));
		struct buf again =
			convert(open_bytes(&trace, "cis501", FREE, true), "cis501", NULL, NULL);
		expect_same(&again, &trace);
		buf_free(&again);
		buf_free(&codes);
		buf_free(&records);
		buf_free(&trace);
	}
}

static void
a_truncated_last_record_is_reported(void **state)
{
	(void)state;
	static const char *const tails[] = {"2 48d1e2\n45 3", "2 48d1e2\n45 3\n", "2",
		"2 48d1e2 45 3 44 W - - 0 0 48d1e9 0\nCMP\n"};
	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
		struct buf trace = bytes_of("1" CMP "\n");
		buf_string(&trace, tails[i]);
		struct buf records = records_of(open_bytes(&trace, "cis501", FREE, false));
		assert_string_equal(buf_text(&records), "od");
		struct buf codes = find_all(open_bytes(&trace, "cis501", FREE, false));
		assert_string_equal(buf_text(&codes), "C01:2 ");
		struct buf again = convert(
			open_bytes(&trace, "cis501", FREE, false), "cis501", NULL, NULL);
		expect_same(&again, &trace);
		buf_free(&again);
		buf_free(&codes);
		buf_free(&records);
		buf_free(&trace);
	}
}

static void
a_record_that_is_too_long_is_skipped_in_parts(void **state)
{
	(void)state;
	static const char fillers[] = {' ', '7'};
	for (size_t i = 0; i < sizeof fillers; i++) {
		struct buf trace = bytes_of("1" CMP "\n2 ");
		for (size_t n = 0; n < 100000; n++)
			buf_byte(&trace, (uint8_t)fillers[i]);
		buf_string(&trace, " 45\n3" CMP "\n");
		struct buf records = records_of(open_bytes(&trace, "cis501", FREE, true));
		struct buf expected = bytes_of("o");
		/* Rows of 4096 of the 100006 bytes of its line. */
		for (size_t n = 0; n < 100006; n += 4096)
			buf_byte(&expected, 'd');
		buf_byte(&expected, 'o');
		assert_string_equal(buf_text(&records), buf_text(&expected));
		struct buf codes = find_all(open_bytes(&trace, "cis501", FREE, true));
		assert_non_null(strstr(buf_text(&codes), "C02:2 "));
		assert_null(strstr(buf_text(&codes), "C02:3 "));
		struct buf again =
			convert(open_bytes(&trace, "cis501", FREE, true), "cis501", NULL, NULL);
		expect_same(&again, &trace);
		buf_free(&again);
		buf_free(&codes);
		buf_free(&expected);
		buf_free(&records);
		buf_free(&trace);
	}
}

/* Returns the directions of the branches of a trace: T, N, - for other rows. */
static struct buf
branches_of(const struct buf *trace, const char *option)
{
	struct poly_reader *reader = open_bytes(trace, "cis501", option, false);
	struct buf out = {0};
	const struct poly_batch *batch;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			bool branch = poly_present(batch, POLY_COLUMN_branch, row);
			bool taken = branch && batch->branch[row] == POLY_BRANCH_TAKEN;
			buf_byte(&out, !branch ? '-' : taken ? 'T' : 'N');
		}
	}
	poly_reader_close(reader);
	return out;
}

static void
branches_are_identified_by_letter_or_target(void **state)
{
	(void)state;
	struct buf trace = load_sample("cis501/targets.trace");
	struct buf letters = branches_of(&trace, NULL), targets = branches_of(&trace, TARGET);
	assert_string_equal(buf_text(&letters), "T--NT-");
	assert_string_equal(buf_text(&targets), "TTNN--");
	static const char *const options[] = {NULL, TARGET};
	for (size_t i = 0; i < 2; i++) {
		struct buf codes = find_all(open_bytes(&trace, "cis501", options[i], true));
		assert_non_null(strstr(buf_text(&codes), "C09:2 C"));
		assert_non_null(strstr(buf_text(&codes), "C09:3 C"));
		assert_non_null(strstr(buf_text(&codes), "C09:5 "));
		assert_null(strstr(buf_text(&codes), "C09:1 "));
		assert_null(strstr(buf_text(&codes), "C09:4 "));
		struct buf again = convert(
			open_bytes(&trace, "cis501", options[i], false), "cis501", NULL, NULL);
		expect_same(&again, &trace);
		buf_free(&again);
		buf_free(&codes);
	}
	buf_free(&letters);
	buf_free(&targets);
	buf_free(&trace);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_fields_in_other_lines_are_the_same_trace),
		cmocka_unit_test(a_trace_of_lines_has_the_same_rows_with_free_lines),
		cmocka_unit_test(header_rows_and_blank_lines_may_separate_records),
		cmocka_unit_test(an_invalid_field_is_reported_by_line_and_costs_the_rest_of_it),
		cmocka_unit_test(a_truncated_last_record_is_reported),
		cmocka_unit_test(a_record_that_is_too_long_is_skipped_in_parts),
		cmocka_unit_test(branches_are_identified_by_letter_or_target),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
