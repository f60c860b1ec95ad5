/* SPDX-License-Identifier: MIT */
/*
 * JSON strings, fields of CSV, and text that is safe on terminals.
 * spec: RFC 8259, section 7; RFC 4180; Unicode 15, annex 9 (bidirectional formatting).
 */
#include "base/quote.h"

#include "base/num.h"

#include <stdio.h>
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

/* Returns the bytes of the character at the front, *code; at most three, 0: not UTF-8. */
static size_t
load_character(const uint8_t *text, size_t n, unsigned *code)
{
	const size_t length = !n			 ? 0
			      : text[0] < 0x80		 ? 1
			      : (text[0] & 0xe0) == 0xc0 ? 2
			      : (text[0] & 0xf0) == 0xe0 ? 3
							 : 0;
	if (!length || length > n)
		return 0;
	*code = length == 1 ? text[0] : text[0] & (length == 2 ? 0x1fu : 0x0fu);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3fu);
	}
	return length;
}

size_t
quote_control(const uint8_t *text, size_t n, char shown[QUOTE_CONTROL_SIZE])
{
	unsigned code = 0;
	const size_t length = load_character(text, n, &code);
	const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
	if (!length || !(control || is_directional(code)))
		return 0;
	snprintf(shown, QUOTE_CONTROL_SIZE, control ? "\\x%02x" : "\\u%04x", code);
	return length;
}

void
quote_visible(struct buf *dst, const void *text, size_t n)
{
	const uint8_t *p = text, *end = p + n;
	char shown[QUOTE_CONTROL_SIZE];
	while (p < end) {
		const uint8_t *from = p;
		size_t control = 0;
		while (p < end && !(control = quote_control(p, (size_t)(end - p), shown)))
			p++;
		buf_append(dst, from, (size_t)(p - from));
		if (control)
			buf_string(dst, shown);
		p += control;
	}
}
