/* SPDX-License-Identifier: MIT */
/* Where an output's bytes end up: a descriptor, or a file that appears when it is complete. */
#ifndef IO_TARGET_H
#define IO_TARGET_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>

struct target {
	int fd;		/* -1: not open */
	bool own;	/* fd was opened here */
	bool overwrite; /* what is in the file's place may go */
	char *place;	/* the file's place, links followed; NULL: written directly */
	char *path;	/* the file beside it that is written; NULL: none is left */
};

/*
 * Opens a zeroed target; the statuses are those of out_open. On failure it needs to be closed
 * too.
 */
enum poly_status target_open(
	struct target *target, const char *path, bool overwrite, struct poly_error *error);

/* Writes n bytes, all of them or POLY_ERR_IO. */
enum poly_status target_write(
	struct target *target, const void *data, size_t n, struct poly_error *error);

/* Puts the file in its place. */
enum poly_status target_finish(struct target *target, struct poly_error *error);

/* Gives everything back; a file that is not in its place is removed. */
void target_close(struct target *target);

#endif
