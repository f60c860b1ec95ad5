/* SPDX-License-Identifier: MIT */
#include "lang/caret.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* Columns printed of a line, and their maximum before the position. */
#define SHOWN 72
#define BEFORE (SHOWN - 12)
/* Bytes for the line; the rest of the room is blanks before the caret. */
#define SHOWN_BYTES (CARET_ROOM - SHOWN - 8)

/* A line under construction. */
struct caret_line {
	char *text;
	size_t used;   /* bytes written */
	size_t column; /* columns written */
	bool full;
};

/* Whether a byte continues a character of UTF-8. */
static bool
is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Returns the bytes of the character in the n bytes at p; 0: not UTF-8. */
static size_t
character_size(const char *p, size_t n)
{
	size_t size = 1;
	while (size < n && size < 4 && is_continuation(p[size]))
		size++;
	return utf8_is_valid(p, size) ? size : 0;
}

static void
append(struct caret_line *shown, const char *bytes, size_t n)
{
	if (shown->full || shown->column >= SHOWN || shown->used + n > SHOWN_BYTES) {
		shown->full = true;
		return;
	}
	memcpy(shown->text + shown->used, bytes, n);
	shown->used += n;
	shown->column++;
}

/* Appends the character at p; returns its bytes. */
static size_t
append_character(struct caret_line *shown, const char *p, size_t n)
{
	size_t size = character_size(p, n);
	if (*p == '\t') {
		do
			append(shown, " ", 1);
		while (shown->column % 8 && !shown->full);
		return 1;
	}
	if ((unsigned char)*p < ' ' || *p == 0x7f)
		append(shown, " ", 1);
	else if (size == 0)
		append(shown, "?", 1);
	else
		append(shown, p, size);
	return size ? size : 1;
}

/* Returns where the printed part begins so that shown contains the position. */
static size_t
first_shown(const char *line, size_t n, size_t position)
{
	size_t at = position, columns = 0;
	while (at > 0 && columns + (line[at - 1] == '\t' ? 8 : 1) <= BEFORE)
		columns += line[--at] == '\t' ? 8 : 1;
	while (at > 0 && at < n && is_continuation(line[at]))
		at++;
	return at;
}

void
caret_show(char text[CARET_ROOM], const char *line, size_t n, size_t position)
{
	struct caret_line shown = {text + 3, 0, 0, false};
	size_t at = first_shown(line, n, position), pad = 0;
	memcpy(text, "\n  ", 3);
	while (at < n && !shown.full) {
		if (at <= position)
			pad = shown.column;
		at += append_character(&shown, line + at, n - at);
	}
	if (position >= n)
		pad = shown.column;
	memcpy(shown.text + shown.used, "\n  ", 3);
	memset(shown.text + shown.used + 3, ' ', pad);
	memcpy(shown.text + shown.used + 3 + pad, "^", 2);
}
