/* SPDX-License-Identifier: MIT */
/* Where an input's bytes come from: a file, memory, a decompressor, or a thread before one. */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include "polytrace/status.h"

#include "io/filter.h"
#include "io/in.h"

#include <stdatomic.h>

/* What stands at the bottom of an input; shared with the thread that reads it. */
struct origin {
	_Atomic uint64_t taken; /* bytes read so far */
	uint64_t total;		/* bytes there are; 0: not known */
	atomic_bool stopped;	/* reading fails from now on */
	bool waits;		/* reading may block for long */
	int wake[2];		/* pipe that ends a wait for bytes; -1: none */
};

/* Where bytes go. */
struct source_room {
	uint8_t *to;
	size_t size, got; /* bytes that are wanted, and that there were */
};

struct source {
	/*
	 * Gives at most size bytes; *got says how many, also with POLY_END and failures, which
	 * are told once. POLY_OK comes with at least one.
	 */
	enum poly_status (*read)(
		void *self, uint8_t *to, size_t size, size_t *got, struct poly_error *error);
	void (*close)(void *self);
	void *self;
	/*
	 * The same for the bytes at an offset, by any number of threads at a time; less than
	 * size only with another status than POLY_OK. NULL: it can't.
	 */
	enum poly_status (*read_at)(void *self, uint64_t offset, struct source_room *room,
		struct poly_error *error);
};

/* The file at path, or standard input for "-"; *origin belongs to the source. */
enum poly_status source_file_open(const char *path, struct source *source,
	struct origin **origin, struct poly_error *error);

/* size bytes at data, which stay with the caller. */
enum poly_status source_memory_open(const void *data, size_t size, struct source *source,
	struct origin **origin, struct poly_error *error);

/* What the filter makes of an input, which becomes the source's unless it fails. */
enum poly_status source_decoder_open(const struct filter *filter, struct in *below,
	uint64_t expansion_limit, struct source *source, struct poly_error *error);

/*
 * Puts a thread before a source: from then on it is read ahead, block_size bytes at a time and
 * a few blocks far. False, and the source unchanged, where there is no memory or thread to be
 * had.
 */
bool source_read_ahead(struct source *source, struct origin *origin, size_t block_size);

/* Prepares the origin for root_source_stop while it is read; false where that cannot be done.
 */
bool root_source_make_stoppable(struct origin *origin);

/* Makes the present and every further read of the origin fail, from another thread. */
void root_source_stop(struct origin *origin);

#endif
