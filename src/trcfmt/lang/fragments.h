/* SPDX-License-Identifier: MIT */
/* The fragments of a template file, in order: its templates, and the text between them. */
#ifndef TRCFMT_PIECES_H
#define TRCFMT_PIECES_H

#include "polytrace/status.h"

#include "base/buf.h"

/* Maximum number of fragments of a file: each change searches all of them. */
#define FRAGMENTS_MAX ((size_t)131072)

#define FRAGMENT_GAP UINT32_MAX

struct source_fragment {
	const char *text; /* not owned */
	size_t size;	  /* the last fragment may lack its final newline */
	size_t lines;	  /* a partial line counts */
	uint32_t hook;	  /* of a template, or FRAGMENT_GAP */
	uint32_t version, release;
};

struct source_fragments {
	struct source_fragment *list;
	size_t count, capacity;
	bool open; /* the file does not end in a newline */
};

/*
 * Splits a file into fragments. A template without a valid id and version becomes a gap.
 * POLY_ERR_FORMAT: the last line ends in "\". POLY_ERR_LIMIT: FRAGMENTS_MAX.
 * POLY_ERR_MEMORY.
 */
enum poly_status fragments_parse(struct source_fragments *fragments, const char *text, size_t n,
	struct poly_error *error);

/* Returns a fragment of n bytes, as a gap. */
struct source_fragment fragment_new(const char *text, size_t n);

/* Returns the index of the last template of a hook before index i; SIZE_MAX: none. */
size_t fragments_find(const struct source_fragments *fragments, uint32_t hook, size_t i);

/* Returns the line in which a fragment begins, from 1. */
size_t fragments_line(const struct source_fragments *fragments, size_t i);

/*
 * Inserts a fragment so that it begins in a line, or appends it if no fragment can begin there.
 * Returns its index; SIZE_MAX: out of memory, or too many.
 */
size_t fragments_insert(struct source_fragments *fragments,
	const struct source_fragment *fragment, size_t line);

/* Removes a fragment. */
void fragments_remove(struct source_fragments *fragments, size_t i);

/* Appends a fragment and, if it lacks one, a newline. */
void fragment_write(struct buf *out, const struct source_fragment *fragment);

/* Appends the text of the file. */
void fragments_write(struct buf *out, const struct source_fragments *fragments);

/* Frees the memory. */
void fragments_free(struct source_fragments *fragments);

#endif
