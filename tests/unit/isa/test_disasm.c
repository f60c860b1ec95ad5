/* SPDX-License-Identifier: MIT */
/*
 * Disassembly by the name of an instruction set: encodings from the architectures' manuals, and
 * the text that an ARM trace has itself.
 */
#include "trace_help.h"

static struct poly_disasm *
open_set(const char *isa)
{
	struct poly_disasm *disasm;
	struct poly_error error;
	enum poly_status status = poly_disasm_open(isa, &disasm, &error);
	skip_unsupported(status, &error);
	if (status != POLY_OK)
		fail_msg("%s", error.message);
	return disasm;
}

static void
every_instruction_set_has_its_instructions(void **state)
{
	(void)state;
	static const struct {
		const char *isa;
		uint64_t opcode;
		unsigned size;
		const char *text;
	} cases[] = {
		{"powerpc", 0x4e800020, 4, "blr"},
		{"x86", 0xc3, 1, "ret"},
		{"x86-16", 0xcd21, 2, "int 0x21"},
		{"x86-64", 0x4889e5, 3, "mov rbp, rsp"},
		{"arm", 0xe3a00001, 4, "mov r0, #1"},
		{"thumb", 0x4770, 2, "bx lr"},
		{"thumb", 0xf04f0b00, 4, "mov.w fp, #0"},
		{"thumb-m", 0xf3ef8008, 4, "mrs r0, msp"},
		{"aarch64", 0xd65f03c0, 4, "ret"},
		{"mips32", 0x3c080001, 4, "lui $t0, 1"},
		{"riscv32", 0x2001, 2, "jal 0x1000"},
		{"riscv64", 0x00113423, 4, "sd ra,8(sp)"},
		{"mips32el", 0x3c080001, 4, "lui $t0, 1"},
		{"mips64", 0x0000000c, 4, "syscall"},
		{"mips64el", 0x0000000c, 4, "syscall"},
		{"sparc", 0x81c3e008, 4, "retl"},
		{"sparc64", 0x81c3e008, 4, "retl"},
		{"s390x", 0x07fe, 2, "br %r14"},
		{"m68k", 0x4e75, 2, "rts"},
	};
	size_t sets = 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct poly_disasm *disasm = open_set(cases[i].isa);
		const char *text =
			poly_disasm_text(disasm, 0x1000, cases[i].opcode, cases[i].size);
		assert_string_equal(text, cases[i].text);
		sets += i == 0 || strcmp(cases[i].isa, cases[i - 1].isa) != 0;
		poly_disasm_close(disasm);
	}
	size_t named = 0;
	while (poly_isa_at(named))
		named++;
	assert_int_equal(sets, named);
}

static void
an_encoding_is_used_to_its_end(void **state)
{
	(void)state;
	static const uint8_t movabs[] = {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8};
	struct poly_disasm *disasm = open_set("x86-64");
	assert_string_equal(poly_disasm_bytes(disasm, 0, movabs, sizeof movabs),
		"movabs rax, 0x807060504030201");
	/* Neither is exactly one instruction. */
	assert_string_equal(
		poly_disasm_bytes(disasm, 0, movabs, 9), ".long 0x48b801020304050607");
	assert_string_equal(poly_disasm_text(disasm, 0, 0x9090, 2), ".long 0x9090");
	poly_disasm_close(disasm);
	disasm = open_set("powerpc");
	assert_string_equal(poly_disasm_bytes(disasm, 0, "\x4e\x80\x00\x20", 4), "blr");
	assert_string_equal(poly_disasm_bytes(disasm, 0, "\x4e\x80", 2), ".long 0x4e80");
	poly_disasm_close(disasm);
}

static void
an_unknown_instruction_set_is_refused_with_the_names(void **state)
{
	(void)state;
	struct poly_disasm *disasm;
	struct poly_error error;
	assert_int_equal(poly_disasm_open("A", &disasm, &error), POLY_ERR_USAGE);
	assert_null(disasm);
	for (size_t i = 0; poly_isa_at(i); i++)
		assert_non_null(strstr(error.message, poly_isa_at(i)));
}

/* The text of a trace whose producer disassembled its instructions, but for blanks. */
static void
an_arm_trace_is_disassembled_as_its_producer_did(void **state)
{
	(void)state;
	struct buf bytes = load_sample("qemu4v/arm_start_2k.q4v");
	struct poly_disasm *disasm = open_set("thumb");
	struct poly_reader *reader = open_bytes(&bytes, NULL, NULL, false);
	const struct poly_batch *batch;
	unsigned thumb = 0, same = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			char set[300], text[300];
			shown(batch, POLY_COLUMN_instruction_set, row, set);
			if (strcmp(set, "T") != 0)
				continue;
			size_t n = strcspn(shown(batch, POLY_COLUMN_text, row, text), " ");
			const char *ours = poly_disasm_text(disasm, batch->pc[row],
				batch->opcode[row], batch->opcode_size[row]);
			thumb++;
			same += strncmp(ours, text, n) == 0;
		}
	}
	assert_true(thumb > 500);
	assert_true(same * 100 > thumb * 98);
	poly_reader_close(reader);
	poly_disasm_close(disasm);
	buf_free(&bytes);
}

static void
the_user_names_the_instruction_set_of_a_trace(void **state)
{
	(void)state;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_error error;
	struct buf bytes = load_sample("qemu4v/seed3.q4v");
	struct poly_reader *reader = open_memory(&bytes, &options);
	/* The letter A of its operands has no effect. */
	assert_null(poly_reader_info(reader)->isa);
	poly_reader_close(reader);
	options.isa = "mips32";
	reader = open_memory(&bytes, &options);
	assert_string_equal(poly_reader_info(reader)->isa, "mips32");
	poly_reader_close(reader);
	options.isa = "mips";
	assert_int_equal(
		poly_reader_open_memory(bytes.data, bytes.size, &options, &reader, &error),
		POLY_ERR_USAGE);
	assert_null(reader);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_set_has_its_instructions),
		cmocka_unit_test(an_encoding_is_used_to_its_end),
		cmocka_unit_test(an_unknown_instruction_set_is_refused_with_the_names),
		cmocka_unit_test(an_arm_trace_is_disassembled_as_its_producer_did),
		cmocka_unit_test(the_user_names_the_instruction_set_of_a_trace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
