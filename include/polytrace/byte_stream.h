/* SPDX-License-Identifier: MIT */
/*
 * The decompressed bytes of a file, for callers that compare what was written with what was
 * read.
 *
 * A byte stream is used by one thread at a time; different ones by any threads.
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
 * POLY_OK *stream belongs to the caller, who closes it; on failure it is NULL. POLY_ERR_IO:
 * cannot open the file. POLY_ERR_LIMIT: more layers. POLY_ERR_UNSUPPORTED: a layer needs a
 * library that this build lacks. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_byte_stream_open(
	const char *path, struct poly_byte_stream **stream, struct poly_error *error);

/*
 * Returns the next bytes: *bytes points to *size of them, at least one, until the next call.
 * POLY_END after the last one, and from then on. POLY_ERR_IO, POLY_ERR_MEMORY, POLY_ERR_FORMAT
 * (a corrupt layer of compression): after the bytes before it, and from then on. *size is 0
 * unless POLY_OK is returned.
 */
POLY_API enum poly_status poly_byte_stream_next(struct poly_byte_stream *stream,
	const void **bytes, size_t *size, struct poly_error *error);

/* Closes and frees a byte stream. Accepts NULL. */
POLY_API void poly_byte_stream_close(struct poly_byte_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
