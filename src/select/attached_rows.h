/* SPDX-License-Identifier: MIT */
/*
 * Records that belong to an instruction and are selected with it: TT6's escapes 1 to 5 belong to the
 * next one, the synthetic pair of TT6E to the last one that was executed. Escapes at the end of a
 * batch wait for the next instruction. spec: Apple amber traces 4.4, 4.6.
 */
#ifndef SELECT_ATTACHED_ROWS_H
#define SELECT_ATTACHED_ROWS_H

#include "model/attached.h"
#include "model/batch_gather.h"
#include "model/row_copy.h"

/* Waiting rows, copied, at most a batch. */
struct waiting_rows {
	struct batch rows;
	uint32_t picked[POLY_BATCH_ROWS];
	uint64_t selected[POLY_BATCH_ROWS / 64]; /* bits: rows that are selected themselves */
	uint64_t first; /* number of the first one */
};

/* Zero-initialise. */
struct attached_rows {
	bool follows; /* the last executed instruction is selected */
	struct waiting_rows waiting[2]; /* by turns: released ones, and those after them */
	unsigned turn;
};

/*
 * Sets the bits of attached rows of a batch to those of their instructions, clears those of the
 * last ones, which wait, and decides on those that waited. *released: these, if they are
 * selected, valid until the next call but one; or NULL. POLY_ERR_MEMORY; POLY_ERR_LIMIT: more
 * than a batch of escapes precede an instruction.
 */
enum poly_status attached_rows_decide(struct attached_rows *attached,
	const struct poly_batch *batch, uint64_t *bits, const struct poly_batch **released,
	struct poly_error *error);

/*
 * Ends the trace: *released are those of the waiting rows that are selected themselves, since
 * no instruction follows; or NULL. POLY_ERR_MEMORY.
 */
enum poly_status attached_rows_end(struct attached_rows *attached, struct batch_gather *gather,
	const struct poly_batch **released, struct poly_error *error);

/* Frees the storage. */
void attached_rows_fini(struct attached_rows *attached);

#endif
