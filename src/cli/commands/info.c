/* SPDX-License-Identifier: MIT */
/* polytrace info: prints format, metadata and record counts of traces. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/trace_output.h"
#include "cli/files/ptz_files.h"
#include "cli/print/diagnostics.h"
#include "cli/print/summary.h"
#include "cli/files/command_input.h"
#include "cli/print/rendering.h"
#include "cli/files/inputs.h"

/* Values of --style. */
enum { STYLE_REPORT, STYLE_NATIVE };

struct info_options {
	struct input_options source; /* first: the options of the input */
	unsigned style;
	bool space;
};

static const char *const styles[] = {"report", "native", NULL};

#define FIELD(member) .field = offsetof(struct info_options, member)

static const struct opt info_table[] = {
	{"style", 0, OPT_CHOICE, "report|native", .choices = styles, FIELD(style),
		.help = "native: print the summary of the format's own tools (default report)"},
	{"space", FIELD(space),
		.help = "print the segments of a packed trace, and its size by contents"},
	{0},
};

static const struct opt *const info_tables[] = {info_table, rendering_table, tables_table,
	bounds_table, selection_table, input_table, NULL};

static int
info_one(struct inputs *inputs, const char *path)
{
	struct command_input input;
	const struct input_needs wants = {.columns = POLY_ALL_COLUMNS, .lists_findings = true};
	if (!input_open(&input, path, inputs->options, &wants))
		return STATUS_ERROR;
	struct poly_stats *stats = summary_new(inputs->options, false);
	struct poly_report *report = report_new();
	input_analyse(&input, stats, NULL);
	summary_finish(stats);
	input_report_name(&input, report, inputs->output);
	report_summary(stats, &input, report);
	int rendered = report_render(report, inputs->options, inputs->output);
	output_flush(inputs->output);
	int status = input_close(&input);
	poly_stats_free(stats);
	return rendered > status ? rendered : status;
}

/* Adds a table of the sizes of a packed trace by contents. */
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
		poly_report_cell_ratio(report, bytes, (double)packed, 1);
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

/* Prints the segments and sizes of a packed trace. */
static int
info_space(struct inputs *inputs, const char *path)
{
	const struct input_needs wants = {.columns = 0};
	struct command_input input;
	struct poly_size_breakdown space;
	if (!input_open(&input, path, inputs->options, &wants))
		return STATUS_ERROR;
	const char *format = packed_format(&input);
	input.status = poly_reader_size_breakdown(input.reader, &space, &input.error);
	int rendered = STATUS_DONE;
	if (format) {
		struct poly_report *report = report_new();
		input_report_name(&input, report, inputs->output);
		report_space(report, &space, format);
		rendered = report_render(report, inputs->options, inputs->output);
	}
	output_flush(inputs->output);
	int status = input_close(&input);
	return rendered > status ? rendered : status;
}

/* Prints the summary of the format's own tools, which is a format that can be written. */
static int
info_native(struct inputs *inputs, const char *path)
{
	struct command_input input;
	const struct input_needs wants = {
		.columns = POLY_COLUMNS_EXCEPT_INIT(site), .prints = true};
	if (!input_open(&input, path, inputs->options, &wants))
		return STATUS_ERROR;
	const struct poly_format_info *format = packed_records(&input);
	int written = STATUS_ERROR;
	if (format->summary)
		written = pump_records(
			&input, format->summary, NULL, inputs->options, inputs->output);
	else
		diag_print(input.name,
			"format '%s' has no tools with a summary; omit --style native",
			format->name);
	output_flush(inputs->output);
	int status = input_close(&input);
	return written > status ? written : status;
}

static int
info_run(void *fields, char **operands)
{
	const struct info_options *options = fields;
	bool native = options->style == STYLE_NATIVE;
	if (native && (options->source.json || options->source.csv)) {
		diag_print("info",
			"--style=native conflicts with --json and --csv; use one of them");
		return STATUS_ERROR;
	}
	if (options->space && (native || input_is_selected(&options->source))) {
		diag_print("info", "--space describes the whole file; omit --style and the "
				   "selection of records");
		return STATUS_ERROR;
	}
	struct inputs inputs = {.options = &options->source,
		.process = options->space ? info_space
			   : native	  ? info_native
					  : info_one,
		.headed = !native};
	return inputs_run(&inputs, operands);
}

const struct command command_info = {
	.name = "info",
	.group = GROUP_INSPECT,
	.summary = "print format, metadata and record counts of traces",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace info trace.gz", "polytrace info --json trace.tt6e"},
	.options = info_tables,
	.options_size = sizeof(struct info_options),
	.run = info_run,
};
