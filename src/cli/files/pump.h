/* SPDX-License-Identifier: MIT */
/* Writing the records of a source in a format. */
#ifndef CLI_PUMP_H
#define CLI_PUMP_H

#include "cli/options/column_list.h"

/* Writes the remaining records of the source; does not finish the writer. */
enum poly_status pump_rows(
	struct command_input *source, struct poly_writer *writer, struct poly_error *error);

/*
 * Writes the remaining records of the source in a format to the command's output, with these
 * columns (NULL: all). Reports failures and returns an exit status; output_finish reports those
 * of the output.
 */
int pump_records(struct command_input *source, const char *format,
	const struct column_list *columns, struct output *output);

#endif
