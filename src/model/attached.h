/* SPDX-License-Identifier: MIT */
/*
 * Rows that belong to an instruction: the escapes 1 to 5 of TT6 to the next one, the synthetic
 * pair of TT6E to the last one that was executed. spec: Apple amber traces 4.4, 4.6.
 */
#ifndef MODEL_ATTACHED_H
#define MODEL_ATTACHED_H

#include "model/columns.h"

/* The columns that decide. */
#define ATTACHED_COLUMNS kind, escape, synthetic

/* Returns whether a row is an instruction. */
static inline bool
is_instruction_row(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_kind, row) &&
	       batch->kind[row] == POLY_KIND_INSTRUCTION;
}

/* Returns whether a row is an escape that belongs to the next instruction. */
static inline bool
attached_to_next(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_escape, row) && batch->escape[row] >= 1 &&
	       batch->escape[row] <= 5;
}

/* Returns whether a row is an instruction that belongs to the one before. */
static inline bool
attached_to_last(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row];
}

#endif
