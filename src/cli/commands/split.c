/* SPDX-License-Identifier: MIT */
/* polytrace split: splits a trace by the values of a column, by record count or by time. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/files/split_output.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/print/term.h"
#include "cli/options/column_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of simultaneously open output files. */
#define OUTPUTS_MAX 256

struct split_options {
	struct input_options source; /* first: the reading options are in it */
	const char *output, *by;
	struct opt_number records, time;
	bool force;
};

#define FIELD(member) .field = offsetof(struct split_options, member)

static const struct opt split_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", FIELD(output),
		.help = "write to files named OUT with the value or number inserted: run.tt6 "
			"is run.3.tt6"},
	OUTPUT_FORCE_OPTION(offsetof(struct split_options, force)),
	{"by", 'b', OPT_TEXT, "COLUMN", FIELD(by),
		.help = "write a file for each value of a column: thread, cpu, process, kind"},
	{"records", 0, OPT_NUMBER, "N", .choices = opt_from_one, FIELD(records),
		.help = "write a file for every N records"},
	{"time", 0, OPT_NUMBER, "T", .choices = opt_from_one, FIELD(time),
		.help = "write a file for every T ticks of the trace's clock"},
	{0},
};

static const struct opt *const split_tables[] = {
	split_table, bounds_table, selection_table, input_table, NULL};

/* An output file and its value. */
struct valued_part {
	char value[SPLIT_VALUE_MAX + 1]; /* of the column, or a number */
	bool has_value;			 /* false: for records without a value */
	struct split_output part;
};

struct split_job {
	const struct split_options *options;
	struct command_input source;
	struct output_policy policy;
	enum poly_column column;
	struct valued_part *outputs;
	size_t count;
	uint64_t record_count; /* records so far */
	uint64_t time;	       /* of the last record with a time */
};

/* Opens the output file of a value; false, after a message, on failure. */
static bool
open_part(
	struct split_job *split, struct valued_part *valued, const char *value, bool has_value)
{
	const struct poly_trace_info *info = poly_reader_info(split->source.reader);
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = info->format;
	options.strict = split->options->source.strict;
	options.overwrite = split->options->force;
	options.selected = true;
	snprintf(valued->value, sizeof valued->value, "%s", value);
	valued->has_value = has_value;
	split_output_name(&valued->part, split->options->output, value);
	for (const struct valued_part *earlier = split->outputs; earlier < valued; earlier++) {
		if (strcmp(earlier->part.path, valued->part.path) == 0) {
			diag_print(valued->part.path,
				"two values have this file name: '%s' and '%s'", earlier->value,
				value);
			return false;
		}
	}
	return output_is_allowed(&split->policy, valued->part.path) &&
	       split_output_open(&valued->part, info, &options);
}

/* Returns the output file of a value; NULL, after a message, on failure. */
static struct valued_part *
find_part(struct split_job *split, const char *value, bool has_value)
{
	for (size_t i = 0; i < split->count; i++) {
		if (strcmp(split->outputs[i].value, value) == 0 &&
			split->outputs[i].has_value == has_value)
			return &split->outputs[i];
	}
	if (split->count == OUTPUTS_MAX) {
		diag_print("split",
			"more than %d output files; select fewer values with '--where'",
			OUTPUTS_MAX);
		return NULL;
	}
	struct valued_part *part = &split->outputs[split->count++];
	return open_part(split, part, value, has_value) ? part : NULL;
}

/* Distributes a batch by the values of the column. */
static bool
distribute_by_value(struct split_job *split, const struct poly_batch *batch)
{
	char value[SPLIT_VALUE_MAX + 1], last[SPLIT_VALUE_MAX + 1] = "",
								expression[SPLIT_EXPRESSION];
	bool done[OUTPUTS_MAX] = {false}, had_value = false;
	for (size_t row = 0; row < batch->rows; row++) {
		const bool has_value = poly_present(batch, split->column, row);
		if (!split_value(batch, row, split->column, value))
			return false;
		if (row && has_value == had_value && strcmp(value, last) == 0)
			continue;
		memcpy(last, value, sizeof last);
		had_value = has_value;
		struct valued_part *part = find_part(split, value, has_value);
		if (!part)
			return false;
		bool *is_done = &done[part - split->outputs];
		split_expression(split->column, has_value ? value : NULL, expression);
		if (!*is_done && !split_output_write(&part->part, expression, batch))
			return false;
		*is_done = true;
	}
	return true;
}

/* Returns the number of the output file of a row, by record count or by time. */
static uint64_t
get_number(struct split_job *split, const struct poly_batch *batch, size_t row)
{
	if (split->options->records.is_set)
		return 1 + (split->record_count + row) / split->options->records.value;
	if (poly_present(batch, POLY_COLUMN_time, row))
		split->time = batch->time[row];
	return 1 + split->time / split->options->time.value;
}

/* Returns the output file of a number; with --records completes the previous one. */
static struct valued_part *
numbered_part(struct split_job *split, uint64_t number)
{
	char value[24];
	snprintf(value, sizeof value, "%" PRIu64, number);
	struct valued_part *last = split->count ? &split->outputs[split->count - 1] : NULL;
	if (split->options->records.is_set && last && strcmp(last->value, value) != 0) {
		const bool done = split_output_finish(&last->part);
		split_output_discard(&last->part);
		split->count = 0;
		if (!done)
			return NULL;
	}
	return find_part(split, value, true);
}

/* Distributes a batch as runs of rows. */
static bool
distribute_by_number(struct split_job *split, const struct poly_batch *batch)
{
	size_t first = 0;
	uint64_t number = get_number(split, batch, 0);
	for (size_t row = 1; row <= batch->rows; row++) {
		const uint64_t next = row < batch->rows ? get_number(split, batch, row) : 0;
		if (next == number)
			continue;
		struct valued_part *part = numbered_part(split, number);
		if (!part || !split_output_write_rows(&part->part, batch, first, row))
			return false;
		first = row;
		number = next;
	}
	split->record_count += batch->rows;
	return true;
}

/* Distributes all records; returns an exit status. */
static int
distribute(struct split_job *split)
{
	const struct poly_batch *batch;
	bool good = true;
	while (good && (batch = input_next(&split->source)))
		good = split->options->by ? distribute_by_value(split, batch)
					  : distribute_by_number(split, batch);
	good &= !input_is_partial(&split->source) && !input_is_lost(&split->source);
	for (size_t i = 0; i < split->count; i++) {
		struct split_output *part = &split->outputs[i].part;
		if (good)
			good = split_output_finish(part);
		split_output_discard(part);
	}
	if (!good)
		diag_print("split", "output is incomplete");
	return good ? STATUS_DONE : STATUS_ERROR;
}

/* Returns why the options are not valid; NULL: they are. */
static const char *
find_fault(const struct split_job *split)
{
	const struct split_options *options = split->options;
	const int ways = (options->by != NULL) + options->records.is_set + options->time.is_set;
	if (!options->output || strcmp(options->output, "-") == 0)
		return "no output; name the files with -o";
	if (ways != 1)
		return "expected one of '--by', '--records' and '--time'";
	if (!options->by)
		return NULL;
	const enum poly_form form = poly_column_form(split->column);
	return form == POLY_FORM_BYTES || form == POLY_FORM_TEXT
		       ? "cannot split by a column of texts or bytes"
		       : NULL;
}

/* True if the trace has the column to split by; otherwise prints a message. */
static bool
can_split(const struct split_job *split)
{
	const struct poly_trace_info *info = poly_reader_info(split->source.reader);
	if (poly_columns_has(info->columns, split->column))
		return true;
	diag_print(split->source.name, "the trace has no column '%s'",
		poly_column_name(split->column));
	return false;
}

static int
split_run(void *fields, char **operands)
{
	const struct input_needs wants = {
		.writes = true, .repairs = true, .columns = columns_to_write(POLY_ALL_COLUMNS)};
	struct split_job split = {.options = fields, .column = POLY_COLUMN_kind};
	if (split.options->by)
		split.column = poly_column_find(split.options->by, strlen(split.options->by));
	if (split.column == POLY_COLUMN_COUNT) {
		columns_print_unknown(split.options->by, strlen(split.options->by));
		return STATUS_ERROR;
	}
	if (split.options->time.is_set)
		split.column = POLY_COLUMN_time;
	const char *fault = find_fault(&split);
	if (!fault && operands[0] && operands[1])
		fault = "extra operand; expected one input file";
	if (!fault && !operands[0] && term_input())
		fault = "no input file; name one, or '-' for standard input";
	if (fault) {
		diag_print("split", "%s", fault);
		return STATUS_ERROR;
	}
	const char *path = operands[0] ? operands[0] : "-";
	split.policy = (struct output_policy){
		split.options->force, operands, {split.options->source.symbols}};
	if (!input_open(&split.source, path, &split.options->source, &wants))
		return STATUS_ERROR;
	split.outputs = diag_allocate(OUTPUTS_MAX, sizeof *split.outputs);
	const int status = can_split(&split) ? distribute(&split) : STATUS_ERROR;
	free(split.outputs);
	const int ended = input_close(&split.source);
	return status > ended ? status : ended;
}

const struct command command_split = {
	.name = "split",
	.group = GROUP_CONVERT,
	.summary = "split a trace by thread or another column, by record count or by time",
	.usage = "[options] [IN] -o OUT",
	.examples = {"polytrace split --by kind trace.tt6 -o kind.tt6",
		"polytrace split --records 1k trace.tt6e -o part.tt6e"},
	.options = split_tables,
	.options_size = sizeof(struct split_options),
	.run = split_run,
};
