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
#include "cli/files/spread_stats.h"
#include "cli/programs/ranks.h"
#include "cli/files/temp_store.h"
#include "cli/print/rendering.h"
#include "cli/print/simpoints.h"
#include "cli/files/inputs.h"
#include "cli/options/column_list.h"

#include <stdlib.h>
#include <string.h>

struct stats_options {
	struct analysis_options analysis; /* first: the options of the input */
	bool list, together, side_by_side;
	const char *vectors, *simpoints, *weights; /* files; NULL: not requested */
	const char *save;			   /* file of saved results; NULL: a report */
};

#define FIELD(member) .field = offsetof(struct stats_options, member)

static const struct opt stats_table[] = {
	{"list", FIELD(list), .help = "list the analyses and their options"},
	{"together", FIELD(together), .help = "combine all inputs into one population"},
	{"side-by-side", FIELD(side_by_side),
		.help = "report all inputs in one report, each by itself"},
	{"save", 0, OPT_TEXT, "FILE", FIELD(save),
		.help = "save the results to this file, to be merged with others, instead of "
			"reporting them"},
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
	struct poly_stats *stats;    /* of all inputs together; NULL: one per input */
	struct poly_report *report;  /* of all inputs, while it is built; NULL: one per input */
	const char *save;	     /* file of saved results; NULL: a report */
	struct saved_parts parts;    /* to be saved */
	const struct spread *spread; /* in several ranks; else NULL */
	size_t input;		     /* index of the next input of spread */
	struct poly_stats *collected; /* of all inputs together, by several ranks */
	bool failed;		      /* an input could not be read: nothing is saved */
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
		saved_report_row(input->name,
			input->selection ? poly_selection_count(input->selection)
					 : counts.records,
			input_is_partial(input), report);
		return STATUS_DONE;
	}
	if (job->report) {
		poly_report_section(report, NULL);
		poly_report_heading(report, input->name);
	}
	input_report_name(input, report, inputs->output);
	poly_stats_report(stats, NULL, report);
	if (!job->report)
		return report_render(report, inputs->options, inputs->output);
	poly_report_end(report);
	return STATUS_DONE;
}

/* Writes the requested files of phases; partial: of a partial input. */
static bool
write_phases(const struct inputs *inputs, const struct poly_stats *stats, bool partial)
{
	const struct stats_options *options = inputs->command;
	partial = partial && !inputs->options->partial;
	const bool good =
		analysis_file_write(stats, "phases", "vectors", options->vectors, partial) &&
		analysis_file_write(
			stats, "phases", "simpoints", options->simpoints, partial) &&
		analysis_file_write(stats, "phases", "weights", options->weights, partial);
	if (good && options->simpoints)
		simpoints_print_cold(options->simpoints);
	return good;
}

/* Reports an input that was analysed, or adds it to the parts to be saved. */
static int
end_input(const struct inputs *inputs, const struct command_input *input,
	struct poly_stats *stats)
{
	struct stats_job *job = inputs->state;
	if (job->save)
		return saved_add(&job->parts, input, inputs->options) ? STATUS_DONE
								      : STATUS_ERROR;
	if (!job->stats && !temp_store_finish_stats(stats, input->name))
		return STATUS_ERROR;
	return report_input(inputs, input, stats);
}

/* Creates the analyses of an open input, whose label states its warm-up; NULL: an error, which
 * was printed. */
static struct poly_stats *
new_analyses(const struct inputs *inputs, const struct command_input *input)
{
	const struct stats_options *options = inputs->command;
	const struct stats_job *job = inputs->state;
	struct poly_stats_options request = job->request.options;
	struct poly_error error;
	struct poly_stats *stats;
	if (!options->analysis.warmup.is_set)
		request.warmup = input_label_warmup(input);
	if (poly_stats_new(&request, &stats, &error) == POLY_OK)
		return stats;
	diag_error("stats", &error);
	return NULL;
}

static int
stats_one(struct inputs *inputs, const char *path)
{
	struct stats_job *job = inputs->state;
	const struct input_needs wants = {.columns = POLY_ALL_COLUMNS_INIT};
	struct poly_stats *stats = job->stats;
	struct command_input input;
	int status = STATUS_ERROR;
	if (input_open(&input, path, inputs->options, &wants)) {
		if (!stats)
			stats = new_analyses(inputs, &input);
		if (stats && input_analyse(&input, stats, NULL))
			status = end_input(inputs, &input, stats);
		if (status == STATUS_DONE && !job->stats &&
			!write_phases(inputs, stats, input_is_partial(&input)))
			status = STATUS_ERROR;
		output_flush(inputs->output);
		const int ended = input_close(&input);
		status = status > ended ? status : ended;
	}
	job->failed |= status == STATUS_ERROR;
	if (!job->stats)
		poly_stats_free(stats);
	return status;
}

/* Merges the results of an input into those of all; false: an error, which was printed. */
static bool
add_collected(struct stats_job *job, struct poly_stats *stats, const char *path)
{
	const struct poly_part *part = poly_stats_part_at(stats, 0);
	struct poly_error error;
	saved_report_row(diag_input_name(path), part->rows, part->is_partial, job->report);
	if (!job->collected) {
		job->collected = stats;
		return true;
	}
	const enum poly_status status = poly_stats_merge(job->collected, stats, &error);
	if (status != POLY_OK)
		diag_error(diag_input_name(path), &error);
	poly_stats_free(stats);
	return status == POLY_OK;
}

/* Reports the results of an input by several ranks. */
static int
report_collected(const struct inputs *inputs, const struct poly_stats *stats)
{
	const struct stats_job *job = inputs->state;
	struct poly_report *report = job->report ? job->report : report_new();
	if (job->report) {
		poly_report_section(report, NULL);
		poly_report_heading(report, poly_stats_part_at(stats, 0)->file);
	}
	saved_report_names(stats, report);
	poly_stats_report(stats, NULL, report);
	if (!job->report)
		return report_render(report, inputs->options, inputs->output);
	poly_report_end(report);
	return STATUS_DONE;
}

/* Collects the results of an input from all ranks, and reports them. */
static int
stats_collect(struct inputs *inputs, const char *path)
{
	struct stats_job *job = inputs->state;
	int status;
	struct poly_stats *stats = spread_collect(job->spread, job->input++, &status);
	if (!stats) {
		job->failed = true;
		return STATUS_ERROR;
	}
	if (job->stats)
		return add_collected(job, stats, path) ? status : STATUS_ERROR;
	int reported = STATUS_ERROR;
	if (temp_store_finish_stats(stats, diag_input_name(path)))
		reported = report_collected(inputs, stats);
	const bool partial = poly_stats_part_at(stats, 0)->is_partial;
	if (reported == STATUS_DONE && !write_phases(inputs, stats, partial))
		reported = STATUS_ERROR;
	poly_stats_free(stats);
	return reported > status ? reported : status;
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
	saved_report_columns(job->report);
	return true;
}

/* Ends the report of all inputs. */
static int
end_report(struct inputs *inputs)
{
	struct stats_job *job = inputs->state;
	struct poly_report *report = job->report;
	if (job->spread && job->failed)
		return STATUS_ERROR;
	if (job->collected) {
		poly_stats_free(job->stats);
		job->stats = job->collected;
		job->collected = NULL;
	}
	poly_report_end(report);
	if (job->stats && !temp_store_finish_stats(job->stats, "stats"))
		return STATUS_ERROR;
	if (job->stats)
		poly_stats_report(job->stats, NULL, report);
	job->report = NULL;
	inputs->output->tables.partial |= job->failed && !inputs->options->partial;
	const int status = report_render(report, inputs->options, inputs->output);
	return !job->stats || write_phases(inputs, job->stats, job->failed) ? status
									    : STATUS_ERROR;
}

/* Saves the results of all inputs. */
static int
end_saving(struct inputs *inputs)
{
	const struct stats_job *job = inputs->state;
	if (job->failed)
		return STATUS_ERROR;
	return saved_write(job->stats, &job->parts, job->save) ? STATUS_DONE : STATUS_ERROR;
}

/* Creates the analyses whose results are saved; false: an error, which was printed. */
static bool
begin_saving(struct stats_job *job, const struct input_options *options)
{
	struct poly_error error;
	if (!saved_is_allowed(options))
		return false;
	if (poly_stats_new(&job->request.options, &job->stats, &error) != POLY_OK) {
		diag_error("stats", &error);
		return false;
	}
	if (saved_can_save(job->stats, &error))
		return true;
	diag_error("--save", &error);
	return false;
}

/* Returns whether an option of the command conflicts with --save; prints a message. */
static bool
save_conflicts(const struct stats_options *options, bool writes_phases)
{
	const char *other = options->side_by_side ? "side-by-side"
			    : writes_phases	  ? "bbv, --simpoints and --weights"
						  : NULL;
	if (options->save && other)
		diag_print(NULL, "--save conflicts with --%s", other);
	return options->save && other;
}

/* Reports results that were loaded. */
static int
report_saved(struct inputs *inputs, struct poly_stats *stats)
{
	const struct poly_part *part = poly_stats_part_at(stats, 0);
	const char *name = poly_stats_part_at(stats, 1) ? "stats" : part->file;
	if (!temp_store_finish_stats(stats, name))
		return STATUS_ERROR;
	struct poly_report *report = report_new();
	saved_report_names(stats, report);
	poly_stats_report(stats, NULL, report);
	inputs->output = output_new();
	const int status = report_render(report, inputs->options, inputs->output);
	const int written = output_finish(inputs->output);
	if (!write_phases(inputs, stats, false))
		return STATUS_ERROR;
	return written > status ? written : status;
}

/* Merges saved results, and reports or saves them. */
static int
stats_merge_saved(const struct stats_options *options, char **operands)
{
	struct inputs inputs = {.options = &options->analysis.source, .command = options};
	const bool may_lack = options->analysis.source.partial;
	int status = STATUS_ERROR;
	for (char **path = operands; *path; path++) {
		if (!saved_is(*path)) {
			diag_print(
				*path, "not a file of saved results, as the other inputs are");
			return STATUS_ERROR;
		}
	}
	if (options->analysis.analyses || options->analysis.all) {
		diag_print(NULL,
			"saved results are of the analyses that they were saved with; "
			"omit --%s",
			options->analysis.all ? "all" : "analyses");
		return STATUS_ERROR;
	}
	struct poly_stats *stats = saved_load(operands);
	const bool needs_all = !options->save || (stats && poly_stats_part_at(stats, 1));
	if (stats && (may_lack || !needs_all || saved_is_complete(stats)))
		status = !options->save ? report_saved(&inputs, stats)
			 : saved_write(stats, NULL, options->save) ? STATUS_DONE
								   : STATUS_ERROR;
	poly_stats_free(stats);
	return status;
}

/* Returns whether any file of phases is requested. */
static bool
writes_phases(const struct stats_options *options)
{
	return options->vectors || options->simpoints || options->weights;
}

/* Returns whether the files may be written; prints a message otherwise. */
static bool
files_are_allowed(const struct stats_options *options, char **operands)
{
	const struct output_policy policy = {
		options->analysis.source.force, operands, {options->analysis.source.symbols}};
	return output_is_allowed(&policy, options->save) &&
	       output_is_allowed(&policy, options->vectors) &&
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

/* Returns whether a path is that of an earlier operand: a trace is in merged results once. */
static bool
is_repeated(char **operands, char **path)
{
	char **other = operands;
	while (other < path && strcmp(*other, *path) != 0)
		other++;
	return other < path;
}

/* Returns whether the results of inputs can be merged from several ranks. */
static bool
may_spread(const struct stats_job *job, char **operands)
{
	struct poly_stats *stats;
	struct poly_error error;
	for (char **path = operands; *path; path++) {
		if (strcmp(*path, "-") == 0 || (job->stats && is_repeated(operands, path)))
			return false;
	}
	if (job->save || !operands[0] ||
		poly_stats_new(&job->request.options, &stats, &error) != POLY_OK)
		return false;
	const bool may = saved_can_save(stats, &error);
	poly_stats_free(stats);
	return may;
}

/* Runs the command in one process, or in several ranks. */
static int
run_ranks(struct inputs *inputs, char **operands)
{
	struct stats_job *job = inputs->state;
	struct spread spread;
	int status = STATUS_DONE;
	if (ranks_count() == 1)
		return inputs_run(inputs, operands);
	inputs->is_separate = !inputs->finish;
	if (!may_spread(job, operands))
		return inputs->is_separate || !ranks_number() ? inputs_run(inputs, operands)
							      : STATUS_DONE;
	inputs->is_separate = false;
	spread_init(&spread, &job->request.options, inputs->options, operands);
	job->spread = &spread;
	inputs->process = stats_collect;
	if (ranks_number())
		status = spread_work(&spread);
	else
		status = inputs_run(inputs, operands);
	poly_stats_free(job->collected);
	spread_free(&spread);
	return status;
}

static int
stats_run(void *fields, char **operands)
{
	struct stats_options *options = fields;
	const bool one_report = options->together || options->side_by_side;
	struct stats_job job = {.save = options->save};
	struct inputs inputs = {.options = &options->analysis.source,
		.command = options,
		.state = &job,
		.headed = !one_report && !options->save,
		.process = stats_one,
		.finish = options->save ? end_saving
			  : one_report	? end_report
					: NULL};
	int status = STATUS_ERROR;
	if (options->list)
		return ranks_number() ? STATUS_DONE : stats_list(&options->analysis.source);
	if (options->together && options->side_by_side) {
		diag_print(NULL, "--together conflicts with --side-by-side; use one of them");
		return STATUS_ERROR;
	}
	if (writes_phases(options) && !options->together && operands[0] && operands[1]) {
		diag_print(NULL, "several inputs have phases of their own: one at a time, or "
				 "'--together'");
		return STATUS_ERROR;
	}
	if (save_conflicts(options, writes_phases(options)) ||
		!files_are_allowed(options, operands))
		return STATUS_ERROR;
	if (operands[0] && saved_is(operands[0]))
		return ranks_number() ? STATUS_DONE : stats_merge_saved(options, operands);
	bool ready = analysis_request_init(&job.request, &options->analysis);
	request_phases(options, &job.request);
	if (ready && options->save)
		ready = begin_saving(&job, &options->analysis.source);
	else if (ready && one_report)
		ready = begin_report(&job, options->together);
	if (ready)
		status = run_ranks(&inputs, operands);
	poly_report_free(job.report);
	poly_stats_free(job.stats);
	saved_parts_free(&job.parts);
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
	.is_divided = true,
	.run = stats_run,
};
