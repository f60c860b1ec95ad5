/* SPDX-License-Identifier: MIT */
/* polytrace info: what a trace is and what is in it. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/copy.h"
#include "cli/say.h"
#include "cli/source.h"

/* Answers of --style. */
enum { STYLE_REPORT, STYLE_NATIVE };

struct info_options {
	struct source_options source; /* first: the reading options are in it */
	unsigned style;
};

static const char *const styles[] = {"report", "native", NULL};

static const struct opt info_table[] = {
	{"style", 0, OPT_CHOICE, "report|native", styles, offsetof(struct info_options, style),
		"native: as the format's own tools tell it"},
	{0},
};

static const struct opt *const info_tables[] = {
	info_table, rendering_table, selection_table, source_table, NULL};

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
	source_report_name(&source, report);
	poly_summary_report(summary, source.reader, report);
	poly_summary_free(summary);
	progress_clear(&source.progress);
	int rendered = source_render(report, inputs->options, inputs->output);
	output_flush(inputs->output);
	int status = source_close(&source);
	return rendered > status ? rendered : status;
}

/* What the format's own tools tell, which a writer makes. */
static int
info_native(struct inputs *inputs, const char *path)
{
	struct source source;
	const struct source_wants wants = {
		.columns = POLY_ALL_COLUMNS & ~POLY_HAS(site), .prints = true};
	if (!source_open(&source, path, inputs->options, &wants))
		return STATUS_TROUBLE;
	const struct poly_format_info *format = poly_reader_format(source.reader);
	int written = STATUS_TROUBLE;
	if (format->summary)
		written = copy_records(
			&source, format->summary, POLY_ALL_COLUMNS, inputs->output);
	else
		say(source.name, "format '%s' has no tools that tell what is in a trace",
			format->name);
	output_flush(inputs->output);
	int status = source_close(&source);
	return written > status ? written : status;
}

static int
info_run(void *fields, char **operands)
{
	const struct info_options *options = fields;
	bool native = options->style == STYLE_NATIVE;
	if (native && (options->source.json || options->source.csv)) {
		say("info", "'--style native' takes no other form");
		return STATUS_TROUBLE;
	}
	struct inputs inputs = {.options = &options->source,
		.one = native ? info_native : info_one,
		.headed = !native};
	return inputs_run(&inputs, operands);
}

const struct command command_info = {
	.name = "info",
	.summary = "tell what a trace is and what is in it",
	.usage = "[options] [FILE...]",
	.options = info_tables,
	.options_size = sizeof(struct info_options),
	.run = info_run,
};
