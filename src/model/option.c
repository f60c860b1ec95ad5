/* SPDX-License-Identifier: MIT */
/* Values of options. */
#include "model/option.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdio.h>
#include <string.h>

const struct poly_option *
option_find(const struct poly_option *table, const char *name, size_t n)
{
	for (; table && table->name; table++) {
		if (strlen(table->name) == n && memcmp(table->name, name, n) == 0)
			return table;
	}
	return NULL;
}

enum poly_status
option_name(const char *word, size_t *n, struct poly_error *error)
{
	const char *equals = strchr(word, '=');
	if (!equals)
		return err_usage(
			error, "option '%s' has no value, expected '%s=VALUE'", word, word);
	*n = (size_t)(equals - word);
	return POLY_OK;
}

/* Formats the words of a choice as "a, b or c". */
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

/* The least and the most value of an option that is a number. */
static void
find_limits(const struct poly_option *option, uint64_t *min, uint64_t *max)
{
	const bool is_bool = option->type == POLY_OPTION_BOOL;
	*min = is_bool ? 0 : option->minimum;
	*max = is_bool ? 1 : option->maximum;
}

enum poly_status
option_refuse(const struct poly_option *option, const char *text, struct poly_error *error)
{
	uint64_t min, max;
	char words[200];
	if (option->type == POLY_OPTION_CHOICE) {
		list_choices(option, words, sizeof words);
		return err_usage(
			error, "option '%s' is '%s', expected %s", option->name, text, words);
	}
	find_limits(option, &min, &max);
	return err_usage(error, "option '%s' is '%s', expected a number from %llu to %llu",
		option->name, text, (unsigned long long)min, (unsigned long long)max);
}

bool
option_fits(const struct poly_option *option, uint64_t value)
{
	uint64_t min, max;
	find_limits(option, &min, &max);
	return value >= min && value <= max;
}

static enum poly_status
choice_value(const struct poly_option *option, const char *text, uint64_t *value,
	struct poly_error *error)
{
	for (*value = 0; option->choices[*value]; ++*value) {
		if (strcmp(option->choices[*value], text) == 0)
			return POLY_OK;
	}
	return option_refuse(option, text, error);
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
	const bool is_size = option->type == POLY_OPTION_SIZE;
	const size_t n = strlen(text);
	if ((is_size ? num_parse_size(text, n, value) : num_parse_count(text, n, value)) &&
		option_fits(option, *value))
		return POLY_OK;
	return option_refuse(option, text, error);
}

/* Stores a copy of a text. */
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

enum poly_status
option_take(struct option_values *values, const struct poly_option *table,
	const struct poly_option *option, const char *text, struct poly_error *error)
{
	const size_t number = (size_t)(option - table);
	values->given[number] = true;
	if (option->type == POLY_OPTION_TEXT)
		return take_text(values, number, text, error);
	return option_value(option, text, &values->values[number], error);
}

/* Sets the default values. */
static void
set_initial(const struct poly_option *table, size_t count, struct option_values *values)
{
	for (size_t i = 0; i < count; i++) {
		const struct poly_option *option = &table[i];
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
option_values_init(
	const struct poly_option *table, struct option_values *values, struct poly_error *error)
{
	size_t count = 0;
	while (table && table[count].name)
		count++;
	values->values = mem_new(count, sizeof *values->values);
	values->given = mem_new(count, sizeof *values->given);
	values->texts = mem_new(count, sizeof *values->texts);
	values->copies = mem_new(count, sizeof *values->copies);
	values->count = values->copies ? count : 0;
	if (!values->values || !values->given || !values->texts || !values->copies)
		return err_memory(error);
	set_initial(table, count, values);
	return POLY_OK;
}

enum poly_status
option_struct(void *dst, size_t size, const void *from, struct poly_error *error)
{
	size_t given = size;
	if (!from)
		return POLY_OK;
	memcpy(&given, from, sizeof given);
	if (given < sizeof given)
		return err_usage(error,
			"the struct of options has %zu bytes (expected %zu); use its _INIT "
			"macro",
			given, size);
	memcpy(dst, from, given < size ? given : size);
	return POLY_OK;
}
