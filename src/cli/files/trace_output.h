/* SPDX-License-Identifier: MIT */
/* Traces that commands write. */
#ifndef CLI_TRACE_OUTPUT_H
#define CLI_TRACE_OUTPUT_H

#include "cli/files/output.h"
#include "cli/options/column_list.h"

/* A trace that is written to a file or to standard output. */
struct trace_output {
	const char *path;
	const char *name;	    /* of path in messages */
	bool is_file;		    /* not standard output */
	struct output *terminal;    /* standard output, if text is quoted; else NULL */
	struct poly_writer *writer; /* NULL: not open */
	bool outlasts; /* its only source is closed before it, so decoders may encode for it */
};

/*
 * Opens path ("-": standard output); false: an error, which was printed. A terminal gets text
 * without control characters, and binary formats only if options.overwrite is set.
 */
bool trace_output_open(struct trace_output *output, const char *path,
	const struct poly_trace_info *info, const struct poly_write_options *options);

/* Writes the remaining records of a source, which no other consumer reads. */
enum poly_status trace_output_pump(
	struct trace_output *output, struct command_input *source, struct poly_error *error);

/*
 * Prints an error of the writer; returns the exit status. A closed pipe on standard output is
 * not an error. source: the name of the cause of records that cannot be written.
 */
int trace_output_failed(
	const struct trace_output *output, const char *source, const struct poly_error *error);

/* Finishes the output and prints its notes; returns the exit status. */
int trace_output_finish(struct trace_output *output, const char *source);

/* Closes the output; an unfinished file is removed. */
void trace_output_close(struct trace_output *output);

/*
 * Writes the remaining records of a source, which no other consumer reads, to a sink, and
 * finishes.
 */
enum poly_status pump_to_sink(struct command_input *source, const struct poly_sink *sink,
	const struct poly_write_options *options, struct poly_error *error);

/*
 * Writes the remaining records of the source in a format to the command's output, with these
 * columns (NULL: all), by --csv-safe and --threads of the options. Reports failures and returns
 * an exit status; output_finish reports those of the output.
 */
int pump_records(struct command_input *source, const char *format,
	const struct column_list *columns, const struct input_options *options,
	struct output *output);

#endif
