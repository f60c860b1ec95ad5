/* SPDX-License-Identifier: MIT */
/*
 * A report: a tree of sections, values, notes and tables, rendered as text, JSON or CSV. A
 * table may say how it is to be plotted, by renderings that have plots.
 *
 * Build it top-down: sections, lists and tables open and close like brackets, values and
 * tables stand in the section that is open. Cells carry their type, so one tree serves every
 * rendering. Keys must be static or outlive the report, all other strings are copied. Bytes of
 * a string that are not UTF-8 become U+FFFD.
 *
 * Keys are for programs: lower case, words joined by underscores, unique within their section
 * or table. What people read instead, the label, is the key in words: "miss_ratio" is "Miss
 * ratio", "next_pc" is "Next PC". A key that ends with _bytes, _bits, _ns, _us, _s or _percent
 * has that unit, which is not part of the label: "line_bytes" is "Line (bytes)". The keys of
 * polytrace's own reports may have other units: "size" is "Size (bytes)". Labels of values and
 * columns are followed by their unit in parentheses.
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
POLY_API void poly_report_section(struct poly_report *report, const char *key);

/* Opens a list; its children must be sections, which become objects of a JSON array. */
POLY_API void poly_report_list(struct poly_report *report, const char *key);

/* Closes the section, list or table opened last. A table's last row must be full. */
POLY_API void poly_report_end(struct poly_report *report);

/* A value of text. NULL: absent (null in JSON, left out in text). */
POLY_API void poly_report_text(struct poly_report *report, const char *key, const char *value);

/* A count; text groups its digits. */
POLY_API void poly_report_count(struct poly_report *report, const char *key, uint64_t value);

/* An address: 0x and at least digits (1 to 16) hexadecimal digits; a string in JSON. */
POLY_API void poly_report_address(
	struct poly_report *report, const char *key, uint64_t value, unsigned digits);

/*
 * A real number; absent if it is infinite or not a number. Text and HTML show it with decimals
 * digits (0 to 17) after the point and group its thousands if it has decimals: a number without
 * any may be an identifier, such as that of a process. JSON and CSV have its full precision.
 */
POLY_API void poly_report_real(
	struct poly_report *report, const char *key, double value, unsigned decimals);

/*
 * The ratio part / whole; absent if whole is 0. Text and HTML show it in percent, with decimals
 * digits (0 to 17) after the point; its unit is "%". JSON and CSV have the quotient, 0 to 1,
 * with full precision.
 */
POLY_API void poly_report_ratio(struct poly_report *report, const char *key, double part,
	double whole, unsigned decimals);

/* A yes or no. */
POLY_API void poly_report_bool(struct poly_report *report, const char *key, bool value);

/*
 * Replaces the label and unit of the section, list, table, column or value added last, before
 * anything else is added; NULL: it has none. For names that are data, such as that of a file.
 */
POLY_API void poly_report_heading(struct poly_report *report, const char *text);

/*
 * Replaces the unit of the value or column added last, before anything else is added; NULL: it
 * has none. For units that depend on the trace, such as those of its clock.
 */
POLY_API void poly_report_unit(struct poly_report *report, const char *unit);

/*
 * A note: a sentence or two for people (a definition, a caveat) in the open section, with a
 * full stop. Text has it as a line of its own, JSON and CSV leave it out. A section that has
 * nothing but notes is left out of text.
 */
POLY_API void poly_report_note(struct poly_report *report, const char *text);

/* Opens a table in the open section; add its columns, then its cells row by row, then end it.
 */
POLY_API void poly_report_table(struct poly_report *report, const char *key);

/*
 * Adds a column to the open table, before its first cell; right: numbers, aligned to the
 * right.
 */
POLY_API void poly_report_column(struct poly_report *report, const char *key, bool right);

/* How a table is drawn. A row whose x or y is absent is left out of a plot. */
enum poly_plot_kind {
	POLY_PLOT_BARS,	     /* a bar a row, from 0; several y: bars side by side */
	POLY_PLOT_HISTOGRAM, /* a bar a row, from its x (a number) to that of the next row */
	POLY_PLOT_CURVE,    /* points joined in the order of their rows, a line a y or series */
	POLY_PLOT_HEAT,	    /* a tile a row at x, y[0] (numbers), as dark as value is great */
	POLY_PLOT_TIMELINE, /* a stretch a row, from x to y[0] (numbers), in the lane series */
};

/* Most y of a plot. */
#define POLY_PLOT_Y_MOST 8

/*
 * A plot of a table. Initialise with POLY_PLOT_INIT, then change fields. x, y, value, series
 * and label are keys of columns that the table has already; x and y[0] must be provided, and
 * value for a heat map. Titles and units are copied; NULL, the default: the labels and units of
 * the columns, and the label of the table for title. Provide one only if it differs.
 */
struct poly_plot {
	size_t size;		  /* of this struct in bytes; set by the macro, and not 0 */
	enum poly_plot_kind kind; /* how the table is drawn */
	const char *title;	  /* of the plot */
	const char *x;		  /* names or numbers of bars; else numbers */
	const char *y[POLY_PLOT_Y_MOST]; /* numbers; the first NULL ends them */
	const char *value;		 /* numbers: what a heat map shows; else not used */
	const char *series; /* equal cells are one line of a curve, one lane; NULL: one */
	const char *label;  /* what a stretch or a point is called; NULL: nothing */
	const char *x_title, *x_unit; /* of the horizontal axis */
	const char *y_title, *y_unit; /* of the vertical axis; of a heat map's too */
	bool log_x; /* a logarithmic axis: rows whose x is not above 0 are left out */
	bool log_y; /* the same, for y; bars then begin at the lowest decade */
};

/* A plot of bars that names no columns yet. */
#define POLY_PLOT_INIT                           \
	{                                        \
		.size = sizeof(struct poly_plot) \
	}

/*
 * Says that the open table is to be plotted, once its columns are there; a table may have
 * several plots. Text, JSON and CSV have none. Naming a column that is not there, or none where
 * one is needed, and a size of 0 are wrong uses.
 */
POLY_API void poly_report_plot(struct poly_report *report, const struct poly_plot *plot);

/*
 * The next cell of the open table, from left to right, row by row. NULL: absent; in text, '-'
 * in a column of numbers and else nothing.
 */
POLY_API void poly_report_cell_text(struct poly_report *report, const char *value);

/* The next cell: a count. */
POLY_API void poly_report_cell_count(struct poly_report *report, uint64_t value);

/* The next cell: a number that names something, as a thread: its digits are not grouped. */
POLY_API void poly_report_cell_id(struct poly_report *report, uint64_t value);

/* The next cell: an address of at least digits (1 to 16) hexadecimal digits. */
POLY_API void poly_report_cell_address(
	struct poly_report *report, uint64_t value, unsigned digits);

/* The next cell: a real number, rendered like that of poly_report_real. */
POLY_API void poly_report_cell_real(
	struct poly_report *report, double value, unsigned decimals);

/*
 * The next cell: a ratio, rendered like that of poly_report_ratio. The unit of a column
 * that has none becomes "%". Plots of the column are in percent.
 */
POLY_API void poly_report_cell_ratio(
	struct poly_report *report, double part, double whole, unsigned decimals);

/*
 * How a report is rendered. Always UTF-8, lines end in a line feed, and the same report gives
 * the same bytes.
 *
 * Text: sections under their labels, indented by two blanks per level, with an empty line
 * between them; values as "Label (unit)  value", aligned within their section; notes as they
 * are; tables under their label with a header line. Digits of counts are grouped by commas.
 * What is absent and what has nothing but absent values and empty tables is left out. Control
 * characters are shown as \xNN. No line ends in a blank, and none is wrapped.
 *
 * JSON: one object (RFC 8259), indented by two blanks a level. Counts are numbers up to
 * 2^64 - 1, addresses strings ("0x00401000"), reals and ratios the shortest numbers that are
 * read back as the same double, tables arrays of objects by column key, lists arrays of
 * objects; absent values and empty cells are null. JSON line: the same on one line, with a
 * blank behind every comma and colon.
 *
 * CSV: blocks separated by one empty line; fields are quoted as in RFC 4180 where they hold a
 * comma, a quote or a line break, or are text without a character; absent fields are empty.
 * The first block has the line "section,key,value" and one line for every value in the order
 * of the report; it is left out where there is no value. Every table is a block of its own:
 * a line "table" and the column keys, then the rows. The first field of a line is the path of
 * the section or of the table: keys joined by dots, elements of lists by number from 0
 * ("files.0.records"); the report itself is the empty path. Numbers are not grouped, units not
 * named; yes and no are true and false.
 *
 * Terminal: text, in which rows of a table of bars (or of a histogram) have their bars behind
 * them, curves, heat maps and time lines are drawn below their table with block and Braille
 * characters, and long tables with plots are cut and say so. Tables themselves are not made
 * narrower.
 *
 * HTML: a page that needs nothing else, without scripts or network, well-formed as XML too:
 * navigation, a section each, numbers of a section as tiles, plots as inline SVG with their
 * tables folded below them. The elements of a list stand side by side where the page is wide
 * enough; where up to 8 have as many plots each, plots of the same kind have the same axes. A
 * section's id is its path with dashes ("files-0-records"). Tables show 1,000 rows, plots 3,000
 * marks (50 rows of bars, 40 lanes), and say what they leave out.
 */
enum poly_rendering {
	POLY_RENDER_TEXT,      /* aligned, for people */
	POLY_RENDER_JSON,      /* one object */
	POLY_RENDER_CSV,       /* RFC 4180; values in one block, tables in their own */
	POLY_RENDER_JSON_LINE, /* one object on one line: a line of JSON Lines */
	POLY_RENDER_HTML,      /* one page with plots */
	POLY_RENDER_TERMINAL,  /* text with plots of characters */
};

/*
 * What a rendering may be told. Initialise with POLY_RENDER_OPTIONS_INIT, then change fields.
 * Later versions may add some.
 */
struct poly_render_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	enum poly_rendering rendering; /* which one */
	const char *title;	       /* of a page of HTML; NULL: "Report" */
	unsigned width; /* of a line in characters; 0: 80 on a terminal, unlimited in text, in which
			   tables and values that are wider are wrapped */
	bool color;  /* on a terminal: colours and bold titles, by SGR sequences */
	size_t rows; /* that a table with plots has at most on a terminal; 0: all */
};

/* Text, as poly_report_render makes it. */
#define POLY_RENDER_OPTIONS_INIT                           \
	{                                                  \
		.size = sizeof(struct poly_render_options) \
	}

/*
 * Renders a finished report into sink, in pieces. POLY_ERR_IO: its write returned an errno
 * value, which is in error->sys_errno. POLY_ERR_MEMORY: memory ran out here or while the report
 * was built. POLY_ERR_USAGE: a section or table is still open, or the report was built wrongly;
 * nothing is written.
 */
POLY_API enum poly_status poly_report_render(const struct poly_report *report,
	enum poly_rendering rendering, const struct poly_sink *sink, struct poly_error *error);

/* The same with options, which are not looked at afterwards. Their size being 0 is
 * POLY_ERR_USAGE. */
POLY_API enum poly_status poly_report_render_with(const struct poly_report *report,
	const struct poly_render_options *options, const struct poly_sink *sink,
	struct poly_error *error);

#ifdef __cplusplus
}
#endif

#endif
