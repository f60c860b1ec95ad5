/* SPDX-License-Identifier: MIT */
/*
 * A cache of the lines of patterns (struct poly_batch): rows of a pattern have the same text
 * except for the varying numbers, so the text is created once and then copied.
 *
 * Lines are text or the records of a binary format.
 *
 * Consecutive patterns of the trace are mostly neighbours by number, and so are their lines in
 * memory: a run of rows is one copy, into which the numbers are patched.
 */
#ifndef FORMAT_LINE_CACHE_H
#define FORMAT_LINE_CACHE_H

#include "format/core/format.h"

#include "base/buf.h"
#include "model/batch_internal.h"
#include "model/columns.h"

/* Longest run, in rows. */
#define PATTERN_RUN_MAX 64

/* Maximum size of the cached text in bytes. */
#define LINE_CACHE_TEXT_MAX ((size_t)48 << 20)

/* Maximum number of columns whose numbers are patched. */
#define LINE_CACHE_COLUMNS 6

/* Rows whose patterns are neighbours. */
struct pattern_run {
	uint32_t pattern, row,
		rows; /* of the first row; number of rows, 1 to PATTERN_RUN_MAX */
};

/* One row per pattern. */
struct pattern_rows {
	struct batch *batch;	    /* row i is the pattern first + i */
	const column_mask *varying; /* by row, its varying columns; they are absent */
};

/*
 * The patterns of a batch, provided by its reader. Valid as long as the batch; only the thread
 * that received the batch calls the functions.
 */
struct poly_patterns {
	const struct pattern_run *runs; /* of all rows of the batch, in order */
	size_t run_count;
	uint32_t count; /* patterns of the epoch */
	uint32_t rows;	/* and its rows */
	bool lazy; /* the batch lacks the constant columns: see lazy of struct poly_read_plan */

	/*
	 * Creates rows of the patterns from first (below count) on, at least one. They are
	 * valid until the next call.
	 */
	enum poly_status (*make_rows)(struct poly_patterns *patterns, uint32_t first,
		struct pattern_rows *rows, struct poly_error *error);
	/* Returns the batch with all its columns. It may be called again. */
	enum poly_status (*materialize)(struct poly_patterns *patterns,
		const struct poly_batch **batch, struct poly_error *error);
};

/* A number in the cached lines. */
struct cached_number {
	uint32_t at;	  /* offset in the text */
	uint32_t pattern; /* of its line */
	uint8_t form;	  /* enum writing_form */
	uint8_t width;	  /* in characters */
};

/* A number of 16 characters, eight per word, the first one lowest. */
struct cached_digits {
	uint64_t high, low;
};

/* The numbers of a column in the cached lines, by pattern. */
struct cached_column {
	enum poly_column column;
	/* The last decimal number patched: the next one is often slightly larger. */
	uint64_t last;
	struct cached_digits digits;
	unsigned width; /* 0: no number yet */
	struct cached_number *numbers;
	uint32_t count, capacity;
};

/* The start of a pattern's line in the text, and counts over the lines before it. */
struct cached_line {
	uint32_t at;
	uint32_t refused; /* lines that cannot be copied */
	uint32_t numbers[LINE_CACHE_COLUMNS];
};

/* The contexts before and after a line: see writing_cache_key. */
struct cached_context {
	uint64_t before, after;
	uint32_t seams; /* lines up to this one whose context is not the one that the previous
			   line left */
};

/* The line cache. Zeroed before the first use. */
struct line_cache {
	uint64_t epoch;
	bool begun; /* epoch is set */
	bool full;  /* no more lines are cached */
	struct buf text;
	struct cached_line *lines;	 /* of patterns from 0 on, and the end */
	struct cached_context *contexts; /* of the same; used only if depend */
	bool depend;			 /* a line depends on the previous ones */
	uint32_t known, capacity;
	struct cached_column columns[LINE_CACHE_COLUMNS];
	unsigned column_count;
	uint32_t missed; /* rows whose numbers did not fit, in this epoch */
	/* While lines are created. */
	struct out *out;      /* appends to the text */
	column_mask marked;   /* columns whose numbers are marked in the present line */
	column_mask needed;   /* columns that must vary in the line */
	column_mask varying;  /* columns that vary in the line */
	uint64_t before;      /* context before the line */
	bool refused, failed; /* the line cannot be copied; out of memory */
};

/*
 * Writes the rows of a batch with runs (batch_patterns) by a format with write_row. Returns
 * the status of write_row; POLY_ERR_MEMORY.
 */
enum poly_status line_cache_write(struct line_cache *cache, const struct format *format,
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);

/* Frees the cache. */
void line_cache_fini(struct line_cache *cache);

#endif
