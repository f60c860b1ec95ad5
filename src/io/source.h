/* SPDX-License-Identifier: MIT */
/* The sources of an input's bytes: a file, memory, a decompressor, or a read-ahead thread. */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include "polytrace/status.h"

#include "io/filter.h"
#include "io/in.h"

#include <stdatomic.h>

/* The state of an input's lowest source; shared with the thread that reads it. */
struct root_source {
	_Atomic uint64_t taken; /* bytes read so far */
	uint64_t total;		/* size in bytes; 0: unknown */
	atomic_bool stopped;	/* reading fails from then on */
	bool waits;		/* reading may block for long */
	bool is_directory;	/* it cannot be read */
	int wake[2];		/* pipe that ends a wait for bytes; -1: none */
};

/* The destination of a read. */
struct source_room {
	uint8_t *dst;
	size_t size, got; /* bytes requested, and read */
};

struct source {
	/*
	 * Reads at most size bytes; sets *got to their number, also with POLY_END and failures,
	 * which are returned once. POLY_OK comes with at least one byte.
	 */
	enum poly_status (*read)(
		void *self, uint8_t *dst, size_t size, size_t *got, struct poly_error *error);
	void (*close)(void *self);
	void *self;
	/*
	 * The same for the bytes at an offset, for any number of threads at a time; fewer than
	 * size only if the status is not POLY_OK. NULL: not supported.
	 */
	enum poly_status (*read_at)(void *self, uint64_t offset, struct source_room *room,
		struct poly_error *error);
};

/* Opens the file at path, or standard input for "-"; *root belongs to the source. */
enum poly_status source_file_open(const char *path, struct source *source,
	struct root_source **root, struct poly_error *error);

/* Opens size bytes at data, which stay with the caller. */
enum poly_status source_memory_open(const void *data, size_t size, struct source *source,
	struct root_source **root, struct poly_error *error);

/* Opens a filter's output on an input; the source owns the input unless this fails. */
enum poly_status source_decoder_open(const struct filter *filter, struct in *below,
	uint64_t expansion_limit, struct source *source, struct poly_error *error);

/*
 * Adds a read-ahead thread to a source: it reads block_size bytes at a time, a few blocks
 * ahead. False, and the source unchanged: out of memory, or no thread could be started.
 */
bool source_read_ahead(struct source *source, struct root_source *root, size_t block_size);

/* Prepares a root source for root_source_stop during a read; false on failure. */
bool root_source_make_stoppable(struct root_source *root);

/* Makes the present and every further read of the root source fail, from another thread. */
void root_source_stop(struct root_source *root);

#endif
