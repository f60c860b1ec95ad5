/* SPDX-License-Identifier: MIT */
/* Checks of commands against the contract of command.h. */
#ifndef CLI_COMMAND_CONTRACT_H
#define CLI_COMMAND_CONTRACT_H

#include "cli/command.h"

/* Room for a fault of command_check_contracts. */
#define COMMAND_FAULT_ROOM 120

/*
 * Returns whether the commands (NULL at the end) have all that command.h requires, and unique
 * names; else fault is the first fault: "command view: summary is NULL".
 */
bool command_check_contracts(
	const struct command *const *commands, char fault[COMMAND_FAULT_ROOM]);

#endif
