/* SPDX-License-Identifier: MIT */
/* The last rows of a trace, copied from the batches that they came in. */
#ifndef SELECT_KEPT_H
#define SELECT_KEPT_H

#include "polytrace/batch.h"

#include "model/pick.h"

/* A copy of a batch. */
struct kept_batch {
	struct kept_batch *next;
	struct poly_batch view;
	void *columns[POLY_COLUMN_COUNT];
	uint64_t *bits[POLY_COLUMN_COUNT];
	uint8_t *arena;
	uint32_t *picked;
};

struct kept {
	uint64_t most; /* rows to be kept */
	uint64_t rows; /* that are kept: at least most, if there were so many */
	struct kept_batch *first, *last;
	struct kept_batch *given; /* by kept_next */
};

/* Keeps the rows of a batch, and forgets what need not be kept any more. POLY_ERR_MEMORY. */
enum poly_status kept_add(
	struct kept *kept, const struct poly_batch *batch, struct poly_error *error);

/*
 * The next rows from the oldest on, most in all; view is made by pick, and holds until the next
 * call. POLY_END where nothing is left. POLY_ERR_MEMORY.
 */
enum poly_status kept_next(struct kept *kept, struct pick *pick, const struct poly_batch **view,
	struct poly_error *error);

/* Forgets everything. */
void kept_free(struct kept *kept);

#endif
