/* SPDX-License-Identifier: MIT */
/* polytrace convert: writes a trace in another format. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/simpoints.h"
#include "cli/term.h"

#include <errno.h>
#include <string.h>

struct convert_options {
	struct input_options source; /* first: the reading options are in it */
	const char *output, *to, *columns, *simpoints;
	struct opt_number interval;
	struct opt_list to_options, labels;
	bool partial;
};

static const struct opt convert_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", NULL, offsetof(struct convert_options, output),
		"write to this file ('-': standard output), compressed as its ending says"},
	{"to", 't', OPT_TEXT, "FORMAT", NULL, offsetof(struct convert_options, to),
		"write this format, whatever the ending of OUT says"},
	{"to-option", 'T', OPT_LIST, "NAME=VALUE", NULL,
		offsetof(struct convert_options, to_options),
		"set an option of the format that is written"},
	{"columns", 'c', OPT_TEXT, "A,B,...", NULL, offsetof(struct convert_options, columns),
		"write only these columns, in formats that hold any"},
	{"label", 0, OPT_LIST, "KEY=VALUE", NULL, offsetof(struct convert_options, labels),
		"keep this with the trace, in formats that hold labels: ptz and jsonl"},
	{"partial", 0, OPT_FLAG, NULL, NULL, offsetof(struct convert_options, partial),
		"keep what was written before damage or an interruption"},
	{"simpoints", 0, OPT_TEXT, "FILE", NULL, offsetof(struct convert_options, simpoints),
		"write the intervals of this file of SimPoint, each to OUT with its phase in "
		"the name: run.tt6 is run.3.tt6"},
	{"interval", 0, OPT_NUMBER, "N", NULL, offsetof(struct convert_options, interval),
		"instructions of an interval of '--simpoints'"},
	{0},
};

static const struct opt *const convert_tables[] = {
	convert_table, bounds_table, selection_table, input_table, NULL};

/* A conversion under way. */
struct convert {
	const struct convert_options *options;
	const char *output; /* of OUT in messages */
	const struct poly_format_info *target;
	poly_columns columns; /* to be written */
	struct command_input source;
	struct poly_writer *writer;
};

static bool
find_target(struct convert *convert)
{
	const struct convert_options *options = convert->options;
	if (options->to) {
		convert->target = poly_format_find(options->to);
		if (!convert->target)
			diag_print("convert",
				"there is no format '%s'; 'polytrace formats' lists them",
				options->to);
	} else {
		convert->target = poly_format_by_name(options->output, true);
		if (!convert->target)
			diag_print("convert",
				"no format is known by the ending of '%s'; name one "
				"with --to",
				options->output);
	}
	bool refused = convert->target && options->columns &&
		       convert->target->columns != POLY_ALL_COLUMNS;
	if (refused)
		diag_print("convert",
			"the records of format '%s' always have the same columns; '--columns' "
			"is for "
			"jsonl and csv",
			convert->target->name);
	return convert->target && !refused;
}

static void
tell_loss(const struct convert *convert)
{
	const struct poly_trace_info *info = poly_reader_info(convert->source.reader);
	char names[500];
	poly_columns lost = poly_format_loss(info, convert->target, NULL);
	if (info->label_count && !convert->target->holds_labels)
		diag_print(convert->output, "format '%s' cannot hold the labels of '%s'",
			convert->target->name, info->format);
	if (!lost)
		return;
	columns_format_names(lost, names, sizeof names);
	diag_print(convert->output, "format '%s' cannot hold these columns of '%s': %s",
		convert->target->name, info->format, names);
}

static struct poly_write_options
write_options(const struct convert *convert)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = convert->options->to ? convert->options->to : convert->target->name;
	options.options = convert->options->to_options.items;
	options.strict = convert->options->source.strict;
	options.columns = convert->columns;
	options.labels = convert->options->labels.items;
	options.threads = (unsigned)convert->options->source.threads.value;
	return options;
}

static bool
open_writer(struct convert *convert)
{
	const struct poly_write_options options = write_options(convert);
	struct poly_error error;
	enum poly_status status = poly_writer_open(convert->options->output,
		poly_reader_info(convert->source.reader), &options, &convert->writer, &error);
	if (status == POLY_OK)
		input_project(&convert->source, poly_writer_columns(convert->writer));
	else
		diag_writer_error(convert->output, &error);
	return status == POLY_OK;
}

/* A reader of standard output that went away is no failure. */
static int
writing_failed(const struct convert *convert, const struct poly_error *error)
{
	if (error->sys_errno == EPIPE && strcmp(convert->options->output, "-") == 0)
		return STATUS_DONE;
	/* A record that cannot be written is a matter of the input. */
	bool input = error->status == POLY_ERR_LOSS;
	diag_error(input ? convert->source.name : convert->output, error);
	return STATUS_TROUBLE;
}

static void
tell_notes(const struct convert *convert)
{
	const char *note;
	uint64_t count;
	for (size_t i = 0; (note = poly_writer_note_at(convert->writer, i, &count)); i++) {
		if (count == 1)
			diag_print(convert->output, "%s (once)", note);
		else
			diag_print(convert->output, "%s (%llu times)", note,
				(unsigned long long)count);
	}
}

/* Settles the output after the last record; returns the exit status. */
static int
finish(struct convert *convert)
{
	struct poly_error error;
	bool to_file = strcmp(convert->options->output, "-") != 0;
	bool partial = input_is_partial(&convert->source);
	int status = STATUS_DONE;
	if (!partial || convert->options->partial || !to_file) {
		if (poly_writer_finish(convert->writer, &error) != POLY_OK)
			status = writing_failed(convert, &error);
		else
			tell_notes(convert);
	}
	int read = input_close(&convert->source);
	if (partial && !convert->options->partial && to_file)
		diag_print(convert->output,
			"output discarded; use --partial to keep the records before the "
			"error%s",
			convert->source.status == POLY_ERR_FORMAT &&
					convert->options->source.on_error != ON_ERROR_SKIP
				? ", or --on-error=skip to continue after it"
				: "");
	return read > status ? read : status;
}

static int
copy(struct convert *convert)
{
	struct poly_error error;
	const struct poly_batch *batch;
	while ((batch = input_next(&convert->source))) {
		if (poly_writer_write(convert->writer, batch, &error) != POLY_OK) {
			int status = writing_failed(convert, &error);
			input_discard(&convert->source);
			return status;
		}
	}
	return finish(convert);
}

static int
convert_file(struct convert *convert, const char *path)
{
	const struct input_needs wants = {.columns = columns_to_write(convert->columns),
		.shows_sites = columns_name_site(convert->options->columns),
		.prints = strcmp(convert->options->output, "-") == 0};
	if (!input_open(&convert->source, path, &convert->options->source, &wants))
		return STATUS_TROUBLE;
	if (!open_writer(convert)) {
		input_discard(&convert->source);
		return STATUS_TROUBLE;
	}
	tell_loss(convert);
	int status = copy(convert);
	poly_writer_close(convert->writer);
	return status;
}

/* Writes the intervals that stand for phases. */
static int
convert_intervals(struct convert *convert, const char *path)
{
	const struct convert_options *options = convert->options;
	const struct poly_write_options writing = write_options(convert);
	const struct simpoints_job job = {
		options->simpoints, options->interval.value, options->output, &writing};
	const struct input_needs wants = {.columns = columns_to_write(convert->columns) |
						     POLY_HAS(kind) | POLY_HAS(uop) |
						     POLY_HAS(synthetic)};
	if (!input_open(&convert->source, path, &options->source, &wants))
		return STATUS_TROUBLE;
	tell_loss(convert);
	const int status = simpoints_cut(&job, &convert->source);
	const int ended = input_close(&convert->source);
	return status > ended ? status : ended;
}

/* False, and told, where what is asked of intervals makes no sense. */
static bool
intervals_sound(const struct convert_options *options)
{
	if (options->simpoints && !options->interval.value)
		diag_print("convert", "no length: name the instructions of an interval with "
				      "--interval, as they were in the analysis");
	else if (options->simpoints && strcmp(options->output, "-") == 0)
		diag_print("convert", "intervals are files of their own: name them with -o");
	else if (!options->simpoints && options->interval.is_set)
		diag_print("convert", "option '--interval' is for '--simpoints'");
	else
		return true;
	return false;
}

static int
convert_run(void *fields, char **operands)
{
	const struct convert_options *options = fields;
	struct convert convert = {.options = options, .columns = POLY_ALL_COLUMNS};
	if (operands[0] && operands[1])
		diag_print("convert",
			"several inputs (found '%s' and '%s', expected one)%s%s%s", operands[0],
			operands[1], options->output ? "" : "; did you mean '-o ",
			options->output ? "" : operands[1], options->output ? "" : "'?");
	else if (!options->output)
		diag_print("convert",
			"no output; name a file with -o, or '-o -' for standard output");
	else if (!operands[0] && term_input())
		diag_print("convert", "no input; name a file, or '-' for standard input");
	else if (strcmp(options->output, "-") == 0 && !options->to)
		diag_print(
			"convert", "standard output has no ending; name its format with --to");
	else if (find_target(&convert) &&
		 (!options->columns || columns_parse(options->columns, &convert.columns))) {
		convert.output = diag_output_name(options->output);
		if (!intervals_sound(options))
			return STATUS_TROUBLE;
		if (options->simpoints)
			return convert_intervals(&convert, operands[0] ? operands[0] : "-");
		return convert_file(&convert, operands[0] ? operands[0] : "-");
	}
	return STATUS_TROUBLE;
}

const struct command command_convert = {
	.name = "convert",
	.group = GROUP_CONVERT,
	.summary = "write a trace in another format",
	.usage = "[options] [IN] -o OUT",
	.examples = {"polytrace convert run.full -o thread_001.tt6e",
		"polytrace convert --to csv --count 100 trace.tt6e -o -"},
	.options = convert_tables,
	.options_size = sizeof(struct convert_options),
	.run = convert_run,
};
