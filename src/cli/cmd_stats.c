/* SPDX-License-Identifier: MIT */
/* polytrace stats: what analyses tell of traces. */
#include "polytrace/polytrace.h"

#include "cli/asked.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/phase_files.h"
#include "cli/say.h"
#include "cli/spare.h"

#include <stdlib.h>

struct stats_options {
	struct asked_options asked; /* first: the reading options are in it */
	bool list, together, side_by_side;
	struct phase_files phases;
};

static const struct opt stats_table[] = {
	{"list", 0, OPT_FLAG, NULL, NULL, offsetof(struct stats_options, list),
		"list the analyses and their options"},
	{"together", 0, OPT_FLAG, NULL, NULL, offsetof(struct stats_options, together),
		"count all inputs as one population"},
	{"side-by-side", 0, OPT_FLAG, NULL, NULL, offsetof(struct stats_options, side_by_side),
		"tell of all inputs in one report"},
	PHASE_FILES_OPTIONS(offsetof(struct stats_options, phases)),
	{0},
};

static const struct opt *const stats_tables[] = {
	asked_table, stats_table, rendering_table, selection_table, source_table, NULL};

/* What is done with the inputs. */
struct stats_job {
	struct asked asked;
	const char **words;	    /* options of analyses, where there are more than given */
	struct poly_stats *stats;   /* of all inputs, where they are taken together */
	struct poly_report *report; /* of all inputs, where there is one; it is being built */
};

static void
list_analyses(struct poly_report *report)
{
	const struct poly_analysis_info *info;
	poly_report_table(report, "analyses");
	poly_report_heading(report, "Analyses (-a NAME,...)");
	poly_report_column(report, "name", false);
	poly_report_column(report, "default", false);
	poly_report_column(report, "required_columns", false);
	poly_report_column(report, "summary", false);
	for (size_t i = 0; (info = poly_analysis_at(i)) && !info->is_simulation; i++) {
		char needs[200];
		source_column_names(info->needs, needs, sizeof needs);
		poly_report_cell_text(report, info->name);
		poly_report_cell_text(report, info->is_default ? "yes" : NULL);
		poly_report_cell_text(report, needs);
		poly_report_cell_text(report, info->summary);
	}
	poly_report_end(report);
}

static void
list_options(struct poly_report *report)
{
	const struct poly_analysis_info *info;
	poly_report_table(report, "options");
	poly_report_heading(report, "Options (-A NAME=VALUE)");
	poly_report_column(report, "option", false);
	poly_report_column(report, "values", false);
	poly_report_column(report, "default", false);
	poly_report_column(report, "meaning", false);
	for (size_t i = 0; (info = poly_analysis_at(i)) && !info->is_simulation; i++) {
		for (const struct poly_option *option = info->options; option->name; option++) {
			char values[200], initial[60];
			describe_values(option, values, sizeof values);
			poly_report_cell_text(report, option->name);
			poly_report_cell_text(report, values);
			poly_report_cell_text(
				report, describe_initial(option, initial, sizeof initial));
			poly_report_cell_text(report, option->help);
		}
	}
	poly_report_end(report);
}

static int
stats_list(const struct source_options *options)
{
	if (!source_rendering_sound(options))
		return STATUS_TROUBLE;
	struct output *output = output_new();
	struct poly_report *report = source_report();
	list_analyses(report);
	list_options(report);
	const int status = source_render(report, options, output);
	const int written = output_finish(output);
	return written > status ? written : status;
}

/* Tells of a source, in the report of all inputs or in one of its own. */
static int
tell_source(const struct inputs *inputs, const struct source *source,
	const struct poly_stats *stats)
{
	const struct stats_job *job = inputs->state;
	struct poly_report *report = job->report ? job->report : source_report();
	if (job->stats) {
		struct poly_reader_counts counts;
		poly_reader_count(source->reader, &counts);
		poly_report_cell_text(report, source->name);
		poly_report_cell_count(report, source->selection
						       ? poly_selection_count(source->selection)
						       : counts.records);
		poly_report_cell_text(report, source_partial(source) ? "yes" : NULL);
		return STATUS_DONE;
	}
	if (job->report) {
		poly_report_section(report, NULL);
		poly_report_heading(report, source->name);
	}
	source_report_name(source, report);
	poly_stats_report(stats, report);
	if (!job->report)
		return source_render(report, inputs->options, inputs->output);
	poly_report_end(report);
	return STATUS_DONE;
}

/* Writes the files of phases that are asked for. */
static bool
write_phases(const struct inputs *inputs, const struct poly_stats *stats)
{
	const struct stats_options *options = inputs->command;
	return phase_files_write(&options->phases, stats);
}

static int
stats_one(struct inputs *inputs, const char *path)
{
	const struct stats_job *job = inputs->state;
	const struct source_wants wants = {.columns = POLY_ALL_COLUMNS};
	struct poly_error error;
	struct poly_stats *stats = job->stats;
	struct source source;
	int status = STATUS_TROUBLE;
	if (!stats && poly_stats_new(&job->asked.options, &stats, &error) != POLY_OK) {
		say_error("stats", &error);
	} else if (source_open(&source, path, inputs->options, &wants)) {
		if (source_feed(&source, stats, NULL) &&
			(job->stats || spare_finish(stats, source.name)))
			status = tell_source(inputs, &source, stats);
		if (status == STATUS_DONE && !job->stats && !write_phases(inputs, stats))
			status = STATUS_TROUBLE;
		output_flush(inputs->output);
		const int ended = source_close(&source);
		status = status > ended ? status : ended;
	}
	if (!job->stats)
		poly_stats_free(stats);
	return status;
}

/* Begins the report of all inputs; false, and told, where that fails. */
static bool
begin_report(struct stats_job *job, bool together)
{
	struct poly_error error;
	job->report = source_report();
	if (!together) {
		poly_report_list(job->report, "inputs");
		return true;
	}
	if (poly_stats_new(&job->asked.options, &job->stats, &error) != POLY_OK) {
		say_error("stats", &error);
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
	if (job->stats && !spare_finish(job->stats, "stats"))
		return STATUS_TROUBLE;
	if (job->stats)
		poly_stats_report(job->stats, report);
	job->report = NULL;
	const int status = source_render(report, inputs->options, inputs->output);
	return !job->stats || write_phases(inputs, job->stats) ? status : STATUS_TROUBLE;
}

static int
stats_run(void *fields, char **operands)
{
	const struct stats_options *options = fields;
	const bool one_report = options->together || options->side_by_side;
	struct stats_job job = {.stats = NULL};
	struct inputs inputs = {.options = &options->asked.source,
		.command = options,
		.state = &job,
		.headed = !one_report,
		.one = stats_one,
		.last = one_report ? end_report : NULL};
	int status = STATUS_TROUBLE;
	if (options->list)
		return stats_list(&options->asked.source);
	if (options->together && options->side_by_side) {
		say(NULL, "options '--together' and '--side-by-side' exclude each other");
		return STATUS_TROUBLE;
	}
	if (phase_files_any(&options->phases) && !options->together && operands[0] &&
		operands[1]) {
		say(NULL, "several inputs have phases of their own: one at a time, or "
			  "'--together'");
		return STATUS_TROUBLE;
	}
	bool ready = asked_prepare(&job.asked, &options->asked);
	job.words = phase_files_ask(&options->phases, &job.asked.options);
	if (ready && (!one_report || begin_report(&job, options->together)))
		status = inputs_run(&inputs, operands);
	poly_report_free(job.report);
	poly_stats_free(job.stats);
	free(job.words);
	asked_free(&job.asked);
	return status;
}

const struct command command_stats = {
	.name = "stats",
	.summary = "analyse what was executed, accessed and waited for",
	.usage = "[options] [FILE...]",
	.options = stats_tables,
	.options_size = sizeof(struct stats_options),
	.run = stats_run,
};
