/* SPDX-License-Identifier: MIT */
/* The shape of a line, reported by the plain parser: the fields that may vary. */
#ifndef FORMAT_LINE_SHAPE_H
#define FORMAT_LINE_SHAPE_H

#include "polytrace/batch.h"

/* Maximum number of windows of a line. */
#define SHAPE_WINDOWS 4

/* The form of a number. Hexadecimal digits are in lower case. */
enum window_form {
	WINDOW_DECIMAL = 1, /* at most 19 digits; otherwise hexadecimal, at most 16 */
	WINDOW_BLANKS = 2,  /* leading blanks permitted, within the window */
	WINDOW_ZEROS = 4,   /* leading zeros permitted */
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
	uint8_t column;	   /* enum poly_column */
};

/*
 * Filled by the plain parser. A line repeats if its row, except for the offset, is the same for
 * every line that differs only within the windows.
 *
 * A line with several rows, or a record of several lines, repeats by parts: the parser sets
 * line and size to the part of each row, and all its rows together have all bytes. A part's row
 * must follow from its own text and that of the first part, if that contains the PC, whatever
 * parts of other rows of that instruction are between.
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
	/* Of a part, set by the caller: */
	bool is_open;	     /* another part follows */
	uint32_t at;	     /* bytes of the line before it */
	const uint8_t *text; /* the value of the column text, within the line; or NULL */
	size_t text_length;
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

#endif
