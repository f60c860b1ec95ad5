/* SPDX-License-Identifier: MIT */
/* Options of formats for fuzz targets, which choose them by a number. */
#ifndef TESTS_FUZZ_OPTION_H
#define TESTS_FUZZ_OPTION_H

#include "polytrace/polytrace.h"

#include <stdio.h>

/*
 * Formats the choice-th setting, from 1, of an option of a format's readers as "name=value".
 * Returns false if there are fewer.
 */
static inline bool
set_option(const struct poly_format_info *format, unsigned choice, char word[100])
{
	for (const struct poly_option *format_option = format->options; format_option->name;
		format_option++) {
		unsigned values = format_option->type == POLY_OPTION_BOOL ? 2 : 0;
		while (format_option->type == POLY_OPTION_CHOICE &&
			format_option->choices[values])
			values++;
		if (!(format_option->use & POLY_OPTION_READ) || values == 0)
			continue;
		if (choice > values) {
			choice -= values;
			continue;
		}
		if (format_option->type == POLY_OPTION_CHOICE)
			snprintf(word, 100, "%s=%s", format_option->name,
				format_option->choices[choice - 1]);
		else
			snprintf(word, 100, "%s=%u", format_option->name, choice - 1);
		return true;
	}
	return false;
}

#endif
