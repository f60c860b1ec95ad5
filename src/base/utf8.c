/* SPDX-License-Identifier: MIT */
/*
 * UTF-8.
 * spec: Unicode 15, table 3-7 (well-formed sequences) and section 3.9 (maximal parts).
 */
#include "base/utf8.h"

#include <string.h>

/* Sequences by their first byte: how long, and the range of the second byte. */
static const struct {
	uint8_t first, last, length, low, high;
} sequences[] = {
	{0x00, 0x7f, 1, 0, 0},
	{0xc2, 0xdf, 2, 0x80, 0xbf},
	{0xe0, 0xe0, 3, 0xa0, 0xbf},
	{0xe1, 0xec, 3, 0x80, 0xbf},
	{0xed, 0xed, 3, 0x80, 0x9f},
	{0xee, 0xef, 3, 0x80, 0xbf},
	{0xf0, 0xf0, 4, 0x90, 0xbf},
	{0xf1, 0xf3, 4, 0x80, 0xbf},
	{0xf4, 0xf4, 4, 0x80, 0x8f},
};

/*
 * The bytes of the sequence at p, of which n are there; where *valid comes out false, those of
 * the part of it that is there. At least 1.
 */
static size_t
utf8_sequence(const uint8_t *p, size_t n, bool *valid)
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
		*valid = i < n && p[i] >= low && p[i] <= high;
		if (!*valid)
			return i;
	}
	return length;
}

/*
 * Returns the size of the well-formed text at p; *bad: the size of the ill-formed sequence
 * after it.
 */
static size_t
valid_run(const uint8_t *p, size_t n, size_t *bad)
{
	size_t i = 0;
	*bad = 0;
	while (i < n) {
		bool valid = true;
		size_t length = p[i] < 0x80 ? 1 : utf8_sequence(p + i, n - i, &valid);
		if (!valid) {
			*bad = length;
			break;
		}
		i += length;
	}
	return i;
}

bool
utf8_is_valid(const void *text, size_t n)
{
	size_t bad;
	valid_run(text, n, &bad);
	return bad == 0;
}

void
utf8_append_bytes(struct buf *dst, const void *text, size_t n)
{
	const uint8_t *p = text, *end = p + n;
	while (p < end) {
		size_t bad, valid = valid_run(p, (size_t)(end - p), &bad);
		buf_append(dst, p, valid);
		if (bad)
			buf_string(dst, "\xef\xbf\xbd");
		p += valid + bad;
	}
}

void
utf8_append(struct buf *dst, const char *text)
{
	utf8_append_bytes(dst, text, strlen(text));
}

size_t
utf8_width(const char *text)
{
	size_t width = 0;
	for (; *text; text++)
		width += ((uint8_t)*text & 0xc0) != 0x80;
	return width;
}
