/* SPDX-License-Identifier: MIT */
/*
 * CIS 501 traces compared with listings and summaries of generated traces, the example of
 * Instruction Trace Format (Penn CIS 501), and the counts of published traces.
 */
#include "trace_help.h"

#include <inttypes.h>

/* A micro-operation with single blanks; tests change one of its fields. */
#define CMP "2 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB\n"

/* Returns a register's number in a column, -1 if absent. */
static int
register_at(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	return poly_present(batch, column, row) ? (int)poly_batch_integer(batch, column, row)
						: -1;
}

static uint64_t
value_at(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	return poly_present(batch, column, row) ? poly_batch_integer(batch, column, row) : 0;
}

/* Prints a row in the form of the listings. */
static void
list_row(const struct poly_batch *batch, size_t row, char *text, size_t size)
{
	const char *branch = "-", *access = "-";
	if (poly_present(batch, POLY_COLUMN_branch, row))
		branch = batch->branch[row] == POLY_BRANCH_TAKEN ? "T" : "N";
	if (poly_present(batch, POLY_COLUMN_access, row))
		access = batch->access[row] == POLY_ACCESS_READ ? "L" : "S";
	snprintf(text, size,
		"{\"uop\":%u,\"pc\":\"%" PRIx64 "\",\"src1\":%d,\"src2\":%d,\"dest\":%d,"
		"\"flags\":\"%c\",\"branch\":\"%s\",\"ldst\":\"%s\",\"imm\":%" PRId64
		",\"addr\":\"%" PRIx64 "\",\"fallthrough\":\"%" PRIx64
		"\",\"target\":\"%" PRIx64 "\",\"macro\":\"%s\",\"micro\":\"%s\"}\n",
		batch->uop_index[row], batch->pc[row],
		register_at(batch, POLY_COLUMN_src1, row),
		register_at(batch, POLY_COLUMN_src2, row),
		register_at(batch, POLY_COLUMN_dest, row), "-RW?"[batch->flags[row]], branch,
		access, batch -> immediate[row], value_at(batch, POLY_COLUMN_address, row),
		batch -> fallthrough[row], value_at(batch, POLY_COLUMN_target, row),
		poly_trace_name(batch->info, batch->mnemonic[row]),
		poly_trace_name(batch->info, batch->uop_name[row]));
}

/* Prints the rows of a trace in the form of the listings; closes the trace. */
static struct buf
list_all(struct poly_reader *reader)
{
	struct buf out = {0};
	const struct poly_batch *batch;
	char text[400];
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			if (batch->kind[row] != POLY_KIND_INSTRUCTION)
				continue;
			list_row(batch, row, text, sizeof text);
			buf_string(&out, text);
		}
	}
	poly_reader_close(reader);
	return out;
}

/* Returns the contents of a compressed file. */
static struct buf
unpack(const char *path)
{
	struct buf bytes = {0};
	char command[700], block[4096];
	size_t n;
	snprintf(command, sizeof command, "gzip -dc '%s'", path);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	while ((n = fread(block, 1, sizeof block, pipe)) > 0)
		buf_append(&bytes, block, n);
	assert_int_equal(pclose(pipe), 0);
	return bytes;
}

static void
expect_listing(struct buf *trace, const char *path)
{
	struct buf listing = unpack(path);
	struct buf listed = list_all(open_bytes(trace, NULL, NULL, false));
	assert_string_equal(buf_text(&listed), buf_text(&listing));
	struct buf again = convert(open_bytes(trace, NULL, NULL, false), "cis501", NULL, NULL);
	expect_same(&again, trace);
	buf_free(&again);
	buf_free(&listing);
	buf_free(&listed);
	buf_free(trace);
}

static void
every_field_is_that_of_the_listing(void **state)
{
	(void)state;
	char path[500];
	struct buf trace = load_sample("cis501/sort_1k.trace");
	snprintf(path, sizeof path, "%s/tests/data/cis501/sort_1k.jsonl.gz",
		getenv("POLYTRACE_ROOT"));
	expect_listing(&trace, path);
}

static void
the_larger_listing_agrees_too(void **state)
{
	(void)state;
	struct buf trace = load_shared("made/cis501/cc1_2k.trace");
	char path[500];
	const char *where = getenv("POLYTRACE_SHARED");
	snprintf(path, sizeof path, "%s%s/data/made/cis501/cc1_2k.jsonl.gz",
		where ? where : getenv("POLYTRACE_ROOT"), where ? "" : "/../shared");
	expect_listing(&trace, path);
}

static void
the_summary_equals_that_of_the_parsers_of_the_course(void **state)
{
	(void)state;
	struct buf trace = load_sample("cis501/sort_1k.trace");
	struct buf summary = load_sample("cis501/sort_1k.trace.summary.json");
	char expected[200];
	int micro, macro;
	const char *text = buf_text(&summary);
	assert_int_equal(sscanf(strstr(text, "\"micro_ops\""), "\"micro_ops\": %d", &micro), 1);
	assert_int_equal(sscanf(strstr(text, "\"macro_ops\""), "\"macro_ops\": %d", &macro), 1);
	snprintf(expected, sizeof expected,
		"Processing trace...\nProcessed %d trace records.\nMicro-ops: %d\n"
		"Macro-ops: %d\n",
		micro, micro, macro);
	struct buf printed =
		convert(open_bytes(&trace, NULL, NULL, false), "cis501-summary", NULL, NULL);
	assert_string_equal(buf_text(&printed), expected);
	buf_free(&printed);
	buf_free(&summary);
	buf_free(&trace);
}

static void
requested_layouts_are_written(void **state)
{
	(void)state;
	struct buf blanks = load_sample("cis501/seed15.trace");
	struct buf columns = load_sample("cis501/seed15.columns.trace");
	struct buf *sources[2] = {&blanks, &columns};
	for (size_t i = 0; i < 2; i++) {
		struct buf out = convert(open_bytes(sources[i], NULL, NULL, false), "cis501",
			"cis501.layout=columns", NULL);
		expect_same(&out, &columns);
		buf_free(&out);
		out = convert(open_bytes(sources[i], NULL, NULL, false), "cis501",
			"cis501.layout=blanks", NULL);
		expect_same(&out, &blanks);
		buf_free(&out);
		struct poly_reader *reader = open_bytes(sources[i], NULL, NULL, false);
		assert_string_equal(poly_trace_fact(poly_reader_info(reader), "cis501.layout"),
			i ? "columns" : "blanks");
		poly_reader_close(reader);
	}
	buf_free(&blanks);
	buf_free(&columns);
}

/* Other spellings of the line CMP. */
static const char *const same_lines[] = {
	("2 48d1e2 45  3 44 W - -         0            0       48d1e9            0 CMP      "
	 "SUB\n"),
	"  2\t48d1e2\v45\f3 44 W - - 0 0 48d1e9 0 CMP SUB\n",
	"2 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB\r\n",
	"2 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB \t \r\n",
	"2 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB",
	"2 48D1E2 45 3 44 W - - 0 0 48D1e9 0 CMP SUB\n",
	"2 0x48d1e2 45 3 44 W - - 0 0X0 0x48d1e9 0x0 CMP SUB\n",
	"2 00000000000000000000048d1e2 45 3 44 W - - 0 00 48d1e9 0 CMP SUB\n",
	"02 48d1e2 +45 003 00000000000000000000000000044 W - - -0 0 48d1e9 0 CMP SUB\n",
};

static void
every_tolerated_form_has_the_same_row_and_its_own_bytes(void **state)
{
	(void)state;
	struct buf plain = bytes_of(CMP);
	struct buf expected = list_all(open_bytes(&plain, "cis501", NULL, false));
	for (size_t i = 0; i < sizeof same_lines / sizeof *same_lines; i++) {
		struct buf other = bytes_of(same_lines[i]);
		struct buf listed = list_all(open_bytes(&other, "cis501", NULL, false));
		assert_string_equal(buf_text(&listed), buf_text(&expected));
		struct buf again = convert(
			open_bytes(&other, "cis501", NULL, false), "cis501", NULL, NULL);
		expect_same(&again, &other);
		buf_free(&again);
		again = convert(open_bytes(&other, "cis501", NULL, false), "cis501",
			"cis501.layout=blanks", NULL);
		expect_same(&again, &plain);
		buf_free(&again);
		buf_free(&listed);
		buf_free(&other);
	}
	buf_free(&expected);
	buf_free(&plain);
}

static void
extreme_numbers_survive(void **state)
{
	(void)state;
	static const char *const lines[] = {
		("4294967295 ffffffffffffffff 2147483647 -2147483648 -2 - - - "
		 "-9223372036854775808 0 0 0 A B\n"),
		("256 0 255 256 -1 - - L 9223372036854775807 ffffffffffffffff 0 "
		 "ffffffffffffffff A B\n"),
		"1 0 0 0 0 - - - 0 12ff 0 0 A B\n",
		"1 0 0 0 0 - - S 0 0 0 0 A B\n",
		"1 0 0 0 0 R T L 0 0 0 0 A B\n",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct buf line = bytes_of(lines[i]);
		struct buf again =
			convert(open_bytes(&line, "cis501", NULL, false), "cis501", NULL, NULL);
		expect_same(&again, &line);
		buf_free(&again);
		/* Values that the columns cannot hold are also written in the other layout. */
		struct buf columns = convert(open_bytes(&line, "cis501", NULL, false), "cis501",
			"cis501.layout=columns", NULL);
		again = convert(open_bytes(&columns, "cis501", NULL, false), "cis501",
			"cis501.layout=blanks", NULL);
		expect_same(&again, &line);
		buf_free(&again);
		buf_free(&columns);
		buf_free(&line);
	}
}

/* Lines that are not records: the rule, the column and a part of the message. */
static const struct {
	const char *line, *code;
	unsigned column;
	const char *message;
} bad_lines[] = {
	{"1 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP\n", "C01", 0, "13 fields"},
	{"x\n", "C01", 0, "1 fields"},
	{"1 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB X\n", "C02", 0, "15 fields"},
	{"0 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB\n", "C03", 1, "field 1, uop, is '0'"},
	{"-1 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB\n", "C03", 1, "uop"},
	{"4294967296 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB\n", "C03", 1, "uop"},
	{"1 48dxe2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB\n", "C03", 3, "pc, is '48dxe2'"},
	{"1 0x 45 3 44 W - - 0 0 48d1e9 0 CMP SUB\n", "C03", 3, "pc"},
	{"1 10000000000000000 45 3 44 W - - 0 0 48d1e9 0 CMP SUB\n", "C03", 3, "pc"},
	{"1 1 2147483648 3 44 W - - 0 0 48d1e9 0 CMP SUB\n", "C03", 5, "src1"},
	{"1 1 3 -2147483649 44 W - - 0 0 48d1e9 0 CMP SUB\n", "C03", 7, "src2"},
	{"1 1 3 4 5a W - - 0 0 48d1e9 0 CMP SUB\n", "C03", 9, "dest"},
	{"1 1 3 4 5 X - - 0 0 48d1e9 0 CMP SUB\n", "C04", 11, "R, W or -"},
	{"1 1 3 4 5 WW - - 0 0 48d1e9 0 CMP SUB\n", "C04", 11, "flags"},
	{"1 1 3 4 5 W L - 0 0 48d1e9 0 CMP SUB\n", "C04", 13, "T, N or -"},
	{"1 1 3 4 5 W - T 0 0 48d1e9 0 CMP SUB\n", "C04", 15, "L, S or -"},
	{"1 1 3 4 5 W - - 9223372036854775808 0 1 0 CMP SUB\n", "C03", 17, "immediate"},
	{"1 1 3 4 5 W - - 18446744073709551617 0 1 0 CMP SUB\n", "C03", 17, "immediate"},
	{"1 1 3 4 5 W - - - 0 1 0 CMP SUB\n", "C03", 17, "immediate"},
	{"1 1 3 4 5 W - - 0 - 1 0 CMP SUB\n", "C03", 19, "memory address"},
	{"1 1 3 4 5 W - - 0 0 g 0 CMP SUB\n", "C03", 21, "fallthrough"},
	{"1 1 3 4 5 W - - 0 0 1 -1 CMP SUB\n", "C03", 23, "target"},
	{"1 1 3 4 5 W - - 0 0 1 0 C\x7fP SUB\n", "C04", 25, "macro opcode"},
	{"1 1 3 4 5 W - - 0 0 1 0 CMP S\xc3\xbc\n", "C04", 29, "micro opcode"},
};

static void
an_invalid_line_is_reported_by_line_column_and_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; i++) {
		struct buf trace = bytes_of("1" CMP "\n");
		buf_string(&trace, bad_lines[i].line);
		struct poly_reader *reader = open_bytes(&trace, "cis501", NULL, false);
		const struct poly_batch *batch;
		struct poly_error error;
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
		assert_int_equal(batch->rows, 2);
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
		assert_int_equal(error.line, 3);
		assert_int_equal(error.record, 3);
		uint64_t column = bad_lines[i].column ? bad_lines[i].column - 1 : 0;
		assert_int_equal(error.offset, strlen("1" CMP "\n") + column);
		if (!strstr(error.message, bad_lines[i].message))
			fail_msg("'%s': message '%s'", bad_lines[i].line, error.message);
		poly_reader_close(reader);
		struct buf codes = find_all(open_bytes(&trace, "cis501", NULL, true));
		char expected[20];
		snprintf(expected, sizeof expected, "%s:3 ", bad_lines[i].code);
		if (!strstr(buf_text(&codes), expected))
			fail_msg("'%s' finds %s", bad_lines[i].line, buf_text(&codes));
		buf_free(&codes);
		buf_free(&trace);
	}
}

static void
a_corrupt_line_costs_only_that_line(void **state)
{
	(void)state;
	struct buf trace = load_sample("cis501/seed15.trace");
	for (size_t line = 0; line < 15; line++) {
		struct buf other = {0}, rest = {0};
		const char *p = buf_text(&trace);
		for (size_t i = 0; *p; i++) {
			size_t n = strcspn(p, "\n") + 1;
			buf_append(i == line ? &other : &rest, p, n);
			if (i == line)
				other.data[other.size - n] = 'x';
			else
				buf_append(&other, p, n);
			p += n;
		}
		struct buf listed = list_all(open_bytes(&other, NULL, NULL, true));
		struct buf expected = list_all(open_bytes(&rest, NULL, NULL, false));
		assert_string_equal(buf_text(&listed), buf_text(&expected));
		buf_free(&listed);
		buf_free(&expected);
		buf_free(&other);
		buf_free(&rest);
	}
	buf_free(&trace);
}

static void
a_line_without_newline_is_skipped_in_parts(void **state)
{
	(void)state;
	struct buf trace = bytes_of("1" CMP);
	for (size_t i = 0; i < 100000; i++)
		buf_byte(&trace, i % 10 ? '7' : ' ');
	buf_string(&trace, "\n2" CMP);
	struct poly_reader *reader = open_bytes(&trace, "cis501", NULL, true);
	const struct poly_batch *batch;
	size_t good = 0, longest = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			good += batch->kind[row] == POLY_KIND_INSTRUCTION;
			if (poly_present(batch, POLY_COLUMN_raw, row) &&
				batch->raw[row].length > longest)
				longest = batch->raw[row].length;
		}
	}
	assert_int_equal(good, 2);
	assert_int_equal(longest, 4096);
	poly_reader_close(reader);
	struct buf again =
		convert(open_bytes(&trace, "cis501", NULL, true), "cis501", NULL, NULL);
	expect_same(&again, &trace);
	buf_free(&again);
	struct buf codes = find_all(open_bytes(&trace, "cis501", NULL, true));
	assert_non_null(strstr(buf_text(&codes), "C02:2 "));
	assert_null(strstr(buf_text(&codes), "C02:3 "));
	buf_free(&codes);
	buf_free(&trace);
}

/* More names than are stored: the later ones are only in their lines. */
static void
an_unlimited_number_of_names_needs_bounded_memory(void **state)
{
	(void)state;
	struct buf trace = {0};
	for (unsigned i = 0; i < 40000; i++)
		buf_printf(&trace, "1 1 0 0 0 - - - 0 0 2 0 NAME%0200u B\n", i);
	struct buf again =
		convert(open_bytes(&trace, "cis501", NULL, false), "cis501", NULL, NULL);
	expect_same(&again, &trace);
	buf_free(&again);
	struct poly_reader *reader = open_bytes(&trace, "cis501", NULL, false);
	const struct poly_batch *batch;
	size_t named = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			named += poly_present(batch, POLY_COLUMN_mnemonic, row);
	}
	poly_reader_close(reader);
	assert_in_range(named, 10000, 30000);
	buf_free(&trace);
}

#define ADD "1 10 0 0 0 - - - 0 0 14 0 ADD ADD\n"

/* The smallest violations, and the expected findings. */
static const struct {
	const char *lines, *codes;
} breaches[] = {
	{ADD "1 14 0 0 0 - - - 0 0 18 0 ADD ADD\n", ""},
	{"01 10 0 0 0 - - - 0 0 14 0 ADD ADD\n", "C05:1 "},
	{"2 10 0 0 0 - - - 0 0 14 0 ADD ADD\n", "C06:1 "},
	{ADD "3 10 0 0 0 - - - 0 0 14 0 ADD ADD\n", "C06:2 "},
	{ADD "2 11 0 0 0 - - - 0 0 14 0 ADD ADD\n", "C07:2 "},
	{ADD "2 10 0 0 0 - - - 0 0 15 0 ADD ADD\n", "C07:2 "},
	{ADD "2 10 0 0 0 - - - 0 0 14 0 SUB ADD\n", "C07:2 "},
	{ADD "1 15 0 0 0 - - - 0 0 18 0 ADD ADD\n", "C08:2 "},
	{"1 10 -1 -1 -1 - T - 6 0 14 1a JMP JMP_IMM\n1 14 0 0 0 - - - 0 0 18 0 ADD ADD\n",
		"C08:2 "},
	{"1 10 -1 -1 -1 - T - 6 0 14 1a JMP JMP_IMM\n1 1a 0 0 0 - - - 0 0 1b 0 ADD ADD\n", ""},
	{"1 10 -1 -1 -1 R N - 6 0 14 1a J JMP_IMM\n1 14 0 0 0 - - - 0 0 18 0 ADD ADD\n", ""},
	{"1 10 -1 -1 -1 - T - -20 0 14 0 JMP JMP_IMM\n", "C09:1 "},
	{"1 10 0 0 0 - - - 0 0 14 18 ADD ADD\n", "C09:1 "},
	{"1 10 0 0 0 - - - 0 20 14 0 ADD ADD\n", "C10:1 "},
	{"1 10 0 0 0 - - L 0 0 14 0 MOV LOAD\n", "C10:1 "},
	{"1 10 -1 -1 -1 - T - 0 0 14 14 JMP JMP_IMM\n2 10 0 0 0 - - - 0 0 14 0 JMP ADD\n",
		"C11:2 "},
	{"1 10 -1 -1 -1 - N - 0 0 14 14 J JMP_IMM\n", "C12:1 "},
	{"1 10 -1 -1 -1 W T - 0 0 14 14 J JMP_IMM\n", "C12:1 "},
	{"1 10 0 0 0 - - - 0 0 10 0 ADD ADD\n", "C13:1 "},
	{"1 10 0 0 0 - - - 0 0 1f 0 ADD ADD\n", ""},
	{"1 10 0 0 0 - - - 0 0 20 0 ADD ADD\n", "C13:1 "},
	{"1 10 0 0 0 - - - 0 0 f 0 ADD ADD\n", "C13:1 "},
	{"1 10 -1 4 44 - T L 0 8 14 14 RET JMP_REG\n", "C14:1 "},
	{"1 10 -1 -1 -1 - T - 1 0 14 14 JMP JMP_IMM\n", "C15:1 "},
	{"1 10 -1 -1 44 - - - 16 0 14 0 MOV SAVE_PC\n2 10 -1 44 2 - - L 0 24 14 0 MOV LOAD\n",
		""},
	{"1 10 -1 -1 44 - - - 16 0 14 0 MOV SAVE_PC\n2 10 -1 44 2 - - L 0 25 14 0 MOV LOAD\n",
		"C15:2 "},
	{"1 10 49 0 0 - - - 0 0 14 0 ADD ADD\n", "C16:1 "},
	{"1 10 0 -2 0 - - - 0 0 14 0 ADD ADD\n", "C16:1 "},
	{"1 10 0 0 48 - - - 0 0 14 0 ADD ADD\n", ""},
	{"1 10 0 0 0 - - - 0 0 14 0 ABCDEFGHIJKL ADD\n", "C17:1 C21:1 "},
	{"1 10 0 0 0 - - - 0 0 14 0 ADD ABCDEFGHIJKLMNOPQRSTUVW\n", "C17:1 C21:1 "},
	{"1 10 -1 4 -1 - - L 0 8 14 0 MOV LOAD\n", "C18:1 "},
	{"1 10 0 4 3 - - S 0 8 14 0 MOV STORE\n", "C18:1 "},
	{"1 10 0 0 0 - - - 0 0 14 0 ADD ADD", "C19:0 "},
	{"\n" ADD, "C20:1 "},
	{"1 10 0 0 0 - - - 0 0 14 0 ADD ADD\r\n", "C20:1 "},
	{"1 0x10 0 0 0 - - - 0 0 14 0 ADD ADD\n", "C20:1 "},
	{"1 A 0 0 0 - - - 0 0 b 0 ADD ADD\n", "C20:1 "},
	{"1 10 0 0 0 - - - 0 0 14 0 PXOR ADD\n1 14 0 0 0 - - - 0 0 18 0 PXOR ADD\n", "C21:1 "},
	{"1 2 3 4 5 6 7 8 9 10 11 12 13 14\nUop PC Src1 Src2\n" ADD, "C22:1 C22:2 "},
	{ADD "Uop PC Src1 Src2\n1 14 0 0 0 - - - 0 0 18 0 ADD ADD\n", "C23:2 "},
	/* Lines after corrupt data are not compared with lines before it. */
	{ADD "?\n3 99 0 0 0 - - - 0 0 9a 0 ADD ADD\n", "C01:2 "},
};

static void
every_rule_reports_its_smallest_violation(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof breaches / sizeof *breaches; i++) {
		struct buf trace = bytes_of(breaches[i].lines);
		struct buf codes = find_all(open_bytes(&trace, "cis501", NULL, true));
		if (strcmp(buf_text(&codes), breaches[i].codes) != 0)
			fail_msg("%sgives %s", breaches[i].lines, buf_text(&codes));
		buf_free(&codes);
		buf_free(&trace);
	}
}

/* The example of the specification: header rows, and records. */
static void
the_example_is_read_with_its_header_rows(void **state)
{
	(void)state;
	struct buf plain = load_sample("cis501/seed15.trace");
	struct buf trace = bytes_of("1 2 3 4 5 6 7 8 9 10 11 12 13 14\n"
				    "Uop PC Src1 Src2 Dest Flags Branch Ld/St Immediate Mem. "
				    "Address Fallthrough PC "
				    "Target PC Macro Opcode Micro Opcode\n");
	buf_append(&trace, plain.data, plain.size);
	struct buf listed = list_all(open_bytes(&trace, NULL, NULL, false));
	struct buf expected = list_all(open_bytes(&plain, NULL, NULL, false));
	assert_string_equal(buf_text(&listed), buf_text(&expected));
	struct buf again = convert(open_bytes(&trace, NULL, NULL, false), "cis501", NULL, NULL);
	expect_same(&again, &trace);
	buf_free(&again);
	buf_free(&listed);
	buf_free(&expected);
	buf_free(&trace);
	buf_free(&plain);
}

/* No format matches other text. */
static void
other_text_is_not_detected(void **state)
{
	(void)state;
	static const char *const texts[] = {
		("1 2 3 4 5 6 7 8 9 10 11 12 13 14\n1 2 3 4 5 6 7 8 9 10 11 12 13 14\n"
		 "1 2 3 4 5 6 7 8 9 10 11 12 13 14\n1 2 3 4 5 6 7 8 9 10 11 12 13 14\n"),
		("a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\na\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm"
		 "\n"
		 "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\n"),
		"one two three four five six seven\neight nine ten\n\n\nand so on\n",
		CMP CMP "and so on\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct poly_reader *reader;
		assert_int_equal(poly_reader_open_memory(
					 texts[i], strlen(texts[i]), NULL, &reader, NULL),
			POLY_ERR_FORMAT);
	}
}

/* Counts the rows of each value of a column; absent ones are counted last. */
static void
count(const struct buf *trace, enum poly_column column, size_t counts[257])
{
	struct poly_reader *reader = open_bytes(trace, NULL, NULL, true);
	const struct poly_batch *batch;
	memset(counts, 0, 257 * sizeof *counts);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		assert_false(batch->raw && poly_present(batch, POLY_COLUMN_raw, 0));
		for (size_t row = 0; row < batch->rows; row++) {
			assert_false(poly_present(batch, POLY_COLUMN_raw, row));
			counts[poly_present(batch, column, row)
					? poly_batch_integer(batch, column, row)
					: 256]++;
		}
	}
	poly_reader_close(reader);
}

static void
the_published_trace_has_its_published_counts(void **state)
{
	(void)state;
	struct buf trace = load_shared("public/cis501/gcc-1K.trace");
	size_t n[257];
	count(&trace, POLY_COLUMN_uop_index, n);
	assert_int_equal(n[1], 754);
	assert_int_equal(n[1] + n[2] + n[3] + n[4], 1000);
	assert_int_equal(n[4], 10);
	count(&trace, POLY_COLUMN_flags, n);
	assert_int_equal(n[POLY_FLAGS_NONE], 626);
	assert_int_equal(n[POLY_FLAGS_WRITE], 214);
	assert_int_equal(n[POLY_FLAGS_READ], 160);
	count(&trace, POLY_COLUMN_branch, n);
	assert_int_equal(n[256], 807);
	assert_int_equal(n[POLY_BRANCH_TAKEN], 109);
	assert_int_equal(n[POLY_BRANCH_NOT_TAKEN], 84);
	count(&trace, POLY_COLUMN_access, n);
	assert_int_equal(n[256], 660);
	assert_int_equal(n[POLY_ACCESS_READ], 232);
	assert_int_equal(n[POLY_ACCESS_WRITE], 108);
	struct buf codes = find_all(open_bytes(&trace, NULL, NULL, true));
	assert_string_equal(buf_text(&codes), "");
	buf_free(&codes);
	struct buf again = convert(open_bytes(&trace, NULL, NULL, false), "cis501", NULL, NULL);
	expect_same(&again, &trace);
	buf_free(&again);
	buf_free(&trace);
}

static void
the_published_arm_trace_has_its_published_counts(void **state)
{
	(void)state;
	struct buf trace = load_shared("public/cis501/penn-cis501-v2-arm/"
				       "streamcluster-10M-v2-first5000.trace.gz");
	size_t n[257];
	count(&trace, POLY_COLUMN_record, n);
	assert_int_equal(n[0] + n[1] + n[2] + n[3] + n[4], 5000);
	assert_int_equal(n[1], 645);
	assert_int_equal(n[2], 7);
	assert_int_equal(n[3], 66);
	assert_int_equal(n[4], 41);
	count(&trace, POLY_COLUMN_access, n);
	assert_int_equal(n[POLY_ACCESS_READ], 1042);
	assert_int_equal(n[POLY_ACCESS_WRITE], 398);
	count(&trace, POLY_COLUMN_flags, n);
	assert_int_equal(n[POLY_FLAGS_NONE], 2930);
	assert_int_equal(n[POLY_FLAGS_READ], 1103);
	assert_int_equal(n[POLY_FLAGS_WRITE], 942);
	assert_int_equal(n[POLY_FLAGS_BOTH], 25);
	struct buf codes = find_all(open_bytes(&trace, NULL, NULL, true));
	assert_string_equal(buf_text(&codes), "");
	buf_free(&codes);
	buf_free(&trace);
}

/* An example of Penn CIS 501, fall 2016. */
#define BNE "04007280\t4\tCD\tT\t04006e74\t_\t00000000\t0\tR\t  _\t  _\t  _\tbne.w #0x4006e74\n"

static void
every_field_of_an_arm_line_has_its_column(void **state)
{
	(void)state;
	struct buf trace = bytes_of(
		BNE "04006e74\t2\t _\t_\t00000000\tS\tbddf885c\t4\tB\t r3\t sp\tr12\tstr r3\n");
	struct poly_reader *reader = open_bytes(&trace, "cis501v2", NULL, false);
	const struct poly_batch *batch;
	char text[100];
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 2);
	assert_int_equal(batch->pc[0], 0x4007280);
	assert_int_equal(batch->opcode_size[0], 4);
	poly_batch_format(batch, POLY_COLUMN_record, 0, text, sizeof text);
	assert_string_equal(text, "conditional_direct");
	assert_int_equal(batch->branch[0], POLY_BRANCH_TAKEN);
	assert_int_equal(batch->target[0], 0x4006e74);
	assert_int_equal(batch->fallthrough[0], 0x4007284);
	assert_false(poly_present(batch, POLY_COLUMN_access, 0));
	assert_false(poly_present(batch, POLY_COLUMN_dest, 0));
	assert_int_equal(batch->flags[0], POLY_FLAGS_READ);
	poly_batch_format(batch, POLY_COLUMN_text, 0, text, sizeof text);
	assert_string_equal(text, "bne.w #0x4006e74");
	assert_int_equal(batch->access[1], POLY_ACCESS_WRITE);
	assert_int_equal(batch->address[1], 0xbddf885c);
	assert_int_equal(batch->size[1], 4);
	assert_int_equal(batch->flags[1], POLY_FLAGS_BOTH);
	assert_int_equal(batch->dest[1], 3);
	assert_int_equal(batch->src1[1], 13);
	assert_int_equal(batch->src2[1], 12);
	assert_false(poly_present(batch, POLY_COLUMN_branch, 1));
	assert_false(poly_present(batch, POLY_COLUMN_raw, 1));
	poly_reader_close(reader);
	buf_free(&trace);
}

/* ARM lines, the expected findings, and a part of the message of lines that are not records. */
static const struct {
	const char *lines, *codes, *message;
} arm_lines[] = {
	{BNE, "", NULL},
	{"8000\t2\t_\t_\t0\t_\t0\t0\t_\t_\t_\t_\tnop\r\n", "", NULL},
	{"\n" BNE, "V03:1 ", NULL},
	{"8000\t2\t_\t_\t0\t_\t0\t0\t_\t_\t_\tnop\n", "V01:1 ", "12 fields"},
	{"8000\t2\t_\t_\t0\t_\t0\t0\t_\t_\t_\t_\tn\top\n", "V01:1 ", "14 fields"},
	{"800x\t2\t_\t_\t0\t_\t0\t0\t_\t_\t_\t_\tnop\n", "V01:1 ", "column 1: field 1, pc"},
	{"8000\t999\t_\t_\t0\t_\t0\t0\t_\t_\t_\t_\tnop\n", "V01:1 ", "column 6: field 2"},
	{"8000\t2\tXX\t_\t0\t_\t0\t0\t_\t_\t_\t_\tnop\n", "V01:1 ", "branch type, is 'XX'"},
	{"8000\t2\t_\tx\t0\t_\t0\t0\t_\t_\t_\t_\tnop\n", "V01:1 ", "direction"},
	{"8000\t2\t_\t_\t100000000\t_\t0\t0\t_\t_\t_\t_\tnop\n", "V01:1 ", "target"},
	{"8000\t2\t_\t_\t0\tX\t0\t0\t_\t_\t_\t_\tnop\n", "V01:1 ", "memory"},
	{"8000\t2\t_\t_\t0\t_\t0\t0\tX\t_\t_\t_\tnop\n", "V01:1 ", "flags"},
	{"8000\t2\t_\t_\t0\t_\t0\t0\t_\tr13\t_\t_\tnop\n", "V01:1 ", "dest, is 'r13'"},
	{"8000\t2\t_\t_\t0\t_\t0\t0\t_\t_\t_\t_\tn\x01p\n", "V01:1 ", "assembly"},
	{"8000\t3\t_\t_\t0\t_\t0\t0\t_\t_\t_\t_\tnop\n", "V02:1 ", NULL},
	{"8000\t2\t_\t_\t0\t_\t8\t0\t_\t_\t_\t_\tnop\n", "V02:1 ", NULL},
	{"8000\t2\t_\t_\t0\t_\t0\t4\t_\t_\t_\t_\tnop\n", "V02:1 ", NULL},
	{"8000\t2\tUD\tN\t0\t_\t0\t0\t_\t_\t_\t_\tb\n", "V02:1 ", NULL},
	{"8000\t2\t_\tT\t0\t_\t0\t0\t_\t_\t_\t_\tb\n", "V02:1 ", NULL},
	{BNE "04007284\t2\t_\t_\t0\t_\t0\t0\t_\t_\t_\t_\tnop\n", "V02:2 ", NULL},
};

static void
every_rule_of_arm_lines_reports_its_smallest_violation(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof arm_lines / sizeof *arm_lines; i++) {
		struct buf trace = bytes_of(arm_lines[i].lines);
		struct buf codes = find_all(open_bytes(&trace, "cis501v2", NULL, true));
		if (strcmp(buf_text(&codes), arm_lines[i].codes) != 0)
			fail_msg("%sgives %s", arm_lines[i].lines, buf_text(&codes));
		buf_free(&codes);
		struct buf again = convert(
			open_bytes(&trace, "cis501v2", NULL, true), "cis501v2", NULL, NULL);
		expect_same(&again, &trace);
		buf_free(&again);
		struct poly_error error = {0};
		const struct poly_batch *batch;
		struct poly_reader *reader = open_bytes(&trace, "cis501v2", NULL, false);
		enum poly_status status = poly_reader_next(reader, &batch, &error);
		assert_int_equal(status, arm_lines[i].message ? POLY_ERR_FORMAT : POLY_OK);
		if (arm_lines[i].message && !strstr(error.message, arm_lines[i].message))
			fail_msg("%ssays %s", arm_lines[i].lines, error.message);
		poly_reader_close(reader);
		buf_free(&trace);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_that_of_the_listing),
		cmocka_unit_test(the_larger_listing_agrees_too),
		cmocka_unit_test(the_summary_equals_that_of_the_parsers_of_the_course),
		cmocka_unit_test(requested_layouts_are_written),
		cmocka_unit_test(every_tolerated_form_has_the_same_row_and_its_own_bytes),
		cmocka_unit_test(extreme_numbers_survive),
		cmocka_unit_test(an_invalid_line_is_reported_by_line_column_and_field),
		cmocka_unit_test(a_corrupt_line_costs_only_that_line),
		cmocka_unit_test(a_line_without_newline_is_skipped_in_parts),
		cmocka_unit_test(an_unlimited_number_of_names_needs_bounded_memory),
		cmocka_unit_test(every_rule_reports_its_smallest_violation),
		cmocka_unit_test(the_example_is_read_with_its_header_rows),
		cmocka_unit_test(other_text_is_not_detected),
		cmocka_unit_test(the_published_trace_has_its_published_counts),
		cmocka_unit_test(the_published_arm_trace_has_its_published_counts),
		cmocka_unit_test(every_field_of_an_arm_line_has_its_column),
		cmocka_unit_test(every_rule_of_arm_lines_reports_its_smallest_violation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
