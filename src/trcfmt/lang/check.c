/* SPDX-License-Identifier: MIT */
/* Warnings about valid templates that are probably mistakes. spec: AIX trace reference 5. */
#include "trcfmt/lang/parser.h"

#include "base/vec.h"

/* Returns the state of a macro in parser->seen; NULL: out of memory. */
static uint32_t *
seen(struct template_parser *parser, uint32_t macro)
{
	if (!VEC_ROOM_ZEROED(parser->seen, parser->seen_count, macro)) {
		parser_out_of_memory(parser);
		return NULL;
	}
	return &parser->seen[macro];
}

void
check_hook(struct template_parser *parser, size_t at)
{
	uint16_t hook = parser->template.hook;
	const struct hook_template *before = trcfmt_template(parser->templates, hook);
	if (before)
		parser_report(parser, RULE_T08, at,
			"hook %03X already has a template in line %u, which this one replaces",
			hook & 0xf ? hook : hook >> 4, before->line);
	if (hook < 0x100 && !parser->trusted)
		parser_report(parser, RULE_T12, at,
			"hook %03X belongs to the trace facility, as all ids below 010 do",
			hook >> 4);
}

void
check_use(struct template_parser *parser, uint32_t macro, size_t at)
{
	if (macro < MACRO_FIRST_OWN)
		return;
	uint32_t *state = seen(parser, macro);
	if (!state || *state >= 2 * parser->number)
		return;
	*state = 2 * parser->number + 1;
	parser_report(
		parser, RULE_T10, at, "macro is used before it is assigned a value: it is 0");
}

void
check_assignment(struct template_parser *parser, uint32_t macro, size_t at)
{
	if (macro < MACRO_FIRST_OWN)
		return;
	uint32_t *state = seen(parser, macro);
	if (!state || *state == 2 * parser->number)
		return;
	*state = 2 * parser->number;
	if (++parser->own_macros == TRCFMT_OWN_MACROS + 1)
		parser_report(parser, RULE_T10, at,
			"more than %u macros assigned in a template", TRCFMT_OWN_MACROS);
}
