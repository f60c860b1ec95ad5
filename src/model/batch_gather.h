/* SPDX-License-Identifier: MIT */
/* Selected rows of a batch, gathered into a batch. */
#ifndef MODEL_BATCH_GATHER_H
#define MODEL_BATCH_GATHER_H

#include "model/batch.h"

/* Zero-initialise; free by batch_gather_fini. */
struct batch_gather {
	struct poly_batch view;		 /* the rows; the arena is that of the batch */
	struct batch rows;		 /* storage for the columns of the last batch */
	uint32_t index[POLY_BATCH_ROWS]; /* of each gathered row in the batch */
};

/*
 * Sets view to the rows of a batch whose bits are set: row r is bit r % 64 of selected[r / 64].
 * view is valid as long as the batch. POLY_ERR_MEMORY.
 */
enum poly_status batch_gather_rows(struct batch_gather *gather, const struct poly_batch *batch,
	const uint64_t *selected, struct poly_error *error);

/* Frees the storage. */
void batch_gather_fini(struct batch_gather *gather);

#endif
