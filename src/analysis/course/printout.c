/* SPDX-License-Identifier: MIT */
/* Runs homeworks: passes them the records of a trace, and writes their lines. */
#include "analysis/course/printout.h"

#include "analysis/facts/uops.h"

#include "base/err.h"
#include "base/mem.h"
#include "report/tree.h"

#include <errno.h>
#include <string.h>

/* Size of the output buffer in bytes. */
#define LINES_ROOM ((size_t)64 << 10)

/* Returns the name of the trace in the output, which an option sets. */
static const char *
trace_name(const struct poly_option *options, const struct analysis_setup *setup)
{
	for (size_t i = 0; options[i].name; i++) {
		if (setup->texts[i] && strcmp(strchr(options[i].name, '.'), ".trace") == 0)
			return setup->texts[i];
	}
	return "-";
}

enum poly_status
printout_init(struct printout *printout, const struct homework_model *model,
	const struct poly_analysis_info *info, const struct analysis_setup *setup,
	struct poly_error *error)
{
	printout->model = model;
	printout->name = info->name;
	printout->trace = trace_name(info->options, setup);
	if (setup->sink)
		printout->sink = *setup->sink;
	printout->state = mem_new(1, model->state_size);
	if (!printout->state)
		return err_memory(error);
	return model->init ? model->init(printout->state, setup, error) : POLY_OK;
}

enum poly_status
printout_check(void *state, const struct poly_trace_info *info, struct poly_error *error)
{
	const struct printout *printout = state;
	const poly_columns lacks =
		poly_columns_minus(poly_analysis_find(printout->name)->needs, info->columns);
	const int n = (int)strcspn(printout->name, "_");
	if (poly_columns_empty(lacks))
		return POLY_OK;
	return err_usage(error,
		"homework '%s' of %.*s requires the column '%s', which a trace of format '%s' "
		"does not have",
		printout->name + n + 1, n, printout->name,
		poly_column_name(poly_columns_next(lacks, 0)), info->format);
}

void
printout_begin(void *state, const struct poly_trace_info *info)
{
	struct printout *printout = state;
	(void)info;
	if (!printout->is_begun && printout->model->begin)
		printout->model->begin(printout->state, printout->trace, &printout->lines);
	printout->is_begun = true;
}

/* Writes the lines, unless a write failed earlier; false: out of memory. */
static bool
write_lines(struct printout *printout)
{
	const struct buf *lines = &printout->lines;
	const struct poly_sink *sink = &printout->sink;
	if (sink->write && lines->size && !lines->failed && !printout->sys_errno)
		printout->sys_errno = sink->write(sink->user, lines->data, lines->size);
	return !lines->failed;
}

bool
printout_update(void *state, const struct analysis_rows *rows)
{
	struct printout *printout = state;
	const struct homework_model *model = printout->model;
	struct buf *lines = &printout->lines;
	struct course_uop uop;
	bool good = true;
	for (size_t row = 0; good && row < rows->batch->rows && !printout->sys_errno; row++) {
		if (model->add_row) {
			good = model->add_row(printout->state, rows->batch, row, lines);
		} else if (uop_of_row(rows->batch, row, &uop)) {
			uop.number = ++printout->uops;
			good = model->add_uop(printout->state, &uop, lines);
		}
		if (good && (lines->size >= LINES_ROOM || lines->failed)) {
			good = write_lines(printout);
			buf_clear(lines);
		}
	}
	return good;
}

enum poly_status
printout_status(const void *state, struct poly_error *error)
{
	const struct printout *printout = state;
	if (!printout->sys_errno)
		return POLY_OK;
	errno = printout->sys_errno;
	return err_system(error, POLY_NO_OFFSET, "cannot write");
}

enum poly_status
printout_finish(void *state, struct poly_error *error)
{
	struct printout *printout = state;
	bool good = write_lines(printout);
	buf_clear(&printout->lines);
	if (good && printout->model->end)
		good = printout->model->end(printout->state, &printout->lines);
	if (!good || !write_lines(printout))
		return err_memory(error);
	printout->is_finished = true;
	return printout_status(printout, error);
}

void
printout_report_lines(struct poly_report *report, const char *key, const struct buf *lines)
{
	struct buf text = {0};
	poly_report_table(report, key);
	poly_report_column(report, "line", false);
	for (size_t begin = 0, end; begin < lines->size; begin = end + 1) {
		for (end = begin; end < lines->size && lines->data[end] != '\n';)
			end++;
		buf_clear(&text);
		buf_append(&text, lines->data + begin, end - begin);
		poly_report_cell_text(report, buf_text(&text));
	}
	poly_report_end(report);
	if (lines->failed || text.failed)
		tree_fail(report);
	buf_free(&text);
}

void
printout_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct printout *printout = state;
	(void)ops;
	if (printout->is_finished)
		printout_report_lines(report, "results", &printout->lines);
}

void
printout_fini(void *state)
{
	struct printout *printout = state;
	if (printout->state && printout->model->fini)
		printout->model->fini(printout->state);
	mem_free(printout->state);
	buf_free(&printout->lines);
}
