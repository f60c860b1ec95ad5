/* SPDX-License-Identifier: MIT */
/* Lines of CIS 501 traces: one micro-operation in fourteen fields. Pure. */
#ifndef FORMAT_CIS501_LINE_H
#define FORMAT_CIS501_LINE_H

#include "format/line.h"

#define CIS501_FIELDS 14

/* Bytes of the longest line that is read. */
#define CIS501_LINE_MOST 4096

/* Room that writing a line takes, apart from its two opcodes. */
#define CIS501_PRINT_ROOM 256

/* How fields are laid out: in columns as in the courses' files, or with single blanks. */
enum cis501_layout { CIS501_COLUMNS, CIS501_BLANKS, CIS501_LAYOUTS };

/* Indexes into cis501_rules. */
enum cis501_rule {
	CIS501_C01,
	CIS501_C02,
	CIS501_C03,
	CIS501_C04,
	CIS501_C05,
	CIS501_C06,
	CIS501_C07,
	CIS501_C08,
	CIS501_C09,
	CIS501_C10,
	CIS501_C11,
	CIS501_C12,
	CIS501_C13,
	CIS501_C14,
	CIS501_C15,
	CIS501_C16,
	CIS501_C17,
	CIS501_C18,
	CIS501_C19,
	CIS501_C20,
	CIS501_C21,
	CIS501_C22,
	CIS501_C23,
	CIS501_RULE_COUNT
};

/* Values of the column record, and what a line may be. */
enum cis501_record {
	CIS501_MICRO_OP,
	CIS501_BLANK,	/* nothing but white space */
	CIS501_HEADER,	/* one of the two rows above the example of seed 004 */
	CIS501_DAMAGED, /* none of these */
	CIS501_RECORD_COUNT
};

/* What was written otherwise than the format's own files have it: bits. */
enum cis501_style {
	CIS501_ZERO = 1,    /* a decimal number begins with a 0 */
	CIS501_PREFIX = 2,  /* 0x before a hexadecimal number */
	CIS501_UPPER = 4,   /* upper-case hexadecimal digits */
	CIS501_OTHER = 8,   /* white space that is no blank, a plus, a hexadecimal 0 in front */
	CIS501_RETURN = 16, /* a carriage return before the newline */
	CIS501_OFF = 32,    /* the first of a bit for each layout that the line is not in */
};

/* A string of a line or of a trace; not terminated. */
struct cis501_word {
	const char *text;
	size_t length;
};

/* A micro-operation, every field as the line has it. */
struct cis501 {
	uint32_t uop;
	int32_t src1, src2, dest;   /* -1: none */
	char flags, branch, access; /* the letters */
	int64_t immediate;
	uint64_t pc, address, fallthrough, target;
	struct cis501_word macro, micro;
	struct cis501_word address_field; /* its digits, and the blanks in front but for one */
	unsigned style;			  /* bits of enum cis501_style */
};

/*
 * Parses a line that ends in a newline. What is not CIS501_MICRO_OP leaves op undefined;
 * CIS501_DAMAGED fills fault.
 */
enum cis501_record cis501_parse(
	const uint8_t *text, struct cis501 *op, struct line_fault *fault);

/*
 * The bytes up to the end of the last one of as many words as a record has fields, in whatever
 * lines they stand; 0 where n bytes have fewer.
 */
size_t cis501_words_size(const uint8_t *text, size_t n);

/* The bytes of white space at the front of n, up to its first newline, which is counted too. */
size_t cis501_gap_size(const uint8_t *text, size_t n);

/* Digits for which an address in CIS501_COLUMNS has room. */
#define CIS501_ADDRESS_DIGITS 12

/* A line that was written. */
struct cis501_printed {
	const char *text;
	size_t size;
	size_t address_at; /* where the address begins, with its blanks */
};

/* Writes a line with its newline. */
struct cis501_printed cis501_print(
	char *to, const struct cis501 *op, enum cis501_layout layout);

/* True where a line of that style is just what cis501_print writes. */
static inline bool
cis501_is_exact(unsigned style, enum cis501_layout layout)
{
	const unsigned other = CIS501_OFF - 1;
	return !(style & (other | (unsigned)CIS501_OFF << layout));
}

/* The name of a field from 0 in messages. */
const char *cis501_field_name(unsigned field);

/* Characters at the front of a string that can stand in a word. */
size_t cis501_word_length(const char *text);

#endif
