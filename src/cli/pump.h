/* SPDX-License-Identifier: MIT */
/* Writing a source through a format. */
#ifndef CLI_PUMP_H
#define CLI_PUMP_H

#include "cli/column_list.h"

/* Writes the records that are left in the source; the writer is not finished. */
enum poly_status pump_rows(
	struct source *source, struct poly_writer *writer, struct poly_error *error);

/*
 * Writes the records that are left in the source in a format, with these columns (NULL: all),
 * to the command's output; tells what went wrong and returns an exit status. What is wrong with
 * the output is left to be told when it is finished.
 */
int pump_records(struct source *source, const char *format, const struct column_list *columns,
	struct output *output);

#endif
