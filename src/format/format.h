/* SPDX-License-Identifier: MIT */
/*
 * What a format is to the framework. A format is one file that exports
 *
 *     const struct format *const formats_<word>[] = {&tt6, &tt6e, NULL};
 *
 * and one word in the build's list. The framework (reader.c, writer.c) allocates and zeroes the
 * state, parses the options, clears and settles the batches, keeps errors sticky, counts and
 * resynchronises; a format decodes, encodes and judges.
 */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include "polytrace/format.h"
#include "polytrace/reader.h"

#include "base/err.h"
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
};

/* What a reader's functions work on. */
struct reading {
	void *state;	   /* reader_size bytes, zeroed by the framework */
	struct in *in;	   /* the decompressed bytes */
	struct info *info; /* to be filled by open */
	struct findings
		*findings; /* where rules are broken; rule numbers index the format's table */
	const uint64_t *options;  /* values in the order of the format's table */
	const char *const *texts; /* those of texts, or NULL */
	struct sites *sites;	  /* for rows that are to be numbered one by one */
	bool check;		  /* the format's check will see every batch */
	size_t max_line;	  /* bytes of a line, where the user has a limit; or 0 */
	unsigned prediction;	  /* of lines: enum predict_way */
	/* Rows before this batch; read adds those that it passes over. */
	uint64_t record;
	uint64_t line;	/* lines passed so far, where the format counts them */
	bool whole;	/* set by open: this trace can't be cut */
	uint64_t tally; /* records that read may give as rows with weights */
	/* From read on: who may decode, the caller's thread among them, and the record behind
	 * which nothing is asked for. */
	unsigned threads;
	uint64_t end;
	poly_wanted_fn wanted; /* see poly_reader_pass_over; NULL: everything is */
	void *user;	       /* handed to it */
};

/* How a number stands in a line. */
enum writing_form {
	WRITING_HEX,	 /* hexadecimal digits, all of them */
	WRITING_HEX_FAR, /* hexadecimal digits behind blanks */
	WRITING_DECIMAL, /* decimal digits, the first of which is no 0 unless it is alone */
	WRITING_BIG,	 /* four bytes, the most significant first */
	WRITING_LITTLE,	 /* four bytes, the least significant first */
};

/* Numbers of a column that were put into copied lines. */
struct writing_copied {
	uint64_t count, last;
};

struct pattern_lines;

/* What a writer's functions work on. */
struct writing {
	void *state;			      /* writer_size bytes, zeroed by the framework */
	struct out *out;		      /* where bytes go */
	const struct poly_trace_info *source; /* the trace that is written */
	const uint64_t *options;	      /* values in the order of the format's table */
	const char *const *texts;	      /* those of texts, or NULL */
	const bool *given;		      /* which options the user gave */
	bool own_raw;			      /* the column raw holds this family's bytes */
	poly_columns columns;		      /* columns that the user wants written */
	poly_columns uses;		      /* columns looked at; wopen may take some away */
	struct notes *notes;		      /* see writing_note */
	struct pattern_lines *making;	      /* lines to be copied, of patterns; else NULL */
	uint64_t context; /* what the next row depends on; see writing_suppose */
	/* By column; write_row is not called for rows whose lines are copied. */
	struct writing_copied copied[POLY_COLUMN_COUNT];
	/*
	 * Where a file is appended to, it as it stands, and its path; else NULL. wopen then
	 * writes nothing, as there is no out yet, but says how many of the file's bytes are
	 * kept and how many records these have.
	 */
	struct in *old;
	const char *path;
	uint64_t kept, before;
	/* Has labels: those of the source, and what the user gave; in formats that hold any. */
	const struct poly_trace_info *labels;
};

struct format {
	struct poly_format_info info;
	size_t reader_size, writer_size;
	bool is_text;	/* it is read, and a record is a line of text */
	bool appends;	/* wopen can go on behind what a file has */
	bool is_packed; /* its bytes are made of many records: damage can't be written again */
	bool tallies;	/* read looks at reading->tally */
	/*
	 * What write makes of a row depends on the row alone, but for the column verbatim, and
	 * it tells no notes: rows of a batch may be written by several threads, each with a
	 * state that wopen made.
	 */
	bool apart;

	/*
	 * Bits that had to be so for the first n bytes (at most 4 MiB; all there is if eof) to
	 * be of this format: 0 is no. Structure alone is worth at most 24 and takes three
	 * records; see doc/ARCHITECTURE.md. Pure. note is never NULL.
	 * Without this function the format has to be named.
	 */
	int (*probe)(const uint8_t *p, size_t n, bool eof, struct probe_note *note);

	/* Reads what stands at the front, if anything, and fills the information. */
	enum poly_status (*open)(struct reading *reading, struct poly_error *error);

	/*
	 * Columns that are to be filled besides those wanted, as others are found by them.
	 * Consumers see them, as far as the trace has them. May be NULL.
	 */
	poly_columns (*also)(const struct reading *reading, poly_columns wanted);

	/*
	 * Fills an empty batch with at most batch->capacity rows and sets view.rows. POLY_OK
	 * with at least one row; POLY_END where nothing is left. A failure may come with the
	 * rows before it, which are delivered first; the bytes of the damage are left in the
	 * input, so that the next call meets it again. A cut-off tail is a row of kind other
	 * with its bytes in raw, and a finding (an error under strict). Consumes exactly what
	 * the rows stand for.
	 */
	enum poly_status (*read)(
		struct reading *reading, struct batch *batch, struct poly_error *error);

	/*
	 * Passes over as many of the first n records as it can without decoding them, and says
	 * how many. Called at most once, between open and read. What is wrong is left for read
	 * to find. May be NULL.
	 */
	uint64_t (*jump)(struct reading *reading, uint64_t n);

	/*
	 * Instead of read: tells what the bytes are taken by, in *space, which is zeroed, and
	 * adds the records that it meets to reading->record. Items hold until close. What was
	 * found before a failure is told, too. May be NULL.
	 */
	enum poly_status (*space)(
		struct reading *reading, struct poly_space *space, struct poly_error *error);

	/*
	 * After a failure: consumes at least one byte, or what read consumed of a record that
	 * it did not deliver, up to a place where a record may begin,
	 * and makes a row of kind other of what it consumed (batch is empty; raw holds the
	 * bytes). It is called again while nothing sound follows. NULL: damage can't be passed
	 * over.
	 */
	enum poly_status (*resync)(
		struct reading *reading, struct batch *batch, struct poly_error *error);

	/*
	 * Where the trace may be cut, so that other threads decode what follows: how many of
	 * the n bytes at p, which stand at offset, to take so that a record begins behind them
	 * which can be read without knowing what came before. 0: not here. The bytes may begin
	 * within a record. Pure; reading was opened and says what open found out. NULL: the
	 * trace is read by one thread.
	 *
	 * Then open consumes nothing; a name or a site is made for a row only; names of which
	 * there may be any number are kept by info_keep_name; and whatever read leaves in the
	 * state, lines counted in reading among it, changes no row at such a place.
	 */
	size_t (*cut)(
		const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);

	/* Tests the rules on a delivered batch; batch NULL: the trace has ended. May be NULL.
	 */
	void (*check)(struct reading *reading, const struct poly_batch *batch);

	/* Frees what state holds. May be NULL. */
	void (*close)(struct reading *reading);

	/* The writer half; NULL where the format can only be read. */
	enum poly_status (*wopen)(struct writing *writing, struct poly_error *error);
	enum poly_status (*write)(struct writing *writing, const struct poly_batch *batch,
		struct poly_error *error);
	/*
	 * Instead of write, or besides it for batches with patterns: writes a row. It marks the
	 * numbers that it writes (writing_mark), so that the line of a pattern is made once and
	 * then copied (pattern.h). A line is what the values of its row make it and nothing
	 * else, or else what writing_suppose says.
	 *
	 * Lines are made (writing->making is set) with a copy of writing and, byte for byte, of
	 * its state, both of which are thrown away without wclose: what write_row changes in
	 * the state then is forgotten, so that may be numbers and the like, but nothing that
	 * a pointer in it leads to, which the copy shares, nor such a pointer. These lines
	 * come in the order of patterns, and rows of them may never come. error is NULL, and
	 * out is memory. It is not called for rows whose lines are copied: see copied.
	 */
	enum poly_status (*write_row)(struct writing *writing, const struct poly_batch *batch,
		size_t row, struct poly_error *error);
	/* Writes what was held back; not called after a failure. May be NULL. */
	enum poly_status (*wfinish)(struct writing *writing, struct poly_error *error);
	/* Frees what state holds. May be NULL. */
	void (*wclose)(struct writing *writing);
};

/* The i-th format from 0 in the order of the build's list; NULL after the last one. */
const struct format *format_at(size_t i);

/* The format of a name, which may be followed by a colon and an argument; or NULL. */
const struct format *format_find(const char *name);

/* True where path ends as the format's files do, endings of compression taken off. */
bool format_has_ending(const struct format *format, const char *path);

/*
 * True where the user did not choose columns: all of them are wanted, or all but those that
 * only say where a record stood. A text format then leaves out what is about the source's
 * bytes.
 */
static inline bool
writing_every_column(const struct writing *writing)
{
	const poly_columns places = POLY_HAS(origin) | POLY_HAS(site);
	return writing->columns == POLY_ALL_COLUMNS ||
	       writing->columns == (POLY_ALL_COLUMNS & ~places);
}

/*
 * Says that width characters in the output's room, at at, are the number that a column has in
 * the row that is written, and that nothing else in the line depends on it. The line has the
 * row's number in as many characters whatever it is, or it is not copied.
 */
void writing_mark(struct writing *writing, enum poly_column column, enum writing_form form,
	const void *at, size_t width);

/* Says that the line is not to be copied unless these columns move in it and are marked. */
void writing_moves(struct writing *writing, poly_columns columns);

/*
 * Of formats whose lines depend on what was written before, which is all told by context: while
 * lines are made (else nothing happens), context becomes this one, and the line is only copied
 * behind what left the same. What write_row makes of context is what the line leaves.
 */
void writing_suppose(struct writing *writing, uint64_t context);

/* Says that the line is not to be copied. */
void writing_unlike(struct writing *writing);

/* Counts a thing that is not written as it was; what is a static sentence: "escapes dropped".
 */
void writing_note(struct writing *writing, const char *what);

/* As err_set with POLY_ERR_LOSS for a row that lacks a column that the writer needs. */
enum poly_status writing_lacks(const struct poly_batch *batch, size_t row, const char *column,
	struct poly_error *error);

#endif
