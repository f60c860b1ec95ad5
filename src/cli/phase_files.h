/* SPDX-License-Identifier: MIT */
/* Files of phases for simulators, beside what is told of them. */
#ifndef CLI_PHASE_FILES_H
#define CLI_PHASE_FILES_H

#include "polytrace/polytrace.h"

#include "cli/opt.h"

/* Names of files, NULL where one is not asked for. */
struct phase_files {
	const char *vectors, *simpoints, *weights;
};

/* Rows of a table of options; at is the place of a struct phase_files in the fields. */
#define PHASE_FILES_OPTIONS(at)                                                           \
	{"bbv", 0, OPT_TEXT, "FILE", NULL, (at) + offsetof(struct phase_files, vectors),  \
		"write the basic-block vectors of the intervals of phases to this file"}, \
		{"simpoints", 0, OPT_TEXT, "FILE", NULL,                                  \
			(at) + offsetof(struct phase_files, simpoints),                   \
			"write the representative interval of each phase to this file"},  \
	{                                                                                 \
		"weights", 0, OPT_TEXT, "FILE", NULL,                                     \
			(at) + offsetof(struct phase_files, weights),                     \
			"write the weight of each phase to this file"                     \
	}

/* Whether any file is asked for. */
bool phase_files_any(const struct phase_files *files);

/*
 * Adds what the files need to what is asked of the analyses: without names the analysis of
 * phases alone. Returns a list that asked points into, to be freed, or NULL.
 */
const char **phase_files_ask(const struct phase_files *files, struct poly_stats_options *asked);

/* Writes the files that are asked for; false, and told, where one cannot be. */
bool phase_files_write(const struct phase_files *files, const struct poly_stats *stats);

#endif
