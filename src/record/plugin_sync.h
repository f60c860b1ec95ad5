/* SPDX-License-Identifier: MIT */
/*
 * Records of synchronization, as amber has them: each signal has the number of signals of its
 * object, which it increments, and stands before the call; each wait has their number at its
 * end, and stands after the call.
 *
 * spec: Apple amber traces 2.5 and 7.1.
 */
#ifndef RECORD_PLUGIN_SYNC_H
#define RECORD_PLUGIN_SYNC_H

#include "record/plugin.h"

/* Returns whether an instruction is the first one of a function of the channel. */
bool plugin_sync_begins(uint64_t pc);

/* Stores what a call of such a function needs, before its first instruction. */
void plugin_sync_enter(struct producer *producer, uint64_t pc);

/* Stores the records of calls that return to this instruction. */
void plugin_sync_return(struct producer *producer, uint64_t pc);

#endif
