/* SPDX-License-Identifier: MIT */
/*
 * Input: the decompressed bytes of a file, pipe or block of memory, to be looked at and
 * consumed.
 *
 * A stack of sources: the file at the bottom, a decompressor for each layer recognised by its
 * magic above it. On top of a decompressor a thread reads ahead, so decompression and decoding
 * overlap. Memory is bounded: a few blocks and the largest look-ahead asked for.
 */
#ifndef IO_IN_H
#define IO_IN_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct in;
struct source;
struct source_room;

/* Bytes that peek may be asked for at most. */
#define IN_PEEK_MAX ((size_t)4 << 20)

/* Bytes behind a peeked region that may be read (not used): over-reads of vector code. */
#define IN_PADDING 64

struct in_options {
	unsigned nesting_limit; /* most layers of compression */
	/* Most output bytes per input byte of a layer, beyond its first MiB; 0: no limit. */
	uint64_t expansion_limit;
	size_t block_size; /* bytes read at a time, at most IN_PEEK_MAX; 0: own choice */
	bool one_thread;   /* no read-ahead thread */
};

/*
 * Opens a file, "-" for standard input, and every layer of compression in it. options may be
 * NULL: four layers, no other limit. On failure *in is NULL. POLY_ERR_IO: cannot be opened.
 * POLY_ERR_LIMIT: more layers than the limit. POLY_ERR_UNSUPPORTED: a layer needs a library
 * that is not in this build. POLY_ERR_MEMORY. What cannot be read or decompressed later is told
 * by in_status, after the bytes before it.
 */
enum poly_status in_open(const char *path, const struct in_options *options, struct in **in,
	struct poly_error *error);

/* As in_open, for size bytes at data, which must outlive the input. */
enum poly_status in_open_memory(const void *data, size_t size, const struct in_options *options,
	struct in **in, struct poly_error *error);

/*
 * Shows the next bytes without consuming them: *have gets how many there are, at least want
 * (at most IN_PEEK_MAX) unless the input ends or fails before; often more. The pointer holds
 * until the next call on the input. Never NULL. Short of memory counts as a failed input.
 */
const uint8_t *in_peek(struct in *in, size_t want, size_t *have);

/* Passes over n bytes, at most as many as the last peek showed. */
void in_consume(struct in *in, size_t n);

/*
 * Takes the next size bytes, or those that are left where the input ends or fails before; see
 * in_status. Returns how many. They are not looked at through the window on their way.
 */
size_t in_read(struct in *in, uint8_t *to, size_t size);

/* True where in_read_at can be used. */
bool in_is_random(const struct in *in);

/*
 * Takes the size bytes at an offset, whatever was consumed before, and changes nothing of the
 * window; any number of threads may do so at a time. room->got is less with another status than
 * POLY_OK only.
 */
enum poly_status in_read_at(const struct in *in, uint64_t offset, struct source_room *room,
	struct poly_error *error);

/*
 * Goes on at an offset behind the present one; what stands between is not read, as far as it is
 * not yet. Only where in_is_random, and at most to in_progress's total.
 */
void in_seek(struct in *in, uint64_t offset);

/* Offset of the next byte in the decompressed input. */
uint64_t in_offset(const struct in *in);

/*
 * After a short peek: POLY_END at a sound end of input, or the failure that ended it (the
 * message of a damaged compressed layer names the offsets before and after decompression).
 */
enum poly_status in_status(const struct in *in, struct poly_error *error);

/* Layers of compression, outermost first: "gzip", "xz, gzip" or "none". */
const char *in_layers(const struct in *in);

/* Bytes taken from the file itself, and its size (0: not known). */
void in_progress(const struct in *in, uint64_t *taken, uint64_t *total);

/* True where reading may have to wait for others: the file is no regular one. */
bool in_waits(const struct in *in);

/*
 * A view: an input of bytes that somebody else keeps, which in_show names; at its end until
 * then. NULL: no memory.
 */
struct in *in_view(void);

/*
 * Lets a view show n bytes at p, with IN_PADDING more that may be read, as what stands at an
 * offset of an input, and its end behind them. Nothing is written to p.
 */
void in_show(struct in *view, uint8_t *p, size_t n, uint64_t offset);

/*
 * An input on a source, which is the input's from then on, also where there is no memory: NULL.
 * It has no layers and no progress.
 */
struct in *in_from_source(const struct source *source, size_t block_size);

/* Goes on after the end of an input that in_from_source made: its source has more, at offset.
 */
void in_restart(struct in *in, uint64_t offset);

/* Stops the threads and gives everything back. Accepts NULL. */
void in_close(struct in *in);

#endif
