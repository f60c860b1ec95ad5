/* SPDX-License-Identifier: MIT */
/* Reading of an input, and its messages. */
#include "cli/files/command_input.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
open_selection(struct command_input *input, const struct input_options *options,
	const struct input_needs *needs, struct poly_read_options *reading)
{
	struct poly_selection_options selecting;
	const bool is_positional = reading->skip || reading->count != UINT64_MAX;
	input->selects = input_options_select(options, &selecting);
	const bool is_selected = input->selects || (needs->writes && is_positional);
	enum poly_status status = POLY_OK;
	if (options->symbols) {
		input->name = diag_input_name(options->symbols);
		status = poly_symbols_open(options->symbols, &input->symbols, &input->error);
		reading->symbols = input->symbols;
	}
	if (status != POLY_OK || !is_selected)
		return status;
	const struct poly_filter_names names = {find_symbol, input->symbols};
	selecting.names = input->symbols ? &names : NULL;
	selecting.keep_sites = needs->shows_sites;
	selecting.keep_attached = needs->writes;
	selecting.skip = reading->skip;
	selecting.count = reading->count;
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
		status = open_selection(input, options, needs, reading);
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
	if (status == POLY_OK && input->selection && !input->selects &&
		!poly_selection_margin(input->selection)) {
		poly_selection_free(input->selection);
		input->selection = NULL;
	}
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
	input->accepts_partial = options->partial;
	input->accepts_errors = options->on_error == ON_ERROR_SKIP || options->partial;
	input->skips = options->on_error == ON_ERROR_SKIP;
	progress_start(&input->progress, needs->prints);
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	reading.format = options->from;
	reading.isa = options->isa;
	reading.columns = needs->columns;
	reading.options = options->options.items;
	reading.strict = options->strict && !needs->check;
	reading.skip_errors = input->skips;
	reading.check = needs->check;
	reading.partial = options->partial;
	reading.drop_corrupt = needs->repairs && input->accepts_errors;
	reading.by_thread = options->by_thread;
	input->skip = reading.skip = options->skip.value;
	if (options->count.is_set)
		reading.count = options->count.value;
	if (options->range.is_set) {
		input->skip = reading.skip = options->range.first - 1;
		reading.count = options->range.last - reading.skip;
	}
	input->count_is_zero = options->count.is_set && !options->count.value;
	input->bounded = options->count.is_set || options->range.is_set;
	reading.threads = (unsigned)options->threads.value;
	reading.max_line =
		options->max_line.value < SIZE_MAX ? (size_t)options->max_line.value : SIZE_MAX;
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

/* Adds the registers that the selection reads to those of the command. */
static void
add_registers(struct command_input *input)
{
	const char *name;
	for (unsigned n = 0; (name = poly_selection_register_at(input->selection, n)); n++) {
		unsigned i = 0;
		while (i < input->register_count && strcmp(input->registers[i], name) != 0)
			i++;
		if (i == POLY_REGISTERS_MAX)
			return;
		if (i == input->register_count)
			input->registers[input->register_count++] = name;
	}
}

void
input_plan(struct command_input *input, poly_columns columns, enum input_use use)
{
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	if (input->planned)
		return;
	plan.columns = columns;
	if (input->selection) {
		plan.columns =
			poly_columns_union(columns, poly_selection_columns(input->selection));
		plan.may_match = poly_selection_pruning(input->selection);
		plan.user = input->selection;
		plan.margin = poly_selection_margin(input->selection);
	}
	plan.lazy = use == INPUT_WRITES && !input->selection;
	plan.weights = use == INPUT_COUNTS && !input->selection;
	if (input->selection)
		add_registers(input);
	plan.registers = input->registers;
	plan.register_count = input->register_count;
	plan.work = input->work;
	plan.work_count = input->work_count;
	input->status = poly_reader_plan(input->reader, &plan, &input->error);
	input->planned = true;
}

const struct poly_batch *
input_next(struct command_input *input)
{
	const struct poly_batch *batch;
	const struct poly_source source = poly_reader_source(input->reader);
	if (input->selection && !input->planned)
		input_plan(input, POLY_ALL_COLUMNS, INPUT_READS);
	if (input->status < 0)
		return NULL;
	input->status =
		input->selection
			? poly_selection_next(input->selection, &source, &batch, &input->error)
			: poly_reader_next(input->reader, &batch, &input->error);
	return input->status == POLY_OK ? batch : NULL;
}

bool
input_is_partial(const struct command_input *input)
{
	return input->status < 0;
}

bool
input_is_lost(const struct command_input *input)
{
	struct poly_reader_counts counts;
	poly_reader_count(input->reader, &counts);
	return counts.skipped_places &&
	       counts.records <= poly_reader_corrupt_records(input->reader);
}

bool
input_is_truncated(const struct command_input *input)
{
	return input->status == POLY_ERR_TRUNCATED ||
	       (input->reader && poly_reader_truncation(input->reader, NULL));
}

bool
input_is_complete(const struct command_input *input)
{
	return input->status == POLY_END && !input->bounded;
}

/* Returns whether rules were violated that make the input invalid, although it was read; its
 * end is not one. */
static bool
has_errors(const struct command_input *input)
{
	struct poly_finding finding;
	for (size_t i = 0; poly_reader_finding_at(input->reader, i, &finding); i++) {
		if (finding.rule->severity == POLY_ERROR && !input_is_end(input, &finding))
			return true;
	}
	return false;
}

void
input_report_name(
	const struct command_input *input, struct poly_report *report, struct output *output)
{
	poly_report_text(report, "file", input->name);
	if (input_is_partial(input) || input_is_truncated(input))
		poly_report_bool(report, "partial", true);
	else if (input->status == POLY_END && input->prints_findings && has_errors(input))
		poly_report_bool(report, "corrupt", true);
	if (output)
		output->tables.partial |= input_is_partial(input) && !input->accepts_partial;
}

uint64_t
input_label_warmup(const struct command_input *input)
{
	const char *label =
		poly_trace_label(poly_reader_info(input->reader), POLY_LABEL_WARMUP);
	char *end = NULL;
	const uint64_t warmup =
		label && isdigit((unsigned char)*label) ? strtoull(label, &end, 10) : 0;
	if (!warmup || *end)
		return 0;
	if (input->selection || input->skip) {
		diag_print(input->name,
			"the label '%s=%s' does not apply to selected records; use --warmup",
			POLY_LABEL_WARMUP, label);
		return 0;
	}
	diag_print(input->name,
		"records 1 to %s are warm-up by the label '%s', and not counted; --warmup=N "
		"sets another number",
		label, POLY_LABEL_WARMUP);
	return warmup;
}

bool
input_add_work(struct command_input *input, const struct poly_decoder_work *work)
{
	/* The rows of decoders are not selected. */
	if (!work || input->selection)
		return false;
	input->work[input->work_count++] = work;
	return true;
}

/* Lets decoders analyse records, if they can for all handles; summary may be NULL. */
static void
plan_work(struct command_input *input, struct poly_stats *stats, struct poly_stats *summary)
{
	if (input_add_work(input, poly_stats_decoder_work(stats)) && summary &&
		!input_add_work(input, poly_stats_decoder_work(summary)))
		input->work_count = 0;
}

bool
input_analyse(struct command_input *input, struct poly_stats *stats, struct poly_stats *summary)
{
	const struct poly_trace_info *info = poly_reader_info(input->reader);
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status = poly_stats_begin(stats, info, &error);
	if (status == POLY_OK && poly_stats_diagnostic(stats))
		diag_print(input->name, "%s; use --isa NAME if it is a known one",
			poly_stats_diagnostic(stats));
	if (status == POLY_OK && summary)
		status = poly_stats_begin(summary, info, &error);
	if (status == POLY_OK)
		plan_work(input, stats, summary);
	if (status == POLY_OK)
		input_plan(input,
			poly_columns_union(poly_stats_columns(stats),
				summary ? poly_stats_columns(summary) : POLY_NO_COLUMNS),
			!summary && poly_stats_accepts_weights(stats) ? INPUT_COUNTS
								      : INPUT_READS);
	while (status == POLY_OK && (batch = input_next(input))) {
		status = poly_stats_update(stats, batch, &error);
		/* The summary needs all rows. */
		if (status >= 0 && summary)
			status = poly_stats_update(summary, batch, &error);
	}
	progress_clear(&input->progress);
	/* The owner of an output reports its failure. */
	if (status < 0 && status != POLY_ERR_IO)
		diag_error(input->name, &error);
	return status >= 0;
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
	struct poly_error end = input->error;
	if (!poly_reader_truncation(input->reader, &end) && input->status >= 0)
		return false;
	return finding->rule->severity == POLY_ERROR && finding->record == end.record &&
	       finding->offset == end.offset;
}

/* Prints the warnings and errors of an input; returns whether it has any. */
static bool
print_findings(const struct command_input *input)
{
	struct poly_finding finding;
	bool any = false;
	for (size_t i = 0; poly_reader_finding_at(input->reader, i, &finding); i++) {
		if (finding.rule->severity == POLY_NOTE || input_is_end(input, &finding) ||
			finding_is_repeated(input->reader, i, finding.rule))
			continue;
		print_finding(input, &finding);
		any = true;
	}
	return any;
}

static void
print_skipped(const struct command_input *input)
{
	struct poly_reader_counts counts;
	poly_reader_count(input->reader, &counts);
	if (counts.skipped_places)
		diag_print(input->name, "skipped %llu corrupt bytes in %llu region%s%s",
			(unsigned long long)counts.skipped_bytes,
			(unsigned long long)counts.skipped_places,
			counts.skipped_places == 1 ? "" : "s",
			input_is_lost(input) ? "; no record remains" : "");
}

bool
input_isas_agree(const struct command_input *input, const struct command_input *first)
{
	const char *isa = poly_reader_info(input->reader)->isa,
		   *expected = poly_reader_info(first->reader)->isa;
	if (!isa || !expected || strcmp(isa, expected) == 0)
		return true;
	diag_print(input->name,
		"instruction set differs from that of '%s' (found %s, expected %s); use --isa "
		"NAME to read all inputs as one",
		first->name, isa, expected);
	return false;
}

void
input_discard(struct command_input *input)
{
	progress_clear(&input->progress);
	poly_reader_close(input->reader);
	poly_writer_close(input->writer);
	poly_selection_free(input->selection);
	poly_symbols_free(input->symbols);
	input->reader = NULL;
	input->writer = NULL;
	input->selection = NULL;
	input->symbols = NULL;
}

/* Prints where the input is truncated, with the number of records before. */
static void
print_truncation(const struct command_input *input)
{
	struct poly_error error = input->error;
	struct poly_reader_counts counts = {0};
	if (input->reader) {
		poly_reader_truncation(input->reader, &error);
		poly_reader_count(input->reader, &counts);
	}
	/* What is left of the last record may have been delivered as one. */
	if (error.record > input->skip && counts.records >= error.record - input->skip)
		counts.records = error.record - input->skip - 1;
	const size_t used = strlen(error.message);
	snprintf(error.message + used, sizeof error.message - used,
		input->status < 0 ? "; use --partial to accept the %llu record%s before it"
				  : "; %llu record%s precede%s",
		(unsigned long long)counts.records, counts.records == 1 ? "" : "s",
		counts.records == 1 ? "s" : "");
	diag_error(input->name, &error);
}

void
input_print_end(const struct command_input *input)
{
	if (input->reader && input_is_truncated(input)) {
		print_truncation(input);
		return;
	}
	if (input->status == POLY_ERR_CANCELLED) {
		struct poly_reader_counts counts;
		poly_reader_count(input->reader, &counts);
		diag_print(input->name, "interrupted after %llu records; the result is partial",
			(unsigned long long)counts.records);
	} else if (input->status < 0) {
		diag_error(input->name, &input->error);
	}
}

/* Returns whether --skip exceeds the length of the trace, or nothing was requested. */
static bool
is_past_end(const struct command_input *input)
{
	struct poly_reader_counts counts;
	uint64_t margin = input->selection ? poly_selection_margin(input->selection) : 0;
	margin = margin < input->skip ? margin : input->skip;
	poly_reader_count(input->reader, &counts);
	return counts.records <= margin;
}

/* Explains an empty result if --skip exceeds the length of the trace. */
static void
print_skip_excess(const struct command_input *input)
{
	if (input->skip && input->status == POLY_END && is_past_end(input) &&
		!input->count_is_zero)
		diag_print(input->name, "no records: the trace has at most %llu records",
			(unsigned long long)input->skip);
}

/* Returns the exit status for corrupt data in an input that was read to its end. */
static int
corruption_status(struct command_input *input)
{
	struct poly_reader_counts counts;
	const bool invalid = has_errors(input);
	poly_reader_count(input->reader, &counts);
	input->has_skipped = input->skips && (counts.skipped_places || invalid);
	if (input_is_lost(input) || (invalid && !input->accepts_errors))
		return STATUS_ERROR;
	return input->has_skipped ? STATUS_NEGATIVE : STATUS_DONE;
}

int
input_report_corruption(const char *path, struct poly_reader *reader,
	const struct input_options *options, bool *reported)
{
	struct command_input input = {.name = diag_input_name(path),
		.reader = reader,
		.skips = options->on_error == ON_ERROR_SKIP,
		.accepts_errors = options->on_error == ON_ERROR_SKIP || options->partial,
		.status = POLY_END};
	const int status = corruption_status(&input);
	if (!*reported) {
		*reported = print_findings(&input) || status != STATUS_DONE;
		print_skipped(&input);
	}
	return status;
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
	const bool none = input->selection && !poly_selection_count(input->selection) &&
			  (input->selects || !is_past_end(input));
	if (none && input->status >= 0)
		diag_print(input->name, "no records match the selection");
	const int corrupt = corruption_status(input);
	input_discard(input);
	if (input->status < 0)
		return STATUS_ERROR;
	return none && corrupt == STATUS_DONE ? STATUS_NEGATIVE : corrupt;
}
