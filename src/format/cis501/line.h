/* SPDX-License-Identifier: MIT */
/* Lines of CIS 501 traces: one micro-operation in fourteen fields. Pure functions. */
#ifndef FORMAT_CIS501_LINE_H
#define FORMAT_CIS501_LINE_H

#include "format/line/line.h"

#define CIS501_FIELDS 14

/* Bytes of the longest line that is read. */
#define CIS501_LINE_MAX 4096

/* Bytes that a written line needs at most, without its two opcodes. */
#define CIS501_PRINT_ROOM 256

/*
 * Layout of fields: aligned in columns as in the course's files, or separated by single blanks.
 */
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

/* Values of the column record: the classes of lines. */
enum cis501_record {
	CIS501_MICRO_OP,
	CIS501_BLANK,	/* nothing but white space */
	CIS501_HEADER,	/* one of the two header rows of the example in the specification */
	CIS501_CORRUPT, /* any other bytes */
	CIS501_RECORD_COUNT
};

/* Bits of spellings that differ from the course's own files. */
enum cis501_style {
	CIS501_ZERO = 1,   /* a decimal number begins with a 0 */
	CIS501_PREFIX = 2, /* 0x before a hexadecimal number */
	CIS501_UPPER = 4,  /* upper-case hexadecimal digits */
	CIS501_OTHER = 8,  /* white space other than a blank, a plus, a leading hexadecimal 0 */
	CIS501_RETURN = 16, /* a carriage return before the newline */
	CIS501_OFF = 32,    /* first of one bit per layout: the line is not in that layout */
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
	struct cis501_word
		address_field; /* its digits and all but one of the blanks before them */
	unsigned style;	       /* bits of enum cis501_style */
};

/*
 * Parses a line that ends in a newline. op is defined only for CIS501_MICRO_OP, fault only for
 * CIS501_CORRUPT.
 */
enum cis501_record cis501_parse(
	const uint8_t *text, struct cis501 *op, struct line_fault *fault);

/*
 * Returns the size of the text up to the end of the CIS501_FIELDS-th word, in any lines; 0 if n
 * bytes have fewer words.
 */
size_t cis501_words_size(const uint8_t *text, size_t n);

/*
 * Returns the size of the white space at the front of n bytes, up to and including its first
 * newline.
 */
size_t cis501_gap_size(const uint8_t *text, size_t n);

/* Width of an address in CIS501_COLUMNS. */
#define CIS501_ADDRESS_DIGITS 12

/* A written line. */
struct cis501_printed {
	const char *text;
	size_t size;
	size_t address_at; /* offset of the address, with its blanks */
};

/* Writes a line with its newline. */
struct cis501_printed cis501_print(
	char *dst, const struct cis501 *op, enum cis501_layout layout);

/* True if a line of that style is byte for byte what cis501_print writes. */
static inline bool
cis501_is_exact(unsigned style, enum cis501_layout layout)
{
	const unsigned spelling = CIS501_OFF - 1;
	return !(style & (spelling | (unsigned)CIS501_OFF << layout));
}

/* Name of a field, from 0, for messages. */
const char *cis501_field_name(unsigned field);

/* Returns the number of leading characters of a string that are valid in a word. */
size_t cis501_word_length(const char *text);

#endif
