/* SPDX-License-Identifier: MIT */
/* polytrace who: finds the last writer or the next reader of a register or address. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/print/rendering.h"
#include "cli/files/query.h"

#include <stdio.h>

struct who_options {
	struct input_options source; /* first: the reading options are in it */
	const char *reg, *address;
	struct opt_number before, after;
};

#define FIELD(member) .field = offsetof(struct who_options, member)

static const struct opt who_table[] = {
	{"reg", 'r', OPT_TEXT, "NAME", FIELD(reg), .help = "find accesses to register NAME"},
	{"addr", 'a', OPT_TEXT, "ADDRESS", FIELD(address),
		.help = "find accesses to ADDRESS, a number or a symbol"},
	{"before", 0, OPT_NUMBER, "N", FIELD(before),
		.help = "find the last writer before record N (default: the end of the trace)"},
	{"after", 0, OPT_NUMBER, "N", FIELD(after),
		.help = "find the first reader after record N"},
	{0},
};

static const struct opt *const who_tables[] = {who_table, rendering_table, tables_table,
	bounds_table, selection_table, input_table, NULL};

/* Sets a record of the query, if the option is set. */
static void
set_record(struct query *query, const char *name, const struct opt_number *record)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", (unsigned long long)record->value);
	if (record->is_set)
		query_set(query, name, text);
}

static int
who_one(struct inputs *inputs, const char *path)
{
	const struct who_options *options = inputs->command;
	struct query query = {.command = "who",
		.analysis = "defuse",
		.hint = options->source.symbols ? NULL : "; for symbols use '--symbols'",
		.missing = options->after.is_set ? "reader" : "writer"};
	if (options->reg)
		query_set(&query, "register", options->reg);
	if (options->address)
		query_set(&query, "address", options->address);
	set_record(&query, "before", &options->before);
	set_record(&query, "after", &options->after);
	return query_run(&query, inputs, path);
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
