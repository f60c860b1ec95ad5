/* SPDX-License-Identifier: MIT */
/* Where an output's bytes end up: a descriptor, or a file that appears when it is complete. */
#ifndef IO_ATOMIC_FILE_H
#define IO_ATOMIC_FILE_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out_append_point;

/* Bytes behind the place at which a file goes on that are put back where it is given up. */
#define ATOMIC_FILE_TAIL 64

struct atomic_file {
	int fd;		/* -1: not open */
	bool own;	/* fd was opened here */
	bool overwrite; /* what is in the file's place may go */
	char *place;	/* the file's place, links followed; NULL: written directly */
	char *path;	/* the file beside it that is written; NULL: none is left */
	bool goes_on;	/* in a file that had kept bytes, and then those of tail */
	uint64_t kept;
	uint8_t tail[ATOMIC_FILE_TAIL];
	size_t tail_size;
};

/*
 * Opens a zeroed file; the statuses are those of out_open. On failure it needs to be closed
 * too.
 */
enum poly_status atomic_file_open(
	struct atomic_file *file, const char *path, bool overwrite, struct poly_error *error);

/* Opens a zeroed file behind bytes of a file; as out_open_append. */
enum poly_status atomic_file_open_append(struct atomic_file *file,
	const struct out_append_point *place, struct poly_error *error);

/* Writes n bytes, all of them or POLY_ERR_IO. */
enum poly_status atomic_file_write(
	struct atomic_file *file, const void *data, size_t n, struct poly_error *error);

/* Puts the file in its place. */
enum poly_status atomic_file_finish(struct atomic_file *file, struct poly_error *error);

/* Gives everything back; a file that is not in its place is removed. */
void atomic_file_close(struct atomic_file *file);

#endif
