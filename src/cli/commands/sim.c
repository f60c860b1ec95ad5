/* SPDX-License-Identifier: MIT */
/* polytrace sim: simulates caches, TLBs, branch predictors and pipelines. */
#include "polytrace/polytrace.h"

#include "cli/options/analysis_words.h"
#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/options/describe.h"
#include "cli/options/limits.h"
#include "cli/print/homework.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/files/analysis_file.h"
#include "cli/files/temp_store.h"
#include "cli/print/rendering.h"
#include "cli/files/inputs.h"
#include "cli/files/spread_machines.h"
#include "cli/programs/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONFIG_MAX 65536 /* bytes of a configuration */

struct sim_options {
	struct input_options source; /* first: the reading options are in it */
	const char *sweep, *config, *course;
	const char *konata, *diagram; /* files; NULL: not requested */
	struct opt_number warmup;
	bool list;
};

#define FIELD(member) .field = offsetof(struct sim_options, member)

static const struct opt sim_table[] = {
	{"sweep", 0, OPT_TEXT, "LIST", FIELD(sweep),
		.help = "simulate every combination of lists of values: "
			"'size=1k..4M,ways=1,2,4,8'"},
	{"config", 0, OPT_TEXT, "FILE", FIELD(config),
		.help = "read the levels of a cache hierarchy from FILE (simulator levels)"},
	{"course", 0, OPT_TEXT, "penn|wustl|sfsu", FIELD(course),
		.help = "run a homework of a course, and print its output"},
	{"list", FIELD(list), .help = "list the simulators, the homeworks and their options"},
	{"warmup", 0, OPT_NUMBER, "N", FIELD(warmup),
		.help = "warm up: simulate the first N records without counting them"},
	{"konata", 0, OPT_TEXT, "FILE", FIELD(konata),
		.help = "write the stages of a pipeline to this file, a log for the Konata "
			"viewer"},
	{"diagram", 0, OPT_TEXT, "FILE", FIELD(diagram),
		.help = "draw the stages of a pipeline in this file, as SVG"},
	{0},
};

static const struct opt *const sim_tables[] = {sim_table, limits_table, rendering_table,
	tables_table, bounds_table, selection_table, input_table, NULL};

/* The simulation of each input. */
struct sim_job {
	const char *names[2]; /* of the simulator; NULL */
	struct analysis_words words;
	struct poly_stats_options initial; /* with its limits */
	struct spread_machines spread;
	uint64_t warmup; /* of the input, if the option is not used */
};

static void
list_simulators(struct poly_report *report)
{
	const struct poly_analysis_info *info;
	poly_report_table(report, "simulators");
	poly_report_column(report, "name", false);
	poly_report_column(report, "order_dependence", false);
	poly_report_column(report, "summary", false);
	for (size_t i = 0; (info = poly_analysis_at(i)); i++) {
		if (info->kind != POLY_ANALYSIS_SIMULATION)
			continue;
		poly_report_cell_text(report, info->name);
		poly_report_cell_text(report, poly_analysis_ordered(info->name));
		poly_report_cell_text(report, info->summary);
	}
	poly_report_end(report);
}

/* The options of a simulator, without its name. */
static void
list_options(struct poly_report *report, const struct poly_analysis_info *info)
{
	const size_t prefix = strlen(info->name) + 1;
	for (const struct poly_option *option = info->options; option && option->name;
		option++) {
		poly_report_cell_text(report, info->name);
		poly_report_cell_text(report, option->name + prefix);
		describe_cells(option, report);
	}
}

static int
sim_list(const struct input_options *options)
{
	const struct poly_analysis_info *info;
	if (!rendering_is_valid(options))
		return STATUS_ERROR;
	struct poly_report *report = report_new();
	list_simulators(report);
	poly_report_table(report, "options");
	poly_report_heading(report, "Options (-O NAME=VALUE)");
	poly_report_column(report, "simulator", false);
	poly_report_column(report, "option", false);
	describe_columns(report);
	for (size_t i = 0; (info = poly_analysis_at(i)); i++) {
		if (info->kind == POLY_ANALYSIS_SIMULATION)
			list_options(report, info);
	}
	poly_report_end(report);
	homework_list(report);
	return report_print_list(report, options);
}

/* Returns the options of the library. */
static struct poly_stats_options
request_simulation(const struct sim_options *options, const struct sim_job *job)
{
	struct poly_stats_options request = job->initial;
	request.analyses = job->names;
	request.options = (const char *const *)job->words.items;
	request.warmup = options->warmup.is_set ? options->warmup.value : job->warmup;
	request.stores = &temp_stores;
	request.threads = (unsigned)options->source.threads.value;
	return request;
}

/* Returns whether an error is that of --sweep alone. */
static bool
is_fault_of_sweep(const struct sim_options *options, const struct sim_job *job)
{
	struct sim_job alone = {.names = {job->names[0], NULL}, .initial = job->initial};
	struct poly_error error;
	struct poly_stats *stats = NULL;
	if (!options->sweep)
		return false;
	analysis_words_set(&alone.words, job->names[0], "sweep", options->sweep);
	const struct poly_stats_options request = request_simulation(options, &alone);
	const bool fails = poly_stats_new(&request, &stats, &error) != POLY_OK;
	poly_stats_free(stats);
	analysis_words_free(&alone.words);
	return fails;
}

/* Reports why a simulation cannot be set up, by the option at fault. */
static void
print_setup_error(const struct sim_options *options, const struct sim_job *job,
	const struct poly_error *error)
{
	char subject[300] = "sim";
	if (is_fault_of_sweep(options, job))
		snprintf(subject, sizeof subject, "--sweep %s", options->sweep);
	diag_error(subject, error);
}

/* Creates the simulation of an open input; NULL: a message was printed. */
static struct poly_stats *
new_simulation(const struct sim_options *options, struct sim_job *job,
	const struct command_input *input)
{
	job->warmup = options->warmup.is_set ? 0 : input_label_warmup(input);
	const struct poly_stats_options request = request_simulation(options, job);
	struct poly_error error;
	struct poly_stats *stats;
	if (poly_stats_new(&request, &stats, &error) != POLY_OK) {
		print_setup_error(options, job, &error);
		return NULL;
	}
	if (spread_machines_select(&job->spread, stats))
		return stats;
	poly_stats_free(stats);
	return NULL;
}

/* Simulates the records of an input; a spread_machines_fn. */
static struct poly_stats *
simulate_share(void *user, const char *path)
{
	const struct inputs *inputs = user;
	const struct input_needs wants = {.columns = POLY_ALL_COLUMNS_INIT};
	struct poly_stats *stats;
	struct command_input source;
	if (!input_open(&source, path, inputs->options, &wants))
		return NULL;
	stats = new_simulation(inputs->command, inputs->state, &source);
	if (!stats) {
		input_discard(&source);
		return NULL;
	}
	const bool ok = input_analyse(&source, stats, NULL) &&
			temp_store_read_again(stats, source.name);
	input_close(&source);
	if (ok)
		return stats;
	poly_stats_free(stats);
	return NULL;
}

/* Reports the simulation of an input. */
static int
report_simulation(const struct inputs *inputs, const struct command_input *source,
	const struct poly_stats *stats)
{
	const struct sim_options *options = inputs->command;
	struct poly_report *report = report_new();
	temp_store_print_limits(stats, source->name);
	input_report_name(source, report, inputs->output);
	const bool partial = inputs->output->tables.partial;
	poly_stats_report(stats, NULL, report);
	const int status = report_render(report, inputs->options, inputs->output);
	const bool written =
		analysis_file_write(stats, "pipeline", "konata", options->konata, partial) &&
		analysis_file_write(stats, "pipeline", "svg", options->diagram, partial);
	return written ? status : STATUS_ERROR;
}

static int
sim_one(struct inputs *inputs, const char *path)
{
	const struct input_needs wants = {.columns = POLY_ALL_COLUMNS_INIT};
	struct sim_job *job = inputs->state;
	struct poly_stats *stats = NULL;
	struct command_input source;
	int status = STATUS_ERROR;
	const bool is_open = input_open(&source, path, inputs->options, &wants);
	if (is_open)
		stats = new_simulation(inputs->command, job, &source);
	if (stats) {
		if (input_analyse(&source, stats, NULL) &&
			temp_store_read_again(stats, source.name) &&
			(ranks_count() == 1 || inputs->options->partial ||
				!input_is_partial(&source)) &&
			spread_machines_receive(&job->spread, stats, source.name))
			status = report_simulation(inputs, &source, stats);
		output_flush(inputs->output);
		const int ended = input_close(&source);
		status = status > ended ? status : ended;
	} else if (is_open) {
		input_discard(&source);
	}
	poly_stats_free(stats);
	return status;
}

/* Simulates the inputs in one process, or in several ranks. */
static int
run_ranks(struct inputs *inputs, char **operands)
{
	struct sim_job *job = inputs->state;
	const struct poly_stats_options request = request_simulation(inputs->command, job);
	int status = STATUS_DONE;
	spread_machines_init(&job->spread, &request, operands);
	if (job->spread.shares == 1)
		return inputs_run(inputs, operands);
	inputs->is_separate = false;
	if (!ranks_number())
		status = inputs_run(inputs, operands);
	else if (!spread_machines_work(&job->spread, operands, simulate_share, inputs))
		status = STATUS_ERROR;
	return status;
}

/* Returns the contents of a file, which the caller frees; NULL: an error, which was printed. */
static char *
read_config(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = diag_allocate(CONFIG_MAX + 2, 1);
	const size_t n = file ? fread(text, 1, CONFIG_MAX + 1, file) : 0;
	const bool failed = !file || ferror(file);
	if (failed)
		diag_print(path, "cannot read: %s", strerror(errno));
	else if (n > CONFIG_MAX)
		diag_print(
			path, "configuration too long (expected at most %d bytes)", CONFIG_MAX);
	if (file)
		fclose(file);
	if (!failed && n <= CONFIG_MAX && strlen(text) == n)
		return text;
	if (!failed && n <= CONFIG_MAX)
		diag_print(path, "found a NUL byte, expected text");
	free(text);
	return NULL;
}

/* Reads the file of --config, if there is one, into *config; false: an error, which was
 * printed. */
static bool
load_config(const struct sim_options *options, const char *simulator, char **config)
{
	*config = NULL;
	if (!options->config)
		return true;
	if (strcmp(simulator, "levels") != 0) {
		diag_print("--config", "not an option of simulator '%s' (expected levels)",
			simulator);
		return false;
	}
	*config = read_config(options->config);
	return *config;
}

/*
 * Collects the options of the simulator: those of the command's own switches first, then the
 * words of -O. config: text of a file, or NULL. False: an option is unknown, which was printed.
 */
static bool
collect_settings(struct sim_job *job, struct sim_options *options, const char *config)
{
	struct analysis_words words;
	const bool valid = analysis_words_take(&options->source.options, job->names, &words);
	if (options->konata || options->diagram)
		analysis_words_set(&job->words, job->names[0], "count", "100");
	if (options->sweep)
		analysis_words_set(&job->words, job->names[0], "sweep", options->sweep);
	if (config)
		analysis_words_set(&job->words, job->names[0], "caches", config);
	const bool limited =
		limits_set(&options->source, job->names, &job->words, &job->initial);
	for (size_t i = 0; i < words.count; i++)
		analysis_words_add(&job->words, "", words.items[i]);
	analysis_words_free(&words);
	return valid && limited;
}

/* Returns whether files of stages that exist may be replaced; prints a message otherwise. */
static bool
stages_are_allowed(const struct sim_options *options, char **operands)
{
	const struct output_policy policy = {options->source.force, operands + 1,
		{options->source.symbols, options->config}};
	return output_is_allowed(&policy, options->konata) &&
	       output_is_allowed(&policy, options->diagram);
}

/* Returns whether the files of stages can be written; prints a message otherwise. */
static bool
stages_are_valid(const struct sim_options *options, char **operands)
{
	if (!options->konata && !options->diagram)
		return true;
	const char *subject = options->konata ? "--konata" : "--diagram";
	if (strcmp(operands[0], "pipeline") != 0)
		diag_print(subject, "not an option of simulator '%s' (expected pipeline)",
			operands[0]);
	else if (operands[1] && operands[2])
		diag_print(subject, "several inputs (found '%s' and '%s', expected one)",
			operands[1], operands[2]);
	else
		return stages_are_allowed(options, operands);
	return false;
}

/* Runs a homework, which has none of the options of simulators. */
static int
run_course(struct sim_options *options, char **operands)
{
	const char *conflict = options->warmup.is_set	       ? "warmup"
			       : options->sweep		       ? "sweep"
			       : options->config	       ? "config"
			       : options->konata	       ? "konata"
			       : options->diagram	       ? "diagram"
			       : options->source.limit	       ? "limit"
			       : options->source.points.is_set ? "points"
			       : options->source.address       ? "address"
							       : NULL;
	if (!conflict)
		return homework_run(&options->source, options->course, operands);
	diag_print("sim",
		"--%s conflicts with --course: a homework is one run over all records",
		conflict);
	return STATUS_ERROR;
}

/* Lists the simulators as "a, b". */
static void
list_names(char *text, size_t size)
{
	const struct poly_analysis_info *info;
	size_t used = 0;
	for (size_t i = 0; (info = poly_analysis_at(i)) && used < size; i++) {
		if (info->kind == POLY_ANALYSIS_SIMULATION)
			used += (size_t)snprintf(
				text + used, size - used, "%s%s", used ? ", " : "", info->name);
	}
}

/* Finds the simulator of the first operand; NULL: there is none, and a message was printed. */
static const struct poly_analysis_info *
find_simulator(const char *name)
{
	char names[200] = "";
	const struct poly_analysis_info *info = name ? poly_analysis_find(name) : NULL;
	if (info && info->kind == POLY_ANALYSIS_SIMULATION)
		return info;
	list_names(names, sizeof names);
	if (!name || access(name, F_OK) == 0)
		diag_print("sim", "missing simulator (expected %s) before the input", names);
	else
		diag_print("sim", "no such simulator '%s' (expected %s)", name, names);
	return NULL;
}

static int
sim_run(void *fields, char **operands)
{
	struct sim_options *options = fields;
	struct sim_job job = {.names = {operands[0], NULL}, .initial = POLY_STATS_OPTIONS_INIT};
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.state = &job,
		.headed = true,
		.is_separate = true,
		.process = sim_one};
	if (options->list)
		return ranks_number() ? STATUS_DONE : sim_list(&options->source);
	if (options->course)
		return ranks_number() ? STATUS_DONE : run_course(options, operands);
	char *config;
	if (!find_simulator(operands[0]) || !stages_are_valid(options, operands) ||
		!load_config(options, operands[0], &config))
		return STATUS_ERROR;
	int status = STATUS_ERROR;
	if (collect_settings(&job, options, config))
		status = run_ranks(&inputs, operands + 1);
	free(config);
	analysis_words_free(&job.words);
	return status;
}

const struct command command_sim = {
	.name = "sim",
	.group = GROUP_SIMULATE,
	.summary = "simulate caches, TLBs, branch predictors and pipelines",
	.usage = "[options] SIMULATOR [FILE...]",
	.examples = {"polytrace sim branch -O top=3 trace.tt6e",
		"polytrace sim cache --sweep size=1k..64k trace.tt6"},
	.options = sim_tables,
	.options_size = sizeof(struct sim_options),
	.is_divided = true,
	.run = sim_run,
};
