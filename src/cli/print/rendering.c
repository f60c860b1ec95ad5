/* SPDX-License-Identifier: MIT */
/* Rendering of reports by the options of a command. */
#include "cli/print/rendering.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/print/term.h"

/* Rows of a table with plots on a terminal, at most. */
#define TERMINAL_ROWS 40

enum poly_rendering
rendering_of_options(const struct input_options *options)
{
	if (options->json)
		return POLY_RENDER_JSON_LINE;
	return options->csv ? POLY_RENDER_CSV : POLY_RENDER_TEXT;
}

bool
rendering_is_valid(const struct input_options *options)
{
	if (options->json && options->csv)
		diag_print(NULL, "--json conflicts with --csv; use one of them");
	return !(options->json && options->csv);
}

struct poly_report *
report_new(void)
{
	struct poly_report *report = poly_report_new();
	if (!report)
		diag_no_memory();
	return report;
}

/* Renders a report with options to an output, and frees the report. */
static int
render_with(struct poly_report *report, const struct poly_render_options *options,
	struct output *output)
{
	struct poly_error error;
	const struct poly_sink sink = {output_write, output};
	enum poly_status status = poly_report_render_with(report, options, &sink, &error);
	poly_report_free(report);
	/* output_finish reports a failure of the output. */
	if (status == POLY_OK || output_failed(output))
		return STATUS_DONE;
	diag_print(NULL, "%s", error.message);
	return STATUS_ERROR;
}

int
report_render(
	struct poly_report *report, const struct input_options *options, struct output *output)
{
	struct poly_render_options rendering = POLY_RENDER_OPTIONS_INIT;
	rendering.rendering = rendering_of_options(options);
	if (rendering.rendering == POLY_RENDER_TEXT && term_draws()) {
		rendering.rendering = POLY_RENDER_TERMINAL;
		rendering.width = term_width();
		rendering.color = term_colored(TERM_AUTO);
		rendering.rows = TERMINAL_ROWS;
	}
	return render_with(report, &rendering, output);
}

int
report_print_list(struct poly_report *report, const struct input_options *options)
{
	struct output *output = output_new();
	struct poly_render_options rendering = POLY_RENDER_OPTIONS_INIT;
	rendering.rendering = rendering_of_options(options);
	rendering.width = term_width();
	const int status = render_with(report, &rendering, output);
	const int written = output_finish(output);
	return written > status ? written : status;
}
