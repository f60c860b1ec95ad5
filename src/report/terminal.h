/* SPDX-License-Identifier: MIT */
/* Plots of characters: blocks of eighths, shades, Braille. */
#ifndef REPORT_TERMINAL_H
#define REPORT_TERMINAL_H

#include "report/plot.h"
#include "report/render.h"

/* Bars behind the rows of a table; none where width is 0. */
struct bars {
	struct view view;
	struct axis axis;
	size_t width; /* of the longest in characters */
	bool color;
};

/* The bars of a table (an index of items) whose lines are so many characters wide. */
struct bars terminal_bars(const struct render *render, size_t table, size_t used);

/* Appends what the bars are, where that is not plain. */
void terminal_bar_title(const struct bars *bars, struct buf *to);

/* Appends the bar of a row. */
void terminal_bar(const struct bars *bars, struct buf *to, size_t row);

/* The plots of a table, other than bars, in lines that are indented by so many blanks. */
void terminal_plots(struct render *render, size_t table, unsigned indent);

#endif
