/* SPDX-License-Identifier: MIT */
/*
 * Descriptors.
 *
 *     descriptor = { item } ;
 *     item   = string | "\n" | "\t" | posn | switch | fmt | loop | assign | macro [ "%" fmt ]
 *            | call | level ;
 *     loop   = "LOOP" ( fmt | macro [ "%" fmt ] ) "{" descriptor "}" ;
 *     assign = "{{" macro "=" expr "}}" ;
 *     level  = "L=" ( "APPL" | "SVC" | "KERN" | "INT" ) ;
 *
 * A value or an expression that a comma follows is the selector of a switch.
 *
 * spec: IBM, trcfmt File Format (Trace Data Formatting); AIX trace reference 3 (26), 4.1.
 */
#include "trcfmt/lang/parser.h"

#include <string.h>

struct template_item *
parser_item(struct template_parser *parser, enum trcfmt_item kind, size_t at)
{
	struct poly_templates *templates = parser->templates;
	if (templates->item_count == TRCFMT_ITEMS) {
		parser->stopped = true;
		parser_report(
			parser, RULE_T15, at, "more than %zu items in the file", TRCFMT_ITEMS);
		return NULL;
	}
	struct template_item *grown =
		parser_grow(parser, templates->items, templates->item_count, sizeof *grown);
	if (!grown)
		return NULL;
	templates->items = grown;
	grown += templates->item_count++;
	*grown = (struct template_item){.item = (uint8_t)kind,
		.end = (uint32_t)templates->item_count,
		.expr = EXPR_NONE,
		.line = join_position(&parser->joined, at).line};
	return grown;
}

bool
parser_nest(struct template_parser *parser, size_t at)
{
	if (parser->depth == TRCFMT_DEPTH)
		return parser_report(parser, RULE_T15, at,
			"braces and parentheses are nested deeper than %d", TRCFMT_DEPTH);
	parser->depth++;
	return true;
}

static bool
parse_string(struct template_parser *parser)
{
	uint32_t text, length;
	size_t start = parser->at;
	bool label = parser->templates->item_count == parser->template.first;
	if (!parser_string(parser, &text, &length))
		return false;
	struct template_item *item = parser_item(parser, ITEM_TEXT, start);
	if (!item)
		return false;
	item->text = text;
	item->length = length;
	item->label = label;
	if (label) {
		parser->template.label = text;
		parser->template.label_length = length;
	}
	return true;
}

/* "\n", "\t". */
static bool
parse_escape(struct template_parser *parser)
{
	size_t start = parser->at;
	char c = parser_peek_at(parser, 1);
	if (c == 'n' || c == 't') {
		parser->at += 2;
		return parser_item(parser, c == 'n' ? ITEM_NEWLINE : ITEM_TAB, start);
	}
	if (c == '*')
		return parser_report(parser, RULE_T07, start,
			"'\\*' outside of a switch: a comma is missing before it");
	return parser_report(
		parser, RULE_T04, start, "expected 'n', 't' or the end of the line after '\\'");
}

/* "{{" macro "=" expr "}}" */
static bool
parse_assignment(struct template_parser *parser)
{
	size_t start = parser->at;
	uint32_t macro;
	struct parsed_expr value;
	parser->at += 2;
	if (parser_skip(parser) != '$')
		return parser_report(
			parser, RULE_T05, parser->at, "expected a macro after '{{'");
	/* The macro has its value only after the expression. */
	size_t name = parser->at;
	parser->at++;
	parser->at += parser_word(parser);
	if (!parser_next_is(parser, '='))
		return parser_report(parser, RULE_T05, parser->at, "expected '='");
	if (!parser_expr(parser, false, &value))
		return false;
	if (parser_skip(parser) != '}' || parser_peek_at(parser, 1) != '}')
		return parser_report(parser, RULE_T05,
			parser_ended(parser) ? start : parser->at,
			"expected an operator or '}}' to end '{{'");
	size_t end = parser->at + 2;
	parser->at = name;
	if (!parser_macro(parser, true, &macro))
		return false;
	parser->at = end;
	struct template_item *item = parser_item(parser, ITEM_ASSIGN, start);
	if (!item)
		return false;
	item->macro = macro;
	item->expr = value.expr;
	return true;
}

static const char level_names[][5] = {"APPL", "SVC", "KERN", "INT"};

/* "L=" name */
bool
parser_level(struct template_parser *parser)
{
	size_t start = parser->at;
	parser->at += 2;
	size_t n = parser_word(parser);
	const char *name = parser->text + parser->at;
	for (unsigned i = 0; i <= LEVEL_INT; i++) {
		if (n != strlen(level_names[i]) || memcmp(name, level_names[i], n) != 0)
			continue;
		struct template_item *item = parser_item(parser, ITEM_LEVEL, start);
		if (!item)
			return false;
		item->number = i;
		parser->at += n;
		return true;
	}
	return parser_report(parser, RULE_T03, parser->at,
		"'%.*s' is none of APPL, SVC, KERN and INT", n > 40 ? 40 : (int)n, name);
}

/* "LOOP" value "{" descriptor "}" */
static bool
parse_loop(struct template_parser *parser)
{
	size_t start = parser->at;
	struct template_item count = {0};
	uint32_t expr;
	parser->at += 4;
	parser_skip(parser);
	size_t value = parser->at;
	enum word_kind word =
		parser_peek(parser) == '$' ? WORD_CODE : parser_code(parser, false, &count);
	if (word == WORD_WRONG)
		return false;
	if (word != WORD_CODE)
		return parser_report(parser, RULE_T06, value,
			"expected a code or a macro after LOOP, the number of iterations");
	parser->at = value;
	if (!parser_value(parser, false, &expr))
		return false;
	if (parser_skip(parser) != '{')
		return parser_report(parser, RULE_T06, parser->at,
			"expected '{' and the items that the loop repeats");
	size_t brace = parser->at++;
	size_t index = parser->templates->item_count;
	struct template_item *item = parser_item(parser, ITEM_LOOP, start);
	if (!item || !parser_nest(parser, brace))
		return false;
	item->expr = expr;
	if (!parser_descriptor(parser))
		return false;
	parser->depth--;
	if (!parser_next_is(parser, '}'))
		return parser_report(parser, RULE_T05, brace, "'{' without '}'");
	parser->templates->items[index].end = (uint32_t)parser->templates->item_count;
	return true;
}

/* True if an operator follows, so that the value begins an expression. */
static bool
operator_follows(struct template_parser *parser)
{
	char c = parser_skip(parser);
	return c && strchr("+-*/&", c);
}

/* A selector that is more than one value. */
static bool
parse_selector(struct template_parser *parser, size_t start)
{
	struct parsed_expr selector;
	parser->at = start;
	if (!parser_expr(parser, false, &selector))
		return false;
	if (parser_skip(parser) == ',')
		return parser_switch(parser, start, selector.expr);
	return parser_report(parser, RULE_T07, start,
		"expected a comma after a selector; or the comma before a case is missing");
}

/* A macro with its cast, or a code, by itself or as a selector. */
static bool
parse_value(struct template_parser *parser)
{
	size_t start = parser->at, expr_count = parser->templates->expr_count;
	uint32_t expr;
	if (!parser_value(parser, false, &expr))
		return false;
	if (operator_follows(parser)) {
		parser->templates->expr_count = expr_count;
		return parse_selector(parser, start);
	}
	if (parser_peek(parser) == ',')
		return parser_switch(parser, start, expr);
	if (parser_peek(parser) == '=')
		return parser_report(parser, RULE_T05, start, "an assignment without '{{'");
	const struct template_expr parsed = parser->templates->exprs[expr];
	bool code = parsed.op == EXPR_CODE;
	struct template_item *item = parser_item(parser, code ? ITEM_CODE : ITEM_VALUE, start);
	if (!item)
		return false;
	if (code) {
		parser->templates->expr_count = expr_count;
		item->code = parsed.code;
	} else {
		item->expr = expr;
	}
	return true;
}

static bool
parse_move(struct template_parser *parser, const struct template_item *move, size_t start)
{
	if (parser_skip(parser) == ',')
		return parser_report(
			parser, RULE_T07, start, "a position code cannot select a case");
	struct template_item *item = parser_item(parser, move->item, start);
	if (item)
		item->number = move->number;
	return item != NULL;
}

static bool
parse_word(struct template_parser *parser)
{
	struct template_item move = {0};
	size_t start = parser->at, n = parser_word(parser);
	if (parser_peek(parser) == 'L' && parser_peek_at(parser, 1) == '=')
		return parser_level(parser);
	if (n == 4 && memcmp(parser->text + start, "LOOP", 4) == 0)
		return parse_loop(parser);
	switch (parser_code(parser, false, &move)) {
	case WORD_CODE: parser->at = start; return parse_value(parser);
	case WORD_MOVE: return parse_move(parser, &move, start);
	case WORD_OTHER: return parser_call(parser, n);
	case WORD_WRONG: break;
	}
	return false;
}

static bool
parse_other(struct template_parser *parser, char c)
{
	if (c == ',')
		return parser_report(parser, RULE_T07, parser->at,
			"unexpected comma: it follows neither a selector nor a case");
	if (c == '{')
		return parser_report(parser, RULE_T05, parser->at,
			"'{' follows neither LOOP nor the value of a case");
	if (c >= 0x20 && c < 0x7f)
		return parser_report(parser, RULE_T04, parser->at, "unexpected '%c'", c);
	return parser_report(parser, RULE_T04, parser->at, "unexpected byte %02x", (uint8_t)c);
}

static bool
parse_item(struct template_parser *parser)
{
	char c = parser_peek(parser);
	if (c == '"')
		return parse_string(parser);
	if (c == '\\')
		return parse_escape(parser);
	if (c == '$')
		return parse_value(parser);
	if (c == '{' && parser_peek_at(parser, 1) == '{')
		return parse_assignment(parser);
	if (c == '(' || (c >= '0' && c <= '9'))
		return parse_selector(parser, parser->at);
	return parser_word(parser) ? parse_word(parser) : parse_other(parser, c);
}

bool
parser_descriptor(struct template_parser *parser)
{
	while (parser_skip(parser) != '}' && !parser_ended(parser))
		if (!parse_item(parser))
			return false;
	return true;
}
