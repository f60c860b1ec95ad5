/* SPDX-License-Identifier: MIT */
/* The last rows of a trace, copied from the batches that they came in. */
#ifndef SELECT_TAIL_BUFFER_H
#define SELECT_TAIL_BUFFER_H

#include "polytrace/batch.h"

#include "model/batch_gather.h"

/* A copy of a batch. */
struct tail_batch {
	struct tail_batch *next;
	struct poly_batch view;
	void *columns[POLY_COLUMN_COUNT];
	uint64_t *bits[POLY_COLUMN_COUNT];
	uint8_t *arena;
	uint32_t *picked;
};

struct tail_buffer {
	uint64_t most; /* rows to be kept */
	uint64_t rows; /* that are kept: at least most, if there were so many */
	struct tail_batch *first, *last;
	struct tail_batch *given; /* by tail_buffer_next */
};

/* Keeps the rows of a batch, and forgets what need not be kept any more. POLY_ERR_MEMORY. */
enum poly_status tail_buffer_add(
	struct tail_buffer *kept, const struct poly_batch *batch, struct poly_error *error);

/*
 * The next rows from the oldest on, most in all; view is made by pick, and holds until the next
 * call. POLY_END where nothing is left. POLY_ERR_MEMORY.
 */
enum poly_status tail_buffer_next(struct tail_buffer *kept, struct batch_gather *pick, const struct poly_batch **view,
	struct poly_error *error);

/* Forgets everything. */
void tail_buffer_free(struct tail_buffer *kept);

#endif
