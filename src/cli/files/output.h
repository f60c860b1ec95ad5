/* SPDX-License-Identifier: MIT */
/*
 * Standard output, buffered. Failures are sticky: later output is lost, and output_finish
 * reports the failure. A closed pipe is not a failure; it only ends the work.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that output_room provides. */
#define OUTPUT_ROOM ((size_t)32 << 10)

/* What was printed of requested tables. */
struct output_tables {
	const char *input; /* name of the current input; NULL: the only one */
	bool headed;	   /* the header of the requested table is printed */
	bool advised;	   /* the switches of tables were named */
	bool partial;	   /* the next report is of a partial input, which was not accepted */
};

struct output {
	size_t used; /* buffered bytes in data */
	int failure; /* errno of the first failed write, or 0 */
	struct output_tables tables;
	bool quotes; /* control characters are not written as they are */
	char data[2 * OUTPUT_ROOM];
};

/* Returns standard output, empty. The struct is large: it belongs on the heap. */
struct output *output_new(void);

/* Returns room for OUTPUT_ROOM bytes; output_commit appends those that the caller wrote. */
char *output_room(struct output *output);
void output_commit(struct output *output, size_t n);

/* From here on the output is a format whose texts are those of a trace: on a terminal, control
 * characters but line feeds and tabs are quoted. */
void output_quote(struct output *output);

/* Writes bytes; a poly_write_fn, whose user is the output. Returns 0 or an errno value. */
int output_write(void *output, const void *data, size_t size);

/* Writes a string. */
void output_text(struct output *output, const char *text);

/* Writes a string without its control characters. */
void output_visible(struct output *output, const char *text);

/* Returns whether output is lost. */
bool output_failed(const struct output *output);

/* Writes the buffered bytes. */
void output_flush(struct output *output);

/* Flushes and frees; returns the exit status, and prints a message on failure. */
int output_finish(struct output *output);

#endif
