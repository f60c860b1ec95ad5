/* SPDX-License-Identifier: MIT */
/*
 * Calls of built-ins.
 *
 *     call = name [ "(" [ arg { "," arg } ] ")" ] ;
 *
 * spec: seed 003 (Built-in Macros); reference aix 3 (23), (32), (33), 4.6.
 */
#include "trcfmt/parser.h"

#include <string.h>

static const struct {
	const char *name;
	uint8_t least, most; /* arguments */
} builtins[] = {
#define BUILTIN(name, spelling, least, most, section, test) {spelling, least, most},
#include "trcfmt/directives.def"
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

/* Bytes of the word at the place, the "-" of the one name that has it included. */
static size_t
name_size(const struct parser *parser)
{
	size_t n = sizeof with_hyphen - 1;
	size_t left = parser->size - parser->at;
	if (left >= n && memcmp(parser->text + parser->at, with_hyphen, n) == 0)
		return n;
	return parser_word(parser);
}

size_t
parser_call_name(const struct parser *parser)
{
	size_t n = name_size(parser), behind = n;
	if (n > 0 && find_builtin(parser->text + parser->at, n) != BUILTIN_UNKNOWN)
		return n;
	while (parser_peek_at(parser, behind) == ' ' || parser_peek_at(parser, behind) == '\t')
		behind++;
	return parser_peek_at(parser, behind) == '(' ? n : 0;
}

static bool
add_argument(struct parser *parser, uint32_t *expr)
{
	struct poly_templates *to = parser->to;
	uint32_t *more = parser_grow(parser, to->arguments, to->argument_count, sizeof *more);
	if (!more)
		return false;
	to->arguments = more;
	more[to->argument_count++] = *expr;
	return true;
}

/* What stands in parentheses, the first of which is passed, and the other one. */
static bool
parse_arguments(struct parser *parser, size_t start, unsigned *count)
{
	struct parsed value;
	if (parser_next_is(parser, ')'))
		return true;
	do {
		if (*count == TRCFMT_ARGUMENTS)
			return parser_find(parser, RULE_T15, parser->at,
				"more than %u arguments", TRCFMT_ARGUMENTS);
		if (!parser_expr(parser, true, &value) || !add_argument(parser, &value.expr))
			return false;
		++*count;
	} while (parser_next_is(parser, ','));
	return parser_next_is(parser, ')') ||
	       parser_find(parser, RULE_T05, parser_ended(parser) ? start : parser->at,
		       "expected ',' or ')' in the arguments of a call");
}

/* The built-in to call; BUILTIN_UNKNOWN, and a warning, where it can't be. */
static enum trcfmt_builtin
check_call(struct parser *parser, size_t start, size_t n, unsigned count)
{
	const char *name = parser->text + start;
	enum trcfmt_builtin found = find_builtin(name, n);
	int shown = n > 40 ? 40 : (int)n;
	if (found == BUILTIN_UNKNOWN) {
		parser_find(
			parser, RULE_T11, start, "no built-in is called '%.*s'", shown, name);
	} else if (count < builtins[found].least || count > builtins[found].most) {
		parser_find(parser, RULE_T11, start,
			"'%.*s' takes %u arguments, and %u are given", shown, name,
			builtins[found].least, count);
		found = BUILTIN_UNKNOWN;
	}
	return found;
}

bool
parser_call(struct parser *parser, size_t n)
{
	size_t start = parser->at, first = parser->to->argument_count;
	unsigned count = 0;
	n = name_size(parser) > n ? name_size(parser) : n;
	parser->at += n;
	if (parser_skip(parser) == '(') {
		size_t parenthesis = parser->at++;
		if (!parse_arguments(parser, parenthesis, &count))
			return false;
	}
	enum trcfmt_builtin builtin = check_call(parser, start, n, count);
	struct item *item = parser_item(parser, ITEM_CALL, start);
	if (!item)
		return false;
	item->number = builtin;
	item->arguments = (uint8_t)count;
	item->first_argument = (uint32_t)first;
	return true;
}
