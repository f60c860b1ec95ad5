/* SPDX-License-Identifier: MIT */
/* Parts of a trace, each a file of its own. */
#ifndef CLI_SPLIT_OUTPUT_H
#define CLI_SPLIT_OUTPUT_H

#include "polytrace/polytrace.h"

/* A file that is written. Zeroed is none. */
struct split_output {
	char *path;
	struct poly_writer *writer; /* NULL: not open any more */
};

/*
 * Gives a part its name: output with a value before the first point of its last name, so that
 * run.tt6.gz is run.3.tt6.gz.
 */
void split_output_name(struct split_output *part, const char *output, const char *value);

/* Opens the file of a part that has a name; false, and told, where that fails. */
bool split_output_open(struct split_output *part, const struct poly_trace_info *info,
	const struct poly_write_options *options);

/* Writes the rows of a batch for which an expression holds; false, and told, where it fails. */
bool split_output_write(
	struct split_output *part, const char *expression, const struct poly_batch *batch);

/* As split_output_write for the rows from first to before end. */
bool split_output_write_rows(
	struct split_output *part, const struct poly_batch *batch, size_t first, size_t end);

/* Brings the file to its place and closes it; false, and told, where that fails. */
bool split_output_finish(struct split_output *part);

/* Gives a part up; a file that was not finished does not come to its place. */
void split_output_discard(struct split_output *part);

#endif
