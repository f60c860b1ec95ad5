/* SPDX-License-Identifier: MIT */
/*
 * Decodes PowerPC encodings by the table: class, line of the table, bytes and address of the
 * access, branch target.
 *
 * spec: TT6 trace format (classes), Apple amber traces 2.4, 4.2, 4.3, 4.8.
 */
#include "isa/powerpc.h"

#include "base/bits.h"

/* The words of powerpc.def. */
enum {
	NOTHING = -1,
	READ = POLY_ACCESS_READ,
	WRITE = POLY_ACCESS_WRITE,
	PREFETCH = POLY_ACCESS_PREFETCH,
	CACHE = POLY_ACCESS_CACHE,
	UPDATE = POWERPC_UPDATE,
	INDEXED = POWERPC_INDEXED,
	NO_OFFSET = POWERPC_NO_OFFSET,
	DS_FORM = POWERPC_DS_FORM,
	DQ_FORM = POWERPC_DQ_FORM,
	ALIGNED = POWERPC_ALIGNED,
	BY_LINE = POWERPC_BY_LINE,
	MULTIPLE = POWERPC_MULTIPLE,
	STRING = POWERPC_STRING
};

#define RUN(mnemonic, layout, primary, extended, unit, operands) \
	MEM(mnemonic, layout, primary, extended, COMPUTE, NOTHING, 0, 0, unit, operands)
#define FLOW(mnemonic, layout, primary, extended, operands) \
	MEM(mnemonic, layout, primary, extended, FLOW, NOTHING, 0, 0, BRANCH, operands)
#define OUT(mnemonic, layout, primary, extended, access, size, flags, unit, operands) \
	MEM(mnemonic, layout, primary, extended, COMPUTE, access, size,               \
		(flags) | POWERPC_OUTSIDE, unit, operands)

/* The number of every line, named by its layout and opcodes; 0 is that of unknown encodings. */
#define MEM(mnemonic, layout, primary, extended, ...) ROW_##layout##_##primary##_##extended,
enum row {
	ROW_UNKNOWN,
#include "isa/powerpc.def"
};
#undef MEM

static const struct powerpc_instruction rows[] = {
	{.operands = "", .cls = POWERPC_COMPUTE, .access = NOTHING, .unit = POWERPC_SYSTEM},
#define MEM(mnemonic, layout, primary, extended, cls, access, size, flags, unit, operands) \
	{mnemonic, operands, POWERPC_##cls, access, size, POWERPC_##unit, flags},
#include "isa/powerpc.def"
#undef MEM
};

/* First slot of each primary opcode with extended opcodes; A: of the short ones. */
enum {
	AT_4 = 64,
	AT_4A = AT_4 + 2048,
	AT_6 = AT_4A + 64,
	AT_19 = AT_6 + 16,
	AT_30 = AT_19 + 1024,
	AT_31 = AT_30 + 16,
	AT_57 = AT_31 + 1024,
	AT_58 = AT_57 + 4,
	AT_59A = AT_58 + 4,
	AT_61 = AT_59A + 32,
	AT_62 = AT_61 + 8,
	AT_63 = AT_62 + 4,
	AT_63A = AT_63 + 1024,
	SLOTS = AT_63A + 32
};

/* The slots of a line, by its layout. */
#define SLOTS_D(primary, extended, row) [primary] = row,
#define SLOTS_X(primary, extended, row) [AT_##primary + extended] = row,
#define SLOTS_DS(primary, extended, row) [AT_##primary + extended] = row,
#define SLOTS_MDS(primary, extended, row) [AT_##primary + extended] = row,
#define SLOTS_VX(primary, extended, row) [AT_##primary + extended] = row,
#define SLOTS_A(primary, extended, row) [AT_##primary##A + extended] = row,
#define SLOTS_VA(primary, extended, row) [AT_##primary##A + extended] = row,
#define SLOTS_XO(primary, extended, row) \
	[AT_##primary + extended] = row, [AT_##primary + 512 + extended] = row,
#define SLOTS_VC(primary, extended, row) \
	[AT_##primary + extended] = row, [AT_##primary + 1024 + extended] = row,
#define SLOTS_MD(primary, extended, row) \
	[AT_##primary + 2 * extended] = row, [AT_##primary + 2 * extended + 1] = row,
#define SLOTS_XS(primary, extended, row) SLOTS_MD(primary, extended, row)

#define MEM(mnemonic, layout, primary, extended, ...) \
	SLOTS_##layout(primary, extended, ROW_##layout##_##primary##_##extended)
static const uint16_t row_of_slot[SLOTS] = {
#include "isa/powerpc.def"
};
#undef MEM

/*
 * The classes, of the lines that are not of class compute. In 58 and 62 the first line speaks
 * for all.
 */
enum { CLASS_AT_31 = 64, CLASS_AT_19 = CLASS_AT_31 + 1024 };
#define CLASS_D(primary, extended, cls) [primary] = POWERPC_##cls,
#define CLASS_X(primary, extended, cls) [CLASS_AT_##primary + extended] = POWERPC_##cls,
#define CLASS_DS(primary, extended, cls) CLASS_DS_##extended(primary, cls)
#define CLASS_DS_0(primary, cls) [primary] = POWERPC_##cls,
#define CLASS_DS_1(primary, cls)
#define CLASS_DS_2(primary, cls)
#define CLASS_DS_3(primary, cls)
#define MEM(mnemonic, layout, primary, extended, cls, ...) \
	CLASS_##layout(primary, extended, cls)
#undef RUN
#undef OUT
#define RUN(...)
#define OUT(...)
const struct powerpc_classes powerpc_classes = {
	.base = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, CLASS_AT_19,
		20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, CLASS_AT_31, 32, 33, 34, 35, 36, 37,
		38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57,
		58, 59, 60, 61, 62, 63},
	.mask = {[19] = 1023, [31] = 1023},
	.classes = {
#include "isa/powerpc.def"
	}};
#undef MEM

static unsigned
slot_of(uint32_t opcode)
{
	bool is_short = opcode & 0x20;
	uint32_t minor = opcode >> 1;
	switch (opcode >> 26) {
	case 4: return is_short ? AT_4A + (opcode & 63) : AT_4 + (opcode & 2047);
	case 6: return AT_6 + (opcode & 15);
	case 19: return AT_19 + (minor & 1023);
	case 30: return AT_30 + (minor & 15);
	case 31: return AT_31 + (minor & 1023);
	case 57: return AT_57 + (opcode & 3);
	case 58: return AT_58 + (opcode & 3);
	case 59: return AT_59A + (minor & 31);
	case 61: return AT_61 + (opcode & 7);
	case 62: return AT_62 + (opcode & 3);
	case 63: return is_short ? AT_63A + (minor & 31) : AT_63 + (minor & 1023);
	default: return opcode >> 26;
	}
}

const struct powerpc_instruction *
powerpc_find(uint32_t opcode)
{
	return &rows[row_of_slot[slot_of(opcode)]];
}

const struct powerpc_instruction *
powerpc_at(size_t i)
{
	return i + 1 < sizeof rows / sizeof *rows ? &rows[i + 1] : NULL;
}

enum powerpc_class
powerpc_class(uint32_t opcode)
{
	return (enum powerpc_class)powerpc_class_fast(opcode);
}

uint32_t
powerpc_size(uint32_t opcode, uint32_t third, uint32_t line)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	if (found->flags & POWERPC_BY_LINE)
		return line;
	if (found->flags & POWERPC_MULTIPLE)
		return 4 * (32 - (opcode >> 21 & 31));
	if (!(found->flags & POWERPC_STRING))
		return found->size;
	if (found->flags & POWERPC_INDEXED)
		return third & 0x7f;
	uint32_t count = opcode >> 11 & 31;
	return count ? count : 32;
}

/* Conditions of BO: 4 = do not count, 16 = do not test; the bits of bc, bclr and bcctr. */
static bool
is_unconditional(uint32_t opcode)
{
	return (opcode >> 21 & 0x14) == 0x14;
}

struct powerpc_branch
powerpc_branch(uint32_t opcode, uint32_t pc)
{
	struct powerpc_branch branch = {.link = opcode & 1};
	uint32_t primary = opcode >> 26, minor = opcode >> 1 & 1023;
	uint32_t from = opcode & 2 ? 0 : pc;
	if (primary == 18) {
		branch.is_branch = branch.has_target = branch.always = true;
		branch.target = from + (uint32_t)sign_extend(opcode & 0x3fffffc, 26);
	} else if (primary == 16) {
		branch.is_branch = branch.has_target = true;
		branch.always = is_unconditional(opcode);
		branch.target = from + (uint32_t)sign_extend(opcode & 0xfffc, 16);
	} else if (primary == 19 && (minor == 16 || minor == 528)) {
		branch.is_branch = true;
		branch.always = is_unconditional(opcode);
	}
	branch.link = branch.link && branch.is_branch;
	return branch;
}

int64_t
powerpc_displacement(uint32_t opcode)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	if (found->access < 0 || found->flags & (POWERPC_INDEXED | POWERPC_NO_OFFSET))
		return 0;
	uint32_t cleared = found->flags & POWERPC_DS_FORM ? 3 : 0;
	if (found->flags & POWERPC_DQ_FORM)
		cleared = 15;
	return sign_extend(opcode & 0xffff & ~cleared, 16);
}

bool
powerpc_address(
	uint32_t opcode, const struct poly_powerpc_state *state, bool wide, uint64_t *address)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	if (found->access < 0)
		return false;
	unsigned ra = opcode >> 16 & 31;
	bool is_zero = ra == 0 && !(found->flags & POWERPC_UPDATE);
	uint64_t sum = is_zero ? 0 : state->gpr[ra];
	if (found->flags & POWERPC_INDEXED)
		sum += state->gpr[opcode >> 11 & 31];
	sum += (uint64_t)powerpc_displacement(opcode);
	sum &= ~(uint64_t)powerpc_ignored_bits(found);
	*address = wide ? sum : (uint32_t)sum;
	return true;
}
