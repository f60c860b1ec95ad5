/* SPDX-License-Identifier: MIT */
/* Files that are gathered in memory, and appear under their names when they are complete. */
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

/* Begins a file; ends the command where there is no memory. */
void output_buffer_open(struct output_buffer *save);

/* Where its bytes go, as long as save is there. */
struct poly_sink output_buffer_sink(struct output_buffer *save);

/*
 * Puts it in its place, or only forgets it where it is not whole; false where it is not there,
 * and told where writing failed.
 */
bool output_buffer_save(struct output_buffer *save, const char *path, bool whole);

#endif
