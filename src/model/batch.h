/* SPDX-License-Identifier: MIT */
/* The batch as its producer sees it: storage for the columns that are wanted, allocated once.
 */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H

#include "polytrace/batch.h"

#include "base/bits.h"
#include "base/buf.h"

struct batch {
	struct poly_batch view; /* what consumers see */
	poly_columns wanted;	/* columns that have storage; the others are NULL in the view */
	size_t capacity;	/* most rows to fill, 1 to POLY_BATCH_ROWS */
	bool may_defer;		/* columns that do not move in patterns may be left for later */
	/* Presence bits to be set by the producer: zeroed by batch_clear for wanted columns. */
	uint64_t *bits[POLY_COLUMN_COUNT];
	uint64_t *all;	  /* a bitmap of ones */
	struct buf arena; /* behind view.arena */
};

/*
 * Allocates storage for the columns in wanted, rows up to capacity. Every column array has
 * POLY_BATCH_ROWS elements whatever the capacity, so fast producers may overshoot up to there.
 */
enum poly_status batch_init(struct batch *batch, poly_columns wanted, size_t capacity,
	const struct poly_trace_info *info, struct poly_error *error);

/* Empties the batch for the next rows: no row, no value present, arena empty. */
void batch_clear(struct batch *batch);

/* Says that a wanted column has a value in every row: no bits need be set. Until batch_clear.
 */
void batch_all_present(struct batch *batch, enum poly_column column);

/*
 * Settles the view after rows were filled: the arena has its final address. The producer has
 * set view.rows. POLY_ERR_MEMORY: the arena failed.
 */
enum poly_status batch_finish(struct batch *batch, struct poly_error *error);

/* Appends n bytes to the arena and stores them in a BYTES or TEXT column, where it is wanted.
 */
void batch_put_bytes(
	struct batch *batch, enum poly_column column, size_t row, const void *data, size_t n);

/* Stores an integer in any integer column, where it is wanted; for slow paths. */
void batch_put_integer(struct batch *batch, enum poly_column column, size_t row, uint64_t v);

/* The array of a column, NULL where it has no storage. */
void *batch_column(const struct batch *batch, enum poly_column column);

/* Gives the storage back. */
void batch_fini(struct batch *batch);

/* Stores v in a column, by its name, where the column is wanted. */
#define batch_put(batch, column, row, v)                                   \
	do {                                                               \
		if ((batch)->view.column) {                                \
			(batch)->view.column[row] = (v);                   \
			bit_set((batch)->bits[POLY_COLUMN_##column], row); \
		}                                                          \
	} while (0)

#endif
