/* SPDX-License-Identifier: MIT */
/* Words that flow into lines of a limited width. */
#include "report/flow.h"

#include <string.h>

void
flow_begin(struct flow *flow, size_t blanks)
{
	flow->column = flow->blanks = blanks;
	flow->started = false;
}

void
flow_break(struct flow *flow)
{
	buf_byte(flow->out, '\n');
	flow_begin(flow, flow->indent);
}

/* Returns the characters of n bytes of UTF-8. */
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
append_word(struct flow *flow, const char *word, size_t n, size_t gap)
{
	const size_t width = count_characters(word, n);
	if (flow->started && flow->column + gap + width > flow->width) {
		flow_break(flow);
	} else {
		flow->blanks += gap;
		flow->column += gap;
	}
	for (; flow->blanks; flow->blanks--)
		buf_byte(flow->out, ' ');
	buf_append(flow->out, word, n);
	flow->column += width;
	flow->started = true;
}

void
flow_words(struct flow *flow, const char *words, size_t gap)
{
	while (*words) {
		const size_t n = strcspn(words, " ");
		if (n) {
			append_word(flow, words, n, gap);
			gap = 1;
		}
		words += n + (words[n] == ' ');
	}
}
