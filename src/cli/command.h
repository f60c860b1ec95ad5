/* SPDX-License-Identifier: MIT */
/* The definition of a sub-command. Each is one file and one word in the build's list. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options/opt.h"

/* Exit statuses of every command. */
enum {
	STATUS_DONE = 0,     /* success, or a positive result */
	STATUS_NEGATIVE = 1, /* a negative result: not valid, differs, no record selected */
	STATUS_ERROR = 2,    /* an error: usage, input, output or corrupt data */
};

/* Tasks, by which the help groups the commands. */
enum command_group {
	GROUP_RECORD,
	GROUP_INSPECT,
	GROUP_CONVERT,
	GROUP_COMPARE,
	GROUP_ANALYSE,
	GROUP_SIMULATE,
	GROUP_AIX,
	GROUP_COURSES,
};

/* Examples in the help of a command. */
#define COMMAND_EXAMPLES 2

struct command {
	const char *name;  /* as typed */
	const char *alias; /* another name that runs it; NULL: none */
	enum command_group group;
	const char *summary;			/* one line, as in the list of commands */
	const char *usage;			/* follows the name: "[options] FILE..." */
	const char *examples[COMMAND_EXAMPLES]; /* complete command lines */
	const struct opt *const *options; /* tables, NULL at the end, the command's own first */
	size_t options_size;		  /* bytes of the struct that the tables fill */
	bool is_divided;		  /* among the ranks of a run by mpirun */
	/* Runs with the filled struct and the operands (NULL at the end). */
	int (*run)(void *options, char **operands);
};

#endif
