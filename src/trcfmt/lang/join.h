/* SPDX-License-Identifier: MIT */
/*
 * Splits a template file into templates: skips comments and blank lines, joins continuation
 * lines (those that end in "\"), and maps each byte of a joined template to its position in the
 * file.
 *
 * spec: IBM, trcfmt File Format (Continuation Character); AIX trace reference 3 (25), 4.1.
 */
#ifndef TRCFMT_JOIN_H
#define TRCFMT_JOIN_H

#include "base/buf.h"

/* A template file and the read position in it. */
struct join_source {
	const char *text;
	size_t size, at;
	uint32_t line; /* number of the line at `at`, from 1 */
};

/* Start of a source line within the joined text. */
struct line_map_entry {
	uint32_t at;	 /* in the joined text */
	uint32_t offset; /* of the line in the file */
	uint32_t line;
};

/* One template. */
struct joined {
	struct buf text; /* a "\" and its line end become a blank, within a string nothing */
	struct line_map_entry *line_map;
	size_t count, capacity;
	size_t start, end; /* in the file, comments included */
	bool open;	   /* the file ended after a "\" */
	bool failed;	   /* out of memory */
};

/* A position in a file. */
struct join_position {
	size_t line_start; /* offset of the start of the line */
	size_t offset;	   /* of the byte */
	uint32_t line;	   /* from 1 */
};

/* Joins the next template; false at the end of the file, or out of memory. */
bool join_next(struct join_source *source, struct joined *joined);

/* Returns the position in the file of byte `at` of the joined text, or of its end. */
struct join_position join_position(const struct joined *joined, size_t at);

/* Frees the memory. */
void join_free(struct joined *joined);

#endif
