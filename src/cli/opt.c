/* SPDX-License-Identifier: MIT */
/* Parsing of options by tables, and their help. */
#include "cli/opt.h"

#include "cli/diagnostics.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest word that distances are told of. */
#define WORD_MAX 40

/* Where the help of an option begins on its line. */
#define HELP_INDENT 30

struct parse {
	const struct opt *const *tables;
	char *fields;
	size_t argument_count; /* the most that a list can hold */
	char *message;
};

static const struct opt *
find_letter(const struct opt *const *tables, char letter)
{
	for (; *tables; tables++) {
		for (const struct opt *opt = *tables; opt->name; opt++) {
			if (opt->letter == letter)
				return opt;
		}
	}
	return NULL;
}

static const struct opt *
find_name(const struct opt *const *tables, const char *name, size_t n)
{
	for (; *tables; tables++) {
		for (const struct opt *opt = *tables; opt->name; opt++) {
			if (strlen(opt->name) == n && memcmp(opt->name, name, n) == 0)
				return opt;
		}
	}
	return NULL;
}

size_t
opt_distance(const char *a, const char *b)
{
	size_t n = strlen(b), row[WORD_MAX + 1];
	if (n > WORD_MAX)
		return n;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (; *a; a++) {
		size_t diagonal = row[0]++;
		for (size_t j = 1; j <= n; j++) {
			size_t best = diagonal + (*a != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

bool
opt_near(const char *word, size_t distance)
{
	return distance <= 1 + strlen(word) / 4;
}

static enum opt_result
unknown_name(const struct parse *parse, const char *name, size_t n)
{
	char word[WORD_MAX + 1];
	snprintf(word, sizeof word, "%.*s", (int)n, name);
	const char *nearest = NULL;
	size_t least = SIZE_MAX;
	for (size_t t = 0; parse->tables[t]; t++) {
		for (const struct opt *opt = parse->tables[t]; opt->name; opt++) {
			size_t distance = opt_distance(word, opt->name);
			if (distance < least) {
				least = distance;
				nearest = opt->name;
			}
		}
	}
	int used = snprintf(parse->message, OPT_MESSAGE, "unknown option '--%s'", word);
	if (nearest && opt_near(word, least))
		snprintf(parse->message + used, OPT_MESSAGE - (size_t)used,
			"; did you mean '--%s'?", nearest);
	return OPT_INVALID;
}

const char *const opt_on_error[] = {"stop", "skip", NULL};
const char *const opt_threads[] = {"64", NULL};
const char *const opt_from_one[] = {"18446744073709551615", "1", NULL};

/* A number within limits, the largest and perhaps the smallest, texts as well; NULL: any. */
static bool
set_number(struct opt_number *number, const char *text, const char *const *limits)
{
	char *end;
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	errno = 0;
	unsigned long long value = strtoull(text, &end, base);
	/* strtoull also takes blanks and signs, which are no numbers here. */
	if (!isdigit((unsigned char)text[0]) || *end || errno)
		return false;
	if (base == 16 && !isxdigit((unsigned char)text[2]))
		return false;
	if (limits && (value > strtoull(limits[0], NULL, 10) ||
			      (limits[1] && value < strtoull(limits[1], NULL, 10))))
		return false;
	*number = (struct opt_number){true, value};
	return true;
}

/* Two numbers with a dash between, of which the second one may be missing. */
static bool
set_range(struct opt_range *range, const char *text)
{
	char room[40];
	struct opt_number first, last = {true, UINT64_MAX};
	const size_t n = strcspn(text, "-");
	if (n >= sizeof room || text[n] != '-')
		return false;
	snprintf(room, sizeof room, "%.*s", (int)n, text);
	if (!set_number(&first, room, NULL) ||
		(text[n + 1] && !set_number(&last, text + n + 1, NULL)) || !first.value ||
		first.value > last.value)
		return false;
	*range = (struct opt_range){true, first.value, last.value};
	return true;
}

static bool
set_choice(unsigned *field, const char *const *choices, const char *text)
{
	for (unsigned i = 0; choices[i]; i++) {
		if (strcmp(choices[i], text) == 0) {
			*field = i;
			return true;
		}
	}
	return false;
}

static void
add_item(const struct parse *parse, struct opt_list *list, const char *text)
{
	if (!list->items)
		list->items = diag_allocate(parse->argument_count + 1, sizeof *list->items);
	list->items[list->count++] = text;
}

/* What an option takes, for messages: "a number" or "always, auto or never". */
static void
expected(const struct opt *opt, char *text, size_t size)
{
	if (opt->type == OPT_RANGE) {
		snprintf(text, size, "FIRST-LAST or FIRST-, numbers from 1");
		return;
	}
	if (opt->type == OPT_NUMBER && opt->choices && opt->choices[1]) {
		snprintf(text, size, "a number from %s to %s", opt->choices[1],
			opt->choices == opt_from_one ? "2^64 - 1" : opt->choices[0]);
		return;
	}
	if (opt->type == OPT_NUMBER) {
		snprintf(text, size, "a number of at most %s",
			opt->choices ? opt->choices[0] : "2^64 - 1");
		return;
	}
	size_t used = 0;
	for (size_t i = 0; opt->choices[i] && used < size; i++) {
		const char *before = i == 0 ? "" : opt->choices[i + 1] ? ", " : " or ";
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", before, opt->choices[i]);
	}
}

static enum opt_result
set_value(const struct parse *parse, const struct opt *opt, const char *text)
{
	void *field = parse->fields + opt->field;
	bool good = true;
	switch (opt->type) {
	case OPT_FLAG: *(bool *)field = true; break;
	case OPT_TEXT: *(const char **)field = text; break;
	case OPT_NUMBER: good = set_number(field, text, opt->choices); break;
	case OPT_RANGE: good = set_range(field, text); break;
	case OPT_CHOICE: good = set_choice(field, opt->choices, text); break;
	case OPT_LIST: add_item(parse, field, text); break;
	case OPT_HELP: return OPT_WANTS_HELP;
	}
	if (good)
		return OPT_PARSED;
	char words[120];
	expected(opt, words, sizeof words);
	snprintf(parse->message, OPT_MESSAGE, "option '--%s' is '%s', expected %s", opt->name,
		text, words);
	return OPT_INVALID;
}

static enum opt_result
no_value(const struct parse *parse, const struct opt *opt)
{
	snprintf(parse->message, OPT_MESSAGE, "option '--%s' needs a value, expected '%s'",
		opt->name, opt->argument);
	return OPT_INVALID;
}

/* --name, --name=value or --name value; *next is the argument behind it. */
static enum opt_result
parse_long(const struct parse *parse, const char *word, char ***next)
{
	size_t n = strcspn(word, "=");
	const struct opt *opt = find_name(parse->tables, word, n);
	if (!opt)
		return unknown_name(parse, word, n);
	if (!opt->argument && word[n]) {
		snprintf(
			parse->message, OPT_MESSAGE, "option '--%s' takes no value", opt->name);
		return OPT_INVALID;
	}
	if (!opt->argument)
		return set_value(parse, opt, NULL);
	if (word[n])
		return set_value(parse, opt, word + n + 1);
	if (!**next)
		return no_value(parse, opt);
	return set_value(parse, opt, *(*next)++);
}

/* -a, -abc, -ovalue or -o value; *next is the argument behind it. */
static enum opt_result
parse_letters(const struct parse *parse, const char *letters, char ***next)
{
	for (; *letters; letters++) {
		const struct opt *opt = find_letter(parse->tables, *letters);
		if (!opt) {
			snprintf(parse->message, OPT_MESSAGE, "unknown option '-%c'", *letters);
			return OPT_INVALID;
		}
		if (opt->argument && letters[1])
			return set_value(parse, opt, letters + 1);
		if (opt->argument && !**next)
			return no_value(parse, opt);
		enum opt_result result =
			set_value(parse, opt, opt->argument ? *(*next)++ : NULL);
		if (result != OPT_PARSED || opt->argument)
			return result;
	}
	return OPT_PARSED;
}

enum opt_result
opt_parse(const struct opt *const *tables, void *fields, char **arguments,
	char message[OPT_MESSAGE])
{
	struct parse parse = {tables, fields, 0, message};
	while (arguments[parse.argument_count])
		parse.argument_count++;
	char **operand = arguments, **next = arguments;
	bool only_operands = false;
	while (*next) {
		char *word = *next++;
		enum opt_result result = OPT_PARSED;
		if (only_operands || word[0] != '-' || !word[1])
			*operand++ = word;
		else if (strcmp(word, "--") == 0)
			only_operands = true;
		else if (word[1] == '-')
			result = parse_long(&parse, word + 2, &next);
		else
			result = parse_letters(&parse, word + 1, &next);
		if (result != OPT_PARSED)
			return result;
	}
	*operand = NULL;
	return OPT_PARSED;
}

void
opt_free(const struct opt *const *tables, void *fields)
{
	for (; *tables; tables++) {
		for (const struct opt *opt = *tables; opt->name; opt++) {
			if (opt->type == OPT_LIST)
				free(((struct opt_list *)((char *)fields + opt->field))->items);
		}
	}
}

void
opt_help(const struct opt *const *tables,
	int (*write)(void *user, const void *data, size_t size), void *user)
{
	for (; *tables; tables++) {
		for (const struct opt *opt = *tables; opt->name; opt++) {
			char names[80], line[300], letter[8] = "   ";
			if (opt->letter)
				snprintf(letter, sizeof letter, "-%c,", opt->letter);
			snprintf(names, sizeof names, "  %s --%s%s%s", letter, opt->name,
				opt->argument ? "=" : "", opt->argument ? opt->argument : "");
			int n = snprintf(
				line, sizeof line, "%-*s  %s\n", HELP_INDENT, names, opt->help);
			write(user, line, (size_t)n);
		}
	}
}
