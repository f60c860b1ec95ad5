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

struct poly_decoder_work;
struct poly_writer;
struct poly_format_plugin;

/*
 * How to write. Initialise with POLY_WRITE_OPTIONS_INIT, then change fields. Later versions may
 * append fields; a program built against an earlier version gets their initial values.
 */
struct poly_write_options {
	size_t size;	    /* of this struct in bytes; set by the macro, and not 0 */
	const char *format; /* its name, or "name:argument"; NULL: by the ending of the path */
	const char *const
		*options; /* format options as "name=value", NULL at the end; or NULL */
	bool strict;	  /* any loss of information is an error */
	bool overwrite;	  /* replace an existing file */
	/*
	 * Columns to write, for formats that write any (csv, jsonl, parquet). Those write row,
	 * the number that the record has in its source, if it is in the set.
	 */
	poly_columns columns;
	/*
	 * Append to the existing file, in formats that can (ptz). The file is changed in place:
	 * its previous records stay readable at every moment, and only they remain if the
	 * writer is closed unfinished.
	 */
	bool append;
	/*
	 * Labels for the trace as "key=value", NULL at the end; or NULL. For formats that hold
	 * labels (ptz, jsonl, parquet), in addition to the labels of the source, and replacing
	 * those with the same key. A key has up to 64 letters, digits, dots, underscores and
	 * hyphens; a value is one line of text.
	 */
	const char *const *labels;
	/*
	 * Number of encoder threads including the caller's, at most 64, for formats whose rows
	 * are encoded independently (csv, jsonl, bach, most formats of lines), of ptz and of
	 * parquet. 0: one per CPU, at most 16. The output does not depend on it. With more than
	 * one, the bytes of a batch may be written by the next call, or by poly_writer_finish.
	 * ptz then copies the rows, needs the memory of a segment per thread, and reports a
	 * failure up to that many segments later.
	 */
	unsigned threads;
	/*
	 * The columns of csv and parquet in the order in which they are written, order_count of
	 * them, each of which is in columns; NULL: row, then the order of columns.def. Valid
	 * until the writer is closed.
	 */
	const enum poly_column *order;
	size_t order_count; /* elements of order */
	/* Formats of the caller, as in struct poly_read_options. */
	const struct poly_format_plugin *const *formats;
	/*
	 * The rows are not all those of the source, or not in its order. A format that
	 * describes the rest of the file (aix, oraclegeneral) then does so for these rows,
	 * instead of reproducing that of the source; formats that hold its rows (ptz, jsonl)
	 * state it as a fact.
	 */
	bool selected;
	/*
	 * For sources that cannot be read again: the unfinished file has a name beside the
	 * path, .NAME.polytrace-PID-N, and stays if the process is killed.
	 */
	bool keep_unfinished;
};

/* Initial values: tolerant, replacing, every column, no labels, one thread, every row. */
#define POLY_WRITE_OPTIONS_INIT                                               \
	{                                                                     \
		.size = sizeof(struct poly_write_options), .overwrite = true, \
		.columns = POLY_ALL_COLUMNS_INIT, .threads = 1                \
	}

/*
 * Determines which columns of a source a target format cannot hold. Returns the columns of the
 * source that would be lost; *missing gets the columns that the target needs and the source
 * does not have: writing fails if it is not 0. missing may be NULL. The columns origin, site
 * and verbatim never count as lost.
 */
POLY_API poly_columns poly_format_loss(const struct poly_trace_info *source,
	const struct poly_format_info *target, poly_columns *missing);

/* What a conversion stores. The columns origin, site and verbatim are in none of the sets. */
struct poly_conversion {
	bool refused;	/* it is not possible: wrong_isa, missing, or the target is only read */
	bool wrong_isa; /* the target holds another instruction set */
	bool same_format;  /* the written trace has the bytes of the source */
	bool same_family;  /* the target has the column raw of the source's records */
	bool labels_lost;  /* the source has labels, and the target holds none */
	poly_columns kept; /* columns of the source that the target stores */
	poly_columns
		derived;   /* columns of the target that follow from others, or have defaults */
	poly_columns lost; /* columns of the source that are neither */
	poly_columns missing;	/* columns that the target needs, and the source has not */
	unsigned kinds_kept;	/* kinds of records that are written, bits POLY_KIND_BIT */
	unsigned kinds_joined;	/* kinds that become columns of instructions */
	unsigned kinds_dropped; /* kinds that are dropped, and counted by notes */
};

/*
 * Determines what a conversion of a trace to a target format stores, from the metadata of the
 * trace, the kinds of its records (bits POLY_KIND_BIT) and the registry. Values that the target
 * cannot hold are not known before the conversion, which counts them as notes.
 */
POLY_API void poly_conversion_explain(const struct poly_trace_info *source, unsigned kinds,
	const struct poly_format_info *target, struct poly_conversion *conversion);

/*
 * Determines the same for any trace of a format. The instruction set is that of the format, if
 * it has only one.
 */
POLY_API void poly_format_explain(const struct poly_format_info *source,
	const struct poly_format_info *target, struct poly_conversion *conversion);

/*
 * Opens path ("-": standard output) for writing in the format of options, compressed as its
 * ending (.gz .zst .xz .bz2 .lz4) specifies. The file gets its path by poly_writer_finish,
 * so a failure leaves the previous file unchanged. source:
 * the metadata of the trace to be written, which must outlive the writer. options may be NULL.
 * On POLY_OK *writer belongs to the caller, who closes it; on failure it is NULL.
 * POLY_ERR_USAGE: unknown format or option, no format has the ending of the path, the format
 * cannot be written, the file exists and overwrite is false, options of size 0, or invalid
 * options.formats. POLY_ERR_IO.
 * POLY_ERR_LOSS: the format needs columns that the source does not have, or options->strict is
 * set and information would be lost. POLY_ERR_UNSUPPORTED: this build lacks the library of the
 * compression. POLY_ERR_MEMORY.
 * With labels also POLY_ERR_USAGE: the format holds none, append is set too, or a label is
 * invalid. POLY_ERR_LIMIT: the labels are too long together. With append also POLY_ERR_USAGE:
 * the format cannot append, path is not a regular file, or it is compressed; POLY_ERR_LOSS: the
 * metadata of the file's trace differ; POLY_ERR_FORMAT: the file is corrupt before its end;
 * POLY_ERR_LIMIT; POLY_ERR_IO, also if another process writes to it.
 */
POLY_API enum poly_status poly_writer_open(const char *path,
	const struct poly_trace_info *source, const struct poly_write_options *options,
	struct poly_writer **writer, struct poly_error *error);

/*
 * Returns the columns that a writer reads of the batches of its source: the columns
 * of struct poly_read_plan, so that no other column is decoded.
 */
POLY_API poly_columns poly_writer_columns(const struct poly_writer *writer);

/* Returns the number of records that an appended file had before; else 0. */
POLY_API uint64_t poly_writer_existing_records(const struct poly_writer *writer);

/* Receives written bytes: returns 0, or an errno value. */
typedef int (*poly_write_fn)(void *user, const void *data, size_t size);

/* An output of the caller. */
struct poly_sink {
	poly_write_fn write; /* receives the bytes */
	void *user;	     /* passed to it */
};

/*
 * Returns what decoders of the source can do for the writer, for the plan of its reader
 * (polytrace/reader.h): they encode chunks of the trace, and poly_writer_write writes the
 * bytes, which are the same, only faster. For callers that write all rows of the reader. NULL:
 * they cannot, for example because the column site is written (a format of the caller may write
 * it, unless options.columns lacks it), or the work is another reader's. Valid until
 * poly_writer_close; the reader must be closed before.
 */
POLY_API const struct poly_decoder_work *poly_writer_decoder_work(struct poly_writer *writer);

/* As poly_writer_open, for uncompressed bytes to a sink; options must name a format. */
POLY_API enum poly_status poly_writer_open_sink(const struct poly_sink *sink,
	const struct poly_trace_info *source, const struct poly_write_options *options,
	struct poly_writer **writer, struct poly_error *error);

/*
 * Writes the rows of a batch, whose numbers of names and records are those of batch->info:
 * batches may be of several traces. The metadata are those of the source that the writer was
 * opened with. POLY_ERR_LOSS: a record lacks a column that the format needs (the error names
 * record and column); the writer is strict and there is a note (poly_writer_note_at); of
 * another trace than the first one, the column site is written, or a record is corrupt bytes of
 * another dialect. POLY_ERR_LIMIT: the traces have more than 256 names of records. POLY_ERR_IO,
 * POLY_ERR_MEMORY. Failures are sticky.
 */
POLY_API enum poly_status poly_writer_write(
	struct poly_writer *writer, const struct poly_batch *batch, struct poly_error *error);

/*
 * Returns the i-th note from 0: a sentence about information that was not written unchanged,
 * with its number of occurrences in *count; NULL after the last one. Valid until
 * poly_writer_close.
 */
POLY_API const char *poly_writer_note_at(
	const struct poly_writer *writer, size_t i, uint64_t *count);

/*
 * Writes the end of the output, but gives the file its path only by poly_writer_finish, so
 * that a caller can verify what it closes unfinished otherwise. *path gets the path of its
 * bytes until then, which belongs to the writer; NULL: that of poly_writer_open, or no file.
 * path may be NULL. After it only poly_writer_note_at, poly_writer_finish and
 * poly_writer_close may be called. Fails as poly_writer_finish.
 */
POLY_API enum poly_status poly_writer_complete(
	struct poly_writer *writer, const char **path, struct poly_error *error);

/*
 * Completes the output and gives the file its path. After it only poly_writer_note_at and
 * poly_writer_close may be called. POLY_ERR_IO, POLY_ERR_MEMORY, POLY_ERR_LOSS if the writer is
 * strict and there is a note, or the failure that an earlier call returned: then no file
 * appears at the path.
 */
POLY_API enum poly_status poly_writer_finish(
	struct poly_writer *writer, struct poly_error *error);

/*
 * Closes and frees a writer; removes the unfinished file unless poly_writer_finish succeeded.
 * Accepts NULL.
 */
POLY_API void poly_writer_close(struct poly_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
