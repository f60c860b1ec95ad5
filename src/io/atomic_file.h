/* SPDX-License-Identifier: MIT */
/* The destination of an output: a descriptor, or a file that gets its name when complete. */
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
	int fd;		       /* -1: not open */
	bool own;	       /* fd was opened here */
	bool overwrite;	       /* an existing file may be replaced */
	bool keeps_unfinished; /* a killed process leaves the unfinished file */
	char *destination;     /* the path, links followed; NULL: written directly */
	char *path;	       /* of the unfinished file's bytes; NULL: none */
	bool is_named;	       /* path is a temporary name beside the destination */
	int slot;	       /* 1 + index among those to discard; 0: none */
	bool appends;	       /* to a file that had kept bytes, followed by tail */
	uint64_t kept;
	uint8_t tail[ATOMIC_FILE_TAIL];
	size_t tail_size;
};

/*
 * Opens a zeroed file, with the flags (enum out_flag) and the statuses of out_open. The
 * caller closes it on failure, too.
 */
enum poly_status atomic_file_open(
	struct atomic_file *file, const char *path, unsigned flags, struct poly_error *error);

/* Opens a zeroed file for appending; as out_open_append. */
enum poly_status atomic_file_open_append(struct atomic_file *file,
	const struct out_append_point *point, struct poly_error *error);

/* Writes n bytes, all of them or POLY_ERR_IO. */
enum poly_status atomic_file_write(
	struct atomic_file *file, const void *data, size_t n, struct poly_error *error);

/* Gives the file its path. */
enum poly_status atomic_file_finish(struct atomic_file *file, struct poly_error *error);

/* Frees everything; removes an unfinished file. */
void atomic_file_close(struct atomic_file *file);

/* Removes all unfinished files, and abandons appends. Safe in signal handlers. */
void atomic_file_discard_all(void);

#endif
