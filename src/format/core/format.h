/* SPDX-License-Identifier: MIT */
/* The interface between a format and the framework. A format is one file that exports
 *
 *     const struct format *const formats_<word>[] = {&tt6, &tt6e, NULL};
 *
 * and one word in the build's list. The framework (reader_open.c, writer.c) allocates and
 * zeroes the state, parses the options, clears and settles the batches, keeps errors sticky,
 * counts and resynchronises; a format decodes, encodes and judges.
 */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include "polytrace/format.h"
#include "polytrace/reader.h"

#include "base/err.h"
#include "effects/effects.h"
#include "format/core/chunk_check.h"
#include "io/in.h"
#include "io/out.h"
#include "model/batch.h"
#include "model/findings.h"
#include "model/info.h"
#include "model/site.h"

/* The evidence that a probe found: the reason of its bid, or of its refusal. */
struct probe_note {
	char text[200];
	bool near; /* some records match; set by probes that may refuse to bid */
	/*
	 * All records match the format, but they may be too few to bid on: a file extension of
	 * the format suffices. Also set by binary formats without a complete record.
	 */
	bool consistent;
	/* Consistent, with a record of a structure that only this format has. */
	bool distinct;
};

struct poly_format_plugin;

/* The arguments of a reader's functions. */
struct reading {
	void *state; /* reader_size bytes, zeroed by the framework */
	const struct poly_format_plugin *plugin; /* that of the format, or NULL */
	struct in *in;				 /* the decompressed bytes */
	struct info *info;			 /* open fills it */
	struct findings *findings;   /* broken rules; rule numbers index the format's table */
	const uint64_t *options;     /* values in the order of the format's table */
	const char *const *texts;    /* the values of TEXT options, or NULL */
	struct sites *sites;	     /* for rows that are numbered one by one */
	struct encodings *encodings; /* of the program's file; NULL: none */
	bool check;		     /* the format's check is called for every batch */
	/* While a decoder of chunks checks a batch: what it leaves to the reader; else NULL. */
	struct deferred_checks *deferred;
	bool has_disagreed;  /* set by check: a value did not agree with a table of the trace */
	bool by_thread;	     /* files of a directory are read one after the other */
	size_t max_line;     /* maximum line length in bytes; 0: the format's */
	unsigned prediction; /* of lines: enum predict_way */
	/* Records before this batch; read adds those that it skips. */
	uint64_t record;
	uint64_t line;	   /* lines read so far, if the format counts them */
	bool is_chunk;	   /* a decoder of chunks reads: the reader completes the rows */
	bool is_split;	   /* the end that read has met is a split point: the trace continues */
	bool unsplittable; /* set by open: this trace cannot be split */
	uint64_t weighted; /* maximum number of records that read may return as weighted rows */
	/*
	 * Set before read: number of decoder threads including the caller's, and the number of
	 * records after which none is requested.
	 */
	unsigned threads;
	uint64_t end;
	/*
	 * Set before read: what to do with rows instead of delivering them, if threads decode;
	 * work_count pointers. The batch has the result then.
	 */
	const struct poly_decoder_work *const *work;
	unsigned work_count;
	poly_may_match_fn
		may_match; /* see struct poly_read_plan; NULL: every record may match */
	void *user;	   /* passed to may_match */
};

/* The form of a number in a line. */
enum writing_form {
	WRITING_HEX,	    /* hexadecimal digits, all of them */
	WRITING_HEX_PADDED, /* hexadecimal digits, padded with blanks */
	WRITING_DECIMAL,    /* decimal digits without leading zeros */
	WRITING_BIG,	    /* four bytes, the most significant first */
	WRITING_LITTLE,	    /* four bytes, the least significant first */
};

/* Numbers of a column that were patched into copied lines. */
struct writing_copied {
	uint64_t count, last;
};

struct line_cache;

/* The arguments of a writer's functions. */
struct writing {
	void *state; /* writer_size bytes, zeroed by the framework */
	const struct poly_format_plugin *plugin; /* that of the format, or NULL */
	struct out *out;			 /* receives the bytes */
	const struct poly_trace_info *source;	 /* metadata of the written trace */
	const uint64_t *options;		 /* values in the order of the format's table */
	const char *const *texts;		 /* the values of TEXT options, or NULL */
	const bool *is_set;			 /* options that the user set */
	bool own_raw;				 /* the column raw holds this family's bytes */
	poly_columns columns;			 /* columns that the user selected */
	bool row;				 /* the column row is requested, too */
	/* Of formats of lines: the last row has left its line open; its bytes are corrupt. */
	bool line_is_open, line_is_part;
	bool is_free;  /* lines may end in a record: the source has the format's free_fact */
	bool selected; /* the rows are not all those of a file of raw_format, or not in its
			  order */
	const enum poly_column *order; /* of the requested columns; NULL: columns.def's */
	size_t order_count;	       /* elements of order */
	unsigned threads;	       /* that a format may encode with, 1 or more */
	poly_columns uses;	       /* columns read; wopen may remove some */
	struct notes *notes;	       /* see writing_note */
	struct line_cache *cache;      /* set while cached lines are created */
	uint64_t context; /* the state that the next row depends on; see writing_cache_key */
	/* By column; write_row is not called for rows whose lines are copied. */
	struct writing_copied copied[POLY_COLUMN_COUNT];
	/*
	 * When appending: the existing file, and its path; else NULL. wopen then writes
	 * nothing, as out is not open yet; it sets the number of bytes to keep and of records
	 * in them.
	 */
	struct in *old;
	const char *path;
	uint64_t kept, before;
	/* Holds the labels of the source and the user's, for formats that store labels. */
	const struct poly_trace_info *labels;
};

struct format {
	struct poly_format_info info;
	struct poly_format_content content;
	const struct poly_format_plugin *plugin; /* of the caller, see plugin.h; or NULL */
	size_t reader_size, writer_size;
	bool is_text;	/* its records are lines of text */
	bool appends;	/* wopen can append to a file */
	bool is_packed; /* its bytes depend on many records: corrupt bytes cannot be written
			   again */
	bool accepts_weights; /* read uses reading->weighted */
	/*
	 * The bytes and notes of a row depend on the row alone, except for the column verbatim:
	 * several threads may encode rows of a batch, each with a state of its own that wopen
	 * initialised.
	 */
	bool rows_independent;
	/*
	 * Instead of rows_independent, if the bytes and notes of a row depend on preceding rows
	 * through numbers: the first numbers_size bytes of the state, and context. Moves these
	 * past count rows of the batch, from row on, without writing them. Threads then encode
	 * slices of the batch, each with a state that wopen initialised and predicted numbers.
	 * A prediction may err: a slice that began with other numbers than its predecessor
	 * left is encoded again, with the predecessor's state. So the result does not depend on
	 * predictions, which are cheap rather than exact. If rows also change the rest of a
	 * state, predict_state resets it, and numbers that it never predicts stand for a rest
	 * that the next row needs. False: this batch is encoded by one thread.
	 */
	bool (*predict_state)(struct writing *writing, const struct poly_batch *batch,
		size_t row, size_t count);
	size_t numbers_size;
	/* read has rows or findings of the end of the trace, even without bytes there. */
	bool reads_end;
	/* open accepts a directory as reading->in (in_is_directory), and knows its files. */
	bool reads_directories;
	/*
	 * The fact by which formats that hold raw state writing->selected; NULL: no header or
	 * record of this format describes the rest of the file.
	 */
	const char *selected_fact;
	/*
	 * Facts that the meaning of the column raw depends on, up to NULL; or NULL: bytes of
	 * traces in which they differ are not written to one file.
	 */
	const char *const *raw_facts;
	bool one_dialect; /* nor are their other columns, as they hold such bytes, too */
	/* A fact of traces of lines whose records are separated by any blanks; or NULL. */
	const char *free_fact;
	/* Returns whether a row continues the open line of the row before; or NULL. */
	bool (*continues_line)(
		const struct writing *writing, const struct poly_batch *batch, size_t row);
	enum effects_form effects; /* of the rows that the writer takes */

	/*
	 * Returns the strength of the evidence, in bits, that the first n bytes (at most 4 MiB;
	 * the complete input if eof) are of this format; 0: they are not. Structure alone is
	 * worth at most 24 bits and takes three records; see doc/ARCHITECTURE.md. Pure. note is
	 * never NULL. NULL: the format is not detected.
	 */
	int (*probe)(const uint8_t *p, size_t n, bool eof, struct probe_note *note);

	/* Reads the header, if the format has one, and fills reading->info. */
	enum poly_status (*open)(struct reading *reading, struct poly_error *error);

	/*
	 * Returns columns to fill besides the requested ones, which depend on them. Consumers
	 * see them if the trace has them. May be NULL.
	 */
	poly_columns (*also)(const struct reading *reading, poly_columns wanted);

	/*
	 * Fills an empty batch with at most batch->capacity rows and sets view.rows. POLY_OK
	 * with at least one row; POLY_END at the end. A failure may come with the rows before
	 * it, which are delivered first; corrupt bytes stay in the input, so that the next call
	 * meets them again. A truncated last record is a row of kind other with its bytes in
	 * raw, reported by findings_add_truncation. Consumes exactly the bytes of the rows.
	 */
	enum poly_status (*read)(
		struct reading *reading, struct batch *batch, struct poly_error *error);

	/*
	 * Skips up to n records at the front without decoding them. Returns the number of
	 * skipped records. Called at most once, between open and read. Leaves corrupt data to
	 * read. May be NULL.
	 */
	uint64_t (*skip_records)(struct reading *reading, uint64_t n);

	/*
	 * Instead of read: counts the bytes of the trace by kind in *space, which is zeroed,
	 * and adds the number of records to reading->record. Items are valid until close. On
	 * failure *space covers the bytes before it. May be NULL.
	 */
	enum poly_status (*size_breakdown)(struct reading *reading,
		struct poly_size_breakdown *space, struct poly_error *error);

	/*
	 * After a failure: consumes bytes up to the next position where a record may begin, at
	 * least one byte or the rest of a record that read did not deliver, and adds a row of
	 * kind other for them (batch is empty; raw holds the bytes), or none if no record is
	 * lost; it is called again until a valid record follows. NULL: corrupt data cannot be
	 * skipped.
	 */
	enum poly_status (*resync)(
		struct reading *reading, struct batch *batch, struct poly_error *error);

	/*
	 * Finds a split point for parallel decoding: returns a size of at most n bytes at p,
	 * which are those at offset, such that the record after them can be decoded without the
	 * preceding ones. 0: no split point. The bytes may begin within a record. Pure; reading
	 * is open. NULL: one thread decodes the trace.
	 *
	 * A format with this function obeys: open consumes nothing, unless the format has
	 * open_decoder; names and sites are added for rows only; info_keep_name stores names of
	 * unlimited number; the state after read, and lines counted in reading, change no row
	 * after a split point, except for what enter_split and complete_rows restore.
	 */
	size_t (*find_split)(
		const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);

	/*
	 * Instead of open, for a decoder of chunks: initialises its state, which is zeroed,
	 * from that of an open reader. False: out of memory; close is called in any case. May
	 * be NULL.
	 */
	bool (*open_decoder)(struct reading *reading, const struct reading *opened);

	/*
	 * Finds or adds a name of records in the information; returns its number, or -1. Needed
	 * if read adds some; decoders then have those of open with the same numbers. May be
	 * NULL.
	 */
	int (*add_record)(struct reading *reading, const char *name, size_t n);

	/*
	 * Sets the state for the record after a split point, of which the n bytes at before are
	 * the preceding ones: split_context, or all since the split point before if those are
	 * fewer. Called for decoders, and for the reader if it decodes the chunk. May be NULL.
	 */
	void (*enter_split)(struct reading *reading, const uint8_t *before, size_t n);
	size_t split_context;

	/*
	 * If set, split points are guesses: returns whether one that read has reached is right,
	 * and whether the state is that of enter_split. It may be called while read peeks at
	 * the next record. A chunk after a wrong guess is decoded again by the reader. Such a
	 * format adds no names, and peeks no further than it must where a record ends.
	 */
	bool (*is_at_split)(const struct reading *reading, const uint8_t *before, size_t n);

	/*
	 * Called by the reader for the batches of decoders, in order: completes columns that
	 * depend on preceding records, and updates the state that they depend on. p: the bytes
	 * of the rows, at offset. False: out of memory. May be NULL.
	 */
	bool (*complete_rows)(struct reading *reading, struct batch *batch, const uint8_t *p,
		uint64_t offset);

	/* Tests the rules on a delivered batch; batch NULL: at the end. May be NULL. */
	void (*check)(struct reading *reading, const struct poly_batch *batch);

	/*
	 * If set, decoders of chunks call check for their batches, too, with reading->deferred
	 * set and names of their own. The check_size bytes at check_offset in the reader's
	 * state are what check changes row by row; they are zeroed before each chunk, and
	 * copied after each batch. Records are counted from the start of the chunk, and rows
	 * are not yet completed by complete_rows. Messages of findings are not used: the reader
	 * checks a batch itself if one is stored.
	 *
	 * check sets deferred->prefix to the number of first rows that depend on rows before
	 * the chunk: the reader passes them to check first, so its state is then right. For
	 * later rows it uses check_defer and check_defer_value for what depends on tables of
	 * the whole trace. When a value disagrees with these, the reader's check sets
	 * reading->has_disagreed.
	 */
	bool checks_chunks;
	size_t check_offset, check_size;

	/*
	 * Called by the reader before such a batch is checked: returns whether a decoder's
	 * check, of which state is the copy, is valid after the reader's preceding rows. NULL:
	 * it is.
	 */
	bool (*check_fits)(const struct reading *reading, const void *state);

	/*
	 * Called by the reader for deferred rows in order, after the prefix, and once
	 * reading->has_disagreed is set, for all rows: tests only what check defers. May be
	 * NULL.
	 */
	void (*check_deferred)(struct reading *reading, const struct poly_batch *batch,
		size_t prefix, size_t row);

	/*
	 * Called by the reader after those: continues with a copy of a decoder's state after
	 * the batch, if that had rows after the prefix. first: number of records before the
	 * chunk. May be NULL.
	 */
	void (*check_adopt)(struct reading *reading, const struct poly_batch *batch,
		const void *state, uint64_t first);

	/* Frees everything that state holds. May be NULL. */
	void (*close)(struct reading *reading);

	/* The writer functions; NULL if the format can only be read. */
	enum poly_status (*wopen)(struct writing *writing, struct poly_error *error);
	enum poly_status (*write)(struct writing *writing, const struct poly_batch *batch,
		struct poly_error *error);
	/*
	 * Instead of write, or besides it for batches with patterns: writes a row. It marks the
	 * numbers that it writes (writing_patch_field), so that the line of a pattern is
	 * created once and then copied (line_cache.h). A line depends only on the values of its
	 * row, and on the key set by writing_cache_key.
	 *
	 * Cached lines are created (writing->cache is set) with copies of writing and, byte for
	 * byte, of its state, which are then discarded without wclose. So write_row may change
	 * numbers in the state, but neither pointers nor what they point to, which the copy
	 * shares. Cached lines are created in the order of patterns, and need not occur as
	 * rows. error is NULL, and out is memory. write_row is not called for rows whose lines
	 * are copied: see copied.
	 */
	enum poly_status (*write_row)(struct writing *writing, const struct poly_batch *batch,
		size_t row, struct poly_error *error);
	/* Writes the pending bytes; not called after a failure. May be NULL. */
	enum poly_status (*wfinish)(struct writing *writing, struct poly_error *error);
	/* Frees everything that state holds. May be NULL. */
	void (*wclose)(struct writing *writing);
};

/*
 * For check with reading->deferred: leaves the first rows of the batch to the reader, the last
 * of which may have been checked to have the state after it.
 */
static inline void
check_defer_prefix(struct reading *reading, size_t rows)
{
	*reading->deferred =
		(struct deferred_checks){.prefix = rows, .agreed = reading->deferred->agreed};
	findings_clear(reading->findings);
}

/* For check with reading->deferred: leaves all rows of the batch to the reader. */
static inline void
check_defer_batch(struct reading *reading)
{
	reading->findings->unstored = true;
}

/* Is find_split of a format of records of one size, without a header. */
static inline size_t
records_find_split(size_t record, uint64_t offset, size_t n)
{
	const size_t over = (size_t)((offset + n) % record);
	return n > over ? n - over : 0;
}

/* Returns the i-th format from 0 in the order of the build's list; NULL after the last one. */
const struct format *format_at(size_t i);

/* Returns the format of a name, which a colon and an argument may follow; or NULL. */
const struct format *format_find(const char *name);

/* Returns whether an instruction set is the named one or a wider mode of it: x86-64 of x86. */
bool format_isa_is_of(const char *isa, const char *family);

/*
 * Returns whether path has an extension of the format, after those of compression are removed.
 */
bool format_has_ending(const struct format *format, const char *path);

/*
 * Returns whether the user selected no columns: the selection is all columns, or all but those
 * of a record's position. A text format then omits the columns of the source's bytes.
 */
static inline bool
writing_every_column(const struct writing *writing)
{
	const poly_columns places = POLY_COLUMNS_INIT(origin, site);
	return poly_columns_subset(
		POLY_ALL_COLUMNS, poly_columns_union(writing->columns, places));
}

/* Columns of a table: each at most once. */
#define WRITING_COLUMNS_MAX (POLY_COLUMN_COUNT + POLY_REGISTERS_MAX + 1)

/*
 * For formats that hold any columns: lists those to write, in order, and sets uses. The columns
 * row, raw, origin, site and verbatim are written only when requested by name; columns
 * requested by name even if the trace does not have them. Returns their number; 0: an error,
 * POLY_ERR_USAGE.
 */
size_t writing_list_columns(struct writing *writing, enum poly_column list[WRITING_COLUMNS_MAX],
	struct poly_error *error);

/*
 * Marks width characters at field, in the output's room, as the number of a column in the row
 * that is written; nothing else in the line depends on the number. The line is copied only if
 * the number of the other row has the same width.
 */
void writing_patch_field(struct writing *writing, enum poly_column column,
	enum writing_form form, const void *field, size_t width);

/* Permits copying the line only if these columns vary in it and are marked. */
void writing_require_varying(struct writing *writing, poly_columns columns);

/*
 * For formats whose lines depend on the previous ones, through context alone: while cached
 * lines are created (else nothing happens), sets context to this key, and permits copying the
 * line only after a line that left the same context. The line leaves the context that write_row
 * sets.
 */
void writing_cache_key(struct writing *writing, uint64_t context);

/* Forbids copying the line. */
void writing_no_cache(struct writing *writing);

/*
 * Counts a note about information that is not written unchanged; what is a sentence that is
 * stored, not copied, so a string constant: "escapes dropped".
 */
void writing_note(struct writing *writing, const char *what);

/* As err_set with POLY_ERR_LOSS, for a row that lacks a column that the writer needs. */
enum poly_status writing_lacks(const struct poly_batch *batch, size_t row, const char *column,
	struct poly_error *error);

#endif
