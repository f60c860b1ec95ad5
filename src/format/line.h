/* SPDX-License-Identifier: MIT */
/*
 * Text formats that have a record a line: lines of bounded length, rows that are made of them,
 * passing over bad ones. A format says how a line becomes a row; everything that all of them
 * have in common is here: the window, a last line without its newline, cut tails, lines that
 * are too long, offsets and numbers of lines.
 */
#ifndef FORMAT_LINE_H
#define FORMAT_LINE_H

#include "format/format.h"
#include "format/line/predict.h"

#include "base/buf.h"

#include <string.h>

/* A line as it is shown to a format. */
struct line {
	/*
	 * Behind its size bytes, of which a newline is the last one where it has ended, 64 more
	 * may be read. Where it has not, a newline stands behind them.
	 */
	const uint8_t *text;
	size_t size;
	bool ended;
	uint64_t offset; /* of its first byte in the input */
	/* To be filled where lines of the same shape need not be shown again; or NULL. */
	struct line_shape *shape;
	unsigned part; /* which row of those that the line makes, from 0 */
	bool *more;    /* to be set where take is to be called again, with the next part */
};

/* Why a line is no record; filled where it is not. */
struct line_fault {
	unsigned rule;	 /* index into the format's table */
	unsigned column; /* byte of the line from 1; 0: all of it */
	char text[200];	 /* field, what was found and what was expected */
};

/* How a format reads lines. */
struct line_format {
	size_t limit;		       /* bytes of the longest line, below IN_PEEK_MAX */
	uint8_t damaged;	       /* of the column record, for what is no record */
	unsigned too_long;	       /* rule of lines that are longer than limit */
	struct predict_format predict; /* without windows lines are not predicted */
	/*
	 * Makes a row of a line of at most limit bytes. False: it is no record; no column was
	 * set, and fault says why. A line that makes several rows is taken once for each; all
	 * of them have its offset as origin, and only the first one its bytes.
	 */
	bool (*parse_line)(struct reading *reading, struct batch *batch, size_t row,
		const struct line *line, struct line_fault *fault);
};

/* A reader's place: what the state of a format of lines begins with. */
struct lines {
	const struct line_format *format;
	size_t limit; /* bytes of the longest line that is read */
	struct extent window;
	const uint8_t *at; /* what is not passed of the window */
	uint64_t next;	   /* offset where reading goes on */
	unsigned part;	   /* rows that the line at the front has made */
	bool within;	   /* the front is inside of a line whose beginning was passed over */
	struct buf tail;   /* a last line without its newline, with one */
	struct predictor predictor;
};

/* To be called by a format's open. The format of lines stays as long as the reader. */
void lines_open(struct reading *reading, const struct line_format *format);

/*
 * Functions of struct format, for a format of lines. Resync finds that the line's rule was
 * broken; close gives back what is in struct lines.
 */
enum poly_status lines_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
enum poly_status lines_resync(
	struct reading *reading, struct batch *batch, struct poly_error *error);
size_t lines_find_split(
	const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n);
void lines_close(struct reading *reading);

/* The bytes up to the last newline of n. */
static inline size_t
lines_size(const uint8_t *p, size_t n)
{
	while (n > 0 && p[n - 1] != '\n')
		n--;
	return n;
}

/* The bytes of the first line of n, its newline included; 0 where none ends within limit. */
static inline size_t
line_size(const uint8_t *text, size_t n, size_t limit)
{
	n = n < limit ? n : limit;
	const uint8_t *newline = n ? memchr(text, '\n', n) : NULL;
	return newline ? (size_t)(newline - text) + 1 : 0;
}

/* How much of a word of n bytes is shown in a message: what is printable, but not all of it. */
int line_shown(const uint8_t *word, size_t n);

#endif
