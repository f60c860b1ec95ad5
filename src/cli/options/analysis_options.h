/* SPDX-License-Identifier: MIT */
/* Options of the commands that run analyses. */
#ifndef CLI_ANALYSIS_OPTIONS_H
#define CLI_ANALYSIS_OPTIONS_H

#include "cli/options/analysis_words.h"
#include "cli/files/command_input.h"

/* The first member of the struct of options of such a command. */
struct analysis_options {
	struct input_options source; /* first: the options of the input */
	const char *analyses, *units;
	struct opt_number warmup;
	bool all;
};

/* The table of the options of the analyses. */
extern const struct opt analysis_options_table[];

/* The options of the library. */
struct analysis_request {
	struct poly_stats_options options;
	char *text; /* of names */
	const char **names;
	struct analysis_words words;
	struct poly_symbols *symbols; /* of queries; NULL: none */
};

/*
 * Fills a request by the options, and moves words of -O there. False: an option is not valid,
 * and a message has been printed. The caller frees the request in any case.
 */
bool analysis_request_init(struct analysis_request *request, struct analysis_options *options);

/* Frees the contents of a request. */
void analysis_request_free(struct analysis_request *request);

#endif
