/* SPDX-License-Identifier: MIT */
/* Recordings of accesses by valgrind's tool lackey. */
#ifndef CLI_LACKEY_RUN_H
#define CLI_LACKEY_RUN_H

#include "cli/files/trace_output.h"
#include "cli/programs/child.h"

struct lackey_run {
	char *const *operands; /* the program and its arguments */
	const char *output;
	const struct poly_write_options *writing;
	struct child child; /* of the program, after the run */
};

/* Runs a program under valgrind and writes its trace; false: an error, which was printed. */
bool lackey_run(struct lackey_run *run);

#endif
