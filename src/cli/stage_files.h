/* SPDX-License-Identifier: MIT */
/* Files of the stages of a pipeline, beside what is told of it. */
#ifndef CLI_STAGE_FILES_H
#define CLI_STAGE_FILES_H

#include "polytrace/polytrace.h"

#include "cli/opt.h"

/* Names of files, NULL where one is not asked for. */
struct stage_files {
	const char *konata, *diagram;
};

/* Rows of a table of options; at is the place of a struct stage_files in the fields. */
#define STAGE_FILES_OPTIONS(at)                                                              \
	{"konata", 0, OPT_TEXT, "FILE", NULL, (at) + offsetof(struct stage_files, konata),   \
		"write the stages of a pipeline to this file, a log for the Konata viewer"}, \
	{                                                                                    \
		"diagram", 0, OPT_TEXT, "FILE", NULL,                                        \
			(at) + offsetof(struct stage_files, diagram),                        \
			"draw the stages of a pipeline in this file, as SVG"                 \
	}

/* Whether any file is asked for. */
bool stage_files_any(const struct stage_files *files);

/* Writes the files that are asked for; false, and told, where one cannot be. */
bool stage_files_write(const struct stage_files *files, const struct poly_stats *stats);

#endif
