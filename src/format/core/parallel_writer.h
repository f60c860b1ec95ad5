/* SPDX-License-Identifier: MIT */
/*
 * A parallel encoder: several threads encode slices of a batch, each with a state of its own;
 * the bytes are concatenated in the order of the rows. For formats whose rows are independent,
 * or that predict the state at a row (struct format).
 */
#ifndef FORMAT_PARALLEL_WRITER_H
#define FORMAT_PARALLEL_WRITER_H

#include "format/core/format.h"

struct parallel_writer;

/*
 * Starts threads (2 to 64, including the caller's) for a writing that the format has opened.
 * NULL: out of memory, or no thread could be started.
 */
struct parallel_writer *parallel_writer_new(
	const struct format *format, const struct writing *writing, unsigned threads);

/*
 * Encodes the rows of a batch, which has all columns of writing->uses, and writes the bytes of
 * the previous one to writing->out in the meantime. Returns the status of the format's write,
 * after the bytes of the rows before the one that failed. Notes go to writing->notes.
 */
enum poly_status parallel_writer_write(struct parallel_writer *parallel,
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);

/* Writes the bytes of the last batch. Accepts NULL. */
void parallel_writer_flush(struct parallel_writer *parallel, struct out *out);

/* Stops the threads and frees everything. Accepts NULL. */
void parallel_writer_free(struct parallel_writer *parallel);

#endif
