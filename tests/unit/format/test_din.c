/* SPDX-License-Identifier: MIT */
/* Dinero's traces compared with awk, and hand-made lines. */
#include "trace_help.h"

#include <unistd.h>

#define COLUMNS "record kind pc opcode_size access address size event"

static void
every_label_has_its_row(void **state)
{
	(void)state;
	expect_rows("0 1000acac\n1 ffffffff\n2 415130\n3 10\n4 0\n", "din", COLUMNS,
		"read access - - read 0x1000acac - -\n"
		"write access - - write 0xffffffff - -\n"
		"fetch instruction 0x415130 - - - - -\n"
		"misc other - - - 0x10 - -\n"
		"flush event - - - 0x0 - flush\n");
	expect_rows("r 1000acac 4\nw ffffffffffffffff ffffffff\ni 415130 f\nm 10 1\nc 40 20\n"
		    "v 60 20\n",
		"din", COLUMNS,
		"read access - - read 0x1000acac 4 -\n"
		"write access - - write 0xffffffffffffffff 4294967295 -\n"
		"fetch instruction 0x415130 15 - - - -\n"
		"misc other - - - 0x10 1 -\n"
		"copy_back access - - cache 0x40 32 -\n"
		"invalidate access - - cache 0x60 32 -\n");
}

static void
text_after_the_fields_is_ignored(void **state)
{
	(void)state;
	expect_rows("2 415130 4 r31\n\t0\t0X00AB \r\nR 10 0x10 x\n\n2 1", "din",
		"record pc address size",
		"fetch 0x415130 - -\nread - 0xab -\nread - 0x10 16\nblank - - -\nfetch 0x1 - "
		"-\n");
}

/* Appends a line of a trace in one of the known spellings. */
static void
add_line(struct buf *text, unsigned long long seed)
{
	static const char *const lines[] = {"%u %llx\n", "%u %08llx\n", "%u 0x%llx\n",
		"%u\t%llX\n", " %u  %llx\n", "%u %llx 4\n", "%u %llx\t# loop\n"};
	unsigned label = seed >> 60 & 7, line = seed >> 40 & 63;
	buf_printf(text, lines[line < 7 ? line : 0], label < 5 ? label : 2,
		seed >> 3 * (seed >> 50 & 15));
}

static void
addresses_equal_those_of_awk(void **state)
{
	(void)state;
	struct buf trace = {0}, expected = {0}, rows = {0};
	unsigned long long seed = 1;
	char path[] = "/tmp/din-test-XXXXXX", command[300], block[4096];
	const struct poly_batch *batch;
	size_t n;
	for (int i = 0; i < 5000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		add_line(&trace, seed);
	}
	int file = mkstemp(path);
	assert_int_equal(write(file, trace.data, trace.size), trace.size);
	close(file);
	snprintf(command, sizeof command,
		"awk '{a = tolower($2); sub(/^0x/, \"\", a); sub(/^0+/, \"\", a);"
		" if (a == \"\") a = 0; print $1 \" \" a}' %s",
		path);
	FILE *pipe = popen(command, "r");
	while ((n = fread(block, 1, sizeof block, pipe)) > 0)
		buf_append(&expected, block, n);
	assert_int_equal(pclose(pipe), 0);
	unlink(path);
	struct poly_reader *reader = open_bytes(&trace, "din", NULL, false);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			bool fetch = poly_present(batch, POLY_COLUMN_pc, row);
			buf_printf(&rows, "%u %llx\n", batch->record[row],
				(unsigned long long)(fetch ? batch->pc : batch->address)[row]);
		}
	}
	poly_reader_close(reader);
	assert_string_equal(buf_text(&rows), buf_text(&expected));
	struct buf again = convert(open_bytes(&trace, "din", NULL, false), "din", NULL, NULL);
	expect_same(&again, &trace);
	buf_free(&again);
	buf_free(&rows);
	buf_free(&expected);
	buf_free(&trace);
}

static const char *const kept[] = {
	"2 00000010\n2 00415130\n0 0\n",
	"2 10\n2 00415130\n0 0\n",
	"r 10 4\n2 10\nR 20 4\nw 30 04\ni 40 100\n",
	"2 10 # loop\r\n\n \t\n2 10",
	"2 0x10\n2 10\n",
};

static void
every_line_is_reproduced(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		expect_kept(kept[i], "din", NULL);
}

static void
either_form_can_be_written(void **state)
{
	(void)state;
	expect_converted("r 10 4\nI 20 0x3\nw 30 10\nc 40 20\n\nv 60 20\nm 1 1\n", "din", "din",
		"din.form=plain", "0 10\n2 20\n1 30\n\n3 1\n");
	expect_converted("I  00000010,2\n M 00000020,8\n", "lackey", "din", "din.form=sized",
		"i 10 2\nr 20 8\nw 20 8\n");
	expect_converted(
		"I  00000010,2\n M 00000020,8\n", "lackey", "din", NULL, "2 10\n0 20\n1 20\n");
	/* Micro-operations of one instruction are fetched with the first one. */
	expect_converted("1 4001 -1 -1 3 - - L 0 10 4005 0 ADD LOAD\n"
			 "2 4001 3 4 4 W - - 0 0 4005 0 ADD ADD\n",
		"cis501", "din", NULL, "2 4001\n0 10\n");
}

static void
records_without_a_label_are_dropped_and_counted(void **state)
{
	(void)state;
	struct buf notes = {0};
	struct buf bytes =
		bytes_of("{\"kind\":\"access\",\"access\":\"prefetch\","
			 "\"address\":\"0x20\"}\n{\"kind\":\"register\"}\n"
			 "{\"kind\":\"instruction\",\"pc\":\"0x0\",\"synthetic\":true}\n"
			 "{\"kind\":\"access\",\"access\":\"fetch\","
			 "\"address\":\"0x24\"}\n");
	struct buf out = convert(open_bytes(&bytes, "jsonl", NULL, false), "din", NULL, &notes);
	assert_string_equal(buf_text(&out), "2 24\n");
	assert_string_equal(buf_text(&notes),
		"1 accesses that are not memory reads, writes or fetches were dropped\n"
		"2 records that are neither instructions nor accesses were dropped\n"
		"1 instructions that were not executed were dropped\n");
	buf_free(&notes);
	buf_free(&out);
	buf_free(&bytes);
}

/* Lines that are not records: the rule and the message. */
static const struct {
	const char *line, *code, *message;
} corrupt[] = {
	{"5 10\n", "D01:1 ",
		"column 1: label is '5', expected 0 to 4 or one of r, w, i, m, c, v"},
	{" read 10\n", "D01:1 ",
		"column 2: label is 'read', expected 0 to 4 or one of r, w, i, m, c, v"},
	{"2 41513g\n", "D02:1 ", "column 3: address is '41513g', expected hexadecimal digits"},
	{"2\n", "D02:1 ", "column 2: address is '', expected hexadecimal digits"},
	{"2 11111111111111111\n", "D02:1 ",
		"column 3: address is '11111111111111111', expected hexadecimal digits"},
	{"r 10\n", "D03:1 ", "column 5: size is '', expected hexadecimal digits"},
	{"r 10 100000000\n", "D03:1 ",
		"column 6: size is '100000000', expected hexadecimal digits"},
};

static void
corrupt_lines_are_reported_by_column_and_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof corrupt / sizeof *corrupt; i++) {
		struct buf bytes = bytes_of("2 10\n");
		struct poly_error error;
		buf_string(&bytes, corrupt[i].line);
		struct buf rows =
			list_rows(open_bytes(&bytes, "din", NULL, false), "record pc", &error);
		assert_string_equal(buf_text(&rows), "fetch 0x10\n");
		assert_string_equal(error.message, corrupt[i].message);
		assert_int_equal(error.line, 2);
		buf_free(&rows);
		expect_found(corrupt[i].line, "din", corrupt[i].code);
		buf_string(&bytes, "0 20\n");
		expect_kept(buf_text(&bytes), "din", NULL);
		buf_free(&bytes);
	}
}

static void
unusual_lines_are_reported(void **state)
{
	(void)state;
	expect_found("2 10\n0 20\n4 0\n", "din", "");
	expect_found("2 10 x\n\n0 20", "din", "D05:1 D06:2 D08:3 D05:3 ");
	expect_found("2 10\nr 10 4\nw 10 4\n", "din", "D07:2 D05:3 ");
}

static void
two_columns_of_numbers_are_the_lowest_bid(void **state)
{
	(void)state;
	struct buf bytes = bytes_of("2 10\n0 20\n1 20\n");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	assert_string_equal(poly_reader_format(reader)->name, "din");
	poly_reader_close(reader);
	/* Two columns in most lines. */
	buf_string(&bytes, "0 0x20\n\n2 30 4\n");
	reader = open_bytes(&bytes, NULL, NULL, false);
	poly_reader_close(reader);
	buf_string(&bytes, "8 10\n");
	struct poly_error error;
	assert_int_equal(poly_reader_open_memory(bytes.data, bytes.size, NULL, &reader, &error),
		POLY_ERR_FORMAT);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_label_has_its_row),
		cmocka_unit_test(text_after_the_fields_is_ignored),
		cmocka_unit_test(addresses_equal_those_of_awk),
		cmocka_unit_test(every_line_is_reproduced),
		cmocka_unit_test(either_form_can_be_written),
		cmocka_unit_test(records_without_a_label_are_dropped_and_counted),
		cmocka_unit_test(corrupt_lines_are_reported_by_column_and_field),
		cmocka_unit_test(unusual_lines_are_reported),
		cmocka_unit_test(two_columns_of_numbers_are_the_lowest_bid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
