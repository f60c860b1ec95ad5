/* SPDX-License-Identifier: MIT */
/* Text in quotes: JSON strings (RFC 8259, section 7). */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include "base/buf.h"

/*
 * Appends n bytes of UTF-8 as a JSON string with quotes. Escapes quotes, backslashes and
 * control characters, by letter if they have one.
 */
void quote_json(struct buf *dst, const void *text, size_t n);

#endif
