/* SPDX-License-Identifier: MIT */
/* Wraps words into lines of a limited width. */
#ifndef REPORT_WRAP_H
#define REPORT_WRAP_H

#include "base/buf.h"

struct line_wrap {
	struct buf *out;
	size_t width;  /* maximum number of characters per line; a longer word has its own line
			*/
	size_t indent; /* blanks before each continuation line */
	size_t column; /* characters of the current line, including blanks */
	size_t blanks; /* to be written before the next word */
	bool started;  /* the current line has a word */
};

/* Begins a line with blanks, which are written with its first word. */
void wrap_begin(struct line_wrap *wrap, size_t blanks);

/* Appends words (UTF-8); gap: blanks before the first word if it fits into the line. */
void wrap_words(struct line_wrap *wrap, const char *words, size_t gap);

/* Ends the line and begins one with the indent. */
void wrap_break(struct line_wrap *wrap);

#endif
