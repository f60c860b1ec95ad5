/* SPDX-License-Identifier: MIT */
/* UTF-8: validation, and replacement of ill-formed sequences. spec: Unicode 15, table 3-7. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"

/* Returns whether n bytes are well-formed. */
bool utf8_is_valid(const void *text, size_t n);

/*
 * Appends a string; each maximal part of it that is not UTF-8 (Unicode 15, section 3.9) becomes
 * one U+FFFD.
 */
void utf8_append(struct buf *dst, const char *text);

/* The same for n bytes. */
void utf8_append_bytes(struct buf *dst, const void *text, size_t n);

/* How many characters a string of valid UTF-8 has. */
size_t utf8_width(const char *text);

#endif
