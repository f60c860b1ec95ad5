/* SPDX-License-Identifier: MIT */
/* Rendering of reports by the options of a command. */
#ifndef CLI_RENDERING_H
#define CLI_RENDERING_H

#include "cli/files/output.h"
#include "cli/options/input_options.h"

/* Returns the rendering of reports by the options. */
enum poly_rendering rendering_of_options(const struct input_options *options);

/* Returns whether the options agree on a rendering; prints a message otherwise. */
bool rendering_is_valid(const struct input_options *options);

/* Returns an empty report; exits if out of memory. */
struct poly_report *report_new(void);

/* Renders a report to an output and frees it; returns the exit status. */
int report_render(
	struct poly_report *report, const struct input_options *options, struct output *output);

/*
 * Prints a report that is a list, wrapped at the width of the terminal unless the options
 * request JSON or CSV, and frees it; returns the exit status.
 */
int report_print_list(struct poly_report *report, const struct input_options *options);

#endif
