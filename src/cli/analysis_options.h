/* SPDX-License-Identifier: MIT */
/* What is asked of the analyses, by the commands that run them. */
#ifndef CLI_ANALYSIS_OPTIONS_H
#define CLI_ANALYSIS_OPTIONS_H

#include "cli/command_input.h"

/* The first member of the struct of options of such a command. */
struct analysis_options {
	struct input_options source; /* first: the reading options are in it */
	const char *analyses, *units;
	struct opt_list options;
	struct opt_number warmup;
	bool all;
};

/* The table of the options of the analyses. */
extern const struct opt analysis_options_table[];

/* What the library is asked. */
struct analysis_request {
	struct poly_stats_options options;
	char *text; /* behind names */
	const char **names;
};

/* Makes it of the options; false, and told, where they are not sound. Free it in any case. */
bool analysis_request_init(
	struct analysis_request *asked, const struct analysis_options *options);

/* Frees what belongs to it. */
void analysis_request_free(struct analysis_request *asked);

#endif
