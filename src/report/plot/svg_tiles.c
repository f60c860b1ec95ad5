/* SPDX-License-Identifier: MIT */
/* Heat maps, with darker tiles for greater values, and timelines, with lanes. */
#include "report/plot/svg.h"

#include <math.h>

/* Maximum number of lanes, maximum pixels of their names, distance and height in pixels. */
#define LANES_MAX 40
#define LANES_NAMES 110
#define LANE_PITCH 26
#define LANE_HEIGHT 18

/* Returns the upper end of a tile. */
static double
tile_end(double from, double size, bool logarithmic)
{
	return logarithmic ? from * pow(10, size) : from + size;
}

static void
heat_legend(struct svg *svg, const struct plot_range *range)
{
	char low[AXIS_LABEL], high[AXIS_LABEL];
	axis_number(range->low, low);
	axis_number(range->high, high);
	buf_printf(svg->out,
		"<p class=\"scale\"><span>%s</span> <svg width=\"%d\" height=\"12\" "
		"aria-hidden=\"true\">",
		low, 18 * SVG_STEPS);
	for (int i = 0; i < SVG_STEPS; i++)
		buf_printf(svg->out,
			"<rect class=\"h%d\" x=\"%d\" width=\"18\" height=\"12\"/>", i, 18 * i);
	buf_printf(svg->out, "</svg> <span>%s</span> <span>", high);
	buf_clear(&svg->text);
	view_title(&svg->text, svg->view, svg->view->plot->value, TREE_NO_TEXT, TREE_NO_TEXT);
	svg_text(svg->out, buf_text(&svg->text));
	buf_printf(svg->out, "%s</span></p>\n",
		range_is_logarithmic(range) ? ", logarithmic" : "");
}

/* Returns the range of an axis, to the end of the last tile; size: that of the tiles. */
static struct plot_range
heat_range(const struct svg *svg, bool upwards, double size)
{
	const struct plot_view *view = svg->view;
	const struct plot *plot = view->plot;
	bool logarithmic = upwards ? plot->log_y : plot->log_x;
	struct plot_range range = {INFINITY, -INFINITY};
	view_range(view, upwards ? plot->y[0] : plot->x, logarithmic, &range);
	if (range.low > range.high)
		return (struct plot_range){1, 10};
	for (size_t i = 0; i < view->peer_count; i++) {
		struct plot_view peer;
		if (view_peer(view, i, &peer))
			size = fmax(size,
				view_min_distance(&peer,
					upwards ? peer.plot->y[0] : peer.plot->x, logarithmic));
	}
	return (struct plot_range){range.low, tile_end(range.high, size, logarithmic)};
}

static void
heat_tile(struct svg *svg, size_t row, const struct plot_range *range, const double *sizes)
{
	const struct plot *plot = svg->view->plot;
	const size_t shown[] = {plot->x, plot->y[0], plot->value, plot->label};
	double x, y, value;
	if (!view_number(svg->view, row, plot->x, &x) ||
		!view_number(svg->view, row, plot->y[0], &y) ||
		!view_number(svg->view, row, plot->value, &value) || (plot->log_x && x <= 0) ||
		(plot->log_y && y <= 0))
		return;
	double left = axis_position(&svg->x, x), bottom = axis_position(&svg->y, y);
	double right = axis_position(&svg->x, tile_end(x, sizes[0], plot->log_x));
	double top = axis_position(&svg->y, tile_end(y, sizes[1], plot->log_y));
	buf_printf(svg->out, "<rect class=\"h%zu\"", range_shade(range, value, SVG_STEPS));
	svg_attribute(svg->out, "x", left);
	svg_attribute(svg->out, "width", right - left);
	svg_attribute(svg->out, "y", 1 - top);
	svg_attribute(svg->out, "height", top - bottom);
	buf_byte(svg->out, '>');
	svg_hover(svg, row, shown, 4);
	buf_string(svg->out, "</rect>\n");
}

void
svg_heat(struct svg *svg)
{
	const struct plot_view *view = svg->view;
	const struct plot *plot = view->plot;
	size_t rows = view->rows < SVG_MARKS ? view->rows : SVG_MARKS;
	struct plot_range range = {INFINITY, -INFINITY};
	view_range(view, plot->value, false, &range);
	if (range.low > range.high)
		range = (struct plot_range){0, 0};
	const double sizes[] = {view_min_distance(view, plot->x, plot->log_x),
		view_min_distance(view, plot->y[0], plot->log_y)};
	if (sizes[0] <= 0 || sizes[1] <= 0) {
		svg->out->failed = true;
		return;
	}
	const struct plot_range x = heat_range(svg, false, sizes[0]),
				y = heat_range(svg, true, sizes[1]);
	svg->height = 280;
	svg->y = axis_make(view_axis(view, plot->y[0], plot->log_y), y.low, y.high, 8);
	svg_margins(svg);
	svg_fit_x(svg, view_axis(view, plot->x, plot->log_x), &x, false);
	heat_legend(svg, &range);
	svg_open(svg, "Heat map");
	svg_axis_y(svg);
	svg_axis_x(svg);
	for (size_t row = 0; row < rows; row++)
		heat_tile(svg, row, &range, sizes);
	svg_close(svg, rows < view->rows ? "Only the first 3,000 tiles are shown." : NULL);
}

/* Sets svg->text to the name of a lane, truncated if too wide; returns its width. */
static unsigned
format_lane(struct svg *svg, const struct plot_names *lanes, size_t lane)
{
	buf_clear(&svg->text);
	if (lanes->column == PLOT_NO_COLUMN)
		return 0;
	view_text(&svg->text, svg->view, lanes->rows[lane], lanes->column);
	return svg_truncate(&svg->text, LANES_NAMES);
}

static void
lanes_axis(struct svg *svg)
{
	const struct plot *plot = svg->view->plot;
	struct plot_range range = {INFINITY, -INFINITY};
	view_range(svg->view, plot->x, plot->log_x, &range);
	view_range(svg->view, plot->y[0], plot->log_x, &range);
	if (range.low > range.high)
		range = (struct plot_range){1, 10};
	svg_fit_x(svg, view_axis(svg->view, plot->x, plot->log_x), &range, false);
}

static void
lanes_names(struct svg *svg, const struct plot_names *lanes, size_t count)
{
	buf_string(svg->out, "<g class=\"y axis\">");
	for (size_t i = 0; i < count; i++) {
		size_t top = i * LANE_PITCH;
		buf_printf(svg->out, "<line x2=\"100%%\" y1=\"%zu\" y2=\"%zu\"/>",
			top + LANE_PITCH, top + LANE_PITCH);
		buf_printf(svg->out, "<text class=\"name\" dx=\"-8\" y=\"%zu\">", top + 17);
		format_lane(svg, lanes, i);
		svg_text(svg->out, buf_text(&svg->text));
		buf_string(svg->out, "</text>");
	}
	svg_title_y(svg);
	buf_string(svg->out, "</g>\n");
}

static void
lane_interval(struct svg *svg, size_t row, size_t lane, size_t colour)
{
	const struct plot *plot = svg->view->plot;
	const size_t shown[] = {plot->series, plot->label, plot->x, plot->y[0]};
	double from, to;
	if (!view_number(svg->view, row, plot->x, &from) ||
		!view_number(svg->view, row, plot->y[0], &to))
		return;
	double left = axis_position(&svg->x, from), right = axis_position(&svg->x, to);
	buf_printf(svg->out, "<rect class=\"interval s%zu\" y=\"%zu\" height=\"%d\"",
		colour % SVG_SERIES, lane * LANE_PITCH + (LANE_PITCH - LANE_HEIGHT) / 2,
		LANE_HEIGHT);
	svg_attribute(svg->out, "x", fmin(left, right));
	svg_attribute(svg->out, "width", fmax(fabs(right - left), 0.001));
	buf_byte(svg->out, '>');
	svg_hover(svg, row, shown, 4);
	buf_string(svg->out, "</rect>\n");
}

void
svg_timeline(struct svg *svg)
{
	const struct plot_view *view = svg->view;
	const struct plot *plot = view->plot;
	struct plot_names lanes = view_names(view, plot->series);
	struct plot_names labels = view_names(view, plot->label);
	size_t rows = view->rows < SVG_MARKS ? view->rows : SVG_MARKS;
	size_t count = lanes.count < LANES_MAX ? lanes.count : LANES_MAX;
	bool coloured = labels.count > 1 && labels.count <= SVG_SERIES;
	svg->height = (unsigned)(count * LANE_PITCH);
	svg->left = svg->right = 24;
	for (size_t i = 0; i < count; i++) {
		unsigned width = format_lane(svg, &lanes, i) + 12;
		svg->left = width > svg->left ? width : svg->left;
	}
	lanes_axis(svg);
	if (coloured)
		svg_legend_names(svg, &labels);
	svg_open(svg, "Timeline");
	svg_axis_x(svg);
	lanes_names(svg, &lanes, count);
	for (size_t row = 0; row < rows; row++) {
		size_t lane = view_name(view, &lanes, row);
		if (lane < count)
			lane_interval(
				svg, row, lane, coloured ? view_name(view, &labels, row) : 0);
	}
	bool omitted = lanes.overflow || count < lanes.count || rows < view->rows;
	svg_close(svg, omitted ? "Only the first lanes and intervals are shown." : NULL);
}
