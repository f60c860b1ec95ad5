/* SPDX-License-Identifier: MIT */
/* Files that are gathered in memory, and appear under their names when they are complete. */
#ifndef CLI_SAVE_H
#define CLI_SAVE_H

#include "polytrace/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct save {
	FILE *stream;
	char *text;
	size_t size;
};

/* Begins a file; ends the command where there is no memory. */
void save_begin(struct save *save);

/* Where its bytes go, as long as save is there. */
struct poly_sink save_sink(struct save *save);

/*
 * Puts it in its place, or only forgets it where it is not whole; false where it is not there,
 * and told where writing failed.
 */
bool save_end(struct save *save, const char *path, bool whole);

#endif
