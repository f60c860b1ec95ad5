/* SPDX-License-Identifier: MIT */
/*
 * Output: bytes to a file, pipe or function, buffered, compressed as the name's ending says.
 * A file is written beside its place under a name of its own and renamed when it is complete.
 */
#ifndef IO_OUT_H
#define IO_OUT_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out;

/* Receives written bytes: returns 0, or an errno value. */
typedef int (*out_fn)(void *user, const void *data, size_t size);

/*
 * Opens path ("-": standard output). Where path exists and is not a regular file (/dev/full, a
 * pipe) it is written directly; where it is a link, the file that it leads to is written. A
 * file that replaces another one keeps its permission bits. On failure *out is NULL.
 * POLY_ERR_USAGE: it exists and overwrite is false. POLY_ERR_IO: it cannot be made.
 * POLY_ERR_UNSUPPORTED: its ending asks for a compression whose library is not in this build.
 * POLY_ERR_MEMORY.
 */
enum poly_status out_open(
	const char *path, bool overwrite, struct out **out, struct poly_error *error);

/* An output that hands its bytes to a function, uncompressed. POLY_ERR_MEMORY. */
enum poly_status out_open_function(
	out_fn function, void *user, struct out **out, struct poly_error *error);

/* A place in a file. */
struct out_append_point {
	const char *path;
	uint64_t kept; /* bytes in front of it */
	uint64_t size; /* that the file has */
};

/*
 * Opens a file to be written behind its first bytes; what stands behind them is cut off. Until
 * it is finished nobody else may do so, and where it is closed unfinished the file ends as
 * before, or, where it was much that was cut off, behind those bytes. POLY_ERR_IO: it can't be
 * opened, somebody else writes to it, or it has another size. POLY_ERR_MEMORY.
 */
enum poly_status out_open_append(
	const struct out_append_point *place, struct out **out, struct poly_error *error);

/* Bytes that out_room gives at most. */
#define OUT_ROOM_MAX ((size_t)64 << 10)

/*
 * Room for at least n bytes (at most OUT_ROOM_MAX) to be filled by the caller, who then says
 * with out_commit how many were. Never NULL: after a failure it is a place whose bytes are
 * lost.
 */
uint8_t *out_room(struct out *out, size_t n);

/* Takes the first n bytes of the room as written. */
void out_commit(struct out *out, size_t n);

/* Writes n bytes. Failures are sticky and told by out_status and out_finish. */
void out_write(struct out *out, const void *data, size_t n);

/* The bytes that were written and not yet handed on; out_room stands behind them. */
const uint8_t *out_held(const struct out *out, size_t *n);

/* Hands them on. */
void out_flush(struct out *out);

/* POLY_OK, or the failure of an earlier write. */
enum poly_status out_status(const struct out *out, struct poly_error *error);

/*
 * Writes what is held back, ends the compression and puts the file in its place; nothing may be
 * written afterwards. Returns as out_status. POLY_ERR_IO: the system or the function refused,
 * with errno. POLY_ERR_USAGE: somebody else made the file meanwhile, and overwrite was false.
 */
enum poly_status out_finish(struct out *out, struct poly_error *error);

/* Gives everything back; an unfinished file is removed. Accepts NULL. */
void out_close(struct out *out);

#endif
