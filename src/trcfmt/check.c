/* SPDX-License-Identifier: MIT */
/* What is no error in a template, and yet hardly meant. spec: reference aix 5. */
#include "trcfmt/parser.h"

#include "base/mem.h"

#include <string.h>

/* The place of a macro in parser->seen; NULL: no memory. */
static uint32_t *
seen(struct parser *parser, uint32_t macro)
{
	if (macro >= parser->seen_count) {
		size_t count = parser->to->macros.capacity;
		uint32_t *more = mem_resize(parser->seen, count, sizeof *more);
		if (!more) {
			parser_out_of_memory(parser);
			return NULL;
		}
		memset(more + parser->seen_count, 0,
			(count - parser->seen_count) * sizeof *more);
		parser->seen = more;
		parser->seen_count = count;
	}
	return &parser->seen[macro];
}

void
check_hook(struct parser *parser, size_t at)
{
	uint16_t hook = parser->template.hook;
	const struct template *before = trcfmt_template(parser->to, hook);
	if (before)
		parser_find(parser, RULE_T08, at,
			"hook %03X has a template in line %u already, which this one replaces",
			hook & 0xf ? hook : hook >> 4, before->line);
	if (hook < 0x100 && !parser->trusted)
		parser_find(parser, RULE_T12, at,
			"hook %03X belongs to the trace facility, as all below 010", hook >> 4);
}

void
check_use(struct parser *parser, uint32_t macro, size_t at)
{
	if (macro < MACRO_FIRST_OWN)
		return;
	uint32_t *state = seen(parser, macro);
	if (!state || *state >= 2 * parser->number)
		return;
	*state = 2 * parser->number + 1;
	parser_find(parser, RULE_T10, at, "no value was given to this macro before: it is 0");
}

void
check_assignment(struct parser *parser, uint32_t macro, size_t at)
{
	if (macro < MACRO_FIRST_OWN)
		return;
	uint32_t *state = seen(parser, macro);
	if (!state || *state == 2 * parser->number)
		return;
	*state = 2 * parser->number;
	if (++parser->own_macros == TRCFMT_OWN_MACROS + 1)
		parser_find(parser, RULE_T10, at, "more than %u macros in a template",
			TRCFMT_OWN_MACROS);
}
