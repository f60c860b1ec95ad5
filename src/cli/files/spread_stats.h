/* SPDX-License-Identifier: MIT */
/* Analyses of inputs by several ranks (cli/programs/ranks.h): ranges of packed traces, and
 * whole files, whose results rank 0 merges. */
#ifndef CLI_SPREAD_STATS_H
#define CLI_SPREAD_STATS_H

#include "cli/files/saved_stats.h"

/* A file or a range of its records, which one rank reads. */
struct spread_task {
	size_t input; /* index among the inputs */
	struct opt_range range;
};

struct spread {
	const struct poly_stats_options *request;
	const struct input_options *options;
	char **paths;
	unsigned ranks;
	struct spread_task *tasks; /* task i is of rank i modulo ranks */
	size_t count;
};

/* Divides inputs among the ranks; the same in all of them. Free with spread_free. */
void spread_init(struct spread *spread, const struct poly_stats_options *request,
	const struct input_options *options, char **paths);

/* Processes the tasks of a rank other than 0; returns an exit status. */
int spread_work(const struct spread *spread);

/* Returns the results of an input in rank 0, and sets *status to the exit status; NULL: a
 * message was printed. */
struct poly_stats *spread_collect(const struct spread *spread, size_t input, int *status);

void spread_free(struct spread *spread);

#endif
