/* SPDX-License-Identifier: MIT */
/*
 * z/Architecture and m68k: flow and class by the library's mnemonic and operands. Registers and
 * accesses are not known.
 *
 * spec: z/Architecture Principles of Operation, chapters 7 and 10; M68000 Family Programmer's
 * Reference Manual, section 4.
 */
#include "isa/capstone_sets.h"

#include "isa/mnemonic.h"

#include <stdlib.h>
#include <string.h>

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Returns the number of the last operand, as the library prints a target at pc 0. */
static int64_t
last_number(const char *operands, int base)
{
	const char *last = strrchr(operands, ',');
	const char *digits = last ? last + 1 : operands;
	while (*digits == ' ' || *digits == '$')
		digits++;
	return (int64_t)strtoull(digits, NULL, base);
}

/* Extended mnemonics of branches on a condition: "j", "jg" and "br" with a mask's letters. */
static bool
s390_is_condition(const char *letters)
{
	return mnemonic_is_among(" o h nle l nhe lh ne e nlh he nl le nh no z nz p np m nm ",
		letters);
}

static void
s390_flow(const struct capstone_instruction *decoded, struct isa_instruction *instruction)
{
	static const char *const compares =
		" brct brctg brcth brxh brxle brxhg brxlg crj cgrj clrj clgrj cij cgij clij clgij ";
	const char *name = instruction->mnemonic, *operands = decoded->operands;
	const bool is_nothing = begins(name, "bc") && begins(operands, "0,");
	unsigned flow = 0;
	if (mnemonic_is_among(" bras brasl ", name))
		flow = ISA_JUMPS | ISA_CALLS;
	else if (mnemonic_is_among(" bas basr bal balr bassm ", name))
		/* Without a register to branch to it stores an address alone. */
		flow = strstr(operands, "%r0") && name[strlen(name) - 1] == 'r'
			       ? 0u
			       : ISA_JUMPS | ISA_CALLS | ISA_INDIRECT;
	else if (mnemonic_is_among(" j jg ", name))
		flow = ISA_JUMPS;
	else if (mnemonic_is_among(" b br bsm ", name))
		flow = ISA_JUMPS | ISA_INDIRECT;
	else if ((name[0] == 'j' && (s390_is_condition(name + 1) ||
					    (name[1] == 'g' && s390_is_condition(name + 2)))) ||
		 mnemonic_is_among(" brc brcl ", name) || mnemonic_is_among(compares, name) ||
		 (strlen(name) > 3 && name[0] == 'c' && strchr(name, 'j')))
		flow = ISA_JUMPS | ISA_CONDITIONAL;
	else if (mnemonic_is_among(" bct bctr bctg bctgr bxh bxle bxhg bxleg ", name) ||
		 (begins(name, "bc") && !is_nothing) ||
		 (name[0] == 'b' && strlen(name) > 2 && name[strlen(name) - 1] == 'r' &&
			 instruction->length == 2 && !mnemonic_is_among(" basr balr bcr ", name)))
		flow = ISA_JUMPS | ISA_CONDITIONAL | ISA_INDIRECT;
	/* By convention register 14 has the return address. */
	if (flow & ISA_INDIRECT && !(flow & ISA_CALLS) && strstr(operands, "%r14"))
		flow |= ISA_RETURNS;
	instruction->flow = (uint8_t)flow;
	if (!flow || flow & ISA_INDIRECT)
		return;
	instruction->target_kind = ISA_TARGET_RELATIVE;
	instruction->target = last_number(operands, 16);
}

/* Loads and stores between registers and memory; of two storage operands are stores. */
static enum isa_class
s390_move(const struct capstone_instruction *decoded, const char *name)
{
	static const char *const loads =
		" l ly lg lh lhy lgh lgf lb lgb llc llgc llh llgh llgf llgt ld ldy le ley lm lmy "
		"lmg lmh lrl lgrl lghrl lgfrl lhrl llhrl llghrl llgfrl lrv lrvg lrvh ic icy icm "
		"icmy lpq lt ltg ltgf lfh lbh lhh llch llhh ";
	static const char *const stores =
		" st sty stg stc stcy sth sthy std stdy ste stey stm stmy stmg stmh strl stgrl "
		"sthrl strv strvg strvh stcm stcmy stpq mvc mvi mviy mvhi mvghi mvhhi mvcl mvcle "
		"mvst stfh stch sthh ";
	(void)decoded;
	if (mnemonic_is_among(stores, name))
		return ISA_STORE;
	return mnemonic_is_among(loads, name) ? ISA_LOAD : ISA_UNKNOWN;
}

/* Names of binary floating point end in the letters of their format. */
static bool
s390_is_float(const char *name)
{
	static const char *const roots[] = {"ae", "ad", "ax", "se", "sd", "sx", "me", "md", "mx",
		"de", "dd", "dx", "ce", "cd", "cx", "ke", "kd", "kx", "sqe", "sqd", "sqx", "lte",
		"ltd", "ltx", "lce", "lcd", "lcx", "lne", "lnd", "lnx", "lpe", "lpd", "lpx", "cfe",
		"cfd", "cfx", "cge", "cgd", "cgx", "cef", "cdf", "cxf", "ceg", "cdg", "cxg", "lde",
		"led", "lxe", "lxd", "lex", "ldx", "fie", "fid", "fix", "mae", "mad", "mse", "msd",
		"tce", "tcd", "tcx", "mxd", "mde", "clfe", "clfd", "clge", "clgd"};
	const size_t n = strcspn(name, "b");
	if (mnemonic_is_among(" ler ldr lxr lzer lzdr lzxr ldgr lgdr lcdfr lndfr lpdfr cpsdr ",
		    name))
		return true;
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		if (strlen(roots[i]) == n && strncmp(name, roots[i], n) == 0 && name[n] == 'b')
			return true;
	}
	return false;
}

static enum isa_class
s390_class(const struct capstone_instruction *decoded, const struct isa_instruction *instruction)
{
	static const char *const atomics =
		" cs csy csg cds cdsy cdsg lax laxg lan lang lao laog laa laag laal laalg ts plo ";
	static const char *const multiplies =
		" m mr mh mhi mhy mghi ms msr msg msgr msgf msgfr msfi msgfi msy mfy mlg mlgr ml mlr ";
	static const char *const divides =
		" d dr dl dlr dlg dlgr dsg dsgr dsgf dsgfr ";
	const char *name = instruction->mnemonic;
	const enum isa_class move = s390_move(decoded, name);
	if (instruction->flow)
		return ISA_BRANCH;
	if (mnemonic_is_among(atomics, name))
		return ISA_ATOMIC;
	if (mnemonic_is_among(" pfd pfdrl ", name))
		return ISA_CACHE;
	if (mnemonic_is_among(" bcr ", name))
		return begins(decoded->operands, "14,") || begins(decoded->operands, "15,")
			       ? ISA_FENCE
			       : ISA_INTEGER;
	if (mnemonic_is_among(" svc lpsw lpswe stck stckf stcke stpt sfpc efpc srnm ear sar cpya "
			      "ssm stnsm stosm ",
		    name))
		return ISA_SYSTEM;
	if (move != ISA_UNKNOWN)
		return move;
	if (s390_is_float(name))
		return ISA_FLOAT;
	if (mnemonic_is_among(multiplies, name))
		return ISA_MULTIPLY;
	return mnemonic_is_among(divides, name) ? ISA_DIVIDE : ISA_INTEGER;
}

static void
describe_s390(enum capstone_mode mode, const struct capstone_instruction *decoded,
	const uint8_t *encoding, struct isa_instruction *instruction)
{
	(void)mode, (void)encoding;
	s390_flow(decoded, instruction);
	instruction->cls = (uint8_t)s390_class(decoded, instruction);
}

const struct capstone_family capstone_s390 = {.describe = describe_s390};

static void
m68k_flow(const struct capstone_instruction *decoded, struct isa_instruction *instruction)
{
	static const char *const conditions =
		" bhi bls bcc bcs bne beq bvc bvs bpl bmi bge blt bgt ble bhs blo ";
	char name[MNEMONIC_SIZE];
	memcpy(name, instruction->mnemonic, sizeof name);
	name[strcspn(name, ".")] = 0;
	const bool is_direct = decoded->operands[0] == '$';
	if (mnemonic_is_among(" bsr jsr ", name))
		instruction->flow = ISA_JUMPS | ISA_CALLS;
	else if (mnemonic_is_among(" bra jmp ", name))
		instruction->flow = ISA_JUMPS;
	else if (mnemonic_is_among(" rts rtd rtr ", name))
		instruction->flow = ISA_JUMPS | ISA_INDIRECT | ISA_RETURNS;
	else if (mnemonic_is_among(conditions, name) || begins(name, "db") || begins(name, "fb") ||
		 begins(name, "fdb"))
		instruction->flow = ISA_JUMPS | ISA_CONDITIONAL;
	const unsigned flow = instruction->flow;
	if (!flow || flow & ISA_INDIRECT)
		return;
	if (name[0] == 'j') {
		instruction->flow |= is_direct ? 0 : ISA_INDIRECT;
		instruction->target_kind = is_direct ? ISA_TARGET_ABSOLUTE : ISA_TARGET_NONE;
		instruction->target = is_direct ? last_number(decoded->operands, 16) : 0;
		return;
	}
	instruction->target_kind = ISA_TARGET_RELATIVE;
	instruction->target = (int32_t)last_number(decoded->operands, 16);
}

/* A move is of memory if an operand is an address: "(a0)", "$1000.l". */
static enum isa_class
m68k_move(const char *operands)
{
	const char *last = strrchr(operands, ',');
	/* The last comma may be one within an address: "(4, a0, d1)". */
	const bool is_store = last && (strpbrk(last, "($)") != NULL);
	if (is_store)
		return ISA_STORE;
	return strpbrk(operands, "($") && operands[0] != '#' ? ISA_LOAD : ISA_INTEGER;
}

static enum isa_class
m68k_class(const struct capstone_instruction *decoded, const struct isa_instruction *instruction)
{
	char name[MNEMONIC_SIZE];
	memcpy(name, instruction->mnemonic, sizeof name);
	name[strcspn(name, ".")] = 0;
	if (instruction->flow)
		return ISA_BRANCH;
	if (mnemonic_is_among(" trap trapv stop reset rte illegal bkpt movec moves chk chk2 ", name))
		return ISA_SYSTEM;
	if (mnemonic_is_among(" tas cas cas2 ", name))
		return ISA_ATOMIC;
	if (mnemonic_is_among(" cpusha cpushl cpushp cinva cinvl cinvp ", name))
		return ISA_CACHE;
	if (name[0] == 'f')
		return ISA_FLOAT;
	if (mnemonic_is_among(" muls mulu ", name))
		return ISA_MULTIPLY;
	if (begins(name, "divs") || begins(name, "divu"))
		return ISA_DIVIDE;
	if (mnemonic_is_among(" move movea movem movep move16 ", name))
		return m68k_move(decoded->operands);
	if (mnemonic_is_among(" pea link ", name))
		return ISA_STORE;
	return strcmp(name, "unlk") == 0 ? ISA_LOAD : ISA_INTEGER;
}

static void
describe_m68k(enum capstone_mode mode, const struct capstone_instruction *decoded,
	const uint8_t *encoding, struct isa_instruction *instruction)
{
	(void)mode, (void)encoding;
	m68k_flow(decoded, instruction);
	instruction->cls = (uint8_t)m68k_class(decoded, instruction);
}

const struct capstone_family capstone_m68k = {.describe = describe_m68k};
