/* SPDX-License-Identifier: MIT */
/* Parses the numbers in windows of lines, and checks their form. */
#ifndef FORMAT_LINE_NUMBER_H
#define FORMAT_LINE_NUMBER_H

#include "format/line/shape.h"

#include "base/bits.h"

#include <stdint.h>

#define REPEAT8(byte) (0x0101010101010101u * (byte))

/* Returns the value of eight decimal digits of 0 to 9, the first one in the lowest byte. */
static inline uint64_t
decimal_of_8(uint64_t digits)
{
	digits = digits * 10 + (digits >> 8);
	const uint64_t mask = 0x000000ff000000ffu;
	const uint64_t high = 0x000f424000000064u, low = 0x0000271000000001u;
	return (((digits & mask) * high + (digits >> 16 & mask) * low) >> 32) & UINT32_MAX;
}

/* Parses up to 8 decimal digits; false if a character is not a digit. */
static inline bool
decimal_part(const uint8_t *p, unsigned width, uint64_t *value)
{
	const uint64_t zeros = REPEAT8('0');
	/* Shift the digits to the upper end, and zeros in. */
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

/* Returns the first hexadecimal digit of a form that is a letter. */
static inline uint8_t
first_letter(unsigned form)
{
	return form & WINDOW_UPPER ? 'A' : 'a';
}

/*
 * Parses up to 8 hexadecimal digits whose letters are first to first + 5. A letter is 0x41 to
 * 0x46 or 0x61 to 0x66, a digit 0x30 to 0x39; the sums of bytes below 0x80 carry nothing into
 * their neighbours.
 */
static inline bool
hex_part(const uint8_t *p, unsigned width, uint8_t first, uint64_t *value)
{
	uint64_t word = load_le64(p);
	if (width < 8) {
		const unsigned shift = 64 - 8 * width;
		word = word << shift | (REPEAT8('0') & (((uint64_t)1 << shift) - 1));
	}
	const uint64_t high = word & REPEAT8(0x80), low = word & ~REPEAT8(0x80);
	/* Bit 0x80 of a byte: the byte is at least the limit. */
	const uint64_t digit = (low + REPEAT8(0x80 - '0')) & ~(low + REPEAT8(0x80 - ':'));
	const uint64_t letter =
		(low + REPEAT8(0x80u - first)) & ~(low + REPEAT8(0x80u - 6 - first));
	const uint64_t good = (digit | letter) & ~high & REPEAT8(0x80);
	const uint64_t nine = (letter & REPEAT8(0x80)) >> 7;
	uint64_t nibbles = (word & REPEAT8(0x0f)) + 9 * nine;
	/* Join neighbours: 4 bits to 8, to 16, to 32. */
	nibbles = (nibbles << 4 | nibbles >> 8) & 0x00ff00ff00ff00ffu;
	nibbles = (nibbles << 8 | nibbles >> 16) & 0x0000ffff0000ffffu;
	*value = (nibbles << 16 | nibbles >> 32) & UINT32_MAX;
	return good == REPEAT8(0x80);
}

static inline bool
hex_number(const uint8_t *p, unsigned width, uint8_t first, uint64_t *value)
{
	if (width <= 8)
		return hex_part(p, width, first, value);
	uint64_t high, low;
	bool good = hex_part(p, width - 8, first, &high);
	good &= hex_part(p + width - 8, 8, first, &low);
	*value = high << 32 | low;
	return good;
}

/* Returns the number of leading blanks, up to a maximum of 1 or more. */
static inline unsigned
leading_blanks(const uint8_t *p, unsigned max)
{
	unsigned n = 0;
	uint64_t difference = load_le64(p) ^ REPEAT8(' ');
	if (!difference) {
		n = 8;
		difference = load_le64(p + 8) ^ REPEAT8(' ');
	}
	n += difference ? (unsigned)__builtin_ctzll(difference) / 8 : 8;
	return n < max ? n : max;
}

/*
 * Parses the number in a window of the line at p; 16 bytes past the line may be read. False if
 * the number does not have the window's form: the line is a different one.
 */
static inline bool
window_number_plain(const uint8_t *p, const struct window *window, uint64_t *value)
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
	return hex_number(p, width, first_letter(window->form), value);
}

#if defined(__x86_64__)

#include <emmintrin.h>

/* Returns the value of 16 hexadecimal digits of 0 to 15, the first one first. */
static inline uint64_t
hex_of_16(__m128i digits)
{
	const __m128i low = _mm_set1_epi16(0xff);
	__m128i pairs = _mm_or_si128(_mm_slli_epi16(digits, 4), _mm_srli_epi16(digits, 8));
	pairs = _mm_and_si128(pairs, low);
	return __builtin_bswap64((uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(pairs, pairs)));
}

/* Returns the same for decimal digits. */
static inline uint64_t
decimal_of_16(__m128i digits)
{
	const __m128i low = _mm_set1_epi16(0xff);
	__m128i tens = _mm_mullo_epi16(_mm_and_si128(digits, low), _mm_set1_epi16(10));
	__m128i twos = _mm_add_epi16(tens, _mm_srli_epi16(digits, 8));
	__m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100));
	fours = _mm_packs_epi32(fours, fours);
	__m128i eights = _mm_madd_epi16(fours, _mm_set1_epi32(1 << 16 | 10000));
	uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
	return (both & UINT32_MAX) * 100000000 + (both >> 32);
}

/* As window_number_plain, all digits at once; 16 bytes before the line may also be read. */
static inline bool
window_number_16(const uint8_t *p, const struct window *window, uint64_t *value)
{
	const __m128i nine = _mm_set1_epi8('9'), zero = _mm_set1_epi8('0');
	const unsigned before = 16u - window->width;
	const __m128i text =
		_mm_loadu_si128((const __m128i *)(p + window->at + window->width - 16));
	const uint8_t a = first_letter(window->form);
	/* Signed: bytes above 0x7f are negative. */
	__m128i letters = _mm_and_si128(_mm_cmpgt_epi8(text, _mm_set1_epi8((char)(a - 1))),
		_mm_cmplt_epi8(text, _mm_set1_epi8((char)(a + 6))));
	__m128i decimals = _mm_andnot_si128(
		_mm_cmpgt_epi8(text, nine), _mm_cmpgt_epi8(text, _mm_set1_epi8('0' - 1)));
	if (window->form & WINDOW_DECIMAL)
		letters = _mm_setzero_si128();
	const __m128i known = _mm_or_si128(letters, decimals);
	const unsigned digits = (unsigned)_mm_movemask_epi8(known) >> before << before;
	/* Blanks, if the form permits them, then digits. */
	const unsigned first = (unsigned)__builtin_ctz(digits | 1u << 15);
	const unsigned blanks =
		(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8(' ')));
	const unsigned zeros = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(text, zero));
	const unsigned front = (1u << first) - (1u << before);
	bool good =
		digits == 0x10000u - (1u << first) &&
		(front == 0 || (window->form & WINDOW_BLANKS && (blanks & front) == front)) &&
		(first == 15 || window->form & WINDOW_ZEROS || !(zeros >> first & 1));
	/* Characters before the digits count as 0. */
	__m128i values = _mm_sub_epi8(text, zero);
	values = _mm_sub_epi8(
		values, _mm_and_si128(letters, _mm_set1_epi8((char)(a - 10 - '0'))));
	const __m128i places =
		_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	values = _mm_and_si128(
		values, _mm_cmpgt_epi8(places, _mm_set1_epi8((char)((int)first - 1))));
	*value = window->form & WINDOW_DECIMAL ? decimal_of_16(values) : hex_of_16(values);
	return good;
}

#endif

/* As window_number_plain, by the fastest implementation; bytes from front on may be read. */
static inline bool
window_number(
	const uint8_t *front, const uint8_t *p, const struct window *window, uint64_t *value)
{
#if defined(__x86_64__)
	if (window->width <= 16 && p - front >= 16)
		return window_number_16(p, window, value);
#endif
	(void)front;
	return window_number_plain(p, window, value);
}

#endif
