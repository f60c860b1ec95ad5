/* SPDX-License-Identifier: MIT */
/* Fields of lines of QEMU4V and Tarmac traces. spec: reference qemu4v-tarmac 4.1 */
#ifndef FORMAT_QEMU4V_CURSOR_H
#define FORMAT_QEMU4V_CURSOR_H

#include "format/qemu4v/qemu4v.h"

/*
 * A place in a line. end is at its carriage return, newline, or at the newline behind it: bytes
 * that no token can hold, so tokens need not look for the end.
 */
struct cursor {
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

/* The value of a hexadecimal digit; 16 or more for anything else. */
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

/* Passes over the white space between two fields; false where there is none. */
static inline bool
gap(struct cursor *at)
{
	const uint8_t *p = at->p;
	while (is_blank(*p))
		p++;
	at->plain &= p == at->p + 1 && *at->p == ' ';
	bool good = p != at->p;
	at->p = p;
	return good;
}

/* True where a field ends here. */
static inline bool
ends(const struct cursor *at)
{
	return is_blank(*at->p) || at->p == at->end;
}

/* The graphic bytes from here on. */
static inline struct qemu4v_word
token(const struct cursor *at)
{
	const uint8_t *p = at->p;
	while (is_graphic(*p))
		p++;
	return (struct qemu4v_word){at->p, (size_t)(p - at->p)};
}

/* A decimal number; *known is false where it is larger than a number can be. */
static inline bool
decimal(struct cursor *at, uint64_t *value, bool *known)
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

/* A hexadecimal number of up to 16 digits, with or without 0x; returns its digits, or 0. */
static inline unsigned
hexadecimal(struct cursor *at, uint64_t *value)
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

/* An address, and what it is translated to: va, va:pa, va:pa_NS, va:pa1,pa2. */
static inline bool
parse_address(struct cursor *at, struct qemu4v *line)
{
	line->has_real = false;
	line->address_digits = hexadecimal(at, &line->address);
	if (!line->address_digits)
		return false;
	line->address_text =
		(struct qemu4v_word){at->p - line->address_digits, line->address_digits};
	if (*at->p != ':')
		return true;
	at->p++;
	const unsigned digits = hexadecimal(at, &line->real);
	line->has_real = digits != 0;
	line->real_text = (struct qemu4v_word){at->p - digits, digits};
	while (*at->p == '_' || *at->p == ',' || is_letter(*at->p) || is_digit(*at->p)) {
		at->plain = false;
		at->p++;
	}
	return line->has_real;
}

/* Digits up to the next white space, with _ between them and x or - where one is unknown. */
static inline bool
parse_digits(struct cursor *at, struct qemu4v_digits *digits)
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
 * (id), (address:id) or (address); bracket is what it may be as an address, and has_pc that it
 * is one. Numbers are decimal, but for that behind an address.
 */
static inline bool
parse_bracket(struct cursor *at, struct qemu4v *line, uint64_t *bracket)
{
	const uint8_t *start = ++at->p;
	if (decimal(at, &line->id, &line->has_id) && *at->p == ')') {
		line->id_text = (struct qemu4v_word){start, (size_t)(at->p - start)};
		struct cursor again = {start, at->end, true};
		if (!hexadecimal(&again, bracket))
			*bracket = 0;
		at->p++;
		return gap(at);
	}
	at->p = start;
	at->plain = line->has_id = false;
	line->foreign = true;
	if (!hexadecimal(at, bracket))
		return false;
	line->has_pc = *at->p == ':';
	if (line->has_pc) {
		at->p++;
		line->has_id = hexadecimal(at, &line->id) != 0;
	}
	return *at->p++ == ')' && gap(at);
}

/* The instruction set, where the word is one. */
static inline bool
is_iset(const struct qemu4v_word *word)
{
	if (word->length == 1)
		return word->text[0] == 'A' || word->text[0] == 'T' || word->text[0] == 'X' ||
		       word->text[0] == 'O';
	return is_word(word, "T16") || is_word(word, "T32");
}

/* True where the word names a system operation, which is no register. */
static inline bool
is_operation(const struct qemu4v_word *word)
{
	return is_word(word, "DC") || is_word(word, "IC") || is_word(word, "TLBI") ||
	       is_word(word, "AT");
}

/* What stands between two white spaces or before a colon. */
static inline struct qemu4v_word
label(const struct cursor *at)
{
	const uint8_t *p = at->p;
	while (is_graphic(*p) && *p != ':')
		p++;
	return (struct qemu4v_word){at->p, (size_t)(p - at->p)};
}

/* Instruction set, mode, the colon and the rest of the line. */
bool qemu4v_parse_disassembly(struct cursor *at, struct qemu4v *line);

/* A coprocessor's transfer, R08, W04, LD, ST, ES and what else the seed does not have. */
enum qemu4v_record qemu4v_parse_form(struct cursor *at, struct qemu4v *line);

/* What moved, behind the address of an access. */
bool qemu4v_parse_data(struct cursor *at, struct qemu4v *line);

/* Instruction set and text behind an opcode, where there is no colon. */
bool qemu4v_parse_short(struct cursor *at, struct qemu4v *line);

#endif
