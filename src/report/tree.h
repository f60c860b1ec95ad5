/* SPDX-License-Identifier: MIT */
/*
 * The report as its renderers see it: its calls in order, one item each. Openings and ENDs
 * match like brackets, and depth is bounded, so that a renderer is one walk with a small stack.
 */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "polytrace/report.h"

#include "base/buf.h"

/* Stands for a string that was not given. */
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

/* What a value or cell holds. */
enum item_form {
	FORM_ABSENT,
	FORM_TEXT,
	FORM_COUNT,
	FORM_ADDRESS,
	FORM_REAL,
	FORM_RATIO, /* a REAL that people read in percent */
	FORM_BOOL,
};

struct item {
	enum item_type type;
	enum item_form form; /* of a VALUE or CELL */
	unsigned digits; /* of an ADDRESS; decimals of a REAL, RATIO; 0: a COUNT is not grouped
			  */
	bool right;	 /* a COLUMN of numbers */
	const char *key; /* NULL for CELL and END */
	size_t title, unit; /* offsets into texts, or TREE_NO_TEXT */
	union {
		uint64_t number; /* of COUNT, ADDRESS, BOOL */
		double real;	 /* of REAL, RATIO */
		size_t text;	 /* offset into texts */
	} value;
};

/* Stands for a column that a plot does not have. */
#define PLOT_NO_COLUMN SIZE_MAX

/* A plot of a table; columns by number, texts by offset (or TREE_NO_TEXT). */
struct plot {
	size_t table; /* index of its item */
	enum poly_plot_kind kind;
	size_t x, value, series, label;
	size_t y[POLY_PLOT_Y_MOST], y_count;
	size_t title, x_title, x_unit, y_title, y_unit;
	bool log_x, log_y;
};

struct poly_report {
	struct item *items;
	size_t count, capacity; /* of items */
	struct buf texts;	/* strings, each with its NUL */
	bool failed;		/* memory could not be had */
	const char *misuse;	/* the first wrong use; NULL: none */
	unsigned depth;		/* how many are open */
	enum item_type open[POLY_REPORT_DEPTH];
	size_t table, columns, cells; /* of the open table: its item, how many */
	struct plot *plots;	      /* in the order of their tables */
	size_t plot_count, plot_capacity;
};

/* Remembers that memory could not be had: rendering will say so. */
void tree_fail(struct poly_report *report);

/* The string at an offset that is not TREE_NO_TEXT. */
const char *tree_text(const struct poly_report *report, size_t offset);

/* The index of the END of the section, list or table opened by item i. */
size_t tree_end(const struct poly_report *report, size_t i);

/* True where the table of an item has plots. */
bool tree_is_plotted(const struct poly_report *report, size_t table);

/* True where something between an opening and its END will be seen: a cell, a value. */
bool tree_has_content(const struct item *item);

#endif
