/* SPDX-License-Identifier: MIT */
/* Curves: one line per y, or one per name of the column series. */
#include "report/plot/svg.h"

#include <math.h>

/* Maximum number of points drawn per line, and of points of all lines with hover values. */
#define CURVE_POINTS 1500
#define CURVE_HOVERS 600

/* Maximum number of points of a line that shows them as dots. */
#define CURVE_DOTS 40

/* A line: the rows of a name, and the column of y. */
struct curve_line {
	const struct plot_names *names;
	size_t name, y;
	size_t class;  /* number of its colour */
	size_t points; /* number of points */
};

/* Finds the position of the point of a row; returns false if it has none. */
static bool
curve_point(const struct svg *svg, size_t row, size_t y, double *at)
{
	const struct plot *plot = svg->view->plot;
	double numbers[2];
	if (!view_number(svg->view, row, plot->x, &numbers[0]) ||
		!view_number(svg->view, row, y, &numbers[1]) ||
		(plot->log_x && numbers[0] <= 0) || (plot->log_y && numbers[1] <= 0))
		return false;
	at[0] = axis_position(&svg->x, numbers[0]);
	at[1] = 1 - axis_position(&svg->y, numbers[1]);
	return true;
}

/* Returns the first row from row on with a point of the line; view->rows if none. */
static size_t
line_next(const struct svg *svg, const struct curve_line *line, size_t row, double *at)
{
	const struct plot_view *view = svg->view;
	for (; row < view->rows; row++) {
		row = view_next(view, line->names, line->name, row);
		if (row < view->rows && curve_point(svg, row, line->y, at))
			return row;
	}
	return view->rows;
}

static size_t
line_count(const struct svg *svg, const struct curve_line *line)
{
	double at[2];
	size_t count = 0, row = 0;
	while ((row = line_next(svg, line, row, at)) < svg->view->rows) {
		count++;
		row++;
	}
	return count;
}

static void
path_point(struct svg *svg, bool first, const double *at)
{
	buf_byte(svg->out, first ? 'M' : 'L');
	svg_number(svg->out, 1000 * at[0]);
	buf_byte(svg->out, ' ');
	svg_number(svg->out, 1000 * at[1]);
	render_flush(svg->render);
}

/* The lowest or the highest point of a group of neighbours. */
struct extreme {
	size_t seen; /* number of points of the line before it */
	double at[2];
};

/* Appends the two extremes of a group in their order, or one if they are the same. */
static void
path_extremes(struct svg *svg, bool first, const struct extreme *a, const struct extreme *b)
{
	path_point(svg, first, a->seen < b->seen ? a->at : b->at);
	if (a->seen != b->seen)
		path_point(svg, false, a->seen < b->seen ? b->at : a->at);
}

/*
 * Appends the line as a path. Of a line with too many points, it draws the lowest and the
 * highest of every group of neighbours, in their order.
 */
static void
line_path(struct svg *svg, const struct curve_line *line)
{
	size_t group = line->points / (CURVE_POINTS / 2) + 1, seen = 0, row = 0;
	struct extreme at, low = {0}, high = {0};
	group = line->points <= CURVE_POINTS ? 1 : group;
	buf_printf(svg->out, "<path class=\"l%zu\" d=\"", line->class);
	while ((row = line_next(svg, line, row, at.at)) < svg->view->rows) {
		bool begins = seen % group == 0;
		row++;
		at.seen = seen++;
		low = begins || at.at[1] > low.at[1] ? at : low;
		high = begins || at.at[1] < high.at[1] ? at : high;
		if (seen % group == 0 || seen == line->points)
			path_extremes(svg, seen <= group, &low, &high);
	}
	buf_string(svg->out, "\"/>\n");
}

/* Appends points with their numbers as hover values; visible dots if they are few. */
static void
line_points(struct svg *svg, const struct curve_line *line)
{
	const struct plot *plot = svg->view->plot;
	const size_t shown[] = {plot->series, plot->x, line->y, plot->label};
	double at[2];
	size_t row = 0;
	while ((row = line_next(svg, line, row, at)) < svg->view->rows) {
		if (line->points <= CURVE_DOTS)
			buf_printf(svg->out, "<circle class=\"s%zu\" r=\"3\"", line->class);
		else
			buf_string(svg->out, "<circle class=\"hit\" r=\"6\"");
		svg_attribute(svg->out, "cx", at[0]);
		svg_attribute(svg->out, "cy", at[1]);
		buf_byte(svg->out, '>');
		svg_hover(svg, row, shown, 4);
		buf_string(svg->out, "</circle>\n");
		row++;
	}
}

static void
curve_axes(struct svg *svg)
{
	const struct plot_view *view = svg->view;
	const struct plot *plot = view->plot;
	struct plot_range x = {INFINITY, -INFINITY}, y = x;
	view_range(view, plot->x, plot->log_x, &x);
	view_range_y(view, &y);
	x = x.low > x.high ? (struct plot_range){1, 10} : x;
	y = y.low > y.high ? (struct plot_range){1, 10} : y;
	if (!plot->log_y && y.low > 0 && y.low < y.high / 2)
		y.low = 0;
	svg->y = axis_rounded(view_axis(view, plot->y[0], plot->log_y), y.low, y.high, 6);
	svg_margins(svg);
	svg_fit_x(svg, view_axis(view, plot->x, plot->log_x), &x, false);
}

/* Sets the lines to draw and returns their number; their colours are those of the legend. */
static size_t
curve_lines(const struct svg *svg, const struct plot_names *names, struct curve_line *lines)
{
	const struct plot *plot = svg->view->plot;
	bool named = names->count > 1;
	size_t count = 0;
	for (size_t name = 0; name < names->count && name < SVG_SERIES; name++) {
		for (size_t i = 0; i < (named ? 1 : plot->y_count); i++) {
			struct curve_line *line = &lines[count++];
			*line = (struct curve_line){
				names, name, plot->y[i], named ? name : i, 0};
			line->points = line_count(svg, line);
		}
	}
	return count;
}

void
svg_curve(struct svg *svg)
{
	struct curve_line lines[SVG_SERIES];
	struct plot_names names = view_names(svg->view, svg->view->plot->series);
	size_t points = 0;
	svg->height = 260;
	curve_axes(svg);
	size_t count = curve_lines(svg, &names, lines);
	if (names.count > 1)
		svg_legend_names(svg, &names);
	else
		svg_legend_y(svg);
	svg_open(svg, count == 1 ? "Curve" : "Curves");
	svg_axis_y(svg);
	svg_axis_x(svg);
	buf_string(svg->out, "<svg class=\"lines\" viewBox=\"0 0 1000 1000\" "
			     "width=\"100%\" height=\"100%\" preserveAspectRatio=\"none\">\n");
	for (size_t i = 0; i < count; i++)
		line_path(svg, &lines[i]);
	buf_string(svg->out, "</svg>\n");
	for (size_t i = 0; i < count; i++)
		points += lines[i].points;
	for (size_t i = 0; i < count && points <= CURVE_HOVERS; i++)
		line_points(svg, &lines[i]);
	svg_close(svg, names.count > SVG_SERIES ? "Only the first 8 lines are shown." : NULL);
}
