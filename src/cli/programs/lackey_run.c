/* SPDX-License-Identifier: MIT */
/*
 * Recordings by valgrind's tool lackey.
 *
 * spec: Valgrind manual, sections 2.6 (--log-fd) and 15 (Lackey, --trace-mem).
 */
#include "cli/programs/lackey_run.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/programs/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Arguments of valgrind before the program. */
#define VALGRIND_ARGUMENTS 5

/* Starts valgrind, which writes its log to a pipe; *log is the pipe's other end. */
static bool
start(struct lackey_run *run, int *log)
{
	int ends[2];
	size_t count = 0, used = 0;
	char option[32];
	if (!program_is_installed("valgrind")) {
		diag_print("record", "valgrind is not installed; install the package valgrind");
		return false;
	}
	if (pipe(ends) != 0 || fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0) {
		diag_print("record", "cannot create a pipe: %s", strerror(errno));
		return false;
	}
	while (run->operands[count])
		count++;
	const char **arguments = diag_allocate(count + VALGRIND_ARGUMENTS, sizeof *arguments);
	snprintf(option, sizeof option, "--log-fd=%d", ends[1]);
	arguments[used++] = "valgrind";
	arguments[used++] = "--tool=lackey";
	arguments[used++] = "--trace-mem=yes";
	arguments[used++] = option;
	memcpy(arguments + used, run->operands, count * sizeof *arguments);
	const bool started = child_start(&run->child, arguments);
	free(arguments);
	close(ends[1]);
	*log = ends[0];
	if (!started)
		close(ends[0]);
	return started;
}

/* Copies the rows of a reader to the output. */
static bool
copy(struct lackey_run *run, struct poly_reader *reader, struct trace_output *output)
{
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status;
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		child_update(&run->child);
		if (poly_writer_write(output->writer, batch, &error) != POLY_OK) {
			trace_output_failed(output, "record", &error);
			return false;
		}
	}
	/* A killed program leaves a partial line. */
	if (status == POLY_END || status == POLY_ERR_TRUNCATED)
		return trace_output_finish(output, "record") == STATUS_DONE;
	diag_error("valgrind", &error);
	return false;
}

bool
lackey_run(struct lackey_run *run)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader = NULL;
	struct trace_output output = {.writer = NULL};
	struct poly_error error;
	char path[32];
	int log;
	if (!start(run, &log))
		return false;
	snprintf(path, sizeof path, "/dev/fd/%d", log);
	options.format = "lackey";
	const enum poly_status status = poly_reader_open(path, &options, &reader, &error);
	if (status != POLY_OK)
		diag_error("valgrind", &error);
	const bool done = status == POLY_OK &&
			  trace_output_open(&output, run->output, poly_reader_info(reader),
				  run->writing) &&
			  copy(run, reader, &output);
	trace_output_close(&output);
	poly_reader_close(reader);
	close(log);
	if (!done)
		child_kill(&run->child);
	child_finish(&run->child);
	return done;
}
