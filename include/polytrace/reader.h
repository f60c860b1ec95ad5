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
#include "polytrace/source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_reader;
struct poly_symbols;
struct poly_format_plugin;

/* What the detection of one format found at the front of an input. */
struct poly_probe {
	const struct poly_format_info *format; /* static */
	int bits;	      /* strength of the evidence; 0: the input is not of this format */
	bool near;	      /* some records match the format, whatever bits is */
	const char *evidence; /* one line; "": nothing to report; valid during the call */
};

/* Receives the result of one probe. */
typedef void (*poly_probe_fn)(void *user, const struct poly_probe *probe);

/*
 * How to read. Initialise with POLY_READ_OPTIONS_INIT, then change fields. Later versions may
 * append fields; a program built against an earlier version gets their initial values.
 */
struct poly_read_options {
	size_t size;	      /* of this struct in bytes; set by the macro, and not 0 */
	const char *format;   /* its name, or "name:argument"; NULL: detect it by content */
	const char *name;     /* file name for detection; NULL: the path */
	poly_columns columns; /* requested columns; others may be absent from the batches */
	const char *const
		*options;	/* format options as "name=value", NULL at the end; or NULL */
	bool strict;		/* warnings are errors */
	bool skip_errors;	/* after corrupt data continue at the next valid record */
	bool check;		/* test every rule of the format; see poly_reader_finding_at */
	unsigned nesting_limit; /* maximum number of layers of compression */
	uint64_t expansion_limit; /* maximum decompressed bytes per input byte; 0: no limit */
	size_t block_size;	  /* bytes per read of the input; 0: the library's choice */
	size_t batch_rows;	  /* maximum rows of a batch; 0 or too large: POLY_BATCH_ROWS */
	bool one_thread;	  /* the caller's only: no read-ahead, threads is 1 */
	/* Called between batches of long work; a result other than 0 cancels. NULL: not called.
	 */
	int (*progress)(void *user, uint64_t input_bytes, uint64_t input_total);
	void *user; /* passed to progress */
	/*
	 * Records skipped at the front: neither delivered nor checked. If the format can skip
	 * them without decoding, it does, and numbers sites from the records after them.
	 */
	uint64_t skip;
	uint64_t count; /* maximum number of records delivered; later ones are ignored */
	/*
	 * Number of decoder threads, at most 64. 0: one per CPU, at most 16. 1, or one_thread:
	 * the caller's only. More than one are used if the format's traces can be split or have
	 * segments and the input is a file or memory and not short. One of them decompresses if
	 * the input is compressed.
	 *
	 * Rows, findings and errors do not depend on it, but a batch may have fewer rows. Two
	 * other options make more depend on where batches end. With count, findings and
	 * content_bytes may extend past the last requested record, to the end of its batch.
	 * Under strict they may extend past the record that fails. Under strict a later record
	 * may also show that a rule is broken by something missing: if that record is in a
	 * later batch, the rows of the previous batches have been delivered.
	 */
	unsigned threads;
	const char *isa; /* instruction set of the trace, one of poly_isa_at; NULL: as given by
			    the trace */
	/*
	 * Maximum length of a line of a text format in bytes, newline included. A longer line
	 * is corrupt, and is skipped in blocks of that size. The limit of the format, 4 KiB or
	 * more, applies if this is 0 or larger.
	 */
	size_t max_line;
	/*
	 * Called by poly_reader_open if format is NULL: once per format that has evidence for
	 * or against it, in the order of poly_format_at, whether detection succeeds or fails.
	 * NULL: not called.
	 */
	poly_probe_fn on_probe;
	void *probe_user; /* handed to on_probe */
	/*
	 * Formats of the caller (polytrace/extend.h), NULL at the end, after those of the
	 * library; or NULL. The array must be valid until the trace is open, the formats until
	 * the reader is closed.
	 */
	const struct poly_format_plugin *const *formats;
	bool partial; /* a truncated input ends with POLY_END; see poly_reader_truncation */
	/*
	 * Symbols of the program's ELF file: instructions whose encoding the trace lacks get
	 * that of their address, in formats of logs (qemu-log); and a trace that does not state
	 * its instruction set has that of the file. NULL: none. Valid until the reader is
	 * closed.
	 */
	const struct poly_symbols *symbols;
	/* The files of a directory are read one after the other, by name, instead of merged by
	 * their times. POLY_ERR_USAGE if the input is not a directory. */
	bool by_thread;
	/*
	 * Rows of corrupt bytes, whose record is "corrupt", are counted but not delivered: what
	 * skip_errors skips, what is left of a truncated last record, and the bytes that a
	 * format reports as such. What a writer makes of the others is valid.
	 */
	bool drop_corrupt;
};

/* Initial values: any format, every column, tolerant, stop at corrupt data. */
#define POLY_READ_OPTIONS_INIT                                                              \
	{                                                                                   \
		.size = sizeof(struct poly_read_options), .columns = POLY_ALL_COLUMNS_INIT, \
		.nesting_limit = 4, .batch_rows = POLY_BATCH_ROWS, .count = UINT64_MAX      \
	}

/*
 * Opens the trace at path ("-": standard input), compressed or not. options may be NULL for the
 * initial values. On POLY_OK *reader belongs to the caller, who closes it; on failure it is
 * NULL.
 * POLY_ERR_IO: cannot open or read the file. POLY_ERR_FORMAT: unrecognized format, or two
 * formats match equally; the message names the nearest ones. POLY_ERR_USAGE: unknown format or
 * option, value out of range, options of size 0, unknown instruction set, invalid
 * options.formats. POLY_ERR_LIMIT: too many layers of compression. POLY_ERR_UNSUPPORTED: the
 * compression or format needs a library that this build lacks. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_reader_open(const char *path,
	const struct poly_read_options *options, struct poly_reader **reader,
	struct poly_error *error);

/*
 * As poly_reader_open, for size bytes at data, which must outlive the reader.
 */
POLY_API enum poly_status poly_reader_open_memory(const void *data, size_t size,
	const struct poly_read_options *options, struct poly_reader **reader,
	struct poly_error *error);

/*
 * Returns the next batch, with at least one row of those that the options skip and count
 * select. It belongs to the reader and is valid until the next call. Every valid record before
 * corrupt data is delivered before the error. POLY_END after the last batch, and from then on.
 * POLY_ERR_FORMAT: corrupt data (sticky; with skip_errors the reader continues instead, and
 * counts). POLY_ERR_TRUNCATED: the input ends within a record or a compressed stream; what is
 * left of the record may have been delivered, as a row of kind other (sticky; with the option
 * partial, POLY_END). POLY_ERR_IO, POLY_ERR_LIMIT, POLY_ERR_MEMORY, POLY_ERR_CANCELLED: sticky.
 */
POLY_API enum poly_status poly_reader_next(
	struct poly_reader *reader, const struct poly_batch **batch, struct poly_error *error);

struct poly_decoder_work;

/*
 * What the caller does with the batches of an opened trace. Initialise with
 * POLY_READ_PLAN_INIT, then change fields. Later versions may append fields; a program built
 * against an earlier version gets their initial values.
 */
struct poly_read_plan {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	/*
	 * The columns that the caller reads: of those that were requested when the reader was
	 * opened, batches may lack the others.
	 */
	poly_columns columns;
	/*
	 * Permits lazy columns: batches may lack columns until poly_writer_write materializes
	 * those that it needs. For callers that pass every batch on to it before they request
	 * the next one, and read no column themselves. No column is lazy if the reader needs
	 * columns itself (check, strict, skip, count, sites).
	 */
	bool lazy;
	/*
	 * Permits weighted rows: if the trace knows which of its records are equal in all
	 * requested columns, as packed traces do, a batch has one row for all equal records of
	 * an interval of the trace, and their number (poly_batch_weights). Intervals follow
	 * each other; records that cannot be combined are rows of their own, without weights.
	 * Sums over all batches are thus those over all records, and the first occurrences of
	 * rows keep their order; only poly_stats_update knows more about the order. For callers
	 * that use weights, not for selections and writers. Rows have no weights with strict or
	 * check.
	 */
	bool weights;
	/*
	 * Lets the reader skip intervals of records that cannot match, if it has bounds of them
	 * without reading: they are neither delivered nor checked, but counted, so that the
	 * numbers of other records do not change. poly_reader_next calls it in the order of the
	 * trace, once per interval, possibly before it delivers the records preceding the
	 * interval; it must stay valid for as long. NULL: every record may match. Nothing is
	 * skipped with weights, strict, check or skip_errors. Sites are numbered from the
	 * records that are read.
	 */
	poly_may_match_fn may_match;
	void *user; /* passed to may_match */
	/*
	 * Names of registers, at most POLY_REGISTERS_MAX, whose values are columns: the i-th
	 * one is POLY_COLUMN_register + i. A value is that of the record's register state in
	 * FULL traces, and else what the last record up to the row has written, in its thread
	 * or processor; absent if unknown, in part or wholly. Registers of more than 64 bits
	 * are absent. The names are those of the instruction set, parts of registers included,
	 * or, if that is unknown, those of the trace, in any case; they are copied. No column
	 * is lazy, no row weighted and no record skipped then.
	 */
	const char *const *registers;
	unsigned register_count; /* number of names */
	/*
	 * Records delivered in addition, before and after those that the options skip and count
	 * select: for a selection with the same positions and keep_attached.
	 */
	uint64_t margin;
	/*
	 * What threads that decode do with the rows (poly_stats_decoder_work,
	 * poly_writer_decoder_work), work_count pointers, at most POLY_DECODER_WORK_MAX, which
	 * are copied. For callers that pass every batch on to each of the handles, and read no
	 * column themselves: some batches have no rows, but what the handles need to know of a
	 * chunk of the trace. NULL: none.
	 */
	const struct poly_decoder_work *const *work;
	unsigned work_count; /* number of pointers */
};

/* Maximum number of pointers of poly_read_plan.work. */
#define POLY_DECODER_WORK_MAX 4

/* Returns work that does nothing, for callers that count records, or have them checked. Static.
 */
POLY_API const struct poly_decoder_work *poly_decoder_work_none(void);

/* Initial values: every requested column of every record. */
#define POLY_READ_PLAN_INIT                                                             \
	{                                                                               \
		.size = sizeof(struct poly_read_plan), .columns = POLY_ALL_COLUMNS_INIT \
	}

/*
 * Sets the plan of a reader, for callers that choose it by the facts of the opened trace. Call
 * it at most once, before the first batch. POLY_ERR_USAGE: the reader has a plan, records were
 * read, a plan of size 0, too many pointers of work, or a register that the instruction set
 * does not have; nothing changes.
 */
POLY_API enum poly_status poly_reader_plan(struct poly_reader *reader,
	const struct poly_read_plan *plan, struct poly_error *error);

/* Returns the metadata of the trace, complete from the start; valid until poly_reader_close. */
POLY_API const struct poly_trace_info *poly_reader_info(const struct poly_reader *reader);

/*
 * Returns a reader as a source of its batches, valid until poly_reader_close. Every batch is
 * delivered once, to this source or by poly_reader_next.
 */
POLY_API struct poly_source poly_reader_source(struct poly_reader *reader);

/* Returns the format that the trace is read as. Static, or, of a format of the caller, valid
 * until poly_reader_close. */
POLY_API const struct poly_format_info *poly_reader_format(const struct poly_reader *reader);

/* Returns the evidence for that format: one line, valid until poly_reader_close. */
POLY_API const char *poly_reader_evidence(const struct poly_reader *reader);

/* Returns the layers of compression, outermost first: "gzip", "xz, gzip"; "none": no layer. */
POLY_API const char *poly_reader_compression(const struct poly_reader *reader);

/* What has been read and skipped so far. */
struct poly_reader_counts {
	uint64_t records;	 /* rows delivered */
	uint64_t input_bytes;	 /* bytes read from the file, before decompression */
	uint64_t input_total;	 /* size of the file in bytes; 0: unknown */
	uint64_t content_bytes;	 /* bytes after decompression that were decoded or skipped */
	uint64_t skipped_bytes;	 /* corrupt bytes skipped (skip_errors) */
	uint64_t skipped_places; /* corrupt regions skipped (skip_errors) */
};

/* Returns the counts so far. */
POLY_API void poly_reader_count(
	const struct poly_reader *reader, struct poly_reader_counts *counts);

/* Returns the number of records counted so far that stand for corrupt bytes (skip_errors). */
POLY_API uint64_t poly_reader_corrupt_records(const struct poly_reader *reader);

/* The bytes of a packed trace that hold one kind of data. */
struct poly_size_item {
	/*
	 * The kind: "varying" (varying values of a column, one per record in which it varies),
	 * "static" (one per template, an instruction and what its executions have in common),
	 * "order" (the blocks of templates in execution order), "blocks" (the templates of each
	 * block), "shapes" (the columns of each template), "names", "layout" (the description
	 * of all this), or "unknown". Static.
	 */
	const char *holds;
	enum poly_column column; /* the column of the values; POLY_COLUMN_COUNT: no column */
	uint64_t values;	 /* number of values; 0: the kind has none of its own */
	uint64_t packed;	 /* bytes in the file */
	uint64_t unpacked;	 /* bytes after unpacking */
};

/* The size breakdown of a packed trace. */
struct poly_size_breakdown {
	uint64_t segments;  /* sections that can be read independently */
	uint64_t records;   /* in all segments */
	uint64_t templates; /* in all segments: each one has its own */
	bool is_complete;   /* it has an end; else it is being written, or truncated */
	const struct poly_size_item
		*items; /* by decreasing size; valid as long as the reader */
	size_t count;	/* number of items */
};

/*
 * Counts the bytes of a packed trace (format ptz) by kind, without unpacking. Call it before
 * the first poly_reader_next; the reader has ended afterwards: poly_reader_next returns
 * POLY_END. Every byte of a valid file is in one item. POLY_ERR_USAGE: records were read, or
 * the trace is not a packed one. POLY_ERR_FORMAT: corrupt data, or under strict a trace without
 * an end; POLY_ERR_IO, POLY_ERR_LIMIT: cannot read on. *size then covers what precedes the
 * failure. POLY_ERR_MEMORY: *size is empty.
 */
POLY_API enum poly_status poly_reader_size_breakdown(
	struct poly_reader *reader, struct poly_size_breakdown *size, struct poly_error *error);

/* One violation of a rule. */
struct poly_finding {
	const struct poly_rule *rule; /* static */
	uint64_t count;		      /* occurrences in the whole trace so far */
	uint64_t record;     /* number of this record from 1; 0: the trace as a whole */
	uint64_t offset;     /* byte offset in the decompressed input, or POLY_NO_OFFSET */
	const char *message; /* what was found and what was expected */
};

/*
 * Returns the i-th finding from 0 in order of records, those about the trace as a whole last;
 * false after the last one. Reading alone finds corrupt data; with the option check every rule
 * is tested, completely after poly_reader_next has returned POLY_END. The first few findings of
 * each rule are kept and all are counted. Strings are valid until the next call on the reader.
 */
POLY_API bool poly_reader_finding_at(
	const struct poly_reader *reader, size_t i, struct poly_finding *finding);

/* How much of a text was understood. */
enum poly_understanding {
	POLY_UNDERSTOOD, /* at least 99 lines in 100; or records are not lines */
	/* As POLY_UNDERSTOOD, but a part of a record's line was ignored (rule TXT2). */
	POLY_PARTLY_READ,
	/*
	 * More than one line in 100 is neither a record nor output that the format knows (rule
	 * TXT1).
	 */
	POLY_NOT_UNDERSTOOD,
};

/*
 * Returns how much of what was read so far was understood, with or without the option check.
 * Findings have the number of such lines, and quote the first ones.
 */
POLY_API enum poly_understanding poly_reader_understanding(const struct poly_reader *reader);

/*
 * Returns whether the input turned out to be truncated: poly_reader_next has returned
 * POLY_ERR_TRUNCATED or, with the option partial, POLY_END. If so, *error states where, as
 * poly_reader_next does. error may be NULL.
 */
POLY_API bool poly_reader_truncation(
	const struct poly_reader *reader, struct poly_error *error);

/* Closes and frees a reader. Accepts NULL. */
POLY_API void poly_reader_close(struct poly_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
