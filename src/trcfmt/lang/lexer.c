/* SPDX-License-Identifier: MIT */
/*
 * Characters, words and strings of a template.
 *
 *     string = '"' { char | escape } '"' ;
 *     escape = "\" any ;                    "\n", "\t": newline, tab; else the character
 *
 * spec: IBM, trcfmt File Format (Labels or Text Strings); AIX trace reference 4.1.
 */
#include "trcfmt/lang/parser.h"

#include "base/num.h"

#include <string.h>

/* Maximum number of digits. */
#define DIGITS 19

bool
parser_ended(const struct template_parser *parser)
{
	return parser->at == parser->size;
}

char
parser_peek_at(const struct template_parser *parser, size_t ahead)
{
	return ahead < parser->size - parser->at ? parser->text[parser->at + ahead] : 0;
}

char
parser_peek(const struct template_parser *parser)
{
	return parser_peek_at(parser, 0);
}

char
parser_skip(struct template_parser *parser)
{
	while (parser->at < parser->size &&
		strchr(" \t\r\f\v", parser->text[parser->at] ? parser->text[parser->at] : '!'))
		parser->at++;
	return parser_peek(parser);
}

bool
parser_next_is(struct template_parser *parser, char c)
{
	bool is = parser_skip(parser) == c && !parser_ended(parser);
	parser->at += is;
	return is;
}

static bool
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

size_t
parser_word(const struct template_parser *parser)
{
	size_t n = 0;
	while (is_word(parser_peek_at(parser, n)))
		n++;
	return n;
}

bool
parser_digits(struct template_parser *parser, uint64_t *value)
{
	size_t n = 0;
	while (parser_peek_at(parser, n) >= '0' && parser_peek_at(parser, n) <= '9')
		n++;
	if (n > DIGITS || !num_parse(parser->text + parser->at, n, value))
		return false;
	parser->at += n;
	return true;
}

/* Returns the size of a string after its opening quote; SIZE_MAX: the closing quote is missing.
 */
static size_t
string_size(const struct template_parser *parser)
{
	for (size_t i = parser->at; i < parser->size; i++)
		if (parser->text[i] == '"')
			return i - parser->at;
		else if (parser->text[i] == '\\')
			i++;
	return SIZE_MAX;
}

static uint8_t
unescape(char c)
{
	if (c == 'n')
		return '\n';
	return c == 't' ? '\t' : (uint8_t)c;
}

bool
parser_string(struct template_parser *parser, uint32_t *text, uint32_t *length)
{
	struct buf *texts = &parser->templates->texts;
	size_t start = parser->at++, n = string_size(parser);
	if (n == SIZE_MAX)
		return parser_report(parser, RULE_T05, start, "string without a closing quote");
	const char *from = parser->text + parser->at;
	*text = (uint32_t)texts->size;
	for (size_t i = 0; i < n; i++)
		buf_byte(texts, from[i] == '\\' ? unescape(from[++i]) : (uint8_t)from[i]);
	*length = (uint32_t)texts->size - *text;
	buf_byte(texts, 0);
	parser->at += n + 1;
	return !texts->failed || parser_out_of_memory(parser);
}

bool
parser_copy(struct template_parser *parser, const char *text, size_t n, uint32_t *at)
{
	struct buf *texts = &parser->templates->texts;
	*at = (uint32_t)texts->size;
	buf_append(texts, text, n);
	buf_byte(texts, 0);
	return !texts->failed || parser_out_of_memory(parser);
}
