/* SPDX-License-Identifier: MIT */
/* Classifies calls and returns by disassembled text, for any instruction set. */
#include "isa/flow.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define WORD 16
#define OPERANDS 120

/* An instruction in lower case, without the blanks of its operands. */
struct mnemonic_text {
	char word[WORD];
	char operands[OPERANDS];
};

static void
read_text(struct mnemonic_text *instruction, const char *text, size_t n)
{
	size_t used = 0, i = 0;
	while (i < n && isspace((unsigned char)text[i]))
		i++;
	for (; i < n && !isspace((unsigned char)text[i]); i++) {
		/* A suffix after a point selects the encoding, as in BL.W. */
		if (text[i] == '.')
			break;
		if (used < WORD - 1)
			instruction->word[used++] = (char)tolower((unsigned char)text[i]);
	}
	instruction->word[used] = 0;
	while (i < n && !isspace((unsigned char)text[i]))
		i++;
	for (used = 0; i < n && used < OPERANDS - 1 && text[i] != ';'; i++) {
		if (!isspace((unsigned char)text[i]))
			instruction->operands[used++] = (char)tolower((unsigned char)text[i]);
	}
	instruction->operands[used] = 0;
}

/* True if word is in a list with blanks around each word. */
static bool
is_among(const char *list, const char *word)
{
	char padded[WORD + 2];
	const size_t n = strlen(word);
	padded[0] = ' ';
	memcpy(padded + 1, word, n);
	memcpy(padded + 1 + n, " ", 2);
	return n && strstr(list, padded);
}

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
	return is_among(conditions, word + 2) ||
	       (word[2] == 'x' && is_among(conditions, word + 3));
}

/* blr, beqlr, bdnzlr and the like of PowerPC, but not the blr of AArch64. */
static bool
is_link_return(const struct mnemonic_text *instruction)
{
	const size_t n = strcspn(instruction->word, "+-");
	return instruction->word[0] == 'b' && n >= 3 && instruction->word[n - 2] == 'l' &&
	       instruction->word[n - 1] == 'r' && (n > 3 || instruction->operands[0] != 'x');
}

/* JALR and JAL without a return address. */
static bool
is_unlinked(const struct mnemonic_text *instruction)
{
	return instruction->word[0] == 'j' && (begins(instruction->operands, "zero,") ||
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
is_call(const struct mnemonic_text *instruction)
{
	static const char *const calls = " bl blx bla blraa blrab blraaz blrabz jal jalr jalx "
					 "bal bgezal bltzal bgezall bltzall call callq "
					 "calll callw lcall bctrl blrl bcl bcla bclrl bcctrl "
					 "bsr jsr brasl bras basr bas ";
	if (strcmp(instruction->word, "blr") == 0)
		return instruction->operands[0] == 'x';
	return (is_among(calls, instruction->word) && !is_unlinked(instruction)) ||
	       is_conditional_call(instruction->word) || is_linking(instruction->word);
}

static bool
is_link(const char *operand)
{
	return is_among(" lr r14 x30 ra $ra $31 r31 %i7 %o7 x1 ", operand);
}

static bool
is_return(const struct mnemonic_text *instruction)
{
	static const char *const returns =
		" ret retq retl retw retn retf lret lretq retaa retab rts rtd rtr bclr ";
	const char *operands = instruction->operands;
	const size_t n = strlen(operands);
	if (is_among(returns, instruction->word))
		return true;
	if (begins(instruction->word, "bx") || strcmp(instruction->word, "jr") == 0)
		return n < WORD && is_link(operands);
	if (begins(instruction->word, "mov"))
		return strcmp(operands, "pc,lr") == 0 || strcmp(operands, "pc,r14") == 0;
	if (begins(instruction->word, "pop") || begins(instruction->word, "ldm"))
		return strstr(operands, "pc}") || strstr(operands, "r15}");
	if (begins(instruction->word, "ldr"))
		return strcmp(operands, "pc,[sp],#4") == 0 ||
		       strcmp(operands, "pc,[r13],#4") == 0;
	if (is_unlinked(instruction))
		return instruction->word[3] == 'r' &&
		       (strstr(operands, "ra") || strstr(operands, "$31") ||
			       strstr(operands, ",x1") || strstr(operands, "(x1)"));
	return is_link_return(instruction);
}

enum flow
flow_of_text(const char *text, size_t n)
{
	struct mnemonic_text instruction;
	read_text(&instruction, text, n);
	if (is_call(&instruction))
		return FLOW_CALL;
	return is_return(&instruction) ? FLOW_RETURN : FLOW_OTHER;
}
