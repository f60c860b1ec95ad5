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

/* Writes the last digits hexadecimal digits of v (1 to 16), lower case, without a NUL. */
void num_hex(char *to, uint64_t v, unsigned digits);

/* Writes v in decimal without a NUL; returns its length, at most 20. */
size_t num_decimal(char *to, uint64_t v);

#endif
