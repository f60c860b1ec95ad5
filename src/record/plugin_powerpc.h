/* SPDX-License-Identifier: MIT */
/*
 * Accesses of PowerPC that the emulator does not report: cache operations, prefetches, multiple
 * and string loads and stores, stores that fail. Their addresses follow from registers.
 */
#ifndef RECORD_PLUGIN_POWERPC_H
#define RECORD_PLUGIN_POWERPC_H

#include "record/plugin.h"

/* Returns whether the accesses of an instruction are taken from registers. */
bool plugin_powerpc_computes(uint32_t opcode);

/* Stores what precedes the record of such an instruction: the register of its third word. */
void plugin_powerpc_before(struct producer *producer, uint32_t opcode);

/* Stores the accesses of such an instruction, before it is executed; values: with data. */
void plugin_powerpc_after(struct producer *producer, uint32_t opcode, bool values);

#endif
