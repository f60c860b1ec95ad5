/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a trace as they stand, whatever compresses them: for who compares what was
 * written with what was read.
 *
 * A content is used by one thread at a time; different ones by any threads.
 */
#ifndef POLYTRACE_BYTE_STREAM_H
#define POLYTRACE_BYTE_STREAM_H

#include <stddef.h>

#include "polytrace/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_byte_stream;

/*
 * Opens the file at path ("-": standard input) and up to four layers of compression in it. On
 * POLY_OK *content belongs to the caller, who closes it; on failure it is NULL. POLY_ERR_IO: it
 * cannot be opened. POLY_ERR_LIMIT: more layers. POLY_ERR_UNSUPPORTED: a layer needs a library
 * that this build lacks. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_byte_stream_open(
	const char *path, struct poly_byte_stream **content, struct poly_error *error);

/*
 * The next bytes: *bytes points to *size of them, at least one, until the next call. POLY_END
 * behind the last one, and from then on. POLY_ERR_IO, POLY_ERR_MEMORY, POLY_ERR_FORMAT (a
 * damaged layer of compression): after the bytes before it, and from then on. Without POLY_OK
 * *size is 0.
 */
POLY_API enum poly_status poly_byte_stream_next(struct poly_byte_stream *content,
	const void **bytes, size_t *size, struct poly_error *error);

/* Gives back everything. Accepts NULL. */
POLY_API void poly_byte_stream_close(struct poly_byte_stream *content);

#ifdef __cplusplus
}
#endif

#endif
