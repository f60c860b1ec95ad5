/* SPDX-License-Identifier: MIT */
/* Some consecutive rows of a batch, as a batch. */
#ifndef MODEL_SLICE_H
#define MODEL_SLICE_H

#include "polytrace/batch.h"

/* Zero-initialise; slice_fini gives back. */
struct slice {
	struct poly_batch view; /* the rows; columns and arena are those of the batch */
	uint64_t *bits;		/* of the presence bitmaps, which begin at another row */
};

/*
 * Makes view the rows from row from on (from + rows at most batch->rows). It holds as long as
 * the batch. POLY_ERR_MEMORY.
 */
enum poly_status slice_make(struct slice *slice, const struct poly_batch *batch, size_t from,
	size_t rows, struct poly_error *error);

/* Gives the storage back. */
void slice_fini(struct slice *slice);

#endif
