/* SPDX-License-Identifier: MIT */
/* Findings in a template file, with their positions. spec: AIX trace reference 5. */
#include "trcfmt/lang/parser.h"

#include "base/err.h"
#include "base/mem.h"
#include "lang/caret.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes after a position that caret_show needs. */
#define LOOKAHEAD ((size_t)400)

const struct poly_rule trcfmt_rules[RULE_COUNT + 1] = {
#define RULE(code, severity, title, source) {#code, POLY_##severity, title, source},
#include "trcfmt/lang/rules.def"
#undef RULE
	{0},
};

/* Returns the size of the line of a position, at most LOOKAHEAD bytes after that. */
static size_t
line_size(const struct template_parser *parser, struct join_position position)
{
	const char *text = parser->source.text + position.offset;
	size_t left = parser->source.size - position.offset;
	if (left > LOOKAHEAD)
		left = LOOKAHEAD;
	const char *end = left ? memchr(text, '\n', left) : NULL;
	return position.offset - position.line_start + (end ? (size_t)(end - text) : left);
}

static void
keep_first(struct template_parser *parser, enum trcfmt_rule rule, struct join_position position,
	const char *message)
{
	if (trcfmt_rules[rule].severity != POLY_ERROR || parser->status != POLY_OK)
		return;
	parser->status = rule == RULE_T15 ? POLY_ERR_LIMIT : POLY_ERR_FORMAT;
	err_set(parser->error, parser->status, position.offset, "%s", message);
	if (parser->error)
		parser->error->line = position.line;
}

bool
parser_report(struct template_parser *parser, enum trcfmt_rule rule, size_t at,
	const char *message, ...)
{
	char text[400], shown[CARET_ROOM];
	struct join_position position = join_position(&parser->joined, at);
	const struct poly_template_options *options = &parser->options;
	if (!options->found && trcfmt_rules[rule].severity != POLY_ERROR)
		return false;
	va_list list;
	va_start(list, message);
	/* The rest is for the line and its caret, and for a prefix of the caller. */
	vsnprintf(text, sizeof text - CARET_ROOM - 40, message, list);
	va_end(list);
	caret_show(shown, parser->source.text + position.line_start,
		line_size(parser, position), position.offset - position.line_start);
	size_t n = strlen(text);
	memcpy(text + n, shown, strlen(shown) + 1);
	keep_first(parser, rule, position, text);
	const struct poly_template_finding finding = {
		.rule = &trcfmt_rules[rule],
		.line = position.line,
		.column = position.offset - position.line_start + 1,
		.hook = parser->template.hook,
		.message = text,
	};
	if (options->found)
		options->found(options->user, &finding);
	return false;
}

bool
parser_out_of_memory(struct template_parser *parser)
{
	parser->stopped = true;
	parser->status = err_memory(parser->error);
	return false;
}

/* Arrays grow when their count is a power of 2, so no capacity is stored. */
void *
parser_grow(struct template_parser *parser, void *array, size_t count, size_t size)
{
	if (count & (count - 1) || (count > 0 && count < 64))
		return array;
	void *grown = mem_resize(array, count ? 2 * count : 64, size);
	if (!grown)
		parser_out_of_memory(parser);
	return grown;
}
