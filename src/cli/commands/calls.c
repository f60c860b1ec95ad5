/* SPDX-License-Identifier: MIT */
/* polytrace calls: prints the call graph as a tree, profile, list or folded stacks. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/print/rendering.h"
#include "cli/files/query.h"

/* Values of --style; the others are those of the analysis. */
enum { STYLE_FOLDED = 3 };

struct calls_options {
	struct input_options source; /* first: the reading options are in it */
	unsigned style, unreturned;
};

static const char *const styles[] = {"tree", "profile", "list", "folded", NULL};
static const char *const unreturned[] = {"keep", "merge", NULL};

#define FIELD(member) .field = offsetof(struct calls_options, member)

static const struct opt calls_table[] = {
	{"style", 0, OPT_CHOICE, "tree|profile|list|folded", .choices = styles, FIELD(style),
		.help = "print a call tree (default), functions, each call, or folded stacks "
			"for a flame graph"},
	{"unreturned", 0, OPT_CHOICE, "keep|merge", .choices = unreturned, FIELD(unreturned),
		.help = "keep calls that never return (default), or merge them into their "
			"callers"},
	{0},
};

static const struct opt *const calls_tables[] = {calls_table, rendering_table, tables_table,
	bounds_table, selection_table, input_table, NULL};

static int
calls_one(struct inputs *inputs, const char *path)
{
	const struct calls_options *options = inputs->command;
	struct query query = {.command = "calls", .analysis = "calls"};
	if (options->style == STYLE_FOLDED)
		query.output = styles[STYLE_FOLDED];
	else
		query_set(&query, "style", styles[options->style]);
	query_set(&query, "unreturned", unreturned[options->unreturned]);
	if (rendering_of_options(inputs->options) == POLY_RENDER_TEXT)
		query_set(&query, "indent", "1");
	return query_run(&query, inputs, path);
}

static int
calls_run(void *fields, char **operands)
{
	const struct calls_options *options = fields;
	const bool tables = rendering_of_options(&options->source) != POLY_RENDER_TEXT ||
			    options->source.table || options->source.tables;
	if (options->style == STYLE_FOLDED && tables) {
		diag_print("calls", "'--style folded' excludes '--json', '--csv', '--table' "
				    "and '-o'");
		return STATUS_ERROR;
	}
	struct inputs inputs = {.options = &options->source,
		.command = options,
		.headed = options->style != STYLE_FOLDED,
		.process = calls_one};
	return inputs_run(&inputs, operands);
}

const struct command command_calls = {
	.name = "calls",
	.group = GROUP_ANALYSE,
	.summary = "reconstruct the call graph and count instructions per function",
	.usage = "[options] [FILE...]",
	.examples = {"polytrace calls calls.tarmac",
		"polytrace calls --style folded calls.tarmac"},
	.options = calls_tables,
	.options_size = sizeof(struct calls_options),
	.run = calls_run,
};
