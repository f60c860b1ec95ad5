/* SPDX-License-Identifier: MIT */
/* Classifies calls and returns by disassembled text, for any instruction set. */
#include "isa/flow.h"

#include "isa/isa.h"
#include "isa/mnemonic.h"

#include <ctype.h>
#include <string.h>

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* BL and BLX of ARM with a condition; BLE, BLT and BLS are branches on less. */
static bool
is_conditional_call(const char *word)
{
	static const char *const conditions =
		" eq ne cs cc hs lo mi pl vs vc hi ls ge lt gt le al ";
	if (!begins(word, "bl"))
		return false;
	return mnemonic_is_among(conditions, word + 2) ||
	       (word[2] == 'x' && mnemonic_is_among(conditions, word + 3));
}

/* blr, beqlr, bdnzlr and the like of PowerPC, but not the blr of AArch64. */
static bool
is_link_return(const struct mnemonic *instruction)
{
	const size_t n = strcspn(instruction->base, "+-");
	return instruction->base[0] == 'b' && n >= 3 && instruction->base[n - 2] == 'l' &&
	       instruction->base[n - 1] == 'r' && (n > 3 || instruction->operands[0] != 'x');
}

/* JALR and JAL without a return address. */
static bool
is_unlinked(const struct mnemonic *instruction)
{
	return instruction->base[0] == 'j' && (begins(instruction->operands, "zero,") ||
						      begins(instruction->operands, "x0,") ||
						      begins(instruction->operands, "$zero,") ||
						      begins(instruction->operands, "$0,"));
}

/* beqlrl, bnectrl and the like of PowerPC. Those that end in l alone may be MIPS branches. */
static bool
is_linking(const char *word)
{
	const size_t n = strcspn(word, "+-");
	return word[0] == 'b' && n > 4 &&
	       (strncmp(word + n - 3, "lrl", 3) == 0 || strncmp(word + n - 3, "trl", 3) == 0);
}

static bool
is_call(const struct mnemonic *instruction)
{
	static const char *const calls = " bl blx bla blraa blrab blraaz blrabz jal jalr jalx "
					 "bal bgezal bltzal bgezall bltzall call callq "
					 "calll callw lcall bctrl blrl bcl bcla bclrl bcctrl "
					 "bsr jsr brasl bras basr bas ";
	if (strcmp(instruction->base, "blr") == 0)
		return instruction->operands[0] == 'x';
	return (mnemonic_is_among(calls, instruction->base) && !is_unlinked(instruction)) ||
	       is_conditional_call(instruction->base) || is_linking(instruction->base);
}

static bool
is_link(const char *operand)
{
	return mnemonic_is_among(" lr r14 x30 ra $ra $31 r31 %i7 %o7 x1 ", operand);
}

static bool
is_return(const struct mnemonic *instruction)
{
	static const char *const returns =
		" ret retq retl retw retn retf lret lretq retaa retab rts rtd rtr bclr ";
	const char *operands = instruction->operands;
	const size_t n = strlen(operands);
	if (mnemonic_is_among(returns, instruction->base))
		return true;
	if (begins(instruction->base, "bx") || strcmp(instruction->base, "jr") == 0)
		return n < MNEMONIC_SIZE && is_link(operands);
	if (begins(instruction->base, "mov"))
		return strcmp(operands, "pc,lr") == 0 || strcmp(operands, "pc,r14") == 0;
	if (begins(instruction->base, "pop") || begins(instruction->base, "ldm"))
		return strstr(operands, "pc}") || strstr(operands, "r15}");
	if (begins(instruction->base, "ldr"))
		return strcmp(operands, "pc,[sp],#4") == 0 ||
		       strcmp(operands, "pc,[r13],#4") == 0;
	if (is_unlinked(instruction))
		return instruction->base[3] == 'r' &&
		       (strstr(operands, "ra") || strstr(operands, "$31") ||
			       strstr(operands, ",x1") || strstr(operands, "(x1)"));
	return is_link_return(instruction);
}

enum flow
flow_of_text(const char *text, size_t n)
{
	struct mnemonic instruction;
	mnemonic_read(&instruction, text, n);
	if (is_call(&instruction))
		return FLOW_CALL;
	return is_return(&instruction) ? FLOW_RETURN : FLOW_OTHER;
}

/* Skips a word at the front of a name; false: the name begins otherwise. */
static bool
skip_word(const char **name, const char *word)
{
	const bool is = begins(*name, word);
	*name += is ? strlen(word) : 0;
	return is;
}

unsigned
flow_of_record(const char *name)
{
	unsigned flow = ISA_JUMPS;
	if (!name)
		return 0;
	if (skip_word(&name, "conditional_") || skip_word(&name, "taken_") ||
		skip_word(&name, "untaken_"))
		flow |= ISA_CONDITIONAL;
	if (skip_word(&name, "indirect_"))
		flow |= ISA_INDIRECT;
	else
		skip_word(&name, "direct_");
	if (strcmp(name, "jump") == 0)
		return flow;
	if (strcmp(name, "call") == 0)
		return flow | ISA_CALLS;
	return strcmp(name, "return") == 0 ? flow | ISA_INDIRECT | ISA_RETURNS : 0;
}
