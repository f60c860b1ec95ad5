/* SPDX-License-Identifier: MIT */
/* RISC-V: describes encodings by the table. */
#include "isa/riscv.h"

#include "base/bits.h"
#include "base/num.h"
#include "isa/set.h"

#include <stdio.h>
#include <string.h>

static void
add_register(struct isa_instruction *instruction, int number, unsigned direction)
{
	/* x0 is a constant. */
	if (number <= 0)
		return;
	if (direction & ISA_READS)
		bit_set(instruction->reads.bits, (unsigned)number);
	if (direction & ISA_WRITES)
		bit_set(instruction->writes.bits, (unsigned)number);
}

/* Adds what a control and status register of floating point (1: fflags, 2: frm, 3: both) is. */
static void
add_csr(struct isa_instruction *instruction, uint32_t opcode)
{
	const int64_t csr = riscv_immediate(opcode, 'E');
	/* Zicsr: csrrs and csrrc with x0 or 0 do not write, csrrw to x0 does not read. */
	const bool swaps = riscv_field(opcode, 12, 2) == 1;
	const bool writes = swaps || riscv_field(opcode, 15, 5),
		   reads = !swaps || riscv_field(opcode, 7, 5);
	const unsigned direction = (reads ? ISA_READS : 0u) | (writes ? ISA_WRITES : 0u);
	if (csr < 1 || csr > 3)
		return;
	if (csr & 1)
		add_register(instruction, RISCV_FFLAGS, direction);
	if (csr & 2)
		add_register(instruction, RISCV_FRM, direction);
}

/* Adds the registers that the operands and effects of a line denote. Flags accumulate: they are
 * written, but not read (RISC-V Unprivileged ISA 14.3). */
static void
describe_registers(uint32_t opcode, const char *text, struct isa_instruction *instruction)
{
	/* Skip the mnemonic; effects follow the next blank. */
	const char *operand = strchr(text, ' ');
	bool is_effect = false;
	for (; operand && *operand; operand++) {
		unsigned direction = 0;
		const int number = riscv_register_of(opcode, *operand, &direction);
		if (*operand == ' ')
			is_effect = operand != strchr(text, ' ');
		else if (is_effect && *operand == '1')
			add_register(instruction, RISCV_X + 1, ISA_WRITES);
		else if (is_effect)
			add_register(instruction, RISCV_FFLAGS, ISA_WRITES);
		else if (*operand == 'E')
			add_csr(instruction, opcode);
		else if (*operand == 'm' && riscv_immediate(opcode, 'm') == 7)
			add_register(instruction, RISCV_FRM, ISA_READS);
		else
			add_register(instruction, number, direction);
	}
}

/* Describes the access: "number(register)", "(register)". */
static void
describe_access(
	uint32_t opcode, const struct riscv_row *row, struct isa_instruction *instruction)
{
	const char *open = strchr(row->text, '(');
	struct isa_access *access = instruction->accesses;
	unsigned direction;
	instruction->has_accesses = true;
	if (!row->direction)
		return;
	instruction->access_count = 1;
	*access = (struct isa_access){.direction = row->direction,
		.base = (uint8_t)riscv_register_of(opcode, open ? open[1] : 's', &direction),
		.index = ISA_NO_REGISTER,
		.scale = 1,
		.size = row->size,
		.displacement = open ? riscv_immediate(opcode, open[-1]) : 0};
}

static bool
is_link(unsigned number)
{
	/* RISC-V Unprivileged ISA 2.5: hints of JALR. */
	return number == 1 || number == 5;
}

/* Describes a jump through a register, by the registers that hold return addresses. */
static unsigned
indirect_flow(uint32_t opcode)
{
	const bool is_compressed = (opcode & 3) != 3;
	const unsigned to =
		is_compressed ? riscv_field(opcode, 12, 1) : riscv_field(opcode, 7, 5);
	const unsigned from =
		is_compressed ? riscv_field(opcode, 7, 5) : riscv_field(opcode, 15, 5);
	unsigned flow = ISA_JUMPS | ISA_INDIRECT;
	if (is_link(to))
		flow |= ISA_CALLS;
	if (is_link(from) && from != to)
		flow |= ISA_RETURNS;
	return flow;
}

static void
describe_branch(
	uint32_t opcode, const struct riscv_row *row, struct isa_instruction *instruction)
{
	const char *target = strpbrk(strchr(row->text, ' '), "paJb");
	unsigned flow = ISA_JUMPS;
	if (!target) {
		instruction->flow = (uint8_t)indirect_flow(opcode);
		return;
	}
	if (*target == 'p' || *target == 'b')
		flow |= ISA_CONDITIONAL;
	else if (instruction->writes.bits[0] & (1u << 1 | 1u << 5))
		flow |= ISA_CALLS;
	instruction->flow = (uint8_t)flow;
	instruction->target_kind = ISA_TARGET_RELATIVE;
	instruction->target = riscv_immediate(opcode, *target);
}

static uint32_t
load_half(const uint8_t *bytes)
{
	return (uint32_t)(bytes[0] << 8 | bytes[1]);
}

/* Returns the bytes of the encoding that begins a block; 0: not known. */
static unsigned
length_of(const uint8_t *encoding, size_t n)
{
	/* The lowest halfword, which has the length, is the last one of an encoding. */
	const size_t lengths[] = {n, 4, 2};
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		const size_t size = lengths[i];
		if (size >= 2 && size <= n &&
			riscv_length(load_half(encoding + size - 2)) == size)
			return (unsigned)size;
	}
	return 0;
}

/* Returns the word of an encoding of 2 or 4 bytes. */
static uint32_t
load_word(const uint8_t *encoding, unsigned size)
{
	return size == 4 ? load_be32(encoding) : load_half(encoding);
}

static bool
describe(const struct isa_set *set, void *state, const uint8_t *encoding, size_t n,
	struct isa_instruction *instruction)
{
	const unsigned size = length_of(encoding, n);
	(void)state;
	instruction->length = (uint8_t)size;
	if (size != 2 && size != 4)
		return false;
	const uint32_t opcode = load_word(encoding, size);
	const struct riscv_row *row = riscv_find(opcode, (enum riscv_width)set->variant, false);
	if (!row)
		return false;
	isa_set_mnemonic(instruction, row->mnemonic);
	instruction->cls = row->cls;
	/* The registers of vector instructions are groups, by vtype. */
	instruction->has_registers = !riscv_is_vector(opcode) || size == 2;
	if (instruction->has_registers)
		describe_registers(opcode, row->text, instruction);
	describe_access(opcode, row, instruction);
	if (row->cls == ISA_BRANCH)
		describe_branch(opcode, row, instruction);
	return true;
}

static bool
print(const struct isa_set *set, void *state, const struct isa_encoding *encoding, char *text,
	size_t size)
{
	const unsigned length = length_of(encoding->bytes, encoding->size);
	(void)state;
	if (length != encoding->size || (length != 2 && length != 4))
		return false;
	const uint32_t opcode = load_word(encoding->bytes, length);
	/* The illegal instruction: RISC-V Unprivileged ISA 1.5. */
	if (length == 2 && opcode == 0)
		return snprintf(text, size, "unimp") > 0;
	return riscv_text(opcode, (enum riscv_width)set->variant, encoding->pc, text, size);
}

static const char *
register_name(const struct isa_set *set, unsigned number)
{
	(void)set;
	return riscv_register_name(number);
}

/* The numbers of x and f registers, and the frame pointer. */
static void
add_named(const struct isa_set *set, const char *name, struct isa_registers *registers)
{
	uint64_t number;
	(void)set;
	if (strcmp(name, "fp") == 0)
		bit_set(registers->bits, RISCV_X + 8);
	else if ((*name == 'x' || *name == 'f') && strlen(name) <= 3 &&
		 num_parse(name + 1, strlen(name + 1), &number) && number < 32)
		bit_set(registers->bits, (*name == 'x' ? RISCV_X : RISCV_F) + (unsigned)number);
}

/* Accesses of cycle to hpmcounter31, of their upper halves, and of those of machine mode. */
static bool
reads_counter(uint64_t opcode)
{
	const unsigned csr = opcode >> 20 & 0xfff;
	const bool is_csr = (opcode & 0x7f) == 0x73 && (opcode >> 12 & 3) != 0;
	return is_csr && (csr & ~0x9fu) == ((csr & 0xf00) == 0xc00 ? 0xc00 : 0xb00);
}

static const char *
mnemonic_at(const struct isa_set *set, size_t i, enum isa_class *cls)
{
	const struct riscv_row *row = riscv_at(i);
	if (!row)
		return NULL;
	*cls = (enum isa_class)row->cls;
	return row->mnemonic && row->widths & set->variant ? row->mnemonic : "";
}

const struct isa_set *
isa_riscv_at(size_t i)
{
#define SET(set_name, width)                                                                  \
	.name = set_name, .variant = width, .stack_register = 2, .link_register = 1,          \
	.describe = describe, .text = print, .register_name = register_name,                  \
	.add_named = add_named,                                                               \
	.register_list = "x0 to x31 or their ABI names, f0 to f31 or their ABI names, v0 to " \
			 "v31, fflags or frm",                                                \
	.mnemonic_at = mnemonic_at, .data_registers = RISCV_FFLAGS,                           \
	.reads_counter = reads_counter
	static const struct isa_set sets[] = {
		{SET("riscv32", RISCV_32)}, {SET("riscv64", RISCV_64)}};
#undef SET
	return i < sizeof sets / sizeof *sets ? &sets[i] : NULL;
}
