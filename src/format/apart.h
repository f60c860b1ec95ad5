/* SPDX-License-Identifier: MIT */
/*
 * Writing the rows of a batch by several threads: each makes the bytes of some of them, with a
 * state of its own, and these are put together in the order of the rows. It is for formats
 * whose rows are apart (struct format).
 */
#ifndef FORMAT_APART_H
#define FORMAT_APART_H

#include "format/format.h"

struct apart;

/*
 * Prepares threads (2 to 64, with the caller) for a writing that the format has opened. NULL:
 * no memory, or no thread could be had.
 */
struct apart *apart_new(
	const struct format *format, const struct writing *writing, unsigned threads);

/*
 * Writes the rows of a batch to out; all columns that are wanted are there. Returns as the
 * format's write does, after what stands before the row that failed.
 */
enum poly_status apart_write(struct apart *apart, struct out *out,
	const struct poly_batch *batch, struct poly_error *error);

/* Ends the threads and gives everything back. Accepts NULL. */
void apart_free(struct apart *apart);

#endif
