/* SPDX-License-Identifier: MIT */
/* Copies of rows of batches, which outlive the batches: only of the columns that these have. */
#ifndef MODEL_ROW_BLOCK_H
#define MODEL_ROW_BLOCK_H

#include "model/columns.h"

#include "base/buf.h"

struct row_block {
	struct poly_batch view;		 /* the rows; without information about the trace */
	struct row_block *next;		 /* for lists of the caller */
	size_t capacity;		 /* maximum rows */
	void *values[POLY_COLUMN_COUNT]; /* storage of columns; NULL: not needed so far */
	uint64_t *bits[POLY_COLUMN_COUNT];
	struct buf arena;
};

/* Returns an empty block of 1 to POLY_BATCH_ROWS rows; NULL: out of memory. */
struct row_block *row_block_new(size_t capacity);

/* Appends rows from row from on, as many as fit at most. Returns false if out of memory. */
bool row_block_append(
	struct row_block *block, const struct poly_batch *batch, size_t from, size_t rows);

/* Removes all rows. */
void row_block_clear(struct row_block *block);

/* Frees the memory. Accepts NULL. */
void row_block_free(struct row_block *block);

#endif
