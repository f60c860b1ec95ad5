/* SPDX-License-Identifier: MIT */
/*
 * Expressions: with the precedence of C, or from left to right.
 *
 *     expr = term { ( "+" | "-" | "*" | "/" | "&" ) term } ;
 *     term = fmt | macro [ "%" fmt ] | number | "(" expr ")" ;
 *     arg  = expr [ "." expr ] ;
 *
 * spec: IBM, trcfmt File Format (Macros); AIX trace reference 3 (21), (33), (35), 4.1.
 */
#include "trcfmt/lang/parser.h"

#include "base/num.h"

#include <string.h>

static bool parse_ranks(struct template_parser *parser, bool argument, unsigned rank,
	struct parsed_expr *parsed);

static const struct {
	char sign;
	uint8_t op; /* enum trcfmt_operator */
	uint8_t rank;
} operators[] = {
	{'&', EXPR_AND, 1},
	{'+', EXPR_ADD, 2},
	{'-', EXPR_SUBTRACT, 2},
	{'*', EXPR_MULTIPLY, 3},
	{'/', EXPR_DIVIDE, 3},
};

#define LAST_RANK 3

static bool
add_expr(struct template_parser *parser, const struct template_expr *expr, uint32_t *number)
{
	struct poly_templates *templates = parser->templates;
	if (templates->expr_count == TRCFMT_ITEMS) {
		parser->stopped = true;
		return parser_report(parser, RULE_T15, parser->at,
			"more than %zu nodes of expressions in the file", TRCFMT_ITEMS);
	}
	struct template_expr *grown =
		parser_grow(parser, templates->exprs, templates->expr_count, sizeof *grown);
	if (!grown)
		return false;
	templates->exprs = grown;
	*number = (uint32_t)templates->expr_count;
	grown[templates->expr_count++] = *expr;
	return true;
}

/* Returns the predefined macro of a name, in any case; MACRO_FIRST_OWN: none. */
static uint32_t
find_predefined(const struct intern *macros, const char *name, size_t n)
{
	char upper[24];
	if (n > sizeof upper)
		return MACRO_FIRST_OWN;
	for (size_t i = 0; i < n; i++)
		upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A'
								   : name[i]);
	uint32_t found = intern_find(macros, upper, n);
	return found < MACRO_FIRST_OWN ? found : MACRO_FIRST_OWN;
}

static bool
own_macro(struct template_parser *parser, size_t n, uint32_t *macro)
{
	struct intern *macros = &parser->templates->macros;
	const char *name = parser->text + parser->at;
	if (macros->count == TRCFMT_MACROS && intern_find(macros, name, n) == INTERN_FAILED) {
		parser->stopped = true;
		return parser_report(parser, RULE_T15, parser->at - 1,
			"more than %u names of macros in the file", TRCFMT_MACROS);
	}
	*macro = intern_add(macros, name, n);
	return *macro != INTERN_FAILED || parser_out_of_memory(parser);
}

bool
parser_macro(struct template_parser *parser, bool assigned, uint32_t *macro)
{
	size_t start = parser->at++, n = parser_word(parser);
	if (n == 0)
		return parser_report(parser, RULE_T04, start, "'$' without a name");
	*macro = find_predefined(&parser->templates->macros, parser->text + parser->at, n);
	if (*macro == MACRO_FIRST_OWN && !own_macro(parser, n, macro))
		return false;
	parser->at += n;
	if (assigned)
		check_assignment(parser, *macro, start);
	else
		check_use(parser, *macro, start);
	return !parser->stopped;
}

static bool
parse_cast(struct template_parser *parser, bool argument, struct template_expr *expr)
{
	struct template_item item = {0};
	parser_skip(parser);
	enum word_kind word = parser_code(parser, argument, &item);
	expr->op = EXPR_CAST;
	expr->code = item.code;
	if (word == WORD_CODE || word == WORD_WRONG)
		return word == WORD_CODE;
	return parser_report(parser, RULE_T04, parser->at, "expected a format code after '%%'");
}

bool
parser_value(struct template_parser *parser, bool argument, uint32_t *number)
{
	struct template_expr expr = {.op = EXPR_MACRO, .left = EXPR_NONE, .right = EXPR_NONE};
	struct template_item item = {0};
	size_t start = parser->at;
	if (parser_peek(parser) == '$') {
		if (!parser_macro(parser, false, &expr.macro))
			return false;
		if (parser_next_is(parser, '%') && !parse_cast(parser, argument, &expr))
			return false;
		return add_expr(parser, &expr, number);
	}
	switch (parser_code(parser, argument, &item)) {
	case WORD_CODE:
		expr.op = EXPR_CODE;
		expr.code = item.code;
		return add_expr(parser, &expr, number);
	case WORD_WRONG: return false;
	case WORD_MOVE:
		return parser_report(parser, RULE_T04, start, "a position code has no value");
	case WORD_OTHER: break;
	}
	return parser_report(parser, RULE_T05, start,
		"expected a code, a macro, a number or '(' in an expression");
}

static bool
parse_number(struct template_parser *parser, uint32_t *number)
{
	struct template_expr expr = {.op = EXPR_NUMBER, .left = EXPR_NONE, .right = EXPR_NONE};
	size_t n = parser_word(parser);
	if (!num_parse(parser->text + parser->at, n, &expr.number))
		return parser_report(parser, RULE_T05, parser->at,
			"'%.*s' is not a 64-bit number, decimal or hexadecimal with 0x",
			n > 40 ? 40 : (int)n, parser->text + parser->at);
	parser->at += n;
	return add_expr(parser, &expr, number);
}

static bool
parse_term(struct template_parser *parser, bool argument, struct parsed_expr *parsed)
{
	size_t start = parser->at;
	char c = parser_skip(parser);
	*parsed = (struct parsed_expr){EXPR_NONE, 1};
	if (c >= '0' && c <= '9')
		return parse_number(parser, &parsed->expr);
	if (c != '(')
		return parser_value(parser, argument, &parsed->expr);
	start = parser->at;
	if (!parser_nest(parser, start))
		return false;
	parser->at++;
	/* Within parentheses a point does not join arguments. */
	if (!parse_ranks(parser, false, 1, parsed))
		return false;
	parser->depth--;
	return parser_next_is(parser, ')') ||
	       parser_report(parser, RULE_T05, parser->at, "expected an operator or ')'");
}

/* Returns the index of the next operator if its rank is at least rank, or -1. */
static int
next_operator(struct template_parser *parser, unsigned rank)
{
	char c = parser_skip(parser);
	for (int i = 0; i < (int)(sizeof operators / sizeof *operators); i++)
		if (c == operators[i].sign &&
			(parser->options.left_to_right || operators[i].rank >= rank))
			return i;
	return -1;
}

static bool
combine(struct template_parser *parser, uint8_t op, struct parsed_expr *left,
	const struct parsed_expr *right)
{
	unsigned depth = left->depth > right->depth ? left->depth : right->depth;
	if (depth >= TRCFMT_DEPTH)
		return parser_report(parser, RULE_T15, parser->at,
			"operators are nested deeper than %d", TRCFMT_DEPTH - 1);
	struct template_expr expr = {.op = op, .left = left->expr, .right = right->expr};
	left->depth = depth + 1;
	return add_expr(parser, &expr, &left->expr);
}

/* Parses operators of a rank and of higher ranks. */
static bool
parse_ranks(struct template_parser *parser, bool argument, unsigned rank,
	struct parsed_expr *parsed)
{
	int found;
	if (rank > LAST_RANK || parser->options.left_to_right) {
		if (!parse_term(parser, argument, parsed))
			return false;
	} else if (!parse_ranks(parser, argument, rank + 1, parsed)) {
		return false;
	}
	while (rank <= LAST_RANK && (found = next_operator(parser, rank)) >= 0) {
		struct parsed_expr right;
		parser->at++;
		bool ranks = !parser->options.left_to_right && rank < LAST_RANK;
		if (!(ranks ? parse_ranks(parser, argument, rank + 1, &right)
			    : parse_term(parser, argument, &right)) ||
			!combine(parser, operators[found].op, parsed, &right))
			return false;
	}
	return true;
}

bool
parser_expr(struct template_parser *parser, bool argument, struct parsed_expr *parsed)
{
	struct parsed_expr right;
	if (!parse_ranks(parser, argument, 1, parsed))
		return false;
	if (!argument || !parser_next_is(parser, '.'))
		return true;
	return parse_ranks(parser, argument, 1, &right) &&
	       combine(parser, EXPR_JOIN, parsed, &right);
}
