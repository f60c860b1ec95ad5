/* SPDX-License-Identifier: MIT */
/* The disassembly library. Encodings are passed to it big end first, as in traces. */
#include "isa/capstone.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

#ifdef POLY_WITH_CAPSTONE
#include <capstone/capstone.h>

/* More than the registers of any set. */
enum { LIBRARY_REGISTERS = 512 };

struct capstone {
	csh library;
	cs_arch arch;
	bool has_detail;
	bool has_condition; /* the last instruction was IT */
	cs_insn *decoded; /* reused for every encoding */
	struct capstone_instruction instruction;
	uint8_t numbers[LIBRARY_REGISTERS]; /* by the library's number, with CAPSTONE_PART */
	const char *names[LIBRARY_REGISTERS];
};

static cs_arch
mode_arch(enum capstone_mode mode, unsigned *bits)
{
	static const struct {
		cs_arch arch;
		unsigned bits;
	} modes[] = {
		[CAPSTONE_PPC] = {CS_ARCH_PPC, CS_MODE_64},
		[CAPSTONE_X86] = {CS_ARCH_X86, CS_MODE_32},
		[CAPSTONE_X86_16] = {CS_ARCH_X86, CS_MODE_16},
		[CAPSTONE_X86_64] = {CS_ARCH_X86, CS_MODE_64},
		[CAPSTONE_ARM] = {CS_ARCH_ARM, CS_MODE_ARM},
		[CAPSTONE_THUMB] = {CS_ARCH_ARM, CS_MODE_THUMB},
		[CAPSTONE_THUMB_M] = {CS_ARCH_ARM, (unsigned)CS_MODE_THUMB | CS_MODE_MCLASS},
		[CAPSTONE_AARCH64] = {CS_ARCH_ARM64, 0},
		[CAPSTONE_MIPS32] = {CS_ARCH_MIPS, CS_MODE_32},
		[CAPSTONE_MIPS64] = {CS_ARCH_MIPS, CS_MODE_64},
		[CAPSTONE_SPARC] = {CS_ARCH_SPARC, 0},
		[CAPSTONE_SPARC64] = {CS_ARCH_SPARC, CS_MODE_V9},
		[CAPSTONE_S390X] = {CS_ARCH_SYSZ, 0},
		[CAPSTONE_M68K] = {CS_ARCH_M68K, CS_MODE_M68K_040},
	};
	const bool is_x86 = modes[mode].arch == CS_ARCH_X86;
	*bits = modes[mode].bits | (is_x86 ? 0u : (unsigned)CS_MODE_BIG_ENDIAN);
	return modes[mode].arch;
}

static void
number_registers(struct capstone *capstone, capstone_numbering *numbering)
{
	memset(capstone->numbers, ISA_NO_REGISTER, sizeof capstone->numbers);
	/* The library lists all registers from 1 on. */
	for (unsigned i = 1; i < LIBRARY_REGISTERS; i++) {
		const char *name = cs_reg_name(capstone->library, i);
		if (!name)
			break;
		capstone->names[i] = name;
		capstone->numbers[i] = (uint8_t)numbering(name);
	}
}

static enum poly_status
open_library(struct capstone *opened, enum capstone_mode mode, capstone_numbering *numbering,
	struct poly_error *error)
{
	unsigned bits;
	opened->arch = mode_arch(mode, &bits);
	const cs_err refusal = cs_open(opened->arch, (cs_mode)bits, &opened->library);
	if (refusal == CS_ERR_MEM)
		return err_memory(error);
	if (refusal != CS_ERR_OK)
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"disassembly is refused by libcapstone: %s", cs_strerror(refusal));
	opened->has_detail = numbering != NULL;
	if (numbering) {
		cs_option(opened->library, CS_OPT_DETAIL, CS_OPT_ON);
		number_registers(opened, numbering);
	}
	opened->decoded = cs_malloc(opened->library);
	return opened->decoded ? POLY_OK : err_memory(error);
}

static void
close_library(struct capstone *capstone)
{
	if (capstone->decoded)
		cs_free(capstone->decoded, 1);
	if (capstone->library)
		cs_close(&capstone->library);
}

static uint8_t
number_of(const struct capstone *capstone, unsigned reg)
{
	const unsigned number =
		reg < LIBRARY_REGISTERS ? capstone->numbers[reg] : ISA_NO_REGISTER;
	return (uint8_t)(number == ISA_NO_REGISTER ? number : number & ~CAPSTONE_PART);
}

static bool
is_part(const struct capstone *capstone, unsigned reg)
{
	return number_of(capstone, reg) != ISA_NO_REGISTER &&
	       capstone->numbers[reg] & CAPSTONE_PART;
}

static const char *
name_of(const struct capstone *capstone, unsigned reg)
{
	return reg < LIBRARY_REGISTERS ? capstone->names[reg] : NULL;
}

/* Fills the operand of a register. */
static void
take_register(
	const struct capstone *capstone, struct capstone_operand *operand, unsigned reg)
{
	operand->kind = CAPSTONE_REGISTER;
	operand->number = number_of(capstone, reg);
	operand->is_partial = is_part(capstone, reg);
	operand->name = name_of(capstone, reg);
}

static void
take_address(const struct capstone *capstone, struct capstone_operand *operand, unsigned base,
	unsigned index)
{
	operand->kind = CAPSTONE_MEMORY;
	operand->number = number_of(capstone, base);
	operand->index = number_of(capstone, index);
	operand->name = name_of(capstone, base);
	operand->scale = 1;
}

static void
take_x86(const struct capstone *capstone, const cs_x86_op *from, struct capstone_operand *operand)
{
	operand->access = (uint8_t)(from->access & (ISA_READS | ISA_WRITES));
	operand->size = from->size;
	if (from->type == X86_OP_REG) {
		take_register(capstone, operand, from->reg);
	} else if (from->type == X86_OP_MEM) {
		take_address(capstone, operand, from->mem.base, from->mem.index);
		operand->scale = (uint8_t)from->mem.scale;
		operand->segment = number_of(capstone, from->mem.segment);
		operand->value = from->mem.disp;
	} else if (from->type == X86_OP_IMM) {
		operand->kind = CAPSTONE_IMMEDIATE;
		operand->value = from->imm;
	}
}

static void
take_arm64(
	const struct capstone *capstone, const cs_arm64_op *from, struct capstone_operand *operand)
{
	operand->access = (uint8_t)(from->access & (ISA_READS | ISA_WRITES));
	if (from->type == ARM64_OP_REG) {
		take_register(capstone, operand, from->reg);
	} else if (from->type == ARM64_OP_MEM) {
		take_address(capstone, operand, from->mem.base, from->mem.index);
		operand->value = from->mem.disp;
		if (from->mem.index)
			operand->scale = (uint8_t)(1u << (from->shift.value & 7));
	} else if (from->type == ARM64_OP_IMM) {
		operand->kind = CAPSTONE_IMMEDIATE;
		operand->value = from->imm;
	}
}

static void
take_arm(const struct capstone *capstone, const cs_arm_op *from, struct capstone_operand *operand)
{
	operand->access = (uint8_t)(from->access & (ISA_READS | ISA_WRITES));
	if (from->type == ARM_OP_REG) {
		take_register(capstone, operand, (unsigned)from->reg);
	} else if (from->type == ARM_OP_MEM) {
		const bool is_left =
			from->shift.type == ARM_SFT_INVALID || from->shift.type == ARM_SFT_LSL;
		const unsigned shift = is_left ? from->shift.value : 8;
		take_address(capstone, operand, from->mem.base, from->mem.index);
		operand->value = from->mem.disp;
		if (from->mem.index)
			operand->scale =
				(uint8_t)(from->subtracted || from->mem.scale < 0 || shift > 7
						  ? 0u
						  : 1u << shift);
	} else if (from->type == ARM_OP_IMM) {
		operand->kind = CAPSTONE_IMMEDIATE;
		operand->value = from->subtracted ? -(int64_t)from->imm : from->imm;
	}
}

static void
take_operands(struct capstone *capstone, const cs_detail *detail)
{
	struct capstone_instruction *instruction = &capstone->instruction;
	const bool is_arm = capstone->arch == CS_ARCH_ARM,
		   is_arm64 = capstone->arch == CS_ARCH_ARM64;
	const unsigned count = is_arm	  ? detail->arm.op_count
			       : is_arm64 ? detail->arm64.op_count
					  : detail->x86.op_count;
	const unsigned n = count < CAPSTONE_OPERANDS_MAX ? count : CAPSTONE_OPERANDS_MAX;
	instruction->operand_count = (uint8_t)n;
	for (unsigned i = 0; i < n; i++) {
		struct capstone_operand *operand = &instruction->operand[i];
		*operand = (struct capstone_operand){.number = ISA_NO_REGISTER,
			.index = ISA_NO_REGISTER,
			.segment = ISA_NO_REGISTER};
		if (is_arm)
			take_arm(capstone, &detail->arm.operands[i], operand);
		else if (is_arm64)
			take_arm64(capstone, &detail->arm64.operands[i], operand);
		else
			take_x86(capstone, &detail->x86.operands[i], operand);
	}
	instruction->writes_base = (is_arm && detail->arm.writeback) ||
				   (is_arm64 && detail->arm64.writeback);
	instruction->is_conditional =
		is_arm && detail->arm.cc != ARM_CC_INVALID && detail->arm.cc != ARM_CC_AL;
}

static void
add_register(const struct capstone *capstone, struct isa_registers *registers, unsigned reg)
{
	const unsigned number = number_of(capstone, reg);
	if (number < ISA_REGISTERS_MAX)
		registers->bits[number / 64] |= (uint64_t)1 << number % 64;
}

static void
take_implicit(struct capstone *capstone, const cs_detail *detail)
{
	struct capstone_instruction *instruction = &capstone->instruction;
	instruction->reads = instruction->writes = instruction->writes_part =
		(struct isa_registers){{0}};
	for (unsigned i = 0; i < detail->regs_read_count; i++)
		add_register(capstone, &instruction->reads, detail->regs_read[i]);
	for (unsigned i = 0; i < detail->regs_write_count; i++) {
		const unsigned reg = detail->regs_write[i];
		add_register(capstone, &instruction->writes, reg);
		if (is_part(capstone, reg))
			add_register(capstone, &instruction->writes_part, reg);
	}
}

static unsigned
x86_group(unsigned group)
{
	switch (group) {
	case X86_GRP_FPU: return CAPSTONE_FPU;
	case X86_GRP_3DNOW:
	case X86_GRP_AES:
	case X86_GRP_AVX:
	case X86_GRP_AVX2:
	case X86_GRP_AVX512:
	case X86_GRP_F16C:
	case X86_GRP_FMA:
	case X86_GRP_FMA4:
	case X86_GRP_MMX:
	case X86_GRP_SHA:
	case X86_GRP_SSE1:
	case X86_GRP_SSE2:
	case X86_GRP_SSE3:
	case X86_GRP_SSE41:
	case X86_GRP_SSE42:
	case X86_GRP_SSE4A:
	case X86_GRP_SSSE3:
	case X86_GRP_PCLMUL:
	case X86_GRP_XOP: return CAPSTONE_VECTOR;
	default: return 0;
	}
}

static unsigned
groups_of(const struct capstone *capstone, const cs_detail *detail)
{
	unsigned groups = 0;
	for (unsigned i = 0; i < detail->groups_count; i++) {
		const unsigned group = detail->groups[i];
		groups |= group == CS_GRP_JUMP			? CAPSTONE_JUMPS
			  : group == CS_GRP_CALL		? CAPSTONE_CALLS
			  : group == CS_GRP_RET			? CAPSTONE_RETURNS
			  : group == CS_GRP_BRANCH_RELATIVE	? CAPSTONE_RELATIVE
			  : group == CS_GRP_PRIVILEGE		? CAPSTONE_PRIVILEGED
			  : capstone->arch == CS_ARCH_X86	? x86_group(group)
								: 0u;
	}
	return groups;
}

/*
 * The library prints the conditions of an IT instruction at those that it decodes next,
 * wherever they are. Four instructions end each IT block.
 */
static void
end_condition(struct capstone *capstone)
{
	static const uint8_t nop[] = {0xbf, 0x00};
	for (unsigned i = 0; i < 4; i++) {
		const uint8_t *bytes = nop;
		size_t n = sizeof nop;
		uint64_t pc = 0;
		cs_disasm_iter(capstone->library, &bytes, &n, &pc, capstone->decoded);
	}
	capstone->has_condition = false;
}

const struct capstone_instruction *
capstone_decode(struct capstone *capstone, const struct isa_encoding *encoding)
{
	struct capstone_instruction *instruction = &capstone->instruction;
	const uint8_t *bytes = encoding->bytes;
	size_t n = encoding->size;
	uint64_t pc = encoding->pc;
	cs_insn *decoded = capstone->decoded;
	if (capstone->has_condition)
		end_condition(capstone);
	if (!cs_disasm_iter(capstone->library, &bytes, &n, &pc, decoded))
		return NULL;
	instruction->mnemonic = decoded->mnemonic;
	instruction->operands = decoded->op_str;
	instruction->length = (uint8_t)decoded->size;
	capstone->has_condition = capstone->arch == CS_ARCH_ARM && decoded->size == 2 &&
				  strncmp(decoded->mnemonic, "it", 2) == 0;
	if (!capstone->has_detail)
		return instruction;
	instruction->groups = (uint8_t)groups_of(capstone, decoded->detail);
	take_implicit(capstone, decoded->detail);
	take_operands(capstone, decoded->detail);
	return instruction;
}
#else
/* Without the library nothing can be opened. */
struct capstone {
	char unused;
};

static enum poly_status
open_library(struct capstone *opened, enum capstone_mode mode, capstone_numbering *numbering,
	struct poly_error *error)
{
	(void)opened, (void)mode, (void)numbering;
	return err_missing(error, "disassembly", "libcapstone-dev");
}

static void
close_library(struct capstone *capstone)
{
	(void)capstone;
}

const struct capstone_instruction *
capstone_decode(struct capstone *capstone, const struct isa_encoding *encoding)
{
	(void)capstone, (void)encoding;
	return NULL;
}
#endif

bool
capstone_is_available(void)
{
#ifdef POLY_WITH_CAPSTONE
	return true;
#else
	return false;
#endif
}

enum poly_status
capstone_open(enum capstone_mode mode, capstone_numbering *numbering,
	struct capstone **capstone, struct poly_error *error)
{
	*capstone = mem_new(1, sizeof **capstone);
	if (!*capstone)
		return err_memory(error);
	const enum poly_status status = open_library(*capstone, mode, numbering, error);
	if (status != POLY_OK) {
		capstone_close(*capstone);
		*capstone = NULL;
	}
	return status;
}

void
capstone_close(struct capstone *capstone)
{
	if (!capstone)
		return;
	close_library(capstone);
	mem_free(capstone);
}
