/* SPDX-License-Identifier: MIT */
/*
 * Rows that outlive the batches that they are of, in order: batches that can be held are held
 * (batch_hold.h); others, and those of few rows, are copied.
 */
#ifndef MODEL_ROW_STORE_H
#define MODEL_ROW_STORE_H

#include "model/batch_hold.h"
#include "model/row_buffer.h"

/* Maximum number of batches of a store; copied rows of several are one. */
#define ROW_STORE_BATCHES 64

/* A held batch, or copied rows. */
struct kept_batch {
	const struct poly_batch *view;
	struct batch_hold hold;	     /* its batch is NULL: the rows are copied */
	struct poly_trace_info info; /* of the rows, if it was given */
	struct poly_batch held;	     /* the held batch with that information */
	struct row_buffer *buffer;   /* NULL: not needed so far */
	uint32_t *picked;	     /* storage of picked of copied rows; NULL: likewise */
};

/* Zeroed is empty. */
struct row_store {
	struct kept_batch batches[ROW_STORE_BATCHES];
	size_t count; /* batches */
	size_t rows;
};

/*
 * Adds the rows of a batch, of which there is at least one, to a store that is not full. info:
 * the rows get a copy of this information about the trace; NULL: that of the batch, for as long
 * as its reader is open. Returns false if out of memory.
 */
bool row_store_add(struct row_store *store, const struct poly_batch *batch,
	const struct poly_trace_info *info);

/* Returns whether no further batch may have room. */
static inline bool
row_store_is_full(const struct row_store *store)
{
	return store->count == ROW_STORE_BATCHES;
}

/* Removes all rows and ends the holds; keeps memory for other rows. */
void row_store_clear(struct row_store *store);

/* Removes all rows and frees the memory. */
void row_store_fini(struct row_store *store);

#endif
