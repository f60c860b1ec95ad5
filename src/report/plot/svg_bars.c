/* SPDX-License-Identifier: MIT */
/* Bars: horizontal, between their name and their number. Histograms: vertical. */
#include "report/plot/svg.h"

#include <math.h>

/* Maximum number of rows; maximum pixels of names, of numbers and of both. */
#define BARS_ROWS 50
#define BARS_NAMES 136
#define BARS_VALUES 80
#define BARS_MARGINS 186

/* Heights in pixels: of a single bar, of one of several bars, and between rows. */
#define BAR_ALONE 16
#define BAR_OF_MANY 11
#define BAR_GAP 8

/* The fraction of a logarithmic axis for a bin of 0. */
#define HISTOGRAM_ZERO 0.06

/* Sets svg->text to a name, truncated if too wide; returns its width. */
static unsigned
format_name(struct svg *svg, size_t row, size_t column)
{
	unsigned room = BARS_MARGINS - 12 - svg->right;
	buf_clear(&svg->text);
	view_text(&svg->text, svg->view, row, column);
	return svg_truncate(&svg->text, room < BARS_NAMES ? room : BARS_NAMES);
}

/* Sets svg->text to the number of a bar, rounded if too wide; returns its width. */
static unsigned
format_value(struct svg *svg, size_t row, size_t column)
{
	char number[AXIS_LABEL];
	double value;
	buf_clear(&svg->text);
	view_text(&svg->text, svg->view, row, column);
	unsigned width = svg_width(buf_text(&svg->text));
	if (width <= BARS_VALUES - 12 || !view_number(svg->view, row, column, &value))
		return width < BARS_VALUES ? width : BARS_VALUES;
	axis_number(value, number);
	buf_clear(&svg->text);
	buf_string(&svg->text, number);
	return svg_width(number);
}

static void
bars_margins(struct svg *svg, size_t rows)
{
	const struct plot *plot = svg->view->plot;
	svg->left = svg->right = 24;
	for (size_t row = 0; row < rows && plot->y_count == 1; row++) {
		unsigned value = format_value(svg, row, plot->y[0]) + 12;
		svg->right = value > svg->right ? value : svg->right;
	}
	for (size_t row = 0; row < rows; row++) {
		unsigned name = format_name(svg, row, plot->x) + 12;
		svg->left = name > svg->left ? name : svg->left;
	}
}

/* Returns the range of the axis of bars, from 0 or, if logarithmic, from the lowest number. */
static struct plot_range
bars_range(const struct svg *svg)
{
	const struct plot *plot = svg->view->plot;
	struct plot_range range = {INFINITY, -INFINITY};
	view_range_y(svg->view, &range);
	if (plot->log_y)
		return range.low > range.high
			       ? (struct plot_range){1, 10}
			       : (struct plot_range){range.low * 0.999, range.high};
	return (struct plot_range){fmin(0, range.low), fmax(0, range.high)};
}

static enum axis_kind
bars_axis(const struct svg *svg)
{
	return view_axis(svg->view, svg->view->plot->y[0], svg->view->plot->log_y);
}

static void
bar_of(struct svg *svg, size_t row, size_t i, size_t top)
{
	const struct plot *plot = svg->view->plot;
	const size_t shown[] = {plot->x, plot->y[i], plot->label};
	double number;
	if (!view_number(svg->view, row, plot->y[i], &number))
		return;
	double from = axis_position(&svg->x, 0), to = axis_position(&svg->x, number);
	buf_printf(svg->out, "<rect class=\"s%zu\" rx=\"2\" y=\"%zu\" height=\"%d\"", i, top,
		plot->y_count == 1 ? BAR_ALONE : BAR_OF_MANY);
	svg_attribute(svg->out, "x", fmin(from, to));
	svg_attribute(svg->out, "width", fabs(to - from));
	buf_byte(svg->out, '>');
	svg_hover(svg, row, shown, 3);
	buf_string(svg->out, "</rect>");
	if (plot->y_count > 1)
		return;
	buf_printf(svg->out, "<text class=\"value\" dx=\"6\" y=\"%zu\"", top + 12);
	svg_attribute(svg->out, "x", fmax(from, to));
	buf_byte(svg->out, '>');
	format_value(svg, row, plot->y[i]);
	svg_text(svg->out, buf_text(&svg->text));
	buf_string(svg->out, "</text>");
}

static void
bars_row(struct svg *svg, size_t row, size_t pitch)
{
	const struct plot *plot = svg->view->plot;
	size_t top = row * pitch + BAR_GAP / 2;
	buf_printf(svg->out, "<text class=\"name\" dx=\"-8\" y=\"%zu\">",
		row * pitch + pitch / 2 + 4);
	format_name(svg, row, plot->x);
	svg_text(svg->out, buf_text(&svg->text));
	buf_string(svg->out, "</text>");
	for (size_t i = 0; i < plot->y_count; i++)
		bar_of(svg, row, i, top + i * BAR_OF_MANY);
	buf_byte(svg->out, '\n');
}

void
svg_bars(struct svg *svg)
{
	const struct plot_view *view = svg->view;
	size_t rows = view->rows < BARS_ROWS ? view->rows : BARS_ROWS;
	size_t bars = view->plot->y_count;
	size_t pitch = BAR_GAP + (bars == 1 ? BAR_ALONE : bars * BAR_OF_MANY);
	svg->turned = true;
	svg->height = (unsigned)(rows * pitch);
	bars_margins(svg, rows);
	struct plot_range range = bars_range(svg);
	svg_fit_x(svg, bars_axis(svg), &range, true);
	svg_legend_y(svg);
	svg_open(svg, "Bars");
	svg_axis_x(svg);
	buf_string(svg->out, "<g class=\"y axis\">");
	svg_title_y(svg);
	buf_string(svg->out, "</g>\n");
	for (size_t row = 0; row < rows; row++)
		bars_row(svg, row, pitch);
	svg_close(svg, rows < view->rows ? "Only the first 50 rows are shown." : NULL);
}

/* Returns the end of the bin of a row: the start of the next bin; the last bin is as wide as
 * the previous one. */
static double
bin_end(const struct plot_view *view, size_t row, double from)
{
	size_t x = view->plot->x;
	double other;
	if (row + 1 < view->rows && view_number(view, row + 1, x, &other))
		return other;
	if (row == 0 || !view_number(view, row - 1, x, &other))
		return view->plot->log_x && from > 0 ? 2 * from : from + 1;
	return view->plot->log_x && other > 0 ? from / other * from : from + (from - other);
}

/* Extends a range by the bins of a table; returns true if one begins at 0 on a logarithmic
 * axis. */
static bool
bins_range(const struct plot_view *view, struct plot_range *range)
{
	bool zero = false, logarithmic = view->plot->log_x;
	for (size_t row = 0; row < view->rows; row++) {
		double from;
		if (!view_number(view, row, view->plot->x, &from))
			continue;
		double to = bin_end(view, row, from);
		zero |= logarithmic && from <= 0;
		range->low = fmin(range->low, logarithmic && from <= 0 ? to : from);
		range->high = fmax(range->high, fmax(from, to));
	}
	return zero;
}

static void
histogram_axis(struct svg *svg)
{
	const struct plot_view *view = svg->view;
	struct plot_range range = {INFINITY, -INFINITY};
	bool zero = bins_range(view, &range);
	for (size_t i = 0; i < view->peer_count; i++) {
		struct plot_view peer;
		if (view_peer(view, i, &peer))
			zero |= bins_range(&peer, &range);
	}
	if (range.low > range.high || (view->plot->log_x && range.low <= 0))
		range = (struct plot_range){1, 10};
	svg_fit_x(svg, view_axis(view, view->plot->x, view->plot->log_x), &range, false);
	svg->x.zero = zero ? HISTOGRAM_ZERO : 0;
}

static void
histogram_bin(struct svg *svg, size_t row)
{
	const struct plot *plot = svg->view->plot;
	double from, number;
	if (!view_number(svg->view, row, plot->x, &from))
		return;
	double left = axis_position(&svg->x, from);
	double right = axis_position(&svg->x, bin_end(svg->view, row, from));
	double width = (right - left) / (double)plot->y_count;
	for (size_t i = 0; i < plot->y_count; i++) {
		const size_t shown[] = {plot->x, plot->y[i], plot->label};
		if (!view_number(svg->view, row, plot->y[i], &number))
			continue;
		double zero = axis_position(&svg->y, 0), top = axis_position(&svg->y, number);
		buf_printf(svg->out, "<rect class=\"bin s%zu\"", i);
		svg_attribute(svg->out, "x", left + (double)i * width);
		svg_attribute(svg->out, "width", fmax(0, width));
		svg_attribute(svg->out, "y", 1 - fmax(zero, top));
		svg_attribute(svg->out, "height", fabs(top - zero));
		buf_byte(svg->out, '>');
		svg_hover(svg, row, shown, 3);
		buf_string(svg->out, "</rect>\n");
	}
}

void
svg_histogram(struct svg *svg)
{
	size_t rows = svg->view->rows < SVG_MARKS ? svg->view->rows : SVG_MARKS;
	svg->height = 240;
	struct plot_range range = bars_range(svg);
	svg->y = axis_rounded(bars_axis(svg), range.low, range.high, 6);
	svg_margins(svg);
	histogram_axis(svg);
	svg_legend_y(svg);
	svg_open(svg, "Histogram");
	svg_axis_y(svg);
	svg_axis_x(svg);
	for (size_t row = 0; row < rows; row++)
		histogram_bin(svg, row);
	svg_close(svg, rows < svg->view->rows ? "Only the first 3,000 bins are shown." : NULL);
}
