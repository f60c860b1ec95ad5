/* SPDX-License-Identifier: MIT */
/* What the plain parser says of a line beside its row: how much of it may change. */
#ifndef FORMAT_LINE_SHAPE_H
#define FORMAT_LINE_SHAPE_H

#include "polytrace/batch.h"

/* Numbers of a line that can change. */
#define SHAPE_WINDOWS 4

/* How a number is written. Digits of hexadecimal ones are in lower case. */
enum window_form {
	WINDOW_DECIMAL = 1, /* at most 19 digits; otherwise hexadecimal, at most 16 */
	WINDOW_BLANKS = 2,  /* blanks may stand in front, within the window */
	WINDOW_ZEROS = 4,   /* zeros may stand in front */
};

/*
 * Bytes of a line in which any number of that form and width would only change the value of a
 * column of 64 bits. A format must declare one only for a number that goes into its column as
 * it is, neither turned nor scaled: the numbers of lines that are predicted are put there
 * without the format. That the value of one line agrees does not prove it.
 */
struct window {
	uint8_t at, width; /* in the line */
	uint8_t form;	   /* bits of enum window_form */
	uint8_t column;	   /* enum poly_column */
};

/*
 * Filled by the plain parser. A line repeats if its row, the offset apart, would be the same
 * for every line that differs within the windows only.
 */
struct line_shape {
	bool repeats;
	bool place;	 /* the line says where in the program it is */
	uint8_t windows; /* how many; more than SHAPE_WINDOWS: the line does not repeat */
	struct window window[SHAPE_WINDOWS];
	const uint8_t *line; /* of size bytes, its newline included; set by the caller */
	size_t size;
	const uint8_t *text; /* what stands in the column text, within the line; or NULL */
	size_t text_length;
};

/* Adds a window of width bytes at start, which is within the line; from left to right. */
static inline void
shape_window(struct line_shape *shape, const uint8_t *start, size_t width, unsigned form,
	enum poly_column column)
{
	const size_t most = form & WINDOW_DECIMAL ? 19 : 16;
	const size_t at = (size_t)(start - shape->line);
	if (shape->windows < SHAPE_WINDOWS && width != 0 && width <= most && at <= UINT8_MAX)
		shape->window[shape->windows++] = (struct window){
			(uint8_t)at, (uint8_t)width, (uint8_t)form, (uint8_t)column};
	else
		shape->windows = SHAPE_WINDOWS + 1;
}

#endif
