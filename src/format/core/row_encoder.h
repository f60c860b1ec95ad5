/* SPDX-License-Identifier: MIT */
/*
 * An encoder of rows in a thread: a writing of its own, which the format has opened, and what
 * it wrote. For formats whose rows are independent, or whose states are predicted.
 */
#ifndef FORMAT_ROW_ENCODER_H
#define FORMAT_ROW_ENCODER_H

#include "base/buf.h"
#include "format/core/note.h"

struct row_encoder {
	struct writing writing;
	struct notes notes;
	struct buf bytes;
	bool opened;
};

/* Opens a zeroed encoder that writes like another writing; it is closed also if this fails. */
bool row_encoder_open(
	struct row_encoder *encoder, const struct format *format, const struct writing *like);

/* Encodes rows with the format's functions. */
enum poly_status row_encoder_write(struct row_encoder *encoder, const struct format *format,
	const struct poly_batch *batch, struct poly_error *error);

/* Discards the bytes and notes. */
void row_encoder_discard(struct row_encoder *encoder);

/* Frees everything that an encoder holds. */
void row_encoder_close(struct row_encoder *encoder, const struct format *format);

/* Writes rows with the format's functions. */
enum poly_status format_write_rows(const struct format *format, struct writing *writing,
	const struct poly_batch *batch, struct poly_error *error);

#endif
