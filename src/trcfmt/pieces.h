/* SPDX-License-Identifier: MIT */
/* A template file in pieces: templates, and what stands between them, in order. */
#ifndef TRCFMT_PIECES_H
#define TRCFMT_PIECES_H

#include "polytrace/status.h"

#include "base/buf.h"

/* Most pieces of a file: each change looks at all of them. */
#define PIECES_MOST ((size_t)131072)

#define PIECE_GAP UINT32_MAX

struct piece {
	const char *text; /* somebody else's */
	size_t size;	  /* a new line behind it is missing where the file ended */
	size_t lines;	  /* lines, or parts of one */
	uint32_t hook;	  /* of a template; else PIECE_GAP */
	uint32_t version, release;
};

struct pieces {
	struct piece *list;
	size_t count, capacity;
	bool open; /* no new line ends the file */
};

/*
 * Takes a file apart. A template that has no right id and version counts as what stands between
 * others. POLY_ERR_FORMAT: the last line is to be continued. POLY_ERR_LIMIT: PIECES_MOST.
 * POLY_ERR_MEMORY.
 */
enum poly_status pieces_take(
	struct pieces *pieces, const char *text, size_t n, struct poly_error *error);

/* A piece of n bytes, which begin a template of a hook or PIECE_GAP. */
struct piece piece_of(const char *text, size_t n);

/* The last template of a hook before index i; SIZE_MAX: there is none. */
size_t pieces_find(const struct pieces *pieces, uint32_t hook, size_t i);

/* The line in which a piece begins, from 1. */
size_t pieces_line(const struct pieces *pieces, size_t i);

/*
 * Puts a piece in so that it begins in a line; at the end where none begins there between
 * templates. Its index; SIZE_MAX: no memory, or too many.
 */
size_t pieces_insert(struct pieces *pieces, const struct piece *piece, size_t line);

/* Takes a piece out. */
void pieces_remove(struct pieces *pieces, size_t i);

/* Appends a piece with a new line at its end. */
void piece_write(struct buf *to, const struct piece *piece);

/* Appends the file. */
void pieces_write(struct buf *to, const struct pieces *pieces);

/* Gives the memory back. */
void pieces_free(struct pieces *pieces);

#endif
