/* SPDX-License-Identifier: MIT */
/*
 * JSON strings, fields of CSV, and text that is safe on terminals.
 * spec: RFC 8259, section 7; RFC 4180; Unicode 15, annex 9 (bidirectional formatting).
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

/* Returns whether a character changes the direction of the text after it. */
static bool
is_directional(unsigned code)
{
	return code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t
quote_control(const uint8_t *text, size_t n, unsigned *code)
{
	*code = n ? text[0] : 0;
	if (n && (*code < 0x20 || *code == 0x7f))
		return 1;
	if (n > 1 && (text[0] & 0xe0) == 0xc0 && (text[1] & 0xc0) == 0x80) {
		*code = (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu);
		return (*code >= 0x80 && *code < 0xa0) || is_directional(*code) ? 2 : 0;
	}
	if (n > 2 && (text[0] & 0xf0) == 0xe0 && (text[1] & 0xc0) == 0x80 &&
		(text[2] & 0xc0) == 0x80) {
		*code = (text[0] & 0x0fu) << 12 | (text[1] & 0x3fu) << 6 | (text[2] & 0x3fu);
		return is_directional(*code) ? 3 : 0;
	}
	return 0;
}

void
quote_visible(struct buf *dst, const void *text, size_t n)
{
	const uint8_t *p = text, *end = p + n;
	while (p < end) {
		const uint8_t *from = p;
		unsigned code = 0;
		size_t control = 0;
		while (p < end && !(control = quote_control(p, (size_t)(end - p), &code)))
			p++;
		buf_append(dst, from, (size_t)(p - from));
		if (control)
			buf_printf(dst, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
		p += control;
	}
}
