/* SPDX-License-Identifier: MIT */
/*
 * The lines of patterns (struct poly_batch): rows of a pattern are written as the same text but
 * for one number, so that the text is made once and then copied.
 */
#ifndef FORMAT_PATTERN_H
#define FORMAT_PATTERN_H

#include "polytrace/batch.h"

/* Bytes of a line at most. A copy takes so many, however long the line is. */
#define PATTERN_LINE 124

/* Numbers of patterns whose lines are kept: 32 MiB of them. */
#define PATTERNS_MOST ((uint32_t)1 << 18)

struct pattern_line {
	uint16_t stretch; /* of the patterns that it is a line of */
	uint8_t size;
	uint8_t place; /* of the number in it; 0: it has none */
	char text[PATTERN_LINE];
};

/* Zeroed before the first use. */
struct pattern_lines {
	struct pattern_line *lines; /* by number of pattern */
	uint32_t count;
	uint16_t stretch; /* 0: there was none */
	uint64_t epoch;
};

/* Before the rows of a batch that has patterns: forgets the lines where others begin. */
void pattern_lines_begin(struct pattern_lines *it, const struct poly_batch *batch);

/* Keeps the line of a pattern, n bytes, where there is room for it. */
void pattern_lines_keep(
	struct pattern_lines *it, uint32_t pattern, const char *text, size_t n, size_t place);

/* The line of a pattern; NULL: it is not kept. */
static inline const struct pattern_line *
pattern_line(const struct pattern_lines *it, uint32_t pattern)
{
	if (pattern >= it->count)
		return NULL;
	const struct pattern_line *line = it->lines + pattern;
	return line->stretch == it->stretch ? line : NULL;
}

/* Gives the memory back. */
void pattern_lines_fini(struct pattern_lines *it);

#endif
