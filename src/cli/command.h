/* SPDX-License-Identifier: MIT */
/* What a sub-command is. Each is one file and one word in the build's list. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/opt.h"

/* Exit statuses of every command. */
enum {
	STATUS_DONE = 0,     /* done, or the answer is yes */
	STATUS_NEGATIVE = 1, /* the answer is no: not valid */
	STATUS_TROUBLE = 2,  /* wrong usage, input or output failed, damaged input */
};

struct command {
	const char *name;		  /* as typed */
	const char *summary;		  /* one line, as in the list of commands */
	const char *usage;		  /* what follows the name: "[options] FILE..." */
	const struct opt *const *options; /* tables, NULL at the end */
	size_t options_size;		  /* bytes of the struct that the tables fill */
	/* Runs with the filled struct and the operands (NULL at the end). */
	int (*run)(void *options, char **operands);
};

#endif
