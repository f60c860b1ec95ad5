/* SPDX-License-Identifier: MIT */
/* Showing a place in a text that somebody wrote. */
#include "lang/caret.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* Columns that are shown of a line, and of them at most before the place. */
#define SHOWN 72
#define BEFORE (SHOWN - 12)
/* Bytes that the shown part may take: the rest of the room is blanks before the caret. */
#define SHOWN_BYTES (CARET_ROOM - SHOWN - 8)

/* A line that is being written. */
struct showing {
	char *to;
	size_t used;   /* bytes written */
	size_t column; /* columns written */
	bool full;
};

/* True for a byte that continues a character of UTF-8. */
static bool
continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Bytes of the character at p, of which n may be looked at; 0: it is no UTF-8. */
static size_t
character_size(const char *p, size_t n)
{
	size_t size = 1;
	while (size < n && size < 4 && continues(p[size]))
		size++;
	return utf8_is_valid(p, size) ? size : 0;
}

static void
put(struct showing *it, const char *text, size_t n)
{
	if (it->full || it->column >= SHOWN || it->used + n > SHOWN_BYTES) {
		it->full = true;
		return;
	}
	memcpy(it->to + it->used, text, n);
	it->used += n;
	it->column++;
}

/* Writes the character at p; its bytes. */
static size_t
put_character(struct showing *it, const char *p, size_t n)
{
	size_t size = character_size(p, n);
	if (*p == '\t') {
		do
			put(it, " ", 1);
		while (it->column % 8 && !it->full);
		return 1;
	}
	if ((unsigned char)*p < ' ' || *p == 0x7f)
		put(it, " ", 1);
	else if (size == 0)
		put(it, "?", 1);
	else
		put(it, p, size);
	return size ? size : 1;
}

/* Where to begin, so that the place is among what is shown. */
static size_t
first_shown(const char *line, size_t n, size_t place)
{
	size_t at = place, columns = 0;
	while (at > 0 && columns + (line[at - 1] == '\t' ? 8 : 1) <= BEFORE)
		columns += line[--at] == '\t' ? 8 : 1;
	while (at > 0 && at < n && continues(line[at]))
		at++;
	return at;
}

void
caret_show(char to[CARET_ROOM], const char *line, size_t n, size_t place)
{
	struct showing it = {to + 3, 0, 0, false};
	size_t at = first_shown(line, n, place), pad = 0;
	memcpy(to, "\n  ", 3);
	while (at < n && !it.full) {
		if (at <= place)
			pad = it.column;
		at += put_character(&it, line + at, n - at);
	}
	if (place >= n)
		pad = it.column;
	memcpy(it.to + it.used, "\n  ", 3);
	memset(it.to + it.used + 3, ' ', pad);
	memcpy(it.to + it.used + 3 + pad, "^", 2);
}
