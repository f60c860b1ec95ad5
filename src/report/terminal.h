/* SPDX-License-Identifier: MIT */
/* Plots drawn with characters: eighth blocks, shades, Braille. */
#ifndef REPORT_TERMINAL_H
#define REPORT_TERMINAL_H

#include "report/plot/plot.h"
#include "report/render.h"

/* Bars after the rows of a table; none if width is 0. */
struct bars {
	struct plot_view view;
	struct axis axis;
	size_t width; /* of the longest bar in characters */
	bool color;
};

/* Returns the bars of a table (an index of items); used: width of its rows in characters. */
struct bars terminal_bars(const struct render *render, size_t table, size_t used);

/* Appends the title of the bars if the table has several y. */
void terminal_bar_title(const struct bars *bars, struct buf *out);

/* Appends the bar of a row. */
void terminal_bar(const struct bars *bars, struct buf *out, size_t row);

/* Appends the plots of a table other than bars and histograms, indented by indent blanks. */
void terminal_plots(struct render *render, size_t table, unsigned indent);

#endif
