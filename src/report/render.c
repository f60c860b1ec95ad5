/* SPDX-License-Identifier: MIT */
/* Renders a report in one of the renderings. */
#include "report/render.h"
#include "report/tables.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>

static enum poly_status
render_check(const struct poly_report *report, struct poly_error *error)
{
	if (report->failed)
		return err_memory(error);
	if (report->misuse)
		return err_usage(error, "%s", report->misuse);
	if (report->depth)
		return err_usage(error, "report: a section or table is still open");
	return POLY_OK;
}

/* Calls the renderer, which fills render->out. */
static enum poly_status
render_by(struct render *render, struct poly_error *error)
{
	switch (render->options.rendering) {
	case POLY_RENDER_TEXT: render_text(render, false); return POLY_OK;
	case POLY_RENDER_TERMINAL: render_text(render, true); return POLY_OK;
	case POLY_RENDER_JSON: render_json(render, false); return POLY_OK;
	case POLY_RENDER_JSON_LINE: render_json(render, true); return POLY_OK;
	case POLY_RENDER_CSV:
		if (render->options.table)
			render_csv_table(render);
		else
			render_csv(render);
		return POLY_OK;
	case POLY_RENDER_HTML: render_html(render); return POLY_OK;
	case POLY_RENDER_PARQUET:
		if (render->options.table)
			return render_parquet_table(render, error);
		return err_usage(error, "options.table: a Parquet file holds one table");
	}
	return err_usage(
		error, "options.rendering: unknown value %d", (int)render->options.rendering);
}

enum poly_status
poly_report_render(const struct poly_report *report, enum poly_rendering rendering,
	const struct poly_sink *sink, struct poly_error *error)
{
	struct poly_render_options options = POLY_RENDER_OPTIONS_INIT;
	options.rendering = rendering;
	return poly_report_render_with(report, &options, sink, error);
}

enum poly_status
poly_report_render_with(const struct poly_report *report,
	const struct poly_render_options *options, const struct poly_sink *sink,
	struct poly_error *error)
{
	enum poly_status status = render_check(report, error);
	if (status != POLY_OK)
		return status;
	struct render render = {
		.report = report, .sink = sink, .options = POLY_RENDER_OPTIONS_INIT};
	if (options->size == 0)
		return err_usage(error, "options.size: found 0; initialize options with "
					"POLY_RENDER_OPTIONS_INIT");
	memcpy(&render.options, options,
		options->size < sizeof *options ? options->size : sizeof *options);
	if (render.options.width == 0 && options->rendering == POLY_RENDER_TERMINAL)
		render.options.width = 80;
	struct report_table table = {.own = NULL};
	if (render.options.table)
		status = report_table_open(&table, report, render.options.table, error);
	if (render.options.table)
		render.report = report_table_report(&table);
	if (status == POLY_OK)
		status = render_by(&render, error);
	report_table_close(&table);
	if (status == POLY_OK && (render.out.failed || render.path.failed))
		status = err_memory(error);
	else if (status == POLY_OK)
		render_write(&render);
	buf_free(&render.out);
	buf_free(&render.path);
	if (status == POLY_OK && render.sys_errno) {
		errno = render.sys_errno;
		status = err_set(error, POLY_ERR_IO, POLY_NO_OFFSET, "cannot write the report");
	}
	return status;
}
