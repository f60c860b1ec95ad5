/* SPDX-License-Identifier: MIT */
/* polytrace state: reconstructs registers and memory at a record. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/files/query.h"

#include <stdio.h>

struct state_options {
	struct input_options source; /* first: the reading options are in it */
	struct opt_number at;
	unsigned order;
};

static const char *const orders[] = {"auto", "big", "little", NULL};

#define FIELD(member) .field = offsetof(struct state_options, member)

static const struct opt state_table[] = {
	{"at", 0, OPT_NUMBER, "N", FIELD(at),
		.help = "reconstruct the state after record N (default: the last one)"},
	{"order", 0, OPT_CHOICE, "auto|big|little", .choices = orders, FIELD(order),
		.help = "byte order of memory (default auto: by instruction set)"},
	{0},
};

static const struct opt *const state_tables[] = {state_table, rendering_table, tables_table,
	bounds_table, selection_table, input_table, NULL};

static int
state_one(struct inputs *inputs, const char *path)
{
	const struct state_options *options = inputs->command;
	struct query query = {.command = "state", .analysis = "state"};
	char at[24];
	snprintf(at, sizeof at, "%llu", (unsigned long long)options->at.value);
	if (options->at.is_set)
		query_set(&query, "at", at);
	query_set(&query, "order", orders[options->order]);
	return query_run(&query, inputs, path);
}

static int
state_run(void *fields, char **operands)
{
	const struct state_options *options = fields;
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.headed = true,
		.process = state_one};
	return inputs_run(&inputs, operands);
}

const struct command command_state = {
	.name = "state",
	.group = GROUP_ANALYSE,
	.summary = "reconstruct registers and memory at a record",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace state --at 10 calls.tarmac",
		"polytrace state --json calls.tarmac"},
	.options = state_tables,
	.options_size = sizeof(struct state_options),
	.run = state_run,
};
