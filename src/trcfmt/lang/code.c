/* SPDX-License-Identifier: MIT */
/*
 * Format codes and positions.
 *
 *     posn = "G" num [ "." num ] | "O" num [ "." num ] | "R" num | "W" num ;
 *     fmt  = "A" num [ "." num ] | "B" num [ "." num ] | "X" num | "XW"
 *          | "D" ("2"|"4"|"8"|"W") | "U" ("2"|"4"|"8"|"W") | "o" ("2"|"4"|"8"|"W")
 *          | "F4" | "F8" | "S" ("1"|"2"|"4"|"W") | "T4" | "E" ("1"|"2"|"4"|"W")
 *          | "P4" | "PW" | "HT" | "HB" | "HD" ;
 *
 * spec: IBM, trcfmt File Format (Format Codes); AIX trace reference 4.1, 4.4.
 */
#include "trcfmt/lang/parser.h"

#include <string.h>

/* A format code or a position code, and its valid sizes. */
struct code_letter {
	char letter;
	uint8_t kind;	   /* enum trcfmt_code, or enum trcfmt_item of a move */
	const char *sizes; /* the valid sizes, of one digit; NULL: any number up to max */
	uint32_t max;	   /* largest size */
	const char *expected;
	bool word; /* the size may be W */
	bool part; /* ".n" may follow */
	bool move;
};

static const struct code_letter letters[] = {
	{'A', CODE_A, NULL, TRCFMT_SIZE, .part = true,
		.expected = "'A' takes a number of bytes up to 65535"},
	{'B', CODE_B, NULL, TRCFMT_BITS / 8, .part = true,
		.expected = "'B' takes bytes and bits: 1 to 4096 bits in all"},
	{'X', CODE_X, NULL, 16, .word = true, .expected = "'X' takes 0 to 16 bytes, or W"},
	{'D', CODE_D, "248", 8, .word = true, .expected = "'D' takes 2, 4, 8 or W"},
	{'U', CODE_U, "248", 8, .word = true, .expected = "'U' takes 2, 4, 8 or W"},
	{'o', CODE_O, "248", 8, .word = true, .expected = "'o' takes 2, 4, 8 or W"},
	{'F', CODE_F, "48", 8, .expected = "'F' takes 4 or 8"},
	{'S', CODE_S, "124", 4, .word = true, .expected = "'S' takes 1, 2, 4 or W"},
	{'T', CODE_T, "4", 4, .expected = "'T' takes 4"},
	{'E', CODE_E, "124", 4, .word = true, .expected = "'E' takes 1, 2, 4 or W"},
	{'P', CODE_P, "4", 4, .word = true, .expected = "'P' takes 4 or W"},
	{'G', ITEM_GO, NULL, TRCFMT_SIZE, .part = true, .move = true,
		.expected = "'G' takes a byte up to 65535, and bits"},
	{'O', ITEM_ADVANCE, NULL, TRCFMT_SIZE, .part = true, .move = true,
		.expected = "'O' takes bytes up to 65535, and bits"},
	{'R', ITEM_BACK, NULL, TRCFMT_SIZE, .move = true,
		.expected = "'R' takes bytes up to 65535"},
	{'W', ITEM_WORD, NULL, TRCFMT_SIZE, .move = true,
		.expected = "'W' takes the number of a data word"},
};

static const struct {
	char name[3];
	uint8_t code;
} hooks[] = {{"HT", CODE_HT}, {"HB", CODE_HB}, {"HD", CODE_HD}};

/* Returns the code HT, HB or HD that a word of n bytes names; -1: none. */
static int
hook_code(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (n == 2 && memcmp(word, hooks[i].name, 2) == 0)
			return hooks[i].code;
	return -1;
}

/* True if a word looks like a code: a letter, then digits or "W" and nothing else. */
static bool
looks_like_code(const char *word, size_t n)
{
	if (word[0] >= '0' && word[0] <= '9')
		return false;
	return n == 1 || (word[1] >= '0' && word[1] <= '9') || (n == 2 && word[1] == 'W');
}

static const struct code_letter *
find_letter(char c)
{
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		if (letters[i].letter == c)
			return &letters[i];
	return NULL;
}

/* Parses the size after a letter; false, without a finding, if it is not valid for the letter.
 */
static bool
parse_size(struct template_parser *parser, const struct code_letter *letter,
	struct format_code *code, uint64_t *size)
{
	size_t n = parser_word(parser);
	*size = 0;
	if (letter->word && n == 1 && parser_peek(parser) == 'W') {
		code->word = true;
		parser->at++;
		return true;
	}
	size_t start = parser->at;
	if (!parser_digits(parser, size) || parser->at - start != n || *size > letter->max)
		return false;
	return !letter->sizes || (n == 1 && strchr(letter->sizes, parser->text[start]));
}

/* Parses the ".n" after a size; false, without a finding, if it is not valid. */
static bool
parse_decimals(struct template_parser *parser, const struct code_letter *letter, bool argument,
	uint64_t *part)
{
	*part = 0;
	char digit = parser_peek_at(parser, 1);
	if (parser_peek(parser) != '.' || (argument && !letter->part))
		return true;
	if (argument && (digit < '0' || digit > '9'))
		return true;
	parser->at++;
	return letter->part && parser_digits(parser, part) && *part <= 8 * TRCFMT_SIZE;
}

/* Stores the numbers of a letter in item; false if there are too many bits or columns. */
static bool
set_item(struct template_item *item, const struct code_letter *letter, uint64_t size,
	uint64_t part)
{
	if (letter->move) {
		bool bits = letter->kind != ITEM_WORD;
		item->item = letter->kind;
		item->number = bits ? 8 * size + part : size;
		return true;
	}
	item->item = ITEM_CODE;
	item->code.code = letter->kind;
	item->code.size = (uint16_t)size;
	item->code.columns = (uint32_t)part;
	if (letter->kind != CODE_B)
		return part <= TRCFMT_SIZE;
	item->code.size = 0;
	item->code.columns = 0;
	item->code.bits = (uint32_t)(8 * size + part);
	return item->code.bits > 0 && item->code.bits <= TRCFMT_BITS;
}

static enum word_kind
parse_letter(struct template_parser *parser, const struct code_letter *letter, bool argument,
	struct template_item *item)
{
	size_t start = parser->at++;
	uint64_t size, part;
	bool right = parse_size(parser, letter, &item->code, &size);
	size_t point = parser->at;
	if (right)
		right = parse_decimals(parser, letter, argument, &part) &&
			set_item(item, letter, size, part);
	if (!right) {
		parser_report(parser, RULE_T04, start, "%s", letter->expected);
		return WORD_WRONG;
	}
	item->code.sized = letter->kind == CODE_A && !letter->move && parser->at > point;
	return letter->move ? WORD_MOVE : WORD_CODE;
}

enum word_kind
parser_code(struct template_parser *parser, bool argument, struct template_item *item)
{
	const char *word = parser->text + parser->at;
	size_t n = parser_word(parser);
	int hook = hook_code(word, n);
	if (hook >= 0) {
		item->item = ITEM_CODE;
		item->code.code = (uint8_t)hook;
		parser->at += n;
		return WORD_CODE;
	}
	if (n == 0 || !looks_like_code(word, n))
		return WORD_OTHER;
	const struct code_letter *letter = find_letter(word[0]);
	if (letter)
		return parse_letter(parser, letter, argument, item);
	if (parser_call_name(parser))
		return WORD_OTHER;
	parser_report(parser, RULE_T04, parser->at, "unknown format code '%.*s'",
		n > 40 ? 40 : (int)n, word);
	return WORD_WRONG;
}
