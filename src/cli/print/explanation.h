/* SPDX-License-Identifier: MIT */
/* What a conversion keeps, derives and loses, before it is run. */
#ifndef CLI_EXPLANATION_H
#define CLI_EXPLANATION_H

#include "cli/files/command_input.h"

/*
 * Prints what a conversion to a format stores, and returns the exit status: 1 if the conversion is
 * refused. source: the name of a file, which is opened with the options, or else of a format.
 */
int explanation_print(const char *source, const struct poly_format_info *target,
	const struct input_options *options);

#endif
