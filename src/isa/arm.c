/* SPDX-License-Identifier: MIT */
/*
 * ARM and Thumb: registers, accesses, flow and class from the library's operands. Directions are
 * those of the architecture by mnemonic, as those of Capstone 4.0.2 are wrong or missing for many
 * instructions.
 *
 * spec: Arm ARM (ARMv7-A/R), A8; calls and returns by the procedure call standard.
 */
#include "isa/capstone_sets.h"

#include "isa/mnemonic.h"
#include "isa/set.h"

#include <stdlib.h>
#include <string.h>

enum { SP = 13, LR, PC, CPSR, FPSCR, DOUBLE, REGISTER_COUNT = DOUBLE + 32 };

/* An instruction with its name without condition, width and types. */
struct arm {
	const struct capstone_instruction *decoded;
	struct isa_instruction *described;
	char name[MNEMONIC_SIZE];
	bool is_load, is_store; /* by name */
};

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
	static const char *const names[REGISTER_COUNT] = {EIGHT("r", 0, 1, 2, 3, 4, 5, 6, 7), "r8",
		"r9", "r10", "r11", "r12", "sp", "lr", "pc", "cpsr", "fpscr",
		EIGHT("d", 0, 1, 2, 3, 4, 5, 6, 7), EIGHT("d", 8, 9, 10, 11, 12, 13, 14, 15),
		EIGHT("d", 16, 17, 18, 19, 20, 21, 22, 23),
		EIGHT("d", 24, 25, 26, 27, 28, 29, 30, 31)};
#undef EIGHT
	return number < REGISTER_COUNT ? names[number] : NULL;
}

/* Two single registers are halves of a double one; a quad register has the number of its lower
 * half (add_operand adds the other). */
static unsigned
register_number(const char *name)
{
	static const struct {
		const char *name;
		unsigned number;
	} others[] = {{"sb", 9}, {"sl", 10}, {"fp", 11}, {"ip", 12}, {"sp", SP}, {"lr", LR},
		{"pc", PC}, {"cpsr", CPSR}, {"apsr", CPSR}, {"apsr_nzcv", CPSR},
		{"itstate", CPSR}, {"fpscr", FPSCR}, {"fpscr_nzcv", FPSCR}};
	char *end;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (strcmp(name, others[i].name) == 0)
			return others[i].number;
	}
	const unsigned long number = strtoul(name + 1, &end, 10);
	if (end == name + 1 || *end || number > 31)
		return ISA_NO_REGISTER;
	switch (*name) {
	case 'r': return number < 16 ? (unsigned)number : ISA_NO_REGISTER;
	case 'd': return DOUBLE + (unsigned)number;
	case 's': return (DOUBLE + (unsigned)number / 2) | CAPSTONE_PART;
	case 'q': return number < 16 ? DOUBLE + 2 * (unsigned)number : ISA_NO_REGISTER;
	default: return ISA_NO_REGISTER;
	}
}

/* Reduces a mnemonic to its name: "vadd.f32", "addeq", "ldr.w" to "vadd", "add", "ldr". */
static void
read_name(struct arm *arm)
{
	char *name = arm->name;
	memcpy(name, arm->described->mnemonic, MNEMONIC_SIZE - 1);
	name[strcspn(name, ".")] = 0;
	const size_t n = strlen(name);
	if (arm->decoded->is_conditional && n > 2)
		name[n - 2] = 0;
	arm->is_load = begins(name, "ld") || begins(name, "vld") || strcmp(name, "pop") == 0 ||
		       strcmp(name, "vpop") == 0;
	arm->is_store = begins(name, "st") || begins(name, "vst") || strcmp(name, "push") == 0 ||
			strcmp(name, "vpush") == 0;
}

static void
add_operand(struct isa_registers *registers, const struct capstone_operand *operand)
{
	registers_add(registers, operand->number);
	if (operand->name && operand->name[0] == 'q' && operand->number != ISA_NO_REGISTER)
		registers_add(registers, operand->number + 1u);
}

/* Whether registers are listed in braces, after a base that is a register operand. */
static bool
has_list(const struct arm *arm)
{
	return begins(arm->name, "ldm") || begins(arm->name, "stm") || begins(arm->name, "vldm") ||
	       begins(arm->name, "vstm");
}

/* Returns how many of the first operands are written. */
static unsigned
written_operands(const struct arm *arm)
{
	static const char *const none =
		" cmp cmn tst teq b bl blx bx bxj cbz cbnz tbb tbh msr mcr mcr2 mcrr mcrr2 vmsr vcmp "
		"vcmpe pld pldw pli svc bkpt cps setend udf hvc smc nop ";
	static const char *const two =
		" umull umulls smull smulls umlal umlals smlal smlals umaal smlalbb smlalbt smlaltb "
		"smlaltt smlald smlaldx smlsld smlsldx vswp vtrn vzip vuzp mrrc ";
	const struct capstone_operand *operand = arm->decoded->operand;
	const unsigned count = arm->decoded->operand_count;
	if (mnemonic_is_among(none, arm->name))
		return 0;
	if (arm->is_store)
		return begins(arm->name, "strex") || begins(arm->name, "stlex") ? 1 : 0;
	if (arm->is_load) {
		unsigned n = 0;
		while (n < count && operand[n].kind == CAPSTONE_REGISTER)
			n++;
		return n;
	}
	if (mnemonic_is_among(two, arm->name))
		return 2;
	/* vmov r0, r1, d0 */
	if (strcmp(arm->name, "vmov") == 0 && count == 3 && operand[0].number < DOUBLE &&
		operand[1].number < DOUBLE)
		return 2;
	/* mrc p15, 0, r0, c13, c0, 3 */
	return mnemonic_is_among(" mrc mrc2 ", arm->name) ? 3 : 1;
}

/* Whether the written operands are read, too. */
static bool
changes_written(const struct arm *arm)
{
	static const char *const names =
		" movt bfi bfc umlal umlals smlal smlals umaal smlalbb smlalbt smlaltb smlaltt "
		"smlald smlaldx smlsld smlsldx vswp vtrn vzip vuzp vbit vbif vbsl vmla vmls vmlal "
		"vmlsl vfma vfms vfnma vfnms vnmla vnmls vqdmlal vqdmlsl vaba vabal vsra vrsra vsri "
		"vsli vtbx vpadal sha1c sha1m sha1p sha1su0 sha1su1 sha256h sha256h2 sha256su0 "
		"sha256su1 aese aesd ";
	const char *lane = strchr(arm->decoded->operands, '[');
	if (mnemonic_is_among(names, arm->name))
		return true;
	/* One element of a vector: "vmov.32 d0[1], r0", "vld1.32 {d0[1]}, [r0]". */
	return lane && arm->name[0] == 'v' && lane > arm->decoded->operands && lane[-1] != ' ' &&
	       lane[1] != ']' &&
	       (lane < strchr(arm->decoded->operands, ',') || begins(arm->name, "vld"));
}

static void
describe_operand(struct arm *arm, unsigned i, unsigned written)
{
	const struct capstone_operand *operand = &arm->decoded->operand[i];
	struct isa_instruction *described = arm->described;
	if (operand->kind == CAPSTONE_MEMORY) {
		registers_add(&described->reads, operand->number);
		registers_add(&described->reads, operand->index);
		if (arm->decoded->writes_base)
			registers_add(&described->writes, operand->number);
		return;
	}
	if (operand->kind != CAPSTONE_REGISTER)
		return;
	const bool is_base = has_list(arm) && i == 0;
	if (is_base ? arm->decoded->writes_base : i < written)
		add_operand(&described->writes, operand);
	if (is_base || i >= written || operand->is_partial || changes_written(arm))
		add_operand(&described->reads, operand);
}

static void
describe_registers(struct arm *arm)
{
	static const char *const carry = " adc adcs sbc sbcs rsc rscs rrx rrxs sel ";
	static const char *const flags = " cmp cmn tst teq ";
	static const char *const stack = " push pop vpush vpop ";
	struct isa_instruction *described = arm->described;
	const unsigned written = written_operands(arm);
	const char *name = arm->name;
	const size_t n = strlen(name);
	for (unsigned i = 0; i < arm->decoded->operand_count; i++)
		describe_operand(arm, i, written);
	const struct isa_registers destinations = described->writes;
	if (mnemonic_is_among(stack, name)) {
		registers_add(&described->reads, SP);
		registers_add(&described->writes, SP);
	}
	if (arm->decoded->is_conditional || mnemonic_is_among(carry, name) ||
		strcmp(name, "mrs") == 0)
		registers_add(&described->reads, CPSR);
	/* A name that ends in s sets the flags, but for these. */
	const bool sets = n > 3 && name[n - 1] == 's' && name[0] != 'v' &&
			  !mnemonic_is_among(" mls mrs smmls srs cps ", name);
	if (sets || mnemonic_is_among(flags, name) || strcmp(name, "msr") == 0)
		registers_add(&described->writes, CPSR);
	if (mnemonic_is_among(" bl blx ", name))
		registers_add(&described->writes, LR);
	if (strcmp(name, "vmrs") == 0)
		registers_add(&described->reads, FPSCR);
	if (mnemonic_is_among(" vmsr vcmp vcmpe ", name))
		registers_add(&described->writes, FPSCR);
	/* An instruction that is not executed leaves its destinations as they are. */
	if (arm->decoded->is_conditional)
		registers_join(&described->reads, &destinations);
	described->has_registers = true;
}

/* Bytes that a single load or store moves, by the letters after "ldr", "str". */
static unsigned
single_size(const char *suffix)
{
	if (begins(suffix, "ex"))
		suffix += 2;
	if (*suffix == 's')
		suffix++;
	switch (*suffix) {
	case 'b': return 1;
	case 'h': return 2;
	case 'd': return 8;
	default: return 4;
	}
}

/* Bytes of the registers of a list, from its first operand on. */
static unsigned
list_size(const struct arm *arm, unsigned first)
{
	unsigned size = 0;
	for (unsigned i = first; i < arm->decoded->operand_count; i++) {
		const struct capstone_operand *operand = &arm->decoded->operand[i];
		if (operand->kind != CAPSTONE_REGISTER)
			break;
		size += operand->number < DOUBLE || operand->is_partial ? 4u : 8u;
	}
	return size;
}

/* Bytes of a load or store of vector structures: whole registers, or one element of each. */
static unsigned
structure_size(const struct arm *arm)
{
	const char *type = strchr(arm->described->mnemonic, '.');
	const unsigned whole = list_size(arm, 0), bits = type ? (unsigned)atoi(type + 1) : 0;
	const unsigned count = (unsigned)(arm->name[3] - '0');
	return strstr(arm->decoded->operands, "[") < strchr(arm->decoded->operands, '}')
		       ? count * bits / 8
		       : whole;
}

static unsigned
access_size(const struct arm *arm)
{
	const char *name = arm->name;
	if (begins(name, "vldr") || begins(name, "vstr"))
		return arm->decoded->operand[0].is_partial ? 4 : 8;
	if (begins(name, "vld") || begins(name, "vst"))
		return structure_size(arm);
	if (begins(name, "ldr") || begins(name, "str"))
		return single_size(name + 3);
	if (begins(name, "lda") || begins(name, "stl"))
		return single_size(name + 3 + (name[3] == 'e' ? 0 : 0));
	return 0; /* ldc, stc */
}

/* Loads and stores of several registers: the base is the first operand, or sp. */
static bool
describe_multiple(struct arm *arm)
{
	const char *name = arm->name;
	const bool is_stack = mnemonic_is_among(" push pop vpush vpop ", name);
	if (!is_stack && !has_list(arm))
		return false;
	const unsigned size = list_size(arm, is_stack ? 0 : 1);
	const size_t n = strlen(name);
	const char *mode = n > 2 ? name + n - 2 : "";
	const bool is_before = strcmp(mode, "db") == 0 || (is_stack && arm->is_store);
	int64_t displacement = is_before ? -(int64_t)size : 0;
	if (strcmp(mode, "ib") == 0)
		displacement = 4;
	if (strcmp(mode, "da") == 0)
		displacement = 4 - (int64_t)size;
	arm->described->accesses[0] = (struct isa_access){
		.base = is_stack ? SP : arm->decoded->operand[0].number,
		.index = ISA_NO_REGISTER,
		.scale = 1,
		.size = size,
		.displacement = displacement};
	return true;
}

static void
describe_access(struct arm *arm)
{
	struct isa_instruction *described = arm->described;
	struct isa_access *access = described->accesses;
	const bool swaps = mnemonic_is_among(" swp swpb ", arm->name);
	described->has_accesses = !mnemonic_is_among(" tbb tbh ", arm->name) &&
				  !begins(arm->name, "rfe") && !begins(arm->name, "srs");
	if (!arm->is_load && !arm->is_store && !swaps)
		return;
	if (!describe_multiple(arm)) {
		unsigned i = 0;
		while (i < arm->decoded->operand_count &&
			arm->decoded->operand[i].kind != CAPSTONE_MEMORY)
			i++;
		if (i == arm->decoded->operand_count)
			return;
		const struct capstone_operand *operand = &arm->decoded->operand[i];
		*access = (struct isa_access){.base = operand->number,
			.index = operand->index,
			.scale = operand->scale,
			.size = swaps ? (arm->name[3] ? 1 : 4) : access_size(arm),
			.displacement = operand->value};
	}
	access->direction = swaps ? ISA_READS | ISA_WRITES : arm->is_load ? ISA_READS : ISA_WRITES;
	described->access_count = 1;
}

/* Whether the instruction returns by the procedure call standard. */
static bool
is_return(const struct arm *arm)
{
	const char *operands = arm->decoded->operands;
	const struct capstone_operand *operand = arm->decoded->operand;
	if (mnemonic_is_among(" bx bxj ", arm->name))
		return operand[0].number == LR;
	if (begins(arm->name, "mov"))
		return arm->decoded->operand_count == 2 && operand[1].number == LR;
	if (strcmp(arm->name, "ldr") == 0)
		return strcmp(operands, "pc, [sp], #4") == 0;
	return (strcmp(arm->name, "pop") == 0 || begins(arm->name, "ldm")) &&
	       strstr(operands, "pc}");
}

static void
describe_flow(struct arm *arm)
{
	struct isa_instruction *described = arm->described;
	const char *name = arm->name;
	const struct capstone_operand *operand = arm->decoded->operand;
	const unsigned count = arm->decoded->operand_count;
	const bool compares = mnemonic_is_among(" cbz cbnz ", name);
	if (mnemonic_is_among(" b bl blx bx bxj tbb tbh ", name) || compares)
		described->flow = ISA_JUMPS;
	else if (described->writes.bits[0] >> PC & 1)
		described->flow = ISA_JUMPS | ISA_INDIRECT;
	else
		return;
	if (mnemonic_is_among(" bl blx ", name))
		described->flow |= ISA_CALLS;
	else if (is_return(arm))
		described->flow |= ISA_RETURNS;
	if (compares || arm->decoded->is_conditional)
		described->flow |= ISA_CONDITIONAL;
	registers_add(&described->writes, PC);
	if (described->flow & ISA_INDIRECT || !count ||
		operand[count - 1].kind != CAPSTONE_IMMEDIATE) {
		described->flow |= ISA_INDIRECT;
		return;
	}
	described->target_kind = ISA_TARGET_RELATIVE;
	described->target = (int32_t)operand[count - 1].value;
}

static bool
is_vector(const struct arm *arm)
{
	const struct capstone_operand *first = arm->decoded->operand;
	const char *mnemonic = arm->described->mnemonic;
	const bool is_quad = arm->decoded->operand_count && first->name && first->name[0] == 'q';
	const bool is_double = arm->decoded->operand_count && first->name && first->name[0] == 'd';
	if (!strstr(mnemonic, ".f32") && !strstr(mnemonic, ".f64"))
		return !mnemonic_is_among(" vmrs vmsr ", arm->name);
	return is_quad || (is_double && strstr(mnemonic, ".f32") && !strstr(mnemonic, ".f64"));
}

static enum isa_class
class_of(const struct arm *arm)
{
	static const char *const systems =
		" svc swi smc hvc hlt bkpt udf mcr mrc mcr2 mrc2 mcrr mrrc mcrr2 mrrc2 msr mrs wfi "
		"wfe sev sevl clrex setend cdp cdp2 eret ";
	static const char *const multiplies =
		" mul muls mla mlas mls umull umulls smull smulls umlal umlals smlal smlals umaal ";
	const char *name = arm->name;
	const bool is_exclusive = strstr(name, "rex") || strstr(name, "aex") || strstr(name, "lex");
	if (mnemonic_is_among(" pld pldw pli ", name))
		return ISA_CACHE;
	if (mnemonic_is_among(" dmb dsb isb ", name))
		return ISA_FENCE;
	if (mnemonic_is_among(systems, name) || begins(name, "cps") || begins(name, "rfe") ||
		begins(name, "srs"))
		return ISA_SYSTEM;
	if (mnemonic_is_among(" swp swpb ", name) ||
		((arm->is_load || arm->is_store) && is_exclusive))
		return ISA_ATOMIC;
	if (arm->described->flow)
		return ISA_BRANCH;
	if (arm->is_load || arm->is_store)
		return arm->is_load ? ISA_LOAD : ISA_STORE;
	if (begins(name, "aes") || begins(name, "sha1") || begins(name, "sha256"))
		return ISA_VECTOR;
	if (name[0] == 'v')
		return is_vector(arm) ? ISA_VECTOR : ISA_FLOAT;
	if (mnemonic_is_among(multiplies, name) || begins(name, "smul") || begins(name, "smla") ||
		begins(name, "smls") || begins(name, "smm") || begins(name, "smua") ||
		begins(name, "smus"))
		return ISA_MULTIPLY;
	return mnemonic_is_among(" sdiv udiv ", name) ? ISA_DIVIDE : ISA_INTEGER;
}

static void
describe(enum capstone_mode mode, const struct capstone_instruction *decoded,
	const uint8_t *encoding, struct isa_instruction *instruction)
{
	struct arm arm = {.decoded = decoded, .described = instruction};
	(void)mode, (void)encoding;
	read_name(&arm);
	describe_registers(&arm);
	describe_access(&arm);
	describe_flow(&arm);
	instruction->cls = (uint8_t)class_of(&arm);
}

/* The halves of a BL or BLX of Thumb that a trace has as two instructions: ARM DDI 0100I
 * A7.1.13. */
static bool
describe_half(const struct isa_encoding *encoding, struct isa_instruction *instruction)
{
	if (encoding->size != 2)
		return false;
	const unsigned opcode = (unsigned)encoding->bytes[0] << 8 | encoding->bytes[1];
	const bool is_first = (opcode & 0xf800) == 0xf000;
	if (!is_first && (opcode & 0xf800) != 0xf800 && (opcode & 0xf801) != 0xe800)
		return false;
	instruction->length = 2;
	instruction->cls = is_first ? ISA_INTEGER : ISA_BRANCH;
	instruction->flow = is_first ? 0 : ISA_JUMPS | ISA_INDIRECT | ISA_CALLS;
	isa_set_mnemonic(instruction, (opcode & 0xf801) == 0xe800 ? "blx" : "bl");
	instruction->has_registers = instruction->has_accesses = true;
	registers_add(&instruction->reads, is_first ? PC : LR);
	registers_add(&instruction->writes, LR);
	registers_add(&instruction->writes, is_first ? LR : PC);
	return true;
}

const struct capstone_family capstone_arm = {
	.numbering = register_number,
	.register_name = register_name,
	.describe_own = describe_half,
	.describe = describe,
};
