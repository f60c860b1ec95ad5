/* SPDX-License-Identifier: MIT */
/*
 * Writes merged events as rows: per-CPU logs become one stream.
 *
 * spec: AIX trace reference 7.1 (-r).
 */
#include "trcfmt/report/report.h"

#include "model/slice.h"

#include <string.h>

/* Consecutive rows of one batch that wait to be written. */
struct raw_run {
	const struct poly_batch *batch;
	size_t from, rows;
	struct slice slice;
	const struct poly_batch_sink *sink;
};

static enum poly_status
write_run(struct raw_run *run, struct poly_error *error)
{
	if (!run->rows)
		return POLY_OK;
	enum poly_status status =
		slice_make(&run->slice, run->batch, run->from, run->rows, error);
	run->rows = 0;
	return status == POLY_OK ? run->sink->write(run->sink->user, &run->slice.view, error)
				 : status;
}

/* Adds a row; writes the run first if the row does not continue it. */
static enum poly_status
add_row(struct raw_run *run, const struct event_input *input, struct poly_error *error)
{
	bool operator_follows =
		run->rows && run->batch == input->batch && run->from + run->rows == input->row;
	enum poly_status status = operator_follows ? POLY_OK : write_run(run, error);
	if (!operator_follows) {
		run->batch = input->batch;
		run->from = input->row;
	}
	run->rows++;
	/* The batch becomes invalid with the event after its last row. */
	if (status == POLY_OK && input->row + 1 == input->batch->rows)
		status = write_run(run, error);
	return status;
}

static enum poly_status
write_rows(struct poly_trcrpt *report, struct raw_run *run, struct poly_error *error)
{
	struct event_input *input;
	struct report_event shown;
	enum poly_status status;
	while ((status = report_next(report, &input, &shown, error)) == POLY_OK) {
		if (report_selects(report, &shown))
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
	const struct poly_batch_sink *sink, struct poly_error *error)
{
	struct raw_run run = {.sink = sink};
	enum poly_status status = report_begin(report, inputs, error);
	if (status == POLY_OK)
		status = write_rows(report, &run, error);
	slice_fini(&run.slice);
	report_end(report);
	return status;
}
