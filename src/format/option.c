/* SPDX-License-Identifier: MIT */
/* Values of a format's options. */
#include "format/option.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdio.h>
#include <string.h>

static const struct poly_option *
find_option(const struct poly_option *table, const char *name, size_t n)
{
	for (; table->name; table++) {
		if (strlen(table->name) == n && memcmp(table->name, name, n) == 0)
			return table;
	}
	return NULL;
}

static bool
known_elsewhere(const char *name, size_t n)
{
	const struct format *format;
	for (size_t i = 0; (format = format_at(i)); i++) {
		if (find_option(format->info.options, name, n))
			return true;
	}
	return false;
}

/* The words of a choice as "a, b or c". */
static void
list_choices(const struct poly_option *option, char *text, size_t size)
{
	size_t used = 0;
	for (size_t i = 0; option->choices[i] && used < size; i++) {
		const char *before = i == 0 ? "" : option->choices[i + 1] ? ", " : " or ";
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", before, option->choices[i]);
	}
}

static enum poly_status
choice_value(const struct poly_option *option, const char *text, uint64_t *value,
	struct poly_error *error)
{
	for (*value = 0; option->choices[*value]; ++*value) {
		if (strcmp(option->choices[*value], text) == 0)
			return POLY_OK;
	}
	char words[200];
	list_choices(option, words, sizeof words);
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"option '%s' is '%s', expected %s", option->name, text, words);
}

static enum poly_status
option_value(const struct poly_option *option, const char *text, uint64_t *value,
	struct poly_error *error)
{
	if (option->type == POLY_OPTION_CHOICE)
		return choice_value(option, text, value, error);
	bool is_bool = option->type == POLY_OPTION_BOOL;
	uint64_t minimum = is_bool ? 0 : option->minimum,
		 maximum = is_bool ? 1 : option->maximum;
	if (num_parse(text, strlen(text), value) && *value >= minimum && *value <= maximum)
		return POLY_OK;
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"option '%s' is '%s', expected a number from %llu to %llu", option->name, text,
		(unsigned long long)minimum, (unsigned long long)maximum);
}

static enum poly_status
option_word(const struct poly_format_info *format, const char *word, uint64_t *values,
	bool *given, struct poly_error *error)
{
	const char *equals = strchr(word, '=');
	if (!equals)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option '%s' has no value, expected '%s=VALUE'", word, word);
	size_t n = (size_t)(equals - word);
	const struct poly_option *option = find_option(format->options, word, n);
	if (option) {
		given[option - format->options] = true;
		return option_value(
			option, equals + 1, &values[option - format->options], error);
	}
	if (known_elsewhere(word, n))
		return POLY_OK;
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET, "no format has an option '%.*s'",
		(int)n, word);
}

enum poly_status
option_values(const struct poly_format_info *format, const char *const *words,
	uint64_t **values, bool **given, struct poly_error *error)
{
	size_t count = 0;
	while (format->options[count].name)
		count++;
	uint64_t *numbers = mem_new(count, sizeof *numbers);
	bool *named = mem_new(count, sizeof *named);
	enum poly_status status = numbers && named ? POLY_OK : err_memory(error);
	for (size_t i = 0; status == POLY_OK && i < count; i++)
		numbers[i] = format->options[i].initial;
	for (; status == POLY_OK && words && *words; words++)
		status = option_word(format, *words, numbers, named, error);
	if (status != POLY_OK) {
		mem_free(numbers);
		numbers = NULL;
	}
	if (status != POLY_OK || !given) {
		mem_free(named);
		named = NULL;
	}
	*values = numbers;
	if (given)
		*given = named;
	return status;
}
