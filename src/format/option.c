/* SPDX-License-Identifier: MIT */
/* Values of a format's options. */
#include "format/option.h"

#include "base/err.h"

#include <string.h>

/* An option of that name of any format, one with the use rather than one without. */
static const struct poly_option *
find_anywhere(const char *name, size_t n, enum poly_option_use use)
{
	const struct format *format;
	const struct poly_option *found = NULL;
	for (size_t i = 0; (format = format_at(i)); i++) {
		const struct poly_option *option = option_find(format->info.options, name, n);
		if (option && (!found || option->use & use))
			found = option;
	}
	return found;
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
		"option '%.*s' applies only to %s", (int)n, word,
		use == POLY_OPTION_READ ? "writing; set it in the options of a writer"
					: "reading; set it in the options of a reader");
}

static enum poly_status
option_word(const struct poly_format_info *format, enum poly_option_use use, const char *word,
	struct option_values *values, struct poly_error *error)
{
	size_t n;
	enum poly_status status = option_name(word, &n, error);
	if (status != POLY_OK)
		return status;
	const struct poly_option *option = option_find(format->options, word, n);
	if (!option || !(option->use & use))
		return other_word(word, n, use, error);
	return option_take(values, format->options, option, word + n + 1, error);
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
	return option_take(values, option, option, colon + 1, error);
}

enum poly_status
option_values(const struct poly_format_info *format, enum poly_option_use use,
	const struct option_words *given, struct option_values *values,
	struct poly_error *error)
{
	const char *const *words = given->words;
	enum poly_status status = option_values_init(format->options, values, error);
	if (status == POLY_OK)
		status = option_argument(format, use, given->format, values, error);
	for (; status == POLY_OK && words && *words; words++)
		status = option_word(format, use, *words, values, error);
	if (status != POLY_OK)
		option_values_free(values);
	return status;
}
