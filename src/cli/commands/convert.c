/* SPDX-License-Identifier: MIT */
/* polytrace convert: converts a trace to another format. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/dataset.h"
#include "cli/files/output_policy.h"
#include "cli/files/trace_output.h"
#include "cli/print/diagnostics.h"
#include "cli/print/explanation.h"
#include "cli/print/simpoints.h"
#include "cli/print/term.h"
#include "cli/options/column_list.h"

#include <stdio.h>
#include <string.h>

struct convert_options {
	struct input_options source; /* first: the reading options are in it */
	const char *output, *to, *columns, *simpoints, *partition;
	struct opt_number interval, warmup;
	struct opt_list to_options, labels;
	bool force, explains;
};

#define FIELD(member) .field = offsetof(struct convert_options, member)

static const struct opt convert_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", FIELD(output),
		.help = "write to this file ('-': standard output), compressed by its "
			"extension"},
	OUTPUT_FORCE_OPTION(offsetof(struct convert_options, force)),
	{"to", 't', OPT_TEXT, "FORMAT", FIELD(to),
		.help = "write this format (default: by the extension of OUT)"},
	{"to-option", 'T', OPT_LIST, "NAME=VALUE", FIELD(to_options),
		.help = "set an option of the output format"},
	{"columns", 'c', OPT_TEXT, "A,B,...", FIELD(columns),
		.help = "write only these columns, in formats that hold any: csv, "
			"jsonl and parquet"},
	{"label", 0, OPT_LIST, "KEY=VALUE", FIELD(labels),
		.help = "add a label, in formats that hold labels: ptz, jsonl and parquet"},
	{"partition", 0, OPT_TEXT, "COLUMN", FIELD(partition),
		.help = "write a folder OUT of files for each value of a column, as a dataset: "
			"OUT/thread=3/part-0.parquet"},
	{"explain", FIELD(explains),
		.help = "print what a conversion of IN, a file or a format, keeps, derives and "
			"loses, and convert nothing; the second operand, -t or -o names the "
			"target format"},
	{"simpoints", 0, OPT_TEXT, "FILE", FIELD(simpoints),
		.help = "write the intervals that this SimPoint file lists, each to OUT with "
			"its phase in the name: run.tt6 becomes run.3.tt6"},
	{"interval", 0, OPT_NUMBER, "N", FIELD(interval),
		.help = "length of the intervals of '--simpoints' in instructions"},
	{"warmup", 0, OPT_NUMBER, "N", FIELD(warmup),
		.help = "write the N records before each interval of '--simpoints', too, and "
			"mark them as warm-up"},
	{0},
};

static const struct opt *const convert_tables[] = {convert_table, bounds_table, selection_table,
	input_table, rendering_table, one_table_table, NULL};

/* State of a conversion. */
struct convert {
	const struct convert_options *options;
	const char *target_name; /* NULL: by the extension of the output */
	const struct poly_format_info *target;
	struct column_list columns; /* to be written */
	struct command_input source;
	struct trace_output output;
};

static bool
find_target(struct convert *convert)
{
	const struct convert_options *options = convert->options;
	const char *name = convert->target_name;
	if (name) {
		convert->target = poly_format_find(name);
		if (!convert->target)
			diag_print("convert",
				"no such format: '%s'; 'polytrace formats' lists the formats",
				name);
	} else {
		convert->target = poly_format_by_name(options->output, true);
		if (!convert->target)
			diag_print("convert",
				"no format has the ending of '%s'; name a format "
				"with --to",
				options->output);
	}
	bool refused = convert->target && options->columns &&
		       !poly_columns_equal(convert->target->columns, POLY_ALL_COLUMNS);
	if (refused)
		diag_print("convert",
			"--columns: format '%s' has fixed columns; use jsonl, csv or parquet",
			convert->target->name);
	return convert->target && !refused;
}

static void
report_loss(const struct convert *convert, poly_columns writer_columns)
{
	const struct poly_trace_info *info = poly_reader_info(convert->source.reader);
	const char *output = diag_output_name(convert->options->output);
	char names[500];
	poly_columns lost = poly_format_loss(info, convert->target, NULL);
	if (info->label_count && !convert->target->holds_labels)
		diag_print(output, "format '%s' cannot hold the labels of '%s'",
			convert->target->name, info->format);
	if (!poly_columns_empty(lost)) {
		columns_format_names(lost, names, sizeof names);
		diag_print(output, "format '%s' cannot hold these columns of '%s': %s",
			convert->target->name, info->format, names);
	}
	/* Those that no option requested: a format may not read them then. */
	struct poly_conversion conversion;
	poly_conversion_explain(info, POLY_KINDS_ALL, convert->target, &conversion);
	lost = poly_columns_minus(poly_columns_common(conversion.lost,
					  poly_format_content_of(convert->target)->own_columns),
		poly_columns_union(lost, POLY_COLUMNS(raw)));
	if (convert->options->to_options.count)
		lost = poly_columns_minus(lost, writer_columns);
	if (poly_columns_empty(lost))
		return;
	columns_format_names(lost, names, sizeof names);
	diag_print(output, "format '%s' does not store these columns of '%s': %s",
		convert->target->name, info->format, names);
}

static struct poly_write_options
write_options(const struct convert *convert)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	options.format = convert->options->to ? convert->options->to : convert->target->name;
	options.options = convert->options->to_options.items;
	options.strict = convert->options->source.strict;
	options.columns = convert->columns.set;
	options.order = convert->columns.columns;
	options.order_count = convert->columns.count;
	options.labels = convert->options->labels.items;
	options.overwrite = convert->options->force;
	options.threads = (unsigned)convert->options->source.threads.value;
	options.selected = convert->options->simpoints || convert->source.accepts_errors ||
			   input_is_selected(&convert->options->source);
	return options;
}

/* Finishes the output after the last record; returns the exit status. */
static int
finish(struct convert *convert)
{
	struct poly_error error;
	const struct trace_output *output = &convert->output;
	const bool lost = input_is_lost(&convert->source);
	const bool discarded =
		output->is_file && (lost || (input_is_partial(&convert->source) &&
						    !convert->options->source.partial));
	int status = STATUS_DONE;
	if (!discarded) {
		if (poly_writer_finish(output->writer, &error) != POLY_OK)
			status = trace_output_failed(output, convert->source.name, &error);
		else
			diag_notes(output->name, output->writer);
	}
	int read = input_close(&convert->source);
	if (discarded)
		diag_print(output->name, "output discarded%s",
			lost || convert->source.status == POLY_ERR_TRUNCATED ? ""
			: convert->source.status == POLY_ERR_FORMAT &&
					convert->options->source.on_error != ON_ERROR_SKIP
				? "; use --partial to keep the records before the error, or "
				  "--on-error=skip to continue after corrupt data"
				: "; use --partial to keep the records before the error");
	return read > status ? read : status;
}

static int
copy(struct convert *convert)
{
	struct poly_error error;
	if (trace_output_pump(&convert->output, &convert->source, &error) == POLY_OK)
		return finish(convert);
	const int status = trace_output_failed(&convert->output, convert->source.name, &error);
	input_discard(&convert->source);
	return status;
}

static int
convert_file(struct convert *convert, const char *path)
{
	const struct input_needs wants = {.writes = true,
		.repairs = true,
		.columns = columns_to_write(convert->columns.set),
		.shows_sites = columns_name_site(convert->options->columns),
		.prints = strcmp(convert->options->output, "-") == 0};
	if (!input_open(&convert->source, path, &convert->options->source, &wants))
		return STATUS_ERROR;
	const struct poly_write_options options = write_options(convert);
	if (!column_list_request(&convert->columns, &convert->source))
		return input_close(&convert->source);
	if (!trace_output_open(&convert->output, convert->options->output,
		    poly_reader_info(convert->source.reader), &options)) {
		input_discard(&convert->source);
		return STATUS_ERROR;
	}
	convert->output.outlasts = true;
	report_loss(convert, poly_writer_columns(convert->output.writer));
	column_list_report_absent(
		&convert->columns, "convert", &convert->source, POLY_NO_COLUMNS);
	int status = copy(convert);
	trace_output_close(&convert->output);
	return status;
}

/* Writes all records to a dataset; returns whether they are complete. */
static bool
fill_dataset(struct convert *convert, struct dataset *dataset)
{
	const struct poly_batch *batch;
	bool good = true;
	while (good && (batch = input_next(&convert->source)))
		good = dataset_write(dataset, batch);
	if (good && input_is_partial(&convert->source) && !convert->options->source.partial) {
		diag_print(convert->options->output, "output discarded; use --partial to keep "
						     "the records before the error");
		return false;
	}
	return good && !input_is_lost(&convert->source) && dataset_finish(dataset);
}

/* Writes a dataset that is divided by the values of a column. */
static int
convert_partition(struct convert *convert, const char *path, enum poly_column column)
{
	const struct convert_options *options = convert->options;
	const struct poly_write_options writing = write_options(convert);
	const char *ending = convert->target->extensions;
	char word[16];
	snprintf(word, sizeof word, "%.*s", (int)strcspn(ending, " "), ending);
	const struct dataset_options wanted = {options->output, word, column, &writing};
	struct input_needs wants = {.writes = true,
		.repairs = true,
		.columns = columns_to_write(convert->columns.set)};
	poly_columns_add(&wants.columns, column);
	if (!input_open(&convert->source, path, &options->source, &wants))
		return STATUS_ERROR;
	if (!column_list_request(&convert->columns, &convert->source))
		return input_close(&convert->source);
	report_loss(convert, wants.columns);
	column_list_report_absent(
		&convert->columns, "convert", &convert->source, POLY_NO_COLUMNS);
	struct dataset *dataset =
		dataset_new(&wanted, poly_reader_info(convert->source.reader));
	const int status =
		dataset && fill_dataset(convert, dataset) ? STATUS_DONE : STATUS_ERROR;
	dataset_free(dataset);
	const int ended = input_close(&convert->source);
	return status > ended ? status : ended;
}

/* Finds the column of --partition; reports a fault and returns false. */
static bool
check_partition(const struct convert *convert, enum poly_column *column)
{
	const struct convert_options *options = convert->options;
	const char *name = options->partition;
	*column = poly_column_find(name, strlen(name));
	if (*column == POLY_COLUMN_COUNT)
		return columns_print_unknown(name, strlen(name));
	if (strcmp(options->output, "-") == 0)
		diag_print("--partition", "a folder is written; name it with -o");
	else if (options->simpoints)
		diag_print("--partition", "excludes --simpoints; use one of them");
	else if (!poly_columns_equal(convert->target->columns, POLY_ALL_COLUMNS))
		diag_print("--partition",
			"format '%s' has fixed columns; write csv, jsonl or parquet, or use "
			"'polytrace split'",
			convert->target->name);
	else
		return true;
	return false;
}

/* Writes the intervals that represent phases. */
static int
convert_intervals(struct convert *convert, const char *path, const struct output_policy *policy)
{
	const struct convert_options *options = convert->options;
	const struct poly_write_options writing = write_options(convert);
	const struct simpoints_job job = {.path = options->simpoints,
		.length = options->interval.value,
		.output = options->output,
		.options = &writing,
		.policy = policy,
		.warmup = options->warmup.value,
		.holds_labels = convert->target->holds_labels};
	struct command_input again;
	const struct input_needs wants = {.writes = true,
		.repairs = true,
		.columns = poly_columns_union(columns_to_write(convert->columns.set),
			POLY_COLUMNS(kind, uop_index, synthetic))};
	if (!input_open(&convert->source, path, &options->source, &wants))
		return STATUS_ERROR;
	if (!column_list_request(&convert->columns, &convert->source))
		return input_close(&convert->source);
	report_loss(convert, POLY_ALL_COLUMNS);
	column_list_report_absent(
		&convert->columns, "convert", &convert->source, POLY_NO_COLUMNS);
	int status = STATUS_ERROR;
	if (!job.warmup) {
		status = simpoints_cut(&job, &convert->source, NULL);
	} else if (input_open(&again, path, &options->source, &wants)) {
		status = simpoints_cut(&job, &convert->source, &again);
		input_discard(&again);
	}
	const int ended = input_close(&convert->source);
	return status > ended ? status : ended;
}

/* Checks the options of intervals; reports invalid ones and returns false. */
static bool
check_intervals(const struct convert_options *options, const char *path)
{
	if (options->simpoints && !options->interval.value)
		diag_print("convert",
			"--simpoints: --interval is missing; give the length in instructions "
			"that the analysis used");
	else if (options->simpoints && strcmp(options->output, "-") == 0)
		diag_print("convert",
			"--simpoints: each interval is written to a file; name the "
			"files with -o");
	else if (!options->simpoints && options->interval.is_set)
		diag_print("convert", "--interval: only with --simpoints");
	else if (!options->simpoints && options->warmup.is_set)
		diag_print("convert", "--warmup: only with --simpoints");
	else if (options->warmup.value && strcmp(path, "-") == 0)
		diag_print("convert",
			"--warmup: the input is read twice; name a file instead of standard "
			"input");
	else
		return true;
	return false;
}

/* Explains the conversion of operands FROM [TO]; returns the exit status. */
static int
explain(struct convert *convert, char **operands)
{
	const struct convert_options *options = convert->options;
	if (operands[0] && operands[1])
		convert->target_name = operands[1];
	if (!operands[0] || (operands[1] && operands[2]))
		diag_print("convert", "--explain: expected a file or a format, and a target "
				      "format");
	else if (operands[1] && (options->to || options->output))
		diag_print("convert", "--explain: two target formats; omit -t, -o or '%s'",
			operands[1]);
	else if (!convert->target_name && !options->output)
		diag_print("convert", "--explain: no target format; name it as the second "
				      "operand, with --to or with -o");
	else if (find_target(convert))
		return explanation_print(operands[0], convert->target, &options->source);
	return STATUS_ERROR;
}

static int
convert_run(void *fields, char **operands)
{
	const struct convert_options *options = fields;
	const struct input_options *source = &options->source;
	struct convert convert = {.options = options,
		.target_name = options->to,
		.columns = {.set = POLY_ALL_COLUMNS_INIT}};
	if (options->explains)
		return explain(&convert, operands);
	if (source->json || source->csv || source->csv_safe || source->table)
		diag_print("convert", "--json, --csv, --csv-safe and --table: only with "
				      "--explain; '--to csv' writes CSV");
	else if (operands[0] && operands[1])
		diag_print("convert",
			options->output ? "one input file only: extra operand '%s'"
					: "no output; did you mean '-o %s'?",
			operands[1]);
	else if (!options->output)
		diag_print("convert",
			"no output; name a file with -o, or '-o -' for standard output");
	else if (!operands[0] && term_input())
		diag_print("convert", "no input; name a file, or '-' for standard input");
	else if (strcmp(options->output, "-") == 0 && !options->to)
		diag_print("convert", "-o -: no format; name it with --to");
	else if (find_target(&convert) &&
		 (!options->columns || column_list_parse(&convert.columns, options->columns))) {
		const struct output_policy policy = {options->force, operands,
			{options->source.symbols, options->simpoints}};
		const char *path = operands[0] ? operands[0] : "-";
		enum poly_column column;
		if (options->partition)
			return check_partition(&convert, &column)
				       ? convert_partition(&convert, path, column)
				       : STATUS_ERROR;
		if (!check_intervals(options, path) ||
			(!options->simpoints && !output_is_allowed(&policy, options->output)))
			return STATUS_ERROR;
		if (options->simpoints)
			return convert_intervals(&convert, path, &policy);
		return convert_file(&convert, path);
	}
	return STATUS_ERROR;
}

const struct command command_convert = {
	.name = "convert",
	.group = GROUP_CONVERT,
	.summary = "convert a trace to another format",
	.usage = "[options] [IN] -o OUT | --explain [options] IN FORMAT",
	.examples = {"polytrace convert run.full -o run.tt6e",
		"polytrace convert --explain run.full tt6e"},
	.options = convert_tables,
	.options_size = sizeof(struct convert_options),
	.run = convert_run,
};
