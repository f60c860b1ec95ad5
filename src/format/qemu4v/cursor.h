/* SPDX-License-Identifier: MIT */
/*
 * Fields of lines of QEMU4V and Tarmac traces.
 *
 * spec: QEMU4V Trace Format; Arm Fast Models, Tarmac Trace
 */
#ifndef FORMAT_QEMU4V_CURSOR_H
#define FORMAT_QEMU4V_CURSOR_H

#include "format/qemu4v/qemu4v.h"

/*
 * Position in a line. end is at its carriage return or newline, or at the newline after it:
 * bytes that no token holds, so tokens need not check for the end.
 */
struct qemu4v_cursor {
	const uint8_t *p, *end;
	bool plain;
};

static inline bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static inline bool
is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

static inline bool
is_lower(uint8_t c)
{
	return (uint8_t)(c - 'a') < 26;
}

static inline bool
is_letter(uint8_t c)
{
	return is_lower(c | 0x20);
}

static inline bool
is_graphic(uint8_t c)
{
	return c > ' ' && c < 0x7f;
}

/* Returns the value of a hexadecimal digit; 16 for other bytes. */
static inline unsigned
hex_digit(uint8_t c)
{
	unsigned decimal = (unsigned)c - '0', letter = ((unsigned)c | 0x20) - 'a';
	return decimal < 10 ? decimal : (letter < 6 ? letter + 10 : 16);
}

static inline bool
is_word(const struct qemu4v_word *word, const char *text)
{
	return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* Skips the white space between two fields; false if absent. */
static inline bool
skip_gap(struct qemu4v_cursor *at)
{
	const uint8_t *p = at->p;
	while (is_blank(*p))
		p++;
	at->plain &= p == at->p + 1 && *at->p == ' ';
	bool good = p != at->p;
	at->p = p;
	return good;
}

/* True if a field ends here. */
static inline bool
at_field_end(const struct qemu4v_cursor *at)
{
	return is_blank(*at->p) || at->p == at->end;
}

/* Returns the graphic bytes from here on. */
static inline struct qemu4v_word
find_token(const struct qemu4v_cursor *at)
{
	const uint8_t *p = at->p;
	while (is_graphic(*p))
		p++;
	return (struct qemu4v_word){at->p, (size_t)(p - at->p)};
}

/* Parses a decimal number; *known is false if it has more than 19 digits. */
static inline bool
parse_decimal(struct qemu4v_cursor *at, uint64_t *value, bool *known)
{
	const uint8_t *p = at->p;
	uint64_t v = 0;
	for (; is_digit(*p); p++)
		v = v * 10 + (uint64_t)(*p - '0');
	size_t n = (size_t)(p - at->p);
	*known = n <= 19;
	*value = v;
	at->plain &= *known && (n == 1 || *at->p != '0');
	at->p = p;
	return n != 0;
}

/*
 * Parses a hexadecimal number of up to 16 digits, with or without 0x; returns the number of its
 * digits, or 0.
 */
static inline unsigned
parse_hex(struct qemu4v_cursor *at, uint64_t *value)
{
	const uint8_t *p = at->p;
	if (p[0] == '0' && (p[1] | 0x20) == 'x') {
		p += 2;
		at->plain = false;
	}
	const uint8_t *start = p;
	uint64_t v = 0;
	bool upper = false;
	for (unsigned digit; (digit = hex_digit(*p)) < 16; p++) {
		v = v << 4 | digit;
		upper |= *p >= 'A' && *p <= 'F';
	}
	size_t n = (size_t)(p - start);
	if (n > 16)
		return 0;
	at->plain &= !upper;
	*value = v;
	at->p = p;
	return (unsigned)n;
}

/* Parses an address and its translation: va, va:pa, va:pa_NS, va:pa1,pa2. */
static inline bool
parse_address(struct qemu4v_cursor *at, struct qemu4v *line)
{
	line->has_real = false;
	line->address_digits = parse_hex(at, &line->address);
	if (!line->address_digits)
		return false;
	line->address_text =
		(struct qemu4v_word){at->p - line->address_digits, line->address_digits};
	if (*at->p != ':')
		return true;
	at->p++;
	const unsigned digits = parse_hex(at, &line->real);
	line->has_real = digits != 0;
	line->real_text = (struct qemu4v_word){at->p - digits, digits};
	while (*at->p == '_' || *at->p == ',' || is_letter(*at->p) || is_digit(*at->p)) {
		at->plain = false;
		at->p++;
	}
	return line->has_real;
}

/*
 * Parses digits up to the next white space, with _ between them and x, - or # for unknown ones.
 */
static inline bool
parse_digits(struct qemu4v_cursor *at, struct qemu4v_digits *digits)
{
	const uint8_t *p = at->p;
	bool upper = false;
	if (p[0] == '0' && (p[1] | 0x20) == 'x' && hex_digit(p[2]) < 16) {
		p += 2;
		at->plain = false;
	}
	*digits = (struct qemu4v_digits){.word = {p, 0}};
	for (; is_graphic(*p); p++) {
		unsigned digit = hex_digit(*p);
		if (digit < 16) {
			digits->value = digits->value << 4 | digit;
			digits->count++;
			upper |= *p >= 'A' && *p <= 'F';
			continue;
		}
		bool unknown = (*p | 0x20) == 'x' || *p == '-' || *p == '#';
		if (!unknown && *p != '_' && *p != ':')
			return false;
		digits->unknown += unknown;
		at->plain = false;
	}
	at->plain &= !upper;
	digits->word.length = (size_t)(p - digits->word.text);
	at->p = p;
	return digits->count + digits->unknown != 0;
}

/*
 * Parses (id), (address:id) or (address); bracket is its value as an address, has_pc means that
 * it is one. Numbers are decimal, except after an address.
 */
static inline bool
parse_bracket(struct qemu4v_cursor *at, struct qemu4v *line, uint64_t *bracket)
{
	const uint8_t *start = ++at->p;
	if (parse_decimal(at, &line->id, &line->has_id) && *at->p == ')') {
		line->id_text = (struct qemu4v_word){start, (size_t)(at->p - start)};
		struct qemu4v_cursor again = {start, at->end, true};
		if (!parse_hex(&again, bracket))
			*bracket = 0;
		at->p++;
		return skip_gap(at);
	}
	at->p = start;
	at->plain = line->has_id = false;
	line->foreign = true;
	if (!parse_hex(at, bracket))
		return false;
	line->has_pc = *at->p == ':';
	if (line->has_pc) {
		at->p++;
		line->has_id = parse_hex(at, &line->id) != 0;
	}
	return *at->p++ == ')' && skip_gap(at);
}

/* True if the word is an instruction set. */
static inline bool
is_iset(const struct qemu4v_word *word)
{
	if (word->length == 1)
		return word->text[0] == 'A' || word->text[0] == 'T' || word->text[0] == 'X' ||
		       word->text[0] == 'O';
	return is_word(word, "T16") || is_word(word, "T32");
}

/* True if the word names a system operation, which is not a register. */
static inline bool
is_operation(const struct qemu4v_word *word)
{
	return is_word(word, "DC") || is_word(word, "IC") || is_word(word, "TLBI") ||
	       is_word(word, "AT");
}

/* Returns the graphic bytes up to white space or a colon. */
static inline struct qemu4v_word
find_label(const struct qemu4v_cursor *at)
{
	const uint8_t *p = at->p;
	while (is_graphic(*p) && *p != ':')
		p++;
	return (struct qemu4v_word){at->p, (size_t)(p - at->p)};
}

/* Parses instruction set, mode, the colon and the rest of the line. */
bool qemu4v_parse_disassembly(struct qemu4v_cursor *at, struct qemu4v *line);

/* Parses a coprocessor transfer, R08, W04, LD, ST, ES and other forms that only Tarmac has. */
enum qemu4v_record qemu4v_parse_form(struct qemu4v_cursor *at, struct qemu4v *line);

/* Parses the data after the address of an access. */
bool qemu4v_parse_data(struct qemu4v_cursor *at, struct qemu4v *line);

/* Parses instruction set and text after an opcode, without a colon. */
bool qemu4v_parse_short(struct qemu4v_cursor *at, struct qemu4v *line);

#endif
