/* SPDX-License-Identifier: MIT */
/* Extracts the representative intervals of phases from a trace. */
#ifndef CLI_SIMPOINTS_H
#define CLI_SIMPOINTS_H

#include "cli/files/command_input.h"
#include "cli/files/output_policy.h"

/* The intervals to extract. */
struct simpoints_job {
	const char *path;   /* of lines "INTERVAL PHASE" */
	uint64_t length;    /* of an interval in instructions, not 0 */
	const char *output; /* run.tt6: phase 3 is written to run.3.tt6 */
	const struct poly_write_options *options;
	const struct output_policy *policy;
	uint64_t warmup;   /* records to write before each interval */
	bool holds_labels; /* the format holds the label of warm-up */
};

/*
 * Reads the list of intervals, then writes each of them from a source, which it reads up to
 * the end of the last one; prints errors, and returns an exit status. With warm-up, again is
 * the same input, open a second time. The caller closes both.
 */
int simpoints_cut(const struct simpoints_job *job, struct command_input *source,
	struct command_input *again);

/* Prints about an output that simulations of intervals without warm-up have errors. */
void simpoints_print_cold(const char *name);

#endif
