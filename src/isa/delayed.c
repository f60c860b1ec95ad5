/* SPDX-License-Identifier: MIT */
/*
 * MIPS and SPARC: flow by the encoding, class by the library's mnemonic, and for MIPS the
 * general registers by the fields of the encoding.
 *
 * spec: MIPS32 volume II; SPARC V9 A.
 */
#include "isa/capstone_sets.h"

#include "base/bits.h"
#include "isa/mnemonic.h"

#include <string.h>

/* MIPS registers; those of floating point are not known. */
enum { ZERO, LINK = 31, HI, LO, MIPS_REGISTER_COUNT };

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static const char *
mips_register_name(unsigned number)
{
	static const char *const names[MIPS_REGISTER_COUNT] = {"zero", "at", "v0", "v1", "a0",
		"a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "s0", "s1", "s2",
		"s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra", "hi",
		"lo"};
	return number < MIPS_REGISTER_COUNT ? names[number] : NULL;
}

/* A branch by its 16-bit displacement in words, from the delay slot. */
static void
branch(struct isa_instruction *instruction, uint32_t word, unsigned flow)
{
	instruction->flow = (uint8_t)(ISA_JUMPS | ISA_DELAYED | flow);
	instruction->target_kind = ISA_TARGET_RELATIVE;
	instruction->target = 4 + (int64_t)(int16_t)word * 4;
}

/* BLTZ to BGEZALL: bit 17 is "likely", bit 20 links. */
static void
register_branch(struct isa_instruction *instruction, uint32_t word)
{
	const unsigned rt = word >> 16 & 31, rs = word >> 21 & 31;
	if ((rt & 0xc) != 0)
		return; /* traps */
	/* BAL is BGEZAL of the zero register. */
	const bool is_always = rs == 0 && rt & 1 && !(rt & 2);
	branch(instruction, word,
		(is_always ? 0u : ISA_CONDITIONAL) | (rt & 2 ? ISA_ANNULS : 0u) |
			(rt & 16 ? ISA_CALLS : 0u));
}

static void
mips_flow(uint32_t word, struct isa_instruction *instruction)
{
	const unsigned primary = word >> 26, rs = word >> 21 & 31, rt = word >> 16 & 31,
		       rd = word >> 11 & 31, function = word & 63;
	if (primary == 0 && (function == 8 || function == 9)) {
		const bool links = function == 9 && rd != 0;
		instruction->flow =
			(uint8_t)(ISA_JUMPS | ISA_INDIRECT | ISA_DELAYED |
				  (links ? ISA_CALLS : rs == LINK ? ISA_RETURNS : 0));
	} else if (primary == 1) {
		register_branch(instruction, word);
	} else if (primary == 2 || primary == 3 || primary == 29) {
		instruction->flow = (uint8_t)(ISA_JUMPS | ISA_DELAYED | (primary != 2 ? ISA_CALLS : 0));
		instruction->target_kind = ISA_TARGET_REGION;
		instruction->target = (int64_t)(word & 0x3ffffff) * 4;
	} else if ((primary >= 4 && primary <= 7) || (primary >= 20 && primary <= 23)) {
		const bool is_always = primary == 4 && rs == rt;
		branch(instruction, word,
			(is_always ? 0u : ISA_CONDITIONAL) | (primary >= 20 ? ISA_ANNULS : 0u));
	} else if (primary == 17 && rs == 8) {
		branch(instruction, word, ISA_CONDITIONAL | (rt & 2 ? ISA_ANNULS : 0u));
	}
}

/* Bytes of a load or store by its primary opcode, from 32 on; 0: it is neither. Unaligned
 * halves, LWL to SDR, access an unknown part. */
static bool
mips_access(uint32_t word, struct isa_instruction *instruction)
{
	static const uint8_t sizes[32] = {[0] = 1, [1] = 2, [3] = 4, [4] = 1, [5] = 2, [7] = 4,
		[8] = 1, [9] = 2, [11] = 4, [16] = 4, [17] = 4, [20] = 8, [21] = 8, [23] = 8,
		[24] = 4, [25] = 4, [28] = 8, [29] = 8, [31] = 8};
	/* LWL, LWR, SWL, SDL, SDR, SWR; and LDL, LDR. */
	const uint32_t parts = 1u << 2 | 1u << 6 | 1u << 10 | 1u << 12 | 1u << 13 | 1u << 14;
	const unsigned primary = word >> 26, i = primary & 31;
	const bool is_part = (primary >= 32 && parts >> i & 1) || primary == 26 || primary == 27;
	const bool is_store = primary >= 32 && i >= 8 && (i < 16 || i >= 24);
	if (!is_part && (primary < 32 || !sizes[i]))
		return false;
	instruction->access_count = 1;
	instruction->accesses[0] = (struct isa_access){
		.direction = is_store ? ISA_WRITES : ISA_READS,
		.base = (uint8_t)(word >> 21 & 31),
		.index = ISA_NO_REGISTER,
		.scale = 1,
		.size = is_part ? 0u : sizes[i],
		.displacement = (int16_t)word};
	return true;
}

static void
mips_add(struct isa_registers *registers, unsigned number)
{
	if (number != ZERO)
		registers_add(registers, number);
}

/* The special opcode: shifts, moves, HI and LO, arithmetic. */
static bool
mips_special(uint32_t word, struct isa_instruction *instruction)
{
	struct isa_registers *reads = &instruction->reads, *writes = &instruction->writes;
	const unsigned function = word & 63, rd = word >> 11 & 31;
	const bool is_shift = function < 4 || function >= 56;
	if (!is_shift && function != 16 && function != 18 && function != 15)
		mips_add(reads, word >> 21 & 31);
	if (function != 8 && function != 9 && function != 17 && function != 19 &&
		function != 12 && function != 13 && function != 15)
		mips_add(reads, word >> 16 & 31);
	switch (function) {
	case 16: registers_add(reads, HI); break;
	case 18: registers_add(reads, LO); break;
	case 17: registers_add(writes, HI); return true;
	case 19: registers_add(writes, LO); return true;
	case 1: return false; /* MOVF, MOVT: conditions of floating point */
	default: break;
	}
	if (function >= 24 && function < 32) {
		registers_add(writes, HI);
		registers_add(writes, LO);
		return true;
	}
	if (function == 8 || function == 12 || function == 13 || function == 15 ||
		(function >= 48 && function < 56))
		return true;
	if (function == 10 || function == 11)
		mips_add(reads, rd); /* MOVZ and MOVN may keep it */
	mips_add(writes, rd);
	return true;
}

/* The general registers; false: the instruction has others, or is not in this table. */
static bool
mips_registers(uint32_t word, struct isa_instruction *instruction)
{
	struct isa_registers *reads = &instruction->reads, *writes = &instruction->writes;
	const unsigned primary = word >> 26, rs = word >> 21 & 31, rt = word >> 16 & 31;
	if (primary == 0)
		return mips_special(word, instruction);
	if (primary == 3) {
		registers_add(writes, LINK);
		return true;
	}
	if (primary == 2)
		return true;
	if (primary >= 32 && primary != 47 && primary != 51 && (primary & 0x37) >= 0x31 &&
		(primary & 3) != 0 && primary != 55 && primary != 63)
		return false; /* coprocessors */
	if ((primary > 15 && primary < 20) || (primary > 27 && primary < 32))
		return false; /* coprocessors; SPECIAL2, JALX, MDMX, SPECIAL3 */
	if (primary != 15)
		mips_add(reads, rs);
	if (primary == 1 && rt & 16)
		registers_add(writes, LINK);
	if (primary == 1 || primary == 6 || primary == 7 || primary == 22 || primary == 23 ||
		primary == 47 || primary == 51)
		return true;
	const bool is_store = primary >= 40 && (primary < 48 || primary >= 56);
	if (primary == 4 || primary == 5 || primary == 20 || primary == 21 || is_store)
		mips_add(reads, rt);
	else
		mips_add(writes, rt);
	/* Parts of a word leave the rest of the register; SC writes whether it stored. */
	if (primary == 34 || primary == 38 || primary == 26 || primary == 27)
		mips_add(reads, rt);
	if (primary == 56 || primary == 60)
		mips_add(writes, rt);
	return true;
}

static bool
mips_is_float(const char *name)
{
	const char *point = strrchr(name, '.');
	return (point && (strcmp(point, ".s") == 0 || strcmp(point, ".d") == 0 ||
				 strcmp(point, ".ps") == 0 || strcmp(point, ".w") == 0 ||
				 strcmp(point, ".l") == 0)) ||
	       mnemonic_is_among(
		       " mtc1 mfc1 dmtc1 dmfc1 cfc1 ctc1 mthc1 mfhc1 movf movt ", name);
}

static enum isa_class
mips_class(const struct isa_instruction *instruction)
{
	static const char *const systems =
		" syscall break di ei wait rdhwr deret eret teq tne tge tgeu tlt tltu teqi tnei "
		"tgei tgeiu tlti tltiu sdbbp ";
	static const char *const multiplies =
		" mult multu dmult dmultu mul madd maddu msub msubu muh muhu mulu ";
	static const char *const divides = " div divu ddiv ddivu mod modu ";
	const char *name = instruction->mnemonic;
	if (instruction->flow)
		return ISA_BRANCH;
	if (mnemonic_is_among(" ll lld sc scd ", name))
		return ISA_ATOMIC;
	if (mnemonic_is_among(" pref prefx cache ", name))
		return ISA_CACHE;
	if (begins(name, "sync"))
		return ISA_FENCE;
	if (instruction->access_count)
		return instruction->accesses[0].direction == ISA_READS ? ISA_LOAD : ISA_STORE;
	if (mnemonic_is_among(" lwxc1 ldxc1 luxc1 ", name))
		return ISA_LOAD;
	if (mnemonic_is_among(" swxc1 sdxc1 suxc1 ", name))
		return ISA_STORE;
	if (mnemonic_is_among(systems, name) || begins(name, "tlb") || begins(name, "mfc0") ||
		begins(name, "mtc0") || begins(name, "dmfc0") || begins(name, "dmtc0"))
		return ISA_SYSTEM;
	if (mips_is_float(name))
		return ISA_FLOAT;
	if (mnemonic_is_among(multiplies, name))
		return ISA_MULTIPLY;
	return mnemonic_is_among(divides, name) ? ISA_DIVIDE : ISA_INTEGER;
}

static void
describe_mips(enum capstone_mode mode, const struct capstone_instruction *decoded,
	const uint8_t *encoding, struct isa_instruction *instruction)
{
	const uint32_t word = load_be32(encoding);
	(void)mode, (void)decoded;
	mips_flow(word, instruction);
	/* COP1X has accesses by an index; others have them by their primary opcode. */
	instruction->has_accesses = word >> 26 != 19 && word >> 26 != 31;
	mips_access(word, instruction);
	instruction->has_registers = mips_registers(word, instruction);
	if (!instruction->has_registers)
		instruction->reads = instruction->writes = (struct isa_registers){{0}};
	instruction->cls = (uint8_t)mips_class(instruction);
}

const struct capstone_family capstone_mips = {
	.register_name = mips_register_name,
	.describe = describe_mips,
	.word = 4,
};

/* A conditional branch of n bits of words; the annul bit affects an untaken branch, and of one
 * that is always taken the delay slot itself. */
static void
sparc_branch(uint32_t word, int64_t words, struct isa_instruction *instruction)
{
	const unsigned condition = word >> 25 & 15;
	const bool by_register = (word >> 22 & 7) == 3, annuls = word >> 29 & 1;
	const bool is_always = !by_register && condition == 8;
	instruction->flow = (uint8_t)(ISA_JUMPS | (is_always && annuls ? 0u : ISA_DELAYED) |
				      (is_always ? 0u : ISA_CONDITIONAL) |
				      (annuls && !is_always ? ISA_ANNULS : 0u));
	instruction->target_kind = ISA_TARGET_RELATIVE;
	instruction->target = words * 4;
}

static void
sparc_flow(uint32_t word, struct isa_instruction *instruction)
{
	const unsigned op2 = word >> 22 & 7, op3 = word >> 19 & 63, rd = word >> 25 & 31,
		       rs1 = word >> 14 & 31;
	if (word >> 30 == 1) {
		instruction->flow = ISA_JUMPS | ISA_CALLS | ISA_DELAYED;
		instruction->target_kind = ISA_TARGET_RELATIVE;
		instruction->target = sign_extend(word & 0x3fffffff, 30) * 4;
	} else if (word >> 30 == 0 && (op2 == 2 || op2 == 6)) {
		sparc_branch(word, sign_extend(word & 0x3fffff, 22), instruction);
	} else if (word >> 30 == 0 && (op2 == 1 || op2 == 5)) {
		sparc_branch(word, sign_extend(word & 0x7ffff, 19), instruction);
	} else if (word >> 30 == 0 && op2 == 3) {
		const uint32_t words = (word >> 20 & 3) << 14 | (word & 0x3fff);
		sparc_branch(word, sign_extend(words, 16), instruction);
	} else if (word >> 30 == 2 && op3 == 0x38) {
		const bool returns = rd == 0 && (rs1 == 15 || rs1 == 31);
		instruction->flow = (uint8_t)(ISA_JUMPS | ISA_INDIRECT | ISA_DELAYED |
					      (rd == 15 ? ISA_CALLS : 0) |
					      (returns ? ISA_RETURNS : 0));
	} else if (word >> 30 == 2 && op3 == 0x39) {
		instruction->flow = ISA_JUMPS | ISA_INDIRECT | ISA_DELAYED | ISA_RETURNS;
	}
}

static enum isa_class
sparc_class(uint32_t word, const struct isa_instruction *instruction)
{
	static const char *const atomics = " ldstub ldstuba swap swapa cas casa casx casxa ";
	const unsigned op3 = word >> 19 & 63;
	const char *name = instruction->mnemonic;
	if (instruction->flow)
		return ISA_BRANCH;
	if (mnemonic_is_among(atomics, name))
		return ISA_ATOMIC;
	if (mnemonic_is_among(" membar stbar ", name))
		return ISA_FENCE;
	if (begins(name, "prefetch") || begins(name, "flush"))
		return strcmp(name, "flushw") == 0 ? ISA_SYSTEM : ISA_CACHE;
	if (word >> 30 == 3)
		return op3 & 4 && (op3 & 0xf) != 0xc ? ISA_STORE : ISA_LOAD;
	if (word >> 30 == 2 && (op3 == 0x34 || op3 == 0x35))
		return ISA_FLOAT;
	if (word >> 30 == 2 && (op3 == 0x3a || (op3 >= 0x28 && op3 <= 0x2b) ||
				       (op3 >= 0x30 && op3 <= 0x33) || op3 == 0x3e))
		return ISA_SYSTEM;
	if (begins(name, "umul") || begins(name, "smul") || begins(name, "mul"))
		return ISA_MULTIPLY;
	return begins(name, "udiv") || begins(name, "sdiv") ? ISA_DIVIDE : ISA_INTEGER;
}

static void
describe_sparc(enum capstone_mode mode, const struct capstone_instruction *decoded,
	const uint8_t *encoding, struct isa_instruction *instruction)
{
	const uint32_t word = load_be32(encoding);
	(void)mode, (void)decoded;
	sparc_flow(word, instruction);
	instruction->cls = (uint8_t)sparc_class(word, instruction);
}

const struct capstone_family capstone_sparc = {.describe = describe_sparc, .word = 4};
