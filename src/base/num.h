/* SPDX-License-Identifier: MIT */
/* Numbers as text: strict parsing of a whole token, hexadecimal by table. No locale. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses n bytes, all of them, as decimal or as 0x and hexadecimal digits; false otherwise. */
bool num_parse(const char *text, size_t n, uint64_t *value);

/* Parses n bytes (1 to 16), all of them, as hexadecimal digits without a prefix. */
bool num_parse_hex(const char *text, size_t n, uint64_t *value);

/* As num_parse, with an optional binary unit k, M, G or T (powers of 1024) at the end. */
bool num_parse_size(const char *text, size_t n, uint64_t *value);

/* Value of a hexadecimal digit, or -1. */
int num_hex_digit(char c);

/* Two lower-case hexadecimal digits for every byte: num_hex_pairs + 2 * byte. */
extern const char num_hex_pairs[513];

/* How many hexadecimal digits v takes, 1 to 16. */
static inline unsigned
num_hex_width(uint64_t v)
{
	return (67 - (unsigned)__builtin_clzll(v | 1)) / 4;
}

/* Writes the last digits hexadecimal digits of v (1 to 16), lower case, without a NUL. */
void num_hex(char *to, uint64_t v, unsigned digits);

/* Writes n bytes as 2 * n hexadecimal digits, lower case, without a NUL. */
void num_hex_bytes(char *to, const void *bytes, size_t n);

/* Parses n hexadecimal digits, all of them, into n / 2 bytes; false where n is odd. */
bool num_parse_bytes(const char *text, size_t n, uint8_t *bytes);

/* Writes v in decimal without a NUL; returns its length, at most 20. */
size_t num_decimal(char *to, uint64_t v);

#endif
