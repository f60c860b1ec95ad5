/* SPDX-License-Identifier: MIT */
/* The options of commands that run simulators: limit of memory, sizes of curves, addresses. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "cli/options/analysis_words.h"
#include "cli/options/input_options.h"

/* Their table, into struct input_options. */
extern const struct opt limits_table[];

/*
 * Sets the options of the library by them. names: the requested analyses, NULL at the end, or
 * NULL. False: an option is not valid, and a message has been printed.
 */
bool limits_set(const struct input_options *options, const char *const *names,
	struct analysis_words *words, struct poly_stats_options *request);

#endif
