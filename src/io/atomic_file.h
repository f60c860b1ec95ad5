/* SPDX-License-Identifier: MIT */
/* The destination of an output: a descriptor, or a file that is renamed when complete. */
#ifndef IO_ATOMIC_FILE_H
#define IO_ATOMIC_FILE_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out_append_point;

/* Maximum bytes after the append position that are restored if the append is abandoned. */
#define ATOMIC_FILE_TAIL 64

struct atomic_file {
	int fd;		   /* -1: not open */
	bool own;	   /* fd was opened here */
	bool overwrite;	   /* an existing file may be replaced */
	char *destination; /* the path, links followed; NULL: written directly */
	char *path;	   /* the temporary file beside it; NULL: none */
	int slot;	   /* 1 + index among those to discard; 0: none */
	bool appends;	   /* to a file that had kept bytes, followed by tail */
	uint64_t kept;
	uint8_t tail[ATOMIC_FILE_TAIL];
	size_t tail_size;
};

/*
 * Opens a zeroed file; the statuses are those of out_open. The caller closes it on failure,
 * too.
 */
enum poly_status atomic_file_open(
	struct atomic_file *file, const char *path, bool overwrite, struct poly_error *error);

/* Opens a zeroed file for appending; as out_open_append. */
enum poly_status atomic_file_open_append(struct atomic_file *file,
	const struct out_append_point *point, struct poly_error *error);

/* Writes n bytes, all of them or POLY_ERR_IO. */
enum poly_status atomic_file_write(
	struct atomic_file *file, const void *data, size_t n, struct poly_error *error);

/* Renames the file to its path. */
enum poly_status atomic_file_finish(struct atomic_file *file, struct poly_error *error);

/* Frees everything; removes a file that was not renamed. */
void atomic_file_close(struct atomic_file *file);

/* Removes all files that are not renamed yet, and abandons appends. Safe in signal handlers. */
void atomic_file_discard_all(void);

#endif
