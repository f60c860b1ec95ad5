/* SPDX-License-Identifier: MIT */
/* Numbers in windows of lines: whether they are of the window's form, and their values. */
#ifndef FORMAT_LINE_NUMBER_H
#define FORMAT_LINE_NUMBER_H

#include "format/line/shape.h"

#include "base/bits.h"

#include <stdint.h>

#define REPEAT8(byte) (0x0101010101010101u * (byte))

/* The number of eight decimal digits, the first one in the lowest byte, their zeros taken off.
 */
static inline uint64_t
decimal_of_8(uint64_t digits)
{
	digits = digits * 10 + (digits >> 8);
	const uint64_t mask = 0x000000ff000000ffu;
	const uint64_t high = 0x000f424000000064u, low = 0x0000271000000001u;
	return (((digits & mask) * high + (digits >> 16 & mask) * low) >> 32) & UINT32_MAX;
}

/* Up to 8 decimal digits; false where one is none. */
static inline bool
decimal_part(const uint8_t *p, unsigned width, uint64_t *value)
{
	const uint64_t zeros = REPEAT8('0');
	/* The digits go to the upper end, and what makes place for them is zeros. */
	uint64_t word = load_le64(p) ^ zeros;
	word = width == 8 ? word : word << (64 - 8 * width);
	*value = decimal_of_8(word);
	return !((word | (word + REPEAT8(6))) & REPEAT8(0xf0));
}

static inline bool
decimal_number(const uint8_t *p, unsigned width, uint64_t *value)
{
	uint64_t part;
	if (width <= 8)
		return decimal_part(p, width, value);
	const unsigned first = width > 16 ? width - 16 : width - 8;
	bool good = decimal_part(p, first, value);
	for (unsigned i = first; i < width; i += 8) {
		good &= decimal_part(p + i, 8, &part);
		*value = *value * 100000000 + part;
	}
	return good;
}

/*
 * Up to 8 hexadecimal digits in lower case. A letter is 0x61 to 0x66, a digit 0x30 to 0x39; the
 * sums of bytes below 0x80 carry nothing into their neighbours.
 */
static inline bool
hex_part(const uint8_t *p, unsigned width, uint64_t *value)
{
	uint64_t word = load_le64(p);
	if (width < 8) {
		const unsigned shift = 64 - 8 * width;
		word = word << shift | (REPEAT8('0') & (((uint64_t)1 << shift) - 1));
	}
	const uint64_t high = word & REPEAT8(0x80), low = word & ~REPEAT8(0x80);
	/* 0x80 of a byte: it is at least that. */
	const uint64_t digit = (low + REPEAT8(0x80 - '0')) & ~(low + REPEAT8(0x80 - ':'));
	const uint64_t letter = (low + REPEAT8(0x80 - 'a')) & ~(low + REPEAT8(0x80 - 'g'));
	const uint64_t good = (digit | letter) & ~high & REPEAT8(0x80);
	const uint64_t nine = (letter & REPEAT8(0x80)) >> 7;
	uint64_t nibbles = (word & REPEAT8(0x0f)) + 9 * nine;
	/* Neighbours are joined: 4 bits to 8, to 16, to 32. */
	nibbles = (nibbles << 4 | nibbles >> 8) & 0x00ff00ff00ff00ffu;
	nibbles = (nibbles << 8 | nibbles >> 16) & 0x0000ffff0000ffffu;
	*value = (nibbles << 16 | nibbles >> 32) & UINT32_MAX;
	return good == REPEAT8(0x80);
}

static inline bool
hex_number(const uint8_t *p, unsigned width, uint64_t *value)
{
	if (width <= 8)
		return hex_part(p, width, value);
	uint64_t first, second;
	bool good = hex_part(p, width - 8, &first) & hex_part(p + width - 8, 8, &second);
	*value = first << 32 | second;
	return good;
}

/* How many of the first bytes are blanks, at most most, which is 1 or more. */
static inline unsigned
leading_blanks(const uint8_t *p, unsigned most)
{
	unsigned n = 0;
	uint64_t other = load_le64(p) ^ REPEAT8(' ');
	if (!other) {
		n = 8;
		other = load_le64(p + 8) ^ REPEAT8(' ');
	}
	n += other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
	return n < most ? n : most;
}

/*
 * The number in a window of the line at p, of which 16 bytes more than it has may be read.
 * False where it is not of the window's form, and the line another one.
 */
static inline bool
window_number(const uint8_t *p, const struct window *window, uint64_t *value)
{
	unsigned width = window->width;
	p += window->at;
	if (window->form & WINDOW_BLANKS) {
		const unsigned blanks = leading_blanks(p, width - 1);
		p += blanks;
		width -= blanks;
	}
	if (*p == '0' && width > 1 && !(window->form & WINDOW_ZEROS))
		return false;
	if (window->form & WINDOW_DECIMAL)
		return decimal_number(p, width, value);
	return hex_number(p, width, value);
}

#endif
