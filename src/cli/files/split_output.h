/* SPDX-License-Identifier: MIT */
/* Files of a trace that is split. */
#ifndef CLI_SPLIT_OUTPUT_H
#define CLI_SPLIT_OUTPUT_H

#include "cli/files/trace_output.h"

/* A file that is being written. Zeroed: none. */
struct split_output {
	char *path;
	struct trace_output output;
};

/*
 * Sets the name of a file: output with a value before the first dot of its base name, as
 * run.3.tt6.gz of run.tt6.gz.
 */
void split_output_name(struct split_output *file, const char *output, const char *value);

/* Opens a file that has a name; false: an error, which was printed. */
bool split_output_open(struct split_output *file, const struct poly_trace_info *info,
	const struct poly_write_options *options);

/* Maximum length of a column's value in the name of a file. */
#define SPLIT_VALUE_MAX 80

/* Size of an expression with a value. */
#define SPLIT_EXPRESSION (2 * SPLIT_VALUE_MAX + 60)

/*
 * Formats the value of a row in a column, "without" if it has none; false, after a message, if
 * it is too long.
 */
bool split_value(const struct poly_batch *batch, size_t row, enum poly_column column,
	char value[SPLIT_VALUE_MAX + 1]);

/* Formats an expression that selects the rows with a value; NULL: the rows without one. */
void split_expression(
	enum poly_column column, const char *value, char expression[SPLIT_EXPRESSION]);

/* Writes the rows of a batch for which an expression is true; false: an error, which was
 * printed.
 */
bool split_output_write(
	struct split_output *file, const char *expression, const struct poly_batch *batch);

/* Writes the rows first to end - 1 of a batch, like split_output_write. */
bool split_output_write_rows(
	struct split_output *file, const struct poly_batch *batch, size_t first, size_t end);

/* Finishes and closes the file; false: an error, which was printed. */
bool split_output_finish(struct split_output *file);

/* Frees a file; one that is not finished is removed. */
void split_output_discard(struct split_output *file);

#endif
