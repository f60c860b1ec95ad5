/* SPDX-License-Identifier: MIT */
/*
 * JSON strings.
 * spec: RFC 8259, section 7.
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
