/* SPDX-License-Identifier: MIT */
/*
 * A report: a tree of sections, values and tables, rendered as text, JSON or CSV.
 *
 * Build it top-down: sections open and close like brackets, values and tables stand in the
 * section that is open. Cells carry their type, so one tree serves every rendering. Titles
 * are for people, keys (lower case, words joined by underscores) for programs; keys must be
 * static or outlive the report, all other strings are copied. A report is used by one thread
 * at a time. Lack of memory is remembered and told by the renderers.
 */
#ifndef POLYTRACE_REPORT_H
#define POLYTRACE_REPORT_H

#include "polytrace/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_report;

/* A new, empty report; NULL where memory cannot be had. The caller frees it. */
POLY_API struct poly_report *poly_report_new(void);

/* Frees a report. Accepts NULL. */
POLY_API void poly_report_free(struct poly_report *report);

/* Opens a section. In JSON it is an object under its key. */
POLY_API void poly_report_section(
	struct poly_report *report, const char *key, const char *title);

/* Opens a list; its children must be sections, which become objects of a JSON array. */
POLY_API void poly_report_list(struct poly_report *report, const char *key, const char *title);

/* Closes the section or list opened last. */
POLY_API void poly_report_end(struct poly_report *report);

/* A value of text. NULL: absent (null in JSON, left out in text). */
POLY_API void poly_report_text(
	struct poly_report *report, const char *key, const char *title, const char *value);

/* A count; text groups its digits, and names unit ("bytes") where it is not NULL. */
POLY_API void poly_report_count(struct poly_report *report, const char *key, const char *title,
	uint64_t value, const char *unit);

/* An address: 0x and at least digits hexadecimal digits; a string in JSON. */
POLY_API void poly_report_address(struct poly_report *report, const char *key,
	const char *title, uint64_t value, unsigned digits);

/* A real number, shown with decimals digits after the point; must be finite. */
POLY_API void poly_report_real(struct poly_report *report, const char *key, const char *title,
	double value, unsigned decimals);

/* A yes or no. */
POLY_API void poly_report_bool(
	struct poly_report *report, const char *key, const char *title, bool value);

/* Opens a table in the open section; add its columns, then its cells row by row, then end it.
 */
POLY_API void poly_report_table(struct poly_report *report, const char *key, const char *title);

/* Adds a column to the open table; right: numbers, aligned to the right. */
POLY_API void poly_report_column(
	struct poly_report *report, const char *key, const char *title, bool right);

/* The next cell of the open table, from left to right, row by row. NULL: empty. */
POLY_API void poly_report_cell_text(struct poly_report *report, const char *value);

/* The next cell: a count. */
POLY_API void poly_report_cell_count(struct poly_report *report, uint64_t value);

/* The next cell: an address of at least digits hexadecimal digits. */
POLY_API void poly_report_cell_address(
	struct poly_report *report, uint64_t value, unsigned digits);

/* The next cell: a real number with decimals digits after the point; must be finite. */
POLY_API void poly_report_cell_real(
	struct poly_report *report, double value, unsigned decimals);

/* How a report is rendered. */
enum poly_rendering {
	POLY_RENDER_TEXT, /* aligned, for people */
	POLY_RENDER_JSON, /* one object */
	POLY_RENDER_CSV,  /* RFC 4180; tables as tables, values as "section,key,value" */
};

/*
 * Renders a finished report into sink. POLY_ERR_IO: write returned an errno value.
 * POLY_ERR_MEMORY: memory ran out here or while the report was built. POLY_ERR_USAGE: a
 * section or table is still open.
 */
POLY_API enum poly_status poly_report_render(const struct poly_report *report,
	enum poly_rendering rendering, const struct poly_sink *sink, struct poly_error *error);

#ifdef __cplusplus
}
#endif

#endif
