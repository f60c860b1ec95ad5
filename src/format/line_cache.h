/* SPDX-License-Identifier: MIT */
/*
 * The lines of patterns (struct poly_batch): rows of a pattern are written as the same text but
 * for the numbers that move, so that the text is made once and then copied.
 *
 * Lines may be text or the records of a binary format.
 *
 * Patterns that follow each other in the trace are mostly neighbours by number, and so are
 * their lines in memory: a run of rows is one copy, into which its numbers are put.
 */
#ifndef FORMAT_LINE_CACHE_H
#define FORMAT_LINE_CACHE_H

#include "format/format.h"

#include "base/buf.h"

/* Rows at most of a run. */
#define PATTERN_RUN_MAX 64

/* Bytes of lines at most that are kept. */
#define LINE_CACHE_TEXT_MAX ((size_t)48 << 20)

/* Columns at most whose numbers are put into lines. */
#define LINE_CACHE_COLUMNS 6

/* Rows whose patterns are neighbours. */
struct pattern_run {
	uint32_t pattern, row, rows; /* of the first row, and how many, 1 to PATTERN_RUN_MAX */
};

/* The rows of patterns themselves. */
struct pattern_rows {
	struct batch *batch;	     /* row i is the pattern first + i */
	const poly_columns *varying; /* by row, the columns that move in it; they are absent */
};

/*
 * What a reader knows of the patterns of a batch, in the batch. It holds as long as the batch;
 * the functions are called by the thread that was given it.
 */
struct poly_patterns {
	const struct pattern_run *runs; /* all rows of the batch, in their order */
	size_t run_count;
	uint32_t count; /* patterns of the epoch */
	uint32_t rows;	/* and its rows */
	bool deferred;	/* the batch lacks what does not move: see poly_reader_accept_lazy */

	/* Makes rows of the patterns from first on, which must be below count; at least one.
	 * They hold until the next call. */
	enum poly_status (*make_rows)(struct poly_patterns *patterns, uint32_t first,
		struct pattern_rows *rows, struct poly_error *error);
	/* The batch with all its columns. It may be called again. */
	enum poly_status (*materialize)(struct poly_patterns *patterns,
		const struct poly_batch **batch, struct poly_error *error);
};

/* A number in the lines. */
struct cached_number {
	uint32_t at;	  /* in the text */
	uint32_t pattern; /* of its line */
	uint8_t form;	  /* enum writing_form */
	uint8_t width;	  /* in characters */
};

/* A number in 16 characters, eight a word, the first one lowest. */
struct cached_digits {
	uint64_t high, low;
};

/* The numbers of a column in the lines, by pattern. */
struct cached_column {
	enum poly_column column;
	/* The decimal number that was put last: the next one is mostly hardly larger. */
	uint64_t last;
	struct cached_digits digits;
	unsigned width; /* 0: there was none */
	struct cached_number *numbers;
	uint32_t count, capacity;
};

/* Where the line of a pattern begins, and how much stands before it of what is told by line. */
struct cached_line {
	uint32_t at;
	uint32_t refused; /* lines that can't be copied */
	uint32_t numbers[LINE_CACHE_COLUMNS];
};

/* What a line was written behind, and what it leaves: see writing_cache_key. */
struct cached_context {
	uint64_t before, behind;
	uint32_t seams; /* lines up to this one that are not behind what the one before left */
};

/* Lines of patterns. Zeroed before the first use. */
struct line_cache {
	uint64_t epoch;
	bool begun; /* there is an epoch */
	bool full;  /* no more lines are kept */
	struct buf text;
	struct cached_line *lines;	 /* of patterns from 0 on, and the end */
	struct cached_context *contexts; /* of the same; not looked at unless some depend */
	bool depend;			 /* a line depends on what was written before it */
	uint32_t known, capacity;
	struct cached_column columns[LINE_CACHE_COLUMNS];
	unsigned column_count;
	uint32_t missed; /* rows whose numbers did not fit, since lines were made */
	/* While lines are made. */
	struct out *out;      /* into the text */
	poly_columns marked;  /* columns whose numbers were marked in the present line */
	poly_columns needed;  /* and those that have to move in it */
	poly_columns varying; /* and those that do */
	uint64_t before;      /* what it was written behind */
	bool refused, failed; /* it can't be kept; there is no memory */
};

/*
 * Writes the rows of a batch that has runs (batch->patterns) by a format that has write_row.
 * Returns as it does; POLY_ERR_MEMORY.
 */
enum poly_status line_cache_write(struct line_cache *it, const struct format *format,
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);

/* Gives the memory back. */
void line_cache_fini(struct line_cache *it);

#endif
