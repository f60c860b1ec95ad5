/* SPDX-License-Identifier: MIT */
/* Wraps words into lines of a limited width. */
#include "report/wrap.h"

#include <string.h>

void
wrap_begin(struct line_wrap *wrap, size_t blanks)
{
	wrap->column = wrap->blanks = blanks;
	wrap->started = false;
}

void
wrap_break(struct line_wrap *wrap)
{
	buf_byte(wrap->out, '\n');
	wrap_begin(wrap, wrap->indent);
}

/* Returns the number of characters of n bytes of UTF-8. */
static size_t
count_characters(const char *text, size_t n)
{
	size_t count = 0;
	for (; n; n--, text++)
		count += ((uint8_t)*text & 0xc0) != 0x80;
	return count;
}

/* Appends one word of n bytes. */
static void
append_word(struct line_wrap *wrap, const char *word, size_t n, size_t gap)
{
	const size_t width = count_characters(word, n);
	if (wrap->started && wrap->column + gap + width > wrap->width) {
		wrap_break(wrap);
	} else {
		wrap->blanks += gap;
		wrap->column += gap;
	}
	for (; wrap->blanks; wrap->blanks--)
		buf_byte(wrap->out, ' ');
	buf_append(wrap->out, word, n);
	wrap->column += width;
	wrap->started = true;
}

void
wrap_words(struct line_wrap *wrap, const char *words, size_t gap)
{
	while (*words) {
		const size_t n = strcspn(words, " ");
		if (n) {
			append_word(wrap, words, n, gap);
			gap = 1;
		}
		words += n + (words[n] == ' ');
	}
}
