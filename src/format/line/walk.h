/* SPDX-License-Identifier: MIT */
/* The walk along predicted lines, for every implementation of the comparison. */
#ifndef FORMAT_LINE_WALK_H
#define FORMAT_LINE_WALK_H

#include "format/line/predict.h"

/* Returns whether a line differs from a template; TEMPLATE_TEXT bytes of it may be read. */
typedef bool walk_differs(
	const uint8_t *line, const uint8_t *text, const struct template *template);

/* Adds predicted lines, until the run has max lines. */
static inline __attribute__((always_inline)) void
walk(const struct templates *templates, struct predicted_run *run, const uint8_t *end,
	size_t max, walk_differs *differs)
{
	struct template_next *const nexts = templates->nexts;
	const uint8_t *p = run->end;
	uint32_t last = run->last;
	uint64_t numbers = 0, breaks = run->breaks;
	size_t n = run->lines;
	for (; n < max && end - p >= TEMPLATE_TEXT; n++) {
		uint32_t number = nexts[last].next;
		uint8_t *text = template_text(templates, number);
		const struct template *template = template_of(templates, text);
		if (number == TEMPLATE_NONE || differs(p, text, template)) {
			number = nexts[last].second;
			text = template_text(templates, number);
			template = template_of(templates, text);
			if (number == TEMPLATE_NONE || differs(p, text, template))
				break;
			nexts[last].second = nexts[last].next;
			nexts[last].next = number;
		}
		run->number[n] = number;
		run->text[n] = p;
		numbers |= (uint64_t)(template->windows != 0) << n;
		breaks |= (uint64_t)(number != last + 1) << n;
		p += template->length;
		last = number;
	}
	run->lines = n;
	run->numbers = numbers;
	run->breaks = breaks;
	run->end = p;
	run->last = last;
}

#endif
