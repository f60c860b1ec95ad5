/* SPDX-License-Identifier: MIT */
/* Contents: an input of which all bytes are handed out. */
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
	const char *path, struct poly_byte_stream **content, struct poly_error *error)
{
	*content = NULL;
	struct poly_byte_stream *it = mem_new(1, sizeof *it);
	if (!it)
		return err_memory(error);
	const enum poly_status status = in_open(path, NULL, &it->in, error);
	if (status == POLY_OK)
		*content = it;
	else
		mem_free(it);
	return status;
}

enum poly_status
poly_byte_stream_next(struct poly_byte_stream *content, const void **bytes, size_t *size,
	struct poly_error *error)
{
	in_consume(content->in, content->shown);
	*bytes = in_peek(content->in, 1, size);
	content->shown = *size;
	return *size ? POLY_OK : in_status(content->in, error);
}

void
poly_byte_stream_close(struct poly_byte_stream *content)
{
	if (!content)
		return;
	in_close(content->in);
	mem_free(content);
}
