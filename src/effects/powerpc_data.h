/* SPDX-License-Identifier: MIT */
/*
 * Data of PowerPC loads and stores, from the register state before a store and after a load.
 * Pure functions; any thread.
 *
 * spec: PowerPC architecture, load and store instructions; Apple amber traces 2.3, 4.7.
 */
#ifndef EFFECTS_POWERPC_DATA_H
#define EFFECTS_POWERPC_DATA_H

#include "polytrace/powerpc.h"

/* Maximum bytes of an access: lmw and stmw of 32 registers, lswx and stswx up to 127. */
#define POWERPC_DATA_MAX 128

/*
 * Gets the size bytes that an instruction moves between its registers and memory at address,
 * lowest address first; false: the size or the instruction is not one whose data are known.
 * state: before a store, after a load.
 */
bool powerpc_data(uint32_t opcode, const struct poly_powerpc_state *state, uint64_t address,
	uint32_t size, uint8_t data[POWERPC_DATA_MAX]);

/* Returns whether an opcode stores only while its reservation is held: stwcx. and stdcx. */
bool powerpc_is_conditional(uint32_t opcode);

#endif
