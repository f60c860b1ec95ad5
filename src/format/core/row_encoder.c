/* SPDX-License-Identifier: MIT */
/* Encoders of rows. */
#include "format/core/row_encoder.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>

static int
keep(void *user, const void *data, size_t size)
{
	struct row_encoder *encoder = user;
	buf_append(&encoder->bytes, data, size);
	return encoder->bytes.failed ? ENOMEM : 0;
}

bool
row_encoder_open(
	struct row_encoder *encoder, const struct format *format, const struct writing *like)
{
	encoder->writing = *like;
	encoder->writing.out = NULL;
	encoder->writing.notes = &encoder->notes;
	encoder->writing.state = mem_new(1, format->writer_size);
	if (!encoder->writing.state ||
		out_open_function(keep, encoder, &encoder->writing.out, NULL) != POLY_OK)
		return false;
	encoder->opened = true;
	if (format->wopen && format->wopen(&encoder->writing, NULL) != POLY_OK)
		return false;
	/* The header. */
	out_flush(encoder->writing.out);
	const bool good = !encoder->bytes.failed;
	row_encoder_discard(encoder);
	return good;
}

enum poly_status
format_write_rows(const struct format *format, struct writing *writing,
	const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (format->write)
		return format->write(writing, batch, error);
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = format->write_row(writing, batch, row, error);
	return status;
}

enum poly_status
row_encoder_write(struct row_encoder *encoder, const struct format *format,
	const struct poly_batch *batch, struct poly_error *error)
{
	struct out *out = encoder->writing.out;
	enum poly_status status = format_write_rows(format, &encoder->writing, batch, error);
	out_flush(out);
	if (encoder->bytes.failed)
		return err_memory(error);
	return status == POLY_OK ? out_status(out, error) : status;
}

void
row_encoder_discard(struct row_encoder *encoder)
{
	buf_clear(&encoder->bytes);
	encoder->notes = (struct notes){{{NULL, 0}}};
}

void
row_encoder_close(struct row_encoder *encoder, const struct format *format)
{
	if (encoder->opened && format->wclose)
		format->wclose(&encoder->writing);
	out_close(encoder->writing.out);
	mem_free(encoder->writing.state);
	buf_free(&encoder->bytes);
}
