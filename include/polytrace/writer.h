/* SPDX-License-Identifier: MIT */
/*
 * Writing batches as a trace of any format that can hold them.
 *
 * A writer is used by one thread at a time; different writers by any threads.
 */
#ifndef POLYTRACE_WRITER_H
#define POLYTRACE_WRITER_H

#include "polytrace/format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_writer;

/*
 * How to write. Initialise with POLY_WRITE_OPTIONS_INIT, then change fields. Later versions may
 * append fields; a program that was built before has their initial values.
 */
struct poly_write_options {
	size_t size;	    /* of this struct in bytes; set by the macro, and not 0 */
	const char *format; /* its name, or "name:argument"; NULL: by the ending of the path */
	const char *const
		*options; /* format options as "name=value", NULL at the end; or NULL */
	bool strict;	  /* whatever would be lost is an error */
	bool overwrite;	  /* replace a file that is there already */
	/*
	 * Columns to write, for formats that write any (csv, jsonl). Those write row, the
	 * number that the record has in its source, if it is in the set.
	 */
	poly_columns columns;
	/*
	 * Write behind what the file has, in formats that can (ptz). The file is changed in its
	 * place: what it had can be read at every moment, and where the writer is closed
	 * unfinished only that is left.
	 */
	bool append;
	/*
	 * What the user says of the trace, as "key=value", NULL at the end; or NULL. For
	 * formats that hold labels (ptz, jsonl), beside those that the source has, and instead
	 * of those of the same key. A key is up to 64 letters, digits, dots, underscores and
	 * hyphens, and a value text of one line.
	 */
	const char *const *labels;
	/*
	 * Threads that make the bytes, the caller's among them, in formats that any columns can
	 * be written in (csv, jsonl): 0: as many as there are processors, up to 16; at most 64.
	 * The bytes are the same.
	 */
	unsigned threads;
	/*
	 * The columns of csv in the order in which they are written, order_count of them, each
	 * of which is in columns; NULL: row, then the order of columns.def. Valid until the
	 * writer is closed.
	 */
	const enum poly_column *order;
	size_t order_count; /* elements of order */
};

/* Initial values: tolerant, replacing, every column, no labels, one thread. */
#define POLY_WRITE_OPTIONS_INIT                                                               \
	{                                                                                     \
		sizeof(struct poly_write_options), NULL, NULL, false, true, POLY_ALL_COLUMNS, \
			false, NULL, 1, NULL, 0                                               \
	}

/*
 * Says before anything is written what a target format cannot hold of a source.
 * Returns the columns of the source that would be lost; *missing gets the columns that the
 * target needs and the source does not have: writing is refused where it is not 0. missing
 * may be NULL. The columns origin, site and verbatim are never counted as lost.
 */
POLY_API poly_columns poly_format_loss(const struct poly_trace_info *source,
	const struct poly_format_info *target, poly_columns *missing);

/*
 * Opens path ("-": standard output) for writing in the format of options, compressed as its
 * ending
 * (.gz .zst .xz .bz2 .lz4) says. The file is written beside its place and put there by
 * poly_writer_finish, so a failure leaves what was there before. source: the facts of the trace
 * to be written, which must stay until the writer is closed. options may be NULL.
 * On POLY_OK *writer belongs to the caller, who closes it; on failure it is NULL.
 * POLY_ERR_USAGE: unknown format or option, no ending that says
 * the format, the format cannot be written, the file is there and may not be replaced, or
 * options of size 0. POLY_ERR_IO.
 * POLY_ERR_LOSS: the format needs what the source does not have, or options->strict is set and
 * something would be lost. POLY_ERR_UNSUPPORTED: no library for that compression.
 * POLY_ERR_MEMORY.
 * With labels also POLY_ERR_USAGE: the format holds none, append is set too, or one is not as
 * it has to be. POLY_ERR_LIMIT: they are too long together. With append also POLY_ERR_USAGE:
 * the format can't, it is no file of its own, or compressed; POLY_ERR_LOSS: the file's trace
 * differs in what is told of it; POLY_ERR_FORMAT: the file is damaged before its end;
 * POLY_ERR_LIMIT; POLY_ERR_IO, also where somebody else writes to it.
 */
POLY_API enum poly_status poly_writer_open(const char *path,
	const struct poly_trace_info *source, const struct poly_write_options *options,
	struct poly_writer **writer, struct poly_error *error);

/*
 * The columns that a writer looks at in the batches of the trace that it was opened for: what
 * poly_reader_want may be told, so that nothing is decoded in vain.
 */
POLY_API poly_columns poly_writer_columns(const struct poly_writer *writer);

/* Records that the file had before, where it is appended to; else 0. */
POLY_API uint64_t poly_writer_before(const struct poly_writer *writer);

/* Receives written bytes: returns 0, or an errno value. */
typedef int (*poly_write_fn)(void *user, const void *data, size_t size);

/* A place for bytes that is the caller's own. */
struct poly_sink {
	poly_write_fn write; /* receives the bytes */
	void *user;	     /* handed to it */
};

/* As poly_writer_open, handing the uncompressed bytes to a sink; options must name a format. */
POLY_API enum poly_status poly_writer_open_sink(const struct poly_sink *sink,
	const struct poly_trace_info *source, const struct poly_write_options *options,
	struct poly_writer **writer, struct poly_error *error);

/*
 * Writes the rows of a batch. POLY_ERR_LOSS: a record lacks what the format needs (the error
 * names record and column), or the writer is strict and there is a note (poly_writer_note_at).
 * POLY_ERR_IO, POLY_ERR_MEMORY. Failures are sticky.
 */
POLY_API enum poly_status poly_writer_write(
	struct poly_writer *writer, const struct poly_batch *batch, struct poly_error *error);

/*
 * The i-th thing from 0 that was not written as it was, as a sentence with how often it
 * happened in *count; NULL after the last one. Held until the writer is closed.
 */
POLY_API const char *poly_writer_note_at(
	const struct poly_writer *writer, size_t i, uint64_t *count);

/*
 * Writes what is still held back and brings the file to its place. After it only
 * poly_writer_note_at and poly_writer_close may be called. POLY_ERR_IO, POLY_ERR_MEMORY,
 * POLY_ERR_LOSS where the writer is strict and there is a note, or the failure that an earlier
 * call returned: then nothing appears under the file's name.
 */
POLY_API enum poly_status poly_writer_finish(
	struct poly_writer *writer, struct poly_error *error);

/* Gives back everything; where poly_writer_finish has not succeeded nothing is left. Accepts
 * NULL. */
POLY_API void poly_writer_close(struct poly_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
