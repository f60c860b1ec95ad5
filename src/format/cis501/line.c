/* SPDX-License-Identifier: MIT */
/*
 * Lines of CIS 501 traces: one scan of the bytes, which a table classifies.
 *
 * spec: Instruction Trace Format (Penn CIS 501), Field Descriptions; published traces of Penn
 * CIS 501
 */
#include "format/cis501/line.h"

#include "base/num.h"

#include <stdio.h>

/* Class of a byte: a hexadecimal digit of that value (U: upper case), or one of these. */
#define U 0x10 /* with the digit: upper case */
#define P 0x20 /* another printable character */
#define S 0x40 /* white space within a line */
#define N 0x41 /* a newline */
#define X 0x80 /* anything else */
static const uint8_t classes[256] = {
	/* clang-format off */
	X, X, X, X, X, X, X, X, X, S, N, S, S, S, X, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	S, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, P, P, P, P, P, P,
	P, U | 10, U | 11, U | 12, U | 13, U | 14, U | 15, P, P, P, P, P, P, P, P, P,
	P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
	P, 10, 11, 12, 13, 14, 15, P, P, P, P, P, P, P, P, P,
	P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	/* clang-format on */
};

#define is_digit(c) (classes[c] < 10)
#define is_hex(c) (classes[c] < P)
#define is_word(c) (classes[c] < S)
#define is_space(c) (classes[c] == S)
#define is_end(c) ((classes[c] | 1) == N)

/* Position in a line. */
struct cis501_scan {
	const uint8_t *p;   /* the next byte */
	const uint8_t *gap; /* end of the previous field */
	unsigned style;	    /* bits of enum cis501_style */
	unsigned fields;    /* parsed so far */
};

/* Skips white space; returns the beginning of the next field. */
static inline const uint8_t *
next_field(struct cis501_scan *scan)
{
	const uint8_t *p = scan->p;
	while (*p == ' ')
		p++;
	for (; is_space(*p); p++)
		scan->style |= *p == ' ' ? 0 : CIS501_OTHER;
	scan->p = p;
	return p;
}

/* Ends a field that began at start; in columns `padding` further blanks precede it. */
static inline bool
end_field(struct cis501_scan *scan, const uint8_t *start, ptrdiff_t extra)
{
	ptrdiff_t gap = start - scan->gap;
	bool good = is_end(*scan->p);
	scan->style |= (gap != 1 + extra ? (unsigned)CIS501_OFF << CIS501_COLUMNS : 0) |
		       (gap != 1 ? (unsigned)CIS501_OFF << CIS501_BLANKS : 0);
	scan->gap = scan->p;
	scan->fields += good;
	return good;
}

/* Returns the number of blanks that pad a field of that length to a width. */
static inline ptrdiff_t
padding(ptrdiff_t width, ptrdiff_t length)
{
	return length < width ? width - length : 0;
}

static inline bool
parse_hex(struct cis501_scan *scan, ptrdiff_t width, uint64_t *value)
{
	const uint8_t *start = next_field(scan), *p = start;
	unsigned seen = 0;
	uint64_t v = 0;
	if (p[0] == '0' && (p[1] | 0x20) == 'x') {
		scan->style |= CIS501_PREFIX;
		p += 2;
	}
	const uint8_t *digits = p;
	for (; is_hex(*p); p++) {
		unsigned class = classes[*p];
		seen |= class;
		v = v << 4 | (class & 15);
	}
	if (p == digits)
		return false;
	if (seen & U)
		scan->style |= CIS501_UPPER;
	if (*digits == '0' && p - digits > 1)
		scan->style |= CIS501_OTHER;
	for (; p - digits > 16; digits++) {
		if (*digits != '0')
			return false;
	}
	*value = v;
	scan->p = p;
	return end_field(scan, start, padding(width, p - start));
}

/* Parses a decimal number from -max - negative to max; negative: a sign is allowed. */
static inline bool
parse_decimal(
	struct cis501_scan *scan, ptrdiff_t width, uint64_t max, bool negative, uint64_t *value)
{
	const uint8_t *start = next_field(scan), *p = start;
	bool minus = negative && *p == '-';
	if (negative && *p == '+')
		scan->style |= CIS501_OTHER;
	p += minus || (negative && *p == '+');
	const uint8_t *digits = p;
	uint64_t v = 0;
	for (; is_digit(*p); p++)
		v = v * 10 + classes[*p];
	ptrdiff_t n = p - digits;
	if (n == 0 || (n > 19 && !num_parse((const char *)digits, (size_t)n, &v)) ||
		v > max + minus)
		return false;
	if (*digits == '0' && (n > 1 || minus))
		scan->style |= n > 1 ? CIS501_ZERO : CIS501_OTHER;
	*value = minus ? 0 - v : v;
	scan->p = p;
	return end_field(scan, start, padding(width, p - start));
}

static inline bool
parse_register(struct cis501_scan *scan, int32_t *number)
{
	uint64_t v;
	bool good = parse_decimal(scan, 2, INT32_MAX, true, &v);
	*number = good ? (int32_t)(int64_t)v : 0;
	return good;
}

static inline bool
parse_letter(struct cis501_scan *scan, char first, char second, char *letter)
{
	const uint8_t *start = next_field(scan);
	char c = (char)*start;
	if (c != '-' && c != first && c != second)
		return false;
	*letter = c;
	scan->p = start + 1;
	return end_field(scan, start, 0);
}

static inline bool
parse_word(struct cis501_scan *scan, ptrdiff_t extra, struct cis501_word *word)
{
	const uint8_t *start = next_field(scan), *p = start;
	while (is_word(*p))
		p++;
	word->text = (const char *)start;
	word->length = (size_t)(p - start);
	scan->p = p;
	return p != start && end_field(scan, start, extra);
}

/* Parses the white space after the last field, and the newline. */
static inline bool
parse_end(struct cis501_scan *scan)
{
	const uint8_t *p = scan->p;
	if (*p == '\r' && p[1] == '\n') {
		scan->style |= CIS501_RETURN;
		return true;
	}
	if (*p == '\n')
		return true;
	scan->style |= CIS501_OTHER;
	return *next_field(scan) == '\n';
}

static inline bool
parse_fields(struct cis501_scan *scan, struct cis501 *op)
{
	const unsigned off = (unsigned)CIS501_OFF << CIS501_COLUMNS | (unsigned)CIS501_OFF
									      << CIS501_BLANKS;
	const uint8_t *text = scan->p, *field = NULL;
	uint64_t uop = 0, immediate = 0;
	bool good = parse_decimal(scan, 0, UINT32_MAX, false, &uop) && uop != 0;
	scan->fields = good; /* 0 is a number, but not of this field */
	/* No gap precedes the first field. */
	scan->style = (scan->style & ~off) | (is_end(*text) ? off : 0);
	good = good && parse_hex(scan, 0, &op->pc) && parse_register(scan, &op->src1) &&
	       parse_register(scan, &op->src2) && parse_register(scan, &op->dest) &&
	       parse_letter(scan, 'R', 'W', &op->flags) &&
	       parse_letter(scan, 'T', 'N', &op->branch) &&
	       parse_letter(scan, 'L', 'S', &op->access) &&
	       parse_decimal(scan, 9, INT64_MAX, true, &immediate);
	field = scan->gap + 1;
	good = good && parse_hex(scan, 12, &op->address);
	op->address_field =
		(struct cis501_word){(const char *)field, (size_t)(scan->p - field)};
	good = good && parse_hex(scan, 12, &op->fallthrough) &&
	       parse_hex(scan, 12, &op->target) && parse_word(scan, 0, &op->macro) &&
	       parse_word(scan, padding(8, (ptrdiff_t)op->macro.length), &op->micro);
	op->uop = (uint32_t)uop;
	op->immediate = (int64_t)immediate;
	return good && parse_end(scan);
}

/* Splits a line into words; returns their number, and stores at most CIS501_FIELDS. */
static unsigned
split(const uint8_t *text, struct cis501_word words[CIS501_FIELDS])
{
	struct cis501_scan scan = {.p = text};
	unsigned n = 0;
	for (; *next_field(&scan) != '\n'; n++) {
		const uint8_t *start = scan.p;
		while (classes[*scan.p] != S && classes[*scan.p] != N)
			scan.p++;
		if (n < CIS501_FIELDS)
			words[n] = (struct cis501_word){
				(const char *)start, (size_t)(scan.p - start)};
	}
	return n;
}

static bool
word_is(const struct cis501_word *word, const char *text)
{
	return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* True for the header rows of the specification's example: field numbers or names. */
static bool
is_header(const struct cis501_word *words, unsigned n)
{
	if (n >= 3 && word_is(&words[0], "Uop") && word_is(&words[1], "PC") &&
		word_is(&words[2], "Src1"))
		return true;
	for (unsigned i = 0; i < CIS501_FIELDS; i++) {
		char number[12];
		snprintf(number, sizeof number, "%u", i + 1);
		if (n != CIS501_FIELDS || !word_is(&words[i], number))
			return false;
	}
	return true;
}

static const struct {
	const char *name, *expected;
	enum cis501_rule rule;
} fields[CIS501_FIELDS] = {
	{"uop", "a decimal number from 1 of 32 bits", CIS501_C03},
	{"pc", "a hexadecimal number of 64 bits", CIS501_C03},
	{"src1", "a signed decimal number of 32 bits", CIS501_C03},
	{"src2", "a signed decimal number of 32 bits", CIS501_C03},
	{"dest", "a signed decimal number of 32 bits", CIS501_C03},
	{"flags", "R, W or -", CIS501_C04},
	{"branch", "T, N or -", CIS501_C04},
	{"load/store", "L, S or -", CIS501_C04},
	{"immediate", "a signed decimal number of 64 bits", CIS501_C03},
	{"memory address", "a hexadecimal number of 64 bits", CIS501_C03},
	{"fallthrough", "a hexadecimal number of 64 bits", CIS501_C03},
	{"target", "a hexadecimal number of 64 bits", CIS501_C03},
	{"macro opcode", "printable characters", CIS501_C04},
	{"micro opcode", "printable characters", CIS501_C04},
};

const char *
cis501_field_name(unsigned field)
{
	return fields[field].name;
}

/* Classifies a line that is not a micro-operation; its first `good` fields are valid. */
static enum cis501_record
explain_line(const uint8_t *text, unsigned good, struct line_fault *fault)
{
	struct cis501_word words[CIS501_FIELDS];
	unsigned n = split(text, words);
	if (n == 0)
		return CIS501_BLANK;
	if (is_header(words, n))
		return CIS501_HEADER;
	unsigned bad = good < CIS501_FIELDS ? good : CIS501_FIELDS - 1;
	if (n != CIS501_FIELDS) {
		line_set_fault(fault, n < CIS501_FIELDS ? CIS501_C01 : CIS501_C02, 0,
			"%u fields, expected %d; %s", n, CIS501_FIELDS,
			n < CIS501_FIELDS ? "is it truncated, or split over two lines?"
					  : "does an opcode contain a blank?");
		return CIS501_CORRUPT;
	}
	const struct cis501_word *word = &words[bad];
	const uint8_t *shown = (const uint8_t *)word->text;
	line_set_fault(fault, fields[bad].rule, (size_t)(shown - text) + 1,
		"field %u, %s, is '%.*s', expected %s", bad + 1, fields[bad].name,
		line_shown(shown, word->length), word->text, fields[bad].expected);
	return CIS501_CORRUPT;
}

enum cis501_record
cis501_parse(const uint8_t *text, struct cis501 *op, struct line_fault *fault)
{
	struct cis501_scan scan = {.p = text, .gap = text};
	bool good = parse_fields(&scan, op);
	op->style = scan.style;
	return good ? CIS501_MICRO_OP : explain_line(text, scan.fields, fault);
}

size_t
cis501_words_size(const uint8_t *text, size_t n)
{
	size_t words = 0, i = 0;
	while (i < n && words < CIS501_FIELDS) {
		while (i < n && is_end(text[i]))
			i++;
		words += i < n;
		while (i < n && !is_end(text[i]))
			i++;
	}
	return words == CIS501_FIELDS ? i : 0;
}

size_t
cis501_gap_size(const uint8_t *text, size_t n)
{
	size_t i = 0;
	while (i < n && is_space(text[i]))
		i++;
	return i < n && text[i] == '\n' ? i + 1 : i;
}

size_t
cis501_word_length(const char *text)
{
	size_t n = 0;
	while (is_word((uint8_t)text[n]))
		n++;
	return n;
}

/* Writes a blank and n bytes, right-aligned in width. */
static inline char *
append_right(char *dst, const char *text, size_t n, size_t width)
{
	for (size_t i = n; i < width; i++)
		*dst++ = ' ';
	*dst++ = ' ';
	memcpy(dst, text, n);
	return dst + n;
}

/*
 * Writes the blanks before a number of n characters that is right-aligned in width (at most
 * 15); returns where it begins.
 */
static inline char *
append_blanks(char *dst, size_t n, size_t width)
{
	memset(dst, ' ', 16);
	return dst + 1 + (n < width ? width - n : 0);
}

/* Writes a number; overwrites up to 8 bytes past it, as it stores whole words. */
static inline char *
append_hex(char *dst, uint64_t v, size_t width)
{
	const unsigned n = num_hex_width(v);
	const uint64_t low = num_hex_word((uint32_t)v);
	char *p = append_blanks(dst, n, width);
	if (n <= 8) {
		store_le64((uint8_t *)p, low >> 8 * (8 - n));
	} else {
		const uint64_t high = num_hex_word((uint32_t)(v >> 32));
		store_le64((uint8_t *)p, high >> 8 * (16 - n));
		store_le64((uint8_t *)p + n - 8, low);
	}
	return p + n;
}

static inline char *
append_decimal(char *dst, int64_t v, size_t width)
{
	const bool sign = v < 0;
	const uint64_t size = sign ? 0 - (uint64_t)v : (uint64_t)v;
	char digits[24] = "-";
	if (size >= 100000000) {
		const size_t n = num_decimal(digits + sign, size) + sign;
		return append_right(dst, digits, n, width);
	}
	const uint64_t word = num_decimal_word((uint32_t)size);
	/* The last digit is written even if it is 0. */
	const uint64_t shown = (word - 0x3030303030303030) | (uint64_t)1 << 56;
	const unsigned zeros = (unsigned)__builtin_ctzll(shown) / 8;
	char *p = append_blanks(dst, 8 - zeros + sign, width);
	*p = '-';
	store_le64((uint8_t *)p + sign, word >> 8 * zeros);
	return p + sign + 8 - zeros;
}

struct cis501_printed
cis501_print(char *dst, const struct cis501 *op, enum cis501_layout layout)
{
	static const struct {
		size_t number, immediate, address, opcode;
	} widths[CIS501_LAYOUTS] = {{2, 9, 12, 8}, {0, 0, 0, 0}};
	const size_t number = widths[layout].number, address = widths[layout].address;
	char *p = dst + num_decimal(dst, op->uop);
	p = append_hex(p, op->pc, 0);
	p = append_decimal(p, op->src1, number);
	p = append_decimal(p, op->src2, number);
	p = append_decimal(p, op->dest, number);
	const char letters[6] = {' ', op->flags, ' ', op->branch, ' ', op->access};
	memcpy(p, letters, sizeof letters);
	p = append_decimal(p + sizeof letters, op->immediate, widths[layout].immediate);
	const size_t address_at = (size_t)(p - dst) + 1;
	p = append_hex(p, op->address, address);
	p = append_hex(p, op->fallthrough, address);
	p = append_hex(p, op->target, address);
	p = append_right(p, op->macro.text, op->macro.length, 0);
	for (size_t i = op->macro.length; i < widths[layout].opcode; i++)
		*p++ = ' ';
	p = append_right(p, op->micro.text, op->micro.length, 0);
	*p++ = '\n';
	return (struct cis501_printed){dst, (size_t)(p - dst), address_at};
}
