/* SPDX-License-Identifier: MIT */
/* Descriptions of RISC-V encodings by hand, from the specification. */
#include "isa/isa.h"
#include "trace_help.h"

#include <inttypes.h>

/* An encoding, whose size its lowest bits state, and "class mnemonic: registers read ->
 * registers written; flow and distance; accesses". */
struct described {
	uint32_t opcode;
	const char *text;
};

/* Appends a formatted word to a text of enough room. */
#define APPEND(text, ...) snprintf((text) + strlen(text), TEXT_SIZE - strlen(text), __VA_ARGS__)
#define TEXT_SIZE 200

static void
append_registers(
	const struct isa_decoder *decoder, const struct isa_registers *registers, char *text)
{
	const char *before = " ";
	for (unsigned i = 0; i < ISA_REGISTERS_MAX; i++) {
		if (!(registers->bits[i / 64] >> i % 64 & 1))
			continue;
		APPEND(text, "%s%s", before, isa_register_name(decoder, i));
		before = ",";
	}
}

static void
append_flow(const struct isa_instruction *instruction, char *text)
{
	static const char *const names[] = {
		" jump", " conditional", " indirect", " call", " return"};
	uint64_t target;
	APPEND(text, ";");
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		APPEND(text, "%s", instruction->flow >> i & 1 ? names[i] : "");
	if (isa_target(instruction, 0x1000, &target))
		APPEND(text, " %+" PRId64, (int64_t)target - 0x1000);
}

static void
append_accesses(const struct isa_decoder *decoder, const struct isa_instruction *instruction,
	char *text)
{
	static const char *const directions[] = {"", "reads", "writes", "reads and writes"};
	for (unsigned i = 0; i < instruction->access_count; i++) {
		const struct isa_access *access = &instruction->accesses[i];
		assert_int_equal(access->index, ISA_NO_REGISTER);
		APPEND(text, "; %s %" PRIu32 " at %s%+" PRId64, directions[access->direction],
			access->size, isa_register_name(decoder, access->base),
			access->displacement);
	}
}

static void
check(const char *isa, const struct described *cases, size_t count)
{
	struct isa_decoder *decoder;
	assert_int_equal(isa_open(isa, &decoder, NULL), POLY_OK);
	for (size_t i = 0; i < count; i++) {
		const uint32_t opcode = cases[i].opcode;
		struct isa_instruction instruction;
		char text[TEXT_SIZE] = "";
		const unsigned size = (opcode & 3) == 3 ? 4 : 2;
		assert_true(isa_describe_opcode(decoder, opcode, size, &instruction));
		assert_int_equal(instruction.length, size);
		assert_true(instruction.has_accesses);
		APPEND(text, "%s %s:", isa_class_name((enum isa_class)instruction.cls),
			instruction.mnemonic);
		if (instruction.has_registers) {
			append_registers(decoder, &instruction.reads, text);
			APPEND(text, " ->");
			append_registers(decoder, &instruction.writes, text);
		}
		if (instruction.flow)
			append_flow(&instruction, text);
		append_accesses(decoder, &instruction, text);
		assert_string_equal(text, cases[i].text);
	}
	isa_close(decoder);
}

#define CHECK(isa, cases) check(isa, cases, sizeof(cases) / sizeof *(cases))

static void
jumps_are_calls_and_returns_by_their_link_registers(void **state)
{
	(void)state;
	/* RISC-V Unprivileged ISA 2.5, the hints of JAL and JALR: x1 and x5 are links. */
	static const struct described cases[] = {
		{0x001000ef, "branch jal: -> ra; jump call +2048"},
		{0xff1ff2ef, "branch jal: -> t0; jump call -16"},
		{0x0080006f, "branch jal: ->; jump +8"},
		{0x008003ef, "branch jal: -> t2; jump +8"},
		{0x00008067, "branch jalr: ra ->; jump indirect return"},
		{0x00028067, "branch jalr: t0 ->; jump indirect return"},
		{0x00030067, "branch jalr: t1 ->; jump indirect"},
		{0x004300e7, "branch jalr: t1 -> ra; jump indirect call"},
		{0x000082e7, "branch jalr: ra -> t0; jump indirect call return"},
		{0x000280e7, "branch jalr: t0 -> ra; jump indirect call return"},
		{0x000080e7, "branch jalr: ra -> ra; jump indirect call"},
		{0x000282e7, "branch jalr: t0 -> t0; jump indirect call"},
		{0x000083e7, "branch jalr: ra -> t2; jump indirect return"},
		{0x8082, "branch c.jr: ra ->; jump indirect return"},
		{0x8282, "branch c.jr: t0 ->; jump indirect return"},
		{0x8782, "branch c.jr: a5 ->; jump indirect"},
		{0x9782, "branch c.jalr: a5 -> ra; jump indirect call"},
		{0x9282, "branch c.jalr: t0 -> ra; jump indirect call return"},
		{0x9082, "branch c.jalr: ra -> ra; jump indirect call"},
		{0xbfe9, "branch c.j: ->; jump -38"},
		{0x00b50863, "branch beq: a0,a1 ->; jump conditional +16"},
		{0xfe054ee3, "branch blt: a0 ->; jump conditional -4"},
	};
	static const struct described of_32_bits[] = {
		{0x2811, "branch c.jal: -> ra; jump call +20"},
		{0x00008067, "branch jalr: ra ->; jump indirect return"},
	};
	CHECK("riscv64", cases);
	CHECK("riscv32", of_32_bits);
}

static void
accesses_have_a_base_and_a_displacement(void **state)
{
	(void)state;
	static const struct described cases[] = {
		{0xfff20183, "load lb: tp -> gp; reads 1 at tp-1"},
		{0x7f823183, "load ld: tp -> gp; reads 8 at tp+2040"},
		{0x80941023, "store sh: s0,s1 ->; writes 2 at s0-2048"},
		{0x54fe, "load c.lwsp: sp -> s1; reads 4 at sp+252"},
		{0xff86, "store c.sdsp: ra,sp ->; writes 8 at sp+504"},
		{0x3fe0, "load c.fld: a5 -> fs0; reads 8 at a5+248"},
		{0x00412087, "load flw: sp -> ft1; reads 4 at sp+4"},
		{0xfff13c27, "store fsd: sp,ft11 ->; writes 8 at sp-8"},
		{0x140332af, "atomic lr.d: t1 -> t0; reads 8 at t1+0"},
		{0x187322af, "atomic sc.w: t1,t2 -> t0; writes 4 at t1+0"},
		{0x0073302f, "atomic amoadd.d: t1,t2 ->; reads and writes 8 at t1+0"},
		{0x0045200f, "cache cbo.zero: a0 ->"},
		{0x02156013, "cache prefetch.r: a0 ->"},
		/* How many bytes, and which registers, depends on vl and vtype. */
		{0x0203e207, "load vle32.v:; reads 0 at t2+0"},
		{0x022180d7, "vector vadd.vv:"},
	};
	static const struct described of_32_bits[] = {
		{0x6000, "load c.flw: s0 -> fs0; reads 4 at s0+0"},
	};
	CHECK("riscv64", cases);
	CHECK("riscv32", of_32_bits);
}

static void
registers_are_those_of_operands_and_of_the_floating_point_state(void **state)
{
	(void)state;
	static const struct described cases[] = {
		{0xffd30293, "integer addi: t1 -> t0"},
		{0x00208033, "integer add: ra,sp ->"},
		{0x1fe0, "integer c.addi4spn: sp -> s0"},
		{0x7101, "integer c.addi16sp: sp -> sp"},
		{0x0e3150b3, "integer czero.eqz: sp,gp -> ra"},
		{0x0e3170b3, "integer czero.nez: sp,gp -> ra"},
		{0x023100b3, "multiply mul: sp,gp -> ra"},
		{0x023160b3, "divide rem: sp,gp -> ra"},
		/* Dynamic rounding reads frm; flags accumulate. */
		{0x223170c3, "float fmadd.d: ft2,ft3,ft4,frm -> ft1,fflags"},
		{0x223110c3, "float fmadd.d: ft2,ft3,ft4 -> ft1,fflags"},
		{0xd20100d3, "float fcvt.d.w: sp -> ft1"},
		{0xc00110d3, "float fcvt.w.s: ft2 -> ra,fflags"},
		{0xa03120d3, "float feq.s: ft2,ft3 -> ra,fflags"},
		{0x223100d3, "float fsgnj.d: ft2,ft3 -> ft1"},
		{0xe20100d3, "float fmv.x.d: ft2 -> ra"},
		/* csrr t0,fcsr; csrw frm,t1; csrsi fflags,1; csrrw t2,mstatus,s0 */
		{0x003022f3, "system csrrs: fflags,frm -> t0"},
		{0x00231073, "system csrrw: t1 -> frm"},
		{0x0010e073, "system csrrsi: fflags -> fflags"},
		{0x300413f3, "system csrrw: s0 -> t2"},
		{0x0330000f, "fence fence: ->"},
		{0x0000100f, "fence fence.i: ->"},
		{0x00000073, "system ecall: ->"},
		{0x30200073, "system mret: ->"},
	};
	CHECK("riscv64", cases);
}

static void
lengths_follow_from_the_lowest_bits(void **state)
{
	(void)state;
	/* RISC-V Unprivileged ISA 1.5. None of them is an instruction. */
	static const struct {
		uint64_t opcode;
		unsigned size, length;
	} cases[] = {
		{0x0000, 2, 2},
		{0xffffffff, 4, 0},
		{0x0000007b, 4, 4},
		{0x12345678001f, 6, 6},
		{0x12345678005f, 6, 6},
		{0x123456789abc003f, 8, 8},
		{0x001f, 2, 0},
		{0x13, 1, 0},
	};
	struct isa_decoder *decoder;
	assert_int_equal(isa_open("riscv64", &decoder, NULL), POLY_OK);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct isa_instruction instruction;
		assert_false(isa_describe_opcode(
			decoder, cases[i].opcode, cases[i].size, &instruction));
		assert_int_equal(instruction.length, cases[i].length);
	}
	isa_close(decoder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_are_calls_and_returns_by_their_link_registers),
		cmocka_unit_test(accesses_have_a_base_and_a_displacement),
		cmocka_unit_test(
			registers_are_those_of_operands_and_of_the_floating_point_state),
		cmocka_unit_test(lengths_follow_from_the_lowest_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
