/* SPDX-License-Identifier: MIT */
/* Files of the stages of a pipeline. */
#ifndef CLI_STAGE_FILES_H
#define CLI_STAGE_FILES_H

#include "polytrace/polytrace.h"

#include "cli/options/opt.h"

/* Names of files; NULL: not requested. */
struct stage_files {
	const char *konata, *diagram;
};

/* Rows of a table of options; at: offset of a struct stage_files in the fields. */
#define STAGE_FILES_OPTIONS(at)                                                              \
	{"konata", 0, OPT_TEXT, "FILE", NULL, (at) + offsetof(struct stage_files, konata),   \
		"write the stages of a pipeline to this file, a log for the Konata viewer"}, \
	{                                                                                    \
		"diagram", 0, OPT_TEXT, "FILE", NULL,                                        \
			(at) + offsetof(struct stage_files, diagram),                        \
			"draw the stages of a pipeline in this file, as SVG"                 \
	}

/* Returns whether any file is requested. */
bool stage_files_any(const struct stage_files *files);

/* Writes the requested files; false: an error, which was printed. */
bool stage_files_write(const struct stage_files *files, const struct poly_stats *stats);

#endif
