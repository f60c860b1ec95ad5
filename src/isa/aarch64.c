/* SPDX-License-Identifier: MIT */
/*
 * AArch64: registers from the library's operands, with the directions of the architecture, as
 * those of Capstone 4.0.2 are wrong for many instructions.
 *
 * spec: Arm ARM C3, C6, C7.
 */
#include "isa/aarch64.h"

#include "base/bits.h"
#include "isa/mnemonic.h"

#include <stdlib.h>
#include <string.h>

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static const char *
register_name(unsigned number)
{
#define EIGHT(file, a, b, c, d, e, f, g, h) \
	file #a, file #b, file #c, file #d, file #e, file #f, file #g, file #h
	static const char *const names[AARCH64_REGISTER_COUNT] = {
		EIGHT("x", 0, 1, 2, 3, 4, 5, 6, 7), EIGHT("x", 8, 9, 10, 11, 12, 13, 14, 15),
		EIGHT("x", 16, 17, 18, 19, 20, 21, 22, 23), "x24", "x25", "x26", "x27", "x28",
		"x29", "x30", "sp", "nzcv", "fpcr", "fpsr", "system", "pc",
		EIGHT("v", 0, 1, 2, 3, 4, 5, 6, 7), EIGHT("v", 8, 9, 10, 11, 12, 13, 14, 15),
		EIGHT("v", 16, 17, 18, 19, 20, 21, 22, 23),
		EIGHT("v", 24, 25, 26, 27, 28, 29, 30, 31)};
#undef EIGHT
	return number < AARCH64_REGISTER_COUNT ? names[number] : NULL;
}

/* Names are those of files with a number, "sp", "wsp", "nzcv"; the zero registers count as
 * none. */
static unsigned
register_number(const char *name)
{
	char *end;
	if (strcmp(name, "sp") == 0 || strcmp(name, "wsp") == 0)
		return AARCH64_SP;
	if (strcmp(name, "nzcv") == 0)
		return AARCH64_NZCV;
	const unsigned long number = strtoul(name + 1, &end, 10);
	if (end == name + 1 || *end || number > 31)
		return ISA_NO_REGISTER;
	if (*name == 'x' || *name == 'w')
		return number < 31 ? (unsigned)number : ISA_NO_REGISTER;
	return strchr("bhsdqv", *name) ? AARCH64_VECTOR + (unsigned)number : ISA_NO_REGISTER;
}

/* Instructions that write none of their operands. */
static bool
writes_nothing(const char *name)
{
	static const char *const names =
		" cmp cmn tst ccmp ccmn fcmp fcmpe fccmp fccmpe cbz cbnz tbz tbnz br blr ret msr "
		"prfm prfum dc ic at tlbi sys ";
	return mnemonic_is_among(names, name);
}

/* Instructions that change a part of their first operand, or accumulate in it. */
static bool
changes_first(const struct capstone_instruction *decoded)
{
	static const char *const names =
		" movk bfi bfxil bfc bfm ins bit bif bsl tbx mla mls fmla fmls smlal smlal2 umlal "
		"umlal2 smlsl smlsl2 umlsl umlsl2 sqdmlal sqdmlal2 sqdmlsl sqdmlsl2 sqrdmlah "
		"sqrdmlsh saba uaba sabal sabal2 uabal uabal2 ssra usra srsra ursra sri sli suqadd "
		"usqadd sadalp uadalp aese aesd sha1c sha1m sha1p sha1su0 sha1su1 sha256h sha256h2 "
		"sha256su0 sha256su1 xtn2 sqxtn2 uqxtn2 sqxtun2 shrn2 rshrn2 sqshrn2 sqrshrn2 "
		"uqshrn2 uqrshrn2 sqshrun2 sqrshrun2 addhn2 raddhn2 subhn2 rsubhn2 fcvtn2 "
		"fcvtxn2 ";
	const char *name = decoded->mnemonic, *operands = decoded->operands;
	const struct capstone_operand *first = decoded->operand;
	if (mnemonic_is_among(names, name))
		return true;
	/* One element of a vector, as in "v0.d[1], x0" and "{v0.s}[1], [x0]". */
	if (strcspn(operands, "[") < strcspn(operands, ",") || strstr(operands, "}["))
		return true;
	/* "orr v0.4s, #3". */
	return (strcmp(name, "orr") == 0 || strcmp(name, "bic") == 0) && *operands == 'v' &&
	       decoded->operand_count > 1 && first[1].kind == CAPSTONE_IMMEDIATE;
}

/* Returns how many of the first operands an instruction other than a store writes. */
static unsigned
written_operands(const struct capstone_instruction *decoded, const struct isa_access *access)
{
	const char *name = decoded->mnemonic;
	unsigned n = 0;
	if (writes_nothing(name))
		return 0;
	if (!access)
		return 1;
	if (access->direction == ISA_WRITES)
		return begins(name, "stx") || begins(name, "stlx") ? 1 : 0;
	while (n < decoded->operand_count && decoded->operand[n].kind == CAPSTONE_REGISTER)
		n++;
	return n;
}

static void
describe_registers(const struct capstone_instruction *decoded, const struct isa_access *access,
	struct isa_instruction *instruction)
{
	const unsigned written = written_operands(decoded, access);
	const bool is_changed = written && changes_first(decoded);
	for (unsigned i = 0; i < decoded->operand_count; i++) {
		const struct capstone_operand *operand = &decoded->operand[i];
		if (operand->kind == CAPSTONE_MEMORY) {
			registers_add(&instruction->reads, operand->number);
			registers_add(&instruction->reads, operand->index);
			if (decoded->writes_base)
				registers_add(&instruction->writes, operand->number);
		} else if (operand->kind == CAPSTONE_REGISTER) {
			if (i < written)
				registers_add(&instruction->writes, operand->number);
			if (i >= written || is_changed)
				registers_add(&instruction->reads, operand->number);
		}
	}
	instruction->has_registers = true;
}

/* Adds the registers that no operand names. */
static void
describe_implicit(
	const struct capstone_instruction *decoded, struct isa_instruction *instruction)
{
	static const struct {
		const char *name;
		unsigned number;
	} named[] = {{"nzcv", AARCH64_NZCV}, {"fpcr", AARCH64_FPCR}, {"fpsr", AARCH64_FPSR}};
	const char *name = decoded->mnemonic;
	const bool is_write = strcmp(name, "msr") == 0;
	if (strcmp(name, "ret") == 0 && !decoded->operand_count)
		registers_add(&instruction->reads, AARCH64_LINK);
	if (strcmp(name, "bl") == 0 || strcmp(name, "blr") == 0)
		registers_add(&instruction->writes, AARCH64_LINK);
	if (is_write || strcmp(name, "mrs") == 0) {
		unsigned number = AARCH64_SYSTEM;
		for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
			if (strstr(decoded->operands, named[i].name))
				number = named[i].number;
		}
		registers_add(is_write ? &instruction->writes : &instruction->reads, number);
		return;
	}
	/* Of the library's implicit registers the flags alone are right. */
	if (decoded->reads.bits[0] >> AARCH64_NZCV & 1)
		registers_add(&instruction->reads, AARCH64_NZCV);
	if (decoded->writes.bits[0] >> AARCH64_NZCV & 1)
		registers_add(&instruction->writes, AARCH64_NZCV);
}

static void
describe_flow(const struct capstone_instruction *decoded, struct isa_instruction *instruction)
{
	const char *name = decoded->mnemonic;
	const unsigned count = decoded->operand_count;
	if (mnemonic_is_among(" b bl ", name))
		instruction->flow = ISA_JUMPS | (strcmp(name, "bl") == 0 ? ISA_CALLS : 0);
	else if (begins(name, "b.") || mnemonic_is_among(" cbz cbnz tbz tbnz ", name))
		instruction->flow = ISA_JUMPS | ISA_CONDITIONAL;
	else if (strcmp(name, "br") == 0)
		instruction->flow = ISA_JUMPS | ISA_INDIRECT;
	else if (strcmp(name, "blr") == 0)
		instruction->flow = ISA_JUMPS | ISA_INDIRECT | ISA_CALLS;
	else if (strcmp(name, "ret") == 0)
		instruction->flow = ISA_JUMPS | ISA_INDIRECT | ISA_RETURNS;
	if (!instruction->flow || instruction->flow & ISA_INDIRECT || !count)
		return;
	instruction->target_kind = ISA_TARGET_RELATIVE;
	instruction->target = decoded->operand[count - 1].value;
}

static enum isa_class
vector_class(const struct capstone_instruction *decoded)
{
	const char *name = decoded->mnemonic;
	const bool is_float = name[0] == 'f' || begins(name, "scvtf") || begins(name, "ucvtf");
	return is_float && decoded->operands[0] != 'v' ? ISA_FLOAT : ISA_VECTOR;
}

static enum isa_class
class_of(const struct capstone_instruction *decoded, const struct isa_access *access,
	const struct isa_instruction *instruction)
{
	static const char *const exclusive =
		" ldxr ldxrb ldxrh ldxp ldaxr ldaxrb ldaxrh ldaxp stxr stxrb stxrh stxp stlxr "
		"stlxrb stlxrh stlxp ";
	static const char *const systems =
		" svc hvc smc brk hlt msr mrs eret drps wfi wfe sev sevl clrex at tlbi sys sysl "
		"dcps1 dcps2 dcps3 ";
	const char *name = decoded->mnemonic;
	if (instruction->flow)
		return ISA_BRANCH;
	if (mnemonic_is_among(" prfm prfum dc ic ", name))
		return ISA_CACHE;
	if (mnemonic_is_among(" dmb dsb isb ", name))
		return ISA_FENCE;
	if (mnemonic_is_among(systems, name))
		return ISA_SYSTEM;
	if (mnemonic_is_among(exclusive, name))
		return ISA_ATOMIC;
	if (access)
		return access->direction == ISA_READS ? ISA_LOAD : ISA_STORE;
	for (unsigned i = 0; i < decoded->operand_count; i++) {
		const struct capstone_operand *operand = &decoded->operand[i];
		if (operand->kind == CAPSTONE_REGISTER && operand->number >= AARCH64_VECTOR &&
			operand->number != ISA_NO_REGISTER)
			return vector_class(decoded);
	}
	if (mnemonic_is_among(" mul madd msub mneg smull umull smulh umulh smaddl umaddl smsubl "
			      "umsubl smnegl umnegl ",
		    name))
		return ISA_MULTIPLY;
	return mnemonic_is_among(" sdiv udiv ", name) ? ISA_DIVIDE : ISA_INTEGER;
}

static void
describe(enum capstone_mode mode, const struct capstone_instruction *decoded,
	const uint8_t *encoding, struct isa_instruction *instruction)
{
	struct isa_access access;
	(void)mode;
	const struct isa_access *found =
		aarch64_access(load_be32(encoding), &access) ? &access : NULL;
	instruction->has_accesses = true;
	if (found)
		instruction->accesses[instruction->access_count++] = access;
	describe_flow(decoded, instruction);
	describe_registers(decoded, found, instruction);
	describe_implicit(decoded, instruction);
	instruction->cls = (uint8_t)class_of(decoded, found, instruction);
}

const struct capstone_family capstone_aarch64 = {
	.numbering = register_number,
	.register_name = register_name,
	.describe_own = aarch64_describe_own,
	.print_own = aarch64_print_own,
	.describe = describe,
	.word = 4,
};
