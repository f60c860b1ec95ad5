/* SPDX-License-Identifier: MIT */
/* polytrace unpack: restores packed traces in their original format. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/output_policy.h"
#include "cli/files/trace_output.h"
#include "cli/files/ptz_files.h"
#include "cli/print/diagnostics.h"
#include "cli/print/term.h"
#include "cli/options/column_list.h"

#include <stdlib.h>
#include <string.h>

struct unpack_options {
	struct input_options source;
	const char *output;
	bool force;
};

#define FIELD(member) .field = offsetof(struct unpack_options, member)

static const struct opt unpack_table[] = {
	{"output", 'o', OPT_TEXT, "OUT", FIELD(output),
		.help = "write to this file ('-': standard output), compressed by its "
			"extension (default: FILE without .ptz and the extension of a "
			"compression)"},
	OUTPUT_FORCE_OPTION(offsetof(struct unpack_options, force)),
	{"on-error", 0, OPT_CHOICE, "stop|skip", .choices = opt_on_error,
		FIELD(source.on_error),
		.help = "on corrupt input: stop (default), or skip to the next valid segment "
			"and write the rest"},
	{"partial", FIELD(source.partial),
		.help = "accept truncated input: keep the records before its end, and exit "
			"with status 0"},
	{"threads", 0, OPT_NUMBER, "N", .choices = opt_threads, FIELD(source.threads),
		.help = "number of decoder threads (default 0: one per CPU, at most 16)"},
	{"help", 'h', OPT_HELP, .help = "print this help"},
	{0},
};

static const struct opt *const unpack_tables[] = {unpack_table, NULL};

/* Restores the trace; returns an exit status. */
static int
write_unpacked(
	struct command_input *source, const char *format, const char *path, bool overwrite)
{
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	struct trace_output output;
	struct poly_error error;
	writing.format = format;
	writing.overwrite = overwrite;
	if (!trace_output_open(&output, path, poly_reader_info(source->reader), &writing))
		return STATUS_ERROR;
	enum poly_status status = trace_output_pump(&output, source, &error);
	const bool written =
		!output.is_file || (!input_is_partial(source) && !input_is_lost(source));
	if (status == POLY_OK && written)
		status = poly_writer_finish(output.writer, &error);
	trace_output_close(&output);
	if (status == POLY_OK && !written)
		diag_print(output.name, "not written");
	return status == POLY_OK ? STATUS_DONE
				 : trace_output_failed(&output, output.name, &error);
}

static int
unpack(const struct unpack_options *options, const char *path, const char *output)
{
	const struct input_needs wants = {.writes = true,
		.columns = columns_to_write(POLY_ALL_COLUMNS),
		.prints = strcmp(output, "-") == 0};
	struct command_input source;
	const struct output_policy policy = {options->force, NULL, {path}};
	if (!output_is_allowed(&policy, output))
		return STATUS_ERROR;
	if (!input_open(&source, path, &options->source, &wants))
		return STATUS_ERROR;
	const char *format = packed_format(&source);
	if (!format) {
		diag_print(source.name, "not a packed trace, but '%s'",
			poly_reader_info(source.reader)->format);
		input_discard(&source);
		return STATUS_ERROR;
	}
	const int status = write_unpacked(&source, format, output, options->force),
		  read = input_close(&source);
	return read > status ? read : status;
}

static int
unpack_file(const struct unpack_options *options, const char *path)
{
	if (options->output)
		return unpack(options, path, options->output);
	char *name = packed_original_name(path);
	int status = STATUS_ERROR;
	if (!name)
		diag_print(diag_input_name(path), "the name does not end in " PACKED_ENDING
						  "; name the output with '-o'");
	else
		status = unpack(options, path, name);
	free(name);
	return status;
}

static int
unpack_run(void *fields, char **operands)
{
	const struct unpack_options *options = fields;
	int worst = STATUS_DONE;
	if (!operands[0] && term_input()) {
		diag_print("unpack", "no input: name a file, or '-' for standard input");
		return STATUS_ERROR;
	}
	if (options->output && operands[0] && operands[1]) {
		diag_print(
			"unpack", "option '-o' names one output, but there are several inputs");
		return STATUS_ERROR;
	}
	if (!operands[0])
		return unpack_file(options, "-");
	for (; *operands && !progress_interrupted(); operands++) {
		const int status = unpack_file(options, *operands);
		worst = status > worst ? status : worst;
	}
	return worst;
}

const struct command command_unpack = {
	.name = "unpack",
	.group = GROUP_CONVERT,
	.summary = "restore packed traces in their original format",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace unpack -o trace.out trace.ptz",
		"polytrace unpack -o - trace.ptz"},
	.options = unpack_tables,
	.options_size = sizeof(struct unpack_options),
	.run = unpack_run,
};
