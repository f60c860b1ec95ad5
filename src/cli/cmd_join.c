/* SPDX-License-Identifier: MIT */
/* polytrace join: traces of one format, one behind the other, as one trace. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/ptz_files.h"
#include "cli/diagnostics.h"
#include "cli/command_input.h"
#include "cli/term.h"

#include <errno.h>
#include <string.h>

struct join_options {
	struct input_options source; /* first: the reading options are in it */
	const char *output;
};

static const struct opt join_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", NULL, offsetof(struct join_options, output),
		"write to OUT; '-' is standard output"},
	{0},
};

static const struct opt *const join_tables[] = {
	join_table, bounds_table, selection_table, input_table, NULL};

struct join {
	const struct join_options *options;
	struct command_input first; /* whose facts are those of the whole */
	struct poly_writer *writer;
};

static bool
is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* False, and told, where a trace has columns that the header of the whole does not name. */
static bool
fits_columns(const struct join *join, const struct command_input *source)
{
	const poly_columns own = POLY_HAS(origin) | POLY_HAS(site) | POLY_HAS(verbatim);
	const poly_columns more = poly_reader_info(source->reader)->columns &
				  ~poly_reader_info(join->first.reader)->columns & ~own;
	char names[500];
	/* Rows of other formats have the columns of their format. */
	if (!more || poly_reader_format(source->reader)->columns != POLY_ALL_COLUMNS)
		return true;
	columns_format_names(more, names, sizeof names);
	diag_print(source->name, "has columns that '%s' has not: %s", join->first.name, names);
	return false;
}

/* False, and told, where a packed trace holds records of another format, or of other names. */
static bool
fits_packed(const struct join *join, const struct command_input *source)
{
	const struct poly_trace_info *first = poly_reader_info(join->first.reader);
	const struct poly_trace_info *info = poly_reader_info(source->reader);
	const char *expected = packed_format(&join->first), *format = packed_format(source);
	if (!expected || !format)
		return true;
	if (strcmp(format, expected) != 0) {
		diag_print(source->name, "the packed format is '%s', expected '%s' as in '%s'",
			format, expected, join->first.name);
		return false;
	}
	for (unsigned i = 0; i < info->record_count; i++) {
		if (i < first->record_count && strcmp(info->records[i], first->records[i]) == 0)
			continue;
		diag_print(source->name, "has the record '%s', which '%s' has not in its place",
			info->records[i], join->first.name);
		return false;
	}
	return true;
}

/* False, and told, where a trace cannot stand behind the first one. */
static bool
fits(const struct join *join, const struct command_input *source)
{
	const struct poly_trace_info *first = poly_reader_info(join->first.reader);
	const struct poly_trace_info *info = poly_reader_info(source->reader);
	const char *what = NULL;
	if (!fits_packed(join, source))
		return false;
	if (first->byte_order != info->byte_order)
		what = "order of bytes";
	else if (!is_same_text(first->isa, info->isa))
		what = "instruction set";
	else if (!is_same_text(first->clock, info->clock))
		what = "unit of time";
	if (what)
		diag_print(source->name, "the %s is another one than in '%s'", what,
			join->first.name);
	for (size_t i = 0; i < first->fact_count && !what; i++) {
		const struct poly_fact *fact = &first->facts[i];
		const char *value = poly_trace_fact(info, fact->key);
		if (!is_same_text(fact->value, value))
			diag_print(source->name, "'%s' is '%s', and '%s' in '%s'", fact->key,
				value ? value : "", fact->value, join->first.name);
	}
	return !what && fits_columns(join, source);
}

/* Writes the records of a source; an exit status. */
static int
copy(struct join *join, struct command_input *source)
{
	struct poly_error error;
	const struct poly_batch *batch;
	input_project(source, poly_writer_columns(join->writer));
	while ((batch = input_next(source))) {
		if (poly_writer_write(join->writer, batch, &error) == POLY_OK)
			continue;
		const bool is_gone =
			error.sys_errno == EPIPE && strcmp(join->options->output, "-") == 0;
		if (is_gone)
			return STATUS_DONE;
		diag_error(error.status == POLY_ERR_LOSS
				   ? source->name
				   : diag_output_name(join->options->output),
			&error);
		return STATUS_TROUBLE;
	}
	return input_is_partial(source) ? STATUS_TROUBLE : STATUS_DONE;
}

/* The first input, by which the output is opened, and its records. */
static int
begin(struct join *join, const char *path)
{
	const struct input_needs wants = {.columns = columns_to_write(POLY_ALL_COLUMNS),
		.prints = strcmp(join->options->output, "-") == 0};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_error error;
	if (!input_open(&join->first, path, &join->options->source, &wants))
		return STATUS_TROUBLE;
	const struct poly_trace_info *info = poly_reader_info(join->first.reader);
	options.format = info->format;
	options.strict = join->options->source.strict;
	if (poly_writer_open(join->options->output, info, &options, &join->writer, &error) !=
		POLY_OK) {
		diag_writer_error(diag_output_name(join->options->output), &error);
		return STATUS_TROUBLE;
	}
	return copy(join, &join->first);
}

/*
 * Opens another input as the format of the first, which what is short may not be recognised as
 * by itself; what is recognised as something else is refused. False, and told, where it fails.
 */
static bool
open_next(struct join *join, const char *path, struct command_input *source)
{
	struct input_options options = join->options->source;
	const struct poly_format_info *first = poly_reader_format(join->first.reader);
	struct input_needs wants = {.columns = columns_to_write(POLY_ALL_COLUMNS),
		.prints = strcmp(join->options->output, "-") == 0,
		.quiet = true};
	if (!options.from && strcmp(path, "-") != 0 &&
		input_open(source, path, &options, &wants)) {
		const struct poly_format_info *format = poly_reader_format(source->reader);
		if (format == first)
			return true;
		input_discard(source);
		if (strcmp(format->family, first->family) != 0) {
			diag_print(source->name, "the format is '%s', expected '%s' as in '%s'",
				format->name, first->name, join->first.name);
			return false;
		}
	}
	wants.quiet = false;
	if (!options.from)
		options.from = first->name;
	return input_open(source, path, &options, &wants);
}

/* Another input, behind those before it. */
static int
append(struct join *join, const char *path)
{
	struct command_input source;
	if (!open_next(join, path, &source))
		return STATUS_TROUBLE;
	const int status = fits(join, &source) ? copy(join, &source) : STATUS_TROUBLE;
	const int ended = input_close(&source);
	/* That nothing was selected of one of them is said, and no failure. */
	return ended == STATUS_TROUBLE || status == STATUS_TROUBLE ? STATUS_TROUBLE
								   : STATUS_DONE;
}

static int
finish(struct join *join)
{
	struct poly_error error;
	const char *output = diag_output_name(join->options->output), *note;
	uint64_t count;
	if (poly_writer_finish(join->writer, &error) != POLY_OK) {
		const bool is_gone =
			error.sys_errno == EPIPE && strcmp(join->options->output, "-") == 0;
		if (!is_gone)
			diag_error(output, &error);
		return is_gone ? STATUS_DONE : STATUS_TROUBLE;
	}
	for (size_t i = 0; (note = poly_writer_note_at(join->writer, i, &count)); i++)
		diag_print(output, "%s (%llu time%s)", note, (unsigned long long)count,
			count == 1 ? "" : "s");
	return STATUS_DONE;
}

static int
join_run(void *fields, char **operands)
{
	char standard_input[] = "-", *only[] = {standard_input, NULL};
	struct join join = {.options = fields};
	if (!join.options->output) {
		diag_print("join",
			"no output: name a file with -o, or '-o -' for standard output");
		return STATUS_TROUBLE;
	}
	if (!operands[0] && term_input()) {
		diag_print("join", "no input: name a file, or '-' for standard input");
		return STATUS_TROUBLE;
	}
	char **paths = operands[0] ? operands : only;
	int status = begin(&join, paths[0]);
	for (char **path = paths + 1; *path && status == STATUS_DONE; path++)
		status = append(&join, *path);
	if (status == STATUS_DONE)
		status = finish(&join);
	else if (join.writer && strcmp(join.options->output, "-") != 0)
		diag_print(diag_output_name(join.options->output), "not written");
	poly_writer_close(join.writer);
	const int ended = join.first.reader ? input_close(&join.first) : STATUS_DONE;
	return ended == STATUS_TROUBLE || status == STATUS_TROUBLE ? STATUS_TROUBLE
								   : STATUS_DONE;
}

const struct command command_join = {
	.name = "join",
	.group = GROUP_CONVERT,
	.summary = "write traces of one format behind each other as one",
	.usage = "[options] [IN...] -o OUT",
	.examples = {"polytrace join trace.tt6 trace.tt6 -o all.tt6",
		"polytrace join trace.bach trace.bach -o -"},
	.options = join_tables,
	.options_size = sizeof(struct join_options),
	.run = join_run,
};
