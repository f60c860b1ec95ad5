/* SPDX-License-Identifier: MIT */
/* Traces that commands write. */
#include "cli/files/trace_output.h"

#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/print/diagnostics.h"
#include "cli/print/term.h"

#include <errno.h>
#include <string.h>

/* Opens standard output; a terminal is written through its own buffer, which quotes text. */
static enum poly_status
open_standard_output(struct trace_output *output, const struct poly_trace_info *info,
	const struct poly_write_options *options, struct poly_error *error)
{
	if (!term_output() || !poly_format_is_text(poly_format_find(options->format)))
		return poly_writer_open(output->path, info, options, &output->writer, error);
	output->terminal = output_new();
	output_quote(output->terminal);
	const struct poly_sink sink = {output_write, output->terminal};
	return poly_writer_open_sink(&sink, info, options, &output->writer, error);
}

bool
trace_output_open(struct trace_output *output, const char *path,
	const struct poly_trace_info *info, const struct poly_write_options *options)
{
	struct poly_error error;
	*output = (struct trace_output){.path = path,
		.name = diag_output_name(path),
		.is_file = strcmp(path, "-") != 0};
	const struct poly_format_info *format =
		output->is_file || !options->format ? NULL : poly_format_find(options->format);
	if (format && !output_may_print(format, options->overwrite))
		return false;
	enum poly_status status;
	if (!format)
		status = poly_writer_open(path, info, options, &output->writer, &error);
	else
		status = open_standard_output(output, info, options, &error);
	if (status == POLY_OK)
		return true;
	diag_writer_error(output->name, &error);
	trace_output_close(output);
	return false;
}

/* Writes the remaining records of a source with a writer, its only consumer. */
static enum poly_status
pump_rows(struct command_input *source, struct poly_writer *writer, struct poly_error *error)
{
	const struct poly_batch *batch;
	enum poly_status status = POLY_OK;
	input_plan(source, poly_writer_columns(writer), INPUT_WRITES);
	while (status == POLY_OK && (batch = input_next(source)))
		status = poly_writer_write(writer, batch, error);
	return status;
}

enum poly_status
trace_output_pump(
	struct trace_output *output, struct command_input *source, struct poly_error *error)
{
	if (output->outlasts)
		input_add_work(source, poly_writer_decoder_work(output->writer));
	return pump_rows(source, output->writer, error);
}

int
trace_output_failed(
	const struct trace_output *output, const char *source, const struct poly_error *error)
{
	if (error->sys_errno == EPIPE && !output->is_file)
		return STATUS_DONE;
	diag_error(error->status == POLY_ERR_LOSS ? source : output->name, error);
	return STATUS_ERROR;
}

int
trace_output_finish(struct trace_output *output, const char *source)
{
	struct poly_error error;
	if (poly_writer_finish(output->writer, &error) != POLY_OK)
		return trace_output_failed(output, source, &error);
	diag_notes(output->name, output->writer);
	return STATUS_DONE;
}

void
trace_output_close(struct trace_output *output)
{
	poly_writer_close(output->writer);
	output->writer = NULL;
	if (output->terminal)
		output_finish(output->terminal);
	output->terminal = NULL;
}

enum poly_status
pump_to_sink(struct command_input *source, const struct poly_sink *sink,
	const struct poly_write_options *options, struct poly_error *error)
{
	struct poly_writer *writer;
	enum poly_status status = poly_writer_open_sink(
		sink, poly_reader_info(source->reader), options, &writer, error);
	if (status == POLY_OK && input_add_work(source, poly_writer_decoder_work(writer)))
		source->writer = writer;
	if (status == POLY_OK)
		status = pump_rows(source, writer, error);
	if (status == POLY_OK)
		status = poly_writer_finish(writer, error);
	if (!source->writer)
		poly_writer_close(writer);
	return status;
}

int
pump_records(struct command_input *source, const char *format,
	const struct column_list *columns, const struct input_options *options,
	struct output *output)
{
	static const char *const safely[] = {"csv.safe=1", NULL};
	const struct poly_sink sink = {output_write, output};
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	struct poly_error error;
	output_quote(output);
	writing.format = format;
	writing.options = options->csv_safe ? safely : NULL;
	writing.threads = (unsigned)options->threads.value;
	if (columns) {
		writing.columns = columns->set;
		writing.order = columns->columns;
		writing.order_count = columns->count;
	}
	/* output_finish reports failures of the output. */
	if (pump_to_sink(source, &sink, &writing, &error) == POLY_OK || output_failed(output))
		return STATUS_DONE;
	diag_error(source->name, &error);
	return STATUS_ERROR;
}
