/* SPDX-License-Identifier: MIT */
#include "cli/files/pump.h"

#include "cli/command.h"

#include "cli/print/diagnostics.h"

enum poly_status
pump_rows(struct command_input *source, struct poly_writer *writer, struct poly_error *error)
{
	const struct poly_batch *batch;
	/* The writer is the only consumer of the batches. */
	if (!source->selection)
		poly_reader_accept_lazy(source->reader);
	while ((batch = input_next(source))) {
		enum poly_status status = poly_writer_write(writer, batch, error);
		if (status != POLY_OK)
			return status;
	}
	return POLY_OK;
}

int
pump_records(struct command_input *source, const char *format,
	const struct column_list *columns, struct output *output)
{
	const struct poly_sink sink = {output_write, output};
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	writing.format = format;
	if (columns) {
		writing.columns = columns->set;
		writing.order = columns->columns;
		writing.order_count = columns->count;
	}
	struct poly_writer *writer;
	struct poly_error error;
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(source->reader), &writing, &writer, &error);
	if (status == POLY_OK) {
		input_project(source, poly_writer_columns(writer));
		status = pump_rows(source, writer, &error);
	}
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	poly_writer_close(writer);
	/* output_finish reports failures of the output. */
	if (status == POLY_OK || output_failed(output))
		return STATUS_DONE;
	diag_error(source->name, &error);
	return STATUS_ERROR;
}
