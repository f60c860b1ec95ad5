/* SPDX-License-Identifier: MIT */
/* Text with described columns: hand-made lines, output of printf, and messages. */
#include "trace_help.h"

/* Description, option and lines, and the expected columns and rows. */
static const struct {
	const char *format, *option, *lines, *columns, *rows;
} readings[] = {
	/* Pin's example pinatrace. */
	{"text:kind=access,pc:0x':',access:R/W,address:0x", NULL,
		"0x7f3a21: R 0x7ffd10\n0x7f3a25: W 0x7ffd18\n#eof\n",
		"record kind pc access address",
		"line access 0x7f3a21 read 0x7ffd10\nline access 0x7f3a25 write 0x7ffd18\n"
		"comment other - - -\n"},
	/* Branch and cache traces of courses. */
	{"text:pc:hex,branch:t/n", NULL, "a3b5fc t\n00a3b600 n\n", "kind pc branch",
		"instruction 0xa3b5fc taken\ninstruction 0xa3b600 not_taken\n"},
	{"text:access:r/w,address:hex", NULL, "r ffe04540\nw 0\n", "kind access address",
		"access read 0xffe04540\naccess write 0x0\n"},
	/* Forms of numbers. */
	{"text:pc,size,address:auto,time:oct,immediate,value:dec", NULL,
		"FF 10 0x1F 17 -5 18446744073709551615\n0XfF 010 017 07 5 0\n"
		"0 4294967295 17 0 -9223372036854775808 1\n",
		"pc size address time immediate value",
		"0xff 10 0x1f 15 -5 0xffffffffffffffff\n0xff 10 0xf 7 5 0x0\n"
		"0x0 4294967295 0x11 0 -9223372036854775808 0x1\n"},
	{"text:immediate:0x,size:auto", NULL, "-0x10 0x10\n10 10\n", "immediate size",
		"-16 16\n16 10\n"},
	/* Enumerations: by their names, by position, or by name and value. */
	{"text:kind,branch,access,executed,flags,sync", NULL,
		"sync not_taken io_write false both trywait\n",
		"kind branch access executed flags sync",
		"sync not_taken io_write false both trywait\n"},
	{"text:access:R/W/I,executed:y/n,kind:i/a", NULL, "I n a\nW y i\n",
		"kind access executed", "access fetch false\ninstruction write true\n"},
	{"text:access:l=read|s=write|'p f'=prefetch,address", NULL, "s 1\nl 2\n",
		"access address", "write 0x1\nread 0x2\n"},
	/* Spellings of absent values and of numbers. */
	{"text:address:hex|-|none,size:b=1|w=0x4,branch|*", NULL,
		"- b *\nnone w taken\n10 w *\n", "kind address size branch",
		"other - 1 -\nother - 4 taken\naccess 0x10 4 -\n"},
	{"text:size:dec|w=4|d=8|e=8", NULL, "4\nw\n8\ne\nd\n5\n", "size", "4\n4\n8\n8\n8\n5\n"},
	/* Literals separate or surround fields. */
	{"text:access:L/S' 'address:hex8','size:dec", NULL, "L 00000010,4\nS 1ffeffe7e8,16\n",
		"access address size", "read 0x10 4\nwrite 0x1ffeffe7e8 16\n"},
	{"text:'['pc:hex']','<'reg'='value'>'", NULL, "[10] <r1=5>\n[11]\t<eax=ff>  \n",
		"pc reg value", "0x10 r1 0x5\n0x11 eax 0xff\n"},
	/* Skipped and optional fields, and those with the rest of the line. */
	{"text:-,pc,skip,size?,thread", NULL, "x 10 y\nx 10 y 4\nx 10 y 4 7 \n",
		"pc size thread", "0x10 - -\n0x10 4 -\n0x10 4 7\n"},
	{"text:pc,...", NULL, "10\n11 and more\n", "pc", "0x10\n0x11\n"},
	{"text:pc,mnemonic,text:rest", NULL, "10 add r1, r2\n11 b  x \r\n", "pc mnemonic text",
		"0x10 add r1, r2\n0x11 b x \n"},
	/* Constants. */
	{"text:address,access=read,size=8,mode=user,executed=true", NULL, "10\n",
		"kind access address size mode executed", "access read 0x10 8 user true\n"},
	/* Separators, comments, headings. */
	{"text:pc,size|,branch:T/N|", "text.separator=,", "10,4,T\n 11 , ,N \n12,,\n# 13\n\n",
		"record pc size branch",
		"line 0x10 4 taken\nline 0x11 - not_taken\nline 0x12 - -\ncomment - - -\n"
		"blank - - -\n"},
	{"text:pc,text", "text.separator=tab", "10\tadd r1, r2\n11\t x \n", "pc text",
		"0x10 add r1, r2\n0x11 x\n"},
	{"text:pc", "text.comment=//", "//x\n10\n", "record pc", "comment -\nline 0x10\n"},
	{"text:pc", "text.skip=2", "pc\n--\n10\n11\n", "record pc",
		"header -\nheader -\nline 0x10\nline 0x11\n"},
	{"text:pc", "text.skip=9", "10\n11", "record pc", "header -\nheader -\n"},
	{"text:reg,value", NULL, "r1 5", "kind reg value", "register r1 0x5\n"},
};

static void
lines_are_read_by_their_description(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
		struct buf bytes = bytes_of(readings[i].lines);
		struct buf rows = list_rows(
			open_bytes(&bytes, readings[i].format, readings[i].option, false),
			readings[i].columns, NULL);
		assert_string_equal(buf_text(&rows), readings[i].rows);
		/* The lines are reproduced. */
		struct buf again = convert(
			open_bytes(&bytes, readings[i].format, readings[i].option, false),
			"text", NULL, NULL);
		expect_same(&again, &bytes);
		buf_free(&again);
		buf_free(&rows);
		buf_free(&bytes);
	}
}

static uint64_t seed = 1;

static uint64_t
any_number(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> (seed >> 58);
}

static void
output_of_printf_is_read_and_reproduced(void **state)
{
	(void)state;
	static const char *const description =
		"text:pc:hex8':',branch:T/N|-,address:0x,size:dec,time:oct,immediate,"
		"opcode:0x16|none,cpu:dec3";
	struct buf text = {0};
	enum { ROWS = 5000 };
	uint64_t pc[ROWS], address[ROWS], opcode[ROWS];
	uint32_t size[ROWS];
	int64_t immediate[ROWS];
	for (size_t i = 0; i < ROWS; i++) {
		pc[i] = any_number();
		address[i] = any_number();
		size[i] = (uint32_t)any_number();
		immediate[i] = (int64_t)any_number();
		opcode[i] = any_number();
		buf_printf(&text, "%08llx: %c 0x%llx %u %llo %lld ", (unsigned long long)pc[i],
			"TN-"[i % 3], (unsigned long long)address[i], size[i],
			(unsigned long long)pc[i], (long long)immediate[i]);
		if (i % 5)
			buf_printf(&text, "0x%016llx %03u\n", (unsigned long long)opcode[i],
				(unsigned)i);
		else
			buf_printf(&text, "none %03u\n", (unsigned)i);
	}
	struct poly_reader *reader = open_bytes(&text, description, NULL, false);
	const struct poly_batch *batch;
	size_t row = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t r = 0; r < batch->rows; r++, row++) {
			assert_int_equal(batch->pc[r], pc[row]);
			assert_int_equal(batch->time[r], pc[row]);
			assert_int_equal(batch->address[r], address[row]);
			assert_int_equal(batch->size[r], size[row]);
			assert_int_equal(batch->immediate[r], immediate[row]);
			assert_int_equal(batch->cpu[r], row);
			assert_int_equal(
				poly_present(batch, POLY_COLUMN_branch, r), row % 3 != 2);
			assert_int_equal(
				poly_present(batch, POLY_COLUMN_opcode, r), row % 5 != 0);
			if (row % 3 != 2)
				assert_int_equal(batch->branch[r], row % 3 == 0);
			if (row % 5)
				assert_int_equal(batch->opcode[r], opcode[row]);
			assert_false(poly_present(batch, POLY_COLUMN_raw, r));
		}
	}
	assert_int_equal(row, ROWS);
	poly_reader_close(reader);
	struct buf again =
		convert(open_bytes(&text, description, NULL, false), "text", NULL, NULL);
	expect_same(&again, &text);
	buf_free(&again);
	buf_free(&text);
}

/* Invalid descriptions: position and message. */
static const struct {
	const char *columns;
	size_t place;
	const char *message;
} misdescribed[] = {
	{"pc,brunch", 3, "no such column"},
	{"", 0, "expected a column, skip, or '...' at the end"},
	{"pc,", 3, "expected a column, skip"},
	{"pc,,size", 3, "expected a column"},
	{"pc, size", 3, "expected a column"},
	{"pc size", 2, "expected a comma without a blank"},
	{"pc:hexa", 3, "invalid form of 'pc', expected hex, 0x, dec, oct or auto"},
	{"pc:hex17", 3, "invalid form of 'pc', expected"},
	{"pc:hex:4", 6, "expected a comma"},
	{"mnemonic:hex", 9, "invalid form of 'mnemonic', expected name"},
	{"text:hex", 5, "invalid form of 'text', expected text or rest"},
	{"branch:T", 7,
		"invalid form of 'branch', expected spellings as 'a/b' or 'a=name|b=name'"},
	{"branch:T/N/X", 11, "'branch' has 2 values"},
	{"branch:T/T", 9, "duplicate spelling"},
	{"branch:T=yes", 9, "invalid value 'yes' of 'branch': branch outcome"},
	{"executed:T=yes", 11, "invalid value of 'executed', expected true or false"},
	{"size:R/W", 5, "only enumerations have spellings between slashes"},
	{"size:x=4294967296", 7, "invalid value of 'size', expected a number up to 4294967295"},
	{"mnemonic|a=b", 11, "only numbers and enumerations have spellings"},
	{"pc|", 3, "an empty spelling needs a separator other than white space"},
	{"pc,pc", 3, "duplicate column 'pc'"},
	{"pc,pc=4", 3, "duplicate column 'pc'"},
	{"raw", 0, "the column 'raw' cannot be a field"},
	{"pc'", 2, "missing closing apostrophe"},
	{"pc''", 3, "empty literal, expected a character between the apostrophes"},
	{"pc?", 2, "the first field cannot be optional"},
	{"pc,text:rest,size", 13, "no field can follow the form 'rest'"},
	{"skip", 4, "no field is a column"},
	{"size=4", 6, "no field is a column"},
	{"pc,text=a", 8, "the column 'text' cannot be a constant"},
	{"pc,mode=", 8, "expected a name"},
	{"pc,kind=access,kind=other", 15, "duplicate column 'kind'"},
	{"pc,...,size", 6, "no field can follow '...'"},
	{"pc,\x7f", 3, "expected a printable ASCII character"},
};

static void
errors_in_a_description_are_marked_by_a_caret(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof misdescribed / sizeof *misdescribed; i++) {
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		struct poly_reader *reader;
		struct poly_error error;
		char format[200];
		snprintf(format, sizeof format, "text:%s", misdescribed[i].columns);
		options.format = format;
		assert_int_equal(poly_reader_open_memory("", 0, &options, &reader, &error),
			POLY_ERR_USAGE);
		const char *shown = strchr(error.message, '\n'), *caret = strrchr(shown, '\n');
		if (!strstr(error.message, misdescribed[i].message))
			fail_msg("'%s' without '%s'", error.message, misdescribed[i].message);
		assert_int_equal(caret + 1 + 2 + misdescribed[i].place - strchr(caret, '^'), 0);
	}
}

static void
a_text_without_columns_is_an_error(void **state)
{
	(void)state;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	options.format = "text";
	assert_int_equal(
		poly_reader_open_memory("10\n", 3, &options, &reader, &error), POLY_ERR_USAGE);
	assert_non_null(strstr(
		error.message, "needs a description of its columns, such as 'text:pc:hex,"));
	const char *words[] = {"text.columns=pc", "text.separator=ab", NULL};
	options.options = words;
	assert_int_equal(
		poly_reader_open_memory("10\n", 3, &options, &reader, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "option 'text.separator' is 'ab', expected blank, "
					   "tab or a printable character");
	words[1] = "text.separator=;";
	assert_int_equal(
		poly_reader_open_memory("10\n", 3, &options, &reader, &error), POLY_OK);
	poly_reader_close(reader);
}

/* Lines that do not match the description, and the messages. */
static const struct {
	const char *format, *option, *line, *message;
} corrupt[] = {
	{"text:pc,branch:T/N", NULL, "10 X",
		"column 4: field 2, 'branch', is 'X', expected T or N"},
	{"text:pc,branch:T/N|-", NULL, "10 X",
		"column 4: field 2, 'branch', is 'X', expected T, N or -"},
	{"text:pc,access", NULL, "10 X",
		"column 4: field 2, 'access', is 'X', expected a value of the column"},
	{"text:pc,size", NULL, " 1g 4",
		"column 2: field 1, 'pc', is '1g', expected hexadecimal digits"},
	{"text:pc,size", NULL, "10 0x4",
		"column 4: field 2, 'size', is '0x4', expected a decimal number"},
	{"text:time:oct", NULL, "8",
		"column 1: field 1, 'time', is '8', expected an octal number"},
	{"text:pc,size", NULL, "10 4294967296",
		"column 4: field 2, 'size', is '4294967296', expected at most 4294967295"},
	{"text:pc,size:dec|-", NULL, "10 x",
		"column 4: field 2, 'size', is 'x', expected - or a decimal number"},
	{"text:immediate", NULL, "9223372036854775808",
		"column 1: field 1, 'immediate', is '9223372036854775808', expected at most "
		"9223372036854775807"},
	{"text:pc,size", NULL, "10",
		"column 3: the line ends after field 1, expected further fields"},
	{"text:pc,size", NULL, "10 4 5",
		"column 6: after field 2 is '5', expected the end of the line"},
	{"text:pc':',size", NULL, "10 4", "column 3: after field 1 is '', expected ':'"},
	{"text:pc':',size", NULL, "10:4",
		"column 4: after field 1 is '4', expected white space"},
	{"text:pc,size", "text.separator=,", "10 4",
		"column 1: field 1, 'pc', is '10', expected hexadecimal digits"},
	{"text:pc,size", "text.separator=,", "10,,",
		"column 4: field 2, 'size', is '', expected a decimal number"},
};

static void
corrupt_lines_are_reported_by_column_and_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof corrupt / sizeof *corrupt; i++) {
		struct buf bytes = {0};
		struct poly_error error;
		buf_printf(&bytes, "#\n%s\n#\n", corrupt[i].line);
		struct buf rows = list_rows(
			open_bytes(&bytes, corrupt[i].format, corrupt[i].option, false),
			"record", &error);
		assert_string_equal(buf_text(&rows), "comment\n");
		assert_string_equal(error.message, corrupt[i].message);
		assert_int_equal(error.line, 2);
		buf_free(&rows);
		rows = list_rows(open_bytes(&bytes, corrupt[i].format, corrupt[i].option, true),
			"record", NULL);
		assert_string_equal(buf_text(&rows), "comment\ncorrupt\ncomment\n");
		buf_free(&rows);
		struct buf again =
			convert(open_bytes(&bytes, corrupt[i].format, corrupt[i].option, true),
				"text", NULL, NULL);
		expect_same(&again, &bytes);
		buf_free(&again);
		buf_free(&bytes);
	}
}

/* Rows, and the expected lines or message. */
static const struct {
	const char *rows, *format, *option, *expected;
} writings[] = {
	{"{\"kind\":\"instruction\",\"pc\":\"0x400\",\"branch\":\"taken\"}\n",
		"text:pc:hex,branch:T/N", NULL, "400 T\n"},
	{"{\"pc\":\"0x400\",\"size\":8,\"immediate\":-16,\"mnemonic\":\"add\"}\n",
		"text:pc:0x8,size:dec3,immediate:hex,mnemonic", NULL,
		"0x00000400 008 -10 add\n"},
	{"{\"pc\":\"0x400\",\"time\":8}\n", "text:time:oct,pc:auto", NULL, "10 0x400\n"},
	{"{\"pc\":\"0x400\"}\n", "text:pc,branch:T/N", NULL,
		"the record has no 'branch' (required by the format); '|-' after the field writes '-' for an absent value, '?' omits the field at the end of a line"},
	{"{\"pc\":\"0x400\"}\n{\"pc\":\"0x401\",\"branch\":\"not_taken\"}\n",
		"text:pc,branch:T/N|-", NULL, "400 -\n401 N\n"},
	{"{\"pc\":\"0x400\"}\n{\"pc\":\"0x401\",\"thread\":4}\n", "text:pc,size?,thread", NULL,
		"the record has no 'size' (required by the format); '|-' after the field writes '-' for an absent value, '?' omits the field at the end of a line"},
	{"{\"pc\":\"0x400\"}\n{\"pc\":\"0x401\",\"thread\":4}\n", "text:pc,size|-,thread?",
		NULL, "400 -\n401 - 4\n"},
	{"{\"pc\":\"0x400\"}\n{\"pc\":\"0x401\",\"size\":4}\n", "text:pc,size?", NULL,
		"400\n401 4\n"},
	{"{\"pc\":\"0x400\",\"text\":\"a b\"}\n", "text:pc,text:rest", NULL, "400 a b\n"},
	{"{\"pc\":\"0x400\",\"text\":\"a b\"}\n", "text:pc,text", "text.separator=;",
		"400;a b\n"},
	{"{\"pc\":\"0x400\",\"text\":\"a b\"}\n", "text:pc,text", NULL,
		"the record's 'text' is 'a', which is not valid in its field"},
	{"{\"pc\":\"0x400\",\"mnemonic\":\"a:b\"}\n", "text:mnemonic':'pc", NULL,
		"the record's 'mnemonic' is 'a:b', which is not valid in its field"},
	{"{\"access\":\"fetch\",\"address\":\"0x400\"}\n", "text:access:R/W,address", NULL,
		"the record's 'access' is 'fetch', which has no spelling in text.columns"},
	{"{\"pc\":\"0x400\",\"size\":4}\n{\"pc\":\"0x400\",\"size\":8}\n{\"pc\":\"0x400\"}\n",
		"text:size=8,pc", NULL,
		"400\n2 records without the constants of the columns were "
		"dropped\n"},
	{"{\"kind\":\"access\",\"mode\":\"a\",\"pc\":\"0x1\"}\n"
	 "{\"kind\":\"access\",\"mode\":\"b\",\"pc\":\"0x2\"}\n",
		"text:mode=b,pc,-", NULL,
		"2 -\n1 records without the constants of the columns were "
		"dropped\n"},
	{"{\"kind\":\"other\",\"size\":4}\n{\"kind\":\"instruction\",\"pc\":\"0x1\"}\n",
		"text:pc", NULL, "1\n1 records without a value for any column were dropped\n"},
};

/* Appends the written bytes and notes, or the message. */
static void
write_all(struct poly_reader *reader, const char *format, const char *option, struct buf *out)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_sink sink = {collect, out};
	struct poly_writer *writer;
	struct poly_error error;
	const struct poly_batch *batch;
	const char *words[] = {option, NULL}, *note;
	enum poly_status status = POLY_OK;
	uint64_t count;
	options.format = format;
	options.options = words;
	assert_int_equal(poly_writer_open_sink(
				 &sink, poly_reader_info(reader), &options, &writer, &error),
		POLY_OK);
	while (status == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK)
		status = poly_writer_write(writer, batch, &error);
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	for (size_t i = 0; (note = poly_writer_note_at(writer, i, &count)); i++)
		buf_printf(out, "%llu %s\n", (unsigned long long)count, note);
	if (status != POLY_OK) {
		assert_int_equal(status, POLY_ERR_LOSS);
		buf_clear(out);
		buf_string(out, error.message);
	}
	poly_writer_close(writer);
	poly_reader_close(reader);
}

static void
rows_are_written_by_a_description(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof writings / sizeof *writings; i++) {
		struct buf bytes = bytes_of(writings[i].rows), out = {0};
		write_all(open_bytes(&bytes, "jsonl", NULL, false), writings[i].format,
			writings[i].option, &out);
		assert_string_equal(buf_text(&out), writings[i].expected);
		buf_free(&out);
		buf_free(&bytes);
	}
}

static void
another_description_writes_the_rows_of_the_first_one(void **state)
{
	(void)state;
	struct buf bytes = bytes_of("# x\n0x10 T\n 11  N\n\n"), notes = {0};
	struct buf out = convert(open_bytes(&bytes, "text:pc,branch:T/N", NULL, false),
		"text:branch:1/0,pc:hex4", "text.separator=,", &notes);
	assert_string_equal(buf_text(&out), "1,0010\n0,0011\n");
	assert_string_equal(
		buf_text(&notes), "2 records without a value for any column were dropped\n");
	buf_free(&notes);
	buf_free(&out);
	buf_free(&bytes);
}

static void
unusual_lines_are_reported(void **state)
{
	(void)state;
	expect_found(
		"10 4\n 11 4\n12 0x4\n#\n13 4", "text:pc,size:hex", "X04:2 X04:3 X03:5 X04:5 ");
	struct buf bytes = {0};
	for (int i = 0; i < 20000; i++)
		buf_byte(&bytes, '1');
	buf_string(&bytes, "\n10 4\n");
	struct buf found = find_all(open_bytes(&bytes, "text:pc,size", NULL, true));
	assert_string_equal(buf_text(&found), "X02:1 ");
	buf_free(&found);
	buf_free(&bytes);
}

static void
text_is_never_detected(void **state)
{
	(void)state;
	struct buf bytes = bytes_of("10 T\n11 N\n12 T\n13 N\n");
	struct poly_reader *reader;
	struct poly_error error;
	assert_int_equal(poly_reader_open_memory(bytes.data, bytes.size, NULL, &reader, &error),
		POLY_ERR_FORMAT);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read_by_their_description),
		cmocka_unit_test(output_of_printf_is_read_and_reproduced),
		cmocka_unit_test(errors_in_a_description_are_marked_by_a_caret),
		cmocka_unit_test(a_text_without_columns_is_an_error),
		cmocka_unit_test(corrupt_lines_are_reported_by_column_and_field),
		cmocka_unit_test(rows_are_written_by_a_description),
		cmocka_unit_test(another_description_writes_the_rows_of_the_first_one),
		cmocka_unit_test(unusual_lines_are_reported),
		cmocka_unit_test(text_is_never_detected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
