/* SPDX-License-Identifier: MIT */
/* Files of outputs of analyses. */
#ifndef CLI_ANALYSIS_FILE_H
#define CLI_ANALYSIS_FILE_H

#include "polytrace/polytrace.h"

/*
 * Writes an output of an analysis to a file, if path is not NULL; false: an error, which was
 * printed.
 */
bool analysis_file_write(const struct poly_stats *stats, const char *analysis,
	const char *output, const char *path);

#endif
