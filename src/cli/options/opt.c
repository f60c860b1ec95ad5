/* SPDX-License-Identifier: MIT */
/* Parsing of options by tables. */
#include "cli/options/opt.h"

#include "cli/print/diagnostics.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest word that opt_distance compares letter by letter. */
#define WORD_MAX 40

/* Factors of the suffix k: of counts and times, and of bytes. */
#define COUNT_BASE 1000
#define SIZE_BASE 1024

struct parse {
	const struct opt *const *tables;
	char *fields;
	size_t argument_count; /* capacity of a list */
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
	size_t min = SIZE_MAX;
	for (size_t t = 0; parse->tables[t]; t++) {
		for (const struct opt *opt = parse->tables[t]; opt->name; opt++) {
			size_t distance = opt_distance(word, opt->name);
			if (distance < min) {
				min = distance;
				nearest = opt->name;
			}
		}
	}
	if (!nearest || !opt_near(word, min)) {
		snprintf(parse->message, OPT_MESSAGE, "unknown option '--%s'", word);
		return OPT_UNKNOWN;
	}
	snprintf(parse->message, OPT_MESSAGE, "unknown option '--%s'; did you mean '--%s'?",
		word, nearest);
	return OPT_INVALID;
}

const char *const opt_on_error[] = {"stop", "skip", NULL};
const char *const opt_threads[] = {"64", NULL};
const char *const opt_from_one[] = {"18446744073709551615", "1", NULL};

/* Multiplies a value by the suffix at *end, if there is one, and skips it; false: overflow. */
static bool
apply_suffix(uint64_t *value, char **end, uint64_t base)
{
	static const char suffixes[] = "kMGT";
	const char *suffix = **end ? strchr(suffixes, **end) : NULL;
	if (!suffix)
		return true;
	for (const char *s = suffixes; s <= suffix; s++) {
		if (*value > UINT64_MAX / base)
			return false;
		*value *= base;
	}
	++*end;
	return true;
}

/* Parses a number within the limits of an option; base: factor of the suffix k. */
static bool
set_number(
	struct opt_number *number, const char *text, const char *const *limits, uint64_t base)
{
	char *end;
	const int radix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	errno = 0;
	uint64_t value = strtoull(text, &end, radix);
	/* strtoull also accepts blanks and signs, which are not numbers here. */
	if (!isdigit((unsigned char)text[0]) || errno ||
		(radix == 16 && !isxdigit((unsigned char)text[2])))
		return false;
	if (!apply_suffix(&value, &end, base) || *end)
		return false;
	if (limits && (value > strtoull(limits[0], NULL, 10) ||
			      (limits[1] && value < strtoull(limits[1], NULL, 10))))
		return false;
	*number = (struct opt_number){true, value};
	return true;
}

bool
opt_parse_count(struct opt_number *number, const char *text)
{
	return set_number(number, text, NULL, COUNT_BASE);
}

bool
opt_parse_size(struct opt_number *number, const char *text)
{
	return set_number(number, text, NULL, SIZE_BASE);
}

/* Parses two numbers with a dash between them; the second one is optional. */
static bool
set_range(struct opt_range *range, const char *text)
{
	char buffer[40];
	struct opt_number first, last = {true, UINT64_MAX};
	const size_t n = strcspn(text, "-");
	if (n >= sizeof buffer || text[n] != '-')
		return false;
	snprintf(buffer, sizeof buffer, "%.*s", (int)n, text);
	if (!opt_parse_count(&first, buffer) ||
		(text[n + 1] && !opt_parse_count(&last, text + n + 1)) || !first.value ||
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

/* Describes the valid values of an option, for messages: "auto, always or never". */
static void
describe_valid(const struct opt *opt, char *text, size_t size)
{
	if (opt->type == OPT_RANGE) {
		snprintf(text, size, "FIRST-LAST or FIRST-, numbers from 1");
		return;
	}
	if (opt->type == OPT_NUMBER || opt->type == OPT_SIZE) {
		const char *max = opt->choices && opt->choices != opt_from_one ? opt->choices[0]
									       : "2^64 - 1";
		const char *min = opt->choices && opt->choices[1] ? opt->choices[1] : "0";
		snprintf(text, size, "a number from %s to %s", min, max);
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
	bool valid = true;
	switch (opt->type) {
	case OPT_FLAG: *(bool *)field = true; break;
	case OPT_TEXT: *(const char **)field = text; break;
	case OPT_NUMBER: valid = set_number(field, text, opt->choices, COUNT_BASE); break;
	case OPT_SIZE: valid = set_number(field, text, opt->choices, SIZE_BASE); break;
	case OPT_RANGE: valid = set_range(field, text); break;
	case OPT_CHOICE: valid = set_choice(field, opt->choices, text); break;
	case OPT_LIST: add_item(parse, field, text); break;
	case OPT_HELP: return OPT_WANTS_HELP;
	}
	if (valid)
		return OPT_PARSED;
	char words[120];
	describe_valid(opt, words, sizeof words);
	snprintf(parse->message, OPT_MESSAGE, "--%s=%s: invalid value (expected %s)", opt->name,
		text, words);
	return OPT_INVALID;
}

static enum opt_result
missing_value(const struct parse *parse, const struct opt *opt)
{
	snprintf(parse->message, OPT_MESSAGE, "--%s: the option needs a value (expected %s)",
		opt->name, opt->argument);
	return OPT_INVALID;
}

/* Parses --name, --name=value or --name value; *next is the following argument. */
static enum opt_result
parse_long(const struct parse *parse, const char *word, char ***next)
{
	size_t n = strcspn(word, "=");
	const struct opt *opt = find_name(parse->tables, word, n);
	if (!opt)
		return unknown_name(parse, word, n);
	if (!opt->argument && word[n]) {
		snprintf(parse->message, OPT_MESSAGE, "--%s: the option takes no value", word);
		return OPT_INVALID;
	}
	if (!opt->argument)
		return set_value(parse, opt, NULL);
	if (word[n])
		return set_value(parse, opt, word + n + 1);
	if (!**next)
		return missing_value(parse, opt);
	return set_value(parse, opt, *(*next)++);
}

/* Parses -a, -abc, -ovalue or -o value; *next is the following argument. */
static enum opt_result
parse_letters(const struct parse *parse, const char *letters, char ***next)
{
	for (; *letters; letters++) {
		const struct opt *opt = find_letter(parse->tables, *letters);
		if (!opt) {
			snprintf(parse->message, OPT_MESSAGE, "unknown option '-%c'", *letters);
			return OPT_UNKNOWN;
		}
		if (opt->argument && letters[1])
			return set_value(parse, opt, letters + 1);
		if (opt->argument && !**next)
			return missing_value(parse, opt);
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
