/* SPDX-License-Identifier: MIT */
/* The work of a writer: decoders encode the rows of a chunk where they are decoded. */
#ifndef FORMAT_WRITER_WORK_H
#define FORMAT_WRITER_WORK_H

#include "format/core/format.h"

struct poly_decoder_work;
struct writer_work;

/* Creates the work of a writing that a format, whose rows are independent, has opened. NULL:
 * out of memory. */
struct writer_work *writer_work_new(const struct format *format, const struct writing *writing);

const struct poly_decoder_work *writer_work_of(const struct writer_work *work);

/*
 * Writes the encoded rows of a batch without rows, and moves their notes to those of the
 * writing. POLY_ERR_USAGE: decoders had no such work.
 */
enum poly_status writer_work_write(struct writer_work *work, struct writing *writing,
	const struct poly_batch *batch, struct poly_error *error);

/* Frees the work, after the reader was closed. Accepts NULL. */
void writer_work_free(struct writer_work *work);

#endif
