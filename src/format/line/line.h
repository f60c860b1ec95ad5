/* SPDX-License-Identifier: MIT */
/*
 * Text formats with one record per line: lines of bounded length, their rows, and skipping of
 * corrupt lines. A format parses a line into a row; everything else is common: the window, a
 * last line without newline, truncated tails, lines that are too long, offsets and line
 * numbers.
 */
#ifndef FORMAT_LINE_H
#define FORMAT_LINE_H

#include "format/core/format.h"
#include "format/line/predict.h"

#include "base/buf.h"

#include <string.h>

/* A line, as a format receives it. */
struct line {
	/*
	 * size bytes, and 64 more that may be read. If ended, the last of the size bytes is a
	 * newline; else a newline follows them.
	 */
	const uint8_t *text;
	size_t size;
	bool ended;
	uint64_t offset; /* of its first byte in the input */
	/* parse_line fills it if lines of the same shape need not be parsed again; or NULL. */
	struct line_shape *shape;
	unsigned row_index; /* of the rows of this line, from 0 */
	bool *more_rows; /* parse_line sets it to be called again, for the next row of this line
			  */
};

/* The reason why a line is not a record. */
struct line_fault {
	unsigned rule;	 /* index into the format's table */
	unsigned column; /* byte of the line from 1; 0: the complete line */
	char text[200];	 /* field, what was found and what was expected */
};

/* The line parser of a format. */
struct line_format {
	size_t limit;	      /* maximum line length in bytes, below IN_PEEK_MAX */
	uint8_t corrupt_kind; /* value of the column record for a line that is not a record */
	unsigned too_long;    /* rule of lines that are longer than limit */
	struct predict_format predict; /* without windows, lines are not predicted */
	/*
	 * Returns the size of the first record of n bytes, which is one or more complete lines
	 * of at most limit bytes together; 0: more bytes decide it. is_all: the record has to
	 * be found in these bytes. NULL: a record is a line.
	 */
	size_t (*record_size)(const struct reading *reading, const uint8_t *text, size_t n,
		size_t limit, bool is_all);
	/*
	 * Parses a line of at most limit bytes into a row. False: the line is not a record; no
	 * column is set, and fault has the reason. A line with several rows is parsed once per
	 * row; all of them have its offset as origin, and only the first one has its bytes.
	 */
	bool (*parse_line)(struct reading *reading, struct batch *batch, size_t row,
		const struct line *line, struct line_fault *fault);
};

/* The position of a reader: the first member of the state of a line format. */
struct lines {
	const struct line_format *format;
	size_t limit; /* maximum line length in bytes */
	struct extent window;
	const uint8_t *at;  /* the next byte of the window */
	uint64_t next;	    /* offset of the next byte to read */
	unsigned row_index; /* rows already created from the first line */
	bool within;	    /* the next byte is within a line whose beginning was skipped */
	struct buf tail;    /* a last line without newline, and an added newline */
	struct predictor predictor;
};

/*
 * Opens the lines; a format's open calls it. lines is the first member of the state, which the
 * functions below rely on. format must outlive the reader.
 */
void lines_open(struct reading *reading, struct lines *lines, const struct line_format *format);

/*
 * Functions of struct format, for line formats. lines_resync adds a finding for the corrupt
 * line; lines_close frees everything in struct lines.
 */
enum poly_status lines_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
enum poly_status lines_resync(
	struct reading *reading, struct batch *batch, struct poly_error *error);
size_t lines_find_split(
	const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);
void lines_close(struct reading *reading);

/* Returns the number of bytes up to the last newline of n. */
static inline size_t
lines_size(const uint8_t *p, size_t n)
{
	while (n > 0 && p[n - 1] != '\n')
		n--;
	return n;
}

/*
 * Returns the size of the first line of n bytes, newline included; 0: no newline within limit.
 */
static inline size_t
line_size(const uint8_t *text, size_t n, size_t limit)
{
	n = n < limit ? n : limit;
	const uint8_t *newline = n ? memchr(text, '\n', n) : NULL;
	return newline ? (size_t)(newline - text) + 1 : 0;
}

/* Sets why a line is not a record; column: byte of the line from 1, or 0. Returns false. */
bool line_set_fault(struct line_fault *fault, unsigned rule, size_t column, const char *format,
	...) __attribute__((format(printf, 4, 5)));

/* Adds a finding of a rule if a line without newline is the last one. */
void line_check_end(
	struct reading *reading, size_t row, const struct line *line, unsigned rule);

/*
 * Reports a line that is neither a record nor output that the format knows; dialect NULL: the
 * format has one. Blank lines are not reported.
 */
void line_add_unknown(
	struct reading *reading, size_t row, const struct line *line, const char *dialect);

/*
 * Reports a record that does not have everything that its line states; what follows the quoted
 * line. The line is not predicted.
 */
void line_add_partly_read(
	struct reading *reading, size_t row, const struct line *line, const char *what);

/*
 * Returns the number of leading bytes of a word to quote in a message: printable, and limited.
 */
int line_shown(const uint8_t *word, size_t n);

#endif
