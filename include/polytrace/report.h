/* SPDX-License-Identifier: MIT */
/*
 * A report: a tree of sections, values and tables, rendered as text, JSON or CSV.
 *
 * Build it top-down: sections, lists and tables open and close like brackets, values and
 * tables stand in the section that is open. Cells carry their type, so one tree serves every
 * rendering. Titles are for people, keys (lower case, words joined by underscores, unique
 * within their section or table) for programs; keys must be static or outlive the report, all
 * other strings are copied. Bytes of a string that are not UTF-8 become U+FFFD.
 *
 * A report is used by one thread at a time. Lack of memory and wrong use (a cell outside a
 * table, a row that is not full, nesting beyond POLY_REPORT_DEPTH) are remembered, make the
 * calls after them do nothing, and are told by poly_report_render.
 */
#ifndef POLYTRACE_REPORT_H
#define POLYTRACE_REPORT_H

#include "polytrace/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_report;

/* Most sections, lists and tables that may be open at once. */
#define POLY_REPORT_DEPTH 16

/* A new, empty report; NULL where memory cannot be had. The caller frees it. */
POLY_API struct poly_report *poly_report_new(void);

/* Frees a report. Accepts NULL. */
POLY_API void poly_report_free(struct poly_report *report);

/*
 * Opens a section, in the report itself, in a section or in a list. In JSON it is an object
 * under its key, or an element of its list.
 */
POLY_API void poly_report_section(
	struct poly_report *report, const char *key, const char *title);

/* Opens a list; its children must be sections, which become objects of a JSON array. */
POLY_API void poly_report_list(struct poly_report *report, const char *key, const char *title);

/* Closes the section, list or table opened last. A table's last row must be full. */
POLY_API void poly_report_end(struct poly_report *report);

/* A value of text. NULL: absent (null in JSON, left out in text). */
POLY_API void poly_report_text(
	struct poly_report *report, const char *key, const char *title, const char *value);

/* A count; text groups its digits, and names unit ("bytes") where it is not NULL. */
POLY_API void poly_report_count(struct poly_report *report, const char *key, const char *title,
	uint64_t value, const char *unit);

/* An address: 0x and at least digits (1 to 16) hexadecimal digits; a string in JSON. */
POLY_API void poly_report_address(struct poly_report *report, const char *key,
	const char *title, uint64_t value, unsigned digits);

/*
 * A real number, shown with decimals digits (0 to 17) after the point; absent where it is
 * infinite or not a number.
 */
POLY_API void poly_report_real(struct poly_report *report, const char *key, const char *title,
	double value, unsigned decimals);

/* A yes or no. */
POLY_API void poly_report_bool(
	struct poly_report *report, const char *key, const char *title, bool value);

/* Opens a table in the open section; add its columns, then its cells row by row, then end it.
 */
POLY_API void poly_report_table(struct poly_report *report, const char *key, const char *title);

/*
 * Adds a column to the open table, before its first cell; right: numbers, aligned to the
 * right.
 */
POLY_API void poly_report_column(
	struct poly_report *report, const char *key, const char *title, bool right);

/*
 * The next cell of the open table, from left to right, row by row. NULL: absent; in text, '-'
 * in a column of numbers and else nothing.
 */
POLY_API void poly_report_cell_text(struct poly_report *report, const char *value);

/* The next cell: a count. */
POLY_API void poly_report_cell_count(struct poly_report *report, uint64_t value);

/* The next cell: an address of at least digits (1 to 16) hexadecimal digits. */
POLY_API void poly_report_cell_address(
	struct poly_report *report, uint64_t value, unsigned digits);

/*
 * The next cell: a real number with decimals digits (0 to 17) after the point; empty where it
 * is infinite or not a number.
 */
POLY_API void poly_report_cell_real(
	struct poly_report *report, double value, unsigned decimals);

/*
 * How a report is rendered. Always UTF-8, lines end in a line feed, and the same report gives
 * the same bytes.
 *
 * Text: sections under their titles, indented by two blanks a level, with an empty line
 * between them; values as "Title  value", aligned within their section; tables under their
 * title with a header line. Digits of counts are grouped by commas. What is absent and what
 * has nothing but absent values and empty tables is left out. Control characters are shown as
 * \xNN. No line ends in a blank, and none is wrapped.
 *
 * JSON: one object (RFC 8259), indented by two blanks a level. Counts are numbers up to
 * 2^64 - 1, addresses strings ("0x00401000"), reals numbers with their decimals, tables arrays
 * of objects by column key, lists arrays of objects; absent values and empty cells are null.
 * JSON line: the same on one line, with a blank behind every comma and colon.
 *
 * CSV: blocks separated by one empty line; fields are quoted as in RFC 4180 where they hold a
 * comma, a quote or a line break, or are text without a character; absent fields are empty.
 * The first block has the line "section,key,value" and one line for every value in the order
 * of the report; it is left out where there is no value. Every table is a block of its own:
 * a line "table" and the column keys, then the rows. The first field of a line is the path of
 * the section or of the table: keys joined by dots, elements of lists by number from 0
 * ("files.0.records"); the report itself is the empty path. Numbers are not grouped, units not
 * named; yes and no are true and false.
 */
enum poly_rendering {
	POLY_RENDER_TEXT,      /* aligned, for people */
	POLY_RENDER_JSON,      /* one object */
	POLY_RENDER_CSV,       /* RFC 4180; values in one block, tables in their own */
	POLY_RENDER_JSON_LINE, /* one object on one line: a line of JSON Lines */
};

/*
 * Renders a finished report into sink, in pieces. POLY_ERR_IO: its write returned an errno
 * value, which is in error->sys_errno. POLY_ERR_MEMORY: memory ran out here or while the report
 * was built. POLY_ERR_USAGE: a section or table is still open, or the report was built wrongly;
 * nothing is written.
 */
POLY_API enum poly_status poly_report_render(const struct poly_report *report,
	enum poly_rendering rendering, const struct poly_sink *sink, struct poly_error *error);

#ifdef __cplusplus
}
#endif

#endif
