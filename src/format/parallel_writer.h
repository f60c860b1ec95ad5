/* SPDX-License-Identifier: MIT */
/*
 * Writing the rows of a batch by several threads: each makes the bytes of some of them, with a
 * state of its own, and these are put together in the order of the rows. It is for formats
 * whose rows are parallel (struct format).
 */
#ifndef FORMAT_PARALLEL_WRITER_H
#define FORMAT_PARALLEL_WRITER_H

#include "format/format.h"

struct parallel_writer;

/*
 * Prepares threads (2 to 64, with the caller) for a writing that the format has opened. NULL:
 * no memory, or no thread could be had.
 */
struct parallel_writer *parallel_writer_new(
	const struct format *format, const struct writing *writing, unsigned threads);

/*
 * Writes the rows of a batch to out; all columns that are wanted are there. Returns as the
 * format's write does, after what stands before the row that failed.
 */
enum poly_status parallel_writer_write(struct parallel_writer *parallel, struct out *out,
	const struct poly_batch *batch, struct poly_error *error);

/* Ends the threads and gives everything back. Accepts NULL. */
void parallel_writer_free(struct parallel_writer *parallel);

#endif
