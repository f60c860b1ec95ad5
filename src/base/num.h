/* SPDX-License-Identifier: MIT */
/* Numbers as text: strict parsing of a whole token, hexadecimal by table. No locale. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include "base/bits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses n bytes, all of them, as decimal or as 0x and hexadecimal digits; false otherwise. */
bool num_parse(const char *text, size_t n, uint64_t *value);

/* Parses n bytes (1 to 16), all of them, as hexadecimal digits without a prefix. */
bool num_parse_hex(const char *text, size_t n, uint64_t *value);

/* As num_parse, with an optional suffix k, M, G or T: powers of 1024. */
bool num_parse_size(const char *text, size_t n, uint64_t *value);

/* As num_parse, with an optional suffix k, M, G or T: powers of 1000. */
bool num_parse_count(const char *text, size_t n, uint64_t *value);

/* Value of a hexadecimal digit, or -1. */
int num_hex_digit(char c);

/*
 * Returns the number of leading lower-case hexadecimal digits at p, at most 8, and their value.
 * Always 8 bytes are read. All of them are judged at once, each in its byte of a word.
 */
static inline unsigned
num_hex_run8(const uint8_t *p, uint64_t *value)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t x = load_le64(p), letter = x >> 6 & ones;
	uint64_t v = (x & 0x0f * ones) + 9 * letter;
	/* 0x30 to 0x39, or 0x61 to 0x66: v is at most 15, and above 9 for letters only. */
	uint64_t bad = ((x & 0xf0 * ones) ^ (0x30 * (ones + letter))) | (v & 0x10 * ones) |
		       (((v + 6 * ones) ^ letter << 4) & 0x10 * ones);
	unsigned n = bad ? (unsigned)__builtin_ctzll(bad) / 8 : 8;
	v = v << 4 * (8 - n) << 4 * (8 - n);
	v = (v << 4 | v >> 8) & 0x00ff00ff00ff00ff;
	v = (v << 8 | v >> 16) & 0x0000ffff0000ffff;
	*value = (v << 16 | v >> 32) & 0xffffffff;
	return n;
}

/* The same for at most 16 digits, of up to 16 bytes that are read. */
static inline unsigned
num_hex_run(const uint8_t *p, uint64_t *value)
{
	uint64_t low;
	unsigned n = num_hex_run8(p, value);
	if (n < 8)
		return n;
	unsigned rest = num_hex_run8(p + 8, &low);
	*value = *value << 4 * rest | low;
	return 8 + rest;
}

/* Two lower-case hexadecimal digits for every byte: num_hex_pairs + 2 * byte. */
extern const char num_hex_pairs[513];

/* Returns the number of hexadecimal digits of v, 1 to 16. */
static inline unsigned
num_hex_width(uint64_t v)
{
	return (67 - (unsigned)__builtin_clzll(v | 1)) / 4;
}

/* The eight hexadecimal digits of v, lower case, as bytes of a word, the first one lowest. */
static inline uint64_t
num_hex_word(uint32_t v)
{
	uint64_t x = v >> 16 | (uint64_t)(v & 0xffff) << 32;
	x = (x >> 8 & 0x000000ff000000ff) | (x & 0x000000ff000000ff) << 16;
	x = (x >> 4 & 0x000f000f000f000f) | (x & 0x000f000f000f000f) << 8;
	const uint64_t letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return x + 0x3030303030303030 + ('a' - 10 - '0') * letters;
}

/* Writes the last digits hexadecimal digits of v (1 to 16), lower case, without a NUL. */
void num_hex(char *dst, uint64_t v, unsigned digits);

/* Writes n bytes as 2 * n hexadecimal digits, lower case, without a NUL. */
void num_hex_bytes(char *dst, const void *bytes, size_t n);

/* Parses exactly n hexadecimal digits into n / 2 bytes; false if n is odd. */
bool num_parse_bytes(const char *text, size_t n, uint8_t *bytes);

/*
 * The eight decimal digits of v, which is below 100000000, as bytes of a word, the first one
 * lowest: numbers are split into halves side by side, three times.
 */
static inline uint64_t
num_decimal_word(uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t high = x * 5243 >> 19 & 0x0000007f0000007f;
	x = high | (x - 100 * high) << 16;
	high = x * 103 >> 10 & 0x000f000f000f000f;
	x = high | (x - 10 * high) << 8;
	return x + 0x3030303030303030;
}

/* Writes v in decimal without a NUL; returns its length, at most 20. */
size_t num_decimal(char *dst, uint64_t v);

#endif
