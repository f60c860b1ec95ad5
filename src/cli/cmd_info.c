/* SPDX-License-Identifier: MIT */
/* polytrace info: what a trace is and what is in it. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/say.h"
#include "cli/source.h"

static const struct opt *const info_tables[] = {rendering_table, source_table, NULL};

static int
info_one(struct inputs *inputs, const char *path)
{
	struct source source;
	const struct source_wants wants = {
		.columns = poly_summary_columns(), .lists_findings = true};
	if (!source_open(&source, path, inputs->options, &wants))
		return STATUS_TROUBLE;
	struct poly_summary *summary = poly_summary_new();
	if (!summary)
		say_no_memory();
	const struct poly_batch *batch;
	while ((batch = source_next(&source)))
		poly_summary_update(summary, batch);
	struct poly_report *report = source_report();
	poly_report_text(report, "file", "File", source.name);
	if (source_partial(&source))
		poly_report_bool(report, "partial", "Partial", true);
	poly_summary_report(summary, source.reader, report);
	poly_summary_free(summary);
	progress_clear(&source.progress);
	int rendered = source_render(report, inputs->options, inputs->output);
	output_flush(inputs->output);
	int status = source_close(&source);
	return rendered > status ? rendered : status;
}

static int
info_run(void *fields, char **operands)
{
	struct inputs inputs = {.options = fields, .one = info_one, .headed = true};
	return inputs_run(&inputs, operands);
}

const struct command command_info = {
	.name = "info",
	.summary = "tell what a trace is and what is in it",
	.usage = "[options] [FILE...]",
	.options = info_tables,
	.options_size = sizeof(struct source_options),
	.run = info_run,
};
