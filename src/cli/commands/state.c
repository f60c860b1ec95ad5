/* SPDX-License-Identifier: MIT */
/* polytrace state: reconstructs registers and memory at a record. */
#include "polytrace/polytrace.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/files/command_input.h"
#include "cli/print/rendering.h"
#include "cli/files/inputs.h"

struct state_options {
	struct input_options source; /* first: the reading options are in it */
	struct opt_number at;
	unsigned order;
};

/* As enum poly_byte_order. */
static const char *const orders[] = {"auto", "big", "little", NULL};

static const struct opt state_table[] = {
	{"at", 0, OPT_NUMBER, "N", NULL, offsetof(struct state_options, at),
		"reconstruct the state after record N (default: the last one)"},
	{"order", 0, OPT_CHOICE, "auto|big|little", orders,
		offsetof(struct state_options, order),
		"byte order of memory (default auto: by instruction set)"},
	{0},
};

static const struct opt *const state_tables[] = {
	state_table, rendering_table, bounds_table, selection_table, input_table, NULL};

/* Reconstructs the state of an input; prints an error and returns NULL on failure. */
static struct poly_state *
reconstruct(struct command_input *source, const struct state_options *options)
{
	struct poly_state_options state_options = POLY_STATE_OPTIONS_INIT;
	struct poly_state *state;
	struct poly_error error;
	const struct poly_batch *batch;
	if (options->at.is_set)
		state_options.at = options->at.value;
	state_options.byte_order = (enum poly_byte_order)options->order;
	enum poly_status status = poly_state_new(
		&state_options, poly_reader_info(source->reader), &state, &error);
	if (status != POLY_OK)
		diag_no_memory();
	while (status == POLY_OK && (batch = input_next(source)))
		status = poly_state_update(state, batch, &error);
	if (status >= 0)
		return state;
	diag_error(source->name, &error);
	poly_state_free(state);
	return NULL;
}

static int
state_one(struct inputs *inputs, const char *path)
{
	const struct input_needs wants = {.columns = poly_state_columns()};
	struct command_input source;
	int status = STATUS_ERROR;
	if (!input_open(&source, path, inputs->options, &wants))
		return STATUS_ERROR;
	struct poly_state *state = reconstruct(&source, inputs->command);
	progress_clear(&source.progress);
	if (state) {
		struct poly_report *report = report_new();
		input_report_name(&source, report);
		poly_state_report(state, report);
		status = report_render(report, inputs->options, inputs->output);
		output_flush(inputs->output);
	}
	poly_state_free(state);
	const int ended = input_close(&source);
	return status > ended ? status : ended;
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
