/* SPDX-License-Identifier: MIT */
/* Files that are buffered in memory, and written when they are complete. */
#ifndef CLI_OUTPUT_BUFFER_H
#define CLI_OUTPUT_BUFFER_H

#include "polytrace/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct output_buffer {
	FILE *stream;
	char *text;
	size_t size;
};

/* Opens an empty buffer; exits if out of memory. */
void output_buffer_open(struct output_buffer *buffer);

/* Returns the sink of a buffer. */
struct poly_sink output_buffer_sink(struct output_buffer *buffer);

/*
 * Writes a complete buffer to its file, or discards the buffer. Returns whether the file was
 * written; a message has been printed if writing failed.
 */
bool output_buffer_save(struct output_buffer *buffer, const char *path, bool complete);

#endif
