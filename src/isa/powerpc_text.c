/* SPDX-License-Identifier: MIT */
/*
 * Text of PowerPC instructions from the operands of the table: for those that the disassembly
 * library lacks or gets wrong.
 *
 * spec: Apple amber traces 2.4; the PowerPC architecture's assembler syntax.
 */
#include "isa/powerpc.h"

#include "base/bits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A line under construction: bytes beyond its room are only counted. */
struct operand_line {
	char *text;
	size_t size, length;
	const char *between; /* separator before the next operand */
};

static void __attribute__((format(printf, 2, 3)))
add(struct operand_line *line, const char *format, ...)
{
	size_t room = line->length < line->size ? line->size - line->length : 0;
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(room ? line->text + line->length : NULL, room, format, arguments);
	va_end(arguments);
	line->length += n > 0 ? (size_t)n : 0;
}

static void
begin_operand(struct operand_line *line)
{
	add(line, "%s", line->between);
	line->between = ", ";
}

static void
add_register(struct operand_line *line, const char *prefix, uint32_t number)
{
	begin_operand(line);
	add(line, "%s%" PRIu32, prefix, number);
}

static void
add_number(struct operand_line *line, int64_t number)
{
	begin_operand(line);
	add(line, "%" PRId64, number);
}

/* A bit of the condition register: "eq" of cr0, "4*cr6+eq" of another field. */
static void
add_condition_bit(struct operand_line *line, uint32_t bit)
{
	static const char *const names[] = {"lt", "gt", "eq", "so"};
	begin_operand(line);
	if (bit / 4)
		add(line, "4*cr%" PRIu32 "+", bit / 4);
	add(line, "%s", names[bit % 4]);
}

static void
add_memory(struct operand_line *line, uint32_t opcode)
{
	begin_operand(line);
	uint32_t ra = opcode >> 16 & 31;
	add(line, "%" PRId64 "(%s", powerpc_displacement(opcode), ra ? "r" : "");
	add(line, "%" PRIu32 ")", ra);
}

/* The letters of powerpc.def that stand for registers; false for others. */
static bool
add_register_operand(struct operand_line *line, uint32_t opcode, char letter)
{
	uint32_t t = opcode >> 21 & 31, a = opcode >> 16 & 31, b = opcode >> 11 & 31;
	uint32_t c = opcode >> 6 & 31;
	switch (letter) {
	case 'T':
	case 'S': add_register(line, "r", t); return true;
	case 'A':
	case 'a':
	case 'u': add_register(line, "r", a); return true;
	case '0': add_register(line, a ? "r" : "", a); return true;
	case 'b': add_register(line, "r", b); return true;
	case 'F':
	case 'f': add_register(line, "f", t); return true;
	case 'g': add_register(line, "f", a); return true;
	case 'h': add_register(line, "f", b); return true;
	case 'c': add_register(line, "f", c); return true;
	case 'V':
	case 'v': add_register(line, "v", t); return true;
	case 'w': add_register(line, "v", a); return true;
	case 'x': add_register(line, "v", b); return true;
	case 'y': add_register(line, "v", c); return true;
	case 'G':
	case 'J': add_register(line, "vs", t | (opcode & 1) << 5); return true;
	case '8':
	case '7': add_register(line, "vs", t | (opcode & 8) << 2); return true;
	case 'W':
	case 'Z': add_register(line, "vs", (t & 30) | (t & 1) << 5); return true;
	case 'K': add_register(line, "cr", t >> 2); return true;
	case 'k': add_register(line, "cr", a >> 2); return true;
	default: return false;
	}
}

static void
add_operand(struct operand_line *line, uint32_t opcode, char letter)
{
	uint32_t t = opcode >> 21 & 31, a = opcode >> 16 & 31, b = opcode >> 11 & 31;
	if (add_register_operand(line, opcode, letter))
		return;
	switch (letter) {
	case 'd':
	case 'D': add_memory(line, opcode); break;
	case 'Q': add_condition_bit(line, t); break;
	case 'q': add_condition_bit(line, a); break;
	case 'p': add_condition_bit(line, b); break;
	case 'i': add_number(line, sign_extend(opcode & 0xffff, 16)); break;
	case 'j': add_number(line, opcode & 0xffff); break;
	case 't': add_number(line, t); break;
	case 'n': add_number(line, b ? b : 32); break;
	case 'o': add_number(line, b); break;
	case 'l': add_number(line, opcode >> 6 & 31); break;
	case 'm': add_number(line, opcode >> 1 & 31); break;
	case 'E': add_number(line, b | (opcode & 2) << 4); break;
	case 'B': add_number(line, (opcode >> 6 & 31) | (opcode & 32)); break;
	case 'H': add_number(line, opcode >> 6 & 15); break;
	case 's': add_number(line, sign_extend(a, 5)); break;
	case 'z': add_number(line, a); break;
	case 'e': add_number(line, t & 3); break;
	case 'M': add_number(line, opcode >> 12 & 255); break;
	case 'I': add_number(line, a & 15); break;
	case 'R':
	case 'r': add_number(line, a | b << 5); break;
	case '1': add_number(line, t & 1); break;
	default: break;
	}
}

static void
add_operands(struct operand_line *line, uint32_t opcode, const char *letters)
{
	for (; *letters && *letters != ' '; letters++)
		if (*letters != '=')
			add_operand(line, opcode, *letters);
}

/*
 * The condition of a branch, by the five bits of BO with its hint bits: 00 none, 01 the older
 * hint, which reverses the prediction of the direction, 10 unlikely and 11 likely. Empty if
 * no mnemonic exists.
 */
struct condition {
	const char *count;     /* "", "dnz", "dz" */
	bool is_tested, sense; /* BI is tested for this value */
	char hint[2];	       /* "", "-", "+" */
	bool is_plain;	       /* has no mnemonic of its own */
};

static struct condition
condition_of(uint32_t opcode)
{
	uint32_t bo = opcode >> 21 & 31;
	struct condition condition = {.count = "", .is_tested = !(bo & 16), .sense = bo & 8};
	bool counts = !(bo & 4);
	uint32_t hint = bo & 1;
	if (counts)
		condition.count = bo & 2 ? "dz" : "dnz";
	if (counts && !condition.is_tested)
		hint |= bo >> 2 & 2;
	else if (!counts && condition.is_tested)
		hint |= bo & 2;
	else if (!counts)
		condition.is_plain = bo != 20;
	bool is_backward = opcode >> 26 == 16 && opcode & 0x8000;
	if (hint == 2 || (hint == 1 && is_backward))
		condition.hint[0] = '-';
	else if (hint)
		condition.hint[0] = '+';
	return condition;
}

/* Operands of a plain one: BO, BI, which is a number if it is not tested: bcl 20, 31. */
static void
add_plain_condition(
	struct operand_line *line, uint32_t opcode, const char *end, const char *hint)
{
	add(line, "bc%s%s", end, hint);
	line->between = " ";
	add_number(line, opcode >> 21 & 31);
	if (opcode >> 21 & 16)
		add_number(line, opcode >> 16 & 31);
	else
		add_condition_bit(line, opcode >> 16 & 31);
}

/* Mnemonic and condition of bc, bclr and bcctr; end: "lr", "ctrl", "a" and so on. */
static void
add_condition(struct operand_line *line, uint32_t opcode, const char *end, bool has_target)
{
	static const char *const names[] = {"ge", "le", "ne", "ns", "lt", "gt", "eq", "so"};
	struct condition condition = condition_of(opcode);
	uint32_t bi = opcode >> 16 & 31;
	bool is_always = !*condition.count && !condition.is_tested;
	bool is_counter = strncmp(end, "ctr", 3) == 0;
	if (condition.is_plain || (!condition.is_tested && bi) || (is_always && has_target) ||
		(*condition.count && is_counter)) {
		add_plain_condition(line, opcode, end, condition.hint);
		return;
	}
	if (!condition.is_tested) {
		add(line, "b%s%s%s", condition.count, end, condition.hint);
	} else if (*condition.count) {
		add(line, "b%s%s%s%s", condition.count, condition.sense ? "t" : "f", end,
			condition.hint);
		add_condition_bit(line, bi);
	} else {
		add(line, "b%s%s%s", names[bi % 4 + (condition.sense ? 4 : 0)], end,
			condition.hint);
		if (bi / 4)
			add_register(line, "cr", bi / 4);
	}
}

static void
add_target(struct operand_line *line, uint32_t opcode, uint64_t pc)
{
	unsigned bits = opcode >> 26 == 18 ? 26 : 16;
	uint64_t target =
		(opcode & 2 ? 0 : pc) + (uint64_t)sign_extend(opcode & ~UINT32_C(3), bits);
	begin_operand(line);
	add(line, "0x%" PRIx64, pc >> 32 ? target : (uint32_t)target);
}

static void
add_branch(struct operand_line *line, uint32_t opcode, uint64_t pc)
{
	bool is_direct = opcode >> 26 != 19, link = opcode & 1, absolute = opcode & 2;
	char end[8];
	if (is_direct)
		snprintf(end, sizeof end, "%s%s", link ? "l" : "", absolute ? "a" : "");
	else
		snprintf(end, sizeof end, "%s%s", opcode & 0x400 ? "ctr" : "lr",
			link ? "l" : "");
	if (opcode >> 26 == 18)
		add(line, "b%s", end);
	else
		add_condition(line, opcode, end, is_direct);
	if (is_direct)
		add_target(line, opcode, pc);
	else if (opcode >> 11 & 3)
		add_number(line, opcode >> 11 & 3);
}

/* Trap mnemonics are named after their comparisons: "twgei r3, 8". */
static void
add_trap(struct operand_line *line, uint32_t opcode, const struct powerpc_instruction *found)
{
	static const char *const names[32] = {[1] = "lgt",
		[2] = "llt",
		[4] = "eq",
		[5] = "lge",
		[6] = "lle",
		[8] = "gt",
		[12] = "ge",
		[16] = "lt",
		[20] = "le",
		[24] = "ne",
		[31] = "u"};
	const char *name = names[opcode >> 21 & 31];
	if (opcode == 0x7fe00008) {
		add(line, "trap");
		return;
	}
	bool is_immediate = found->mnemonic[2] == 'i';
	add(line, "%.2s%s%s", found->mnemonic, name ? name : "", is_immediate ? "i" : "");
	add_operands(line, opcode, name ? found->operands + 2 : found->operands);
}

/* crclr, crset, crmove and crnot, if operands repeat. */
static bool
add_condition_alias(struct operand_line *line, uint32_t opcode)
{
	uint32_t t = opcode >> 21 & 31, a = opcode >> 16 & 31, b = opcode >> 11 & 31;
	uint32_t minor = opcode >> 1 & 1023;
	const char *name = NULL;
	if (a == b && t == a)
		name = minor == 193 ? "crclr" : minor == 289 ? "crset" : NULL;
	bool is_unary = !name && a == b;
	if (is_unary)
		name = minor == 449 ? "crmove" : minor == 33 ? "crnot" : NULL;
	if (!name)
		return false;
	add(line, "%s", name);
	add_operands(line, opcode, is_unary ? "Qq" : "Q");
	return true;
}

/* mflr, mtctr and so on; false for registers without such a mnemonic. */
static bool
add_special_alias(struct operand_line *line, uint32_t opcode)
{
	static const struct {
		uint32_t number;
		const char *name;
	} names[] = {{1, "xer"}, {8, "lr"}, {9, "ctr"}, {18, "dsisr"}, {19, "dar"}, {22, "dec"},
		{26, "srr0"}, {27, "srr1"}, {256, "vrsave"}, {287, "pvr"}};
	uint32_t number = (opcode >> 16 & 31) | (opcode >> 6 & 0x3e0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].number == number) {
			bool dst = (opcode >> 1 & 1023) == 467;
			add(line, "%s%s", dst ? "mt" : "mf", names[i].name);
			add_operands(line, opcode, "T");
			return true;
		}
	return false;
}

/* Mnemonics with their endings: OE, the record bit, and the transient streams of AltiVec. */
static void
add_mnemonic(
	struct operand_line *line, uint32_t opcode, const struct powerpc_instruction *found)
{
	const char *effects = strchr(found->operands, ' ');
	effects = effects ? effects : "";
	add(line, "%s", found->mnemonic);
	if (strchr(effects, 'O') && opcode & 0x400)
		add(line, "o");
	if (strpbrk(effects, ".:") && opcode & 1)
		add(line, ".");
	if (strchr(effects, ';') && opcode & 0x400)
		add(line, ".");
	if (strchr(found->operands, 'e') && opcode & 1 << 25)
		add(line, strcmp(found->mnemonic, "dss") == 0 ? "all" : "t");
}

/* Adds an instruction that has another mnemonic or further operands if a bit is set (or always,
 * if they are of no register that the table describes); returns whether it is one. */
static bool
add_variant(struct operand_line *line, uint32_t opcode, const char *mnemonic)
{
	static const struct {
		const char *mnemonic;
		uint32_t bit;
		const char *name, *operands;
	} variants[] = {
		{"dcbz", .bit = 1 << 21, .name = "dcbzl", .operands = "0b"},
		{"mcrfs", .bit = 0, .name = "mcrfs", .operands = "Kk"},
		{"mfcr", .bit = 1 << 20, .name = "mfocrf", .operands = "TM"},
		{"mtcrf", .bit = 1 << 20, .name = "mtocrf", .operands = "MS"},
		{"mtmsrd", .bit = 1 << 16, .name = "mtmsrd", .operands = "Sz"},
	};
	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
		if ((opcode & variants[i].bit) != variants[i].bit ||
			strcmp(mnemonic, variants[i].mnemonic) != 0)
			continue;
		add(line, "%s", variants[i].name);
		add_operands(line, opcode, variants[i].operands);
		return true;
	}
	return false;
}

static void
add_instruction(
	struct operand_line *line, uint32_t opcode, const struct powerpc_instruction *found)
{
	bool is_special = strpbrk(found->operands, "Rr") != NULL;
	if (opcode >> 26 == 19 && strchr(found->operands, 'Q') &&
		add_condition_alias(line, opcode))
		return;
	if (is_special && add_special_alias(line, opcode))
		return;
	if (add_variant(line, opcode, found->mnemonic))
		return;
	add_mnemonic(line, opcode, found);
	if ((opcode & 0xfe0007fe) != 0x7e00066c) /* dssall */
		add_operands(line, opcode, found->operands);
}

size_t
powerpc_text(uint32_t opcode, uint64_t pc, bool must, char *text, size_t size)
{
	struct operand_line line = {text, size, 0, " "};
	const struct powerpc_instruction *found = powerpc_find(opcode);
	if (!found->mnemonic || (must && found->operands[0] != '='))
		return 0;
	if (powerpc_branch(opcode, 0).is_branch)
		add_branch(&line, opcode, pc);
	else if (found->operands[0] == '=' && found->operands[1] == 't')
		add_trap(&line, opcode, found);
	else
		add_instruction(&line, opcode, found);
	return line.length;
}
