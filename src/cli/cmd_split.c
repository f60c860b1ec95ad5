/* SPDX-License-Identifier: MIT */
/* polytrace split: a trace as several, by the values of a column, by number or by time. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/split_output.h"
#include "cli/diagnostics.h"
#include "cli/command_input.h"
#include "cli/term.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts that are written at a time: each is an open file. */
#define PARTS_MOST 256

/* Longest value of a column that names a part. */
#define VALUE_MOST 80

/* Room for an expression with a value. */
#define EXPRESSION (2 * VALUE_MOST + 60)

struct split_options {
	struct input_options source; /* first: the reading options are in it */
	const char *output, *by;
	struct opt_number records, time;
};

static const struct opt split_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", NULL, offsetof(struct split_options, output),
		"write to files of this name with what tells the part in it: run.tt6 is "
		"run.3.tt6"},
	{"by", 'b', OPT_TEXT, "COLUMN", NULL, offsetof(struct split_options, by),
		"a part for each value of a column: thread, cpu, process, kind"},
	{"records", 0, OPT_NUMBER, "N", opt_from_one, offsetof(struct split_options, records),
		"a part for every N records"},
	{"time", 0, OPT_NUMBER, "T", opt_from_one, offsetof(struct split_options, time),
		"a part for every T ticks of the trace's clock"},
	{0},
};

static const struct opt *const split_tables[] = {
	split_table, bounds_table, selection_table, input_table, NULL};

/* A part, and what tells it. */
struct valued_part {
	char value[VALUE_MOST + 1]; /* a value, or a number */
	bool has_value;		    /* false: that of records without one */
	struct split_output part;
};

struct split {
	const struct split_options *options;
	struct command_input source;
	enum poly_column column;
	struct valued_part *parts;
	size_t count;
	uint64_t taken; /* records so far */
	uint64_t time;	/* of the last record that had one */
};

/* Opens a file for a value; false, and told, where that fails. */
static bool
open_part(struct split *split, struct valued_part *it, const char *value, bool has_value)
{
	const struct poly_trace_info *info = poly_reader_info(split->source.reader);
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = info->format;
	options.strict = split->options->source.strict;
	snprintf(it->value, sizeof it->value, "%s", value);
	it->has_value = has_value;
	split_output_name(&it->part, split->options->output, value);
	for (const struct valued_part *other = split->parts; other < it; other++) {
		if (strcmp(other->part.path, it->part.path) == 0) {
			diag_print(it->part.path,
				"two parts would have this name: '%s' and '%s'", other->value,
				value);
			return false;
		}
	}
	return split_output_open(&it->part, info, &options);
}

/* The part of a value; NULL, and told, where there cannot be one. */
static struct valued_part *
find_part(struct split *split, const char *value, bool has_value)
{
	for (size_t i = 0; i < split->count; i++) {
		if (strcmp(split->parts[i].value, value) == 0 &&
			split->parts[i].has_value == has_value)
			return &split->parts[i];
	}
	if (split->count == PARTS_MOST) {
		diag_print("split", "more than %d parts, which '--where' may make fewer",
			PARTS_MOST);
		return NULL;
	}
	struct valued_part *part = &split->parts[split->count++];
	return open_part(split, part, value, has_value) ? part : NULL;
}

/* The value of a row in the column; false, and told, where it is too long. */
static bool
value_of(const struct split *split, const struct poly_batch *batch, size_t row, char *value)
{
	const size_t n = poly_batch_format(batch, split->column, row, value, VALUE_MOST + 1);
	if (!poly_present(batch, split->column, row))
		strcpy(value, "without");
	if (n > VALUE_MOST)
		diag_print(split->source.name, "'%s...' is too long for the name of a part",
			value);
	return n <= VALUE_MOST;
}

/* An expression for the rows of a value. */
static void
expression_of(const struct split *split, const char *value, bool has_value, char *expression)
{
	const char *name = poly_column_name(split->column);
	const enum poly_form form = poly_column_form(split->column);
	const bool is_quoted =
		form != POLY_FORM_DEC && form != POLY_FORM_HEX && form != POLY_FORM_BOOL;
	if (!has_value) {
		snprintf(expression, EXPRESSION, "not has(%s)", name);
		return;
	}
	size_t used = (size_t)snprintf(
		expression, EXPRESSION, "%s == %s", name, is_quoted ? "'" : "");
	for (; *value; value++) {
		if (is_quoted && (*value == '\'' || *value == '\\'))
			expression[used++] = '\\';
		expression[used++] = *value;
	}
	snprintf(expression + used, 2, "%s", is_quoted ? "'" : "");
}

/* Deals out a batch by the values of the column. */
static bool
deal_by_value(struct split *split, const struct poly_batch *batch)
{
	char value[VALUE_MOST + 1], last[VALUE_MOST + 1] = "", expression[EXPRESSION];
	bool done[PARTS_MOST] = {false}, had_value = false;
	for (size_t row = 0; row < batch->rows; row++) {
		const bool has_value = poly_present(batch, split->column, row);
		if (!value_of(split, batch, row, value))
			return false;
		if (row && has_value == had_value && strcmp(value, last) == 0)
			continue;
		memcpy(last, value, sizeof last);
		had_value = has_value;
		struct valued_part *part = find_part(split, value, has_value);
		if (!part)
			return false;
		bool *is_done = &done[part - split->parts];
		expression_of(split, value, has_value, expression);
		if (!*is_done && !split_output_write(&part->part, expression, batch))
			return false;
		*is_done = true;
	}
	return true;
}

/* The number of the part of a row, by number or by time. */
static uint64_t
number_of(struct split *split, const struct poly_batch *batch, size_t row)
{
	if (split->options->records.is_set)
		return 1 + (split->taken + row) / split->options->records.value;
	if (poly_present(batch, POLY_COLUMN_time, row))
		split->time = batch->time[row];
	return 1 + split->time / split->options->time.value;
}

/* The part of a number; that before it is done with where parts never come again. */
static struct valued_part *
numbered_part(struct split *split, uint64_t number)
{
	char value[24];
	snprintf(value, sizeof value, "%" PRIu64, number);
	struct valued_part *last = split->count ? &split->parts[split->count - 1] : NULL;
	if (split->options->records.is_set && last && strcmp(last->value, value) != 0) {
		const bool done = split_output_finish(&last->part);
		split_output_discard(&last->part);
		split->count = 0;
		if (!done)
			return NULL;
	}
	return find_part(split, value, true);
}

/* Deals out a batch as runs of rows. */
static bool
deal_by_number(struct split *split, const struct poly_batch *batch)
{
	size_t first = 0;
	uint64_t number = number_of(split, batch, 0);
	for (size_t row = 1; row <= batch->rows; row++) {
		const uint64_t next = row < batch->rows ? number_of(split, batch, row) : 0;
		if (next == number)
			continue;
		struct valued_part *part = numbered_part(split, number);
		if (!part || !split_output_write_rows(&part->part, batch, first, row))
			return false;
		first = row;
		number = next;
	}
	split->taken += batch->rows;
	return true;
}

/* Deals out all records; an exit status. */
static int
deal(struct split *split)
{
	const struct poly_batch *batch;
	bool good = true;
	while (good && (batch = input_next(&split->source)))
		good = split->options->by ? deal_by_value(split, batch)
					  : deal_by_number(split, batch);
	good &= !input_is_partial(&split->source);
	for (size_t i = 0; i < split->count; i++) {
		struct split_output *part = &split->parts[i].part;
		if (good)
			good = split_output_finish(part);
		split_output_discard(part);
	}
	if (!good)
		diag_print("split", "not all parts are written");
	return good ? STATUS_DONE : STATUS_TROUBLE;
}

/* Why the options make no sense; NULL: they do. */
static const char *
fault_of(const struct split *split)
{
	const struct split_options *options = split->options;
	const int ways = (options->by != NULL) + options->records.is_set + options->time.is_set;
	if (!options->output || strcmp(options->output, "-") == 0)
		return "no output: name files with -o";
	if (ways != 1)
		return "expected one of '--by', '--records' and '--time'";
	if (!options->by)
		return NULL;
	const enum poly_form form = poly_column_form(split->column);
	return form == POLY_FORM_BYTES || form == POLY_FORM_TEXT
		       ? "a column of texts or bytes tells no parts"
		       : NULL;
}

/* True where the trace has what it is to be split by; else it is told. */
static bool
can_split(const struct split *split)
{
	const struct poly_trace_info *info = poly_reader_info(split->source.reader);
	if (info->columns >> split->column & 1)
		return true;
	diag_print(split->source.name, "the trace has no column '%s'",
		poly_column_name(split->column));
	return false;
}

static int
split_run(void *fields, char **operands)
{
	const struct input_needs wants = {.columns = columns_to_write(POLY_ALL_COLUMNS)};
	struct split split = {.options = fields, .column = POLY_COLUMN_kind};
	if (split.options->by)
		split.column = poly_column_find(split.options->by, strlen(split.options->by));
	if (split.column == POLY_COLUMN_COUNT) {
		columns_print_unknown(split.options->by, strlen(split.options->by));
		return STATUS_TROUBLE;
	}
	if (split.options->time.is_set)
		split.column = POLY_COLUMN_time;
	const char *fault = fault_of(&split);
	if (!fault && operands[0] && operands[1])
		fault = "one input at a time";
	if (!fault && !operands[0] && term_input())
		fault = "no input: name a file, or '-' for standard input";
	if (fault) {
		diag_print("split", "%s", fault);
		return STATUS_TROUBLE;
	}
	const char *path = operands[0] ? operands[0] : "-";
	if (!input_open(&split.source, path, &split.options->source, &wants))
		return STATUS_TROUBLE;
	split.parts = diag_allocate(PARTS_MOST, sizeof *split.parts);
	const int status = can_split(&split) ? deal(&split) : STATUS_TROUBLE;
	free(split.parts);
	const int ended = input_close(&split.source);
	return status > ended ? status : ended;
}

const struct command command_split = {
	.name = "split",
	.group = GROUP_CONVERT,
	.summary = "write a trace as several: by thread, by number, by time",
	.usage = "[options] [IN] -o OUT",
	.examples = {"polytrace split --by kind trace.tt6 -o kind.tt6",
		"polytrace split --records 1k trace.tt6e -o part.tt6e"},
	.options = split_tables,
	.options_size = sizeof(struct split_options),
	.run = split_run,
};
