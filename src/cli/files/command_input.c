/* SPDX-License-Identifier: MIT */
/* Inputs of all commands: their options, reading, messages and reports. */
#include "cli/files/command_input.h"

#include "cli/options/column_list.h"
#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/print/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Rows of a table with plots on a terminal, at most. */
#define TERMINAL_ROWS 40

static const char *const tail_limit[] = {"16777216", NULL};

const struct opt input_table[] = {
	{"from", 'f', OPT_TEXT, "FORMAT", NULL, offsetof(struct input_options, from),
		"read as FORMAT (default: detected by content)"},
	{"option", 'O', OPT_LIST, "NAME=VALUE", NULL, offsetof(struct input_options, options),
		"set an option of the input format, of an analysis or of a simulator; "
		"repeatable"},
	{"isa", 0, OPT_TEXT, "NAME", NULL, offsetof(struct input_options, isa),
		"instruction set of the opcodes (default: as the format defines it)"},
	{"strict", 0, OPT_FLAG, NULL, NULL, offsetof(struct input_options, strict),
		"treat warnings as errors"},
	{"on-error", 0, OPT_CHOICE, "stop|skip", opt_on_error,
		offsetof(struct input_options, on_error),
		"on corrupt input, stop (default) or resume at the next valid record"},
	{"threads", 0, OPT_NUMBER, "N", opt_threads, offsetof(struct input_options, threads),
		"number of threads (default 0: one per CPU, at most 16)"},
	{"max-line", 0, OPT_SIZE, "BYTES", opt_from_one,
		offsetof(struct input_options, max_line),
		"treat longer lines of text as corrupt (default: the limit of the format)"},
	{"verbose", 'v', OPT_FLAG, NULL, NULL, offsetof(struct input_options, verbose),
		"if no format is recognized, print the evidence for each format"},
	{"help", 'h', OPT_HELP, NULL, NULL, 0, "print this help"},
	{0},
};

const struct opt bounds_table[] = {
	{"skip", 's', OPT_NUMBER, "N", NULL, offsetof(struct input_options, skip),
		"skip the first N records"},
	{"count", 'n', OPT_NUMBER, "N", NULL, offsetof(struct input_options, count),
		"read at most N records"},
	{"range", 0, OPT_RANGE, "FIRST-LAST", NULL, offsetof(struct input_options, range),
		"read only records FIRST to LAST, numbered from 1; FIRST-: to the end"},
	{0},
};

const struct opt selection_table[] = {
	{"start-at", 0, OPT_TEXT, "EXPR", NULL, offsetof(struct input_options, start_at),
		"start at the first record for which EXPR is true; see polytrace-filter(7)"},
	{"stop-at", 0, OPT_TEXT, "EXPR", NULL, offsetof(struct input_options, stop_at),
		"stop after the first record for which EXPR is true"},
	{"from-time", 0, OPT_NUMBER, "T", NULL, offsetof(struct input_options, from_time),
		"skip records before time T, in ticks of the trace's clock"},
	{"to-time", 0, OPT_NUMBER, "T", NULL, offsetof(struct input_options, to_time),
		"skip records after time T"},
	{"where", 'w', OPT_TEXT, "EXPR", NULL, offsetof(struct input_options, where),
		"select the records for which EXPR is true: 'access == write and pc < 0x1000'"},
	{"symbols", 0, OPT_TEXT, "FILE", NULL, offsetof(struct input_options, symbols),
		"read names of addresses from an ELF file or nm output: 'pc in main'"},
	{"every", 0, OPT_NUMBER, "N", opt_from_one, offsetof(struct input_options, every),
		"select every Nth record, starting with the first"},
	{"sample", 0, OPT_NUMBER, "N", opt_from_one, offsetof(struct input_options, sample),
		"select a random sample of 1/N of the records"},
	{"seed", 0, OPT_NUMBER, "N", NULL, offsetof(struct input_options, seed),
		"random seed of --sample (default 0)"},
	{"head", 0, OPT_NUMBER, "N", NULL, offsetof(struct input_options, head),
		"select the first N records"},
	{"tail", 0, OPT_NUMBER, "N", tail_limit, offsetof(struct input_options, tail),
		"select the last N records, at most 16777216"},
	{0},
};

const struct opt rendering_table[] = {
	{"json", 0, OPT_FLAG, NULL, NULL, offsetof(struct input_options, json),
		"print JSON Lines"},
	{"csv", 0, OPT_FLAG, NULL, NULL, offsetof(struct input_options, csv), "print CSV"},
	{0},
};

/* Returns the number of an option, or the default. */
static uint64_t
number_or(const struct opt_number *number, uint64_t default_value)
{
	return number->is_set ? number->value : default_value;
}

/* Derives the selection from the options; returns whether it may exclude records. */
static bool
selects(const struct input_options *options, struct poly_selection_options *selection)
{
	const struct poly_selection_options initial = POLY_SELECTION_OPTIONS_INIT;
	*selection = initial;
	selection->start_at = options->start_at;
	selection->stop_at = options->stop_at;
	selection->where = options->where;
	selection->has_times = options->from_time.is_set || options->to_time.is_set;
	selection->from_time = options->from_time.value;
	selection->to_time = number_or(&options->to_time, UINT64_MAX);
	selection->every = options->every.value;
	selection->sample = options->sample.value;
	selection->seed = options->seed.value;
	selection->head = number_or(&options->head, UINT64_MAX);
	selection->tail = number_or(&options->tail, UINT64_MAX);
	return options->start_at || options->stop_at || options->where ||
	       selection->has_times || options->every.is_set || options->sample.is_set ||
	       options->head.is_set || options->tail.is_set;
}

bool
input_is_selected(const struct input_options *options)
{
	struct poly_selection_options selection;
	return selects(options, &selection) || options->skip.is_set || options->count.is_set ||
	       options->range.is_set;
}

/* Finds the addresses of a symbol, for expressions. */
static bool
find_symbol(void *symbols, const char *name, size_t length, uint64_t *first, uint64_t *last)
{
	const struct poly_symbol *symbol = poly_symbols_named(symbols, name, length);
	if (!symbol)
		return false;
	*first = symbol->address;
	*last = symbol->address + (symbol->size ? symbol->size - 1 : 0);
	return true;
}

/* Names the option of a faulty expression, if there is only one, for messages. */
static const char *
selection_name(const struct input_options *options)
{
	const int count = (options->where != NULL) + (options->start_at != NULL) +
			  (options->stop_at != NULL);
	if (count != 1)
		return "selection";
	return options->where ? "--where" : options->start_at ? "--start-at" : "--stop-at";
}

/* Creates the selection of an input; on failure, input->name names the cause. */
static enum poly_status
open_selection(
	struct command_input *input, const struct input_options *options, bool shows_sites)
{
	struct poly_selection_options selecting;
	const bool is_selected = selects(options, &selecting);
	enum poly_status status = POLY_OK;
	if (options->symbols) {
		input->name = diag_input_name(options->symbols);
		status = poly_symbols_open(options->symbols, &input->symbols, &input->error);
	}
	if (status != POLY_OK || !is_selected)
		return status;
	const struct poly_filter_names names = {find_symbol, input->symbols};
	selecting.names = input->symbols ? &names : NULL;
	selecting.keep_sites = shows_sites;
	input->name = selection_name(options);
	return poly_selection_new(&selecting, &input->selection, &input->error);
}

/* Fails if two options set the same bounds. */
static enum poly_status
check_range(struct command_input *input, const struct input_options *options)
{
	if (!options->range.is_set || (!options->skip.is_set && !options->count.is_set))
		return POLY_OK;
	input->name = "--range";
	input->error = (struct poly_error){.status = POLY_ERR_USAGE, .offset = POLY_NO_OFFSET};
	snprintf(input->error.message, sizeof input->error.message,
		"conflicts with --%s; use one of them",
		options->skip.is_set ? "skip" : "count");
	return POLY_ERR_USAGE;
}

/* Opens an input and its selection. */
static enum poly_status
open_selected(struct command_input *input, const struct input_options *options,
	const struct input_needs *needs, struct poly_read_options *reading)
{
	struct poly_error *error = &input->error;
	enum poly_status status = check_range(input, options);
	if (status == POLY_OK)
		status = open_selection(input, options, needs->shows_sites);
	if (status != POLY_OK)
		return status;
	input->name = diag_input_name(input->path);
	if (input->selection)
		reading->columns = poly_columns_union(
			reading->columns, poly_selection_columns(input->selection));
	status = poly_reader_open(input->path, reading, &input->reader, error);
	if (status == POLY_OK && input->selection)
		status = poly_selection_bind(
			input->selection, poly_reader_info(input->reader), error);
	return status;
}

/* Collects the evidence of the probe of one format. */
static void
add_probe(void *user, const struct poly_probe *probe)
{
	fprintf(user, "%s: %s (%d bits)\n", probe->format->name,
		*probe->evidence ? probe->evidence : "no match", probe->bits);
}

/* Opens an input, and prints the evidence for each format if none is recognized. */
static enum poly_status
open_verbosely(struct command_input *input, const struct input_options *options,
	const struct input_needs *needs, struct poly_read_options *reading)
{
	char *text = NULL, *rest = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		diag_no_memory();
	reading->on_probe = add_probe;
	reading->probe_user = stream;
	const enum poly_status status = open_selected(input, options, needs, reading);
	if (fclose(stream) != 0)
		diag_no_memory();
	for (const char *line = strtok_r(text, "\n", &rest); status < 0 && line;
		line = strtok_r(NULL, "\n", &rest))
		diag_print(input->name, "%s", line);
	free(text);
	return status;
}

bool
input_open(struct command_input *input, const char *path, const struct input_options *options,
	const struct input_needs *needs)
{
	memset(input, 0, sizeof *input);
	input->path = path;
	input->name = diag_input_name(path);
	/* Under strict reading the first finding is the error. */
	input->prints_findings = !needs->lists_findings && !options->strict;
	progress_start(&input->progress, needs->prints);
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	reading.format = options->from;
	reading.isa = options->isa;
	reading.columns = needs->columns;
	reading.options = options->options.items;
	reading.strict = options->strict && !needs->check;
	reading.skip_errors = options->on_error == ON_ERROR_SKIP;
	reading.check = needs->check;
	input->skip = reading.skip = options->skip.value;
	if (options->count.is_set)
		reading.count = options->count.value;
	if (options->range.is_set) {
		input->skip = reading.skip = options->range.first - 1;
		reading.count = options->range.last - reading.skip;
	}
	input->count_is_zero = options->count.is_set && !options->count.value;
	reading.threads = (unsigned)options->threads.value;
	reading.max_line = (size_t)options->max_line.value;
	reading.progress = progress_update;
	reading.user = &input->progress;
	input->status = options->verbose ? open_verbosely(input, options, needs, &reading)
					 : open_selected(input, options, needs, &reading);
	if (input->status == POLY_OK)
		return true;
	if (!needs->quiet)
		diag_error(input->name, &input->error);
	input_discard(input);
	return false;
}

void
input_project(struct command_input *input, poly_columns columns)
{
	if (input->selection)
		columns = poly_columns_union(columns, poly_selection_columns(input->selection));
	poly_reader_project(input->reader, columns);
}

const struct poly_batch *
input_next(struct command_input *input)
{
	const struct poly_batch *batch;
	input->status = input->selection
				? poly_selection_next(input->selection, input->reader, &batch,
					  &input->error)
				: poly_reader_next(input->reader, &batch, &input->error);
	return input->status == POLY_OK ? batch : NULL;
}

bool
input_is_partial(const struct command_input *input)
{
	return input->status < 0;
}

void
input_report_name(const struct command_input *input, struct poly_report *report)
{
	poly_report_text(report, "file", input->name);
	if (input_is_partial(input))
		poly_report_bool(report, "partial", true);
}

bool
input_analyse(
	struct command_input *input, struct poly_stats *stats, struct poly_summary *summary)
{
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status =
		poly_stats_begin(stats, poly_reader_info(input->reader), &error);
	if (status == POLY_OK)
		input_project(
			input, poly_columns_union(poly_stats_columns(stats),
				       summary ? poly_summary_columns() : POLY_NO_COLUMNS));
	if (status == POLY_OK && !summary && !input->selection &&
		poly_stats_accepts_weights(stats))
		poly_reader_accept_weights(input->reader);
	while (status == POLY_OK && (batch = input_next(input))) {
		if (summary)
			poly_summary_update(summary, batch);
		status = poly_stats_update(stats, batch, &error);
	}
	progress_clear(&input->progress);
	if (status != POLY_OK)
		diag_error(input->name, &error);
	return status == POLY_OK;
}

bool
finding_is_repeated(const struct poly_reader *reader, size_t i, const struct poly_rule *rule)
{
	struct poly_finding finding;
	while (i-- > 0) {
		if (poly_reader_finding_at(reader, i, &finding) && finding.rule == rule)
			return true;
	}
	return false;
}

/* Prints a finding: the location and number of violations of a rule. */
static void
print_finding(const struct command_input *input, const struct poly_finding *finding)
{
	struct poly_error first = {.record = finding->record, .offset = finding->offset};
	char suffix[60] = "";
	if (finding->count > 1)
		snprintf(suffix, sizeof suffix, " (first of %llu)",
			(unsigned long long)finding->count);
	snprintf(first.message, sizeof first.message, "%s %s: %.300s%s",
		severity_name(finding->rule->severity), finding->rule->code, finding->message,
		suffix);
	diag_error(input->name, &first);
}

bool
input_is_end(const struct command_input *input, const struct poly_finding *finding)
{
	return input->status < 0 && finding->rule->severity == POLY_ERROR &&
	       finding->record == input->error.record && finding->offset == input->error.offset;
}

static void
print_findings(const struct command_input *input)
{
	struct poly_finding finding;
	for (size_t i = 0; poly_reader_finding_at(input->reader, i, &finding); i++) {
		if (finding.rule->severity != POLY_NOTE && !input_is_end(input, &finding) &&
			!finding_is_repeated(input->reader, i, finding.rule))
			print_finding(input, &finding);
	}
}

static void
print_skipped(const struct command_input *input)
{
	struct poly_reader_counts counts;
	poly_reader_count(input->reader, &counts);
	if (counts.skipped_places)
		diag_print(input->name, "skipped %llu corrupt bytes in %llu region%s",
			(unsigned long long)counts.skipped_bytes,
			(unsigned long long)counts.skipped_places,
			counts.skipped_places == 1 ? "" : "s");
}

void
input_discard(struct command_input *input)
{
	progress_clear(&input->progress);
	poly_reader_close(input->reader);
	poly_selection_free(input->selection);
	poly_symbols_free(input->symbols);
	input->reader = NULL;
	input->selection = NULL;
	input->symbols = NULL;
}

void
input_print_end(const struct command_input *input)
{
	if (input->status == POLY_ERR_CANCELLED) {
		struct poly_reader_counts counts;
		poly_reader_count(input->reader, &counts);
		diag_print(input->name, "interrupted after %llu records; the result is partial",
			(unsigned long long)counts.records);
	} else if (input->status < 0) {
		diag_error(input->name, &input->error);
	}
}

/* Explains an empty result if --skip exceeds the length of the trace. */
static void
print_skip_excess(const struct command_input *input)
{
	struct poly_reader_counts counts;
	poly_reader_count(input->reader, &counts);
	if (input->skip && input->status == POLY_END && !counts.records &&
		!input->count_is_zero)
		diag_print(input->name, "no records: the trace has at most %llu records",
			(unsigned long long)input->skip);
}

int
input_close(struct command_input *input)
{
	progress_clear(&input->progress);
	print_skip_excess(input);
	if (input->prints_findings)
		print_findings(input);
	print_skipped(input);
	input_print_end(input);
	const bool none = input->selection && !poly_selection_count(input->selection);
	if (none && input->status >= 0)
		diag_print(input->name, "no records match the selection");
	input_discard(input);
	if (input->status < 0)
		return STATUS_ERROR;
	return none ? STATUS_NEGATIVE : STATUS_DONE;
}

bool
columns_print_unknown(const char *name, size_t n)
{
	char word[40];
	snprintf(word, sizeof word, "%.*s", (int)n, name);
	const char *nearest = poly_column_name(POLY_COLUMN_row);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const char *column = poly_column_name((enum poly_column)c);
		if (opt_distance(word, column) < opt_distance(word, nearest))
			nearest = column;
	}
	if (!n)
		diag_print(NULL, "missing column name (expected names separated by commas)");
	else if (opt_near(word, opt_distance(word, nearest)))
		diag_print(NULL, "no such column '%s'; did you mean '%s'?", word, nearest);
	else
		diag_print(
			NULL, "no such column '%s'; 'polytrace help columns' lists them", word);
	return false;
}

bool
columns_parse(const char *names, poly_columns *columns)
{
	struct column_list list;
	const bool known = column_list_parse(&list, names);
	*columns = list.set;
	return known;
}

bool
columns_name_site(const char *names)
{
	static const char name[] = "site";
	const size_t length = sizeof name - 1;
	for (; names && *names; names += *names == ',') {
		const size_t n = strcspn(names, ",");
		if (n == length && memcmp(names, name, n) == 0)
			return true;
		names += n;
	}
	return false;
}

poly_columns
columns_to_write(poly_columns columns)
{
	const poly_columns stored = poly_columns_common(columns, POLY_ALL_COLUMNS);
	bool sites = !poly_columns_equal(stored, POLY_ALL_COLUMNS) && POLY_HAS(stored, site);
	return sites ? POLY_ALL_COLUMNS : POLY_COLUMNS_EXCEPT(site);
}

void
columns_format_names(poly_columns columns, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT && used < size; c++) {
		if (poly_columns_has(columns, (enum poly_column)c))
			used += (size_t)snprintf(text + used, size - used, "%s%s",
				used ? ", " : "", poly_column_name((enum poly_column)c));
	}
}

enum poly_rendering
rendering_of_options(const struct input_options *options)
{
	if (options->json)
		return POLY_RENDER_JSON_LINE;
	return options->csv ? POLY_RENDER_CSV : POLY_RENDER_TEXT;
}

bool
rendering_is_valid(const struct input_options *options)
{
	if (options->json && options->csv)
		diag_print(NULL, "--json conflicts with --csv; use one of them");
	return !(options->json && options->csv);
}

const char *
severity_name(enum poly_severity severity)
{
	static const char *const names[] = {
		[POLY_NOTE] = "note", [POLY_WARNING] = "warning", [POLY_ERROR] = "error"};
	return names[severity];
}

struct poly_report *
report_new(void)
{
	struct poly_report *report = poly_report_new();
	if (!report)
		diag_no_memory();
	return report;
}

/* Renders a report with options to an output, and frees the report. */
static int
render_with(struct poly_report *report, const struct poly_render_options *options,
	struct output *output)
{
	struct poly_error error;
	const struct poly_sink sink = {output_write, output};
	enum poly_status status = poly_report_render_with(report, options, &sink, &error);
	poly_report_free(report);
	/* output_finish reports a failure of the output. */
	if (status == POLY_OK || output_failed(output))
		return STATUS_DONE;
	diag_print(NULL, "%s", error.message);
	return STATUS_ERROR;
}

int
report_render(
	struct poly_report *report, const struct input_options *options, struct output *output)
{
	struct poly_render_options rendering = POLY_RENDER_OPTIONS_INIT;
	rendering.rendering = rendering_of_options(options);
	if (rendering.rendering == POLY_RENDER_TEXT && term_draws()) {
		rendering.rendering = POLY_RENDER_TERMINAL;
		rendering.width = term_width();
		rendering.color = term_colored(TERM_AUTO);
		rendering.rows = TERMINAL_ROWS;
	}
	return render_with(report, &rendering, output);
}

int
report_print_list(struct poly_report *report, const struct input_options *options)
{
	struct output *output = output_new();
	struct poly_render_options rendering = POLY_RENDER_OPTIONS_INIT;
	rendering.rendering = rendering_of_options(options);
	rendering.width = term_width();
	const int status = render_with(report, &rendering, output);
	const int written = output_finish(output);
	return written > status ? written : status;
}

static int
run_all(struct inputs *inputs, char **paths)
{
	int worst = STATUS_DONE;
	bool headed = inputs->headed && paths[0] && paths[1] &&
		      rendering_of_options(inputs->options) == POLY_RENDER_TEXT;
	for (char **path = paths; *path && !output_failed(inputs->output); path++) {
		if (headed) {
			output_text(inputs->output, path == paths ? "==> " : "\n==> ");
			output_text(inputs->output, diag_input_name(*path));
			output_text(inputs->output, " <==\n");
		}
		if (path != paths && rendering_of_options(inputs->options) == POLY_RENDER_CSV)
			output_text(inputs->output, "\n");
		int status = inputs->process(inputs, *path);
		if (status > worst)
			worst = status;
		if (progress_interrupted())
			break;
		/* The output of one input precedes the messages of the next. */
		output_flush(inputs->output);
	}
	const int last = inputs->finish ? inputs->finish(inputs) : STATUS_DONE;
	return last > worst ? last : worst;
}

int
inputs_run(struct inputs *inputs, char **operands)
{
	char standard_input[] = "-", *only[] = {standard_input, NULL};
	int status = STATUS_ERROR;
	inputs->output = output_new();
	if (!rendering_is_valid(inputs->options))
		status = STATUS_ERROR;
	else if (!operands[0] && term_input())
		diag_print(NULL, "no input; name a file, or '-' for standard input");
	else
		status = run_all(inputs, operands[0] ? operands : only);
	int written = output_finish(inputs->output);
	return written > status ? written : status;
}

bool
same_file(const char *a, const char *b)
{
	struct stat first, second;
	return a && b && strcmp(a, "-") != 0 && strcmp(b, "-") != 0 && stat(a, &first) == 0 &&
	       S_ISREG(first.st_mode) && stat(b, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}
