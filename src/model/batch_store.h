/* SPDX-License-Identifier: MIT */
/*
 * The batches of a producer that consumers may hold (batch_hold.h). A held batch leaves the
 * producer when it would be filled again; it is spare as soon as it is released.
 */
#ifndef MODEL_BATCH_STORE_H
#define MODEL_BATCH_STORE_H

#include "model/batch.h"

struct batch_store;

struct stored_batch {
	struct batch batch;
	struct batch_store *store;
	/* Guarded by the store's lock. */
	struct stored_batch *next; /* spare */
	unsigned holds;
	bool abandoned; /* by the producer: spare when it is released */
};

/* How batches are allocated, see batch_init, and how many holds there may be at a time. */
struct batch_store_plan {
	poly_columns columns;
	size_t rows;
	const struct poly_trace_info *info;
	size_t held_max;
};

/* Returns a store; NULL: out of memory. */
struct batch_store *batch_store_new(const struct batch_store_plan *plan);

/* Returns an empty batch for the producer; NULL: out of memory. For any thread. */
struct stored_batch *batch_store_get(struct batch_store *store);

/* Lets consumers hold a batch whose rows are complete. */
void stored_batch_deliver(struct stored_batch *stored);

/*
 * Returns whether the producer may fill a delivered batch again. False: it is held, and belongs
 * to the store from now on.
 */
bool stored_batch_reclaim(struct stored_batch *stored);

/* Frees a batch of the producer, now or when it is released. Accepts NULL. */
void stored_batch_free(struct stored_batch *stored);

/*
 * Frees a store of whose batches the producer has none, now or when the last hold is released.
 * Accepts NULL.
 */
void batch_store_free(struct batch_store *store);

#endif
