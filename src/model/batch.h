/* SPDX-License-Identifier: MIT */
/* The batch as its producer fills it: storage for the requested columns, allocated once. */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H

#include "polytrace/batch.h"

#include "base/bits.h"
#include "base/buf.h"
#include "model/batch_internal.h"
#include "model/columns.h"

struct batch {
	struct poly_batch view; /* as consumers read it */
	struct poly_batch_internal internal; /* of the view, if the producer sets it */
	poly_columns wanted;	/* columns with storage; the others are NULL in the view */
	size_t capacity;	/* maximum rows, 1 to POLY_BATCH_ROWS */
	bool may_defer;		/* columns that are constant in patterns may be filled later */
	/* Presence bits that the producer sets; batch_clear zeroes those of wanted columns. */
	uint64_t *bits[COLUMN_STORED_END];
	uint64_t *all;	  /* a bitmap of ones */
	struct buf arena; /* storage of view.arena */
};

/*
 * Allocates storage for the columns in wanted, rows up to capacity. Every column array has
 * POLY_BATCH_ROWS elements whatever the capacity, so fast producers may overshoot up to there.
 */
enum poly_status batch_init(struct batch *batch, poly_columns wanted, size_t capacity,
	const struct poly_trace_info *info, struct poly_error *error);

/* Removes all rows, values and arena bytes. */
void batch_clear(struct batch *batch);

/* Marks a wanted column as present in every row until batch_clear; no bits need be set. */
void batch_all_present(struct batch *batch, enum poly_column column);

/*
 * Completes the view after the producer filled rows and set view.rows: the arena has its final
 * address. POLY_ERR_MEMORY: the arena ran out of memory.
 */
enum poly_status batch_finish(struct batch *batch, struct poly_error *error);

/* Appends n bytes to the arena as the value of a BYTES or TEXT column, if it is wanted. */
void batch_put_bytes(
	struct batch *batch, enum poly_column column, size_t row, const void *data, size_t n);

/* Stores an integer in any integer column, if it is wanted; for slow paths. */
void batch_put_integer(struct batch *batch, enum poly_column column, size_t row, uint64_t v);

/* Returns the array of a column; NULL if it has no storage. */
void *batch_column(const struct batch *batch, enum poly_column column);

/* Frees the storage. */
void batch_fini(struct batch *batch);

/* Stores v in a column given by its name, if the column is wanted. */
#define batch_put(batch, column, row, v)                                   \
	do {                                                               \
		if ((batch)->view.column) {                                \
			(batch)->view.column[row] = (v);                   \
			bit_set((batch)->bits[POLY_COLUMN_##column], row); \
		}                                                          \
	} while (0)

/* Returns the address that a trace states for the access of a row, whose address is aligned. */
static inline uint64_t
batch_stated_address(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_requested_address, row)
		       ? batch->requested_address[row]
		       : batch->address[row];
}

#endif
