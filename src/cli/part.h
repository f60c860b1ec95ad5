/* SPDX-License-Identifier: MIT */
/* Parts of a trace, each a file of its own. */
#ifndef CLI_PART_H
#define CLI_PART_H

#include "polytrace/polytrace.h"

/* A file that is written. Zeroed is none. */
struct part {
	char *path;
	struct poly_writer *writer; /* NULL: not open any more */
};

/*
 * Gives a part its name: output with a value before the first point of its last name, so that
 * run.tt6.gz is run.3.tt6.gz.
 */
void part_name(struct part *part, const char *output, const char *value);

/* Opens the file of a part that has a name; false, and told, where that fails. */
bool part_open(struct part *part, const struct poly_trace_info *info,
	const struct poly_write_options *options);

/* Writes the rows of a batch for which an expression holds; false, and told, where it fails. */
bool part_write(struct part *part, const char *expression, const struct poly_batch *batch);

/* As part_write for the rows from first to before end. */
bool part_write_rows(
	struct part *part, const struct poly_batch *batch, size_t first, size_t end);

/* Brings the file to its place and closes it; false, and told, where that fails. */
bool part_finish(struct part *part);

/* Gives a part up; a file that was not finished does not come to its place. */
void part_drop(struct part *part);

#endif
