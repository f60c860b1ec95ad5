/* SPDX-License-Identifier: MIT */
/* Columns requested by name on the command line: -c A,B,... */
#ifndef CLI_COLUMN_LIST_H
#define CLI_COLUMN_LIST_H

#include "cli/files/command_input.h"

/* Columns in the order in which they were requested, each once. */
struct column_list {
	enum poly_column columns[POLY_COLUMN_COUNT + 1];
	size_t count;
	poly_columns set; /* the same columns */
};

/* The column of a name of n bytes, row among them; POLY_COLUMN_COUNT if there is none. */
enum poly_column column_list_find(const char *name, size_t n);

/* Parses names separated by commas. Reports a name that is not a column and returns false. */
bool column_list_parse(struct column_list *list, const char *names);

/*
 * Reports, a line each, the columns that the source's trace does not have. derived: columns
 * that the command computes if the trace does not have them.
 */
void column_list_report_absent(const struct column_list *list, const char *command,
	const struct command_input *source, poly_columns derived);

/* Parses a list of column names separated by commas. False: one is unknown, and a message has
 * been printed. */
bool columns_parse(const char *names, poly_columns *columns);

/* Returns whether a list of names separated by commas contains the column site. */
bool columns_name_site(const char *names);

/*
 * Returns the columns to request for a writer that may write those in columns; the open writer
 * reports which it uses. Sites are expensive: they are written only by name.
 */
poly_columns columns_to_write(poly_columns columns);

/* Reports an unknown column, by its name of n bytes; returns false. */
bool columns_print_unknown(const char *name, size_t n);

/* Formats the names of a set of columns as "a, b". */
void columns_format_names(poly_columns columns, char *text, size_t size);

#endif
