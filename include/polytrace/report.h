/* SPDX-License-Identifier: MIT */
/*
 * A report: a tree of sections, values, notes and tables, rendered as text, JSON, CSV or HTML.
 * A table may have plots, which HTML and terminal renderings draw.
 *
 * Build it top-down: sections, lists and tables open and close like brackets; values and
 * tables belong to the open section. Cells carry their type, so one tree serves every
 * rendering. Keys must be static or outlive the report; all other strings are copied. Bytes of
 * a string that are not UTF-8 become U+FFFD.
 *
 * Keys are for programs: lower case, words joined by underscores, unique within their section
 * or table. People read the label instead, which is the key in words: "miss_ratio" is "Miss
 * ratio", "next_pc" is "Next PC". A key that ends with _bytes, _bits, _ns, _us, _s or _percent
 * has that unit, which is not part of the label: "line_bytes" is "Line (bytes)". The keys of
 * polytrace's own reports may have other units: "size" is "Size (bytes)". Labels of values and
 * columns are followed by their unit in parentheses.
 *
 * A report is used by one thread at a time. Lack of memory and wrong use (a cell outside a
 * table, an incomplete row, nesting beyond POLY_REPORT_DEPTH) are sticky: later calls do
 * nothing, and poly_report_render returns the error.
 */
#ifndef POLYTRACE_REPORT_H
#define POLYTRACE_REPORT_H

#include "polytrace/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_report;

/* Maximum number of sections, lists and tables that are open at once. */
#define POLY_REPORT_DEPTH 16

/* Returns a new, empty report, which the caller frees; NULL if out of memory. */
POLY_API struct poly_report *poly_report_new(void);

/* Frees a report. Accepts NULL. */
POLY_API void poly_report_free(struct poly_report *report);

/*
 * Opens a section in the report itself, in a section or in a list. JSON has an object under its
 * key, or an element of its list.
 */
POLY_API void poly_report_section(struct poly_report *report, const char *key);

/* Opens a list. Its children must be sections, which become objects of a JSON array. */
POLY_API void poly_report_list(struct poly_report *report, const char *key);

/* Closes the section, list or table opened last. The last row of a table must be complete. */
POLY_API void poly_report_end(struct poly_report *report);

/* Adds a text value. NULL: absent (null in JSON, omitted from text). */
POLY_API void poly_report_text(struct poly_report *report, const char *key, const char *value);

/* Adds a count. Text groups its digits. */
POLY_API void poly_report_count(struct poly_report *report, const char *key, uint64_t value);

/* Adds an address: 0x and at least digits (1 to 16) hexadecimal digits; a string in JSON. */
POLY_API void poly_report_address(
	struct poly_report *report, const char *key, uint64_t value, unsigned digits);

/*
 * Adds a real number; absent if it is infinite or not a number. Text and HTML show it with
 * decimals digits (0 to 17) after the point and group its thousands if decimals is above 0: a
 * number without decimals may be an identifier, such as that of a process. JSON and CSV have
 * its full precision.
 */
POLY_API void poly_report_real(
	struct poly_report *report, const char *key, double value, unsigned decimals);

/*
 * Adds the ratio part / whole; absent if whole is 0. Text and HTML show it in percent, with
 * decimals digits (0 to 17) after the point; its unit is "%". JSON and CSV have the quotient, 0
 * to 1, with full precision.
 */
POLY_API void poly_report_ratio(struct poly_report *report, const char *key, double part,
	double whole, unsigned decimals);

/* Adds a boolean: yes or no in text, true or false in JSON and CSV. */
POLY_API void poly_report_bool(struct poly_report *report, const char *key, bool value);

/*
 * Replaces the label of the section, list, table, column or value added last and removes its
 * unit. NULL: no label. For names that are data, such as that of a file. Call it before
 * anything else is added.
 */
POLY_API void poly_report_heading(struct poly_report *report, const char *text);

/*
 * Replaces the unit of the value or column added last. NULL: no unit. For units that depend on
 * the trace, such as that of its clock. Call it before anything else is added.
 */
POLY_API void poly_report_unit(struct poly_report *report, const char *unit);

/*
 * Adds a note to the open section: a sentence or two for people (a definition, a caveat), with
 * a full stop. Text prints it on its own line; JSON and CSV omit it. Text omits a section that
 * contains only notes.
 */
POLY_API void poly_report_note(struct poly_report *report, const char *text);

/* Opens a table in the open section. Add its columns, then its cells row by row, then end it.
 */
POLY_API void poly_report_table(struct poly_report *report, const char *key);

/*
 * Adds a column to the open table, before its first cell. right: a column of numbers, aligned
 * to the right.
 */
POLY_API void poly_report_column(struct poly_report *report, const char *key, bool right);

/* Kinds of plots of a table. A plot skips rows whose x or y is absent. */
enum poly_plot_kind {
	POLY_PLOT_BARS,	     /* one bar per row, from 0; several y: bars side by side */
	POLY_PLOT_HISTOGRAM, /* one bar per row, from its x (a number) to that of the next row
			      */
	POLY_PLOT_CURVE,     /* points joined in the order of rows; one line per y or series */
	POLY_PLOT_HEAT, /* one tile per row at x, y[0] (numbers), darker for a greater value */
	POLY_PLOT_TIMELINE, /* one interval per row, x to y[0] (numbers), in the lane series */
};

/* Maximum number of y columns of a plot. */
#define POLY_PLOT_Y_MAX 8

/*
 * A plot of a table. Initialise it with POLY_PLOT_INIT, then change fields. x, y, value, series
 * and label are keys of columns that the table already has. x and y[0] are required, and value
 * for a heat map. Titles and units are copied. NULL, the default: the labels and units of the
 * columns, and the label of the table for title.
 */
struct poly_plot {
	size_t size;			/* of this struct in bytes, not 0; set by the macro */
	enum poly_plot_kind kind;	/* kind of plot */
	const char *title;		/* of the plot */
	const char *x;			/* bars: names or numbers; other kinds: numbers */
	const char *y[POLY_PLOT_Y_MAX]; /* numbers; NULL-terminated */
	const char *value;		/* numbers: the shade of a tile; heat maps only */
	const char *series; /* rows with equal cells share a line or a lane; NULL: one */
	const char *label;  /* name of an interval or a point; NULL: none */
	const char *x_title, *x_unit; /* of the horizontal axis */
	const char *y_title, *y_unit; /* of the vertical axis */
	bool log_x;		      /* logarithmic axis; skips rows with x <= 0 */
	bool log_y;		      /* the same for y; bars begin at the lowest decade */
};

/* A plot of bars without columns. */
#define POLY_PLOT_INIT                           \
	{                                        \
		.size = sizeof(struct poly_plot) \
	}

/*
 * Adds a plot to the open table, after its columns. A table may have several plots. Text, JSON
 * and CSV omit them. An unknown column, a missing required column and a size of 0 are wrong
 * use.
 */
POLY_API void poly_report_plot(struct poly_report *report, const struct poly_plot *plot);

/*
 * Adds the next cell of the open table, from left to right, row by row. NULL: absent; in text
 * '-' in a column of numbers and blank in others.
 */
POLY_API void poly_report_cell_text(struct poly_report *report, const char *value);

/* Adds the next cell: a count. */
POLY_API void poly_report_cell_count(struct poly_report *report, uint64_t value);

/* Adds the next cell: an identifier, such as that of a thread. Its digits are not grouped. */
POLY_API void poly_report_cell_id(struct poly_report *report, uint64_t value);

/* Adds the next cell: an address of at least digits (1 to 16) hexadecimal digits. */
POLY_API void poly_report_cell_address(
	struct poly_report *report, uint64_t value, unsigned digits);

/* Adds the next cell: a real number, rendered like that of poly_report_real. */
POLY_API void poly_report_cell_real(
	struct poly_report *report, double value, unsigned decimals);

/*
 * Adds the next cell: a ratio, rendered like that of poly_report_ratio. The unit of a column
 * without a unit becomes "%". Plots of the column are in percent.
 */
POLY_API void poly_report_cell_ratio(
	struct poly_report *report, double part, double whole, unsigned decimals);

/*
 * Renderings of a report. All are UTF-8 with lines that end in a line feed, and the same report
 * always produces the same bytes.
 *
 * Text: sections under their labels, indented by two blanks per level, with an empty line
 * between them; values as "Label (unit)  value", aligned within their section; notes on lines
 * of their own; tables under their label with a header line. Commas group the digits of counts.
 * Absent values, empty tables and sections that contain nothing else are omitted. Control
 * characters are shown as \xNN. No line ends in a blank. Tables and values wider than
 * options.width are wrapped.
 *
 * JSON: one object (RFC 8259), indented by two blanks per level. Counts are numbers up to
 * 2^64 - 1, addresses are strings ("0x00401000"), reals and ratios are the shortest numbers
 * that are read back as the same double, tables are arrays of objects by column key, and lists
 * are arrays of objects. Absent values and empty cells are null. JSON line: the same on one
 * line, with a blank after every comma and colon.
 *
 * CSV: blocks separated by one empty line. Fields are quoted as in RFC 4180 if they contain a
 * comma, a quote or a line break, or are empty texts; absent fields are empty. The first block
 * has the line "section,key,value" and one line per value in the order of the report; a report
 * without values omits it. Every table is a block of its own: a line of "table" and the column
 * keys, then the rows. The first field of a line is the path of the section or of the table:
 * keys joined by dots, with elements of lists by number from 0 ("files.0.records"); the path of
 * the report itself is empty. Numbers are not grouped and have no units; booleans are true and
 * false.
 *
 * Terminal: text in which bars and histograms follow the rows of their table, and curves, heat
 * maps and timelines are drawn below their table with block and Braille characters. Long tables
 * with plots are truncated and state how many rows are omitted. Tables are not made narrower
 * than in text.
 *
 * HTML: one self-contained page, without scripts or network access, which is well-formed XML
 * too: navigation, one section each, numbers of a section as tiles, and plots as inline SVG
 * above their folded tables. The elements of a list stand side by side if the page is wide
 * enough; if up to 8 elements have the same number of plots, plots of the same kind share their
 * axes. The id of a section is its path with dashes ("files-0-records"). Tables show at most
 * 1,000 rows and plots at most 3,000 marks (50 rows of bars, 40 lanes), and both report what
 * they omit.
 *
 * Parquet: the table of options.table alone, as a binary file. Counts and addresses are unsigned
 * numbers of 64 bits, reals and ratios doubles, and columns with cells of several types texts as
 * in CSV.
 */
enum poly_rendering {
	POLY_RENDER_TEXT,      /* aligned, for people */
	POLY_RENDER_JSON,      /* one object */
	POLY_RENDER_CSV,       /* RFC 4180; one block of values, one per table */
	POLY_RENDER_JSON_LINE, /* one object on one line: a line of JSON Lines */
	POLY_RENDER_HTML,      /* one page with plots */
	POLY_RENDER_TERMINAL,  /* text with plots of characters */
	POLY_RENDER_PARQUET,   /* a Parquet file of one table */
};

/*
 * Options of a rendering. Initialise them with POLY_RENDER_OPTIONS_INIT, then change fields.
 * Later versions may add fields.
 */
struct poly_render_options {
	size_t size;		       /* of this struct in bytes, not 0; set by the macro */
	enum poly_rendering rendering; /* the rendering */
	const char *title;	       /* of an HTML page; NULL: "Report" */
	unsigned width; /* of a line in characters; 0: 80 on a terminal, unlimited in text */
	bool color;	/* terminal: colours and bold titles, by SGR sequences */
	size_t rows;	/* terminal: maximum number of rows of a table with plots; 0: all */
	/* The table to render alone, as poly_report_table_at names it, or the last parts of its
	 * name that no other one has; NULL: everything. Then CSV has one header, of its
	 * columns. */
	const char *table;
	const char *file; /* CSV of one table: value of a first column "file"; NULL: none */
	bool no_header;	  /* CSV of one table: rows alone */
	bool csv_safe;	  /* CSV: texts that spreadsheets execute begin with an apostrophe */
};

/* Options for text, like those of poly_report_render. */
#define POLY_RENDER_OPTIONS_INIT                           \
	{                                                  \
		.size = sizeof(struct poly_render_options) \
	}

/*
 * Renders a finished report into sink, in chunks. Returns POLY_ERR_IO if the sink's write
 * returned an errno value, which error->sys_errno has; POLY_ERR_MEMORY if memory ran out here
 * or while the report was built; POLY_ERR_USAGE if a section or table is still open or the
 * report was built wrongly, in which case nothing is written.
 */
POLY_API enum poly_status poly_report_render(const struct poly_report *report,
	enum poly_rendering rendering, const struct poly_sink *sink, struct poly_error *error);

/*
 * Stores the name of a table of a finished report, at most size bytes: its key after those of
 * the sections around it, joined by dots; a section of a list has its number. All values are
 * the table "values". False: index is that of none.
 */
POLY_API bool poly_report_table_at(
	const struct poly_report *report, size_t index, char *name, size_t size);

/*
 * Renders a report like poly_report_render, with options, which need not outlive the call.
 * Returns POLY_ERR_USAGE also if options->size is 0, the rendering is unknown, or no table, or
 * more than one, has the requested name, or Parquet was requested without one;
 * POLY_ERR_UNSUPPORTED if this build lacks libzstd for Parquet, and POLY_ERR_LIMIT if a text does
 * not fit into a file of it.
 */
POLY_API enum poly_status poly_report_render_with(const struct poly_report *report,
	const struct poly_render_options *options, const struct poly_sink *sink,
	struct poly_error *error);

/*
 * Stores n bytes of UTF-8 text with control characters (C0, DEL, C1) as \xNN, and those that change
 * the direction of text as \uNNNN, so that a terminal does not execute them; as much as size bytes
 * have room for, with a NUL. Returns the length.
 */
POLY_API size_t poly_text_visible(char *dst, size_t size, const char *text, size_t n);

#ifdef __cplusplus
}
#endif

#endif
