/* SPDX-License-Identifier: MIT */
/* polytrace stats: what analyses tell of a trace. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/say.h"
#include "cli/source.h"

#include <stdlib.h>
#include <string.h>

struct stats_options {
	struct source_options source; /* first: the reading options are in it */
	const char *analyses;
	struct opt_list options;
	struct opt_number warmup;
	bool all;
};

static const struct opt stats_table[] = {
	{"analyses", 'a', OPT_TEXT, "LIST", NULL, offsetof(struct stats_options, analyses),
		"names of analyses separated by commas, instead of the usual ones"},
	{"all", 0, OPT_FLAG, NULL, NULL, offsetof(struct stats_options, all),
		"every analysis that suits the trace"},
	{"analysis-option", 'A', OPT_LIST, "NAME=VALUE", NULL,
		offsetof(struct stats_options, options), "an option of an analysis"},
	{0},
};

static const struct opt *const stats_tables[] = {
	stats_table, rendering_table, selection_table, source_table, NULL};

/* A list separated by commas as words, NULL at the end; text is cut, and words points into it.
 */
static const char **
split_list(char *text)
{
	size_t count = 2;
	for (const char *p = text; *p; p++)
		count += *p == ',';
	const char **words = say_allocate(count, sizeof *words);
	char *rest = NULL;
	count = 0;
	for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		words[count++] = word;
	return words;
}

/* Adds a source to what is told; false, and told, where that fails. */
static bool
add_source(struct source *source, struct poly_stats *stats)
{
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status =
		poly_stats_begin(stats, poly_reader_info(source->reader), &error);
	if (status == POLY_OK)
		source_want(source, poly_stats_columns(stats));
	while (status == POLY_OK && (batch = source_next(source)))
		status = poly_stats_update(stats, batch, &error);
	progress_clear(&source->progress);
	if (status != POLY_OK)
		say_error(source->name, &error);
	return status == POLY_OK;
}

static int
stats_one(struct inputs *inputs, const char *path)
{
	const struct stats_options *options = inputs->command;
	const struct source_wants wants = {.columns = POLY_ALL_COLUMNS};
	struct poly_stats_options asked = POLY_STATS_OPTIONS_INIT;
	struct poly_error error;
	struct poly_stats *stats;
	struct source source;
	int status = STATUS_TROUBLE;
	char *list = NULL;
	const char **names = NULL;
	if (options->analyses) {
		list = say_allocate(strlen(options->analyses) + 1, 1);
		strcpy(list, options->analyses);
		names = split_list(list);
	}
	asked.analyses = names;
	asked.options = options->options.items;
	asked.all = options->all;
	if (poly_stats_new(&asked, &stats, &error) != POLY_OK) {
		say_error("stats", &error);
	} else if (source_open(&source, path, inputs->options, &wants)) {
		if (add_source(&source, stats)) {
			struct poly_report *report = source_report();
			poly_report_text(report, "file", "File", source.name);
			if (source_partial(&source))
				poly_report_bool(report, "partial", "Partial", true);
			poly_stats_report(stats, report);
			status = source_render(report, inputs->options, inputs->output);
		}
		output_flush(inputs->output);
		const int ended = source_close(&source);
		status = status > ended ? status : ended;
	}
	poly_stats_free(stats);
	free(names);
	free(list);
	return status;
}

static int
stats_run(void *fields, char **operands)
{
	const struct stats_options *options = fields;
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.headed = true,
		.one = stats_one};
	return inputs_run(&inputs, operands);
}

const struct command command_stats = {
	.name = "stats",
	.summary = "analyse what was executed, accessed and waited for",
	.usage = "[options] [FILE...]",
	.options = stats_tables,
	.options_size = sizeof(struct stats_options),
	.run = stats_run,
};
