/* SPDX-License-Identifier: MIT */
/* A file that the library writes through a sink. */
#ifndef CLI_SINK_FILE_H
#define CLI_SINK_FILE_H

#include "polytrace/polytrace.h"

#include <stdio.h>

struct sink_file {
	const char *path;
	FILE *file;
	struct poly_sink sink;
};

/* Makes the file; false, and told, where it cannot be. */
bool sink_file_open(struct sink_file *to, const char *path);

/*
 * Ends it after the library has said status; false, and told, where anything failed. A file
 * that is not whole is taken away.
 */
bool sink_file_close(
	struct sink_file *to, enum poly_status status, const struct poly_error *error);

#endif
