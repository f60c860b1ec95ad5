/* SPDX-License-Identifier: MIT */
/*
 * UTF-8 as reports need it.
 * spec: Unicode 15, table 3-7 (well-formed sequences).
 */
#include "report/utf8.h"

/* Sequences by their first byte: how long, and the range of the second byte. */
static const struct {
	uint8_t first, last, length, low, high;
} sequences[] = {
	{0x01, 0x7f, 1, 0, 0},
	{0xc2, 0xdf, 2, 0x80, 0xbf},
	{0xe0, 0xe0, 3, 0xa0, 0xbf},
	{0xe1, 0xec, 3, 0x80, 0xbf},
	{0xed, 0xed, 3, 0x80, 0x9f},
	{0xee, 0xef, 3, 0x80, 0xbf},
	{0xf0, 0xf0, 4, 0x90, 0xbf},
	{0xf1, 0xf3, 4, 0x80, 0xbf},
	{0xf4, 0xf4, 4, 0x80, 0x8f},
};

/* The bytes of the first sequence at p, which ends in NUL; *valid: it is whole. */
static size_t
utf8_sequence(const uint8_t *p, bool *valid)
{
	size_t s = 0, count = sizeof sequences / sizeof sequences[0];
	while (s < count && (*p < sequences[s].first || *p > sequences[s].last))
		s++;
	*valid = s < count;
	if (!*valid)
		return 1;
	size_t length = sequences[s].length;
	uint8_t low = sequences[s].low, high = sequences[s].high;
	for (size_t i = 1; i < length; i++, low = 0x80, high = 0xbf) {
		if (p[i] < low || p[i] > high) {
			*valid = false;
			return i;
		}
	}
	return length;
}

void
utf8_append(struct buf *to, const char *text)
{
	const uint8_t *p = (const uint8_t *)text;
	while (*p) {
		bool valid = true;
		const uint8_t *from = p;
		while (*p && *p < 0x80)
			p++;
		size_t n = *p ? utf8_sequence(p, &valid) : 0;
		buf_append(to, from, (size_t)(p - from) + (valid ? n : 0));
		if (!valid)
			buf_string(to, "\xef\xbf\xbd");
		p += n;
	}
}

size_t
utf8_width(const char *text)
{
	size_t width = 0;
	for (; *text; text++)
		width += ((uint8_t)*text & 0xc0) != 0x80;
	return width;
}
