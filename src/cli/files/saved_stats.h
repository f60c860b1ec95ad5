/* SPDX-License-Identifier: MIT */
/* Files of saved results of analyses (polytrace/parts.h). */
#ifndef CLI_SAVED_STATS_H
#define CLI_SAVED_STATS_H

#include "polytrace/parts.h"

#include "cli/files/command_input.h"

/* The parts of traces that were read. Zeroed is empty. */
struct saved_parts {
	struct poly_part *list;
	size_t count;
};

/* Returns whether a file has saved results. */
bool saved_is(const char *path);

/* Returns whether what is read with options can be saved; false: a message was printed. */
bool saved_is_allowed(const struct input_options *options);

/* Returns whether all requested analyses can be saved, before rows are added; else the error.
 */
bool saved_can_save(struct poly_stats *stats, struct poly_error *error);

/* Adds the part that was read from an input, before it is closed; false: a message was printed.
 */
bool saved_add(struct saved_parts *parts, const struct command_input *input,
	const struct input_options *options);

/* Saves results; parts NULL: they were loaded. False: a message was printed. */
bool saved_write(struct poly_stats *stats, const struct saved_parts *parts, const char *path);

/* The same to memory, which the caller frees; parts NULL: the share of a simulation. */
bool saved_write_bytes(
	struct poly_stats *stats, const struct saved_parts *parts, char **bytes, size_t *size);

/* Loads and merges the results of files, in the order of traces and of their records; NULL: a
 * message was printed. The caller frees. */
struct poly_stats *saved_load(char **paths);

/* Returns whether all records of all traces are in the results; false: a message was printed.
 */
bool saved_is_complete(const struct poly_stats *stats);

/* Writes the names of the traces into a report: that of a single one as input_report_name, or
 * the table of files. */
void saved_report_names(const struct poly_stats *stats, struct poly_report *report);

/* Adds the columns and the row of a trace in the table of files. */
void saved_report_columns(struct poly_report *report);
void saved_report_row(
	const char *name, uint64_t rows, bool is_partial, struct poly_report *report);

void saved_parts_free(struct saved_parts *parts);

#endif
