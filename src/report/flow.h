/* SPDX-License-Identifier: MIT */
/* Words that flow into lines of a limited width. */
#ifndef REPORT_FLOW_H
#define REPORT_FLOW_H

#include "base/buf.h"

struct flow {
	struct buf *out;
	size_t width;  /* characters of a line at most; a longer word stands alone */
	size_t indent; /* blanks before each further line */
	size_t column; /* characters of the current line, with the owed blanks */
	size_t blanks; /* owed before the next word */
	bool started;  /* the current line has a word */
};

/* Begins a line with blanks; they are written with its first word. */
void flow_begin(struct flow *flow, size_t blanks);

/* Appends words (UTF-8); gap: blanks before the first one, if it fits into the line. */
void flow_words(struct flow *flow, const char *words, size_t gap);

/* Ends the line, and begins one with the indent. */
void flow_break(struct flow *flow);

#endif
