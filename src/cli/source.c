/* SPDX-License-Identifier: MIT */
/* Reading of inputs for all commands. */
#include "cli/source.h"

#include "cli/command.h"
#include "cli/say.h"
#include "cli/term.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Most rows that a table with plots has on a terminal. */
#define TERMINAL_ROWS 40

static const char *const tail_most[] = {"16777216", NULL};

const struct opt source_table[] = {
	{"from", 'f', OPT_TEXT, "FORMAT", NULL, offsetof(struct source_options, from),
		"read as this format, whatever the content looks like"},
	{"option", 'O', OPT_LIST, "NAME=VALUE", NULL, offsetof(struct source_options, options),
		"set an option of the format read; 'polytrace formats NAME' lists them"},
	{"isa", 0, OPT_TEXT, "NAME", NULL, offsetof(struct source_options, isa),
		"the instruction set that opcodes are of, which is else known by the format"},
	{"skip", 's', OPT_NUMBER, "N", NULL, offsetof(struct source_options, skip),
		"leave out the first N records"},
	{"count", 'n', OPT_NUMBER, "N", NULL, offsetof(struct source_options, count),
		"take no more than N records"},
	{"range", 0, OPT_RANGE, "FIRST-LAST", NULL, offsetof(struct source_options, range),
		"take only records of these numbers, from 1; FIRST-: to the end"},
	{"strict", 0, OPT_FLAG, NULL, NULL, offsetof(struct source_options, strict),
		"treat warnings as errors"},
	{"on-error", 0, OPT_CHOICE, "stop|skip", opt_on_error,
		offsetof(struct source_options, on_error),
		"at damage stop (the default), or go on at the next sound record"},
	{"threads", 0, OPT_NUMBER, "N", opt_threads, offsetof(struct source_options, threads),
		"decode with N threads, 64 at most; 0 (the default): one a processor, 16 at "
		"most"},
	{"max-line", 0, OPT_NUMBER, "N", opt_from_one,
		offsetof(struct source_options, max_line),
		"take a line of text of more than N bytes for damage; the format's own limit, "
		"4096 or more, stays"},
	{"help", 'h', OPT_HELP, NULL, NULL, 0, "print this help"},
	{0},
};

const struct opt selection_table[] = {
	{"start-at", 0, OPT_TEXT, "EXPR", NULL, offsetof(struct source_options, start_at),
		"begin with the first record for which this holds; see polytrace-filter(7)"},
	{"stop-at", 0, OPT_TEXT, "EXPR", NULL, offsetof(struct source_options, stop_at),
		"end with the first record for which this holds"},
	{"from-time", 0, OPT_NUMBER, "T", NULL, offsetof(struct source_options, from_time),
		"leave out records before this time, in ticks of the trace's clock"},
	{"to-time", 0, OPT_NUMBER, "T", NULL, offsetof(struct source_options, to_time),
		"leave out records after this time"},
	{"where", 'w', OPT_TEXT, "EXPR", NULL, offsetof(struct source_options, where),
		"take only records for which this holds: 'access == write and pc < 0x1000'"},
	{"symbols", 0, OPT_TEXT, "FILE", NULL, offsetof(struct source_options, symbols),
		"names for addresses, of an ELF file or a list of nm: 'pc in main'"},
	{"every", 0, OPT_NUMBER, "N", opt_from_one, offsetof(struct source_options, every),
		"of those take the first of every N"},
	{"sample", 0, OPT_NUMBER, "N", opt_from_one, offsetof(struct source_options, sample),
		"of those take each by a chance of one in N"},
	{"seed", 0, OPT_NUMBER, "N", NULL, offsetof(struct source_options, seed),
		"another chance; the same seed takes the same records"},
	{"head", 0, OPT_NUMBER, "N", NULL, offsetof(struct source_options, head),
		"of those take the first N"},
	{"tail", 0, OPT_NUMBER, "N", tail_most, offsetof(struct source_options, tail),
		"of those take the last N"},
	{0},
};

const struct opt rendering_table[] = {
	{"json", 0, OPT_FLAG, NULL, NULL, offsetof(struct source_options, json),
		"print JSON Lines"},
	{"csv", 0, OPT_FLAG, NULL, NULL, offsetof(struct source_options, csv), "print CSV"},
	{0},
};

/* The number that an option gives, or what stands for none. */
static uint64_t
number_or(const struct opt_number *number, uint64_t none)
{
	return number->given ? number->value : none;
}

/* What the options select; false where that is every record. */
static bool
selects(const struct source_options *options, struct poly_selection_options *selecting)
{
	const struct poly_selection_options initial = POLY_SELECTION_OPTIONS_INIT;
	*selecting = initial;
	selecting->start_at = options->start_at;
	selecting->stop_at = options->stop_at;
	selecting->where = options->where;
	selecting->has_times = options->from_time.given || options->to_time.given;
	selecting->from_time = options->from_time.value;
	selecting->to_time = number_or(&options->to_time, UINT64_MAX);
	selecting->every = options->every.value;
	selecting->sample = options->sample.value;
	selecting->seed = options->seed.value;
	selecting->head = number_or(&options->head, UINT64_MAX);
	selecting->tail = number_or(&options->tail, UINT64_MAX);
	return options->start_at || options->stop_at || options->where ||
	       selecting->has_times || options->every.given || options->sample.given ||
	       options->head.given || options->tail.given;
}

bool
source_selects(const struct source_options *options)
{
	struct poly_selection_options selecting;
	return selects(options, &selecting) || options->skip.given || options->count.given ||
	       options->range.given;
}

/* The addresses of a symbol, for expressions. */
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

/* Makes what selects of the input; where that fails, the name of what is at fault is set. */
static enum poly_status
make_selection(struct source *source, const struct source_options *options, bool shows_sites)
{
	struct poly_selection_options selecting;
	const bool is_selected = selects(options, &selecting);
	enum poly_status status = POLY_OK;
	if (options->symbols) {
		source->name = say_input(options->symbols);
		status = poly_symbols_open(options->symbols, &source->symbols, &source->error);
	}
	if (status != POLY_OK || !is_selected)
		return status;
	const struct poly_filter_names names = {find_symbol, source->symbols};
	selecting.names = source->symbols ? &names : NULL;
	selecting.keep_sites = shows_sites;
	source->name = "selection";
	return poly_selection_new(&selecting, &source->selection, &source->error);
}

/* Records are told by numbers, or by how many: both would say two things. */
static enum poly_status
check_range(struct source *source, const struct source_options *options)
{
	if (!options->range.given || (!options->skip.given && !options->count.given))
		return POLY_OK;
	source->name = "selection";
	source->error = (struct poly_error){.status = POLY_ERR_USAGE, .offset = POLY_NO_OFFSET};
	snprintf(source->error.message, sizeof source->error.message,
		"options '--range' and '--%s' exclude each other",
		options->skip.given ? "skip" : "count");
	return POLY_ERR_USAGE;
}

/* Opens the input, and what selects of it. */
static enum poly_status
open_selected(struct source *source, const struct source_options *options,
	const struct source_wants *wants, struct poly_read_options *reading)
{
	struct poly_error *error = &source->error;
	enum poly_status status = check_range(source, options);
	if (status == POLY_OK)
		status = make_selection(source, options, wants->shows_sites);
	if (status != POLY_OK)
		return status;
	source->name = say_input(source->path);
	if (source->selection)
		reading->columns |= poly_selection_columns(source->selection);
	status = poly_reader_open(source->path, reading, &source->reader, error);
	if (status == POLY_OK && source->selection)
		status = poly_selection_bind(
			source->selection, poly_reader_info(source->reader), error);
	return status;
}

bool
source_open(struct source *source, const char *path, const struct source_options *options,
	const struct source_wants *wants)
{
	memset(source, 0, sizeof *source);
	source->path = path;
	source->name = say_input(path);
	/* Under strict reading the first finding is the error. */
	source->tells_findings = !wants->lists_findings && !options->strict;
	progress_start(&source->progress, wants->prints);
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	reading.format = options->from;
	reading.isa = options->isa;
	reading.columns = wants->columns;
	reading.options = options->options.items;
	reading.strict = options->strict && !wants->check;
	reading.skip_errors = options->on_error == ON_ERROR_SKIP;
	reading.check = wants->check;
	source->skip = reading.skip = options->skip.value;
	if (options->count.given)
		reading.count = options->count.value;
	if (options->range.given) {
		source->skip = reading.skip = options->range.first - 1;
		reading.count = options->range.last - reading.skip;
	}
	source->count_is_zero = options->count.given && !options->count.value;
	reading.threads = (unsigned)options->threads.value;
	reading.max_line = (size_t)options->max_line.value;
	reading.progress = progress_update;
	reading.user = &source->progress;
	source->status = open_selected(source, options, wants, &reading);
	if (source->status == POLY_OK)
		return true;
	if (!wants->quiet)
		say_error(source->name, &source->error);
	source_drop(source);
	return false;
}

void
source_want(struct source *source, poly_columns columns)
{
	if (source->selection)
		columns |= poly_selection_columns(source->selection);
	poly_reader_project(source->reader, columns);
}

const struct poly_batch *
source_next(struct source *source)
{
	const struct poly_batch *batch;
	source->status = source->selection
				 ? poly_selection_next(source->selection, source->reader,
					   &batch, &source->error)
				 : poly_reader_next(source->reader, &batch, &source->error);
	return source->status == POLY_OK ? batch : NULL;
}

bool
source_partial(const struct source *source)
{
	return source->status < 0;
}

void
source_report_name(const struct source *source, struct poly_report *report)
{
	poly_report_text(report, "file", source->name);
	if (source_partial(source))
		poly_report_bool(report, "partial", true);
}

bool
source_feed(struct source *source, struct poly_stats *stats, struct poly_summary *summary)
{
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status =
		poly_stats_begin(stats, poly_reader_info(source->reader), &error);
	if (status == POLY_OK)
		source_want(source,
			poly_stats_columns(stats) | (summary ? poly_summary_columns() : 0));
	if (status == POLY_OK && !summary && !source->selection &&
		poly_stats_accepts_weights(stats))
		poly_reader_accept_weights(source->reader);
	while (status == POLY_OK && (batch = source_next(source))) {
		if (summary)
			poly_summary_update(summary, batch);
		status = poly_stats_update(stats, batch, &error);
	}
	progress_clear(&source->progress);
	if (status != POLY_OK)
		say_error(source->name, &error);
	return status == POLY_OK;
}

bool
source_told_before(const struct poly_reader *reader, size_t i, const struct poly_rule *rule)
{
	struct poly_finding finding;
	while (i-- > 0) {
		if (poly_reader_finding_at(reader, i, &finding) && finding.rule == rule)
			return true;
	}
	return false;
}

/* A rule that was broken, with how often, at the first place. */
static void
tell_finding(const struct source *source, const struct poly_finding *finding)
{
	struct poly_error place = {.record = finding->record, .offset = finding->offset};
	char more[60] = "";
	if (finding->count > 1)
		snprintf(more, sizeof more, " (%llu times, first here)",
			(unsigned long long)finding->count);
	snprintf(place.message, sizeof place.message, "%s %s: %.300s%s",
		source_severity(finding->rule->severity), finding->rule->code, finding->message,
		more);
	say_error(source->name, &place);
}

bool
source_is_end(const struct source *source, const struct poly_finding *finding)
{
	return source->status < 0 && finding->rule->severity == POLY_ERROR &&
	       finding->record == source->error.record &&
	       finding->offset == source->error.offset;
}

static void
tell_findings(const struct source *source)
{
	struct poly_finding finding;
	for (size_t i = 0; poly_reader_finding_at(source->reader, i, &finding); i++) {
		if (finding.rule->severity != POLY_NOTE && !source_is_end(source, &finding) &&
			!source_told_before(source->reader, i, finding.rule))
			tell_finding(source, &finding);
	}
}

static void
tell_skipped(const struct source *source)
{
	struct poly_reader_counts counts;
	poly_reader_count(source->reader, &counts);
	if (counts.skipped_places)
		say(source->name, "passed over %llu bytes in %llu damaged place%s",
			(unsigned long long)counts.skipped_bytes,
			(unsigned long long)counts.skipped_places,
			counts.skipped_places == 1 ? "" : "s");
}

void
source_drop(struct source *source)
{
	progress_clear(&source->progress);
	poly_reader_close(source->reader);
	poly_selection_free(source->selection);
	poly_symbols_free(source->symbols);
	source->reader = NULL;
	source->selection = NULL;
	source->symbols = NULL;
}

void
source_tell_end(const struct source *source)
{
	if (source->status == POLY_ERR_CANCELLED) {
		struct poly_reader_counts counts;
		poly_reader_count(source->reader, &counts);
		say(source->name, "interrupted after %llu records: the result is partial",
			(unsigned long long)counts.records);
	} else if (source->status < 0) {
		say_error(source->name, &source->error);
	}
}

/* An empty result is explained where --skip went beyond the end. */
static void
tell_nothing_left(const struct source *source)
{
	struct poly_reader_counts counts;
	poly_reader_count(source->reader, &counts);
	if (source->skip && source->status == POLY_END && !counts.records &&
		!source->count_is_zero)
		say(source->name, "no records: there are no more than the %llu left out",
			(unsigned long long)source->skip);
}

int
source_close(struct source *source)
{
	progress_clear(&source->progress);
	tell_nothing_left(source);
	if (source->tells_findings)
		tell_findings(source);
	tell_skipped(source);
	source_tell_end(source);
	const bool none = source->selection && !poly_selection_count(source->selection);
	if (none && source->status >= 0)
		say(source->name, "no record is one of those that were asked for");
	source_drop(source);
	if (source->status < 0)
		return STATUS_TROUBLE;
	return none ? STATUS_NEGATIVE : STATUS_DONE;
}

bool
source_unknown_column(const char *name, size_t n)
{
	char word[40];
	snprintf(word, sizeof word, "%.*s", (int)n, name);
	const char *nearest = poly_column_name((enum poly_column)0);
	for (unsigned c = 1; c < POLY_COLUMN_COUNT; c++) {
		const char *other = poly_column_name((enum poly_column)c);
		if (opt_distance(word, other) < opt_distance(word, nearest))
			nearest = other;
	}
	if (!n)
		say(NULL, "a column without a name, expected names with a comma between two");
	else if (opt_near(word, opt_distance(word, nearest)))
		say(NULL, "there is no column '%s'; did you mean '%s'?", word, nearest);
	else
		say(NULL, "there is no column '%s'; polytrace-columns(5) lists them", word);
	return false;
}

bool
source_columns(const char *names, poly_columns *columns)
{
	if (!*names)
		return source_unknown_column(names, 0);
	for (*columns = 0; *names; names += *names == ',') {
		size_t n = strcspn(names, ",");
		enum poly_column column = poly_column_find(names, n);
		if (column == POLY_COLUMN_COUNT)
			return source_unknown_column(names, n);
		*columns |= (poly_columns)1 << column;
		names += n;
	}
	return true;
}

bool
source_names_sites(const char *names)
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
source_written_columns(poly_columns columns)
{
	bool sites = columns != POLY_ALL_COLUMNS && columns & POLY_HAS(site);
	return sites ? POLY_ALL_COLUMNS : POLY_ALL_COLUMNS & ~POLY_HAS(site);
}

void
source_column_names(poly_columns columns, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT && used < size; c++) {
		if (columns >> c & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%s",
				used ? ", " : "", poly_column_name((enum poly_column)c));
	}
}

enum poly_rendering
source_rendering(const struct source_options *options)
{
	if (options->json)
		return POLY_RENDER_JSON_LINE;
	return options->csv ? POLY_RENDER_CSV : POLY_RENDER_TEXT;
}

bool
source_rendering_sound(const struct source_options *options)
{
	if (options->json && options->csv)
		say(NULL, "options '--json' and '--csv' exclude each other");
	return !(options->json && options->csv);
}

const char *
source_severity(enum poly_severity severity)
{
	static const char *const names[] = {
		[POLY_NOTE] = "note", [POLY_WARNING] = "warning", [POLY_ERROR] = "error"};
	return names[severity];
}

struct poly_report *
source_report(void)
{
	struct poly_report *report = poly_report_new();
	if (!report)
		say_no_memory();
	return report;
}

int
source_render(
	struct poly_report *report, const struct source_options *options, struct output *output)
{
	struct poly_error error;
	const struct poly_sink sink = {output_write, output};
	struct poly_render_options rendering = POLY_RENDER_OPTIONS_INIT;
	rendering.rendering = source_rendering(options);
	if (rendering.rendering == POLY_RENDER_TEXT && term_draws()) {
		rendering.rendering = POLY_RENDER_TERMINAL;
		rendering.width = term_width();
		rendering.color = term_colored(TERM_AUTO);
		rendering.rows = TERMINAL_ROWS;
	}
	enum poly_status status = poly_report_render_with(report, &rendering, &sink, &error);
	poly_report_free(report);
	/* What is wrong with the output is told when it is finished. */
	if (status == POLY_OK || output_failed(output))
		return STATUS_DONE;
	say(NULL, "%s", error.message);
	return STATUS_TROUBLE;
}

static int
run_all(struct inputs *inputs, char **paths)
{
	int worst = STATUS_DONE;
	bool headed = inputs->headed && paths[0] && paths[1] &&
		      source_rendering(inputs->options) == POLY_RENDER_TEXT;
	for (char **path = paths; *path && !output_failed(inputs->output); path++) {
		if (headed) {
			output_text(inputs->output, path == paths ? "==> " : "\n==> ");
			output_text(inputs->output, say_input(*path));
			output_text(inputs->output, " <==\n");
		}
		if (path != paths && source_rendering(inputs->options) == POLY_RENDER_CSV)
			output_text(inputs->output, "\n");
		int status = inputs->one(inputs, *path);
		if (status > worst)
			worst = status;
		if (progress_interrupted())
			break;
		/* What belongs to one input appears before what is told of the next. */
		output_flush(inputs->output);
	}
	const int last = inputs->last ? inputs->last(inputs) : STATUS_DONE;
	return last > worst ? last : worst;
}

int
inputs_run(struct inputs *inputs, char **operands)
{
	char standard_input[] = "-", *only[] = {standard_input, NULL};
	int status = STATUS_TROUBLE;
	inputs->output = output_new();
	if (!source_rendering_sound(inputs->options))
		status = STATUS_TROUBLE;
	else if (!operands[0] && term_input())
		say(NULL, "no input: name a file, or '-' for standard input");
	else
		status = run_all(inputs, operands[0] ? operands : only);
	int written = output_finish(inputs->output);
	return written > status ? written : status;
}

bool
source_same_file(const char *path, const char *other)
{
	struct stat one, two;
	return path && other && strcmp(path, "-") != 0 && strcmp(other, "-") != 0 &&
	       stat(path, &one) == 0 && S_ISREG(one.st_mode) && stat(other, &two) == 0 &&
	       one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}
