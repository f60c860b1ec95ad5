/* SPDX-License-Identifier: MIT */
/* Copies rows of batches of a trace, one at a time, into a batch with names of its own. */
#ifndef MODEL_ROW_COPY_H
#define MODEL_ROW_COPY_H

#include "model/batch.h"
#include "model/columns.h"
#include "model/info.h"

/* Zero-initialise. */
struct row_copy {
	const struct poly_batch *source;
	struct batch *dst;
	struct info *names; /* receives the names in copied columns; NULL: their numbers stay */
	uint32_t *ids;	    /* by number of a name of the source: its number in names, plus 1 */
	uint32_t id_count;
	struct row_copy_column {
		enum poly_column column;
		const void *data;
		const uint64_t *present; /* presence bits of data */
		void *to;		 /* the array of dst */
		uint64_t *bits;		 /* its presence bits */
		uint8_t size; /* of an element in bytes, if its bytes are copied; else 0 */
	} columns[POLY_COLUMN_COUNT]; /* that both batches have */
	size_t count;
};

/* Returns the columns that a batch has. */
poly_columns row_copy_columns(const struct poly_batch *batch);

/* Sets the batch whose rows are copied. */
void row_copy_begin(struct row_copy *copy, const struct poly_batch *source, struct batch *dst);

/* Copies a row but for the columns in omitted to the row dst; false: out of memory. */
bool row_copy_row(struct row_copy *copy, size_t row, size_t dst, poly_columns omitted);

/* Frees the memory. */
void row_copy_fini(struct row_copy *copy);

#endif
