/* SPDX-License-Identifier: MIT */
/* polytrace info: what a trace is and what is in it. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/pump.h"
#include "cli/ptz_files.h"
#include "cli/say.h"
#include "cli/source.h"

/* Answers of --style. */
enum { STYLE_REPORT, STYLE_NATIVE };

struct info_options {
	struct source_options source; /* first: the reading options are in it */
	unsigned style;
	bool space;
};

static const char *const styles[] = {"report", "native", NULL};

static const struct opt info_table[] = {
	{"style", 0, OPT_CHOICE, "report|native", styles, offsetof(struct info_options, style),
		"native: as the format's own tools tell it"},
	{"space", 0, OPT_FLAG, NULL, NULL, offsetof(struct info_options, space),
		"of a packed trace: its segments, and what its bytes are taken by"},
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

/* A table of what the bytes are taken by. */
static void
report_items(
	struct poly_report *report, const struct poly_size_breakdown *space, uint64_t packed)
{
	poly_report_table(report, "items");
	poly_report_column(report, "content", false);
	poly_report_column(report, "column", false);
	poly_report_column(report, "values", true);
	poly_report_column(report, "unpacked", true);
	poly_report_column(report, "packed", true);
	poly_report_column(report, "share", true);
	poly_report_column(report, "bits_per_record", true);
	for (size_t i = 0; i < space->count; i++) {
		const struct poly_size_item *item = &space->items[i];
		const double bytes = (double)item->packed;
		poly_report_cell_text(report, item->holds);
		poly_report_cell_text(report, item->column == POLY_COLUMN_COUNT
						      ? NULL
						      : poly_column_name(item->column));
		if (item->values)
			poly_report_cell_count(report, item->values);
		else
			poly_report_cell_text(report, NULL);
		poly_report_cell_count(report, item->unpacked);
		poly_report_cell_count(report, item->packed);
		poly_report_cell_real(report, 100 * bytes / (double)packed, 1);
		poly_report_cell_real(report, 8 * bytes / (double)space->records, 3);
	}
	poly_report_end(report);
}

static void
report_space(
	struct poly_report *report, const struct poly_size_breakdown *space, const char *format)
{
	uint64_t packed = 0, unpacked = 0;
	for (size_t i = 0; i < space->count; i++) {
		packed += space->items[i].packed;
		unpacked += space->items[i].unpacked;
	}
	poly_report_section(report, "space");
	poly_report_text(report, "format", format);
	poly_report_bool(report, "complete", space->is_complete);
	poly_report_count(report, "segments", space->segments);
	poly_report_count(report, "records", space->records);
	poly_report_count(report, "templates", space->templates);
	poly_report_count(report, "packed", packed);
	poly_report_count(report, "unpacked", unpacked);
	poly_report_real(
		report, "bits_per_record", 8 * (double)packed / (double)space->records, 3);
	report_items(report, space, packed);
	poly_report_end(report);
}

/* What the bytes of a packed trace are taken by. */
static int
info_space(struct inputs *inputs, const char *path)
{
	const struct source_wants wants = {.columns = 0};
	struct source source;
	struct poly_size_breakdown space;
	if (!source_open(&source, path, inputs->options, &wants))
		return STATUS_TROUBLE;
	const char *format = packed_format(&source);
	source.status = poly_reader_size_breakdown(source.reader, &space, &source.error);
	int rendered = STATUS_DONE;
	if (format) {
		struct poly_report *report = source_report();
		source_report_name(&source, report);
		report_space(report, &space, format);
		rendered = source_render(report, inputs->options, inputs->output);
	}
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
	const struct poly_format_info *format = packed_records(&source);
	int written = STATUS_TROUBLE;
	if (format->summary)
		written = pump_records(&source, format->summary, NULL, inputs->output);
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
	if (options->space && (native || source_selects(&options->source))) {
		say("info", "'--space' is about the whole file, and takes no '--style' and no "
			    "choice of records");
		return STATUS_TROUBLE;
	}
	struct inputs inputs = {.options = &options->source,
		.one = options->space ? info_space
		       : native	      ? info_native
				      : info_one,
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
