/* SPDX-License-Identifier: MIT */
/* Text in quotes: JSON strings (RFC 8259, section 7), fields of CSV (RFC 4180), and text that
 * is safe on terminals. */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include "base/buf.h"

/*
 * Appends n bytes of UTF-8 as a JSON string with quotes. Escapes quotes, backslashes and
 * control characters, by letter if they have one.
 */
void quote_json(struct buf *dst, const void *text, size_t n);

/*
 * Appends n bytes as a field of CSV: in quotes if it is empty or contains a comma, a quote or a
 * line end. safe: a field that a spreadsheet would execute as a formula (=, +, -, @, tab or
 * carriage return first) begins with an apostrophe, in quotes.
 */
void quote_csv(struct buf *dst, const void *text, size_t n, bool safe);

/* Appends n bytes of UTF-8 with their control characters (C0, DEL, C1) as \xNN, and those that
 * change the direction of text as \uNNNN: terminals would execute them. */
void quote_visible(struct buf *dst, const void *text, size_t n);

/* Size of a control character in quotes, with a NUL. */
#define QUOTE_CONTROL_SIZE 8

/* Returns the bytes of the control character at the front of n bytes, which shown gets as
 * quote_visible writes it; 0: none is there. */
size_t quote_control(const uint8_t *text, size_t n, char shown[QUOTE_CONTROL_SIZE]);

#endif
