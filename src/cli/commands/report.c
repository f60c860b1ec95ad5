/* SPDX-License-Identifier: MIT */
/* polytrace report: an HTML page with tables and plots. */
#include "polytrace/byte_output.h"
#include "polytrace/polytrace.h"

#include "cli/options/analysis_options.h"
#include "cli/options/limits.h"
#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/print/diagnostics.h"
#include "cli/print/summary.h"
#include "cli/files/temp_store.h"
#include "cli/print/rendering.h"
#include "cli/files/inputs.h"

#include <stdio.h>
#include <string.h>

struct report_options {
	struct analysis_options analysis; /* first: the options of the input */
	const char *output, *title;
	bool force;
};

#define FIELD(member) .field = offsetof(struct report_options, member)

static const struct opt report_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", FIELD(output),
		.help = "write the page to OUT ('-': standard output)"},
	OUTPUT_FORCE_OPTION(offsetof(struct report_options, force)),
	{"title", 0, OPT_TEXT, "TEXT", FIELD(title),
		.help = "title of the page (default: the names of the inputs)"},
	{0},
};

static const struct opt *const report_tables[] = {report_table, analysis_options_table,
	limits_table, bounds_table, selection_table, input_table, NULL};

/* Room for the default title. */
#define TITLE_ROOM 400

/* The page that is being built. */
struct page {
	const struct report_options *options;
	struct analysis_request request;
	struct poly_report *report;
	bool several;
	bool partial; /* an input is incomplete */
	size_t count; /* inputs that it contains */
	size_t inputs;
	char title[TITLE_ROOM];
};

/* The analyses of one input. */
struct page_analyses {
	struct poly_stats *summary, *stats;
};

/* Adds an input to the page: an overview, then a section per analysis. */
static void
add_input(struct page *page, const struct command_input *input,
	const struct page_analyses *analyses)
{
	struct poly_report *report = page->report;
	if (page->several) {
		poly_report_section(report, "input");
		poly_report_heading(report, input->name);
	}
	poly_report_section(report, "overview");
	input_report_name(input, report, NULL);
	poly_stats_report(analyses->summary, "totals", report);
	report_summary(analyses->summary, input, report);
	poly_report_end(report);
	poly_stats_report(analyses->stats, NULL, report);
	if (page->several)
		poly_report_end(report);
	page->count++;
}

/* Appends the name of an input, without its folders, to the title. */
static void
extend_title(struct page *page, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? diag_input_name(path) : strrchr(path, '/');
	size_t used = strlen(page->title);
	name = !name ? path : *name == '/' ? name + 1 : name;
	snprintf(page->title + used, sizeof page->title - used, "%s%s", used ? ", " : "", name);
}

static int
report_one(struct inputs *inputs, const char *path)
{
	struct page *page = inputs->state;
	struct page_analyses analyses = {.summary = summary_new(inputs->options, true)};
	struct command_input input;
	struct poly_error error;
	const struct input_needs wants = {.columns = POLY_ALL_COLUMNS_INIT};
	int status = STATUS_ERROR;
	if (poly_stats_new(&page->request.options, &analyses.stats, &error) != POLY_OK) {
		diag_error("report", &error);
	} else if (input_open(&input, path, inputs->options, &wants)) {
		if (input_analyse(&input, analyses.stats, analyses.summary) &&
			temp_store_finish_stats(analyses.stats, input.name)) {
			summary_finish(analyses.summary);
			add_input(page, &input, &analyses);
			extend_title(page, path);
			page->partial |= input_is_partial(&input) || input_is_lost(&input);
			status = STATUS_DONE;
		}
		const int ended = input_close(&input);
		status = status > ended ? status : ended;
	}
	poly_stats_free(analyses.stats);
	poly_stats_free(analyses.summary);
	return status;
}

/* Writes the page to a sink, whose owner reports the errors of the sink. */
static bool
write_page(const struct page *page, const struct poly_sink *sink)
{
	struct poly_render_options options = POLY_RENDER_OPTIONS_INIT;
	struct poly_error error;
	options.rendering = POLY_RENDER_HTML;
	options.title = page->options->title ? page->options->title : page->title;
	enum poly_status status = poly_report_render_with(page->report, &options, sink, &error);
	if (status != POLY_OK && status != POLY_ERR_IO)
		diag_error("report", &error);
	return status == POLY_OK || status == POLY_ERR_IO;
}

/* Writes the page to a file; an existing one is not replaced by a partial page. */
static bool
save_page(const struct page *page, const char *path, bool partial)
{
	struct poly_byte_output *file;
	struct poly_error error;
	bool written = true;
	if (partial && !page->options->analysis.source.partial && !output_accepts_partial(path))
		return false;
	enum poly_status status =
		poly_byte_output_open(path, page->options->force, &file, &error);
	if (status == POLY_OK) {
		const struct poly_sink sink = {poly_byte_output_write, file};
		written = write_page(page, &sink);
	}
	if (status == POLY_OK && written)
		status = poly_byte_output_finish(file, &error);
	poly_byte_output_close(file);
	if (status != POLY_OK)
		diag_error(path, &error);
	return status == POLY_OK && written;
}

/* Writes the page, after all inputs have been read. */
static int
report_write(struct inputs *inputs)
{
	const struct page *page = inputs->state;
	const char *path = page->options->output;
	if (page->several)
		poly_report_end(page->report);
	if (page->count == 0)
		return STATUS_ERROR;
	if (strcmp(path, "-") == 0) {
		const struct poly_sink sink = {output_write, inputs->output};
		return write_page(page, &sink) ? STATUS_DONE : STATUS_ERROR;
	}
	const bool partial = page->partial || page->count < page->inputs;
	return save_page(page, path, partial) ? STATUS_DONE : STATUS_ERROR;
}

static int
report_run(void *fields, char **operands)
{
	struct report_options *options = fields;
	struct page page = {.options = options, .several = operands[0] && operands[1]};
	struct inputs inputs = {.options = &options->analysis.source,
		.state = &page,
		.process = report_one,
		.finish = report_write};
	int status = STATUS_ERROR;
	if (!options->output) {
		diag_print("report",
			"no output; name a file with -o, or '-o -' for standard output");
		return STATUS_ERROR;
	}
	const struct output_policy policy = {
		options->force, operands, {options->analysis.source.symbols}};
	if (!output_is_allowed(&policy, options->output))
		return STATUS_ERROR;
	for (page.inputs = 1; page.several && operands[page.inputs];)
		page.inputs++;
	page.report = report_new();
	if (page.several)
		poly_report_list(page.report, "inputs");
	if (analysis_request_init(&page.request, &options->analysis))
		status = inputs_run(&inputs, operands);
	poly_report_free(page.report);
	analysis_request_free(&page.request);
	return status;
}

const struct command command_report = {
	.name = "report",
	.group = GROUP_ANALYSE,
	.summary = "write an HTML report with tables and plots of traces",
	.usage = "[options] -o OUT [FILE...]",
	.examples = {"polytrace report -o page.html trace.tt6e",
		"polytrace report -a cache,branch -o caches.html trace.tt6"},
	.options = report_tables,
	.options_size = sizeof(struct report_options),
	.run = report_run,
};
