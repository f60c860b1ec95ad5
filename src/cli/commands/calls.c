/* SPDX-License-Identifier: MIT */
/* polytrace calls: prints the call graph as a tree, profile, list or folded stacks. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/print/rendering.h"
#include "cli/files/inputs.h"

/* Values of --style; the first three are those of enum poly_calls_style. */
enum { STYLE_FOLDED = POLY_CALLS_LIST + 1 };

/* Values of --unreturned. */
enum { UNRETURNED_KEEP, UNRETURNED_MERGE };

struct calls_options {
	struct input_options source; /* first: the reading options are in it */
	unsigned style, unreturned;
};

static const char *const styles[] = {"tree", "profile", "list", "folded", NULL};
static const char *const unreturned[] = {"keep", "merge", NULL};

static const struct opt calls_table[] = {
	{"style", 0, OPT_CHOICE, "tree|profile|list|folded", styles,
		offsetof(struct calls_options, style),
		"print a call tree (default), functions, each call, or folded stacks for a "
		"flame graph"},
	{"unreturned", 0, OPT_CHOICE, "keep|merge", unreturned,
		offsetof(struct calls_options, unreturned),
		"keep calls that never return (default), or merge them into their callers"},
	{0},
};

static const struct opt *const calls_tables[] = {
	calls_table, rendering_table, bounds_table, selection_table, input_table, NULL};

/* Builds the call graph of an input; prints an error and returns false on failure. */
static bool
count_calls(struct command_input *source, struct poly_calls *calls)
{
	struct poly_error error;
	poly_columns columns;
	const struct poly_batch *batch;
	enum poly_status status =
		poly_calls_bind(calls, poly_reader_info(source->reader), &columns, &error);
	if (status == POLY_OK)
		input_project(source, columns);
	while (status == POLY_OK && (batch = input_next(source)))
		status = poly_calls_update(calls, batch, &error);
	if (status == POLY_OK)
		status = poly_calls_finish(calls, &error);
	progress_clear(&source->progress);
	if (status != POLY_OK)
		diag_error(source->name, &error);
	return status == POLY_OK;
}

/* Prints the call graph; returns an exit status. */
static int
print_calls(struct inputs *inputs, const struct command_input *source,
	const struct poly_calls *calls)
{
	const struct calls_options *options = inputs->command;
	const bool is_text = rendering_of_options(inputs->options) == POLY_RENDER_TEXT;
	struct poly_error error;
	if (options->style == STYLE_FOLDED) {
		const struct poly_sink sink = {output_write, inputs->output};
		if (poly_calls_fold(calls, &sink, &error) != POLY_OK &&
			!output_failed(inputs->output)) {
			diag_error(source->name, &error);
			return STATUS_ERROR;
		}
		return STATUS_DONE;
	}
	struct poly_report *report = report_new();
	input_report_name(source, report);
	poly_calls_report(calls, (enum poly_calls_style)options->style, is_text, report);
	return report_render(report, inputs->options, inputs->output);
}

static int
calls_one(struct inputs *inputs, const char *path)
{
	const struct calls_options *options = inputs->command;
	const struct input_needs wants = {.columns = poly_calls_columns()};
	struct poly_calls_options counting = POLY_CALLS_OPTIONS_INIT;
	struct poly_calls *calls;
	struct command_input source;
	int status = STATUS_ERROR;
	if (!input_open(&source, path, inputs->options, &wants))
		return STATUS_ERROR;
	counting.symbols = source.symbols;
	counting.keeps_each = options->style == POLY_CALLS_LIST;
	counting.merges_unreturned = options->unreturned == UNRETURNED_MERGE;
	if (poly_calls_new(&counting, &calls, NULL) != POLY_OK)
		diag_no_memory();
	if (count_calls(&source, calls))
		status = print_calls(inputs, &source, calls);
	poly_calls_free(calls);
	output_flush(inputs->output);
	const int ended = input_close(&source);
	return status > ended ? status : ended;
}

static int
calls_run(void *fields, char **operands)
{
	const struct calls_options *options = fields;
	if (options->style == STYLE_FOLDED && (options->source.json || options->source.csv)) {
		diag_print("calls", "'--style folded' excludes '--json' and '--csv'");
		return STATUS_ERROR;
	}
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.headed = options->style != STYLE_FOLDED,
		.process = calls_one};
	return inputs_run(&inputs, operands);
}

const struct command command_calls = {
	.name = "calls",
	.group = GROUP_ANALYSE,
	.summary = "reconstruct the call graph and count instructions per function",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace calls calls.tarmac",
		"polytrace calls --style folded calls.tarmac"},
	.options = calls_tables,
	.options_size = sizeof(struct calls_options),
	.run = calls_run,
};
