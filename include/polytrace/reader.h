/* SPDX-License-Identifier: MIT */
/*
 * Reading a trace of any format as batches of rows.
 *
 *     struct poly_reader *reader;
 *     struct poly_read_options options = POLY_READ_OPTIONS_INIT;
 *     const struct poly_batch *batch;
 *     if (poly_reader_open("trace.tt6e", &options, &reader, &error) != POLY_OK) ...
 *     while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK) ...
 *     poly_reader_close(reader);
 *
 * A reader is used by one thread at a time; different readers by any threads.
 */
#ifndef POLYTRACE_READER_H
#define POLYTRACE_READER_H

#include "polytrace/format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_reader;

/* What the detection of one format found at the front of an input. */
struct poly_probe {
	const struct poly_format_info *format;
	int bits;	      /* strength of the evidence; 0: the input is not of this format */
	bool near;	      /* some records match the format, whatever bits is */
	const char *evidence; /* one line; "": nothing to report; valid during the call */
};

/* Receives the result of one probe. */
typedef void (*poly_probe_fn)(void *user, const struct poly_probe *probe);

/*
 * How to read. Initialise with POLY_READ_OPTIONS_INIT, then change fields. Later versions may
 * append fields; a program that was built before has their initial values.
 */
struct poly_read_options {
	size_t size;	      /* of this struct in bytes; set by the macro, and not 0 */
	const char *format;   /* its name, or "name:argument"; NULL: find it by content */
	const char *name;     /* stands for the file's name in detection; NULL: the path */
	poly_columns columns; /* columns wanted; others may be absent from the batches */
	const char *const
		*options;	/* format options as "name=value", NULL at the end; or NULL */
	bool strict;		/* warnings are errors */
	bool skip_errors;	/* after damage go on at the next sound record */
	bool check;		/* test every rule of the format; see poly_reader_finding_at */
	unsigned nesting_limit; /* most layers of compression */
	uint64_t expansion_limit; /* most bytes decompressed per byte of input; 0: no limit */
	size_t block_size; /* bytes asked of the input at a time; 0: the library's choice */
	size_t batch_rows; /* most rows of a batch; POLY_BATCH_ROWS where it is 0 or more */
	bool one_thread;   /* the caller's alone: nothing is read ahead, threads is 1 */
	/* Called between batches of long work; a result other than 0 cancels. NULL: not called.
	 */
	int (*progress)(void *user, uint64_t input_bytes, uint64_t input_total);
	void *user; /* handed to progress */
	/*
	 * Records passed over at the front: neither delivered nor found fault with. A format
	 * that can pass over them without decoding them does, and numbers sites from those
	 * behind.
	 */
	uint64_t skip;
	uint64_t count; /* most records delivered; what stands behind them is not used */
	/*
	 * Threads that decode, where the format's traces can be cut or have segments and the
	 * input is a file or memory and not short: 0: as many as there are processors, up to
	 * 16; 1, or one_thread: that of the caller alone. At most 64. Where the input is
	 * compressed, one of them decompresses. Rows, findings and errors do not depend on it,
	 * but a batch may have fewer rows. What depends on where batches end does so only with
	 * two other options. With count, findings and content_bytes may reach behind the last
	 * record asked for, as far as its batch. Under strict they may so reach behind the
	 * record that fails. Under strict a rule may also be broken by what is missing, which a
	 * later record shows: where that record is in a later batch, the rows of the batches
	 * before it have been delivered.
	 */
	unsigned threads;
	const char *isa; /* instruction set of the trace, one of poly_isa_at; NULL: what the
			    trace says */
	/*
	 * Bytes of the longest line of a text format, its newline included; a longer one is
	 * damage, and passed over in pieces of that size. Formats have limits of their own,
	 * 4 KiB or more, which hold where this is 0 or more than they are.
	 */
	size_t max_line;
	/*
	 * Called by poly_reader_open if format is NULL: once per format that has evidence for or
	 * against it, in the order of poly_format_at, whether detection succeeds or fails. NULL:
	 * not called.
	 */
	poly_probe_fn on_probe;
	void *probe_user; /* handed to on_probe */
};

/* Initial values: any format, every column, tolerant, stop at damage. */
#define POLY_READ_OPTIONS_INIT                                                               \
	{                                                                                    \
		sizeof(struct poly_read_options), NULL, NULL, POLY_ALL_COLUMNS, NULL, false, \
			false, false, 4, 0, 0, POLY_BATCH_ROWS, false, NULL, NULL, 0,        \
			UINT64_MAX, 0, NULL, 0, NULL, NULL                                   \
	}

/*
 * Opens the trace at path ("-": standard input), whatever compresses it.
 * options may be NULL for the initial values. On POLY_OK *reader belongs to the caller, who
 * closes it; on failure it is NULL.
 * POLY_ERR_IO: cannot be opened or read. POLY_ERR_FORMAT: no format fits, or two fit equally;
 * the message names them. POLY_ERR_USAGE: unknown format or option, value out of range,
 * options of size 0, unknown instruction set. POLY_ERR_LIMIT: compressed too deeply.
 * POLY_ERR_UNSUPPORTED: its compression or format needs a library that this build lacks.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_reader_open(const char *path,
	const struct poly_read_options *options, struct poly_reader **reader,
	struct poly_error *error);

/*
 * As poly_reader_open, for size bytes at data, which must stay until the reader is closed.
 */
POLY_API enum poly_status poly_reader_open_memory(const void *data, size_t size,
	const struct poly_read_options *options, struct poly_reader **reader,
	struct poly_error *error);

/*
 * The next batch, with at least one row of those that the options skip and count ask for. It
 * belongs to the reader and holds until the next call. Every sound record before damage is
 * delivered before the error. POLY_END after the last one, and from then on. POLY_ERR_FORMAT:
 * damage (sticky, unless skip_errors was set, which goes on instead and counts). POLY_ERR_IO,
 * POLY_ERR_LIMIT, POLY_ERR_MEMORY, POLY_ERR_CANCELLED: sticky.
 */
POLY_API enum poly_status poly_reader_next(
	struct poly_reader *reader, const struct poly_batch **batch, struct poly_error *error);

/*
 * Leaves out, of the columns asked for when the reader was opened, those that are not in
 * columns: for who learns only from the opened trace what to look at. It is for the time before
 * the first poly_reader_next; later it changes nothing.
 */
POLY_API void poly_reader_want(struct poly_reader *reader, poly_columns columns);

/*
 * Lets the reader count records instead of giving each of them: where the trace knows which of
 * its records are equal in all columns asked for, as packed ones do of what does not move, a
 * batch has one row for all of those that stand in some stretch of the trace, and says how many
 * they are (weight of struct poly_batch). One stretch follows the other; where records can't be
 * counted, a batch has them one by one, and no weights. So sums over all batches are what they
 * would be over all records, and rows that are unlike all rows before them come in the same
 * order; of the order itself only poly_stats_update knows. For who looks at weights, not for
 * selections and writers. It is for the time before the first poly_reader_next; later it
 * changes nothing. With strict or check nothing is counted.
 */
POLY_API void poly_reader_tally(struct poly_reader *reader);

/*
 * Lets the reader leave out of a batch that has patterns (batch->pattern) the columns that are
 * not in batch->moving: they are NULL, as if the trace did not have them. It is for who hands
 * every batch on to poly_writer_write, before the next one is asked for, and looks at no column
 * of it: the writer finds what it needs. Readers that have more to do with the columns (check,
 * strict, skip, count, sites) leave nothing out. It is for the time before the first
 * poly_reader_next; later it changes nothing.
 */
POLY_API void poly_reader_defer(struct poly_reader *reader);

/*
 * Whether any of the records of which bounds tells may be wanted. False: none of them is,
 * whatever stands before them.
 */
typedef bool (*poly_wanted_fn)(void *user, const struct poly_bounds *bounds);

/*
 * Lets a reader pass over records that nobody wants, where it knows enough of them without
 * reading: then they are neither delivered nor found fault with, but counted, so that others
 * have the numbers that they would have had. wanted is called by poly_reader_next, in the order
 * of the trace, once for each stretch of records, and possibly before records that stand in
 * front of it are delivered; wanted and user must stay as long as that is called. NULL: every
 * record is wanted. Nothing is passed over with the options strict, check or skip_errors. Sites
 * are numbered from the records that are read.
 */
POLY_API void poly_reader_pass_over(
	struct poly_reader *reader, poly_wanted_fn wanted, void *user);

/* Facts of the trace, complete from the start; held until the reader is closed. */
POLY_API const struct poly_trace_info *poly_reader_info(const struct poly_reader *reader);

/* The format it is read as. Static. */
POLY_API const struct poly_format_info *poly_reader_format(const struct poly_reader *reader);

/* Why it is read as that format: one line, held until the reader is closed. */
POLY_API const char *poly_reader_evidence(const struct poly_reader *reader);

/* Layers of compression, outermost first, as "gzip" or "xz, gzip"; "none" where there are none.
 */
POLY_API const char *poly_reader_compression(const struct poly_reader *reader);

/* What has been read and passed over so far. */
struct poly_reader_counts {
	uint64_t records;	 /* rows delivered */
	uint64_t input_bytes;	 /* bytes taken from the file as it stands */
	uint64_t input_total;	 /* its size in bytes; 0: not known */
	uint64_t content_bytes;	 /* bytes after decompression that were decoded or skipped */
	uint64_t skipped_bytes;	 /* bytes passed over after damage (skip_errors) */
	uint64_t skipped_places; /* damaged places passed over (skip_errors) */
};

/* What has been read so far. */
POLY_API void poly_reader_count(
	const struct poly_reader *reader, struct poly_reader_counts *counts);

/* Bytes of a packed trace that hold the same kind of thing. */
struct poly_space_item {
	/*
	 * What it is: "moving" (values of a column, one for each record in which it moves),
	 * "static" (one for each template, an instruction and what its executions have in
	 * common), "order" (the blocks of templates that were executed), "blocks" (which
	 * templates they are), "shapes" (which columns templates have), "names", "layout" (what
	 * describes all this), or "unknown". Static.
	 */
	const char *holds;
	enum poly_column column; /* whose values they are; POLY_COLUMN_COUNT: no column's */
	uint64_t values;	 /* how many; 0 for what has none of its own */
	uint64_t packed;	 /* bytes in the file */
	uint64_t unpacked;	 /* bytes when they are unpacked */
};

/* What a packed trace consists of. */
struct poly_space {
	uint64_t segments;  /* parts of it that can be read alone */
	uint64_t records;   /* in all of them */
	uint64_t templates; /* in all of them: each segment has its own */
	bool is_complete;   /* it has an end; else it is still being written, or cut off */
	const struct poly_space_item *items; /* the most bytes first; held by the reader */
	size_t count;			     /* how many */
};

/*
 * Tells what the bytes of a packed trace (format ptz) are taken by, which takes no unpacking.
 * It is for a reader that was asked for no records yet, and ends it: poly_reader_next is
 * POLY_END then. Every byte of a sound file is in one item. POLY_ERR_USAGE: records were asked
 * for, or the trace is no packed one. POLY_ERR_FORMAT: damage, or under strict a trace without
 * an end; POLY_ERR_IO, POLY_ERR_LIMIT: it can't be read on. *space then tells of what stands
 * before that. POLY_ERR_MEMORY: of nothing.
 */
POLY_API enum poly_status poly_reader_space(
	struct poly_reader *reader, struct poly_space *space, struct poly_error *error);

/* One place where a rule did not hold. */
struct poly_finding {
	const struct poly_rule *rule; /* static */
	uint64_t count;		      /* how often it was found in the whole trace so far */
	uint64_t record;     /* number of this record from 1; 0: the trace as a whole */
	uint64_t offset;     /* byte offset in the decompressed input, or POLY_NO_OFFSET */
	const char *message; /* what was found and what was expected */
};

/*
 * The i-th finding from 0 in order of records, what is about the trace as a whole last; false
 * after the last one. Reading alone finds damage; with the option check every rule is tested,
 * complete when poly_reader_next has returned POLY_END. Of each rule the first few places are
 * kept and all are counted. Strings hold until the next call on the reader.
 */
POLY_API bool poly_reader_finding_at(
	const struct poly_reader *reader, size_t i, struct poly_finding *finding);

/* Gives back everything that the reader holds. Accepts NULL. */
POLY_API void poly_reader_close(struct poly_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
