/* SPDX-License-Identifier: MIT */
/* The shape of a line, reported by the plain parser: the fields that may vary. */
#ifndef FORMAT_LINE_SHAPE_H
#define FORMAT_LINE_SHAPE_H

#include "polytrace/batch.h"

/* Maximum number of windows of a line. */
#define SHAPE_WINDOWS 4

/* Maximum length of a line that repeats, and of what is ahead, in bytes. */
#define SHAPE_BYTES 128

/* Not a column: the number of the window is checked, but not stored. */
#define WINDOW_NO_COLUMN POLY_COLUMN_COUNT

/* The form of a number. */
enum window_form {
	WINDOW_DECIMAL = 1, /* at most 19 digits; otherwise hexadecimal, at most 16 */
	WINDOW_BLANKS = 2,  /* leading blanks permitted, within the window */
	WINDOW_ZEROS = 4,   /* leading zeros permitted */
	WINDOW_UPPER = 8,   /* hexadecimal digits are in upper case; otherwise in lower case */
	/* The number is not in the line: */
	WINDOW_COUNTER = 16, /* the counter of struct line_context, which it increments */
	WINDOW_SAME = 32,    /* the value of the line's previous row */
	WINDOW_DERIVED = WINDOW_COUNTER | WINDOW_SAME
};

/*
 * What lines pass on to the following ones. Before it parses a line, a format reads what
 * predicted lines left; after it, it sets the values.
 */
struct line_context {
	uint64_t counter; /* the next value of WINDOW_COUNTER */
	uint32_t key;	  /* a meaning of the format's own */
};

/*
 * A window: bytes of a line in which any number of that form and width changes only the value
 * of a column of 64 bits. A format may declare a window only for a number that is stored in its
 * column unchanged, neither byte-swapped nor scaled: prediction stores the numbers without
 * calling the format. Agreement on one line does not prove this.
 */
struct window {
	uint8_t at, width; /* in the line */
	uint8_t form;	   /* bits of enum window_form */
	uint8_t column;	   /* enum poly_column, or WINDOW_NO_COLUMN */
};

/*
 * Filled by the plain parser. A line repeats if its row, except for the offset, is the same for
 * every line that differs only within the windows.
 *
 * A line with several rows, or a record of several lines, repeats by parts: the parser sets
 * line and size to the part of each row, and all its rows together have all bytes. A part's row
 * must follow from its own text and that of the first part, if that contains the PC, whatever
 * parts of other rows of that instruction are between. The first part may also depend on the
 * bytes ahead of it, except for those of the holes.
 */
struct line_shape {
	bool repeats;
	bool place;	 /* the line contains its PC */
	uint8_t windows; /* number of windows; more than SHAPE_WINDOWS: the line does not repeat
			  */
	struct window window[SHAPE_WINDOWS];
	const uint8_t *line; /* of size bytes, its newline included; set by the caller */
	size_t size;
	uint8_t ahead; /* bytes after it that must be the same, too; they are readable */
	uint64_t holes[SHAPE_BYTES / 64]; /* bytes ahead that may differ: one bit per byte */
	uint32_t key;			  /* of the context after the line */
	uint32_t
		variant; /* lines of different variants differ, even if their texts are equal */
	const uint8_t *text; /* the value of the column text, within the line; or NULL */
	size_t text_length;
	/* Of a part, set by the caller: */
	bool is_open;	  /* another part follows */
	uint32_t at;	  /* bytes of the line before it */
	size_t line_size; /* of all parts */
};

/*
 * Adds a window of width bytes at start, within the line; windows are added from left to right.
 */
static inline void
shape_window(struct line_shape *shape, const uint8_t *start, size_t width, unsigned form,
	enum poly_column column)
{
	const size_t max = form & WINDOW_DECIMAL ? 19 : 16;
	const size_t at = (size_t)(start - shape->line);
	if (shape->windows < SHAPE_WINDOWS && width != 0 && width <= max && at <= UINT8_MAX)
		shape->window[shape->windows++] = (struct window){
			(uint8_t)at, (uint8_t)width, (uint8_t)form, (uint8_t)column};
	else
		shape->windows = SHAPE_WINDOWS + 1;
}

/* Adds a number that is not in the line. */
static inline void
shape_derived(struct line_shape *shape, enum window_form form, enum poly_column column)
{
	if (shape->windows < SHAPE_WINDOWS)
		shape->window[shape->windows++] =
			(struct window){0, 0, (uint8_t)form, (uint8_t)column};
	else
		shape->windows = SHAPE_WINDOWS + 1;
}

/* Adds a hole of width bytes at start, ahead of the line. */
static inline void
shape_hole(struct line_shape *shape, const uint8_t *start, size_t width)
{
	const size_t at = (size_t)(start - shape->line);
	for (size_t i = at; i < at + width && i < SHAPE_BYTES; i++)
		shape->holes[i / 64] |= (uint64_t)1 << i % 64;
}

#endif
