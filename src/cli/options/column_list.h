/* SPDX-License-Identifier: MIT */
/* Columns requested by name on the command line: -c A,B,... */
#ifndef CLI_COLUMN_LIST_H
#define CLI_COLUMN_LIST_H

#include "cli/files/command_input.h"

/* Room for the name of a register. */
#define REGISTER_NAME 16

/* Columns in the order in which they were requested, each once. */
struct column_list {
	enum poly_column columns[POLY_COLUMN_COUNT + POLY_REGISTERS_MAX + 1];
	size_t count;
	poly_columns set; /* the same columns */
	/* Names of registers: the i-th one is POLY_COLUMN_register + i. */
	char registers[POLY_REGISTERS_MAX][REGISTER_NAME];
	unsigned register_count;
};

/* The column of a name of n bytes, row among them; POLY_COLUMN_register if it is that of a
 * register of any instruction set; POLY_COLUMN_COUNT if there is none. */
enum poly_column column_list_find(const char *name, size_t n);

/*
 * Adds a register by its name of n bytes, unless it is in the list; returns its column,
 * POLY_COLUMN_COUNT if there are too many, which is reported.
 */
enum poly_column column_list_add_register(struct column_list *list, const char *name, size_t n);

/* Requests the registers of a list from an input, before its first batch; false: it fails. */
bool column_list_request(const struct column_list *list, struct command_input *input);

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
