/* SPDX-License-Identifier: MIT */
/* Writing a source through a format. */
#ifndef CLI_COPY_H
#define CLI_COPY_H

#include "cli/command_input.h"

/* Writes the records that are left in the source; the writer is not finished. */
enum poly_status copy_rows(
	struct command_input *source, struct poly_writer *writer, struct poly_error *error);

/*
 * Writes the records that are left in the source in a format, with these columns, to the
 * command's output; tells what went wrong and returns an exit status. What is wrong with the
 * output is left to be told when it is finished.
 */
int copy_records(struct command_input *source, const char *format, poly_columns columns,
	struct output *output);

#endif
