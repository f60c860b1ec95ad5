/* SPDX-License-Identifier: MIT */
/* A plot as its renderers see it: the cells of its table as numbers and as names. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/axis.h"
#include "report/tree.h"

/* Most series or lanes that are told apart. */
#define NAMES_MOST 48

/* The table of a plot. */
struct view {
	const struct poly_report *report;
	const struct plot *plot;
	const struct item *columns, *cells;
	size_t width, rows; /* how many columns and rows */
	/* Plots of the report whose numbers its axes have too: those that stand beside it. */
	const size_t *peers;
	size_t peer_count;
};

/* From a number to the next one that is there. */
struct range {
	double low, high; /* low > high: empty */
};

/* The different cells of a column, by the rows where they stand first. */
struct names {
	size_t column; /* PLOT_NO_COLUMN: all rows are one */
	size_t count;
	size_t rows[NAMES_MOST];
	bool more; /* there are others */
};

/* The table of a plot. */
struct view view_of(const struct poly_report *report, const struct plot *plot);

/* The cell of a row. */
const struct item *view_cell(const struct view *view, size_t row, size_t column);

/* A cell as a number; false where it is none, or beyond 1e290. */
bool view_number(const struct view *view, size_t row, size_t column, double *number);

/* True where some cell of a column is a text. */
bool view_is_text(const struct view *view, size_t column);

/* The table of a peer, which has none itself; false where that is another kind of plot. */
bool view_peer(const struct view *view, size_t i, struct view *peer);

/* Widens a range by the numbers of a column, with its peers'; positive: by those above 0. */
void view_range(const struct view *view, size_t column, bool positive, struct range *range);

/* Widens a range by all y. */
void view_range_y(const struct view *view, struct range *range);

/*
 * The least distance of different numbers of a column, of decades where it is logarithmic; 1
 * where there is none; 0 where memory could not be had.
 */
double view_distance(const struct view *view, size_t column, bool logarithmic);

/* True where the values of a heat map are so far apart that their logarithm is shown. */
bool range_is_logarithmic(const struct range *range);

/* Which of so many shades a value in a range has. */
size_t range_step(const struct range *range, double value, size_t steps);

/* The kind of axis for a column. */
enum axis_kind view_axis(const struct view *view, size_t column, bool logarithmic);

/* The names of a column. */
struct names view_names(const struct view *view, size_t column);

/* Which name a row has; names->count where it is none of them. */
size_t view_name(const struct view *view, const struct names *names, size_t row);

/* The next row from row on that is of a name; view->rows: none. */
size_t view_next(const struct view *view, const struct names *names, size_t name, size_t row);

/* Appends a cell as people read it. */
void view_text(struct buf *to, const struct view *view, size_t row, size_t column);

/* Appends the title of a column with its unit, or those given instead. */
void view_title(
	struct buf *to, const struct view *view, size_t column, size_t title, size_t unit);

/* Appends the titles of the axes, and of the plot. */
void view_title_x(struct buf *to, const struct view *view);
void view_title_y(struct buf *to, const struct view *view);
void view_title_plot(struct buf *to, const struct view *view);

#endif
