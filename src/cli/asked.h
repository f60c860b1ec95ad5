/* SPDX-License-Identifier: MIT */
/* What is asked of the analyses, by the commands that run them. */
#ifndef CLI_ASKED_H
#define CLI_ASKED_H

#include "cli/source.h"

/* The first member of the struct of options of such a command. */
struct asked_options {
	struct source_options source; /* first: the reading options are in it */
	const char *analyses, *units;
	struct opt_list options;
	struct opt_number warmup;
	bool all;
};

/* The table of the options of the analyses. */
extern const struct opt asked_table[];

/* What the library is asked. */
struct asked {
	struct poly_stats_options options;
	char *text; /* behind names */
	const char **names;
};

/* Makes it of the options; false, and told, where they are not sound. Free it in any case. */
bool asked_prepare(struct asked *asked, const struct asked_options *options);

/* Frees what belongs to it. */
void asked_free(struct asked *asked);

#endif
