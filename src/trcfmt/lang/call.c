/* SPDX-License-Identifier: MIT */
/*
 * Calls of built-ins.
 *
 *     call = name [ "(" [ arg { "," arg } ] ")" ] ;
 *
 * spec: IBM, trcfmt File Format (Built-in Macros); AIX trace reference 3 (23), (32), (33), 4.6.
 */
#include "trcfmt/lang/parser.h"

#include <string.h>

static const struct {
	const char *name;
	uint8_t min, max; /* arguments */
} builtins[] = {
#define BUILTIN(name, spelling, min, max, section, test) {spelling, min, max},
#include "trcfmt/lang/directives.def"
};

/* The only name with a "-" in it. */
static const char with_hyphen[] = "v-nodetofilename";

/* The built-in of a name; BUILTIN_UNKNOWN: none. */
static enum trcfmt_builtin
find_builtin(const char *name, size_t n)
{
	unsigned i = 0;
	while (i < BUILTIN_UNKNOWN &&
		(strlen(builtins[i].name) != n || memcmp(builtins[i].name, name, n) != 0))
		i++;
	return (enum trcfmt_builtin)i;
}

/* Size in bytes of the word at the position, the "-" of v-nodetofilename included. */
static size_t
name_size(const struct template_parser *parser)
{
	size_t n = sizeof with_hyphen - 1;
	size_t left = parser->size - parser->at;
	if (left >= n && memcmp(parser->text + parser->at, with_hyphen, n) == 0)
		return n;
	return parser_word(parser);
}

size_t
parser_call_name(const struct template_parser *parser)
{
	size_t n = name_size(parser), next = n;
	if (n > 0 && find_builtin(parser->text + parser->at, n) != BUILTIN_UNKNOWN)
		return n;
	while (parser_peek_at(parser, next) == ' ' || parser_peek_at(parser, next) == '\t')
		next++;
	return parser_peek_at(parser, next) == '(' ? n : 0;
}

static bool
add_argument(struct template_parser *parser, uint32_t *expr)
{
	struct poly_templates *templates = parser->templates;
	uint32_t *grown = parser_grow(
		parser, templates->arguments, templates->argument_count, sizeof *grown);
	if (!grown)
		return false;
	templates->arguments = grown;
	grown[templates->argument_count++] = *expr;
	return true;
}

/* Parses the arguments after "(", and ")". */
static bool
parse_arguments(struct template_parser *parser, size_t start, unsigned *count)
{
	struct parsed_expr value;
	if (parser_next_is(parser, ')'))
		return true;
	do {
		if (*count == TRCFMT_ARGUMENTS)
			return parser_report(parser, RULE_T15, parser->at,
				"more than %u arguments", TRCFMT_ARGUMENTS);
		if (!parser_expr(parser, true, &value) || !add_argument(parser, &value.expr))
			return false;
		++*count;
	} while (parser_next_is(parser, ','));
	return parser_next_is(parser, ')') ||
	       parser_report(parser, RULE_T05, parser_ended(parser) ? start : parser->at,
		       "expected ',' or ')' in the arguments of a call");
}

/* Returns the built-in to call; if it is unknown or has the wrong number of arguments, reports
 * that and returns BUILTIN_UNKNOWN. */
static enum trcfmt_builtin
check_call(struct template_parser *parser, size_t start, size_t n, unsigned count)
{
	const char *name = parser->text + start;
	enum trcfmt_builtin found = find_builtin(name, n);
	int shown = n > 40 ? 40 : (int)n;
	if (found == BUILTIN_UNKNOWN) {
		parser_report(parser, RULE_T11, start, "unknown built-in '%.*s'", shown, name);
	} else if (count < builtins[found].min || count > builtins[found].max) {
		parser_report(parser, RULE_T11, start,
			"'%.*s' has the wrong number of arguments (found %u, expected %u)",
			shown, name, count, builtins[found].min);
		found = BUILTIN_UNKNOWN;
	}
	return found;
}

bool
parser_call(struct template_parser *parser, size_t n)
{
	size_t start = parser->at, first = parser->templates->argument_count;
	unsigned count = 0;
	n = name_size(parser) > n ? name_size(parser) : n;
	parser->at += n;
	if (parser_skip(parser) == '(') {
		size_t parenthesis = parser->at++;
		if (!parse_arguments(parser, parenthesis, &count))
			return false;
	}
	enum trcfmt_builtin builtin = check_call(parser, start, n, count);
	struct template_item *item = parser_item(parser, ITEM_CALL, start);
	if (!item)
		return false;
	item->number = builtin;
	item->arguments = (uint8_t)count;
	item->first_argument = (uint32_t)first;
	return true;
}
