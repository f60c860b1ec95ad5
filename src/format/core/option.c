/* SPDX-License-Identifier: MIT */
/* Values of a format's options. */
#include "format/core/option.h"

#include "base/err.h"

#include <string.h>

/* Returns an option of that name of any format, preferably one with the use. */
static const struct poly_option *
find_anywhere(
	const struct format_list *formats, const char *name, size_t n, enum poly_option_use use)
{
	const struct format *format;
	const struct poly_option *found = NULL;
	for (size_t i = 0; (format = format_list_at(formats, i)); i++) {
		const struct poly_option *option = option_find(format->info.options, name, n);
		if (option && (!found || option->use & use))
			found = option;
	}
	return found;
}

/* Checks a word that names no option of the format with that use: other formats may have it. */
static enum poly_status
check_foreign(const struct format_list *formats, const char *word, size_t n,
	enum poly_option_use use, struct poly_error *error)
{
	const struct poly_option *option = find_anywhere(formats, word, n, use);
	if (option && option->use & use)
		return POLY_OK;
	if (!option)
		return err_usage(
			error, "unknown option '%.*s' (no format has it)", (int)n, word);
	/* What it is called in the other structure is the remedy. */
	if (use == POLY_OPTION_READ)
		return err_usage(error,
			"option '%.*s' applies only to writing; set write_options.options",
			(int)n, word);
	return err_usage(error,
		"option '%.*s' applies only to reading; set read_options.options", (int)n,
		word);
}

/* Parses the argument after a format's name and a colon: the first option, if it is a TEXT. */
static enum poly_status
option_argument(const struct poly_format_info *format, enum poly_option_use use,
	const char *name, struct option_values *values, struct poly_error *error)
{
	const char *colon = name ? strchr(name, ':') : NULL;
	if (!colon)
		return POLY_OK;
	const struct poly_option *option = format->options;
	if (!option || !option->name || option->type != POLY_OPTION_TEXT ||
		!(option->use & use))
		return err_usage(error, "format '%s' takes no argument (found '%s')",
			format->name, colon + 1);
	return option_take(values, option, option, colon + 1, error);
}

enum poly_status
option_values(const struct poly_format_info *format, enum poly_option_use use,
	const struct option_words *requested, struct option_values *values,
	struct poly_error *error)
{
	const char *const *words = requested->words;
	enum poly_status status = option_values_init(format->options, values, error);
	if (status == POLY_OK)
		status = option_argument(format, use, requested->format, values, error);
	for (; status == POLY_OK && words && *words; words++) {
		size_t n;
		status = option_name(*words, &n, error);
		const struct poly_option *option =
			status == POLY_OK ? option_find(format->options, *words, n) : NULL;
		if (option && option->use & use)
			status = option_take(
				values, format->options, option, *words + n + 1, error);
		else if (status == POLY_OK)
			status = check_foreign(requested->formats, *words, n, use, error);
	}
	if (status != POLY_OK)
		option_values_free(values);
	return status;
}
