/* SPDX-License-Identifier: MIT */
/* The loop of a command over its inputs. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "cli/files/output.h"
#include "cli/options/input_options.h"

/* The job of a command on its inputs. */
struct inputs {
	const struct input_options *options;
	struct output *output;
	bool headed; /* print the name of each of several inputs */
	int (*process)(struct inputs *inputs,
		const char *path); /* one input; returns an exit status */
	/* Each input is processed and printed by itself: several ranks take different ones. */
	bool is_separate;
	int (*finish)(struct inputs *inputs); /* after all, even if one failed; NULL: nothing */
	const void *command;		      /* the command's own options */
	void *state;			      /* the command's state over all inputs */
};

/*
 * Processes each operand, or standard input if there are none and it is not a terminal;
 * finishes the output; returns the highest exit status. In several ranks, rank 0 prints what
 * the others send.
 */
int inputs_run(struct inputs *inputs, char **operands);

#endif
