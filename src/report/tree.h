/* SPDX-License-Identifier: MIT */
/*
 * The report as its renderers read it: its calls in order, one item each. Openings and ENDs
 * match like brackets and their depth is bounded, so that a renderer is one walk with a small
 * stack.
 */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "polytrace/report.h"

#include "base/buf.h"

/* The offset of an absent string. */
#define TREE_NO_TEXT SIZE_MAX

enum item_type {
	ITEM_SECTION,
	ITEM_LIST,
	ITEM_TABLE,  /* followed by its columns, then its cells, then its END */
	ITEM_COLUMN, /* of a table */
	ITEM_VALUE,  /* of a section */
	ITEM_NOTE,   /* of a section: a text */
	ITEM_CELL,   /* of a table */
	ITEM_END,    /* of the section, list or table opened last */
};

/* Types of values and cells. */
enum item_form {
	FORM_ABSENT,
	FORM_TEXT,
	FORM_COUNT,
	FORM_ADDRESS,
	FORM_REAL,
	FORM_RATIO, /* a REAL, in percent for people */
	FORM_BOOL,
};

struct report_item {
	enum item_type type;
	enum item_form form; /* of a VALUE or CELL */
	unsigned digits; /* of an ADDRESS; decimals of a REAL, RATIO; 0: a COUNT is not grouped
			  */
	bool right;	 /* a COLUMN of numbers */
	const char *key; /* NULL for CELL and END */
	size_t title, unit; /* offsets in texts, or TREE_NO_TEXT */
	union {
		uint64_t number; /* of COUNT, ADDRESS, BOOL */
		double real;	 /* of REAL, RATIO */
		size_t text;	 /* offset in texts */
	} value;
};

/* The index of an absent column of a plot. */
#define PLOT_NO_COLUMN SIZE_MAX

/* A plot of a table: columns by index, texts by offset (or TREE_NO_TEXT). */
struct plot {
	size_t table; /* index of its item */
	enum poly_plot_kind kind;
	size_t x, value, series, label;
	size_t y[POLY_PLOT_Y_MAX], y_count;
	size_t title, x_title, x_unit, y_title, y_unit;
	bool log_x, log_y;
};

struct poly_report {
	struct report_item *items;
	size_t count, capacity; /* of items */
	struct buf texts;	/* strings, each with its NUL */
	bool failed;		/* out of memory */
	const char *misuse;	/* message on the first wrong use; NULL: none */
	unsigned depth;		/* number of open sections, lists and tables */
	enum item_type open[POLY_REPORT_DEPTH];
	size_t table, columns,
		cells; /* of the open table: index of its item, numbers of columns and cells */
	struct plot *plots; /* in the order of their tables */
	size_t plot_count, plot_capacity;
};

/* Marks the report as out of memory, which rendering reports. */
void tree_fail(struct poly_report *report);

/* Returns the string at an offset that is not TREE_NO_TEXT. */
const char *tree_text(const struct poly_report *report, size_t offset);

/* Returns the index of the END of the section, list or table opened by item i. */
size_t tree_end(const struct poly_report *report, size_t i);

/* Returns true if the table of an item has plots. */
bool tree_is_plotted(const struct poly_report *report, size_t table);

/* Returns true if a section, list or table contains a cell or a value that is not absent. */
bool tree_has_content(const struct report_item *item);

#endif
