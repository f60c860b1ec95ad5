/* SPDX-License-Identifier: MIT */
/*
 * JSON strings, and fields of CSV.
 * spec: RFC 8259, section 7; RFC 4180.
 */
#include "base/quote.h"

#include "base/num.h"

#include <string.h>

static bool
is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\';
}

static void
append_escape(struct buf *dst, uint8_t byte)
{
	static const char bytes[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";
	const char *known = byte ? strchr(bytes, byte) : NULL;
	buf_byte(dst, '\\');
	if (known) {
		buf_byte(dst, (uint8_t)letters[known - bytes]);
		return;
	}
	buf_string(dst, "u00");
	buf_append(dst, num_hex_pairs + 2 * (size_t)byte, 2);
}

void
quote_json(struct buf *dst, const void *text, size_t n)
{
	const uint8_t *p = text, *end = p + n;
	buf_byte(dst, '"');
	while (p < end) {
		const uint8_t *from = p;
		while (p < end && is_plain(*p))
			p++;
		buf_append(dst, from, (size_t)(p - from));
		if (p < end)
			append_escape(dst, *p++);
	}
	buf_byte(dst, '"');
}

void
quote_csv(struct buf *dst, const void *text, size_t n, bool safe)
{
	const uint8_t *p = text, *end = p + n;
	const bool formula = safe && n && *p && strchr("=+-@\t\r", *p);
	bool plain = n > 0 && !formula;
	for (size_t i = 0; i < n && plain; i++)
		plain = p[i] != ',' && p[i] != '"' && p[i] != '\r' && p[i] != '\n';
	if (plain) {
		buf_append(dst, text, n);
		return;
	}
	buf_string(dst, formula ? "\"'" : "\"");
	while (p < end) {
		const uint8_t *quote = memchr(p, '"', (size_t)(end - p));
		const size_t length = (size_t)((quote ? quote + 1 : end) - p);
		buf_append(dst, p, length);
		if (quote)
			buf_byte(dst, '"');
		p += length;
	}
	buf_byte(dst, '"');
}
