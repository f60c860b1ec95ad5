/* SPDX-License-Identifier: MIT */
/*
 * Merged events as rows for a writer: per-CPU logs become one stream.
 *
 * spec: reference aix 7.1 (-r).
 */
#include "trcfmt/report.h"

#include "model/slice.h"

#include <string.h>

/* Rows of one batch, one behind the other, that are to be written. */
struct run {
	const struct poly_batch *batch;
	size_t from, rows;
	struct slice slice;
	struct poly_writer *writer;
};

static enum poly_status
write_run(struct run *run, struct poly_error *error)
{
	if (!run->rows)
		return POLY_OK;
	enum poly_status status =
		slice_make(&run->slice, run->batch, run->from, run->rows, error);
	run->rows = 0;
	return status == POLY_OK ? poly_writer_write(run->writer, &run->slice.view, error)
				 : status;
}

/* Adds a row; what does not go on where the run ends is written before. */
static enum poly_status
add_row(struct run *run, const struct merge_input *input, struct poly_error *error)
{
	bool goes_on =
		run->rows && run->batch == input->batch && run->from + run->rows == input->row;
	enum poly_status status = goes_on ? POLY_OK : write_run(run, error);
	if (!goes_on) {
		run->batch = input->batch;
		run->from = input->row;
	}
	run->rows++;
	/* The batch is gone with the next event behind its last row. */
	if (status == POLY_OK && input->row + 1 == input->batch->rows)
		status = write_run(run, error);
	return status;
}

static enum poly_status
write_rows(struct poly_trcrpt *report, struct run *run, struct poly_error *error)
{
	struct merge_input *input;
	struct shown shown;
	enum poly_status status;
	while ((status = report_next(report, &input, &shown, error)) == POLY_OK) {
		if (report_wants(report, &shown))
			status = add_row(run, input, error);
		if (status != POLY_OK)
			return status;
		report->any = true;
	}
	enum poly_status written = write_run(run, status < 0 ? NULL : error);
	return status < 0 ? status : written;
}

enum poly_status
poly_trcrpt_raw(struct poly_trcrpt *report, const struct poly_trcrpt_inputs *inputs,
	struct poly_writer *writer, struct poly_error *error)
{
	struct run run = {.writer = writer};
	enum poly_status status = report_begin(report, inputs, error);
	if (status == POLY_OK)
		status = write_rows(report, &run, error);
	slice_fini(&run.slice);
	report_end(report);
	return status;
}
