/* SPDX-License-Identifier: MIT */
/* Byte streams: the decompressed bytes of an input. */
#include "polytrace/byte_stream.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/in.h"

struct poly_byte_stream {
	struct in *in;
	size_t shown; /* bytes of the last call, not yet consumed */
};

enum poly_status
poly_byte_stream_open(
	const char *path, struct poly_byte_stream **stream, struct poly_error *error)
{
	*stream = NULL;
	struct poly_byte_stream *opened = mem_new(1, sizeof *opened);
	if (!opened)
		return err_memory(error);
	const enum poly_status status = in_open(path, NULL, &opened->in, error);
	if (status == POLY_OK)
		*stream = opened;
	else
		mem_free(opened);
	return status;
}

enum poly_status
poly_byte_stream_next(struct poly_byte_stream *stream, const void **bytes, size_t *size,
	struct poly_error *error)
{
	in_consume(stream->in, stream->shown);
	*bytes = in_peek(stream->in, 1, size);
	stream->shown = *size;
	return *size ? POLY_OK : in_status(stream->in, error);
}

void
poly_byte_stream_close(struct poly_byte_stream *stream)
{
	if (!stream)
		return;
	in_close(stream->in);
	mem_free(stream);
}
