/* SPDX-License-Identifier: MIT */
/*
 * Input: the decompressed bytes of a file, pipe or block of memory, which callers peek at and
 * consume.
 *
 * A stack of sources: the file at the bottom, a decompressor for each layer recognised by its
 * magic above it. On top of a decompressor a thread reads ahead, so decompression and decoding
 * overlap. Memory is bounded: a few blocks and the largest peek.
 */
#ifndef IO_IN_H
#define IO_IN_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct in;
struct source;
struct source_room;

/* Maximum bytes of a peek. */
#define IN_PEEK_MAX ((size_t)4 << 20)

/* Bytes after a peeked region that may be read (not used): over-reads of vector code. */
#define IN_PADDING 64

/* Maximum bytes of the names in a directory. */
#define IN_NAMES_MAX ((size_t)16 << 20)

struct in_options {
	unsigned nesting_limit; /* maximum number of layers of compression */
	/* Maximum output bytes per input byte of a layer, after its first MiB; 0: no limit. */
	uint64_t expansion_limit;
	size_t block_size; /* bytes per read, at most IN_PEEK_MAX; 0: default */
	bool one_thread;   /* no read-ahead thread */
	bool directories;  /* directories can be opened; otherwise reading them fails */
};

/*
 * Opens a file, "-" for standard input, and every layer of compression in it. options may be
 * NULL: four layers, no other limit. On failure *in is NULL. POLY_ERR_IO: cannot open the file.
 * POLY_ERR_LIMIT: more layers than the limit. POLY_ERR_UNSUPPORTED: a layer needs a library
 * that is not in this build. POLY_ERR_MEMORY. in_status returns later failures of reading or
 * decompression, after the bytes before them.
 */
enum poly_status in_open(const char *path, const struct in_options *options, struct in **in,
	struct poly_error *error);

/* Returns whether the input is a directory, which has no bytes. */
bool in_is_directory(const struct in *in);

/*
 * Appends the names in a directory, sorted, without those of "." and "..", to *names, each with
 * a NUL after it. POLY_ERR_IO; POLY_ERR_LIMIT: more than IN_NAMES_MAX bytes; POLY_ERR_MEMORY.
 */
enum poly_status in_list(const struct in *in, struct buf *names, struct poly_error *error);

/*
 * Opens a file in a directory by its name, as in_open does with the options of the directory,
 * in small blocks and without a read-ahead thread. POLY_ERR_FORMAT: neither a file nor a
 * directory.
 */
enum poly_status in_open_entry(
	const struct in *directory, const char *name, struct in **in, struct poly_error *error);

/* As in_open, for size bytes at data, which must outlive the input. */
enum poly_status in_open_memory(const void *data, size_t size, const struct in_options *options,
	struct in **in, struct poly_error *error);

/*
 * Returns the next bytes without consuming them, and their number in *have: at least want (at
 * most IN_PEEK_MAX) unless the input ends or fails before; often more. The pointer is valid
 * until the next call on the input. Never NULL. Out of memory counts as a failed input.
 */
const uint8_t *in_peek(struct in *in, size_t want, size_t *have);

/* Consumes n bytes, at most those of the last peek. */
void in_consume(struct in *in, size_t n);

/*
 * Reads and consumes the next size bytes, or fewer if the input ends or fails before; see
 * in_status. Returns their number. The bytes do not pass through the window.
 */
size_t in_read(struct in *in, uint8_t *data, size_t size);

/* Returns whether in_read_at and in_seek can be used. */
bool in_is_random(const struct in *in);

/*
 * Reads the size bytes at an offset without changing the window or the position; any number of
 * threads may call it at a time. room->got is less than size only if the status is not POLY_OK.
 */
enum poly_status in_read_at(const struct in *in, uint64_t offset, struct source_room *room,
	struct poly_error *error);

/*
 * Seeks forward to an offset without reading the bytes in between. Requires in_is_random, and
 * in_offset() <= offset <= the total of in_progress.
 */
void in_seek(struct in *in, uint64_t offset);

/* Returns the offset of the next byte in the decompressed input. */
uint64_t in_offset(const struct in *in);

/*
 * After a short peek: returns POLY_END at the end of the input, or the failure that ended it
 * (the message for a corrupt compressed layer has the offsets before and after decompression).
 */
enum poly_status in_status(const struct in *in, struct poly_error *error);

/* Returns whether the bytes, all of which were peeked at, ended without a failure, or because a
 * layer of compression is truncated. */
static inline bool
in_ended(const struct in *in)
{
	const enum poly_status status = in_status(in, NULL);
	return status == POLY_END || status == POLY_ERR_TRUNCATED;
}

/* Returns the layers of compression, outermost first: "gzip", "xz, gzip" or "none". */
const char *in_layers(const struct in *in);

/* Returns the bytes read from the file itself, and its size (0: unknown). */
void in_progress(const struct in *in, uint64_t *taken, uint64_t *total);

/* Returns whether reading may block: the file is not a regular one. */
bool in_waits(const struct in *in);

/*
 * Creates a view: an input on bytes of the caller, which in_show sets; empty until then. NULL:
 * out of memory.
 */
struct in *in_view(void);

/*
 * Sets a view to n bytes at p, followed by IN_PADDING bytes that may be read, as the bytes at
 * an offset of an input that ends after them. Does not write to p.
 */
void in_show(struct in *view, uint8_t *p, size_t n, uint64_t offset);

/*
 * Creates an input on a source, and takes ownership of the source, also on failure. NULL: out
 * of memory. The input has no layers and no progress.
 */
struct in *in_from_source(const struct source *source, size_t block_size);

/* Resumes an input of in_from_source after its end: its source has more bytes, at offset. */
void in_restart(struct in *in, uint64_t offset);

/* Stops the threads and frees the input. Accepts NULL. */
void in_close(struct in *in);

#endif
