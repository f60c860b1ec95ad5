/* SPDX-License-Identifier: MIT */
/* Runs a query on an input. */
#include "cli/files/query.h"

#include "cli/command.h"
#include "cli/files/command_input.h"
#include "cli/print/diagnostics.h"
#include "cli/print/rendering.h"

#include <stdio.h>
#include <string.h>

void
query_set(struct query *query, const char *name, const char *value)
{
	analysis_words_set(&query->words, query->analysis, name, value);
}

/* Prints why the analysis cannot be created. Commands that stream name its options alone. */
static void
print_refusal(const struct query *query, struct poly_error *error)
{
	const size_t used = strlen(error->message), n = strlen(query->analysis);
	char *option = error->message + error->option_at;
	if (query->hint)
		snprintf(
			error->message + used, sizeof error->message - used, "%s", query->hint);
	if (query->streams && strncmp(error->option, query->analysis, n) == 0 &&
		error->option[n] == '.')
		memmove(option, option + n + 1, strlen(option + n + 1) + 1);
	diag_error(query->command, error);
}

/* Creates the analysis; prints an error and returns NULL on failure. */
static struct poly_stats *
open_query(const struct query *query, const struct poly_symbols *symbols, struct output *output)
{
	const char *const names[] = {query->analysis, NULL};
	const struct poly_sink sink = {output_write, output};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	struct poly_error error;
	options.analyses = names;
	options.options = (const char *const *)query->words.items;
	options.symbols = symbols;
	options.sink = query->streams ? &sink : NULL;
	if (poly_stats_new(&options, &stats, &error) != POLY_OK)
		print_refusal(query, &error);
	return stats;
}

/* Prints an output of the analysis; returns the exit status. */
static int
print_output(const struct query *query, struct output *output, const char *input,
	const struct poly_stats *stats)
{
	const struct poly_sink sink = {output_write, output};
	struct poly_error error;
	/* Names of symbols are any text. */
	output_quote(output);
	if (poly_stats_write(stats, query->analysis, query->output, &sink, &error) == POLY_OK ||
		output_failed(output))
		return STATUS_DONE;
	diag_error(input, &error);
	return STATUS_ERROR;
}

/* Prints the report of the analysis; returns the exit status. */
static int
print_report(const struct query *query, struct inputs *inputs,
	const struct command_input *input, const struct poly_stats *stats)
{
	struct poly_report *report = report_new();
	if (query->missing)
		poly_report_text(report, "file", input->name);
	else
		input_report_name(input, report, inputs->output);
	poly_stats_report(stats, query->analysis, report);
	const int status = report_render(report, inputs->options, inputs->output);
	output_flush(inputs->output);
	return status;
}

/* Prints the result of a query; returns the exit status. */
static int
print_result(const struct query *query, struct inputs *inputs,
	const struct command_input *input, struct poly_stats *stats)
{
	struct poly_error error;
	const enum poly_status found = poly_stats_finish(stats, &error);
	/* output_finish reports a failure of the output. */
	if (query->streams && (found >= 0 || output_failed(inputs->output)))
		return STATUS_DONE;
	if (found < 0) {
		diag_error(input->name, &error);
		return STATUS_ERROR;
	}
	if (query->output)
		return print_output(query, inputs->output, input->name, stats);
	const int status = print_report(query, inputs, input, stats);
	if (found == POLY_OK || status != STATUS_DONE)
		return status;
	if (!input_is_partial(input))
		diag_print(input->name, "no %s found", query->missing);
	return STATUS_NEGATIVE;
}

int
query_run(struct query *query, struct inputs *inputs, const char *path)
{
	const struct poly_analysis_info *info = poly_analysis_find(query->analysis);
	const struct input_needs needs = {
		.columns = poly_columns_union(info->needs, info->wants),
		.prints = query->streams};
	struct command_input input;
	struct poly_stats *stats = NULL;
	int status = STATUS_ERROR;
	if (input_open(&input, path, inputs->options, &needs)) {
		stats = open_query(query, input.symbols, inputs->output);
		if (stats &&
			(input_analyse(&input, stats, NULL) || output_failed(inputs->output)))
			status = print_result(query, inputs, &input, stats);
		output_flush(inputs->output);
		const int ended = input_close(&input);
		poly_stats_free(stats);
		status = status > ended ? status : ended;
	}
	analysis_words_free(&query->words);
	return status;
}
