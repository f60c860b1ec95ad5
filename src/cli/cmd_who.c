/* SPDX-License-Identifier: MIT */
/* polytrace who: the last writer or the next reader of a register or an address. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/command_input.h"

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
		"ask for this register"},
	{"addr", 'a', OPT_TEXT, "ADDRESS", NULL, offsetof(struct who_options, address),
		"ask for this address, a number or a symbol"},
	{"before", 0, OPT_NUMBER, "N", NULL, offsetof(struct who_options, before),
		"who wrote it last before record N; without it, before the end"},
	{"after", 0, OPT_NUMBER, "N", NULL, offsetof(struct who_options, after),
		"who reads it first after record N"},
	{0},
};

static const struct opt *const who_tables[] = {
	who_table, rendering_table, bounds_table, selection_table, input_table, NULL};

/* The address that a text means; false, and told, where it means none. */
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
	diag_print("who", "'%s' is no address%s", text,
		source->symbols ? ", and no symbol" : "; symbols are named with '--symbols'");
	return false;
}

/* Asks a source; NULL, and told, where that fails. */
static struct poly_defuse *
ask(struct command_input *source, const struct who_options *options)
{
	struct poly_defuse_options asking = POLY_DEFUSE_OPTIONS_INIT;
	struct poly_defuse *who;
	struct poly_error error;
	asking.reg = options->reg;
	if (options->address && !find_address(source, options->address, &asking.address))
		return NULL;
	asking.is_reader = options->after.is_set;
	if (options->before.is_set)
		asking.record = options->before.value;
	if (options->after.is_set)
		asking.record = options->after.value;
	if (poly_defuse_new(&asking, poly_reader_info(source->reader), &who, &error) !=
		POLY_OK) {
		diag_error(source->name, &error);
		return NULL;
	}
	const struct poly_batch *batch;
	while ((batch = input_next(source)) && poly_defuse_update(who, batch))
		;
	if (poly_defuse_failed(who))
		diag_no_memory();
	return who;
}

static int
who_one(struct inputs *inputs, const char *path)
{
	const struct who_options *options = inputs->command;
	const struct input_needs wants = {.columns = poly_defuse_columns()};
	struct command_input source;
	int status = STATUS_TROUBLE;
	if (!input_open(&source, path, inputs->options, &wants))
		return STATUS_TROUBLE;
	struct poly_defuse *who = ask(&source, options);
	progress_clear(&source.progress);
	if (who) {
		struct poly_report *report = report_new();
		poly_report_text(report, "file", source.name);
		poly_defuse_report(who, report);
		status = report_render(report, inputs->options, inputs->output);
		output_flush(inputs->output);
	}
	if (who && !poly_defuse_found(who) && status == STATUS_DONE) {
		status = STATUS_NEGATIVE;
		if (!input_is_partial(&source))
			diag_print(source.name, "nobody %s it %s",
				options->after.is_set ? "reads" : "wrote",
				options->after.is_set ? "from there on" : "before that");
	}
	poly_defuse_free(who);
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
		return STATUS_TROUBLE;
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
	.summary = "tell who wrote a register or an address last, or reads it next",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace who --reg x0 calls.tarmac",
		"polytrace who --addr 0xfff0 --before 10 calls.tarmac"},
	.options = who_tables,
	.options_size = sizeof(struct who_options),
	.run = who_run,
};
