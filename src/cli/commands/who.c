/* SPDX-License-Identifier: MIT */
/* polytrace who: finds the last writer or the next reader of a register or address. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/print/rendering.h"
#include "cli/files/inputs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct who_options {
	struct input_options source; /* first: the reading options are in it */
	const char *reg, *address;
	struct opt_number before, after;
};

static const struct opt who_table[] = {
	{"reg", 'r', OPT_TEXT, "NAME", NULL, offsetof(struct who_options, reg),
		"find accesses to register NAME"},
	{"addr", 'a', OPT_TEXT, "ADDRESS", NULL, offsetof(struct who_options, address),
		"find accesses to ADDRESS, a number or a symbol"},
	{"before", 0, OPT_NUMBER, "N", NULL, offsetof(struct who_options, before),
		"find the last writer before record N (default: the end of the trace)"},
	{"after", 0, OPT_NUMBER, "N", NULL, offsetof(struct who_options, after),
		"find the first reader after record N"},
	{0},
};

static const struct opt *const who_tables[] = {
	who_table, rendering_table, bounds_table, selection_table, input_table, NULL};

/* Parses an address or symbol; prints an error and returns false on failure. */
static bool
find_address(const struct command_input *source, const char *text, uint64_t *address)
{
	char *end;
	const struct poly_symbol *symbol =
		source->symbols ? poly_symbols_named(source->symbols, text, strlen(text))
				: NULL;
	const bool has_prefix = text[0] == '0' && (text[1] | 32) == 'x';
	errno = 0;
	*address = symbol ? symbol->address : strtoull(text, &end, has_prefix ? 16 : 10);
	if (symbol || (isdigit((unsigned char)*text) && !*end && !errno))
		return true;
	diag_print("who", "'%s' is not an address%s", text,
		source->symbols ? " or symbol" : "; for symbols use '--symbols'");
	return false;
}

/* Runs the query on an input; prints an error and returns NULL on failure. */
static struct poly_defuse *
run_query(struct command_input *source, const struct who_options *options)
{
	struct poly_defuse_options query = POLY_DEFUSE_OPTIONS_INIT;
	struct poly_defuse *defuse;
	struct poly_error error;
	query.reg = options->reg;
	if (options->address && !find_address(source, options->address, &query.address))
		return NULL;
	query.is_reader = options->after.is_set;
	if (options->before.is_set)
		query.record = options->before.value;
	if (options->after.is_set)
		query.record = options->after.value;
	if (poly_defuse_new(&query, poly_reader_info(source->reader), &defuse, &error) !=
		POLY_OK) {
		diag_error(source->name, &error);
		return NULL;
	}
	const struct poly_batch *batch;
	while ((batch = input_next(source)) && poly_defuse_update(defuse, batch))
		;
	if (poly_defuse_failed(defuse))
		diag_no_memory();
	return defuse;
}

static int
who_one(struct inputs *inputs, const char *path)
{
	const struct who_options *options = inputs->command;
	const struct input_needs wants = {.columns = poly_defuse_columns()};
	struct command_input source;
	int status = STATUS_ERROR;
	if (!input_open(&source, path, inputs->options, &wants))
		return STATUS_ERROR;
	struct poly_defuse *defuse = run_query(&source, options);
	progress_clear(&source.progress);
	if (defuse) {
		struct poly_report *report = report_new();
		poly_report_text(report, "file", source.name);
		poly_defuse_report(defuse, report);
		status = report_render(report, inputs->options, inputs->output);
		output_flush(inputs->output);
	}
	if (defuse && !poly_defuse_found(defuse) && status == STATUS_DONE) {
		status = STATUS_NEGATIVE;
		if (!input_is_partial(&source))
			diag_print(source.name, "no %s found",
				options->after.is_set ? "reader" : "writer");
	}
	poly_defuse_free(defuse);
	const int ended = input_close(&source);
	return status > ended ? status : ended;
}

static int
who_run(void *fields, char **operands)
{
	const struct who_options *options = fields;
	const char *fault = NULL;
	if (!options->reg == !options->address)
		fault = "expected either '--reg' or '--addr'";
	else if (options->before.is_set && options->after.is_set)
		fault = "options '--before' and '--after' exclude each other";
	if (fault) {
		diag_print("who", "%s", fault);
		return STATUS_ERROR;
	}
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.headed = true,
		.process = who_one};
	return inputs_run(&inputs, operands);
}

const struct command command_who = {
	.name = "who",
	.alias = "defuse",
	.group = GROUP_ANALYSE,
	.summary = "find the last writer or the next reader of a register or address",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace who --reg x0 calls.tarmac",
		"polytrace who --addr 0xfff0 --before 10 calls.tarmac"},
	.options = who_tables,
	.options_size = sizeof(struct who_options),
	.run = who_run,
};
