/* SPDX-License-Identifier: MIT */
/*
 * JSON strings.
 * spec: RFC 8259, section 7; Unicode 15, table 3-7.
 */
#include "base/quote.h"

#include "base/num.h"

#include <string.h>

/* Well-formed sequences by their first byte: length, and range of the second byte. */
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

/* The length of the sequence at p, of which n bytes are there; 0 where there is none. */
static size_t
utf8_sequence(const uint8_t *p, size_t n)
{
	size_t s = 0, count = sizeof sequences / sizeof sequences[0];
	while (s < count && (*p < sequences[s].first || *p > sequences[s].last))
		s++;
	if (s == count || sequences[s].length > n)
		return 0;
	uint8_t low = sequences[s].low, high = sequences[s].high;
	for (size_t i = 1; i < sequences[s].length; i++, low = 0x80, high = 0xbf) {
		if (p[i] < low || p[i] > high)
			return 0;
	}
	return sequences[s].length;
}

bool
quote_is_utf8(const void *text, size_t n)
{
	const uint8_t *p = text, *end = p + n;
	while (p < end) {
		size_t length = *p < 0x80 ? 1 : utf8_sequence(p, (size_t)(end - p));
		if (!length)
			return false;
		p += length;
	}
	return true;
}

static bool
is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\';
}

static void
append_escape(struct buf *to, uint8_t byte)
{
	static const char bytes[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";
	const char *known = byte ? strchr(bytes, byte) : NULL;
	buf_byte(to, '\\');
	if (known) {
		buf_byte(to, (uint8_t)letters[known - bytes]);
		return;
	}
	buf_string(to, "u00");
	buf_append(to, num_hex_pairs + 2 * (size_t)byte, 2);
}

void
quote_json(struct buf *to, const void *text, size_t n)
{
	const uint8_t *p = text, *end = p + n;
	buf_byte(to, '"');
	while (p < end) {
		const uint8_t *from = p;
		while (p < end && is_plain(*p))
			p++;
		buf_append(to, from, (size_t)(p - from));
		if (p < end)
			append_escape(to, *p++);
	}
	buf_byte(to, '"');
}
