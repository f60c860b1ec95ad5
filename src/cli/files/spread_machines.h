/* SPDX-License-Identifier: MIT */
/* Machines of a simulation that several ranks (cli/programs/ranks.h) divide: each reads all
 * inputs, and rank 0 loads the results of the others. */
#ifndef CLI_SPREAD_MACHINES_H
#define CLI_SPREAD_MACHINES_H

#include "polytrace/polytrace.h"

struct spread_machines {
	size_t shares; /* rank i has share i; 1: not divided */
	size_t inputs;
};

/* Divides the machines of a simulation if there are fewer inputs than ranks; the same in all of
 * them. */
void spread_machines_init(
	struct spread_machines *spread, const struct poly_stats_options *request, char **paths);

/* Restricts a handle to the share of this rank; false: a message was printed. */
bool spread_machines_select(const struct spread_machines *spread, struct poly_stats *stats);

/* Simulates an input, and returns the results of a share; NULL: a message was printed. */
typedef struct poly_stats *spread_machines_fn(void *user, const char *path);

/* Simulates all inputs in a rank other than 0, and sends its share of each; false: a message
 * was printed. */
bool spread_machines_work(const struct spread_machines *spread, char **paths,
	spread_machines_fn *simulate, void *user);

/* Receives the shares of the next input in rank 0, and loads them into its own results; false:
 * not all are there, and a message was printed. */
bool spread_machines_receive(
	const struct spread_machines *spread, struct poly_stats *stats, const char *name);

#endif
