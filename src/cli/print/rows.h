/* SPDX-License-Identifier: MIT */
/*
 * Rows of any columns, as a table of aligned columns, JSON Lines or CSV (RFC 4180). Rows are
 * printed as they come; the widths of a table are those of its first rows.
 */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "cli/files/output.h"
#include "cli/options/input_options.h"

#include "sql/database.h"

struct row_printer;

/* Returns a printer for the rows of the current statement; exits if out of memory. */
struct row_printer *rows_new(const struct input_options *options, struct sql_database *database,
	struct output *output);

/* Prints the current row. */
void rows_print(struct row_printer *printer);

/* Prints what is left, after a failure without rows nothing, and frees the printer. */
void rows_finish(struct row_printer *printer, bool failed);

#endif
