/* SPDX-License-Identifier: MIT */
/*
 * Standard output, buffered. Failures are sticky: what is written after one is lost, and
 * output_finish tells it. A reader that went away is no failure; work for it just ends.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that output_room gives at most. */
#define OUTPUT_ROOM ((size_t)32 << 10)

struct output {
	size_t used; /* bytes held back in data */
	int failure; /* errno of the first failed write, or 0 */
	char data[2 * OUTPUT_ROOM];
};

/* Standard output with nothing in it. It is big: it belongs on the heap. */
struct output *output_new(void);

/* Room for OUTPUT_ROOM bytes, to be filled and then taken over by output_commit. */
char *output_room(struct output *output);
void output_commit(struct output *output, size_t n);

/* Writes bytes; a poly_write_fn, whose user is the output. Returns 0 or an errno value. */
int output_write(void *output, const void *data, size_t size);

/* Writes a string. */
void output_text(struct output *output, const char *text);

/* True where nothing that is written arrives any more. */
bool output_failed(const struct output *output);

/* Hands on what is held back. */
void output_flush(struct output *output);

/* Flushes, frees, and returns the exit status: trouble (and says why) where it failed. */
int output_finish(struct output *output);

#endif
