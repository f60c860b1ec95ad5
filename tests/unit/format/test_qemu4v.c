/* SPDX-License-Identifier: MIT */
/*
 * QEMU4V traces compared with listings, the examples of QEMU4V Trace Format, and hand-made
 * lines.
 */
#include "trace_help.h"

#include "base/bits.h"

/* Returns the value of a key of a line of a listing, without quotes. */
static const char *
field(const char *line, const char *key, char value[300])
{
	char quoted[40];
	size_t n = 0;
	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	const char *p = strstr(line, quoted);
	assert_non_null(p);
	p += strlen(quoted);
	bool string = *p == '"';
	for (p += string; string ? *p != '"' : *p != ',' && *p != '}'; p++) {
		p += *p == '\\';
		assert_true(n < 299);
		value[n++] = *p;
	}
	value[n] = 0;
	return value;
}

static void
expect_field(const struct poly_batch *batch, size_t row, const char *line, const char *key,
	enum poly_column column)
{
	char got[300], expected[300];
	shown(batch, column, row, got);
	assert_string_equal(got, field(line, key, expected));
}

/* Appends a number in hexadecimal digits, in the width of the record. */
static void
expect_hex(uint64_t value, unsigned digits, const char *line, const char *key)
{
	char got[300], expected[300];
	snprintf(got, sizeof got, "%0*llx", (int)digits, (unsigned long long)value);
	assert_string_equal(got, field(line, key, expected));
}

static void
expect_instruction(const struct poly_batch *batch, size_t row, const char *line)
{
	char text[300];
	assert_int_equal(batch->kind[row], POLY_KIND_INSTRUCTION);
	expect_field(batch, row, line, "cpu", POLY_COLUMN_cpu);
	expect_field(batch, row, line, "taken", POLY_COLUMN_executed);
	expect_field(batch, row, line, "id", POLY_COLUMN_instruction_id);
	expect_hex(batch->pc[row], 8, line, "addr");
	expect_hex(batch->opcode[row], 2u * batch->opcode_size[row], line, "opcode");
	expect_field(batch, row, line, "iset", POLY_COLUMN_instruction_set);
	expect_field(batch, row, line, "mode", POLY_COLUMN_mode);
	expect_field(batch, row, line, "sec", POLY_COLUMN_security);
	field(line, "disasm", text);
	size_t n;
	const uint8_t *got = poly_batch_bytes(batch, POLY_COLUMN_text, row, &n);
	assert_int_equal(n, strlen(text));
	assert_memory_equal(got, text, n);
}

static void
expect_moved(const struct poly_batch *batch, size_t row, const char *line)
{
	char letter[300];
	bool read = batch->access[row] == POLY_ACCESS_READ;
	assert_int_equal(batch->kind[row], POLY_KIND_ACCESS);
	assert_string_equal(read ? "R" : "W", field(line, "rw", letter));
	expect_field(batch, row, line, "size", POLY_COLUMN_size);
	expect_field(batch, row, line, "attrib", POLY_COLUMN_access_attributes);
	expect_hex(batch->address[row], 8, line, "addr");
	if (poly_present(batch, POLY_COLUMN_value, row))
		expect_hex(batch->value[row], 2 * batch->size[row], line, "data");
	else
		expect_field(batch, row, line, "data", POLY_COLUMN_payload);
}

static void
expect_register(const struct poly_batch *batch, size_t row, const char *line)
{
	assert_int_equal(batch->kind[row], POLY_KIND_REGISTER);
	expect_field(batch, row, line, "reg", POLY_COLUMN_reg);
	if (poly_present(batch, POLY_COLUMN_value, row))
		expect_hex(batch->value[row], 2 * batch->size[row], line, "value");
	else
		expect_field(batch, row, line, "value", POLY_COLUMN_payload);
}

static void
expect_row(const struct poly_batch *batch, size_t row, const char *line)
{
	char kind[300], number[300], expected[300];
	snprintf(number, sizeof number, "%llu", (unsigned long long)(batch->first + row + 1));
	assert_string_equal(number, field(line, "line", expected));
	assert_string_equal(poly_trace_fact(batch->info, "qemu4v.address"), "8");
	assert_string_equal(batch->info->clock, field(line, "scale", expected));
	expect_field(batch, row, line, "time", POLY_COLUMN_time);
	field(line, "kind", kind);
	if (strcmp(kind, "insn") == 0)
		expect_instruction(batch, row, line);
	else if (strcmp(kind, "mem") == 0)
		expect_moved(batch, row, line);
	else
		expect_register(batch, row, line);
	assert_false(poly_present(batch, POLY_COLUMN_raw, row));
}

/* Compares every field of every record with the listing; no row stores raw bytes. */
static void
expect_listing(const char *directory, const char *name, uint64_t records)
{
	char path[600], line[1000];
	struct buf bytes = {0};
	const struct poly_batch *batch;
	uint64_t rows = 0;
	snprintf(path, sizeof path, "%s/%s.q4v", directory, name);
	if (!load_path(path, &bytes))
		skip();
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	snprintf(path, sizeof path, "gzip -dc '%s/%s.jsonl.gz'", directory, name);
	FILE *listing = popen(path, "r");
	assert_non_null(listing);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			assert_non_null(fgets(line, sizeof line, listing));
			expect_row(batch, row, line);
		}
		rows += batch->rows;
	}
	assert_null(fgets(line, sizeof line, listing));
	assert_int_equal(rows, records);
	assert_int_equal(pclose(listing), 0);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
expect_shared_listing(const char *name, uint64_t records)
{
	char path[500];
	const char *where = getenv("POLYTRACE_SHARED"), *root = getenv("POLYTRACE_ROOT");
	if (where)
		snprintf(path, sizeof path, "%s/data/made/qemu4v", where);
	else
		snprintf(path, sizeof path, "%s/../shared/data/made/qemu4v", root);
	expect_listing(path, name, records);
}

static void
an_arm_program_reads_as_its_listing(void **state)
{
	(void)state;
	char path[500];
	snprintf(path, sizeof path, "%s/tests/data/qemu4v", getenv("POLYTRACE_ROOT"));
	struct buf bytes = load_sample("qemu4v/arm_start_2k.q4v");
	buf_free(&bytes);
	expect_listing(path, "arm_start_2k", 2000);
}

static void
all_modes_of_arm_read_as_their_listing(void **state)
{
	(void)state;
	expect_shared_listing("arm_modes", 2731);
}

static void
a_mips_program_reads_as_its_listing(void **state)
{
	(void)state;
	expect_shared_listing("mips_2k", 2000);
}

static void
expect_shown(const char *text, const char *option, const char *columns, const char *expected)
{
	expect_shown_of("qemu4v", text, option, columns, expected);
}

static void
the_examples_of_the_specification_are_read(void **state)
{
	(void)state;
	struct buf bytes = load_sample("qemu4v/seed3.q4v");
	struct buf rows = show_rows(open_bytes(&bytes, "qemu4v", NULL, false),
		"record time cpu executed instruction_id pc opcode opcode_size instruction_set "
		"mode "
		"security text access address size value reg raw");
	assert_string_equal(buf_text(&rows),
		"instruction 1 0 true 1 0x4 0x3c080001 4 A svc null lui t0,0x1 null null null "
		"null null null\n"
		"memory 10 null null null null null null null null null null read 0x103fc4 8 "
		"0x10400000000000 null null\n"
		"register 14 null null null null null null null null null null null null 4 0x0 "
		"r8 null\n");
	buf_free(&rows);
	buf_free(&bytes);
}

static void
every_kind_of_line_is_recognised(void **state)
{
	(void)state;
	struct buf bytes = load_sample("qemu4v/qemu4v-seed.txt");
	struct buf rows = show_rows(open_bytes(&bytes, "qemu4v", NULL, false), "record");
	static const char *const names[] = {
		"instruction", "memory", "register", "flow", "event", "bus", "other"};
	static const unsigned counts[] = {8, 5, 5, 1, 1, 1, 0};
	for (size_t i = 0; i < 7; i++) {
		unsigned count = 0;
		const char *p = buf_text(&rows);
		for (; *p; p = strchr(p, '\n') + 1)
			count += strncmp(p, names[i], strlen(names[i])) == 0;
		assert_int_equal(count, counts[i]);
	}
	buf_free(&rows);
	buf_free(&bytes);
}

static void
tolerated_forms_have_their_fields(void **state)
{
	(void)state;
	expect_shown("12 ns IS (12) 0x8000:00000000c000_NS E1A0 T16 EL3h_s :mov\r\n"
		     "12 ns 3 IT (00350:1f) 350 490d T svc : LDR\n"
		     "12 ns 3 IT (00000350) 490d T svc : a : b\n",
		NULL, "cpu executed instruction_id pc real_pc opcode mode security text",
		"null false 12 0x8000 0xc000 0xe1a0 EL3h s mov\n"
		"3 true 31 0x350 null 0x490d svc null LDR\n"
		"3 true null 0x350 null 0x490d svc null a : b\n");
	expect_shown("1 clk MR16 1000 0011223344556677 8899aabbccddeeff\n"
		     "1 clk MW4X 1000 0000_002A\n1 clk MR4 X 1000 xxxxxxxx\n"
		     "1 clk MR4 1000 (ABORTED)\n",
		NULL, "access size access_attributes value payload",
		"read 16 null null 00112233445566778899aabbccddeeff\nwrite 4 X 0x2a null\n"
		"read 4 X null null\nread 4 null null null\n");
	expect_shown("1 clk R r8 (usr) 0x1800\n1 clk cpu3 R msp 20000000 (MSP)\n"
		     "1 clk R V0<127:64> 00112233445566778899aabbccddeeff\n"
		     "1 clk R DC 1000\n",
		NULL, "record cpu reg size value payload",
		"register null r8 (usr) 2 0x1800 null\nregister 3 msp 4 0x20000000 null\n"
		"register null V0<127:64> 16 null 00112233445566778899aabbccddeeff\n"
		"operation null null null null null\n");
}

static void
opcodes_may_have_any_even_length(void **state)
{
	(void)state;
	expect_shown("1 clk 0 IT (1) 00001000 90 A svc : nop\n"
		     "2 clk 0 IT (2) 00001001 48b80102030405060708 A svc : movabs\n"
		     "3 clk 0 IT (3) 0000100b 123 A svc : odd\n",
		NULL, "opcode opcode_size payload raw",
		"0x90 1 null null\nnull 10 48b80102030405060708 null\n0x123 null null "
		"3320636c6b20302049542028332920303030303130306220313233204120737663203a206f6464"
		"0a"
		"\n");
}

static void
a_truncated_value_is_absent(void **state)
{
	(void)state;
	expect_shown("1 clk R r8 00000", NULL, "record reg value", "register r8 null\n");
	expect_shown("1 clk MR4 00001000 0000", NULL, "record size value", "memory 4 null\n");
	expect_shown("1 clk MR4 00001000 00000001", NULL, "record value", "memory 0x1\n");
	expect_shown("1 clk 0 IT (1) 00001000 e1a0", NULL, "record pc", "corrupt null\n");
}

static void
records_belong_to_the_instruction_of_their_time(void **state)
{
	(void)state;
	const char *text = "1 clk 2 IT (1) 00001000 90 A svc : nop\n1 clk R r0 00\n"
			   "2 clk R r0 00\n";
	expect_shown(text, NULL, "cpu", "2\n2\nnull\n");
	expect_shown(text, "tarmac.owner=none", "cpu", "2\nnull\nnull\n");
}

/* Reads with batches of some rows; returns the processors of all records in order. */
static void
expect_cpus(const char *text, size_t batch_rows, const char *expected)
{
	struct poly_reader *reader;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const struct poly_batch *batch;
	struct buf cpus = {0};
	char value[300];
	options.format = "qemu4v";
	options.batch_rows = batch_rows;
	options.columns = POLY_COLUMNS(cpu);
	assert_int_equal(
		poly_reader_open_memory(text, strlen(text), &options, &reader, NULL), POLY_OK);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			buf_printf(&cpus, "%s ", shown(batch, POLY_COLUMN_cpu, row, value));
	}
	assert_string_equal(buf_text(&cpus), expected);
	poly_reader_close(reader);
	buf_free(&cpus);
}

static void
records_before_their_instruction_belong_to_it(void **state)
{
	(void)state;
	static const char text[] = "1 clk 4 IT (1) 00001000 90 A svc : nop\n1 clk R r0 00\n"
				   "2 clk R r0 00\n2 clk MR1 00001000 00\nIN: main\n"
				   "2 clk 7 IT (1) 00001000 90 A svc : nop\n2 clk R r0 00\n"
				   "3 clk R r0 00\n4 clk 2 IT (1) 00001000 90 A svc : nop\n"
				   "5 clk R r0 00\n5 clk 6 IT (1) 00001000 90 A svc : no";
	static const char cpus[] = "4 4 7 7 null 7 7 null 2 null 6 ";
	for (size_t rows = 1; rows < 12; rows++)
		expect_cpus(text, rows, cpus);
}

static void
indented_and_named_records_change_no_owner_wherever_batches_end(void **state)
{
	(void)state;
	static const char text[] = "10 clk cpu0 IT (1) 00008000 e3a00000 A svc_s : nop\n"
				   "11 clk MR4 00001000 00000007\n    R r1 00000001\n"
				   "11 clk cpu1 IT (2) 00008004 e5901000 A svc_s : nop\n"
				   "12 clk cluster0.cpu1 MR4 00001000 00000007\n"
				   "12 clk cpu1 IT (3) 00008008 e5902000 A svc_s : nop\n";
	for (size_t rows = 1; rows < 8; rows++)
		expect_cpus(text, rows, "0 1 1 1 2 1 ");
}

static void
a_name_beyond_the_limit_has_no_number(void **state)
{
	(void)state;
	struct buf text = {0}, cpus = {0};
	for (unsigned i = 0; i < 300; i++) {
		buf_printf(
			&text, "%u clk cpu7 IT (%u) 00008000 e3a00000 A svc_s : nop\n", i, i);
		buf_string(&cpus, "7 ");
	}
	buf_string(&text, "500 clk cpu7 IT (300) 00008000 e3a00000 A svc_s : nop\n"
			  "500 clk cluster0.cpu1 MR4 00001000 00000000\n");
	buf_string(&cpus, "7 null ");
	expect_cpus(buf_text(&text), 4096, buf_text(&cpus));
	buf_free(&text);
	buf_free(&cpus);
}

static void
an_instruction_far_after_a_record_does_not_own_it(void **state)
{
	(void)state;
	struct buf text = {0}, cpus = {0};
	for (unsigned i = 0; i < 3000; i++) {
		buf_string(&text, "2 clk R r0 00\n");
		/* The instruction begins at 42000. */
		buf_string(&cpus, 42000 - 14 * i <= 32768 ? "1 " : "null ");
	}
	buf_string(&text, "2 clk 1 IT (1) 00001000 90 A svc : nop\n");
	buf_string(&cpus, "1 ");
	expect_cpus(buf_text(&text), 1, buf_text(&cpus));
	expect_cpus(buf_text(&text), 4096, buf_text(&cpus));
	buf_free(&text);
	buf_free(&cpus);
}

static void
expect_written(const char *text, const char *read, const char *write, const char *expected)
{
	struct buf bytes = bytes_of(text);
	struct buf out =
		convert(open_bytes(&bytes, "qemu4v", read, false), "qemu4v", write, NULL);
	assert_string_equal(buf_text(&out), expected);
	buf_free(&out);
	buf_free(&bytes);
}

static void
data_are_byte_swapped_on_request(void **state)
{
	(void)state;
	static const char text[] = "1 clk MR4 00001000 00112233\n"
				   "1 clk MR10 00001000 00112233445566778899\n"
				   "1 clk  MR2 00001000 0011\n";
	static const char turned[] = "1 clk MR4 00001000 33221100\n"
				     "1 clk MR10 00001000 99887766554433221100\n"
				     "1 clk MR2 00001000 1100\n";
	expect_shown(text, "tarmac.data=memory", "value payload",
		"0x33221100 null\nnull 99887766554433221100\n0x1100 null\n");
	expect_written(text, "tarmac.data=memory", NULL, text);
	expect_written(text, NULL, "tarmac.data=memory", turned);
	expect_written(text, "tarmac.data=memory", "tarmac.data=value", turned);
}

static void
attributes_of_any_kind_are_reproduced(void **state)
{
	static const char text[] = "1 clk 0 IT (1) 00001000 e3a00000 A svc_s : nop\n"
				   "1 clk MR4I 00001000 e3a00000\n"
				   "1 clk MW4I 00001000 e3a00000\n"
				   "1 clk MR4Z 00001000 e3a00000\n"
				   "1 clk MR4X 00001000 e3a00000\n"
				   "1 clk MR4 00001000 e3a00000\n";
	(void)state;
	expect_written(text, NULL, NULL, text);
}

static void
rows_of_other_traces_become_the_strict_form(void **state)
{
	(void)state;
	struct buf bytes = {0}, notes = {0};
	buf_string(&bytes,
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"jsonl\"}\n"
		"{\"kind\":\"instruction\",\"pc\":\"0x1000\",\"opcode\":\"0x4e800020\"}\n"
		"{\"kind\":\"access\",\"access\":\"write\",\"address\":\"0x2000\",\"size\":2,"
		"\"value\":\"0xab\"}\n"
		"{\"kind\":\"access\",\"access\":\"read\",\"address\":\"0x2000\",\"size\":2}\n"
		"{\"kind\":\"event\"}\n"
		"{\"kind\":\"instruction\",\"time\":7,\"pc\":\"0x100000000\",\"opcode\":"
		"\"0x46c0\","
		"\"opcode_size\":2,\"executed\":false,\"mode\":\"svc\",\"security\":\"ns\","
		"\"instruction_set\":\"T\",\"text\":\"nop\"}\n");
	struct buf out =
		convert(open_bytes(&bytes, "jsonl", NULL, false), "qemu4v", NULL, &notes);
	assert_string_equal(buf_text(&out),
		"1 clk 0 IT (1) 00001000 4e800020 A : \n"
		"1 clk MW2 00002000 00ab\n"
		"7 clk 0 IS (2) 0000000100000000 46c0 T svc_ns : nop\n");
	assert_string_equal(buf_text(&notes),
		"1 accesses that no line can hold were dropped\n"
		"1 records that are not instructions, accesses or registers were dropped\n");
	buf_free(&out);
	buf_free(&notes);
	buf_free(&bytes);
}

static void
expect_findings(const char *text, const char *expected)
{
	struct buf bytes = bytes_of(text);
	struct buf codes = find_all(open_bytes(&bytes, "qemu4v", NULL, true));
	assert_string_equal(buf_text(&codes), expected);
	buf_free(&codes);
	buf_free(&bytes);
}

/* A line that is not a record is reported by the word that should begin one. */
static void
a_line_that_is_not_a_record_is_quoted(void **state)
{
	(void)state;
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"1 clk 0 IX (1) 00001000 e1a00000 A svc_s : nop\n",
			"line 1: '1 clk 0 IX (1) 00001000 e1a00000 A svc_s : nop' is not a "
			"record"},
		{"2 clk MR4 zz 00\n", "line 1: '2 clk MR4 zz 00' is not a record"},
		{"IN: \x1b[31mmain\n", "line 1: 'IN: \\x1b[31mmain' is not a record"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = bytes_of(cases[i].line);
		struct poly_reader *reader = open_bytes(&bytes, "qemu4v", NULL, true);
		const struct poly_batch *batch;
		struct poly_finding finding;
		size_t at = 0;
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
			;
		while (poly_reader_finding_at(reader, at, &finding) &&
			strcmp(finding.rule->code, "TXT1") != 0)
			at++;
		assert_true(poly_reader_finding_at(reader, at, &finding));
		assert_string_equal(finding.message, cases[i].message);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

/* The mode and security after an unknown instruction set are not part of the text. */
static void
an_unknown_instruction_set_leaves_the_mode(void **state)
{
	(void)state;
	static const char line[] = "1 clk 0 IT (1) 00001000 e1a00000 TODO svc_s : nop\n";
	struct buf bytes = bytes_of(line);
	struct buf rows = list_rows(open_bytes(&bytes, "qemu4v", NULL, false),
		"instruction_set mode security text", NULL);
	assert_string_equal(buf_text(&rows), "TODO svc s nop\n");
	buf_free(&rows);
	buf_free(&bytes);
	expect_written(line, NULL, NULL, line);
}

static void
every_rule_reports_its_smallest_violation(void **state)
{
	(void)state;
#define GOOD "1 clk 0 IT (1) 00001000 e1a00000 A svc_s : nop\n"
	expect_findings(GOOD, "");
	expect_findings(GOOD "IN: main\n", "TXT1:2 ");
	expect_findings("2 clk R r0 00\n1 clk R r0 00\n", "Q02:2 ");
	expect_findings("1 clk R r0 00\n1 ns R r0 00\n", "TXT2:2 Q03:2 ");
	expect_findings("1 parsec R r0 00\n", "Q03:0 ");
	expect_findings("1 clk MR4 00001000 0000\n", "Q04:1 ");
	expect_findings("1 clk MW0 00001000 00\n", "Q05:1 Q04:1 ");
	expect_findings("1 clk 0 IT (1) 00001000 e1a000 A svc_s : nop\n", "Q06:1 ");
	expect_findings("1 clk 0 IT (1) 00001000 e1a00000 A EL1h_s : nop\n", "Q07:1 ");
	expect_findings("1 clk 0 IT (1) 00001000 e1a00000 A svc_rt : nop\n", "Q08:1 ");
	expect_findings("1 clk 0 IT (1) 00001000 e1a00000 A svc : nop\n", "Q09:1 ");
	expect_findings(GOOD "2 clk 1 IT (1) 00001000 e1a00000 A svc_s : nop\n3 clk R r0 00\n",
		"Q10:3 ");
	expect_findings("1 clk R r0 00", "Q11:1 ");
	expect_findings(GOOD "2 clk 0 IT (2) 00001000 e1a00001 A svc_s : nop\n", "Q12:2 ");
	expect_findings(GOOD "2 clk 0 IT (3) 00001004 e1a00000 A svc_s : nop\n", "Q13:2 ");
	expect_findings("1 clk 0 IT (1) 00001000 e1a00000 J svc_s : nop\n", "Q20:1 ");
	expect_findings("1 clk 0 IT (1) 00001000 e1a00000 T16 svc_s : nop\n", "Q20:1 ");
	expect_findings("18446744073709551616 clk R r0 00\n", "TXT2:1 Q21:1 ");
	expect_findings("9999999999999999999 clk R r0 00\n", "");
	expect_findings("1 clk R r0 00\n2 clk R r0 0000\n", "Q14:2 ");
	expect_findings("1 clk R r0 0x\n2 clk R r0 x0\n", "Q15:1 Q15:2 ");
	expect_findings("6 clk FD (6) 80000004 80000010 A\n", "Q17:1 ");
	expect_findings(GOOD "1 clk MR1 0000000000002000 00\n", "Q18:2 ");
}

static void
other_text_is_not_detected(void **state)
{
	(void)state;
	static const char *const texts[] = {"one\ntwo\nthree\nfour\n",
		"1 2 3\n4 5 6\n7 8 9\n10 11 12\n", "1 clk R r0 00\n2 clk R r0 01\nthree\n",
		"1 foo R r0 00\n2 foo R r0 01\n3 foo R r0 02\n"};
	for (size_t i = 0; i < 4; i++) {
		struct poly_reader *reader;
		struct poly_error error;
		assert_int_equal(poly_reader_open_memory(
					 texts[i], strlen(texts[i]), NULL, &reader, &error),
			POLY_ERR_FORMAT);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_arm_program_reads_as_its_listing),
		cmocka_unit_test(all_modes_of_arm_read_as_their_listing),
		cmocka_unit_test(a_mips_program_reads_as_its_listing),
		cmocka_unit_test(the_examples_of_the_specification_are_read),
		cmocka_unit_test(every_kind_of_line_is_recognised),
		cmocka_unit_test(tolerated_forms_have_their_fields),
		cmocka_unit_test(opcodes_may_have_any_even_length),
		cmocka_unit_test(a_truncated_value_is_absent),
		cmocka_unit_test(records_belong_to_the_instruction_of_their_time),
		cmocka_unit_test(records_before_their_instruction_belong_to_it),
		cmocka_unit_test(
			indented_and_named_records_change_no_owner_wherever_batches_end),
		cmocka_unit_test(a_name_beyond_the_limit_has_no_number),
		cmocka_unit_test(an_instruction_far_after_a_record_does_not_own_it),
		cmocka_unit_test(data_are_byte_swapped_on_request),
		cmocka_unit_test(attributes_of_any_kind_are_reproduced),
		cmocka_unit_test(rows_of_other_traces_become_the_strict_form),
		cmocka_unit_test(a_line_that_is_not_a_record_is_quoted),
		cmocka_unit_test(an_unknown_instruction_set_leaves_the_mode),
		cmocka_unit_test(every_rule_reports_its_smallest_violation),
		cmocka_unit_test(other_text_is_not_detected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
