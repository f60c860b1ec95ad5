/* SPDX-License-Identifier: MIT */
/* polytrace sim: what parts of a processor would have done in traces. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/describe.h"
#include "cli/homework.h"
#include "cli/say.h"
#include "cli/source.h"
#include "cli/stage_files.h"
#include "cli/spare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_MOST 65536 /* bytes of a configuration */

struct sim_options {
	struct source_options source; /* first: the reading options are in it */
	struct opt_list settings;
	const char *sweep, *config, *course;
	struct opt_number warmup;
	struct stage_files stages;
	bool list;
};

static const struct opt sim_table[] = {
	{"set", 'S', OPT_LIST, "NAME=VALUE", NULL, offsetof(struct sim_options, settings),
		"set an option of the simulator, or of the homework"},
	{"sweep", 0, OPT_TEXT, "LIST", NULL, offsetof(struct sim_options, sweep),
		"caches, memories or pipelines as lists of values: 'size=1k..4M,ways=1,2,4,8'"},
	{"config", 0, OPT_TEXT, "FILE", NULL, offsetof(struct sim_options, config),
		"levels of caches as the file describes them"},
	{"course", 0, OPT_TEXT, "penn|wustl|sfsu", NULL, offsetof(struct sim_options, course),
		"do a homework of a course, with its programs' output"},
	{"list", 0, OPT_FLAG, NULL, NULL, offsetof(struct sim_options, list),
		"list the simulators, the homeworks and their options"},
	{"warmup", 0, OPT_NUMBER, "N", NULL, offsetof(struct sim_options, warmup),
		"do not count the first N records, but simulate them"},
	STAGE_FILES_OPTIONS(offsetof(struct sim_options, stages)),
	{0},
};

static const struct opt *const sim_tables[] = {
	sim_table, rendering_table, selection_table, source_table, NULL};

/* What is done with the inputs. */
struct sim_job {
	const char *names[2]; /* of the simulator; NULL */
	char **words;	      /* its options, with its name before theirs; NULL at the end */
};

static void
list_simulators(struct poly_report *report)
{
	const struct poly_analysis_info *info;
	poly_report_table(report, "simulators");
	poly_report_column(report, "name", false);
	poly_report_column(report, "summary", false);
	for (size_t i = 0; (info = poly_analysis_at(i)); i++) {
		if (!info->is_simulation)
			continue;
		poly_report_cell_text(report, info->name);
		poly_report_cell_text(report, info->summary);
	}
	poly_report_end(report);
}

/* The options of a simulator, without its name. */
static void
list_options(struct poly_report *report, const struct poly_analysis_info *info)
{
	const size_t prefix = strlen(info->name) + 1;
	for (const struct poly_option *option = info->options; option->name; option++) {
		char values[200], initial[60];
		describe_values(option, values, sizeof values);
		poly_report_cell_text(report, info->name);
		poly_report_cell_text(report, option->name + prefix);
		poly_report_cell_text(report, values);
		poly_report_cell_text(
			report, describe_initial(option, initial, sizeof initial));
		poly_report_cell_text(report, option->help);
	}
}

static int
sim_list(const struct source_options *options)
{
	const struct poly_analysis_info *info;
	if (!source_rendering_sound(options))
		return STATUS_TROUBLE;
	struct output *output = output_new();
	struct poly_report *report = source_report();
	list_simulators(report);
	poly_report_table(report, "options");
	poly_report_heading(report, "Options (-S NAME=VALUE)");
	poly_report_column(report, "simulator", false);
	poly_report_column(report, "option", false);
	poly_report_column(report, "values", false);
	poly_report_column(report, "default", false);
	poly_report_column(report, "meaning", false);
	for (size_t i = 0; (info = poly_analysis_at(i)); i++) {
		if (info->is_simulation)
			list_options(report, info);
	}
	poly_report_end(report);
	homework_list(report);
	const int status = source_render(report, options, output);
	const int written = output_finish(output);
	return written > status ? written : status;
}

/* What is asked of the library. */
static struct poly_stats_options
asked(const struct inputs *inputs)
{
	const struct sim_options *options = inputs->command;
	const struct sim_job *job = inputs->state;
	struct poly_stats_options asked = POLY_STATS_OPTIONS_INIT;
	asked.analyses = job->names;
	asked.options = (const char *const *)job->words;
	asked.warmup = options->warmup.value;
	asked.stores = &spare_stores;
	asked.threads = (unsigned)options->source.threads.value;
	return asked;
}

static int
sim_one(struct inputs *inputs, const char *path)
{
	const struct sim_options *options = inputs->command;
	const struct source_wants wants = {.columns = POLY_ALL_COLUMNS};
	const struct poly_stats_options stats_options = asked(inputs);
	struct poly_error error;
	struct poly_stats *stats;
	struct source source;
	int status = STATUS_TROUBLE;
	if (poly_stats_new(&stats_options, &stats, &error) != POLY_OK) {
		say_error("sim", &error);
		return STATUS_TROUBLE;
	}
	if (source_open(&source, path, inputs->options, &wants)) {
		if (source_feed(&source, stats, NULL) && spare_finish(stats, source.name)) {
			struct poly_report *report = source_report();
			source_report_name(&source, report);
			poly_stats_report(stats, report);
			status = source_render(report, inputs->options, inputs->output);
			if (!stage_files_write(&options->stages, stats))
				status = STATUS_TROUBLE;
		}
		output_flush(inputs->output);
		const int ended = source_close(&source);
		status = status > ended ? status : ended;
	}
	poly_stats_free(stats);
	return status;
}

/* A setting with the name of the simulator before it: "top=5" is "branch.top=5". */
static char *
prefixed(const char *simulator, const char *name, const char *value)
{
	const size_t size = strlen(simulator) + strlen(name) + strlen(value) + 2;
	char *word = say_allocate(size, 1);
	snprintf(word, size, "%s.%s%s", simulator, name, value);
	return word;
}

/* The contents of a file, which the caller frees; NULL, and told: it cannot be read. */
static char *
read_config(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = say_allocate(CONFIG_MOST + 2, 1);
	const size_t n = file ? fread(text, 1, CONFIG_MOST + 1, file) : 0;
	const bool failed = !file || ferror(file);
	if (failed)
		say(path, "cannot be read: %s", strerror(errno));
	else if (n > CONFIG_MOST)
		say(path, "more than %d bytes are no configuration", CONFIG_MOST);
	if (file)
		fclose(file);
	if (!failed && n <= CONFIG_MOST && strlen(text) == n)
		return text;
	if (!failed && n <= CONFIG_MOST)
		say(path, "a NUL byte, expected text");
	free(text);
	return NULL;
}

/* The configuration that is asked for, *config, NULL where none is. False, and told: it can't
 * be had. */
static bool
take_config(const struct sim_options *options, const char *simulator, char **config)
{
	*config = NULL;
	if (!options->config)
		return true;
	if (strcmp(simulator, "levels") != 0) {
		say("sim", "option '--config' is of simulator 'levels' alone, not of '%s'",
			simulator);
		return false;
	}
	*config = read_config(options->config);
	return *config;
}

/*
 * All settings so, NULL at the end. What is said by options of the command comes first. config:
 * text of a file, or NULL.
 */
static char **
settings_of(const struct sim_options *options, const char *simulator, const char *config)
{
	const struct opt_list *settings = &options->settings;
	char **words = say_allocate(settings->count + 4, sizeof *words);
	size_t n = 0;
	if (stage_files_any(&options->stages))
		words[n++] = prefixed(simulator, "count=100", "");
	if (options->sweep)
		words[n++] = prefixed(simulator, "sweep=", options->sweep);
	if (config)
		words[n++] = prefixed(simulator, "caches=", config);
	for (size_t i = 0; i < settings->count; i++)
		words[n++] = prefixed(simulator, settings->items[i], "");
	return words;
}

/* False, and told, where stages cannot go to files. */
static bool
stages_sound(const struct sim_options *options, char **operands)
{
	if (!stage_files_any(&options->stages))
		return true;
	if (strcmp(operands[0], "pipeline") != 0)
		say("sim", "--konata and --diagram are of 'pipeline', not of '%s'",
			operands[0]);
	else if (operands[1] && operands[2])
		say("sim", "--konata and --diagram take one input, found '%s' and '%s'",
			operands[1], operands[2]);
	else
		return true;
	return false;
}

/* Does a homework, which has none of the simulators' options. */
static int
sim_course(const struct sim_options *options, char **operands)
{
	const char *other = options->warmup.given		? "warmup"
			    : options->sweep			? "sweep"
			    : options->config			? "config"
			    : stage_files_any(&options->stages) ? "konata or --diagram"
								: NULL;
	if (!other)
		return homework_run(
			&options->source, options->course, &options->settings, operands);
	say("sim", "a homework prints one run over every record: --%s can't be with --course",
		other);
	return STATUS_TROUBLE;
}

static int
sim_run(void *fields, char **operands)
{
	const struct sim_options *options = fields;
	struct sim_job job = {{operands[0], NULL}, NULL};
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.state = &job,
		.headed = true,
		.one = sim_one};
	const struct poly_analysis_info *info =
		operands[0] ? poly_analysis_find(operands[0]) : NULL;
	if (options->list)
		return sim_list(&options->source);
	if (options->course)
		return sim_course(options, operands);
	if (!operands[0]) {
		say("sim", "no simulator is named; 'polytrace sim --list' shows them");
		return STATUS_TROUBLE;
	}
	if (!info || !info->is_simulation) {
		say("sim", "there is no simulator '%s'; 'polytrace sim --list' shows them",
			operands[0]);
		return STATUS_TROUBLE;
	}
	if (!stages_sound(options, operands))
		return STATUS_TROUBLE;
	char *config;
	if (!take_config(options, info->name, &config))
		return STATUS_TROUBLE;
	job.words = settings_of(options, info->name, config);
	free(config);
	const int status = inputs_run(&inputs, operands + 1);
	for (char **word = job.words; *word; word++)
		free(*word);
	free(job.words);
	return status;
}

const struct command command_sim = {
	.name = "sim",
	.summary = "simulate parts of a processor",
	.usage = "[options] SIMULATOR [FILE...]",
	.options = sim_tables,
	.options_size = sizeof(struct sim_options),
	.run = sim_run,
};
