/* SPDX-License-Identifier: MIT */
/*
 * The columns of a report: one table of their names, headings and widths.
 *
 * IBM's documents publish the order, the columns of one line (id 5, process name 15, process id
 * at 20, seconds up to 54, text from 57 on) and the distance of the levels. All else is our
 * choice.
 *
 * spec: AIX trace reference 7.2.
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

/* Maximum width of a column, and of all columns with the blanks between them. */
#define LAYOUT_WIDTH_MAX 200
#define LAYOUT_LINE_MAX (LAYOUT_COLUMN_COUNT * (LAYOUT_WIDTH_MAX + 1))

/* Form of the times. */
enum layout_stamp {
	STAMP_NANO,	 /* seconds with 9 decimals, milliseconds with 6 (timestamp=0) */
	STAMP_MICRO,	 /* seconds with 6 decimals (timestamp=1) */
	STAMP_NANO_USEC, /* as STAMP_NANO, the difference in microseconds (timestamp=2) */
	STAMP_NONE,	 /* timestamp=3 */
};

struct report_layout {
	bool shown[LAYOUT_COLUMN_COUNT];
	unsigned width[LAYOUT_COLUMN_COUNT];
	unsigned level;	       /* columns between levels */
	bool two_lines;	       /* the text begins on a line of its own */
	bool explicit_elapsed; /* the width of elapsed was set */
	enum layout_stamp stamp;
	unsigned base; /* column of the text; set by layout_finish */
};

/* Sets the published widths, and shows only the default columns. */
void layout_init(struct report_layout *layout);

/* Sets a width from "NAME:WIDTH"; false if it is not valid. */
bool layout_set(struct report_layout *layout, const char *text, size_t n);

/* Computes the time columns and the column of the text, after all settings. */
void layout_finish(struct report_layout *layout);

/* Writes the line of headings without its newline to line (LAYOUT_LINE_MAX + 64 bytes); returns
 * its length.
 */
size_t layout_heading(const struct report_layout *layout, char *line);

/* A line under construction, of LAYOUT_LINE_MAX bytes. */
struct layout_line {
	char *text;
	size_t size;
	size_t column; /* where the next column begins */
};

/*
 * Appends a value in its column, or one blank after the previous value if that reaches into the
 * column. Text that is too wide is truncated to leave a blank; numbers are not truncated.
 */
void layout_text(struct layout_line *line, const struct report_layout *layout,
	enum layout_column column, const char *text, size_t n);
void layout_number(struct layout_line *line, const struct report_layout *layout,
	enum layout_column column, const char *text, size_t n);

/* Leaves a column empty. */
void layout_skip(struct layout_line *line, const struct report_layout *layout,
	enum layout_column column);

/*
 * Writes value / 10^scale, rounded to `decimals` decimal places (at most scale, which is at
 * most 9); returns the length, at most 24.
 */
size_t layout_decimal(char *dst, int64_t value, unsigned scale, unsigned decimals);

#endif
