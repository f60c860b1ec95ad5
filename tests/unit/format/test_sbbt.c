/* SPDX-License-Identifier: MIT */
/* SBBT branches, typed by hand from the layouts of MBPlib's readers, and its published trace by
 * its numbers. */
#include "trace_help.h"

#include "base/bits.h"

static struct buf
header(uint64_t instructions, uint64_t branches)
{
	struct buf bytes = {0};
	uint8_t counts[16];
	store_le64(counts, instructions);
	store_le64(counts + 8, branches);
	buf_append(&bytes, "SBBT\n\1\0\0", 8);
	buf_append(&bytes, counts, sizeof counts);
	return bytes;
}

/* Adds a branch by its two words. */
static void
add(struct buf *bytes, uint64_t first, uint64_t second)
{
	uint8_t words[16];
	store_le64(words, first);
	store_le64(words + 8, second);
	buf_append(bytes, words, sizeof words);
}

static void
expect_list(const struct buf *bytes, const char *option, const char *expected)
{
	struct buf rows = list_rows(open_bytes(bytes, NULL, option, false),
		"kind record pc branch target instruction_id", NULL);
	assert_string_equal(buf_text(&rows), expected);
	buf_free(&rows);
}

static void
branches_have_the_bits_of_the_current_layout(void **state)
{
	(void)state;
	struct buf bytes = header(5000, 4);
	add(&bytes, 0x0000000401234801, 0x0000000402000004); /* conditional, taken */
	add(&bytes, 0x0000000402000801 ^ 0x800, 0x0000000401234fff);
	add(&bytes, 0x800000000000080a, 0xffffffffff000001); /* indirect call */
	add(&bytes, 0x0000000401238806, 0x0000000000000002); /* indirect return */
	static const char expected[] =
		"instruction conditional_jump 0x401234 taken 0x402000 4\n"
		"instruction conditional_jump 0x402000 not_taken 0x401234 4099\n"
		"instruction indirect_call 0xfff8000000000000 taken 0xfffffffffffff000 4100\n"
		"instruction indirect_return 0x401238 taken - 4102\n";
	expect_list(&bytes, NULL, expected);
	expect_list(&bytes, "sbbt.layout=new", expected);
	struct buf out = convert(open_bytes(&bytes, NULL, NULL, false), "sbbt", NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	buf_free(&bytes);
}

static void
branches_of_the_old_layout_are_detected_and_written_in_either(void **state)
{
	(void)state;
	struct buf old = header(9, 3), current = header(9, 3);
	add(&old, 0x0000000401234401, 0x0000000402000004); /* conditional, taken */
	add(&old, 0x0000000402000a01, 0x0000000401234002); /* indirect call */
	add(&old, 0x0000000401238901, 0x0000000402004003); /* indirect return */
	add(&current, 0x0000000401234801, 0x0000000402000004);
	add(&current, 0x000000040200080a, 0x0000000401234002);
	add(&current, 0x0000000401238806, 0x0000000402004003);
	static const char expected[] =
		"instruction conditional_jump 0x401234 taken 0x402000 4\n"
		"instruction indirect_call 0x402000 taken 0x401234 6\n"
		"instruction indirect_return 0x401238 taken 0x402004 9\n";
	expect_list(&old, NULL, expected);
	expect_list(&old, "sbbt.layout=old", expected);
	expect_list(&current, NULL, expected);
	const struct {
		const struct buf *source, *written;
		const char *option;
	} cases[] = {{&old, &old, NULL}, {&old, &current, "sbbt.layout=new"},
		{&current, &current, NULL}, {&current, &old, "sbbt.layout=old"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf out = convert(open_bytes(cases[i].source, NULL, NULL, false), "sbbt",
			cases[i].option, NULL);
		expect_same(&out, cases[i].written);
		buf_free(&out);
	}
	buf_free(&old);
	buf_free(&current);
}

static void
expect_refused(const struct buf *bytes, const char *message)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	assert_true(poly_reader_open_memory(
			    bytes->data, bytes->size, &options, &reader, &error) < 0);
	if (!strstr(error.message, message))
		fail_msg("%s", error.message);
	poly_reader_close(reader);
}

static void
other_versions_and_layouts_are_refused(void **state)
{
	(void)state;
	struct buf bytes = header(9, 3);
	for (unsigned i = 0; i < 3; i++)
		add(&bytes, 0x0000000401234ff1, 0x0000000402000004);
	expect_refused(
		&bytes, "neither the current layout nor the old one (found 0 and 0 of 3");
	bytes.data[6] = 2;
	expect_refused(
		&bytes, "version of SBBT is not supported (found 1.2.0, expected 1.0.0)");
	buf_free(&bytes);
}

static void
expect_finding(const struct buf *bytes, const char *expected)
{
	struct buf codes = find_all(open_bytes(bytes, "sbbt", "sbbt.layout=new", true));
	assert_string_equal(buf_text(&codes), expected);
	struct buf out =
		convert(open_bytes(bytes, "sbbt", "sbbt.layout=new", true), "sbbt", NULL, NULL);
	expect_same(&out, bytes);
	buf_free(&out);
	buf_free(&codes);
}

/* Each trace is written again as it is, too. */
static void
every_rule_has_its_smallest_violation(void **state)
{
	(void)state;
	static const struct {
		uint64_t first, second;
		const char *codes;
	} cases[] = {
		{0x401234801, 0x402000004, ""},
		{0x40123480c, 0x402000004, "SBB4:1 "},
		{0x40123480d, 0x402000004, "SBB4:1 "},
		{0x401234811, 0x402000004, "SBB5:1 "},
		{0x401234c01, 0x402000004, "SBB5:1 "},
		{0x401234000, 0x402000004, "SBB6:1 "},
		{0x401234801, 0x402000000, "SBB7:1 "},
		{0x401234805, 0x402000004, "SBB8:1 "},
		{0x401234809, 0x402000004, "SBB8:1 "},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = header(4, 1);
		add(&bytes, cases[i].first, cases[i].second);
		expect_finding(&bytes, cases[i].codes);
		buf_free(&bytes);
	}
	struct buf bytes = header(4, 1);
	expect_finding(&bytes, "SBB2:1 ");
	add(&bytes, 0x401234801, 0x402000004);
	buf_byte(&bytes, 0x55);
	expect_finding(&bytes, "SBB1:2 ");
	buf_free(&bytes);
	bytes = header(7, 1);
	add(&bytes, 0x401234801, 0x402000004);
	add(&bytes, 0x401234801, 0x402000004);
	expect_finding(&bytes, "SBB2:0 SBB3:0 ");
	bytes.size = 23;
	expect_finding(&bytes, "SBB1:1 ");
	buf_free(&bytes);
}

#define INSTRUCTION(pc, opcode, size)                                      \
	"{\"kind\":\"instruction\",\"pc\":\"" pc "\",\"opcode\":\"" opcode \
	"\",\"opcode_size\":" size "}\n"

static void
branches_of_a_program_are_written_with_their_targets(void **state)
{
	(void)state;
	struct buf notes = {0}, expected = header(9, 7);
	struct buf out = convert_x86("sbbt",
		/* add rax, rbx; je +4 (taken); je +4; jmp +0; jmp rax; call +0; ret; nop; je -2
		 */
		INSTRUCTION("0x1000", "0x4801d8", "3") INSTRUCTION("0x1003", "0x7404", "2")
			INSTRUCTION("0x1009", "0x7404", "2") INSTRUCTION(
				"0x100b", "0xeb00", "2") INSTRUCTION("0x100d", "0xffe0", "2")
				INSTRUCTION("0x2000", "0xe800000000", "5") INSTRUCTION("0x2005",
					"0xc3", "1") INSTRUCTION("0x3000", "0x90", "1")
					INSTRUCTION("0x3001", "0x74fe", "2"),
		&notes);
	add(&expected, 0x1003801, 0x1009002);
	add(&expected, 0x1009001, 0x100f001);
	add(&expected, 0x100b800, 0x100d001);
	add(&expected, 0x100d802, 0x2000001);
	add(&expected, 0x2000808, 0x2005001);
	add(&expected, 0x2005806, 0x3000001);
	add(&expected, 0x3001001, 0x3001002);
	expect_same(&out, &expected);
	assert_string_equal(buf_text(&notes),
		"2 instructions that are not branches were dropped\n"
		"1 branches of unknown outcome, written as not taken\n");
	buf_free(&out);
	buf_free(&expected);
	buf_free(&notes);
}

/* Converts a text of addresses and outcomes, and compares the error. */
static void
expect_loss(const char *text, const char *message, uint64_t record)
{
	struct buf bytes = bytes_of(text), out = {0};
	struct poly_reader *reader =
		open_bytes(&bytes, "text:pc,branch:T/N|-,target:hex|-", NULL, false);
	struct poly_sink sink = {collect, &out};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status = POLY_OK;
	options.format = "sbbt";
	assert_int_equal(poly_writer_open_sink(
				 &sink, poly_reader_info(reader), &options, &writer, &error),
		POLY_OK);
	while (status == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK)
		status = poly_writer_write(writer, batch, &error);
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	assert_int_equal(status, POLY_ERR_LOSS);
	if (!strstr(error.message, message))
		fail_msg("%s", error.message);
	assert_int_equal(error.record, record);
	poly_writer_close(writer);
	poly_reader_close(reader);
	buf_free(&bytes);
	buf_free(&out);
}

static void
what_a_branch_cannot_hold_is_an_error_with_its_record(void **state)
{
	(void)state;
	struct buf text = {0};
	buf_printf(&text, "10 T 20\n");
	for (unsigned i = 0; i < 4095; i++)
		buf_printf(&text, "%x - -\n", 0x20 + i);
	buf_printf(&text, "4000 T 10\n10 N 0\n");
	expect_loss(buf_text(&text),
		"4096 instructions since the last branch, expected at most 4095", 4097);
	buf_free(&text);
	expect_loss("10 T 20\n8000000000000 T 10\n",
		"pc 0x8000000000000, expected 52 bits with their sign extended", 2);
	expect_loss(
		"10 T 8000000000000\n10 T 20\n", "target 0x8000000000000, expected 52 bits", 1);
}

static void
a_selection_has_its_own_counts(void **state)
{
	(void)state;
	struct buf bytes = header(100, 3), expected = header(12, 2);
	add(&bytes, 0x401234801, 0x402000004);
	add(&bytes, 0x402000801, 0x401234002);
	add(&bytes, 0x401238801, 0x402000006);
	struct buf lines = convert(open_bytes(&bytes, NULL, NULL, false), "jsonl", NULL, NULL);
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.skip = 1;
	struct buf out = convert(open_memory(&bytes, &options), "sbbt", NULL, NULL);
	add(&expected, 0x402000801, 0x401234006);
	add(&expected, 0x401238801, 0x402000006);
	expect_same(&out, &expected);
	buf_free(&out);
	out = convert(open_bytes(&lines, NULL, NULL, false), "sbbt", NULL, NULL);
	expect_same(&out, &bytes);
	buf_free(&out);
	buf_free(&lines);
	buf_free(&expected);
	buf_free(&bytes);
}

static void
the_trace_of_the_library_has_its_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *record;
		uint64_t taken, not_taken;
	} counts[] = {{"direct_jump", 1305, 33}, {"direct_call", 1636, 0},
		{"conditional_jump", 8129, 6013}, {"indirect_jump", 426, 185},
		{"indirect_return", 1849, 0}, {"indirect_call", 228, 0},
		{"conditional_indirect_jump", 43, 8}, {"conditional_indirect_return", 72, 73},
		{"return", 0, 0}, {"invalid", 0, 0}};
	struct buf bytes = load_shared("public/sbbt/SHORT_SERVER-1_first20k.sbbt.zst");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_trace_info *info = poly_reader_info(reader);
	const struct poly_batch *batch;
	uint64_t found[16][2] = {{0}}, rows = 0, last = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			found[batch->record[row]][batch->branch[row] == POLY_BRANCH_TAKEN]++;
		rows += batch->rows;
		last = batch->instruction_id[batch->rows - 1];
	}
	assert_int_equal(rows, 20000);
	assert_int_equal(last, 95511);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		for (unsigned record = 0; record < info->record_count; record++) {
			if (strcmp(info->records[record], counts[i].record) == 0) {
				assert_int_equal(found[record][1], counts[i].taken);
				assert_int_equal(found[record][0], counts[i].not_taken);
			}
		}
	}
	poly_reader_close(reader);
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.count = 1;
	struct buf first = list_rows(
		open_memory(&bytes, &options), "record pc branch target instruction_id", NULL);
	assert_string_equal(
		buf_text(&first), "conditional_jump 0x80246b44 not_taken 0x80246b30 4\n");
	buf_free(&first);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_have_the_bits_of_the_current_layout),
		cmocka_unit_test(branches_of_the_old_layout_are_detected_and_written_in_either),
		cmocka_unit_test(other_versions_and_layouts_are_refused),
		cmocka_unit_test(every_rule_has_its_smallest_violation),
		cmocka_unit_test(branches_of_a_program_are_written_with_their_targets),
		cmocka_unit_test(what_a_branch_cannot_hold_is_an_error_with_its_record),
		cmocka_unit_test(a_selection_has_its_own_counts),
		cmocka_unit_test(the_trace_of_the_library_has_its_numbers),
	};
	return cmocka_run_group_tests_name("sbbt", tests, NULL, NULL);
}
