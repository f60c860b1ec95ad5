/* SPDX-License-Identifier: MIT */
/*
 * Lines of the second format of CIS 501: an ARM instruction in thirteen fields. Pure functions.
 */
#ifndef FORMAT_CIS501V2_LINE_H
#define FORMAT_CIS501V2_LINE_H

#include "format/line/line.h"

/*
 * Bytes of the longest line that is read, and those that a written line needs without its text.
 */
#define CIS501V2_LINE_MAX 4096
#define CIS501V2_PRINT_ROOM 160

/* Indexes into the format's rules. */
enum cis501v2_rule { V01, V02, V03, V04, RULE_COUNT };

/* Values of the column record; the first five are the branch types. */
enum v2_record {
	INSTRUCTION,
	CONDITIONAL_DIRECT,
	CONDITIONAL_INDIRECT,
	UNCONDITIONAL_DIRECT,
	UNCONDITIONAL_INDIRECT,
	BLANK,
	CORRUPT,
	RECORD_COUNT
};

/* Stands for an absent register; registers are 0 to 15. */
#define NO_REGISTER 16

/* An instruction, every field as the line has it. */
struct cis501v2 {
	uint32_t pc, target, address, opcode_size, size;
	unsigned type; /* an enum v2_record */
	char direction, access;
	unsigned flags;		   /* enum poly_flags */
	unsigned dest, src1, src2; /* 0 to 15, or NO_REGISTER */
	const char *text;
	size_t length;
	const char *address_text; /* its digits */
	size_t address_length;
};

/* Returns the course's name of a branch type: "CD"; "_" for INSTRUCTION. */
const char *cis501v2_type(unsigned type);

/*
 * Parses a line of n bytes; returns BLANK, CORRUPT with a fault, or op's type. The text points
 * into the line.
 */
enum v2_record cis501v2_parse(
	const char *text, size_t n, struct cis501v2 *op, struct line_fault *fault);

/* Writes a line with its newline; returns its length. */
size_t cis501v2_print(char *dst, const struct cis501v2 *op);

/* True if the columns of an instruction reproduce its line of n bytes. */
bool cis501v2_is_exact(const char *text, size_t n, const struct cis501v2 *op);

/* True if n bytes are valid as an instruction's text. */
bool cis501v2_is_text(const char *text, size_t n);

#endif
