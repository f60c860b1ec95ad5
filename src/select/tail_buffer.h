/* SPDX-License-Identifier: MIT */
/* The last rows of a trace, copied from their batches. */
#ifndef SELECT_TAIL_BUFFER_H
#define SELECT_TAIL_BUFFER_H

#include "polytrace/batch.h"

#include "model/slice.h"

/* A copy of a batch; its columns follow in the same allocation. */
struct tail_batch {
	struct tail_batch *next;
	struct poly_batch view;
};

struct tail_buffer {
	uint64_t max;  /* rows to keep */
	uint64_t rows; /* stored: at least max, once max rows were added */
	struct tail_batch *first, *last;
	struct tail_batch *current; /* returned by tail_buffer_next */
	struct slice slice;	    /* its rows */
};

/* Appends the rows of a batch and frees those no longer among the last max. POLY_ERR_MEMORY. */
enum poly_status tail_buffer_add(
	struct tail_buffer *tail, const struct poly_batch *batch, struct poly_error *error);

/*
 * Removes the oldest rows, max in total. *view is valid until the next call. POLY_END: no rows
 * left. POLY_ERR_MEMORY.
 */
enum poly_status tail_buffer_next(
	struct tail_buffer *tail, const struct poly_batch **view, struct poly_error *error);

/* Frees all rows. */
void tail_buffer_free(struct tail_buffer *tail);

#endif
