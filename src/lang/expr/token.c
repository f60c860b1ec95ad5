/* SPDX-License-Identifier: MIT */
/* Tokens of expressions, and their errors. */
#include "lang/expr/expr.h"

#include "base/err.h"
#include "base/num.h"
#include "lang/caret.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum poly_status
expr_error(const char *text, size_t at, struct poly_error *error, const char *message, ...)
{
	char description[180], shown[CARET_ROOM];
	va_list arguments;
	va_start(arguments, message);
	vsnprintf(description, sizeof description, message, arguments);
	va_end(arguments);
	caret_show(shown, text, strlen(text), at);
	return err_usage(error, "%s%s", description, shown);
}

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* number = decimal | 0x hexadecimal | 0o octal | 0b binary, with "_" between digits */
static bool
parse_number(const char *p, size_t n, uint64_t *number)
{
	unsigned base = 10;
	size_t i = 0;
	if (n > 2 && *p == '0' && strchr("xXoObB", p[1])) {
		base = p[1] == 'x' || p[1] == 'X' ? 16 : p[1] == 'o' || p[1] == 'O' ? 8 : 2;
		i = 2;
	}
	*number = 0;
	if (p[n - 1] == '_' || p[i] == '_')
		return false;
	for (; i < n; i++) {
		const int digit = num_hex_digit(p[i]);
		if (p[i] == '_')
			continue;
		if (digit < 0 || (unsigned)digit >= base ||
			__builtin_mul_overflow(*number, base, number) ||
			__builtin_add_overflow(*number, (unsigned)digit, number))
			return false;
	}
	return true;
}

/* string = '"' { character | "\" character } '"', or the same in single quotes */
static enum poly_status
take_string(const char *text, size_t *at, struct buf *texts, struct token *token,
	struct poly_error *error)
{
	const char quote = text[*at];
	size_t i = *at + 1;
	token->kind = TOKEN_STRING;
	token->text = texts->size;
	for (; text[i] && text[i] != quote; i++) {
		/* The regular expression handles other escapes. */
		if (text[i] == '\\' && (text[i + 1] == quote || text[i + 1] == '\\')) {
			if (text[i + 1] == '\\')
				buf_byte(texts, '\\');
			i++;
		}
		buf_byte(texts, (uint8_t)text[i]);
	}
	token->text_length = texts->size - token->text;
	buf_byte(texts, 0);
	if (!text[i])
		return expr_error(
			text, *at, error, "unterminated string: expected a closing %c", quote);
	token->length = i + 1 - *at;
	*at = i + 1;
	return texts->failed ? err_memory(error) : POLY_OK;
}

static size_t
sign_length(const char *p)
{
	static const char *const two[] = {
		"==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "..", "!~", "=~"};
	for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
		if (strncmp(p, two[i], 2) == 0)
			return 2;
	}
	return strchr("=<>!~&|^+-*/%(){},", *p) ? 1 : 0;
}

enum poly_status
expr_token(const char *text, size_t *at, struct buf *texts, struct token *token,
	struct poly_error *error)
{
	while (isspace((unsigned char)text[*at]))
		++*at;
	const char *p = text + *at;
	*token = (struct token){.at = *at, .kind = TOKEN_END};
	if (!*p)
		return POLY_OK;
	if (*p == '"' || *p == '\'')
		return take_string(text, at, texts, token, error);
	if (is_word(*p)) {
		while (is_word(p[token->length]))
			token->length++;
		*at += token->length;
		token->kind = TOKEN_WORD;
		if (!isdigit((unsigned char)*p))
			return POLY_OK;
		token->kind = TOKEN_NUMBER;
		return parse_number(p, token->length, &token->number)
			       ? POLY_OK
			       : expr_error(text, token->at, error,
					 "invalid number '%.*s' (expected 64 bits: decimal, "
					 "0x…, 0o… or 0b…)",
					 (int)(token->length < 40 ? token->length : 40), p);
	}
	token->kind = TOKEN_SIGN;
	token->length = sign_length(p);
	*at += token->length;
	return token->length ? POLY_OK
			     : expr_error(text, token->at, error, "unexpected character");
}
