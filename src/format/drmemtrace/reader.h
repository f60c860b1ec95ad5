/* SPDX-License-Identifier: MIT */
/* Readers of drmemtrace: of a file, or of the files of a directory. */
#ifndef FORMAT_DRMEMTRACE_READER_H
#define FORMAT_DRMEMTRACE_READER_H

#include "base/buf.h"
#include "format/drmemtrace/drmemtrace.h"

struct drm_reader {
	struct drm_stream *stream; /* the present one; NULL: it is to be selected */
	struct drm_stream file;	   /* that of a file */
	uint32_t kernel;	   /* the name of the mode */
	/* Of a directory: */
	const struct in *directory;
	struct in *trace; /* its folder trace, or NULL */
	struct buf names; /* of its files, each with a NUL after it */
	struct drm_stream *streams;
	size_t count, capacity;
};

/* Returns the instruction set of a stream, by its front; NULL: unknown. */
const char *drm_isa(const struct drm_stream *stream);

/* Reads the front of a file. POLY_ERR_FORMAT: it is not one of drmemtrace. */
enum poly_status drm_front_open(
	struct in *in, struct drm_front *front, struct poly_error *error);

/* Opens the files of the directory reading->in. */
enum poly_status drm_directory_open(struct reading *reading, struct poly_error *error);

/* Reads rows until the batch is full. POLY_END: no file has more. */
enum poly_status drm_directory_read(struct drm_cursor *cursor, struct poly_error *error);

/* Closes the files. */
void drm_directory_close(struct drm_reader *reader);

#endif
