/* SPDX-License-Identifier: MIT */
/* Writing a source through a format. */
#include "cli/copy.h"

#include "cli/command.h"

#include "cli/say.h"

enum poly_status
copy_rows(struct source *source, struct poly_writer *writer, struct poly_error *error)
{
	const struct poly_batch *batch;
	/* Nobody but the writer sees the batches. */
	if (!source->selection)
		poly_reader_accept_lazy(source->reader);
	while ((batch = source_next(source))) {
		enum poly_status status = poly_writer_write(writer, batch, error);
		if (status != POLY_OK)
			return status;
	}
	return POLY_OK;
}

int
copy_records(
	struct source *source, const char *format, poly_columns columns, struct output *output)
{
	const struct poly_sink sink = {output_write, output};
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	writing.format = format;
	writing.columns = columns;
	struct poly_writer *writer;
	struct poly_error error;
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(source->reader), &writing, &writer, &error);
	if (status == POLY_OK) {
		source_want(source, poly_writer_columns(writer));
		status = copy_rows(source, writer, &error);
	}
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	poly_writer_close(writer);
	/* What is wrong with the output is told when it is finished. */
	if (status == POLY_OK || output_failed(output))
		return STATUS_DONE;
	say_error(source->name, &error);
	return STATUS_TROUBLE;
}
