/* SPDX-License-Identifier: MIT */
/*
 * Lists of symbols.
 *
 *     line = address [ [ size ] type ] name | [ blanks type name ] | "#" text | ""
 *
 * spec: nm(1) in its BSD form, with -S too; /proc/kallsyms.
 */
#include "symbol/symbols.h"

#include "base/err.h"
#include "base/num.h"

#include <ctype.h>
#include <string.h>

/* Words of a line that are parsed. */
#define WORDS 4

struct list_line {
	const char *end;
	const char *word[WORDS];
	size_t length[WORDS];
	size_t count;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void
split(struct list_line *line, const char *text)
{
	const char *p = text;
	for (line->count = 0; line->count < WORDS; line->count++) {
		while (p < line->end && is_blank(*p))
			p++;
		if (p == line->end)
			return;
		line->word[line->count] = p;
		while (p < line->end && !is_blank(*p))
			p++;
		line->length[line->count] = (size_t)(p - line->word[line->count]);
	}
}

/* Parses a word as a hexadecimal number; false if it is not one. */
static bool
number(const struct list_line *line, size_t i, uint64_t *value)
{
	const char *p = line->word[i];
	size_t n = line->length[i];
	if (n > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		p += 2;
		n -= 2;
	}
	return n >= 1 && n <= 16 && num_parse_hex(p, n, value);
}

/* True if a word can be a type letter of nm. */
static bool
is_type(const struct list_line *line, size_t i)
{
	return i < line->count && line->length[i] == 1 &&
	       (isalpha((unsigned char)*line->word[i]) || *line->word[i] == '?' ||
		       *line->word[i] == '-');
}

/* Sets the fields that a type letter determines. Lower-case letters are local symbols. */
static void
set_type(struct ranked_symbol *symbol, char type)
{
	const bool is_weak = strchr("wWvV", type) != NULL;
	symbol->info.is_code = strchr("tTwWi", type) != NULL;
	symbol->rank = symbol->info.is_code ? RANK_CODE : RANK_DATA;
	symbol->rank += is_weak			       ? RANK_WEAK
			: isupper((unsigned char)type) ? RANK_GLOBAL
						       : RANK_LOCAL;
}

/* Returns the index of the first word of the name on a line with an address; 0: not a symbol.
 */
static size_t
name_word(const struct list_line *line)
{
	uint64_t size;
	if (line->count > 3 && is_type(line, 2) && number(line, 1, &size))
		return 3;
	if (line->count > 2 && is_type(line, 1))
		return 2;
	return line->count == 2;
}

/* Adds the symbol of a line with an address; false: out of memory. */
static bool
add_line(struct poly_symbols *symbols, const struct list_line *line, uint64_t address)
{
	struct ranked_symbol symbol = {
		.info = {.address = address, .is_code = true}, .rank = RANK_CODE + RANK_GLOBAL};
	const size_t name = name_word(line);
	if (name == 3)
		number(line, 1, &symbol.info.size);
	const char type = name > 1 ? *line->word[name - 1] : 'T';
	/* Skip nm types a, A (absolute), N, - (debugging) and U (undefined). */
	if (strchr("aAN-U", type))
		return true;
	set_type(&symbol, type);
	/* Demangled names contain blanks; in kallsyms a tab precedes the name of a module. */
	const char *start = line->word[name], *end = line->end;
	const char *tab = memchr(start, '\t', (size_t)(end - start));
	if (tab)
		end = tab;
	while (is_blank(end[-1]))
		end--;
	return symbols_add(symbols, start, (size_t)(end - start), &symbol);
}

enum poly_status
symbols_add_list(
	struct poly_symbols *symbols, const char *text, size_t size, struct poly_error *error)
{
	uint64_t number_of_line = 0, address;
	for (const char *p = text, *end = text + size; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		struct list_line line = {.end = newline ? newline : end};
		split(&line, p);
		number_of_line++;
		const bool has_address = name_word(&line) && number(&line, 0, &address);
		const bool is_other = line.count == 0 || *line.word[0] == '#' ||
				      (line.count == 2 && is_type(&line, 0));
		if (!has_address && !is_other) {
			err_set(error, POLY_ERR_FORMAT, (uint64_t)(p - text),
				"invalid symbol line (expected 'address type name' or 'address "
				"name')");
			if (error)
				error->line = number_of_line;
			return POLY_ERR_FORMAT;
		}
		if (has_address && *line.word[0] != '#' && !add_line(symbols, &line, address))
			return err_memory(error);
		p = line.end + 1;
	}
	return POLY_OK;
}
