/* SPDX-License-Identifier: MIT */
/*
 * Switches.
 *
 *     switch   = selector "," case { "," case } ;
 *     case     = matchval ( string | "{" descriptor "}" ) ;
 *     matchval = number | string | "\*" ;
 *
 * spec: IBM, trcfmt File Format (Switch Statements); AIX trace reference 3 (7), (8), 4.1.
 */
#include "trcfmt/lang/parser.h"

#include "base/num.h"

/* Number base of the cases of a switch. */
struct radix {
	unsigned base; /* 8, 10, 16 */
	bool negative; /* "-" is allowed */
	const char *name;
	unsigned bits; /* of the selector's values; 0: not known, or 64 and more */
	bool binary;   /* the selector is expanded as bits */
	bool hook;     /* the selector is a hook id */
};

static struct radix
base_of(const struct template_expr *selector)
{
	static const struct radix hexadecimal = {16, false, "hexadecimal", 0, false, false};
	if (selector->op != EXPR_CODE && selector->op != EXPR_CAST)
		return hexadecimal;
	switch ((enum trcfmt_code)selector->code.code) {
	case CODE_B:
	case CODE_X:
	case CODE_HT:
	case CODE_HB:
	case CODE_HD: break;
	case CODE_O: return (struct radix){8, false, "octal", 0, false, false};
	case CODE_D: return (struct radix){10, true, "decimal", 0, false, false};
	case CODE_A:
	case CODE_U:
	case CODE_F:
	case CODE_S:
	case CODE_T:
	case CODE_E:
	case CODE_P: return (struct radix){10, false, "decimal", 0, false, false};
	}
	return hexadecimal;
}

static struct radix
radix_of(const struct template_expr *selector)
{
	struct radix radix = base_of(selector);
	const struct format_code *code = &selector->code;
	radix.hook = selector->op == EXPR_MACRO && selector->macro == MACRO_TRACEID;
	if (selector->op != EXPR_CODE)
		return radix;
	radix.binary = code->code == CODE_B;
	if (radix.binary)
		radix.bits = code->bits < 64 ? code->bits : 0;
	else if ((code->code == CODE_X || code->code == CODE_O || code->code == CODE_U) &&
		 !code->word && code->size < 8)
		radix.bits = 8u * (code->size ? code->size : 1);
	return radix;
}

/* Parses the expansion of a selector of bits, with a digit for each: "1010". */
static bool
parse_expansion(const char *text, size_t n, struct radix radix, uint64_t *value)
{
	if (!radix.binary || n != radix.bits)
		return false;
	*value = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] != '0' && text[i] != '1')
			return false;
		*value = *value << 1 | (uint64_t)(text[i] - '0');
	}
	return true;
}

static bool
parse_octal(const char *text, size_t n, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '7' || *value >> 61)
			return false;
		*value = *value << 3 | (uint64_t)(text[i] - '0');
	}
	return n > 0;
}

static bool
parse_in_base(const char *text, size_t n, unsigned base, uint64_t *value)
{
	bool prefix = n > 1 && (text[1] == 'x' || text[1] == 'X');
	if (base == 8 && !prefix)
		return parse_octal(text, n, value);
	if (base == 16 && !prefix)
		return num_parse_hex(text, n, value);
	return num_parse(text, n, value);
}

static bool
parse_match_number(struct template_parser *parser, struct radix radix, uint64_t *number)
{
	size_t start = parser->at;
	bool minus = radix.negative && parser_next_is(parser, '-');
	size_t n = parser_word(parser);
	const char *text = parser->text + parser->at;
	if (n == 0)
		return parser_report(parser, RULE_T07, start,
			"expected the value of a case: a number, a string or '\\*'");
	if (parse_expansion(text, n, radix, number)) {
		parser->at += n;
		return true;
	}
	/* Octal and decimal numbers begin with a decimal digit. */
	if ((radix.base == 16 || (text[0] >= '0' && text[0] <= '9')) &&
		parse_in_base(text, n, radix.base, number)) {
		*number = minus ? 0 - *number : *number;
		/* Three digits of a hook id are four with a zero. */
		if (radix.hook && n == 3)
			*number <<= 4;
		if (radix.bits && *number >> radix.bits)
			parser_report(parser, RULE_T17, start,
				"this case never matches: the value has %u bits", radix.bits);
		parser->at += n;
		return true;
	}
	return parser_report(parser, RULE_T07, start, "'%.*s' is not a 64-bit %s number",
		n > 40 ? 40 : (int)n, text, radix.name);
}

/* Parses the value of a case into item. */
static bool
parse_match(struct template_parser *parser, struct radix radix, struct template_item *item)
{
	char c = parser_skip(parser);
	if (c == '"') {
		item->match = MATCH_TEXT;
		return parser_string(parser, &item->text, &item->length);
	}
	if (c == '*' || (c == '\\' && parser_peek_at(parser, 1) == '*')) {
		if (c == '*')
			parser_report(
				parser, RULE_T16, parser->at, "'*' without '\\' before it");
		parser->at += c == '*' ? 1 : 2;
		item->match = MATCH_ANY;
		return true;
	}
	item->match = MATCH_NUMBER;
	item->bits = c == '0' && (parser_peek_at(parser, 1) | 32) == 'x';
	return parse_match_number(parser, radix, &item->number);
}

/* Parses the string that is the only item of a case. */
static bool
parse_direct(struct template_parser *parser)
{
	uint32_t text, length;
	size_t start = parser->at;
	if (!parser_string(parser, &text, &length))
		return false;
	struct template_item *item = parser_item(parser, ITEM_TEXT, start);
	if (!item)
		return false;
	item->text = text;
	item->length = length;
	return true;
}

static bool
parse_braces(struct template_parser *parser)
{
	size_t brace = parser->at++;
	if (!parser_nest(parser, brace) || !parser_descriptor(parser))
		return false;
	parser->depth--;
	return parser_next_is(parser, '}') ||
	       parser_report(parser, RULE_T05, brace, "'{' without '}'");
}

static bool
parse_case(struct template_parser *parser, struct radix radix, bool *any)
{
	struct template_item match = {0};
	parser_skip(parser);
	size_t start = parser->at, index = parser->templates->item_count;
	if (parser_ended(parser) || parser_peek(parser) == '}')
		return parser_report(parser, RULE_T07, start, "no case follows the last comma");
	if (!parse_match(parser, radix, &match))
		return false;
	if (*any)
		parser_report(parser, RULE_T09, start,
			"this case is never reached: a wildcard precedes it");
	*any = *any || match.match == MATCH_ANY;
	struct template_item *item = parser_item(parser, ITEM_CASE, start);
	if (!item)
		return false;
	item->match = match.match;
	item->number = match.number;
	item->bits = match.bits;
	item->text = match.text;
	item->length = match.length;
	char c = parser_skip(parser);
	item->direct = c == '"';
	if (c != '"' && c != '{')
		return parser_report(parser, RULE_T07, parser->at,
			"expected a string or '{' after the value of the case; a nested switch "
			"needs braces");
	if (!(c == '"' ? parse_direct(parser) : parse_braces(parser)))
		return false;
	parser->templates->items[index].end = (uint32_t)parser->templates->item_count;
	return true;
}

bool
parser_switch(struct template_parser *parser, size_t at, uint32_t selector)
{
	struct radix radix = radix_of(&parser->templates->exprs[selector]);
	size_t index = parser->templates->item_count;
	bool any = false;
	struct template_item *item = parser_item(parser, ITEM_SWITCH, at);
	if (!item)
		return false;
	item->expr = selector;
	while (parser_next_is(parser, ','))
		if (!parse_case(parser, radix, &any))
			return false;
	parser->templates->items[index].end = (uint32_t)parser->templates->item_count;
	return true;
}
