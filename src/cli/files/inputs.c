/* SPDX-License-Identifier: MIT */
/* The loop of a command over its inputs. */
#include "cli/files/inputs.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/print/progress.h"
#include "cli/print/rendering.h"
#include "cli/print/term.h"
#include "cli/programs/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Receives what another rank printed of an input, and its exit status. */
static int
receive_input(struct inputs *inputs, unsigned rank)
{
	int status = STATUS_ERROR;
	size_t size;
	unsigned char *bytes = ranks_receive(rank, &size);
	if (size == sizeof status)
		memcpy(&status, bytes, size);
	free(bytes);
	bytes = ranks_receive(rank, &size);
	output_write(inputs->output, bytes, size);
	free(bytes);
	return status;
}

/* Returns the rank that processes an input. A launcher passes standard input to rank 0. */
static unsigned
find_rank(const struct inputs *inputs, const char *path, size_t number)
{
	if (!inputs->is_separate || strcmp(path, "-") == 0)
		return 0;
	return (unsigned)(number % ranks_count());
}

/* Processes an input, in this rank or in another. */
static int
process_input(struct inputs *inputs, const char *path, size_t number)
{
	const unsigned rank = find_rank(inputs, path, number);
	return rank ? receive_input(inputs, rank) : inputs->process(inputs, path);
}

/* Sends what was printed to a file, and empties it; false: a message was printed. */
static bool
send_printed(FILE *printed, int status)
{
	const long size = fseek(printed, 0, SEEK_END) == 0 ? ftell(printed) : -1;
	char *bytes = diag_allocate((size_t)(size < 0 ? 0 : size) + 1, 1);
	rewind(printed);
	const bool is_read =
		size >= 0 && fread(bytes, 1, (size_t)size, printed) == (size_t)size;
	rewind(printed);
	const bool ok = is_read && ftruncate(fileno(printed), 0) == 0;
	if (ok) {
		ranks_send(&status, sizeof status);
		ranks_send(bytes, (size_t)size);
	} else {
		diag_print(NULL, "cannot read or empty a temporary file: %s", strerror(errno));
	}
	free(bytes);
	return ok;
}

/* Processes the inputs of a rank other than 0, whose standard output becomes a file; returns an
 * exit status. */
static int
work(struct inputs *inputs, char **paths)
{
	FILE *printed = tmpfile();
	int status = STATUS_DONE;
	if (!printed || dup2(fileno(printed), STDOUT_FILENO) < 0) {
		diag_print(NULL, "cannot create a temporary file: %s", strerror(errno));
		status = STATUS_ERROR;
	}
	for (size_t i = 0; paths[i] && status != STATUS_ERROR; i++) {
		if (find_rank(inputs, paths[i], i) != ranks_number())
			continue;
		inputs->output->tables.input = paths[1] ? diag_input_name(paths[i]) : NULL;
		inputs->output->tables.headed = i > 0;
		status = inputs->process(inputs, paths[i]);
		output_flush(inputs->output);
		if (status != STATUS_ERROR && !send_printed(printed, status))
			status = STATUS_ERROR;
	}
	if (printed)
		fclose(printed);
	if (status == STATUS_ERROR)
		return status;
	return STATUS_DONE;
}

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
		if (path != paths && !inputs->finish && !inputs->options->table &&
			!inputs->options->tables &&
			rendering_of_options(inputs->options) == POLY_RENDER_CSV)
			output_text(inputs->output, "\n");
		int status = process_input(inputs, *path, (size_t)(path - paths));
		if (status == STATUS_ERROR && ranks_count() > 1)
			return status;
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
	else if (inputs->is_separate && ranks_number())
		status = work(inputs, operands[0] ? operands : only);
	else
		status = run_all(inputs, operands[0] ? operands : only);
	if (inputs->is_separate && ranks_number()) {
		free(inputs->output);
		return status;
	}
	int written = output_finish(inputs->output);
	return written > status ? written : status;
}
