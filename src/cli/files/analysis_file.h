/* SPDX-License-Identifier: MIT */
/* Files of outputs of analyses. */
#ifndef CLI_ANALYSIS_FILE_H
#define CLI_ANALYSIS_FILE_H

#include "polytrace/polytrace.h"

/*
 * Writes an output of an analysis to a file, if path is not NULL; partial: of a partial input,
 * which was not accepted, so that no file is replaced. False: an error, which was printed.
 */
bool analysis_file_write(const struct poly_stats *stats, const char *analysis,
	const char *output, const char *path, bool partial);

#endif
