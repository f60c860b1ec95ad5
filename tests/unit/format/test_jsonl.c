/* SPDX-License-Identifier: MIT */
/* JSON Lines: its canonical form, what else is read, and that nothing is lost. */
#include "test_help.h"

#include "base/bits.h"
#include "model/batch.h"
#include "model/info.h"

#define HEADER "{\"polytrace\":\"trace\",\"version\":1,\"format\":\"tt6e\"}\n"

static struct poly_writer *
new_writer(struct buf *out, const struct poly_trace_info *info, poly_columns columns)
{
	struct poly_writer *writer;
	struct poly_error error;
	struct poly_sink sink = {collect, out};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = "jsonl";
	options.columns = columns;
	if (poly_writer_open_sink(&sink, info, &options, &writer, &error) != POLY_OK)
		fail_msg("%s", error.message);
	return writer;
}

static void
finish(struct poly_writer *writer)
{
	assert_int_equal(poly_writer_finish(writer, NULL), POLY_OK);
	poly_writer_close(writer);
}

#ifdef POLY_WITH_JANSSON

static struct poly_reader *
open_bytes(const void *data, size_t size, bool skip_errors)
{
	struct poly_reader *reader;
	struct poly_error error;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "jsonl";
	options.skip_errors = skip_errors;
	options.one_thread = true;
	if (poly_reader_open_memory(data, size, &options, &reader, &error) != POLY_OK)
		fail_msg("%s", error.message);
	return reader;
}

/* The first batch of a text. */
static const struct poly_batch *
read_text(const char *text, struct poly_reader **reader)
{
	const struct poly_batch *batch;
	*reader = open_bytes(text, strlen(text), false);
	assert_int_equal(poly_reader_next(*reader, &batch, NULL), POLY_OK);
	return batch;
}

/* Reads all and writes it again; the status with which reading ended. */
static enum poly_status
rewrite(const void *data, size_t size, poly_columns columns, struct buf *out)
{
	const struct poly_batch *batch;
	enum poly_status status;
	struct poly_reader *reader = open_bytes(data, size, true);
	struct poly_writer *writer = new_writer(out, poly_reader_info(reader), columns);
	while ((status = poly_reader_next(reader, &batch, NULL)) == POLY_OK)
		assert_int_equal(poly_writer_write(writer, batch, NULL), POLY_OK);
	finish(writer);
	poly_reader_close(reader);
	return status == POLY_ERR_TRUNCATED ? POLY_END : status;
}

static void
assert_rewritten(const void *data, size_t size)
{
	struct buf out = {0};
	assert_int_equal(rewrite(data, size, POLY_ALL_COLUMNS, &out), POLY_END);
	assert_int_equal(out.size, size);
	if (size)
		assert_memory_equal(out.data, data, size);
	buf_free(&out);
}

/* What a line becomes where the writer has to make it from its row. */
static void
assert_becomes(const char *line, const char *expected)
{
	struct buf in = {0}, out = {0};
	buf_printf(&in, HEADER "%s", line);
	const poly_columns chosen = POLY_COLUMNS_EXCEPT_INIT(verbatim, origin);
	assert_int_equal(
		rewrite(in.data, in.size, poly_columns_minus(chosen, POLY_COLUMNS(site)), &out),
		POLY_END);
	assert_string_equal(buf_text(&out) + strlen(HEADER), expected);
	buf_free(&in);
	buf_free(&out);
}

static void
every_form_has_its_canonical_text(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"{}\n",
		"{\"kind\":\"instruction\",\"record\":\"a \\\"b\\\"\"}\n",
		"{\"time\":18446744073709551615,\"cpu\":4294967295}\n",
		"{\"process\":9223372036854775808,\"thread\":1000000000000000000}\n",
		"{\"pc\":\"0x0\",\"opcode\":\"0xffffffffffffffff\",\"opcode_size\":255}\n",
		"{\"branch\":\"not_taken\",\"access\":\"io_read\",\"size\":0}\n",
		"{\"reg\":\"r1\",\"mnemonic\":\"\",\"mode\":{\"hex\":\"ff41\"}}\n",
		"{\"immediate\":-9223372036854775808,\"flags\":\"none\"}\n",
		"{\"immediate\":-1,\"executed\":false,\"sync\":\"broadcast\"}\n",
		"{\"immediate\":9223372036854775807,\"synthetic\":true}\n",
		"{\"event\":\"flush_acknowledge\",\"escape\":\"0xffff\"}\n",
		"{\"text\":\"\\u0000\\u0001\\b\\t\\n\\f\\r\\\"\\\\/\\u001f\x7f\xc3\xa9\"}\n",
		"{\"text\":\"\xf0\x9f\x98\x80\",\"payload\":\"\",\"raw\":\"00ff\"}\n",
		"{\"text\":{\"hex\":\"c3\"}}\n",
		"{\"text\":{\"hex\":\"eda080\"}}\n",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_becomes(lines[i], lines[i]);
}

static void
other_spellings_have_the_same_values(void **state)
{
	(void)state;
	static const char *const pairs[][2] = {
		{"{\"pc\": 16}\r\n", "{\"pc\":\"0x10\"}\n"},
		{"{\"pc\":\"0x00AB\",\"kind\":\"other\"}\n",
			"{\"kind\":\"other\",\"pc\":\"0xab\"}\n"},
		{"{\"size\":\"0x10\"}", "{\"size\":16}\n"},
		{"{\"immediate\":\"-5\"}\n", "{\"immediate\":-5}\n"},
		{"{\"text\":\"\\u00e9\\/\\u0041\"}\n", "{\"text\":\"\xc3\xa9/A\"}\n"},
		{"{\"text\":{\"hex\":\"4142\"}}\n", "{\"text\":\"AB\"}\n"},
		{"{\"payload\":\"AbCd\"}\n", "{\"payload\":\"abcd\"}\n"},
		{"{\"time\":18446744073709551615,\"text\":\"[1234567890123456789012]\"}\n",
			"{\"time\":18446744073709551615,\"text\":\"[1234567890123456789012]\"}"
			"\n"},
		{"{\"site\":4,\"origin\":3,\"verbatim\":\"00\"}\n", "{}\n"},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		assert_becomes(pairs[i][0], pairs[i][1]);
}

static void
lines_that_are_not_canonical_keep_their_bytes(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "\n", " \r\n\n", "{}", "{}\n\n", "\n{}\n",
		HEADER, HEADER "\n", HEADER "{}\n\n\t\n{ }\r\n {}", "{}\n" HEADER,
		"{\"polytrace\":\"trace\"}",
		"{ \"polytrace\" : \"trace\" , \"new\" : [] }\r\n{}",
		HEADER "{\"pc\":\"0x1\"}\nnonsense\n{\"nonsense\":1}\n{\"pc\":\"0x1\"}\nx",
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"x\",\"records\":[]}\n"
		"{\"record\":\"new\"}\n"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_rewritten(texts[i], strlen(texts[i]));
}

static void
truncation_is_survived_at_every_byte(void **state)
{
	(void)state;
	static const char text[] =
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"bach\",\"clock\":\"ns\"}\n"
		"{\"kind\":\"access\",\"record\":\"D_READ\",\"address\":\"0x10\"}\r\n\n"
		"{\"text\":{\"hex\":\"c3\"},\"immediate\":-1}\n{\"pc\": \"0X1\"}";
	for (size_t n = 0; n < sizeof text; n++) {
		char *exact = malloc(n ? n : 1);
		memcpy(exact, text, n);
		assert_rewritten(exact, n);
		free(exact);
	}
}

static void
a_truncated_line_is_a_row_and_a_finding(void **state)
{
	(void)state;
	struct poly_reader *reader;
	struct poly_finding finding;
	const struct poly_batch *batch = read_text("{\"pc\":\"0x1\"}\n{\"pc\":\"0x", &reader);
	assert_int_equal(batch->rows, 2);
	assert_int_equal(batch->kind[1], POLY_KIND_OTHER);
	assert_string_equal(batch->info->records[batch->record[1]], "corrupt");
	assert_false(poly_present(batch, POLY_COLUMN_pc, 1));
	assert_int_equal(batch->origin[1], 13);
	assert_true(poly_reader_finding_at(reader, 0, &finding));
	assert_string_equal(finding.rule->code, "J05");
	assert_int_equal(finding.record, 2);
	assert_int_equal(finding.offset, 13);
	assert_false(poly_reader_finding_at(reader, 1, &finding));
	poly_reader_close(reader);
}

static void
the_header_is_restored(void **state)
{
	(void)state;
	static const char text[] =
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"tt6e\",\"raw_format\":"
		"\"tt6\","
		"\"isa\":\"powerpc\",\"address_bits\":32,\"addresses\":\"physical\","
		"\"byte_order\":\"little\",\"clock\":\"ticks\",\"producer\":\"\","
		"\"first_pc\":\"0x10\",\"columns\":[\"record\",\"pc\"],"
		"\"records\":[\"compute\",\"flow\"],\"facts\":{\"b\":\"1\",\"a\":\"\"},"
		"\"labels\":{\"z.1\":\"\u00e4 \\\"\",\"b\":\"\"}}\n"
		"{\"record\":\"flow\",\"pc\":\"0x10\"}\n";
	struct poly_reader *reader;
	const struct poly_batch *batch = read_text(text, &reader);
	const struct poly_trace_info *info = poly_reader_info(reader);
	assert_string_equal(info->format, "jsonl");
	assert_string_equal(info->raw_format, "tt6");
	assert_string_equal(info->isa, "powerpc");
	assert_int_equal(info->address_bits, 32);
	assert_int_equal(info->addresses, POLY_ADDRESS_PHYSICAL);
	assert_int_equal(info->byte_order, POLY_BYTE_ORDER_LITTLE);
	assert_string_equal(info->clock, "ticks");
	assert_string_equal(info->producer, "");
	assert_true(info->has_first_pc);
	assert_int_equal(info->first_pc, 0x10);
	assert_int_equal(info->record_count, 2);
	assert_string_equal(info->records[1], "flow");
	assert_int_equal(batch->record[0], 1);
	assert_string_equal(poly_trace_fact(info, "b"), "1");
	assert_string_equal(poly_trace_fact(info, "a"), "");
	assert_null(poly_trace_fact(info, "jsonl.header"));
	assert_int_equal(info->label_count, 2);
	assert_string_equal(info->labels[0].key, "z.1");
	assert_string_equal(poly_trace_label(info, "z.1"), "\u00e4 \"");
	assert_string_equal(poly_trace_label(info, "b"), "");
	assert_null(poly_trace_label(info, "a"));
	assert_true(POLY_HAS(info->columns, pc));
	assert_false(POLY_HAS(info->columns, time));
	poly_reader_close(reader);
	assert_rewritten(text, strlen(text));
}

static void
without_a_header_the_information_is_empty(void **state)
{
	(void)state;
	struct poly_reader *reader;
	const struct poly_batch *batch = read_text("{\"record\":\"x\"}\n", &reader);
	assert_null(batch->info->raw_format);
	assert_null(batch->info->isa);
	assert_true(poly_columns_equal(batch->info->columns, POLY_ALL_COLUMNS));
	assert_string_equal(poly_trace_fact(batch->info, "jsonl.header"), "");
	assert_string_equal(batch->info->records[batch->record[0]], "x");
	/* The name of the record is in no header. */
	assert_true(poly_present(batch, POLY_COLUMN_verbatim, 0));
	poly_reader_close(reader);
}

/* Reading text fails in its last line with this message and rule, after the rows before. */
static void
assert_refused(const char *text, uint64_t line, const char *code, const char *message)
{
	struct poly_error error;
	struct poly_finding finding;
	const struct poly_batch *batch;
	size_t rows = 0;
	enum poly_status status;
	struct poly_reader *reader = open_bytes(text, strlen(text), false);
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK)
		rows += batch->rows;
	assert_int_equal(status, POLY_ERR_FORMAT);
	assert_string_equal(error.message, message);
	assert_int_equal(error.line, line);
	assert_int_equal(error.record, rows + 1);
	assert_true(poly_reader_finding_at(reader, 0, &finding));
	assert_string_equal(finding.rule->code, code);
	assert_int_equal(finding.count, 1);
	poly_reader_close(reader);
}

static void
values_out_of_range_are_rejected(void **state)
{
	(void)state;
	static const char *const cases[][3] = {
		{"{\"pd\":1}\n", "J02", "the key 'pd' is not a column"},
		{"{\"size\":4294967296}\n", "J03",
			"'size' holds 4294967296, expected a number from 0 to 4294967295"},
		{"{\"time\":18446744073709551616}\n", "J03",
			"'time' holds '18446744073709551616', expected a number from 0 to "
			"18446744073709551615"},
		{"{\"cpu\":-1}\n", "J03",
			"'cpu' holds -1, expected a number from 0 to 4294967295"},
		{"{\"cpu\":1.0}\n", "J03",
			"'cpu' holds a real number, expected a number from 0 to 4294967295"},
		{"{\"escape\":\"0x10000\"}\n", "J03",
			"'escape' holds '0x10000', expected a string from '0x0' to '0xffff'"},
		{"{\"pc\":\"0x\"}\n", "J03",
			"'pc' holds '0x', expected a string from '0x0' to "
			"'0xffffffffffffffff'"},
		{"{\"immediate\":9223372036854775808}\n", "J03",
			"'immediate' holds '9223372036854775808', expected a number from "
			"-9223372036854775808 to 9223372036854775807"},
		{"{\"branch\":\"maybe\"}\n", "J03",
			"'branch' holds 'maybe', expected one of not_taken, taken"},
		{"{\"executed\":1}\n", "J03", "'executed' holds 1, expected true or false"},
		{"{\"reg\":\"a\\u0000b\"}\n", "J03",
			"'reg' holds 'a', expected a string of at most 1024 bytes without NUL"},
		{"{\"payload\":\"0\"}\n", "J03",
			"'payload' holds '0', expected a string of pairs of hexadecimal "
			"digits"},
		{"{\"text\":[]}\n", "J03",
			"'text' holds an array, expected a string, or an object with the key "
			"'hex'"},
		{"[]\n", "J01", "the line is JSON, but not an object"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf text = {0};
		buf_printf(&text, HEADER "{}\n\n%s{}\n", cases[i][0]);
		assert_refused(buf_text(&text), 4, cases[i][1], cases[i][2]);
		buf_free(&text);
	}
}

static void
a_key_outside_the_columns_of_the_header_is_rejected(void **state)
{
	(void)state;
	assert_refused("{\"polytrace\":\"trace\",\"columns\":[\"pc\"]}\n"
		       "{\"pc\":\"0x1\"}\n{\"size\":1}\n",
		3, "J02", "the key 'size' is not among the columns that the header names");
}

static void
invalid_headers_are_rejected(void **state)
{
	(void)state;
	static const char *const members[][2] = {
		{"\"version\":2", "header: 'version' holds 2, expected 1"},
		{"\"address_bits\":65", "header: 'address_bits' holds 65, expected a "
					"number from 0 to 64"},
		{"\"clock\":null", "header: 'clock' holds null, expected a string without NUL"},
		{"\"addresses\":\"both\"", "header: 'addresses' holds 'both', expected "
					   "'unknown', 'virtual' or 'physical'"},
		{"\"columns\":[\"pd\"]",
			"header: an element holds 'pd', expected the name of a column"},
		{"\"facts\":{\"a\":1}", "header: 'a' holds 1, expected a string without NUL"},
		{"\"labels\":[\"a\"]",
			"header: 'labels' holds an array, expected an object of labels"},
		{"\"labels\":{\"a\":1}", "header: 'a' holds 1, expected a string without NUL"},
		{"\"labels\":{\"a b\":\"\"}",
			"header: label 'a b': invalid character in the key (expected letters, "
			"digits, '.', '_' and '-')"},
		{"\"labels\":{\"a\":\"b\\n\"}", "header: label 'a': control character 0x0a in "
						"the value (expected one line of text)"},
	};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		char text[200];
		struct poly_reader *reader;
		struct poly_error error;
		int n = snprintf(
			text, sizeof text, "{\"polytrace\":\"trace\",%s}\n", members[i][0]);
		assert_int_equal(
			poly_reader_open_memory(text, (size_t)n, NULL, &reader, &error),
			POLY_ERR_FORMAT);
		assert_string_equal(error.message, members[i][1]);
		assert_int_equal(error.line, 1);
	}
}

static void
a_trace_has_255_names_of_records(void **state)
{
	(void)state;
	struct buf text = {0};
	for (unsigned i = 0; i < 256; i++)
		buf_printf(&text, "{\"record\":\"name%u\"}\n", i);
	assert_refused(buf_text(&text), 256, "J04",
		"'record' exceeds the maximum of 255 names in the trace");
	assert_rewritten(text.data, text.size);
	buf_free(&text);
}

static void
the_length_of_lines_is_limited(void **state)
{
	(void)state;
	const size_t most = (size_t)4 << 20;
	struct poly_error error;
	char *text = malloc(most + 2);
	memset(text, ' ', most + 2);
	text[0] = '{';
	text[1] = '}';
	text[most - 2] = '\n';
	text[most] = '}';
	text[most - 1] = '{';
	assert_rewritten(text, most + 1);
	text[most - 2] = ' ';
	struct poly_reader *reader;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "jsonl";
	assert_int_equal(poly_reader_open_memory(text, most + 2, &options, &reader, &error),
		POLY_ERR_LIMIT);
	free(text);
}

static void
deep_nesting_is_rejected(void **state)
{
	(void)state;
	const size_t depth = (size_t)1 << 20;
	struct poly_error error;
	const struct poly_batch *batch;
	char *text = malloc(depth + 1);
	memset(text, '[', depth);
	text[depth] = '\n';
	struct poly_reader *reader = open_bytes(text, depth + 1, false);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
	poly_reader_close(reader);
	free(text);
}

static uint64_t
next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 24 ^ *state << 31;
}

/* A value of a column of that form: any that its type and vocabulary can hold. */
static uint64_t
random_value(enum poly_form form, uint64_t random, struct info *info)
{
	char name[8] = "";
	unsigned count = 0;
	switch (form) {
	case POLY_FORM_NAME:
		for (size_t i = 0; i < random % sizeof name; i++)
			name[i] = (char)(random >> 8 * i | 1);
		return info_name(info, name, strlen(name));
	case POLY_FORM_RECORD: return random % info->view.record_count;
	case POLY_FORM_BOOL: return random % 2;
	case POLY_FORM_HEX:
	case POLY_FORM_DEC: return random >> random % 64;
	case POLY_FORM_KIND:
	case POLY_FORM_ACCESS:
	case POLY_FORM_BRANCH:
	case POLY_FORM_SYNC:
	case POLY_FORM_EVENT:
	case POLY_FORM_FLAGS:
	case POLY_FORM_BYTES:
	case POLY_FORM_TEXT: break;
	}
	while (poly_enum_name(form, count))
		count++;
	return random % count;
}

static bool
is_slice(enum poly_form form)
{
	return form == POLY_FORM_BYTES || form == POLY_FORM_TEXT;
}

static void
fill(struct batch *batch, struct info *info, uint64_t *state)
{
	const poly_columns own = POLY_COLUMNS_INIT(origin, site, verbatim);
	batch_clear(batch);
	batch->view.rows = 1000;
	for (size_t row = 0; row < batch->view.rows; row++) {
		for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
			uint64_t random = next_random(state), more = next_random(state);
			enum poly_column column = (enum poly_column)c;
			enum poly_form form = poly_column_form(column);
			if (random % 3 || poly_columns_has(own, column))
				continue;
			if (is_slice(form))
				batch_put_bytes(batch, column, row, &more, random / 3 % 9);
			else
				batch_put_integer(
					batch, column, row, random_value(form, more, info));
		}
	}
	assert_int_equal(batch_finish(batch, NULL), POLY_OK);
}

static void
assert_same_value(const struct poly_batch *a, const struct poly_batch *b,
	enum poly_column column, size_t row)
{
	enum poly_form form = poly_column_form(column);
	if (is_slice(form)) {
		size_t n, m;
		const uint8_t *p = poly_batch_bytes(a, column, row, &n);
		const uint8_t *q = poly_batch_bytes(b, column, row, &m);
		assert_int_equal(n, m);
		assert_memory_equal(p, q, n);
		return;
	}
	uint64_t x = poly_batch_integer(a, column, row), y = poly_batch_integer(b, column, row);
	if (form == POLY_FORM_NAME)
		assert_string_equal(poly_trace_name(a->info, (uint32_t)x),
			poly_trace_name(b->info, (uint32_t)y));
	else
		assert_int_equal(x, y);
}

static void
random_batches_come_back_column_by_column(void **state)
{
	(void)state;
	static const char *const records[] = {"one", "two \"\\\n", "\xff", "\xc3\xa9"};
	struct info info;
	struct batch batch;
	struct buf out = {0};
	uint64_t seed = 1;
	info_init(&info);
	info.view.records = records;
	info.view.record_count = 4;
	info.view.columns = POLY_COLUMNS_EXCEPT(site);
	assert_int_equal(
		batch_init(&batch, POLY_ALL_COLUMNS, POLY_BATCH_ROWS, &info.view, NULL),
		POLY_OK);
	fill(&batch, &info, &seed);
	struct poly_writer *writer = new_writer(&out, &info.view, POLY_ALL_COLUMNS);
	assert_int_equal(poly_writer_write(writer, &batch.view, NULL), POLY_OK);
	finish(writer);
	struct poly_reader *reader = open_bytes(out.data, out.size, false);
	const struct poly_batch *again;
	assert_int_equal(poly_reader_next(reader, &again, NULL), POLY_OK);
	assert_int_equal(again->rows, batch.view.rows);
	for (size_t row = 0; row < again->rows; row++) {
		assert_false(poly_present(again, POLY_COLUMN_verbatim, row));
		for (unsigned c = 0; c < POLY_COLUMN_verbatim; c++) {
			enum poly_column column = (enum poly_column)c;
			bool present = poly_present(&batch.view, column, row);
			assert_int_equal(poly_present(again, column, row), present);
			if (present)
				assert_same_value(&batch.view, again, column, row);
		}
	}
	poly_reader_close(reader);
	batch_fini(&batch);
	info_fini(&info);
	buf_free(&out);
}

static void
the_key_row_is_ignored_and_its_line_keeps_its_bytes(void **state)
{
	(void)state;
	static const char text[] =
		"{\"polytrace\":\"trace\",\"columns\":[\"row\",\"pc\"]}\n"
		"{\"row\":7,\"pc\":\"0x1\"}\n{\"pc\":\"0x2\",\"row\":\"x\"}\n{}\n";
	struct buf out = {0};
	assert_rewritten(text, strlen(text));
	assert_becomes("{\"row\":7,\"pc\":\"0x1\"}\n", "{\"pc\":\"0x1\"}\n");
	const enum poly_status status = rewrite(text, strlen(text),
		poly_columns_union(POLY_ALL_COLUMNS, POLY_COLUMNS(row)), &out);
	assert_int_equal(status, POLY_END);
	assert_string_equal(strchr(buf_text(&out), '\n'),
		"\n{\"row\":1,\"pc\":\"0x1\"}\n{\"row\":2,\"pc\":\"0x2\"}\n{\"row\":3}\n");
	buf_free(&out);
}

static void
rows_identify_json_lines(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool is;
	} cases[] = {{HEADER, true}, {" { \"polytrace\" : \"trace\" }", true},
		{"{\"pc\":\"0x1\"}\n{\"pc\":\"0x1\"}\n{\"kind\":\"other\"}\n", true},
		{"{\"row\":1}\n{\"row\":\"2\"}\n{\"row\":3,\"kind\":\"other\"}\n", true},
		{"{\"pc\":\"0x1\"}\n{\"pc\":\"0x1\"}\n", true},
		{"{\"pc\":\"0x1\"}\n{\"pc\":\"0x1\"}\n{}\n", false},
		{"{\"pc\":\"0x1\"}\n{\"name\":\"0x1\"}\n{\"kind\":\"other\"}\n", false},
		{"{\"polytrace\":\"report\"}\n", false}, {"{\n\"pc\":\n1}\n", false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_reader *reader;
		enum poly_status status = poly_reader_open_memory(
			cases[i].text, strlen(cases[i].text), NULL, &reader, NULL);
		assert_int_equal(status, cases[i].is ? POLY_OK : POLY_ERR_FORMAT);
		if (cases[i].is)
			assert_string_equal(poly_reader_format(reader)->name, "jsonl");
		poly_reader_close(reader);
	}
}

#else

static void
reading_names_the_missing_library(void **state)
{
	(void)state;
	struct poly_reader *reader;
	struct poly_error error;
	assert_int_equal(poly_reader_open_memory(HEADER, strlen(HEADER), NULL, &reader, &error),
		POLY_ERR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "libjansson-dev"));
}

#endif

/* One row with values that say where it stood. */
static void
row_origin_and_site_are_written_only_by_name(void **state)
{
	(void)state;
	struct info info;
	struct batch batch;
	struct buf out = {0};
	info_init(&info);
	info.view.format = "made";
	info.view.columns = POLY_COLUMNS(pc, raw, origin);
	assert_int_equal(batch_init(&batch, POLY_ALL_COLUMNS, 1, &info.view, NULL), POLY_OK);
	batch.view.rows = 1;
	batch_put(&batch, pc, 0, 16);
	batch_put(&batch, origin, 0, 64);
	batch_put_bytes(&batch, POLY_COLUMN_raw, 0, "\xab", 1);
	assert_int_equal(batch_finish(&batch, NULL), POLY_OK);
	struct poly_writer *writer = new_writer(&out, &info.view, POLY_ALL_COLUMNS);
	assert_int_equal(poly_writer_write(writer, &batch.view, NULL), POLY_OK);
	finish(writer);
	assert_string_equal(buf_text(&out),
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"made\","
		"\"columns\":[\"pc\",\"raw\"]}\n{\"pc\":\"0x10\",\"raw\":\"ab\"}\n");
	buf_clear(&out);
	writer = new_writer(&out, &info.view, POLY_COLUMNS(pc, origin, time));
	assert_int_equal(poly_writer_write(writer, &batch.view, NULL), POLY_OK);
	finish(writer);
	assert_string_equal(buf_text(&out),
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"made\","
		"\"columns\":[\"pc\",\"origin\"]}\n{\"pc\":\"0x10\",\"origin\":64}\n");
	buf_clear(&out);
	batch.view.first = 10;
	writer = new_writer(&out, &info.view, POLY_COLUMNS(row));
	assert_int_equal(poly_writer_write(writer, &batch.view, NULL), POLY_OK);
	finish(writer);
	assert_string_equal(buf_text(&out),
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"made\","
		"\"columns\":[]}\n{\"row\":11}\n");
	batch_fini(&batch);
	info_fini(&info);
	buf_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef POLY_WITH_JANSSON
		cmocka_unit_test(every_form_has_its_canonical_text),
		cmocka_unit_test(other_spellings_have_the_same_values),
		cmocka_unit_test(lines_that_are_not_canonical_keep_their_bytes),
		cmocka_unit_test(truncation_is_survived_at_every_byte),
		cmocka_unit_test(a_truncated_line_is_a_row_and_a_finding),
		cmocka_unit_test(the_header_is_restored),
		cmocka_unit_test(without_a_header_the_information_is_empty),
		cmocka_unit_test(values_out_of_range_are_rejected),
		cmocka_unit_test(a_key_outside_the_columns_of_the_header_is_rejected),
		cmocka_unit_test(invalid_headers_are_rejected),
		cmocka_unit_test(a_trace_has_255_names_of_records),
		cmocka_unit_test(the_length_of_lines_is_limited),
		cmocka_unit_test(deep_nesting_is_rejected),
		cmocka_unit_test(random_batches_come_back_column_by_column),
		cmocka_unit_test(the_key_row_is_ignored_and_its_line_keeps_its_bytes),
		cmocka_unit_test(rows_identify_json_lines),
#else
		cmocka_unit_test(reading_names_the_missing_library),
#endif
		cmocka_unit_test(row_origin_and_site_are_written_only_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
