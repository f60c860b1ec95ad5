/* SPDX-License-Identifier: MIT */
/* Checks commands against the contract of command.h. */
#include "cli/options/command_contract.h"

#include <stdio.h>
#include <string.h>

/* Returns the first member of a command that lacks its value; NULL: none. */
static const char *
missing_member(const struct command *command)
{
	if (!command->summary)
		return "summary is NULL";
	if (!command->usage)
		return "usage is NULL";
	if (!command->options)
		return "options is NULL";
	if (!command->run)
		return "run is NULL";
	if (command->group > GROUP_COURSES)
		return "group is unknown";
	for (size_t i = 0; i < COMMAND_EXAMPLES; i++) {
		if (!command->examples[i])
			return "examples are missing";
	}
	return NULL;
}

/* Returns whether one of the first count commands runs by this name. */
static bool
is_taken(const struct command *const *commands, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++) {
		const char *alias = commands[i]->alias;
		if (strcmp(commands[i]->name, name) == 0 || (alias && strcmp(alias, name) == 0))
			return true;
	}
	return false;
}

bool
command_check_contracts(const struct command *const *commands, char fault[COMMAND_FAULT_ROOM])
{
	*fault = 0;
	for (size_t i = 0; commands[i]; i++) {
		const struct command *command = commands[i];
		if (!command->name) {
			snprintf(fault, COMMAND_FAULT_ROOM, "command number %zu: name is NULL",
				i);
			return false;
		}
		const char *what = missing_member(command);
		if (!what && is_taken(commands, i, command->name))
			what = "the name is not unique";
		if (!what && is_taken(commands, i, command->alias))
			what = "the alias is not unique";
		if (what) {
			snprintf(fault, COMMAND_FAULT_ROOM, "command %.40s: %s", command->name,
				what);
			return false;
		}
	}
	return true;
}
