/* SPDX-License-Identifier: MIT */
/* Copies of rows of batches, which outlive the batches: only of the columns that these have. */
#ifndef MODEL_ROW_BUFFER_H
#define MODEL_ROW_BUFFER_H

#include "model/columns.h"

#include "base/buf.h"

struct row_buffer {
	struct poly_batch view;		 /* the rows; without information about the trace */
	struct row_buffer *next;	 /* for lists of the caller */
	size_t capacity;		 /* maximum rows */
	void *values[POLY_COLUMN_COUNT]; /* storage of columns; NULL: not needed so far */
	uint64_t *bits[POLY_COLUMN_COUNT];
	struct buf arena;
};

/* Returns an empty buffer of 1 to POLY_BATCH_ROWS rows; NULL: out of memory. */
struct row_buffer *row_buffer_new(size_t capacity);

/* Appends rows from row from on, for which there is room. Returns false if out of memory. */
bool row_buffer_append(
	struct row_buffer *buffer, const struct poly_batch *batch, size_t from, size_t rows);

/* Removes all rows. */
void row_buffer_clear(struct row_buffer *buffer);

/* Frees the memory. Accepts NULL. */
void row_buffer_free(struct row_buffer *buffer);

#endif
