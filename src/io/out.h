/* SPDX-License-Identifier: MIT */
/*
 * Output: bytes to a file, pipe or function, buffered, compressed according to the ending of
 * the name. A file gets its name when complete.
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

/* How to open a path. */
enum out_flag {
	OUT_OVERWRITES = 1,	  /* an existing file may be replaced */
	OUT_KEEPS_UNFINISHED = 2, /* the unfinished file has a name, which stays after a kill */
};

/*
 * Opens path ("-": standard output), with flags (enum out_flag). If path exists and is not a
 * regular file (/dev/full, a pipe), it is written directly; if it is a link, its destination is
 * written. A file that replaces another one keeps the permission bits. On failure *out is NULL.
 * POLY_ERR_USAGE: the file exists and OUT_OVERWRITES is not set. POLY_ERR_IO: cannot create the
 * file. POLY_ERR_UNSUPPORTED: this build lacks the library of the compression. POLY_ERR_MEMORY.
 */
enum poly_status out_open(
	const char *path, unsigned flags, struct out **out, struct poly_error *error);

/* Opens an output that passes its bytes to a function, uncompressed. POLY_ERR_MEMORY. */
enum poly_status out_open_function(
	out_fn function, void *user, struct out **out, struct poly_error *error);

/* The position in a file from which it is appended to. */
struct out_append_point {
	const char *path;
	uint64_t kept; /* bytes before the position */
	uint64_t size; /* of the file in bytes */
};

/*
 * Opens a file for appending after its first `kept` bytes; the bytes after them are removed.
 * The file is locked until out_finish. If it is closed unfinished, the removed bytes are
 * restored, unless they were more than ATOMIC_FILE_TAIL. POLY_ERR_IO: cannot open the file,
 * another process writes to it, or its size differs. POLY_ERR_MEMORY.
 */
enum poly_status out_open_append(
	const struct out_append_point *point, struct out **out, struct poly_error *error);

/* Maximum bytes of out_room. */
#define OUT_ROOM_MAX ((size_t)64 << 10)

/*
 * Returns room for at least n bytes (at most OUT_ROOM_MAX). The caller fills it, then calls
 * out_commit with the number of bytes. Never NULL: after a failure the bytes are discarded.
 */
uint8_t *out_room(struct out *out, size_t n);

/* Commits the first n bytes of the room. */
void out_commit(struct out *out, size_t n);

/* Writes n bytes. Failures are sticky; out_status and out_finish return them. */
void out_write(struct out *out, const void *data, size_t n);

/* Returns the last byte written; none: what is passed. */
uint8_t out_last(const struct out *out, uint8_t none);

/* Returns the bytes written but not yet flushed; out_room follows them. */
const uint8_t *out_held(const struct out *out, size_t *n);

/* Flushes them. */
void out_flush(struct out *out);

/* POLY_OK, or the failure of an earlier write. */
enum poly_status out_status(const struct out *out, struct poly_error *error);

/* Flushes and ends the compression; nothing may be written afterwards. As out_status. */
enum poly_status out_complete(struct out *out, struct poly_error *error);

/* Returns the path of the bytes until out_finish; NULL: that of out_open, or no file. */
const char *out_path(const struct out *out);

/*
 * Completes the output and renames the file. Returns as out_status. POLY_ERR_IO: the system or
 * the function failed, with errno. POLY_ERR_USAGE: another process created the file, and
 * overwrite was false.
 */
enum poly_status out_finish(struct out *out, struct poly_error *error);

/* Frees everything; removes an unfinished file. Accepts NULL. */
void out_close(struct out *out);

#endif
