/* SPDX-License-Identifier: MIT */
/* polytrace report: a page that shows what is in traces. */
#include "polytrace/polytrace.h"

#include "cli/asked.h"
#include "cli/command.h"
#include "cli/save.h"
#include "cli/say.h"
#include "cli/spare.h"

#include <stdio.h>
#include <string.h>

struct report_options {
	struct asked_options asked; /* first: the reading options are in it */
	const char *output, *title;
};

static const struct opt report_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", NULL, offsetof(struct report_options, output),
		"write the page to this file ('-': standard output)"},
	{"title", 0, OPT_TEXT, "TEXT", NULL, offsetof(struct report_options, title),
		"the title of the page, instead of the names of the inputs"},
	{0},
};

static const struct opt *const report_tables[] = {
	report_table, asked_table, selection_table, source_table, NULL};

/* Room for a title of the inputs' names. */
#define TITLE_ROOM 400

/* The page as it is built. */
struct page {
	const struct report_options *options;
	struct asked asked;
	struct poly_report *report;
	bool several;
	size_t told; /* inputs that are in it */
	char title[TITLE_ROOM];
};

/* What is asked of one input, in one reading. */
struct answers {
	struct poly_summary *summary;
	struct poly_stats *stats;
};

/* Puts a source into the page: what it is first, then a section an analysis. */
static void
tell_source(struct page *page, const struct source *source, const struct answers *answers)
{
	struct poly_report *report = page->report;
	if (page->several) {
		poly_report_section(report, "input");
		poly_report_heading(report, source->name);
	}
	poly_report_section(report, "overview");
	source_report_name(source, report);
	poly_summary_figures(answers->summary, report);
	poly_summary_report(answers->summary, source->reader, report);
	poly_report_end(report);
	poly_stats_report(answers->stats, report);
	if (page->several)
		poly_report_end(report);
	page->told++;
}

/* The end of the title: another input's name, without its folders. */
static void
extend_title(struct page *page, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? say_input(path) : strrchr(path, '/');
	size_t used = strlen(page->title);
	name = !name ? path : *name == '/' ? name + 1 : name;
	snprintf(page->title + used, sizeof page->title - used, "%s%s", used ? ", " : "", name);
}

static int
report_one(struct inputs *inputs, const char *path)
{
	struct page *page = inputs->state;
	struct answers answers = {.summary = poly_summary_new()};
	struct source source;
	struct poly_error error;
	const struct source_wants wants = {.columns = POLY_ALL_COLUMNS, .lists_findings = true};
	int status = STATUS_TROUBLE;
	if (!answers.summary)
		say_no_memory();
	if (poly_stats_new(&page->asked.options, &answers.stats, &error) != POLY_OK) {
		say_error("report", &error);
	} else if (source_open(&source, path, inputs->options, &wants)) {
		if (source_feed(&source, answers.stats, answers.summary) &&
			spare_finish(answers.stats, source.name)) {
			tell_source(page, &source, &answers);
			extend_title(page, path);
			status = STATUS_DONE;
		}
		const int ended = source_close(&source);
		status = status > ended ? status : ended;
	}
	poly_stats_free(answers.stats);
	poly_summary_free(answers.summary);
	return status;
}

/* Writes the page to a sink; what is wrong with that one is told by whose it is. */
static bool
write_page(const struct page *page, const struct poly_sink *sink)
{
	struct poly_render_options options = POLY_RENDER_OPTIONS_INIT;
	struct poly_error error;
	options.rendering = POLY_RENDER_HTML;
	options.title = page->options->title ? page->options->title : page->title;
	enum poly_status status = poly_report_render_with(page->report, &options, sink, &error);
	if (status != POLY_OK && status != POLY_ERR_IO)
		say_error("report", &error);
	return status == POLY_OK || status == POLY_ERR_IO;
}

/* All inputs have been read before the output is touched. */
static int
report_write(struct inputs *inputs)
{
	const struct page *page = inputs->state;
	const char *path = page->options->output;
	if (page->several)
		poly_report_end(page->report);
	if (page->told == 0)
		return STATUS_TROUBLE;
	if (strcmp(path, "-") == 0) {
		const struct poly_sink sink = {output_write, inputs->output};
		return write_page(page, &sink) ? STATUS_DONE : STATUS_TROUBLE;
	}
	struct save save;
	save_begin(&save);
	const struct poly_sink sink = save_sink(&save);
	return save_end(&save, path, write_page(page, &sink)) ? STATUS_DONE : STATUS_TROUBLE;
}

/* True where the output is one of the inputs, which writing there would destroy. */
static bool
is_input(const char *output, char **operands)
{
	while (*operands && !source_same_file(*operands, output))
		operands++;
	return *operands;
}

static int
report_run(void *fields, char **operands)
{
	const struct report_options *options = fields;
	struct page page = {.options = options, .several = operands[0] && operands[1]};
	struct inputs inputs = {.options = &options->asked.source,
		.state = &page,
		.one = report_one,
		.last = report_write};
	int status = STATUS_TROUBLE;
	if (!options->output) {
		say("report", "no output: name a file with -o, or '-o -' for standard output");
		return STATUS_TROUBLE;
	}
	if (is_input(options->output, operands)) {
		say(options->output, "is read, and cannot be the output of '-o' too");
		return STATUS_TROUBLE;
	}
	page.report = source_report();
	if (page.several)
		poly_report_list(page.report, "inputs");
	if (asked_prepare(&page.asked, &options->asked))
		status = inputs_run(&inputs, operands);
	poly_report_free(page.report);
	asked_free(&page.asked);
	return status;
}

const struct command command_report = {
	.name = "report",
	.summary = "make a page with plots of what is in traces",
	.usage = "[options] -o OUT [FILE...]",
	.options = report_tables,
	.options_size = sizeof(struct report_options),
	.run = report_run,
};
