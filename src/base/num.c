/* SPDX-License-Identifier: MIT */
/* Numbers as text. */
#include "base/num.h"

#include <string.h>

const char num_hex_pairs[513] = "000102030405060708090a0b0c0d0e0f"
				"101112131415161718191a1b1c1d1e1f"
				"202122232425262728292a2b2c2d2e2f"
				"303132333435363738393a3b3c3d3e3f"
				"404142434445464748494a4b4c4d4e4f"
				"505152535455565758595a5b5c5d5e5f"
				"606162636465666768696a6b6c6d6e6f"
				"707172737475767778797a7b7c7d7e7f"
				"808182838485868788898a8b8c8d8e8f"
				"909192939495969798999a9b9c9d9e9f"
				"a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"
				"b0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
				"c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
				"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
				"e0e1e2e3e4e5e6e7e8e9eaebecedeeef"
				"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

int
num_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool
num_parse_hex(const char *text, size_t n, uint64_t *value)
{
	uint64_t v = 0;
	if (n == 0 || n > 16)
		return false;
	for (size_t i = 0; i < n; i++) {
		int digit = num_hex_digit(text[i]);
		if (digit < 0)
			return false;
		v = v << 4 | (uint64_t)digit;
	}
	*value = v;
	return true;
}

static bool
parse_decimal(const char *text, size_t n, uint64_t *value)
{
	uint64_t v = 0;
	if (n == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		uint64_t digit = (uint64_t)(text[i] - '0');
		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*value = v;
	return true;
}

bool
num_parse(const char *text, size_t n, uint64_t *value)
{
	if (n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return num_parse_hex(text + 2, n - 2, value);
	return parse_decimal(text, n, value);
}

/* As num_parse, with an optional suffix, whose first one multiplies by base. */
static bool
parse_suffixed(const char *text, size_t n, uint64_t base, uint64_t *value)
{
	static const char suffixes[] = "kMGT";
	const char *suffix = n ? memchr(suffixes, text[n - 1], 4) : NULL;
	if (!num_parse(text, n - (suffix != NULL), value))
		return false;
	for (const char *s = suffixes; suffix && s <= suffix; s++) {
		if (*value > UINT64_MAX / base)
			return false;
		*value *= base;
	}
	return true;
}

bool
num_parse_size(const char *text, size_t n, uint64_t *value)
{
	return parse_suffixed(text, n, 1024, value);
}

bool
num_parse_count(const char *text, size_t n, uint64_t *value)
{
	return parse_suffixed(text, n, 1000, value);
}

void
num_hex(char *dst, uint64_t v, unsigned digits)
{
	for (; digits >= 2; digits -= 2, v >>= 8)
		memcpy(dst + digits - 2, num_hex_pairs + 2 * (v & 0xff), 2);
	if (digits)
		*dst = num_hex_pairs[2 * (v & 0xf) + 1];
}

void
num_hex_bytes(char *dst, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	for (size_t i = 0; i < n; i++)
		memcpy(dst + 2 * i, num_hex_pairs + 2 * (size_t)p[i], 2);
}

bool
num_parse_bytes(const char *text, size_t n, uint8_t *bytes)
{
	for (size_t i = 0; i + 1 < n; i += 2) {
		int high = num_hex_digit(text[i]), low = num_hex_digit(text[i + 1]);
		if (high < 0 || low < 0)
			return false;
		bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	return n % 2 == 0;
}

/* Returns the number of decimal digits of v, which is below 100000000. */
static size_t
decimal_width(uint32_t v)
{
	size_t n = 1;
	for (uint32_t power = 10; power <= v; power *= 10)
		n++;
	return n;
}

size_t
num_decimal(char *dst, uint64_t v)
{
	const uint32_t half = 100000000;
	uint8_t digits[8];
	size_t n = 0;
	if (v < 10) {
		*dst = (char)('0' + v);
		return 1;
	}
	if (v >= half) {
		n = num_decimal(dst, v / half);
		store_le64(digits, num_decimal_word((uint32_t)(v % half)));
		memcpy(dst + n, digits, 8);
		return n + 8;
	}
	n = decimal_width((uint32_t)v);
	store_le64(digits, num_decimal_word((uint32_t)v));
	for (size_t i = 0; i < n; i++)
		dst[i] = (char)digits[8 - n + i];
	return n;
}
