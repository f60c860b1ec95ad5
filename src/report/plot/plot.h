/* SPDX-License-Identifier: MIT */
/* A plot as its renderers read it: the cells of its table as numbers and as names. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/plot/axis.h"
#include "report/tree.h"

/* Maximum number of distinct series or lanes. */
#define NAMES_MAX 48

/* A plot and its table. */
struct plot_view {
	const struct poly_report *report;
	const struct plot *plot;
	const struct report_item *columns, *cells;
	size_t width, rows; /* numbers of columns and rows */
	/* Plots beside this one, whose numbers its axes cover too: indices in the report. */
	const size_t *peers;
	size_t peer_count;
};

/* An interval of numbers. */
struct plot_range {
	double low, high; /* low > high: empty */
};

/* The distinct cells of a column, by the rows in which they first appear. */
struct plot_names {
	size_t column; /* PLOT_NO_COLUMN: all rows have the same name */
	size_t count;
	size_t rows[NAMES_MAX];
	bool overflow; /* the column has more than NAMES_MAX names */
};

/* Returns the view of a plot. */
struct plot_view view_make(const struct poly_report *report, const struct plot *plot);

/* Returns the cell of a row. */
const struct report_item *view_cell(const struct plot_view *view, size_t row, size_t column);

/* Reads a cell as a number; returns false for absent cells, texts and numbers beyond 1e290. */
bool view_number(const struct plot_view *view, size_t row, size_t column, double *number);

/* Returns true if a cell of the column is a text. */
bool view_is_text(const struct plot_view *view, size_t column);

/* Finds the view of peer i, without peers; returns false if it is another kind of plot. */
bool view_peer(const struct plot_view *view, size_t i, struct plot_view *peer);

/* Extends a range by the numbers of a column and of its peers; positive: by those above 0. */
void view_range(
	const struct plot_view *view, size_t column, bool positive, struct plot_range *range);

/* Extends a range by the numbers of all y. */
void view_range_y(const struct plot_view *view, struct plot_range *range);

/*
 * Returns the minimum distance of distinct numbers of a column, in decades if logarithmic; 1 if
 * it has fewer than two; 0 if out of memory.
 */
double view_min_distance(const struct plot_view *view, size_t column, bool logarithmic);

/* Returns true if the values of a heat map span enough decades to show their logarithm. */
bool range_is_logarithmic(const struct plot_range *range);

/* Returns the shade, 0 to steps - 1, of a value in a range. */
size_t range_shade(const struct plot_range *range, double value, size_t steps);

/* Returns the kind of axis for a column. */
enum axis_kind view_axis(const struct plot_view *view, size_t column, bool logarithmic);

/* Returns the names of a column. */
struct plot_names view_names(const struct plot_view *view, size_t column);

/* Returns the index of the name of a row; names->count if names lacks it. */
size_t view_name(const struct plot_view *view, const struct plot_names *names, size_t row);

/* Returns the first row with a name from row on; view->rows if none. */
size_t view_next(
	const struct plot_view *view, const struct plot_names *names, size_t name, size_t row);

/* Appends a cell as text for people. */
void view_text(struct buf *out, const struct plot_view *view, size_t row, size_t column);

/* Appends the title of a column with its unit; title and unit override them. */
void view_title(struct buf *out, const struct plot_view *view, size_t column, size_t title,
	size_t unit);

/* Append the titles of the axes and of the plot. */
void view_title_x(struct buf *out, const struct plot_view *view);
void view_title_y(struct buf *out, const struct plot_view *view);
void view_title_plot(struct buf *out, const struct plot_view *view);

#endif
