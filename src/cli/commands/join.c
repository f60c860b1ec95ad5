/* SPDX-License-Identifier: MIT */
/* polytrace join: concatenates traces of one format. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/files/ptz_files.h"
#include "cli/print/diagnostics.h"
#include "cli/files/trace_output.h"
#include "cli/print/term.h"
#include "cli/options/column_list.h"

#include <string.h>

struct join_options {
	struct input_options source; /* first: the reading options are in it */
	const char *output;
	bool force;
};

#define FIELD(member) .field = offsetof(struct join_options, member)

static const struct opt join_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", FIELD(output),
		.help = "write to OUT ('-': standard output)"},
	OUTPUT_FORCE_OPTION(offsetof(struct join_options, force)),
	{0},
};

static const struct opt *const join_tables[] = {
	join_table, bounds_table, selection_table, input_table, NULL};

struct join_job {
	const struct join_options *options;
	struct command_input first; /* the output has its metadata */
	struct trace_output output;
	bool has_skipped; /* corrupt data of an input after the first */
};

static bool
is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Checks that a trace has no columns that the output's header lacks; false after a message. */
static bool
fits_columns(const struct join_job *job, const struct command_input *source)
{
	const poly_columns own = POLY_COLUMNS_INIT(origin, site, verbatim);
	const poly_columns extra = poly_columns_minus(poly_reader_info(source->reader)->columns,
		poly_columns_union(own, poly_reader_info(job->first.reader)->columns));
	char names[500];
	/* Formats with fixed columns always fit. */
	if (poly_columns_empty(extra) ||
		!poly_columns_equal(packed_records(source)->columns, POLY_ALL_COLUMNS))
		return true;
	columns_format_names(extra, names, sizeof names);
	diag_print(source->name, "has columns that '%s' lacks: %s", job->first.name, names);
	return false;
}

/* Checks the format and the record names of a packed trace; false after a message. */
static bool
fits_packed(const struct join_job *job, const struct command_input *source)
{
	const struct poly_trace_info *first = poly_reader_info(job->first.reader);
	const struct poly_trace_info *info = poly_reader_info(source->reader);
	const char *expected = packed_format(&job->first), *format = packed_format(source);
	if (!expected || !format)
		return true;
	if (strcmp(format, expected) != 0) {
		diag_print(source->name,
			"packed format differs from that of '%s' (found '%s', expected '%s')",
			job->first.name, format, expected);
		return false;
	}
	for (unsigned i = 0; i < info->record_count; i++) {
		if (i < first->record_count && strcmp(info->records[i], first->records[i]) == 0)
			continue;
		diag_print(source->name, "record name '%s' differs from that of '%s'",
			info->records[i], job->first.name);
		return false;
	}
	return true;
}

/* Checks that a trace can be appended to the first one; false after a message. */
static bool
fits(const struct join_job *job, const struct command_input *source)
{
	const struct poly_trace_info *first = poly_reader_info(job->first.reader);
	const struct poly_trace_info *info = poly_reader_info(source->reader);
	const char *what = NULL;
	if (!fits_packed(job, source))
		return false;
	if (first->byte_order != info->byte_order)
		what = "byte order";
	else if (!is_same_text(first->isa, info->isa))
		what = "instruction set";
	else if (!is_same_text(first->clock, info->clock))
		what = "time unit";
	else if (!is_same_text(
			 poly_trace_fact(first, "dialect"), poly_trace_fact(info, "dialect")))
		what = "dialect";
	if (what)
		diag_print(source->name, "%s differs from that of '%s'", what, job->first.name);
	for (size_t i = 0; i < first->fact_count && !what; i++) {
		const struct poly_fact *fact = &first->facts[i];
		const char *value = poly_trace_fact(info, fact->key);
		if (!is_same_text(fact->value, value))
			diag_print(source->name, "note: '%s' is '%s', but '%s' in '%s'",
				fact->key, value ? value : "", fact->value, job->first.name);
	}
	return !what && fits_columns(job, source);
}

/* Writes the records of a source; returns an exit status. */
static int
write_records(struct join_job *job, struct command_input *source)
{
	struct poly_error error;
	if (trace_output_pump(&job->output, source, &error) != POLY_OK)
		return trace_output_failed(&job->output, source->name, &error);
	return input_is_partial(source) || input_is_lost(source) ? STATUS_ERROR : STATUS_DONE;
}

/*
 * Opens the first input and, with its metadata, the output; writes its records. is_only: no
 * input follows.
 */
static int
join_first(struct join_job *job, const char *path, bool is_only)
{
	const struct input_needs wants = {.writes = true,
		.repairs = true,
		.columns = columns_to_write(POLY_ALL_COLUMNS),
		.prints = strcmp(job->options->output, "-") == 0};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	if (!input_open(&job->first, path, &job->options->source, &wants))
		return STATUS_ERROR;
	const struct poly_trace_info *info = poly_reader_info(job->first.reader);
	options.format = info->format;
	options.strict = job->options->source.strict;
	options.overwrite = job->options->force;
	options.threads = (unsigned)job->options->source.threads.value;
	options.selected = !is_only || job->first.accepts_errors ||
			   input_is_selected(&job->options->source);
	if (!trace_output_open(&job->output, job->options->output, info, &options))
		return STATUS_ERROR;
	return write_records(job, &job->first);
}

/*
 * Opens another input as the format of the first, since a short file may not be recognised.
 * Refuses an input recognised as another format. False, after a message, on failure.
 */
static bool
open_next(struct join_job *job, const char *path, struct command_input *source)
{
	struct input_options options = job->options->source;
	const struct poly_format_info *first = poly_reader_format(job->first.reader);
	struct input_needs wants = {.writes = true,
		.repairs = true,
		.columns = columns_to_write(POLY_ALL_COLUMNS),
		.prints = strcmp(job->options->output, "-") == 0,
		.quiet = true};
	if (!options.from && strcmp(path, "-") != 0 &&
		input_open(source, path, &options, &wants)) {
		const struct poly_format_info *format = poly_reader_format(source->reader);
		if (format == first)
			return true;
		input_discard(source);
		if (strcmp(format->family, first->family) != 0) {
			diag_print(source->name,
				"format differs from that of '%s' (found '%s', expected '%s')",
				job->first.name, format->name, first->name);
			return false;
		}
	}
	wants.quiet = false;
	if (!options.from)
		options.from = first->name;
	return input_open(source, path, &options, &wants);
}

/* Appends another input. */
static int
append_input(struct join_job *job, const char *path)
{
	struct command_input source;
	if (!open_next(job, path, &source))
		return STATUS_ERROR;
	const int status = fits(job, &source) ? write_records(job, &source) : STATUS_ERROR;
	const int ended = input_close(&source);
	job->has_skipped |= source.has_skipped;
	/* An input without selected records is reported, but is not a failure. */
	return ended == STATUS_ERROR || status == STATUS_ERROR ? STATUS_ERROR : STATUS_DONE;
}

static int
join_run(void *fields, char **operands)
{
	char standard_input[] = "-", *only[] = {standard_input, NULL};
	struct join_job job = {.options = fields};
	if (!job.options->output) {
		diag_print("join",
			"no output; name a file with -o, or '-o -' for standard output");
		return STATUS_ERROR;
	}
	if (!operands[0] && term_input()) {
		diag_print("join", "no input files; name them, or '-' for standard input");
		return STATUS_ERROR;
	}
	const struct output_policy policy = {
		job.options->force, operands, {job.options->source.symbols}};
	if (!output_is_allowed(&policy, job.options->output))
		return STATUS_ERROR;
	char **paths = operands[0] ? operands : only;
	int status = join_first(&job, paths[0], !paths[1]);
	for (char **path = paths + 1; *path && status == STATUS_DONE; path++)
		status = append_input(&job, *path);
	if (status == STATUS_DONE)
		status = trace_output_finish(&job.output, job.output.name);
	else if (job.output.writer && job.output.is_file)
		diag_print(job.output.name, "output discarded");
	trace_output_close(&job.output);
	const int ended = job.first.reader ? input_close(&job.first) : STATUS_DONE;
	if (ended == STATUS_ERROR || status == STATUS_ERROR)
		return STATUS_ERROR;
	return job.has_skipped || job.first.has_skipped ? STATUS_NEGATIVE : STATUS_DONE;
}

const struct command command_join = {
	.name = "join",
	.group = GROUP_CONVERT,
	.summary = "concatenate traces of one format",
	.usage = "[options] [IN...] -o OUT",
	.examples = {"polytrace join trace.tt6 trace.tt6 -o all.tt6",
		"polytrace join trace.bach trace.bach -o -"},
	.options = join_tables,
	.options_size = sizeof(struct join_options),
	.run = join_run,
};
