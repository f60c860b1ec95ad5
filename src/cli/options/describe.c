/* SPDX-License-Identifier: MIT */
/* Options of formats and analyses as text. */
#include "cli/options/describe.h"

#include <stdio.h>

void
describe_values(const struct poly_option *option, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	if (option->type == POLY_OPTION_BOOL)
		snprintf(text, size, "0, 1");
	if (option->type == POLY_OPTION_TEXT)
		snprintf(text, size, "text");
	if (option->type == POLY_OPTION_NUMBER || option->type == POLY_OPTION_SIZE)
		snprintf(text, size, "%llu to %llu", (unsigned long long)option->minimum,
			(unsigned long long)option->maximum);
	if (option->type != POLY_OPTION_CHOICE)
		return;
	for (size_t i = 0; option->choices[i] && used < size; i++)
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", i ? ", " : "", option->choices[i]);
}

const char *
describe_initial(const struct poly_option *option, char *text, size_t size)
{
	if (option->choices)
		return option->choices[option->initial];
	if (option->type == POLY_OPTION_TEXT)
		return NULL;
	snprintf(text, size, "%llu", (unsigned long long)option->initial);
	return text;
}
