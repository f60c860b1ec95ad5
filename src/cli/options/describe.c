/* SPDX-License-Identifier: MIT */
/* Options of formats and analyses as text. */
#include "cli/options/describe.h"

#include <stdio.h>

/* Describes the valid values of an option. */
static void
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

void
describe_columns(struct poly_report *report)
{
	poly_report_column(report, "values", false);
	poly_report_column(report, "default", false);
	poly_report_column(report, "meaning", false);
}

void
describe_cells(const struct poly_option *option, struct poly_report *report)
{
	char values[200], initial[60];
	describe_values(option, values, sizeof values);
	poly_report_cell_text(report, values);
	poly_report_cell_text(report, describe_initial(option, initial, sizeof initial));
	poly_report_cell_text(report, option->help);
}
