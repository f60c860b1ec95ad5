/* SPDX-License-Identifier: MIT */
/* Showing a place in a text that somebody wrote: the line, and a caret below it. */
#ifndef LANG_CARET_H
#define LANG_CARET_H

#include <stddef.h>

/* Bytes that caret_show writes at most, the NUL included. */
#define CARET_ROOM 200

/*
 * Writes "\n  LINE\n  ^": the part of a line of n bytes that fits, and a caret under the byte
 * at place (at most n) with nothing but blanks before it. Tabs are expanded; a control
 * character becomes a blank, and what is not UTF-8 "?". Takes the same time for any n.
 */
void caret_show(char to[CARET_ROOM], const char *line, size_t n, size_t place);

#endif
