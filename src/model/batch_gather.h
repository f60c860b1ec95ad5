/* SPDX-License-Identifier: MIT */
/* Chosen rows of a batch, as a batch. */
#ifndef MODEL_BATCH_GATHER_H
#define MODEL_BATCH_GATHER_H

#include "model/batch.h"

/* Zero-initialise; batch_gather_fini gives back. */
struct batch_gather {
	struct poly_batch view;		   /* the rows; the arena is that of the batch */
	struct batch rows;		   /* storage for the columns that a batch had so far */
	uint32_t numbers[POLY_BATCH_ROWS]; /* of the rows, in the batch */
};

/*
 * Makes view the rows of a batch whose bits are set: row r is bit r % 64 of chosen[r / 64]. It
 * holds as long as the batch. POLY_ERR_MEMORY.
 */
enum poly_status batch_gather_rows(struct batch_gather *pick, const struct poly_batch *batch,
	const uint64_t *chosen, struct poly_error *error);

/* Gives the storage back. */
void batch_gather_fini(struct batch_gather *pick);

#endif
