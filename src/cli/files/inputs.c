/* SPDX-License-Identifier: MIT */
/* The loop of a command over its inputs. */
#include "cli/files/inputs.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/print/progress.h"
#include "cli/print/rendering.h"
#include "cli/print/term.h"

static int
run_all(struct inputs *inputs, char **paths)
{
	int worst = STATUS_DONE;
	bool headed = inputs->headed && paths[0] && paths[1] && !inputs->options->tables &&
		      rendering_of_options(inputs->options) == POLY_RENDER_TEXT;
	for (char **path = paths; *path && !output_failed(inputs->output); path++) {
		if (headed) {
			output_text(inputs->output, path == paths ? "==> " : "\n==> ");
			output_visible(inputs->output, diag_input_name(*path));
			output_text(inputs->output, " <==\n");
		}
		inputs->output->tables.input = paths[1] ? diag_input_name(*path) : NULL;
		if (path != paths && !inputs->finish && !inputs->options->table && !inputs->options->tables &&
			rendering_of_options(inputs->options) == POLY_RENDER_CSV)
			output_text(inputs->output, "\n");
		int status = inputs->process(inputs, *path);
		if (status > worst)
			worst = status;
		if (progress_interrupted())
			break;
		/* The output of one input precedes the messages of the next. */
		output_flush(inputs->output);
	}
	const int last = inputs->finish ? inputs->finish(inputs) : STATUS_DONE;
	return last > worst ? last : worst;
}

int
inputs_run(struct inputs *inputs, char **operands)
{
	char standard_input[] = "-", *only[] = {standard_input, NULL};
	int status = STATUS_ERROR;
	inputs->output = output_new();
	if (!rendering_is_valid(inputs->options))
		status = STATUS_ERROR;
	else if (!operands[0] && term_input())
		diag_print(NULL, "no input; name a file, or '-' for standard input");
	else
		status = run_all(inputs, operands[0] ? operands : only);
	int written = output_finish(inputs->output);
	return written > status ? written : status;
}
