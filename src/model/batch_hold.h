/* SPDX-License-Identifier: MIT */
/*
 * Holds of delivered batches: a consumer keeps the rows of a batch beyond the producer's next
 * call without copying them.
 *
 * The producer continues with another batch, so it never waits for a consumer. Therefore the
 * number of holds is limited, and a consumer must be prepared to copy rows instead. Batches
 * that a decode pool decoded can be held. Others cannot: those that the reader fills itself,
 * slices and selections of a batch, rows with register values, and those of packed traces.
 */
#ifndef MODEL_BATCH_HOLD_H
#define MODEL_BATCH_HOLD_H

#include "polytrace/batch.h"

struct batch_hold {
	/*
	 * The rows, valid until batch_hold_release even if the reader is closed before. Any
	 * thread may read them. Their info belongs to the reader: it is valid until the reader
	 * is closed, and names are looked up in it only while the reader is not reading.
	 */
	const struct poly_batch *batch;
};

/*
 * Holds a batch: call it while the batch is valid, from the thread that reads, or from any
 * thread if the batch is held already. Returns false if the rows must be copied instead.
 */
bool batch_hold(const struct poly_batch *batch, struct batch_hold *hold);

/* Ends a hold, once, from any thread. */
void batch_hold_release(struct batch_hold *hold);

#endif
