/* SPDX-License-Identifier: MIT */
/* The interface of the instruction sets: laws of every set, and branch targets by hand. */
#include "isa/flow.h"
#include "isa/isa.h"
#include "polytrace/disasm.h"
#include "trace_help.h"

#include "base/bits.h"

#define ENCODINGS 20000
#define ENCODING_MAX 17

static struct isa_decoder *
open_set(const char *isa)
{
	struct isa_decoder *decoder;
	struct poly_error error;
	const enum poly_status status = isa_open(isa, &decoder, &error);
	if (status == POLY_ERR_UNSUPPORTED)
		return NULL;
	if (status != POLY_OK)
		fail_msg("%s", error.message);
	return decoder;
}

static bool
is_within(const struct isa_decoder *decoder, const struct isa_registers *registers)
{
	for (unsigned i = 0; i < ISA_REGISTERS_MAX; i++) {
		const bool is_member = registers->bits[i / 64] >> i % 64 & 1;
		if (is_member && !isa_register_name(decoder, i))
			return false;
	}
	return true;
}

/* Checks what holds of every description. */
static void
check_description(const struct isa_decoder *decoder, const struct isa_instruction *instruction)
{
	assert_true(instruction->cls < ISA_CLASS_COUNT);
	assert_true(instruction->access_count <= ISA_ACCESSES_MAX);
	assert_true(instruction->has_accesses || !instruction->access_count);
	assert_true(!instruction->flow || instruction->flow & ISA_JUMPS);
	/* Only direct branches have a target in their encoding. */
	if (instruction->target_kind != ISA_TARGET_NONE)
		assert_int_equal(instruction->flow & (ISA_JUMPS | ISA_INDIRECT), ISA_JUMPS);
	if (instruction->has_registers) {
		assert_true(is_within(decoder, &instruction->reads));
		assert_true(is_within(decoder, &instruction->writes));
	}
	for (unsigned i = 0; i < instruction->access_count; i++) {
		const struct isa_access *access = &instruction->accesses[i];
		assert_in_range(access->direction, ISA_READS, ISA_READS | ISA_WRITES);
		assert_true(access->base == ISA_NO_REGISTER ||
			    isa_register_name(decoder, access->base));
		assert_true(access->index == ISA_NO_REGISTER ||
			    isa_register_name(decoder, access->index));
	}
}

/* Describes random encodings of up to 17 bytes with two decoders. */
static void
check_set(struct isa_decoder *one, struct isa_decoder *other)
{
	uint64_t seed = 1;
	for (unsigned i = 0; i < ENCODINGS; i++) {
		uint8_t bytes[ENCODING_MAX];
		struct isa_instruction instruction, again;
		for (unsigned j = 0; j < ENCODING_MAX; j++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[j] = (uint8_t)(seed >> 56);
		}
		/* The block ends where memory of exactly its size does. */
		const size_t n = i % (ENCODING_MAX + 1);
		uint8_t *block = malloc(n ? n : 1);
		assert_non_null(block);
		memcpy(block, bytes, n);
		const bool is_known = isa_describe(one, block, n, &instruction);
		assert_int_equal(isa_describe(other, bytes, n, &again), is_known);
		assert_memory_equal(&instruction, &again, sizeof again);
		assert_true(!is_known || (instruction.length && instruction.length <= n));
		check_description(one, &instruction);
		isa_text(one, &(struct isa_encoding){.bytes = block, .size = n, .pc = seed});
		free(block);
	}
}

static void
every_set_describes_an_encoding_in_one_way(void **state)
{
	(void)state;
	const char *name;
	for (size_t i = 0; (name = poly_isa_at(i)) != NULL; i++) {
		struct isa_decoder *one = open_set(name), *other = open_set(name);
		if (one && other)
			check_set(one, other);
		isa_close(one);
		isa_close(other);
	}
}

static void
targets_follow_from_the_address(void **state)
{
	(void)state;
	static const struct {
		uint32_t opcode;
		uint64_t pc;
		unsigned flow;
		bool has_target;
		uint64_t target;
	} cases[] = {
		/* b .-8; bl .+0x100; ba 0x100; bdnz .-4; blr; bctrl; bcl 20,31,.+4 */
		{.opcode = 0x4bfffff8,
			.pc = 0x1000,
			.flow = ISA_JUMPS,
			.has_target = true,
			.target = 0xff8},
		{.opcode = 0x48000101,
			.pc = 0x1000,
			.flow = ISA_JUMPS | ISA_CALLS,
			.has_target = true,
			.target = 0x1100},
		{.opcode = 0x48000102,
			.pc = 0x1000,
			.flow = ISA_JUMPS,
			.has_target = true,
			.target = 0x100},
		{.opcode = 0x4200fffc,
			.pc = 0x1000,
			.flow = ISA_JUMPS | ISA_CONDITIONAL,
			.has_target = true,
			.target = 0xffc},
		{.opcode = 0x4e800020, .flow = ISA_JUMPS | ISA_INDIRECT | ISA_RETURNS},
		{.opcode = 0x4e800421, .flow = ISA_JUMPS | ISA_INDIRECT | ISA_CALLS},
		/* bctarl; bnectar */
		{.opcode = 0x4e800461, .flow = ISA_JUMPS | ISA_INDIRECT | ISA_CALLS},
		{.opcode = 0x4c820460, .flow = ISA_JUMPS | ISA_INDIRECT | ISA_CONDITIONAL},
		{.opcode = 0x429f0005,
			.pc = 0x1000,
			.flow = ISA_JUMPS,
			.has_target = true,
			.target = 0x1004},
	};
	struct isa_decoder *decoder = open_set("powerpc");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct isa_instruction instruction;
		uint64_t target = 0;
		assert_true(isa_describe_opcode(decoder, cases[i].opcode, 4, &instruction));
		assert_int_equal(instruction.flow, cases[i].flow);
		assert_int_equal(instruction.cls, ISA_BRANCH);
		assert_int_equal(
			isa_target(&instruction, cases[i].pc, &target), cases[i].has_target);
		assert_int_equal(target, cases[i].target);
	}
	isa_close(decoder);
}

static void
accesses_have_their_operands(void **state)
{
	(void)state;
	static const struct {
		uint32_t opcode;
		struct isa_access access;
	} cases[] = {
		/* lwz r3, -8(r1); stwx r4, 0, r5; lwzu r6, 4(r7); stmw r30, 8(r1) */
		{0x8061fff8, {.direction = ISA_READS,
				     .base = 1,
				     .index = ISA_NO_REGISTER,
				     .scale = 1,
				     .size = 4,
				     .displacement = -8}},
		{0x7c80292e, {.direction = ISA_WRITES,
				     .base = ISA_NO_REGISTER,
				     .index = 5,
				     .scale = 1,
				     .size = 4}},
		{0x84c70004, {.direction = ISA_READS,
				     .base = 7,
				     .index = ISA_NO_REGISTER,
				     .scale = 1,
				     .size = 4,
				     .displacement = 4}},
		{0xbfc10008, {.direction = ISA_WRITES,
				     .base = 1,
				     .index = ISA_NO_REGISTER,
				     .scale = 1,
				     .size = 8,
				     .displacement = 8}},
	};
	struct isa_decoder *decoder = open_set("powerpc");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct isa_instruction instruction;
		assert_true(isa_describe_opcode(decoder, cases[i].opcode, 4, &instruction));
		assert_int_equal(instruction.access_count, 1);
		const struct isa_access *found = instruction.accesses,
					*expected = &cases[i].access;
		assert_int_equal(found->direction, expected->direction);
		assert_int_equal(found->base, expected->base);
		assert_int_equal(found->index, expected->index);
		assert_int_equal(found->size, expected->size);
		assert_int_equal(found->displacement, expected->displacement);
	}
	isa_close(decoder);
}

/* Returns whether the table of a set has a mnemonic of a class. */
static bool
is_in_table(const char *isa, const char *mnemonic, enum isa_class expected)
{
	const char *name;
	enum isa_class cls;
	for (size_t i = 0; (name = isa_mnemonic_at(isa, i, &cls)) != NULL; i++) {
		assert_true(cls < ISA_CLASS_COUNT);
		if (strcmp(name, mnemonic) == 0)
			return cls == expected;
	}
	return false;
}

static void
tables_have_mnemonics(void **state)
{
	(void)state;
	assert_true(is_in_table("powerpc", "lwz", ISA_LOAD));
	assert_true(is_in_table("powerpc", "bclr", ISA_BRANCH));
	assert_true(is_in_table("riscv32", "c.jal", ISA_BRANCH));
	assert_false(is_in_table("riscv64", "c.jal", ISA_BRANCH));
	assert_true(is_in_table("riscv64", "c.ld", ISA_LOAD));
	assert_false(is_in_table("riscv32", "c.ld", ISA_LOAD));
	assert_false(is_in_table("nonesuch", "lwz", ISA_LOAD));
	assert_false(is_in_table(NULL, "lwz", ISA_LOAD));
}

static void
registers_have_names(void **state)
{
	(void)state;
	static const struct {
		const char *isa, *name;
		struct isa_registers expected; /* none: not a register */
	} cases[] = {
		/* numbers as in isa/powerpc.h and isa/riscv.h */
		{"powerpc", "r1", {{2}}},
		{"powerpc", "R31", {{0x80000000}}},
		{"powerpc", "v0", {{0, 1}}},
		{"powerpc", "cr", {{0, 0xff00000000}}},
		{"powerpc", "cr7", {{0, 0x8000000000}}},
		{"powerpc", "lr", {{0, 0x20000000000}}},
		{"powerpc", "r32", {{0}}},
		{"powerpc", "", {{0}}},
		{"powerpc", "a name that no register of any set can have", {{0}}},
		{"riscv64", "sp", {{4}}},
		{"riscv64", "x2", {{4}}},
		{"riscv64", "fp", {{0x100}}},
		{"riscv64", "S0", {{0x100}}},
		{"riscv32", "f10", {{(uint64_t)1 << 42}}},
		{"riscv32", "fa0", {{(uint64_t)1 << 42}}},
		{"riscv32", "x32", {{0}}},
		{"riscv32", "f0x1", {{0}}},
		{"nonesuch", "r1", {{0}}},
		{NULL, "r1", {{0}}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct isa_registers found;
		const bool exists = cases[i].expected.bits[0] || cases[i].expected.bits[1];
		assert_int_equal(
			isa_registers_named(cases[i].isa, cases[i].name, &found), exists);
		assert_memory_equal(&found, &cases[i].expected, sizeof found);
	}
}

static void
records_are_named_after_branches(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		unsigned flow;
	} cases[] = {
		{"jump", ISA_JUMPS},
		{"direct_jump", ISA_JUMPS},
		{"indirect_jump", ISA_JUMPS | ISA_INDIRECT},
		{"conditional_jump", ISA_JUMPS | ISA_CONDITIONAL},
		{"taken_jump", ISA_JUMPS | ISA_CONDITIONAL},
		{"untaken_jump", ISA_JUMPS | ISA_CONDITIONAL},
		{"conditional_indirect_jump", ISA_JUMPS | ISA_CONDITIONAL | ISA_INDIRECT},
		{"direct_call", ISA_JUMPS | ISA_CALLS},
		{"indirect_call", ISA_JUMPS | ISA_CALLS | ISA_INDIRECT},
		{"return", ISA_JUMPS | ISA_RETURNS | ISA_INDIRECT},
		{"conditional_return",
			ISA_JUMPS | ISA_RETURNS | ISA_INDIRECT | ISA_CONDITIONAL},
		{"instruction", 0},
		{"jumps", 0},
		{"conditional_", 0},
		{"", 0},
		{NULL, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(flow_of_record(cases[i].name), cases[i].flow);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_set_describes_an_encoding_in_one_way),
		cmocka_unit_test(targets_follow_from_the_address),
		cmocka_unit_test(accesses_have_their_operands),
		cmocka_unit_test(tables_have_mnemonics),
		cmocka_unit_test(registers_have_names),
		cmocka_unit_test(records_are_named_after_branches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
