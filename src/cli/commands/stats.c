/* SPDX-License-Identifier: MIT */
/* polytrace stats: analyses of traces. */
#include "polytrace/polytrace.h"

#include "cli/options/analysis_options.h"
#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/options/describe.h"
#include "cli/options/limits.h"
#include "cli/print/diagnostics.h"
#include "cli/files/analysis_file.h"
#include "cli/files/temp_store.h"
#include "cli/print/rendering.h"
#include "cli/files/inputs.h"
#include "cli/options/column_list.h"

#include <stdlib.h>
#include <string.h>

struct stats_options {
	struct analysis_options analysis; /* first: the options of the input */
	bool list, together, side_by_side;
	const char *vectors, *simpoints, *weights; /* files; NULL: not requested */
};

#define FIELD(member) .field = offsetof(struct stats_options, member)

static const struct opt stats_table[] = {
	{"list", FIELD(list), .help = "list the analyses and their options"},
	{"together", FIELD(together), .help = "combine all inputs into one population"},
	{"side-by-side", FIELD(side_by_side),
		.help = "report all inputs in one report, each by itself"},
	{"bbv", 0, OPT_TEXT, "FILE", FIELD(vectors),
		.help = "write the basic-block vectors of the intervals of phases to this "
			"file"},
	{"simpoints", 0, OPT_TEXT, "FILE", FIELD(simpoints),
		.help = "write the representative interval of each phase to this file"},
	{"weights", 0, OPT_TEXT, "FILE", FIELD(weights),
		.help = "write the weight of each phase to this file"},
	{0},
};

static const struct opt *const stats_tables[] = {stats_table, analysis_options_table,
	limits_table, rendering_table, tables_table, bounds_table, selection_table, input_table,
	NULL};

/* The job of the command on its inputs. */
struct stats_job {
	struct analysis_request request;
	struct poly_stats *stats;   /* of all inputs together; NULL: one per input */
	struct poly_report *report; /* of all inputs, while it is built; NULL: one per input */
};

/* Lists the analyses of a kind in the open table. */
static void
list_kind(struct poly_report *report, enum poly_analysis_kind kind)
{
	const struct poly_analysis_info *info;
	poly_report_column(report, "name", false);
	if (kind == POLY_ANALYSIS_STATISTIC)
		poly_report_column(report, "default", false);
	poly_report_column(report, "required_columns", false);
	poly_report_column(report, "order_dependence", false);
	poly_report_column(report, "summary", false);
	for (size_t i = 0; (info = poly_analysis_at(i)); i++) {
		char needs[200];
		if (info->kind != kind)
			continue;
		columns_format_names(info->needs, needs, sizeof needs);
		poly_report_cell_text(report, info->name);
		if (kind == POLY_ANALYSIS_STATISTIC)
			poly_report_cell_text(report, info->is_default ? "yes" : NULL);
		poly_report_cell_text(report, needs);
		poly_report_cell_text(report, poly_analysis_ordered(info->name));
		poly_report_cell_text(report, info->summary);
	}
	poly_report_end(report);
}

static void
list_analyses(struct poly_report *report)
{
	poly_report_table(report, "analyses");
	poly_report_heading(report, "Analyses (-a NAME,...)");
	list_kind(report, POLY_ANALYSIS_STATISTIC);
	poly_report_table(report, "queries");
	poly_report_heading(report, "Queries (-a NAME,...)");
	list_kind(report, POLY_ANALYSIS_QUERY);
}

static void
list_options(struct poly_report *report)
{
	const struct poly_analysis_info *info;
	poly_report_table(report, "options");
	poly_report_heading(report, "Options (-O NAME=VALUE)");
	poly_report_column(report, "option", false);
	describe_columns(report);
	for (size_t i = 0; (info = poly_analysis_at(i)); i++) {
		const bool listed = info->kind == POLY_ANALYSIS_STATISTIC ||
				    info->kind == POLY_ANALYSIS_QUERY;
		if (!listed)
			continue;
		for (const struct poly_option *option = info->options; option && option->name;
			option++) {
			poly_report_cell_text(report, option->name);
			describe_cells(option, report);
		}
	}
	poly_report_end(report);
}

static int
stats_list(const struct input_options *options)
{
	if (!rendering_is_valid(options))
		return STATUS_ERROR;
	struct poly_report *report = report_new();
	list_analyses(report);
	list_options(report);
	return report_print_list(report, options);
}

/* Reports an input, in the report of all inputs or in one of its own. */
static int
report_input(const struct inputs *inputs, const struct command_input *input,
	const struct poly_stats *stats)
{
	const struct stats_job *job = inputs->state;
	struct poly_report *report = job->report ? job->report : report_new();
	if (job->stats) {
		struct poly_reader_counts counts;
		poly_reader_count(input->reader, &counts);
		poly_report_cell_text(report, input->name);
		poly_report_cell_count(report, input->selection
						       ? poly_selection_count(input->selection)
						       : counts.records);
		poly_report_cell_text(report, input_is_partial(input) ? "yes" : NULL);
		return STATUS_DONE;
	}
	if (job->report) {
		poly_report_section(report, NULL);
		poly_report_heading(report, input->name);
	}
	input_report_name(input, report);
	poly_stats_report(stats, NULL, report);
	if (!job->report)
		return report_render(report, inputs->options, inputs->output);
	poly_report_end(report);
	return STATUS_DONE;
}

/* Writes the requested files of phases. */
static bool
write_phases(const struct inputs *inputs, const struct poly_stats *stats)
{
	const struct stats_options *options = inputs->command;
	return analysis_file_write(stats, "phases", "vectors", options->vectors) &&
	       analysis_file_write(stats, "phases", "simpoints", options->simpoints) &&
	       analysis_file_write(stats, "phases", "weights", options->weights);
}

static int
stats_one(struct inputs *inputs, const char *path)
{
	const struct stats_job *job = inputs->state;
	const struct input_needs wants = {.columns = POLY_ALL_COLUMNS_INIT};
	struct poly_error error;
	struct poly_stats *stats = job->stats;
	struct command_input input;
	int status = STATUS_ERROR;
	if (!stats && poly_stats_new(&job->request.options, &stats, &error) != POLY_OK) {
		diag_error("stats", &error);
	} else if (input_open(&input, path, inputs->options, &wants)) {
		if (input_analyse(&input, stats, NULL) &&
			(job->stats || temp_store_finish_stats(stats, input.name)))
			status = report_input(inputs, &input, stats);
		if (status == STATUS_DONE && !job->stats && !write_phases(inputs, stats))
			status = STATUS_ERROR;
		output_flush(inputs->output);
		const int ended = input_close(&input);
		status = status > ended ? status : ended;
	}
	if (!job->stats)
		poly_stats_free(stats);
	return status;
}

/* Begins the report of all inputs; false: an error, which was printed. */
static bool
begin_report(struct stats_job *job, bool together)
{
	struct poly_error error;
	job->report = report_new();
	if (!together) {
		poly_report_list(job->report, "inputs");
		return true;
	}
	if (poly_stats_new(&job->request.options, &job->stats, &error) != POLY_OK) {
		diag_error("stats", &error);
		return false;
	}
	poly_report_table(job->report, "files");
	poly_report_column(job->report, "file", false);
	poly_report_column(job->report, "records", true);
	poly_report_column(job->report, "partial", false);
	return true;
}

/* Ends the report of all inputs. */
static int
end_report(struct inputs *inputs)
{
	struct stats_job *job = inputs->state;
	struct poly_report *report = job->report;
	poly_report_end(report);
	if (job->stats && !temp_store_finish_stats(job->stats, "stats"))
		return STATUS_ERROR;
	if (job->stats)
		poly_stats_report(job->stats, NULL, report);
	job->report = NULL;
	const int status = report_render(report, inputs->options, inputs->output);
	return !job->stats || write_phases(inputs, job->stats) ? status : STATUS_ERROR;
}

/* Returns whether any file of phases is requested. */
static bool
writes_phases(const struct stats_options *options)
{
	return options->vectors || options->simpoints || options->weights;
}

/* Returns whether the files of phases may be written; prints a message otherwise. */
static bool
phases_are_allowed(const struct stats_options *options, char **operands)
{
	const struct output_policy policy = {
		options->analysis.source.force, operands, {options->analysis.source.symbols}};
	return output_is_allowed(&policy, options->vectors) &&
	       output_is_allowed(&policy, options->simpoints) &&
	       output_is_allowed(&policy, options->weights);
}

/* Adds the analysis and the option that the files of phases need to a request. */
static void
request_phases(const struct stats_options *options, struct analysis_request *request)
{
	static const char *const phases_alone[] = {"phases", NULL};
	if (writes_phases(options) && !request->options.analyses && !request->options.all)
		request->options.analyses = phases_alone;
	const char *const *names = request->options.analyses;
	while (names && *names && strcmp(*names, "phases") != 0)
		names++;
	/* Without the analysis, writing the file fails. */
	if (!options->vectors || (names && !*names))
		return;
	analysis_words_set(&request->words, "phases", "vectors", "1");
	request->options.options = (const char *const *)request->words.items;
}

static int
stats_run(void *fields, char **operands)
{
	struct stats_options *options = fields;
	const bool one_report = options->together || options->side_by_side;
	struct stats_job job = {.stats = NULL};
	struct inputs inputs = {.options = &options->analysis.source,
		.command = options,
		.state = &job,
		.headed = !one_report,
		.process = stats_one,
		.finish = one_report ? end_report : NULL};
	int status = STATUS_ERROR;
	if (options->list)
		return stats_list(&options->analysis.source);
	if (options->together && options->side_by_side) {
		diag_print(NULL, "--together conflicts with --side-by-side; use one of them");
		return STATUS_ERROR;
	}
	if (writes_phases(options) && !options->together && operands[0] && operands[1]) {
		diag_print(NULL, "several inputs have phases of their own: one at a time, or "
				 "'--together'");
		return STATUS_ERROR;
	}
	if (!phases_are_allowed(options, operands))
		return STATUS_ERROR;
	bool ready = analysis_request_init(&job.request, &options->analysis);
	request_phases(options, &job.request);
	if (ready && (!one_report || begin_report(&job, options->together)))
		status = inputs_run(&inputs, operands);
	poly_report_free(job.report);
	poly_stats_free(job.stats);
	analysis_request_free(&job.request);
	return status;
}

const struct command command_stats = {
	.name = "stats",
	.group = GROUP_ANALYSE,
	.summary = "print statistics of execution, memory and synchronization",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace stats trace.tt6e",
		"polytrace stats -a mix,branches -O mix.top=5 trace.tt6"},
	.options = stats_tables,
	.options_size = sizeof(struct stats_options),
	.run = stats_run,
};
