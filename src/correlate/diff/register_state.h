/* SPDX-License-Identifier: MIT */
/* The registers of the states in FULL records, by number. spec: Apple amber traces 4.7 */
#ifndef CORRELATE_DIFF_REGISTER_STATE_H
#define CORRELATE_DIFF_REGISTER_STATE_H

#include "correlate/diff/rules.h"

/* Formats the name of a register by a number below STATE_REGISTERS. */
void register_state_name(unsigned number, char name[16]);

/* Determines the registers that are not compared; false: out of memory. */
bool register_state_ignore(struct diff_rules *rules);

/*
 * Gets a hash of the compared registers of a row, the same for every layout of the state; false
 * if the row's payload is not a state.
 */
bool register_state_hash(const struct diff_rules *rules, const struct poly_batch *batch,
	size_t row, uint64_t *hash);

#endif
