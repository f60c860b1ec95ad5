/* SPDX-License-Identifier: MIT */
/*
 * Plots as figures of HTML with inline SVG. Heights are pixels and widths are parts of the
 * figure's, so that a plot fits any page and its text keeps its size: the drawing is as wide as
 * the space between two margins, in which names and ticks stand.
 */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "report/plot.h"
#include "report/render.h"

/* Most marks of a plot that are told apart; more are thinned, or left out and told. */
#define SVG_MARKS 3000

/* Colours that series have (classes s0, s1, ...), and steps of a heat map (h0, h1, ...). */
#define SVG_SERIES 8
#define SVG_STEPS 9

struct svg {
	struct render *render;
	const struct view *view;
	struct buf *out; /* the render's */
	size_t number;	 /* of the plot in the page, from 1 */
	struct axis x, y;
	bool turned;		      /* x is vertical */
	unsigned left, right, height; /* margins and the drawing's height, in pixels */
	struct buf text;	      /* for what has to be measured or shown twice */
};

/* Appends text for markup: its special characters as references. */
void svg_text(struct buf *to, const char *text);

/* Appends a number of two decimals at most, and with a percent sign a part of 1. */
void svg_number(struct buf *to, double number);
void svg_part(struct buf *to, double part);

/* How wide a text is at most, in pixels. */
unsigned svg_width(const char *text);

/* Cuts a text wider than most, with an ellipsis; returns its width in pixels. */
unsigned svg_cut(struct buf *text, unsigned most);

/* Appends ` name="part%"`. */
void svg_attribute(struct buf *to, const char *name, double part);

/*
 * Sets svg->x, with as many ticks as have room, of which every other one is not seen on a
 * narrow page; makes the right margin wide enough for the last.
 */
void svg_fit_x(struct svg *svg, enum axis_kind kind, const struct range *range, bool rounded);

/* Sets the margins so that the labels of svg->y and those at the ends of svg->x have room. */
void svg_margins(struct svg *svg);

/* Begins the figure: caption; then the caller's legend, svg_open, marks, svg_close. */
void svg_caption(struct svg *svg);

/* Entries of a legend between svg_legend and svg_legend_end. */
void svg_legend(struct svg *svg);
void svg_legend_entry(struct svg *svg, size_t series, const char *text);
void svg_legend_end(struct svg *svg);

/* The legend of what y are, or of a column's names, where there are several. */
void svg_legend_y(struct svg *svg);
void svg_legend_names(struct svg *svg, const struct names *names);

/* Begins the drawing; kind: what it is ("Bars"). */
void svg_open(struct svg *svg, const char *kind);

/* Draws svg->x below and svg->y on the left: lines, ticks, titles; or just that on the left. */
void svg_axis_x(struct svg *svg);
void svg_axis_y(struct svg *svg);
void svg_title_y(struct svg *svg);

/* Appends <title>: what a row has in some columns. */
void svg_hover(struct svg *svg, size_t row, const size_t *columns, size_t count);

/* Ends drawing and figure; note: a sentence under it, or NULL. */
void svg_close(struct svg *svg, const char *note);

/* The kinds of plots, each a whole figure. */
void svg_bars(struct svg *svg);
void svg_histogram(struct svg *svg);
void svg_curve(struct svg *svg);
void svg_heat(struct svg *svg);
void svg_timeline(struct svg *svg);

/* A plot as a figure, the number-th of the page. */
void svg_plot(struct render *render, const struct view *view, size_t number);

#endif
