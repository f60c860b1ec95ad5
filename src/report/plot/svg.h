/* SPDX-License-Identifier: MIT */
/*
 * Plots as HTML figures with inline SVG. Heights are in pixels, widths are fractions of the
 * figure, so that a plot fits any page and its text keeps its size: the drawing fills the space
 * between two margins, which contain names and tick labels.
 */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "report/plot/plot.h"
#include "report/render.h"

/* Maximum number of marks of a plot; it thins further marks, or omits them with a note. */
#define SVG_MARKS 3000

/* Numbers of colours of series (classes s0, s1, ...) and of shades of a heat map (h0, h1, ...).
 */
#define SVG_SERIES 8
#define SVG_STEPS 9

struct svg {
	struct render *render;
	const struct plot_view *view;
	struct buf *out; /* that of render */
	size_t number;	 /* of the plot on the page, from 1 */
	struct axis x, y;
	bool turned;		      /* the axis of x is vertical */
	unsigned left, right, height; /* margins and height of the drawing, in pixels */
	struct buf text;	      /* for texts to be measured or shown twice */
};

/* Appends text with the special characters of markup as references. */
void svg_text(struct buf *out, const char *text);

/* Append a number with at most two decimals, and a fraction in percent. */
void svg_number(struct buf *out, double number);
void svg_part(struct buf *out, double part);

/* Returns an upper bound of the width of a text in pixels. */
unsigned svg_width(const char *text);

/* Truncates a text wider than max, with an ellipsis; returns its width in pixels. */
unsigned svg_truncate(struct buf *text, unsigned max);

/* Appends ` name="part%"`. */
void svg_attribute(struct buf *out, const char *name, double part);

/*
 * Sets svg->x with the maximum number of ticks that fit, every other one of which a narrow page
 * hides, and widens the margins for the labels at its ends.
 */
void svg_fit_x(
	struct svg *svg, enum axis_kind kind, const struct plot_range *range, bool rounded);

/* Sets the margins so that the labels of svg->y fit. */
void svg_margins(struct svg *svg);

/* Begins the figure with its caption; legend, svg_open, marks and svg_close follow. */
void svg_caption(struct svg *svg);

/* Append a legend: svg_legend, its entries, svg_legend_end. */
void svg_legend(struct svg *svg);
void svg_legend_entry(struct svg *svg, size_t series, const char *text);
void svg_legend_end(struct svg *svg);

/* Append the legend of several y, or of several names of a column. */
void svg_legend_y(struct svg *svg);
void svg_legend_names(struct svg *svg, const struct plot_names *names);

/* Begins the drawing; kind: its description ("Bars"). */
void svg_open(struct svg *svg, const char *kind);

/* Append svg->x below and svg->y on the left (lines, ticks, titles), or only the title of y. */
void svg_axis_x(struct svg *svg);
void svg_axis_y(struct svg *svg);
void svg_title_y(struct svg *svg);

/* Appends <title>: the cells of a row in count columns. */
void svg_hover(struct svg *svg, size_t row, const size_t *columns, size_t count);

/* Ends drawing and figure; note: a sentence below it, or NULL. */
void svg_close(struct svg *svg, const char *note);

/* The kinds of plots: append a complete figure each. */
void svg_bars(struct svg *svg);
void svg_histogram(struct svg *svg);
void svg_curve(struct svg *svg);
void svg_heat(struct svg *svg);
void svg_timeline(struct svg *svg);

/* Appends a plot as a figure; number: its number on the page, from 1. */
void svg_plot(struct render *render, const struct plot_view *view, size_t number);

#endif
