/* SPDX-License-Identifier: MIT */
/* Commands that answer a query by each input. */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include "cli/files/inputs.h"
#include "cli/options/analysis_words.h"

/* A query: an analysis with its options. */
struct query {
	const char *command; /* name of the command, in messages about options */
	const char *analysis;
	struct analysis_words words; /* options of the analysis */
	const char *output;	     /* printed instead of the report; NULL: the report */
	bool streams;	     /* the analysis prints while it runs, and has no report to print */
	const char *hint;    /* appended to a message about options; NULL: none */
	const char *missing; /* name of the result, if there may be none, as "writer" */
};

/* Sets an option of the analysis. */
void query_set(struct query *query, const char *name, const char *value);

/* Runs a query on an input, prints its result, and frees the query; returns the exit status. */
int query_run(struct query *query, struct inputs *inputs, const char *path);

#endif
