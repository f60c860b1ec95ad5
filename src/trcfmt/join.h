/* SPDX-License-Identifier: MIT */
/*
 * Template files by templates: comments and blank lines are passed over, lines that end in "\"
 * are joined, and every byte of what comes of it knows where it stood.
 *
 * spec: seed 003 (Continuation Character); reference aix 3 (25), 4.1.
 */
#ifndef TRCFMT_JOIN_H
#define TRCFMT_JOIN_H

#include "base/buf.h"

/* A file that is being taken apart. */
struct join_source {
	const char *text;
	size_t size, at;
	uint32_t line; /* of what is at at, from 1 */
};

/* From where on the joined text is of another line. */
struct joint {
	uint32_t at;	 /* in the joined text */
	uint32_t offset; /* of that line in the file */
	uint32_t line;
};

/* One template. */
struct joined {
	struct buf text; /* "\" and the end of its line are a blank, in a string nothing */
	struct joint *joints;
	size_t count, capacity;
	size_t start, end; /* in the file, with comments in between */
	bool open;	   /* the file ended behind a "\" */
	bool failed;	   /* memory could not be had */
};

/* A place in a file. */
struct join_place {
	size_t line_start; /* offset of its line */
	size_t offset;	   /* its own */
	uint32_t line;	   /* from 1 */
};

/* Joins the next template; false where there is none, or no memory. */
bool join_next(struct join_source *source, struct joined *joined);

/* Where byte at of the joined text, or its end, stood in the file. */
struct join_place join_place(const struct joined *joined, size_t at);

/* Gives the memory back. */
void join_free(struct joined *joined);

#endif
