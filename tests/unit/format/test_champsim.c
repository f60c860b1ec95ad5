/* SPDX-License-Identifier: MIT */
/*
 * ChampSim's records, typed by hand from the layouts of its source (inc/trace_instruction.h,
 * inc/instruction.h), and published traces by their numbers.
 */
#include "trace_help.h"

#include "base/bits.h"

/* A record of 64 bytes, without memory operands. */
static void
add_record(struct buf *to, uint64_t ip, const char *statics)
{
	uint8_t bytes[64] = {0};
	store_le64(bytes, ip);
	memcpy(bytes + 8, statics, 8);
	buf_append(to, bytes, sizeof bytes);
}

static void
a_record_is_an_instruction_and_its_operands(void **state)
{
	(void)state;
	static const uint8_t record[128] =
		"\x06\x10\x40\0\0\0\0\0"			   /* ip */
		"\1\1\x1a\x06\x06\x1a\x0b\0"			   /* flags, registers */
		"\xe8\x0f\0\0\xfe\x7f\0\0\xf0\x0f\0\0\xfe\x7f\0\0" /* stores */
		"\0\x40\x40\0\0\0\0\0\1\0\0\0\0\0\0\x80"	   /* loads */
		"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		"\x12\x20\x40\0\0\0\0\0";
	struct buf bytes = {0};
	buf_append(&bytes, record, sizeof record);
	struct buf rows = list_rows(open_bytes(&bytes, "champsim", NULL, false),
		"kind record pc branch target access address src1 src2 dest payload origin",
		NULL);
	assert_string_equal(buf_text(&rows),
		"instruction indirect_call 0x401006 taken 0x402012 - - 6 "
		"26 26 "
		"01011a06061a0b00 0\n"
		"access load 0x401006 - - read 0x404000 - - - - 0\n"
		"access load 0x401006 - - read 0x8000000000000001 - - - - 0\n"
		"access store 0x401006 - - write 0x7ffe00000fe8 - - - - 0\n"
		"access store 0x401006 - - write 0x7ffe00000ff0 - - - - 0\n"
		"instruction instruction 0x402012 - - - - - - - 0000000000000000 "
		"64\n");
	buf_free(&rows);
	buf_free(&bytes);
}

/* A rule of the table of kinds: registers that are and that are not in the sets. */
struct kind_rule {
	const char *kind, *has, *lacks;
};

/* Registers as letters: W writes the ip, S the stack pointer; i, s, f and o read the ip, the
 * stack pointer, the flags, and others. */
static const struct kind_rule kind_rules[] = {
	{"instruction", "", "W"},
	{"direct_jump", "W", "sfo"},
	{"indirect_jump", "Wo", "sfi"},
	{"conditional_jump", "Wif", "sS"},
	{"conditional_jump", "Wio", "sS"},
	{"direct_call", "WSsi", "fo"},
	{"indirect_call", "WSsio", "f"},
	{"return", "WSs", "i"},
	{"other_branch", "W", ""},
};

/* Returns the kind of the first rule that fits; bits: of the letters below. */
static const char *
kind_of(unsigned bits)
{
	static const char letters[] = "WSisfo";
	for (size_t i = 0; i < sizeof kind_rules / sizeof *kind_rules; i++) {
		bool fits = true;
		for (size_t bit = 0; bit < 6; bit++) {
			const bool has = bits >> bit & 1;
			fits &= has || !strchr(kind_rules[i].has, letters[bit]);
			fits &= !has || !strchr(kind_rules[i].lacks, letters[bit]);
		}
		if (fits)
			return kind_rules[i].kind;
	}
	return NULL;
}

static void
the_kind_of_a_branch_follows_from_the_registers(void **state)
{
	(void)state;
	static const uint8_t registers[6] = {26, 6, 26, 6, 25, 77};
	struct buf bytes = {0}, expected = {0};
	for (unsigned bits = 0; bits < 64; bits++) {
		char statics[8] = {0};
		size_t dests = 0, sources = 0;
		for (size_t bit = 0; bit < 6; bit++) {
			if (bits >> bit & 1)
				statics[bit < 2 ? 2 + dests++ : 4 + sources++] =
					(char)registers[bit];
		}
		add_record(&bytes, 0x1000 + bits, statics);
		const char *kind = kind_of(bits);
		const bool is_free = strcmp(kind, "instruction") == 0;
		const bool is_taken = !is_free && strcmp(kind, "conditional_jump") != 0 &&
				      strcmp(kind, "other_branch") != 0;
		buf_printf(&expected, "%s %s\n", kind,
			is_free	   ? "-"
			: is_taken ? "taken"
				   : "not_taken");
	}
	struct buf rows = list_rows(open_bytes(&bytes, "champsim", "champsim.record=64", false),
		"record branch", NULL);
	assert_string_equal(buf_text(&rows), buf_text(&expected));
	buf_free(&rows);
	buf_free(&expected);
	buf_free(&bytes);
}

static void
the_flag_decides_on_request(void **state)
{
	(void)state;
	struct buf bytes = {0};
	add_record(&bytes, 0x10, "\0\0\x1a\0\x1a\0\0");
	add_record(&bytes, 0x20, "\1\0\x1a\0\x1a\0\0");
	add_record(&bytes, 0x30, "\1\1\0\0\0\0\0");
	struct buf rows = list_rows(
		open_bytes(&bytes, "champsim", NULL, false), "record branch target", NULL);
	assert_string_equal(buf_text(&rows), "direct_jump taken 0x20\ndirect_jump taken 0x30\n"
					     "other_branch taken -\n");
	buf_free(&rows);
	rows = list_rows(open_bytes(&bytes, "champsim", "champsim.branches=flag", false),
		"record branch target", NULL);
	assert_string_equal(buf_text(&rows),
		"instruction - -\ndirect_jump not_taken -\nother_branch taken -\n");
	buf_free(&rows);
	buf_free(&bytes);
}

/* Three records of another layout: a jump with three registers and an address each way, and two
 * instructions; the kinds and columns are those of 64 bytes. */
static struct buf
other_layout(size_t size, const size_t at[6])
{
	struct buf bytes = {0};
	for (size_t i = 0; i < 3; i++) {
		uint8_t record[96] = {0};
		store_le64(record, 0x401000 + 4 * i);
		record[at[0]] = i == 0; /* is_branch */
		record[at[1]] = i == 0; /* is_taken */
		record[at[2]] = i ? 1 : 26;
		record[at[3]] = i ? 2 : 26;
		record[at[3] + 1] = i ? 0 : 3;
		store_le64(record + at[4], 0x7000 + i);
		store_le64(record + at[5], 0x8000 + i);
		buf_append(&bytes, record, size);
	}
	return bytes;
}

static void
expect_layout(const char *option, const char *fact, size_t size, const size_t at[6])
{
	struct buf bytes = other_layout(size, at);
	for (unsigned detected = 0; detected < 2; detected++) {
		struct poly_reader *reader = open_bytes(
			&bytes, detected ? NULL : "champsim", detected ? NULL : option, false);
		assert_string_equal(
			poly_trace_fact(poly_reader_info(reader), "champsim.record"), fact);
		struct buf rows =
			list_rows(reader, "record branch pc address src1 src2 dest", NULL);
		assert_string_equal(buf_text(&rows),
			"conditional_jump taken 0x401000 - 26 3 26\n"
			"load - 0x401000 0x8000 - - -\n"
			"store - 0x401000 0x7000 - - -\n"
			"instruction - 0x401004 - 2 - 1\n"
			"load - 0x401004 0x8001 - - -\n"
			"store - 0x401004 0x7001 - - -\n"
			"instruction - 0x401008 - 2 - 1\n"
			"load - 0x401008 0x8002 - - -\n"
			"store - 0x401008 0x7002 - - -\n");
		buf_free(&rows);
	}
	/* They are written as they are, or as records of 64 bytes. */
	static const size_t normal[6] = {8, 9, 10, 12, 16, 32};
	struct buf expected = other_layout(64, normal);
	struct buf out =
		convert(open_bytes(&bytes, "champsim", option, false), "champsim", NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	out = convert(open_bytes(&bytes, "champsim", option, false), "champsim",
		"champsim.record=64", NULL);
	expect_same(&out, &expected);
	buf_free(&out);
	buf_free(&expected);
	buf_free(&bytes);
}

static void
other_layouts_are_read_and_written(void **state)
{
	(void)state;
	static const size_t normal[6] = {8, 9, 10, 12, 16, 32},
			    course[6] = {9, 8, 13, 15, 24, 40},
			    cloudsuite[6] = {8, 9, 10, 14, 24, 56};
	expect_layout("champsim.record=64", "64", 64, normal);
	expect_layout("champsim.record=72", "72", 72, course);
	expect_layout("champsim.record=load-type", "load-type", 72, normal);
	expect_layout("champsim.record=cloudsuite", "cloudsuite", 96, cloudsuite);
}

static void
the_address_space_of_cloudsuite_is_a_process(void **state)
{
	(void)state;
	static const size_t at[6] = {8, 9, 10, 14, 24, 56};
	struct buf bytes = other_layout(96, at);
	bytes.data[88] = 0x34;
	bytes.data[89] = 0x12;
	struct buf rows =
		list_rows(open_bytes(&bytes, "champsim", "champsim.record=cloudsuite", false),
			"process", NULL);
	assert_memory_equal(buf_text(&rows), "4660\n4660\n4660\n0\n", 17);
	buf_free(&rows);
	buf_free(&bytes);
}

/* Opens bytes that are refused, and compares the message. */
static void
expect_refused(
	const struct buf *bytes, const char *format, const char *name, const char *message)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	options.format = format;
	options.name = name;
	const enum poly_status status =
		poly_reader_open_memory(bytes->data, bytes->size, &options, &reader, &error);
	assert_true(status < 0);
	if (!strstr(error.message, message))
		fail_msg("%s", error.message);
	poly_reader_close(reader);
}

static void
records_of_152_bytes_are_refused(void **state)
{
	(void)state;
	struct buf bytes = {0};
	for (size_t i = 0; i < 9; i++) {
		uint8_t record[152] = {0};
		store_le64(record, 0x401000 + 3 * i);
		record[96] = 25;
		record[98] = 1;
		store_le64(record + 120, 0x7000 + 8 * i);
		buf_append(&bytes, record, sizeof record);
	}
	expect_refused(&bytes, NULL, NULL, "operands of graphs are not read (found 152 bytes");
	expect_refused(&bytes, "champsim", NULL, "operands of graphs are not read");
	buf_free(&bytes);
}

static void
text_is_refused(void **state)
{
	(void)state;
	struct buf bytes = {0};
	for (unsigned i = 0; i < 9; i++)
		buf_printf(&bytes, "instruction_count = 45226873 graph_count = %u\n", i);
	expect_refused(&bytes, "champsim", NULL,
		"not a ChampSim trace (found text 'instruction_count = 45226873 graph_count'");
	expect_refused(&bytes, NULL, "a.champsim.trace",
		"found text, expected format 'champsim' by the file extension");
	buf_free(&bytes);
}

static void
every_rule_has_its_smallest_violation(void **state)
{
	(void)state;
	static const struct {
		const char *statics, *codes;
		uint64_t ip;
	} cases[] = {
		{"\0\0\1\2\3\4\5\6", "", 0x1004},
		{"\0\0\0\0\0\0\0", "CHS2:2 CHS9:2 ", 0},
		{"\2\0\x1a\0\x1a\x19\0", "CHS3:2 ", 0x1004},
		{"\0\1\0\0\0\0\0", "CHS4:2 ", 0x1004},
		{"\0\0\0\1\0\0\0", "CHS5:2 ", 0x1004},
		{"\0\0\1\1\0\0\0", "CHS6:2 ", 0x1004},
		{"\0\0\0\0\7\0\7", "CHS5:2 CHS6:2 ", 0x1004},
		{"\1\0\0\0\0\0\0", "CHS7:2 ", 0x1004},
		{"\1\0\x1a\0\x1a\0\0", "CHS8:2 ", 0x1004},
		{"\0\0\0\0\0\0\0", "CHS9:2 ", 0x1014},
		{"\0\0\0\0\0\0\0", "", 0x1004},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = {0};
		add_record(&bytes, 0x1000, "\0\0\0\0\0\0\0");
		add_record(&bytes, cases[i].ip, cases[i].statics);
		struct buf codes =
			find_all(open_bytes(&bytes, "champsim", "champsim.record=64", true));
		assert_string_equal(buf_text(&codes), cases[i].codes);
		buf_free(&codes);
		buf_free(&bytes);
	}
	static const size_t at[6] = {9, 8, 13, 15, 24, 40};
	struct buf bytes = other_layout(72, at);
	bytes.data[20] = 1;
	buf_byte(&bytes, 1);
	struct buf codes = find_all(open_bytes(&bytes, "champsim", "champsim.record=72", true));
	assert_string_equal(buf_text(&codes), "CHS10:1 CHS1:10 ");
	buf_free(&codes);
	buf_free(&bytes);
}

#define INSTRUCTION(pc, opcode, size)                                      \
	"{\"kind\":\"instruction\",\"pc\":\"" pc "\",\"opcode\":\"" opcode \
	"\",\"opcode_size\":" size "}\n"
#define ACCESS(type, address)                                                                  \
	"{\"kind\":\"access\",\"access\":\"" type "\",\"address\":\"" address "\",\"size\":8}" \
	"\n"

/* The registers are those of the encodings in Intel's manual: x86-64 numbers plus 1, and one
 * more from 6, two more from 25 on. */
static void
branches_of_x86_have_the_registers_of_their_kinds(void **state)
{
	(void)state;
	struct buf out = convert_x86("champsim",
		/* add rax, rbx; je +2; jmp +0; jmp rax; call +0; call [rax]; ret; nop */
		INSTRUCTION("0x1000", "0x4801d8", "3") INSTRUCTION("0x1003", "0x7402", "2")
			INSTRUCTION("0x1007", "0xeb00", "2") INSTRUCTION("0x1009", "0xffe0",
				"2") INSTRUCTION("0x2000", "0xe800000000", "5") ACCESS("write",
				"0x7ff8") INSTRUCTION("0x2005", "0xff10", "2")
				ACCESS("read", "0x9000") ACCESS("write", "0x7ff0") INSTRUCTION(
					"0x3000", "0xc3", "1") ACCESS("read", "0x7ff0")
					INSTRUCTION("0x2007", "0x90", "1"),
		NULL);
	static const char expected[8][9] = {"\0\0\1\x19\1\4\0", "\1\1\x1a\0\x1a\x19\0",
		"\1\1\x1a\0\x1a\0\0", "\1\1\x1a\0\1\0\0", "\1\1\x1a\6\x1a\6\0",
		"\1\1\x1a\6\x1a\6\1", "\1\1\x1a\6\6\0\0", "\0\0\0\0\0\0\0"};
	assert_int_equal(out.size, 8 * 64);
	for (size_t i = 0; i < 8; i++)
		assert_memory_equal(out.data + 64 * i + 8, expected[i], 8);
	assert_int_equal(load_le64(out.data + 64 * 5 + 16), 0x7ff0);
	assert_int_equal(load_le64(out.data + 64 * 5 + 32), 0x9000);
	assert_int_equal(load_le64(out.data + 64 * 6 + 32), 0x7ff0);
	struct buf rows = list_rows(open_bytes(&out, "champsim", NULL, false), "record", NULL);
	assert_string_equal(buf_text(&rows),
		"instruction\nconditional_jump\ndirect_jump\nindirect_jump\ndirect_"
		"call\nstore\n"
		"indirect_call\nload\nstore\nreturn\nload\ninstruction\n");
	buf_free(&rows);
	buf_free(&out);
}

static void
operands_that_do_not_fit_are_counted(void **state)
{
	(void)state;
	struct buf notes = {0};
	struct buf out = convert_x86("champsim",
		/* mul rbx writes rax, rdx and the flags */
		INSTRUCTION("0x1000", "0x48f7e3", "3") ACCESS("read", "0x10") ACCESS("read",
			"0x20") ACCESS("read", "0x10") ACCESS("read", "0x30") ACCESS("read",
			"0x40") ACCESS("read", "0x50") ACCESS("write", "0x60")
			ACCESS("write", "0") ACCESS("write", "0x70") ACCESS("write", "0x80")
				ACCESS("prefetch", "0x90") ACCESS("fetch", "0x1000"),
		&notes);
	assert_string_equal(buf_text(&notes),
		"1 repeated accesses of an instruction to one address were dropped\n"
		"2 accesses that exceed the loads or stores of a record were dropped\n"
		"1 accesses to address 0 were dropped\n"
		"1 accesses that are not reads or writes were dropped\n"
		"1 destination registers that exceed 2 of an instruction were dropped\n");
	assert_int_equal(out.size, 64);
	assert_memory_equal(out.data + 8, "\0\0\1\3\1\4\0", 8);
	assert_int_equal(load_le64(out.data + 16), 0x60);
	assert_int_equal(load_le64(out.data + 24), 0x70);
	assert_int_equal(load_le64(out.data + 56), 0x40);
	buf_free(&out);
	buf_free(&notes);
}

/* Other records may stand between an instruction and its accesses. */
static void
accesses_follow_other_records(void **state)
{
	(void)state;
	struct buf out = convert_x86("champsim",
		INSTRUCTION("0x1003", "0x7402",
			"2") "{\"kind\":\"register\",\"reg\":\"rax\"}\n" ACCESS("read", "0x10")
			INSTRUCTION("0x1007", "0x90", "1"),
		NULL);
	assert_int_equal(out.size, 128);
	assert_memory_equal(out.data + 8, "\1\1\x1a\0\x1a\x19\0", 8);
	assert_int_equal(load_le64(out.data + 32), 0x10);
	buf_free(&out);
}

static void
what_is_not_an_instruction_is_counted(void **state)
{
	(void)state;
	struct buf notes = {0};
	struct buf out = convert_x86("champsim",
		ACCESS("read", "0x10") "{\"kind\":\"event\"}\n"
				       "{\"kind\":\"instruction\",\"pc\":\"0x10\",\"branch\":"
				       "\"taken\"}\n"
				       "{\"kind\":\"instruction\",\"pc\":\"0x20\","
				       "\"synthetic\":true}\n"
				       "{\"kind\":\"instruction\",\"pc\":\"0x0\",\"thread\":2}"
				       "\n" INSTRUCTION("0x1003", "0x7402",
					       "2") "{\"kind\":\"access\",\"access\":\"read\","
						    "\"address\":\"0x10\",\"pc\":\"0x10\"}\n",
		&notes);
	assert_string_equal(buf_text(&notes),
		"2 accesses without their instruction were dropped\n"
		"1 records that are neither instructions nor accesses were dropped\n"
		"1 instructions that were not executed were dropped\n"
		"2 instructions that follow those of another thread or processor, written as "
		"one "
		"sequence\n"
		"2 instructions with unknown registers\n"
		"1 instructions at address 0, at which ChampSim stops\n"
		"1 branches of unknown outcome, written as not taken\n");
	/* A branch with a known outcome and nothing else is conditional. */
	assert_int_equal(out.size, 3 * 64);
	assert_memory_equal(out.data + 8, "\1\1\x1a\0\x1a\x19\0", 8);
	buf_free(&out);
	buf_free(&notes);
}

/* Accesses that a selection omits are not written, even if the record has its bytes. */
static void
selected_operands_alone_are_written(void **state)
{
	(void)state;
	struct buf bytes = {0};
	add_record(&bytes, 0x1000, "\0\0\0\0\0\0\0");
	store_le64(bytes.data + 24, 0x5000);
	store_le64(bytes.data + 40, 0x6000);
	struct buf out =
		convert(open_bytes(&bytes, "champsim", NULL, false), "champsim", NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	/* As JSON Lines, without the line of the store. */
	struct buf lines =
		convert(open_bytes(&bytes, "champsim", NULL, false), "jsonl", NULL, NULL);
	char *store = strstr(buf_text(&lines), "{\"kind\":\"access\",\"record\":\"store\"");
	assert_non_null(store);
	lines.size = (size_t)(store - (char *)lines.data);
	out = convert(open_bytes(&lines, "jsonl", NULL, false), "champsim", NULL, NULL);
	assert_int_equal(out.size, 64);
	assert_int_equal(load_le64(out.data + 16), 0);
	assert_int_equal(load_le64(out.data + 24), 0);
	assert_int_equal(load_le64(out.data + 32), 0x6000);
	buf_free(&out);
	buf_free(&lines);
	buf_free(&bytes);
}

/* Counts rows by their records. */
static void
expect_counts(const char *file, const char *const *names, const uint64_t *counts)
{
	char path[100];
	uint64_t found[16] = {0};
	snprintf(path, sizeof path, "public/champsim/%s", file);
	struct buf bytes = load_shared(path);
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_trace_info *info = poly_reader_info(reader);
	const struct poly_batch *batch;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			found[batch->record[row]]++;
	}
	for (size_t i = 0; names[i]; i++) {
		for (unsigned record = 0; record < info->record_count; record++) {
			if (strcmp(info->records[record], names[i]) == 0 &&
				found[record] != counts[i])
				fail_msg("%llu records '%s'", (unsigned long long)found[record],
					names[i]);
		}
	}
	poly_reader_close(reader);
	buf_free(&bytes);
}

/* The numbers are those of an independent model of the layouts. */
static void
a_trace_of_pin_has_its_numbers(void **state)
{
	(void)state;
	static const char *const names[] = {"direct_jump", "indirect_jump", "conditional_jump",
		"direct_call", "indirect_call", "return", "other_branch", "instruction", "load",
		"store", NULL};
	static const uint64_t counts[] = {
		55372, 158, 81289, 690, 50, 738, 44, 861659, 302194, 119734};
	expect_counts("ls_1M.champsim.trace.xz", names, counts);
	struct buf bytes = load_shared("public/champsim/ls_1M.champsim.trace.xz");
	struct buf codes = find_all(open_bytes(&bytes, NULL, NULL, true));
	/* No ip 0, no holes; the flag disagrees 1522 times. */
	assert_null(strstr(buf_text(&codes), "CHS2"));
	assert_null(strstr(buf_text(&codes), "CHS5"));
	assert_non_null(strstr(buf_text(&codes), "CHS7"));
	buf_free(&codes);
	buf_free(&bytes);
}

static void
a_trace_of_another_tracer_has_its_numbers(void **state)
{
	(void)state;
	static const char *const names[] = {"direct_jump", "indirect_jump", "conditional_jump",
		"direct_call", "indirect_call", "return", "other_branch", "load", "store",
		NULL};
	static const uint64_t counts[] = {53, 19, 5907, 4, 0, 1, 0, 3935, 193};
	expect_counts("dialect72_20k.champsim.trace.xz", names, counts);
}

static void
published_traces_are_written_unchanged(void **state)
{
	(void)state;
	struct buf bytes = load_shared("public/champsim/start_8.champsim.trace");
	struct buf rows = list_rows(open_bytes(&bytes, NULL, NULL, false), "record", NULL);
	assert_string_equal(buf_text(&rows), "instruction\ninstruction\ninstruction\ninstructio"
					     "n\nother_branch\ninstruction\n"
					     "instruction\nother_branch\n");
	struct buf out = convert(open_bytes(&bytes, NULL, NULL, false), "champsim", NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	buf_free(&rows);
	buf_free(&bytes);
	bytes = load_shared("public/champsim/ls_1M.champsim.trace.xz");
	out = convert(open_bytes(&bytes, NULL, NULL, false), "champsim", NULL, NULL);
	struct poly_reader *reader = open_bytes(&out, NULL, NULL, false);
	struct buf again = convert(reader, "champsim", NULL, NULL);
	assert_int_equal(out.size, 64000000);
	expect_same(&again, &out);
	buf_free(&again);
	buf_free(&out);
	buf_free(&bytes);
}

static void
published_files_that_are_not_read_are_named(void **state)
{
	(void)state;
	struct buf bytes = load_shared("public/champsim/dialect152_5k.champsim.trace.xz");
	expect_refused(&bytes, NULL, NULL, "found 152 bytes per record");
	buf_free(&bytes);
	bytes = load_shared("public/champsim/not_a_trace.champsim.trace.gz");
	expect_refused(&bytes, "champsim", NULL, "not a ChampSim trace (found text 'PIN_");
	expect_refused(&bytes, NULL, "not_a_trace.champsim.trace.gz",
		"found text, expected format 'champsim' by the file extension");
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_an_instruction_and_its_operands),
		cmocka_unit_test(the_kind_of_a_branch_follows_from_the_registers),
		cmocka_unit_test(the_flag_decides_on_request),
		cmocka_unit_test(other_layouts_are_read_and_written),
		cmocka_unit_test(the_address_space_of_cloudsuite_is_a_process),
		cmocka_unit_test(records_of_152_bytes_are_refused),
		cmocka_unit_test(text_is_refused),
		cmocka_unit_test(every_rule_has_its_smallest_violation),
		cmocka_unit_test(branches_of_x86_have_the_registers_of_their_kinds),
		cmocka_unit_test(operands_that_do_not_fit_are_counted),
		cmocka_unit_test(accesses_follow_other_records),
		cmocka_unit_test(what_is_not_an_instruction_is_counted),
		cmocka_unit_test(selected_operands_alone_are_written),
		cmocka_unit_test(a_trace_of_pin_has_its_numbers),
		cmocka_unit_test(a_trace_of_another_tracer_has_its_numbers),
		cmocka_unit_test(published_traces_are_written_unchanged),
		cmocka_unit_test(published_files_that_are_not_read_are_named),
	};
	return cmocka_run_group_tests_name("champsim", tests, NULL, NULL);
}
