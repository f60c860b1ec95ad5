/* SPDX-License-Identifier: MIT */
/*
 * PowerPC: descriptions from the table; its text is the library's put right: decimal numbers
 * with their sign, and the table's own text where Capstone 4 knows an instruction wrongly or
 * not at all.
 */
#include "isa/capstone.h"
#include "isa/powerpc.h"
#include "isa/set.h"

#include "base/bits.h"
#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* bcl 20,31,$+4 only reads the PC in position-independent code; it is not a call. */
#define BCL_NEXT 0x429f0005u

/* Room for the operands of an instruction. */
#define OPERANDS_SIZE 200

static enum isa_class
class_of(unsigned unit)
{
	static const uint8_t classes[POWERPC_UNIT_COUNT] = {
		[POWERPC_INTEGER] = ISA_INTEGER,
		[POWERPC_FLOAT] = ISA_FLOAT,
		[POWERPC_VECTOR] = ISA_VECTOR,
		[POWERPC_LOAD] = ISA_LOAD,
		[POWERPC_STORE] = ISA_STORE,
		[POWERPC_BRANCH] = ISA_BRANCH,
		[POWERPC_CACHE_UNIT] = ISA_CACHE,
		[POWERPC_SYSTEM] = ISA_SYSTEM,
	};
	return (enum isa_class)classes[unit];
}

static uint8_t
flow_of(uint32_t opcode, const struct powerpc_branch *branch)
{
	unsigned flow = 0;
	if (!branch->is_branch)
		return 0;
	flow |= ISA_JUMPS;
	flow |= branch->always ? 0u : ISA_CONDITIONAL;
	flow |= branch->has_target ? 0u : ISA_INDIRECT;
	if (branch->link)
		flow |= opcode == BCL_NEXT ? 0u : ISA_CALLS;
	else if (opcode >> 26 == 19 && (opcode >> 1 & 0x3ff) == 16)
		flow |= ISA_RETURNS;
	return (uint8_t)flow;
}

static void
describe_branch(uint32_t opcode, struct isa_instruction *instruction)
{
	const struct powerpc_branch branch = powerpc_branch(opcode, 0);
	instruction->flow = flow_of(opcode, &branch);
	if (!branch.has_target)
		return;
	instruction->target_kind = opcode & 2 ? ISA_TARGET_ABSOLUTE : ISA_TARGET_RELATIVE;
	instruction->target = (int32_t)branch.target;
}

/* Describes the access of a load, store or cache operation. */
static void
describe_access(uint32_t opcode, const struct powerpc_instruction *found,
	struct isa_instruction *instruction)
{
	struct isa_access *access = instruction->accesses;
	const unsigned ra = opcode >> 16 & 31, rb = opcode >> 11 & 31;
	const bool has_base = ra || found->flags & POWERPC_UPDATE;
	instruction->has_accesses = true;
	if (found->access != POLY_ACCESS_READ && found->access != POLY_ACCESS_WRITE)
		return;
	instruction->access_count = 1;
	*access = (struct isa_access){
		.direction = found->access == POLY_ACCESS_WRITE ? ISA_WRITES : ISA_READS,
		.base = has_base ? (uint8_t)(POWERPC_GPR + ra) : ISA_NO_REGISTER,
		.index = found->flags & POWERPC_INDEXED ? (uint8_t)(POWERPC_GPR + rb)
							: ISA_NO_REGISTER,
		.scale = 1,
		.size = powerpc_size(opcode, 0, 0),
		.displacement = powerpc_displacement(opcode),
	};
}

/* Describes bctar, a branch to the register TAR, which is not among the amber formats'
 * encodings; conditions are those of bclr. Power ISA 2.07 I 2.4. False: not bctar. */
static bool
describe_bctar(uint32_t opcode, struct isa_instruction *instruction)
{
	enum { MINOR = 0x7fe, BCTAR = 560 << 1, BCLR = 16 << 1 };
	const struct powerpc_branch branch =
		powerpc_branch((opcode & ~(uint32_t)MINOR) | BCLR, 0);
	if (opcode >> 26 != 19 || (opcode & MINOR) != BCTAR)
		return false;
	isa_set_mnemonic(instruction, "bctar");
	instruction->cls = ISA_BRANCH;
	instruction->flow = flow_of(opcode, &branch);
	instruction->has_accesses = true;
	return true;
}

static bool
describe(const struct isa_set *set, void *state, const uint8_t *encoding, size_t n,
	struct isa_instruction *instruction)
{
	(void)set, (void)state;
	if (n < 4)
		return false;
	const uint32_t opcode = load_be32(encoding);
	const struct powerpc_instruction *found = powerpc_find(opcode);
	instruction->length = 4;
	if (!found->mnemonic)
		return describe_bctar(opcode, instruction);
	isa_set_mnemonic(instruction, found->mnemonic);
	instruction->cls = (uint8_t)class_of(found->unit);
	describe_branch(opcode, instruction);
	describe_access(opcode, found, instruction);
	instruction->has_registers =
		powerpc_registers(opcode, &instruction->reads, &instruction->writes);
	return true;
}

/*
 * Copies operands with numbers in decimal: Capstone prints those above 9 in hexadecimal, and
 * signed immediates as if they had no sign.
 */
static void
copy_operands(char *dst, size_t size, const char *from, bool has_signed)
{
	size_t used = 0;
	while (*from && used + 24 < size) {
		if (from[0] != '0' || from[1] != 'x') {
			dst[used++] = *from++;
			continue;
		}
		size_t digits = strspn(from + 2, "0123456789abcdef");
		uint64_t value = 0;
		num_parse_hex(from + 2, digits, &value);
		from += 2 + digits;
		if (has_signed && value <= 0xffff)
			value = (uint64_t)sign_extend(value, 16);
		if (value >> 63) {
			dst[used++] = '-';
			value = 0 - value;
		}
		used += num_decimal(dst + used, value);
	}
	dst[used] = '\0';
}

/* Writes the library's text in this project's style; false if it knows none. */
static bool
library_text(
	struct capstone *library, const struct isa_encoding *encoding, char *text, size_t size)
{
	char operands[OPERANDS_SIZE];
	const struct capstone_instruction *printed =
		library ? capstone_decode(library, encoding) : NULL;
	if (!printed)
		return false;
	const char *kinds = powerpc_find(load_be32(encoding->bytes))->operands;
	copy_operands(operands, sizeof operands, printed->operands, strchr(kinds, 'i') != NULL);
	snprintf(text, size, "%s%s%s", printed->mnemonic, *operands ? " " : "", operands);
	return true;
}

static bool
print(const struct isa_set *set, void *state, const struct isa_encoding *encoding, char *text,
	size_t size)
{
	(void)set;
	if (encoding->size != 4)
		return false;
	const uint32_t opcode = load_be32(encoding->bytes);
	return powerpc_text(opcode, encoding->pc, true, text, size) ||
	       library_text(state, encoding, text, size) ||
	       powerpc_text(opcode, encoding->pc, false, text, size);
}

/* Descriptions need no library, and text is complete with it. */
static enum poly_status
open_state(const struct isa_set *set, void **state, struct poly_error *error)
{
	struct capstone *library;
	(void)set;
	enum poly_status status = capstone_open(CAPSTONE_PPC, NULL, &library, error);
	*state = library;
	return status == POLY_ERR_UNSUPPORTED ? POLY_OK : status;
}

static void
close_state(void *state)
{
	capstone_close(state);
}

static const char *
register_name(const struct isa_set *set, unsigned number)
{
	static const char *const special[] = {
		"xer", "lr", "ctr", "msr", "fpscr", "vscr", "vrsave", "mq"};
	static const char *const names[POWERPC_XER] = {
#define EIGHT(file, a, b, c, d, e, f, g, h) \
	file #a, file #b, file #c, file #d, file #e, file #f, file #g, file #h
#define FILE_OF_32(file)                                                                \
	EIGHT(file, 0, 1, 2, 3, 4, 5, 6, 7), EIGHT(file, 8, 9, 10, 11, 12, 13, 14, 15), \
		EIGHT(file, 16, 17, 18, 19, 20, 21, 22, 23),                            \
		EIGHT(file, 24, 25, 26, 27, 28, 29, 30, 31)
		FILE_OF_32("r"), FILE_OF_32("f"), FILE_OF_32("v"),
		EIGHT("cr", 0, 1, 2, 3, 4, 5, 6, 7)};
	(void)set;
	if (number < POWERPC_XER)
		return names[number];
	return number < POWERPC_REGISTER_COUNT ? special[number - POWERPC_XER] : NULL;
}

/* "cr" is all fields of the condition register. */
static void
add_named(const struct isa_set *set, const char *name, struct isa_registers *registers)
{
	(void)set;
	for (unsigned i = POWERPC_CR; strcmp(name, "cr") == 0 && i < POWERPC_CR + 8; i++)
		registers->bits[i / 64] |= (uint64_t)1 << i % 64;
}

static const char *
mnemonic_at(const struct isa_set *set, size_t i, enum isa_class *cls)
{
	const struct powerpc_instruction *line = powerpc_at(i);
	(void)set;
	if (!line)
		return NULL;
	*cls = class_of(line->unit);
	/* Some lines describe encodings of which only the class is known. */
	return line->mnemonic ? line->mnemonic : "";
}

/* spec: PowerPC architecture, book II (dcb*, icbi); AltiVec (dst, dstst). */
static enum isa_cache
cache_operation(uint64_t opcode)
{
	if ((opcode >> 26 & 63) != 31)
		return ISA_CACHE_NONE;
	switch (opcode >> 1 & 1023) {
	case 54: return ISA_CACHE_CLEAN;
	case 86: return ISA_CACHE_FLUSH;
	case 470: return ISA_CACHE_INVALIDATE;
	case 758:
	case 1014: return ISA_CACHE_ALLOCATE;
	case 982: return ISA_CACHE_CODE;
	case 246:
	case 278: return ISA_CACHE_PREFETCH;
	case 342:
	case 374: return ISA_CACHE_STREAM;
	default: return ISA_CACHE_NONE;
	}
}

const struct isa_set *
isa_powerpc_at(size_t i)
{
	static const struct isa_set powerpc = {
		.name = "powerpc",
		.stack_register = 1,
		.link_register = POWERPC_LR,
		.open = open_state,
		.close = close_state,
		.describe = describe,
		.text = print,
		.cache_operation = cache_operation,
		.register_name = register_name,
		.register_list = "r0 to r31, f0 to f31, v0 to v31, cr, cr0 to cr7, xer, lr, "
				 "ctr, msr, fpscr, vscr, vrsave or mq",
		.add_named = add_named,
		.mnemonic_at = mnemonic_at,
	};
	return i == 0 ? &powerpc : NULL;
}
