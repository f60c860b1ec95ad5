/* SPDX-License-Identifier: MIT */
/* Excerpts for error messages: a line of text with a caret under a position. */
#ifndef LANG_CARET_H
#define LANG_CARET_H

#include <stddef.h>

/* Maximum bytes that caret_show writes, including the NUL. */
#define CARET_ROOM 200

/*
 * Writes "\n  LINE\n  ^": the part of a line of n bytes that fits, and a caret under the byte
 * at position (at most n) after blanks only. Expands tabs, prints a control character as a
 * blank and a byte that is not UTF-8 as "?". Takes constant time for any n.
 */
void caret_show(char text[CARET_ROOM], const char *line, size_t n, size_t position);

#endif
