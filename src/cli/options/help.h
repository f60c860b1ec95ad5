/* SPDX-License-Identifier: MIT */
/* The help of the command, of its sub-commands, and on topics. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

/* Prints the list of commands (NULL at the end) by tasks; returns the exit status. */
int help_overview(const struct command *const *commands);

/* Prints usage, examples and options of a command; returns the exit status. */
int help_command(const struct command *command);

/* Returns whether there is a topic of this name that help_topic prints. */
bool help_is_topic(const char *name);

/* Prints what the help knows on a topic; returns the exit status. */
int help_topic(const char *name);

/* Returns the command that does what a word of other programs means; NULL: unknown. */
const char *help_synonym(const char *word);

#endif
