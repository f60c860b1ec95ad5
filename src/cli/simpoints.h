/* SPDX-License-Identifier: MIT */
/* Cutting the intervals that stand for phases out of a trace. */
#ifndef CLI_SIMPOINTS_H
#define CLI_SIMPOINTS_H

#include "cli/command_input.h"

/* What is to be cut. */
struct simpoints_job {
	const char *path;   /* of lines "INTERVAL PHASE" */
	uint64_t length;    /* of an interval in instructions, not 0 */
	const char *output; /* run.tt6: phase 3 is written to run.3.tt6 */
	const struct poly_write_options *options;
};

/*
 * Reads the list of intervals, then writes each of them from a source, which it reads as far as
 * they go; tells what went wrong, and returns an exit status. Closing the source is left to the
 * caller.
 */
int simpoints_cut(const struct simpoints_job *job, struct command_input *source);

#endif
