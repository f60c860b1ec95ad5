/* SPDX-License-Identifier: MIT */
/*
 * Values of registers as columns: after each row, as far as the records up to it have shown
 * them, by thread or processor. A register state replaces all of them; a record of a register
 * sets it and its parts. One thread at a time.
 */
#ifndef EFFECTS_REGISTERS_H
#define EFFECTS_REGISTERS_H

#include "model/batch.h"
#include "model/info.h"

struct registers;

/*
 * Prepares the columns of count registers by their names, which are copied into info, whose
 * registers they become. POLY_ERR_USAGE: too many names, an unknown instruction set, or one
 * without such a register. POLY_ERR_MEMORY.
 */
enum poly_status registers_new(const char *const *names, unsigned count, struct info *info,
	struct registers **registers, struct poly_error *error);

/* Returns the columns that they are derived from. */
poly_columns registers_sources(void);

/* Sets the columns of the registers in the next batch of the trace; false: out of memory. */
bool registers_fill(struct registers *registers, struct batch *batch);

/* Frees the state; accepts NULL. */
void registers_free(struct registers *registers);

#endif
