/* SPDX-License-Identifier: MIT */
/*
 * Ends of lines between traces: the last line of a trace may have no newline, and is written so
 * if nothing follows. A record of another trace that follows begins a line of its own.
 */
#ifndef FORMAT_LINE_ENDS_H
#define FORMAT_LINE_ENDS_H

#include "format/core/format.h"

/* Returns whether the lines that a format writes may be those of a trace, as they were read. */
static inline bool
line_ends_matter(const struct format *format, const struct writing *writing)
{
	return format->is_text && writing->own_raw;
}

/*
 * Returns whether a row holds corrupt bytes: in a format of lines it may be a part of a line
 * that is too long, and the next row another part.
 */
bool row_is_corrupt(const struct poly_batch *batch, size_t row);

/* Returns whether a row stores a line without a newline, or a record without a blank. */
bool line_is_open(const struct writing *writing, const struct poly_batch *batch, size_t row);

/* Returns whether the line before a batch, or one in it, is open. */
bool line_ends_are_open(const struct writing *writing, const struct poly_batch *batch);

/* Writes a row with the format's function, after the end of the line before it. */
enum poly_status line_ends_write_row(const struct format *format, struct writing *writing,
	const struct poly_batch *batch, size_t row, struct poly_error *error);

/* Writes a batch that is not lazy likewise. */
enum poly_status line_ends_write(const struct format *format, struct writing *writing,
	const struct poly_batch *batch, struct poly_error *error);

#endif
