/* SPDX-License-Identifier: MIT */
/* Files of phases for simulators. */
#ifndef CLI_PHASE_FILES_H
#define CLI_PHASE_FILES_H

#include "polytrace/polytrace.h"

#include "cli/options/opt.h"

/* Names of files; NULL: not requested. */
struct phase_files {
	const char *vectors, *simpoints, *weights;
};

/* Rows of a table of options; at: offset of a struct phase_files in the fields. */
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

/* Returns whether any file is requested. */
bool phase_files_any(const struct phase_files *files);

/*
 * Adds the analyses and options that the files need to the request: without names only the
 * analysis of phases. Returns a list that request refers to, to be freed, or NULL.
 */
const char **phase_files_ask(
	const struct phase_files *files, struct poly_stats_options *request);

/* Writes the requested files; false: an error, which was printed. */
bool phase_files_write(const struct phase_files *files, const struct poly_stats *stats);

#endif
