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

/* An option of that name of any format, one with the use rather than one without. */
static const struct poly_option *
find_anywhere(const char *name, size_t n, enum poly_option_use use)
{
	const struct format *format;
	const struct poly_option *found = NULL;
	for (size_t i = 0; (format = format_at(i)); i++) {
		const struct poly_option *option = find_option(format->info.options, name, n);
		if (option && (!found || option->use & use))
			found = option;
	}
	return found;
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
	*value = 0;
	if (option->type == POLY_OPTION_TEXT)
		return POLY_OK;
	bool is_bool = option->type == POLY_OPTION_BOOL;
	uint64_t minimum = is_bool ? 0 : option->minimum,
		 maximum = is_bool ? 1 : option->maximum;
	if (num_parse(text, strlen(text), value) && *value >= minimum && *value <= maximum)
		return POLY_OK;
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"option '%s' is '%s', expected a number from %llu to %llu", option->name, text,
		(unsigned long long)minimum, (unsigned long long)maximum);
}

/* Why a word that names no option of the format for that use is wrong, if it is. */
static enum poly_status
other_word(const char *word, size_t n, enum poly_option_use use, struct poly_error *error)
{
	const struct poly_option *option = find_anywhere(word, n, use);
	if (option && option->use & use)
		return POLY_OK;
	if (!option)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"no format has an option '%.*s'", (int)n, word);
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
		"option '%.*s' counts only when a trace is %s", (int)n, word,
		use == POLY_OPTION_READ ? "written; give it with --to-option" : "read");
}

/* Takes a copy of a text. */
static enum poly_status
take_text(
	struct option_values *values, size_t number, const char *text, struct poly_error *error)
{
	char *copy = mem_string(text);
	if (!copy)
		return err_memory(error);
	mem_free(values->copies[number]);
	values->texts[number] = values->copies[number] = copy;
	return POLY_OK;
}

static enum poly_status
option_word(const struct poly_format_info *format, enum poly_option_use use, const char *word,
	struct option_values *values, struct poly_error *error)
{
	const char *equals = strchr(word, '=');
	if (!equals)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option '%s' has no value, expected '%s=VALUE'", word, word);
	size_t n = (size_t)(equals - word);
	const struct poly_option *option = find_option(format->options, word, n);
	if (!option || !(option->use & use))
		return other_word(word, n, use, error);
	size_t number = (size_t)(option - format->options);
	values->given[number] = true;
	if (option->type == POLY_OPTION_TEXT)
		return take_text(values, number, equals + 1, error);
	return option_value(option, equals + 1, &values->values[number], error);
}

/* What stands behind a format's name and a colon is its first option, where that is a text. */
static enum poly_status
option_argument(const struct poly_format_info *format, enum poly_option_use use,
	const char *name, struct option_values *values, struct poly_error *error)
{
	const char *colon = name ? strchr(name, ':') : NULL;
	if (!colon)
		return POLY_OK;
	const struct poly_option *option = format->options;
	if (!option->name || option->type != POLY_OPTION_TEXT || !(option->use & use))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"format '%s' takes nothing behind its name, found '%s'", format->name,
			colon + 1);
	values->given[0] = true;
	return take_text(values, 0, colon + 1, error);
}

/* Values where nothing is given. */
static void
set_initial(const struct poly_format_info *format, size_t count, struct option_values *values)
{
	for (size_t i = 0; i < count; i++) {
		const struct poly_option *option = &format->options[i];
		values->values[i] = option->initial;
		if (option->type == POLY_OPTION_TEXT && option->choices)
			values->texts[i] = option->choices[option->initial];
	}
}

void
option_values_free(struct option_values *values)
{
	for (size_t i = 0; i < values->count; i++)
		mem_free(values->copies[i]);
	mem_free(values->values);
	mem_free(values->given);
	mem_free(values->texts);
	mem_free(values->copies);
	memset(values, 0, sizeof *values);
}

enum poly_status
option_values(const struct poly_format_info *format, enum poly_option_use use,
	const struct option_words *given, struct option_values *values,
	struct poly_error *error)
{
	const char *const *words = given->words;
	size_t count = 0;
	while (format->options[count].name)
		count++;
	values->values = mem_new(count, sizeof *values->values);
	values->given = mem_new(count, sizeof *values->given);
	values->texts = mem_new(count, sizeof *values->texts);
	values->copies = mem_new(count, sizeof *values->copies);
	values->count = values->copies ? count : 0;
	const bool room = values->values && values->given && values->texts && values->copies;
	enum poly_status status = room ? POLY_OK : err_memory(error);
	if (status == POLY_OK)
		set_initial(format, count, values);
	if (status == POLY_OK)
		status = option_argument(format, use, given->format, values, error);
	for (; status == POLY_OK && words && *words; words++)
		status = option_word(format, use, *words, values, error);
	if (status != POLY_OK)
		option_values_free(values);
	return status;
}

enum poly_status
option_struct(void *to, size_t size, const void *from, struct poly_error *error)
{
	size_t given = size;
	if (!from)
		return POLY_OK;
	memcpy(&given, from, sizeof given);
	if (given < sizeof given)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the options say that they have %zu bytes, expected %zu", given, size);
	memcpy(to, from, given < size ? given : size);
	return POLY_OK;
}
