/* SPDX-License-Identifier: MIT */
/* UTF-8 as reports need it. */
#ifndef REPORT_UTF8_H
#define REPORT_UTF8_H

#include "base/buf.h"

/*
 * Appends a string; each maximal part of it that is not UTF-8 (Unicode 15, section 3.9) becomes
 * one U+FFFD.
 */
void utf8_append(struct buf *to, const char *text);

/* How many characters a string of valid UTF-8 has. */
size_t utf8_width(const char *text);

#endif
