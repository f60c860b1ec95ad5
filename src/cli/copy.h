/* SPDX-License-Identifier: MIT */
/* Writing a source through a format to the command's output. */
#ifndef CLI_COPY_H
#define CLI_COPY_H

#include "cli/source.h"

/*
 * Writes the records that are left in the source in a format, with these columns; tells what
 * went wrong and returns an exit status. What is wrong with the output is left to be told when
 * it is finished.
 */
int copy_records(
	struct source *source, const char *format, poly_columns columns, struct output *output);

#endif
