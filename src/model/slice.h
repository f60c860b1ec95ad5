/* SPDX-License-Identifier: MIT */
/* Consecutive rows of a batch as a batch. */
#ifndef MODEL_SLICE_H
#define MODEL_SLICE_H

#include "model/batch_internal.h"

/* Zero-initialise; free by slice_fini. */
struct slice {
	struct poly_batch view; /* the rows; columns and arena are those of the batch */
	struct poly_batch_internal internal; /* of the view */
	uint64_t *bits;			     /* shifted presence bitmaps */
};

/*
 * Sets view to rows rows from row from (from + rows at most batch->rows). view is valid as long
 * as the batch. POLY_ERR_MEMORY.
 */
enum poly_status slice_make(struct slice *slice, const struct poly_batch *batch, size_t from,
	size_t rows, struct poly_error *error);

/* Frees the storage. */
void slice_fini(struct slice *slice);

#endif
