/* SPDX-License-Identifier: MIT */
/*
 * The columns of a report: one table of their names, headings and widths.
 *
 * Published are the order, the columns of one line (id 5, process name 15, process id at 20,
 * seconds up to 54, text from 57 on) and the distance of the levels. All else is ours.
 *
 * spec: reference aix 7.2.
 */
#ifndef TRCFMT_LAYOUT_H
#define TRCFMT_LAYOUT_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From left to right. */
enum layout_column {
	LAYOUT_ids,
	LAYOUT_exec,
	LAYOUT_cpuid,
	LAYOUT_pid,
	LAYOUT_tid,
	LAYOUT_depth,
	LAYOUT_svc,
	LAYOUT_filename,
	LAYOUT_reportedcpus,
	LAYOUT_purr,
	LAYOUT_wall,
	LAYOUT_elapsed,
	LAYOUT_delta,
	LAYOUT_gap, /* blanks before the text */
	LAYOUT_COLUMN_COUNT,
};

/* Widest column, and the most that all of them, with the blanks between them, can have. */
#define LAYOUT_WIDTH_MOST 200
#define LAYOUT_LINE_MOST (LAYOUT_COLUMN_COUNT * (LAYOUT_WIDTH_MOST + 1))

/* How a number of seconds is shown. */
enum layout_stamp {
	STAMP_NANO,	 /* seconds with 9 decimals, milliseconds with 6 (timestamp=0) */
	STAMP_MICRO,	 /* seconds with 6 decimals (timestamp=1) */
	STAMP_NANO_USEC, /* as STAMP_NANO, the difference in microseconds (timestamp=2) */
	STAMP_NONE,	 /* timestamp=3 */
};

struct layout {
	bool shown[LAYOUT_COLUMN_COUNT];
	unsigned width[LAYOUT_COLUMN_COUNT];
	unsigned level;	       /* columns between levels */
	bool two_lines;	       /* the text has a line of its own */
	bool explicit_elapsed; /* the width of elapsed was given */
	enum layout_stamp stamp;
	unsigned base; /* column of the text; set by layout_settle */
};

/* The published widths, and only the columns that are always there. */
void layout_init(struct layout *layout);

/* Sets a width by "NAME:WIDTH"; false where it is none. */
bool layout_set(struct layout *layout, const char *text, size_t n);

/* Settles the columns of time and the text's column, after all else is set. */
void layout_settle(struct layout *layout);

/* Writes the line of headings without its newline to line (LAYOUT_LINE_MOST + 64); its length.
 */
size_t layout_heading(const struct layout *layout, char *line);

/* A line that is being made, of LAYOUT_LINE_MOST bytes. */
struct layout_line {
	char *text;
	size_t size;
	size_t column; /* where the next one begins */
};

/*
 * Adds a value in its column, which is where the widths before say, or one blank behind what
 * is already there. Text that is too wide is cut so that a blank stays; numbers are not.
 */
void layout_text(struct layout_line *line, const struct layout *layout,
	enum layout_column column, const char *text, size_t n);
void layout_number(struct layout_line *line, const struct layout *layout,
	enum layout_column column, const char *text, size_t n);

/* Leaves a column empty. */
void layout_skip(
	struct layout_line *line, const struct layout *layout, enum layout_column column);

/*
 * Writes value / 10^scale with decimals digits behind the point (at most scale, that at most
 * 9), rounded; its length, at most 24.
 */
size_t layout_decimal(char *to, int64_t value, unsigned scale, unsigned decimals);

#endif
