/* SPDX-License-Identifier: MIT */
/*
 * Plots drawn with characters.
 * spec: Unicode 15, Block Elements (U+2581 to U+2593) and Braille Patterns (U+2800 to U+28FF).
 */
#include "report/terminal.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

/* Sizes in characters: longest and shortest scale of bars, drawings, heat maps, lanes. */
#define BAR_MAX 40
#define BAR_MIN 8
#define PLOT_WIDTH 72
#define PLOT_HEIGHT 8
#define HEAT_HEIGHT 16
#define LANES_MAX 24

/* Dots of a Braille character. */
#define DOTS_ACROSS 2
#define DOTS_DOWN 4

/* Maximum number of lines, and number of colours. */
#define LINES_MAX 8

/* A drawing of one character per cell, which is 0 if blank. */
struct drawing {
	struct render *render;
	struct plot_view view;
	unsigned indent;
	size_t width, height, margin; /* margin: width of the labels on the left */
	uint8_t *cells, *colors;      /* width * height */
};

static const char *const shades[] = {" ", "░", "▒", "▓", "█"};

static void
color_begin(struct buf *out, bool color, size_t series)
{
	static const char codes[LINES_MAX] = {4, 3, 2, 1, 5, 6, 7, 0};
	if (color)
		buf_printf(out, "\x1b[3%dm", codes[series % LINES_MAX]);
}

static void
color_end(struct buf *out, bool color)
{
	buf_string(out, color ? RENDER_PLAIN : "");
}

/* Returns the first bars or histogram of a table; NULL: none. */
static const struct plot *
plot_of_bars(const struct poly_report *report, size_t table)
{
	for (size_t i = 0; i < report->plot_count; i++) {
		const struct plot *plot = &report->plots[i];
		if (plot->table == table &&
			(plot->kind == POLY_PLOT_BARS || plot->kind == POLY_PLOT_HISTOGRAM))
			return plot;
	}
	return NULL;
}

struct bars
terminal_bars(const struct render *render, size_t table, size_t used)
{
	const struct plot *plot = plot_of_bars(render->report, table);
	struct bars bars = {.color = render->options.color};
	struct plot_range range = {INFINITY, -INFINITY};
	if (!plot || used + BAR_MIN > render->options.width)
		return bars;
	bars.view = view_make(render->report, plot);
	view_range(&bars.view, plot->y[0], plot->log_y, &range);
	if (range.low > range.high || range.high <= 0)
		return bars;
	bars.width = render->options.width - used;
	bars.width = bars.width < BAR_MAX ? bars.width : BAR_MAX;
	bars.axis = plot->log_y ? axis_make(AXIS_LOG, range.low / 2, range.high, 2)
				: axis_make(AXIS_LINEAR, 0, range.high, 2);
	return bars;
}

void
terminal_bar_title(const struct bars *bars, struct buf *out)
{
	const struct plot *plot = bars->view.plot;
	if (bars->width && plot->y_count > 1)
		render_title(out, bars->view.report, bars->view.columns[plot->y[0]].title,
			TREE_NO_TEXT);
}

void
terminal_bar(const struct bars *bars, struct buf *out, size_t row)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	double number;
	if (!bars->width || !view_number(&bars->view, row, bars->view.plot->y[0], &number))
		return;
	double part = axis_position(&bars->axis, number);
	size_t length = (size_t)(part * 8 * (double)bars->width + 0.5);
	if (length == 0 && number > 0)
		length = 1;
	if (length == 0)
		return;
	color_begin(out, bars->color, 0);
	for (size_t i = 0; i < length / 8; i++)
		buf_string(out, "█");
	buf_string(out, eighths[length % 8]);
	color_end(out, bars->color);
}

static void
append_blanks(struct buf *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_byte(out, ' ');
}

/* Appends a label, aligned to the right end of the margin. */
static void
append_label(struct drawing *d, const char *label)
{
	size_t width = utf8_width(label);
	append_blanks(&d->render->out, d->indent + (d->margin > width ? d->margin - width : 0));
	buf_string(&d->render->out, label);
	buf_byte(&d->render->out, ' ');
}

static void
append_cell(struct drawing *d, size_t cell, bool braille)
{
	struct buf *out = &d->render->out;
	uint8_t shown = d->cells[cell];
	if (!shown) {
		buf_byte(out, ' ');
		return;
	}
	color_begin(out, d->render->options.color, d->colors[cell]);
	if (braille) {
		const char character[] = {
			(char)0xe2, (char)(0xa0 | shown >> 6), (char)(0x80 | (shown & 0x3f))};
		buf_append(out, character, sizeof character);
	} else {
		buf_string(out, shades[shown]);
	}
	color_end(out, d->render->options.color);
}

/* Appends a row of cells without trailing blanks. */
static void
append_cells(struct drawing *d, size_t row, bool braille)
{
	size_t first = row * d->width, end = d->width;
	while (end && !d->cells[first + end - 1])
		end--;
	for (size_t i = 0; i < end; i++)
		append_cell(d, first + i, braille);
	struct buf *out = &d->render->out;
	while (out->size && out->data[out->size - 1] == ' ')
		out->size--;
	buf_byte(out, '\n');
	render_flush(d->render);
}

/* Appends the line above a drawing: the titles of plot, vertical and horizontal axis. */
static void
append_titles(struct drawing *d)
{
	struct buf *out = &d->render->out;
	append_blanks(out, d->indent);
	view_title_plot(out, &d->view);
	buf_string(out, ": ");
	view_title_y(out, &d->view);
	buf_string(out, " by ");
	view_title_x(out, &d->view);
	buf_string(out, d->view.plot->log_x || d->view.plot->log_y ? ", logarithmic\n" : "\n");
}

/* Appends the line below a drawing: the ends of the horizontal axis. */
static void
append_ends(struct drawing *d, const struct axis *axis)
{
	char low[AXIS_LABEL], high[AXIS_LABEL];
	axis_end(axis, axis->low, low);
	axis_end(axis, axis->high, high);
	size_t used = strlen(low) + strlen(high);
	append_blanks(&d->render->out, d->indent + d->margin + 1);
	buf_string(&d->render->out, low);
	append_blanks(&d->render->out, d->width > used ? d->width - used : 1);
	buf_printf(&d->render->out, "%s\n", high);
}

/* Sets a dot of a Braille character. spec: Unicode 15, section 21.1: the order of its dots. */
static void
set_dot(struct drawing *d, size_t x, size_t y, size_t color)
{
	static const uint8_t dots[DOTS_DOWN][DOTS_ACROSS] = {
		{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	size_t cell = y / DOTS_DOWN * d->width + x / DOTS_ACROSS;
	d->cells[cell] |= dots[y % DOTS_DOWN][x % DOTS_ACROSS];
	d->colors[cell] = (uint8_t)color;
}

/* Sets the dots of a straight line between two positions, 0 to 1. */
static void
set_line(struct drawing *d, const double *from, const double *dst, size_t color)
{
	double across = (double)(d->width * DOTS_ACROSS - 1);
	double down = (double)(d->height * DOTS_DOWN - 1);
	double steps =
		ceil(fmax(fabs(dst[0] - from[0]) * across, fabs(dst[1] - from[1]) * down));
	for (double i = 0; i <= steps; i++) {
		double part = steps > 0 ? i / steps : 0;
		double x = from[0] + part * (dst[0] - from[0]);
		double y = from[1] + part * (dst[1] - from[1]);
		set_dot(d, (size_t)(x * across + 0.5), (size_t)((1 - y) * down + 0.5), color);
	}
}

/* Draws a line of a curve: the rows of a name, and the y-th column of y. */
static void
draw_line(struct drawing *d, const struct axis *axes, const struct plot_names *names,
	size_t name, size_t y)
{
	const struct plot *plot = d->view.plot;
	double number[2], last[2], place[2];
	bool first = true;
	for (size_t row = 0; row < d->view.rows; row++) {
		if (view_name(&d->view, names, row) != name ||
			!view_number(&d->view, row, plot->x, &number[0]) ||
			!view_number(&d->view, row, plot->y[y], &number[1]) ||
			(plot->log_x && number[0] <= 0) || (plot->log_y && number[1] <= 0))
			continue;
		place[0] = axis_position(&axes[0], number[0]);
		place[1] = axis_position(&axes[1], number[1]);
		set_line(d, first ? place : last, place, names->count > 1 ? name : y);
		memcpy(last, place, sizeof last);
		first = false;
	}
}

/* Returns the axis of x or, if upwards, of all y. */
static struct axis
plain_axis(const struct plot_view *view, bool upwards)
{
	const struct plot *plot = view->plot;
	struct plot_range range = {INFINITY, -INFINITY};
	size_t column = upwards ? plot->y[0] : plot->x;
	bool logarithmic = upwards ? plot->log_y : plot->log_x;
	if (upwards)
		view_range_y(view, &range);
	else
		view_range(view, column, logarithmic, &range);
	if (plot->kind == POLY_PLOT_TIMELINE)
		view_range(view, plot->y[0], logarithmic, &range);
	if (range.low > range.high)
		range = (struct plot_range){1, 10};
	return axis_make(view_axis(view, column, logarithmic), range.low, range.high, 2);
}

/* Appends the legend of several lines; without colours there is none. */
static void
append_legend(struct drawing *d, const struct plot_names *names)
{
	struct buf *out = &d->render->out;
	const struct plot *plot = d->view.plot;
	bool named = names->count > 1;
	size_t count = named ? names->count : plot->y_count;
	if (count < 2 || !d->render->options.color)
		return;
	append_blanks(out, d->indent);
	for (size_t i = 0; i < count && i < LINES_MAX; i++) {
		buf_string(out, i ? "  " : "");
		color_begin(out, true, i);
		buf_string(out, "━━ ");
		color_end(out, true);
		if (named)
			view_text(out, &d->view, names->rows[i], names->column);
		else
			view_title(out, &d->view, plot->y[i], TREE_NO_TEXT, TREE_NO_TEXT);
	}
	buf_byte(out, '\n');
}

/* Appends the rows of a drawing, with the ends of the vertical axis beside the first and last.
 */
static void
append_drawing(struct drawing *d, const struct axis *axes, bool braille)
{
	char low[AXIS_LABEL], high[AXIS_LABEL];
	axis_end(&axes[1], axes[1].low, low);
	axis_end(&axes[1], axes[1].high, high);
	d->margin = strlen(low) > strlen(high) ? strlen(low) : strlen(high);
	for (size_t row = 0; row < d->height; row++) {
		append_label(d, row == 0 ? high : row + 1 == d->height ? low : "");
		append_cells(d, row, braille);
	}
	append_ends(d, &axes[0]);
}

static void
draw_curve(struct drawing *d)
{
	const struct plot *plot = d->view.plot;
	struct plot_names names = view_names(&d->view, plot->series);
	const struct axis axes[] = {plain_axis(&d->view, false), plain_axis(&d->view, true)};
	for (size_t name = 0; name < names.count && name < LINES_MAX; name++) {
		for (size_t y = 0; y < (names.count > 1 ? 1 : plot->y_count); y++)
			draw_line(d, axes, &names, name, y);
	}
	append_legend(d, &names);
	append_drawing(d, axes, true);
}

/* Returns the number of cells of an axis: at most max, and at most its distinct numbers. */
static size_t
heat_cells(const struct drawing *d, const struct axis *axis, size_t column, size_t max)
{
	double distance = view_min_distance(&d->view, column, axis->kind == AXIS_LOG);
	double length =
		axis->kind == AXIS_LOG ? log10(axis->high / axis->low) : axis->high - axis->low;
	if (distance <= 0)
		d->render->out.failed = true;
	return distance > 0 ? (size_t)fmin((double)max, floor(length / distance + 1.5)) : max;
}

/* Draws the shade of the greatest value of each cell. */
static void
draw_heat(struct drawing *d)
{
	const struct plot *plot = d->view.plot;
	const struct axis axes[] = {plain_axis(&d->view, false), plain_axis(&d->view, true)};
	struct plot_range range = {INFINITY, -INFINITY};
	view_range(&d->view, plot->value, false, &range);
	d->width = heat_cells(d, &axes[0], plot->x, d->width);
	d->height = heat_cells(d, &axes[1], plot->y[0], d->height);
	for (size_t row = 0; row < d->view.rows; row++) {
		double x, y, value;
		if (!view_number(&d->view, row, plot->x, &x) ||
			!view_number(&d->view, row, plot->y[0], &y) ||
			!view_number(&d->view, row, plot->value, &value) ||
			(plot->log_x && x <= 0) || (plot->log_y && y <= 0))
			continue;
		size_t across =
			(size_t)(axis_position(&axes[0], x) * ((double)d->width - 1) + .5);
		size_t up = (size_t)(axis_position(&axes[1], y) * ((double)d->height - 1) + .5);
		uint8_t *cell = &d->cells[(d->height - 1 - up) * d->width + across];
		size_t shade = 1 + range_shade(&range, value, 4);
		*cell = (uint8_t)(shade > *cell ? shade : *cell);
	}
	append_drawing(d, axes, false);
}

/* Draws the intervals of a lane; without colours, labels have shades. */
static void
draw_lane(
	struct drawing *d, const struct axis *axis, const struct plot_names *names, size_t lane)
{
	const struct plot *plot = d->view.plot;
	bool color = d->render->options.color;
	double last = (double)d->width - 1;
	for (size_t row = 0; row < d->view.rows; row++) {
		double from, dst;
		if (view_name(&d->view, &names[0], row) != lane ||
			!view_number(&d->view, row, plot->x, &from) ||
			!view_number(&d->view, row, plot->y[0], &dst))
			continue;
		size_t begin = (size_t)(axis_position(axis, fmin(from, dst)) * last + 0.5);
		size_t end = (size_t)(axis_position(axis, fmax(from, dst)) * last + 0.5);
		size_t label = view_name(&d->view, &names[1], row);
		memset(d->cells + lane * d->width + begin, color ? 4 : 4 - (int)(label % 4),
			end - begin + 1);
		memset(d->colors + lane * d->width + begin, (int)(label % LINES_MAX),
			end - begin + 1);
	}
}

static void
draw_timeline(struct drawing *d)
{
	const struct plot *plot = d->view.plot;
	const struct plot_names names[] = {
		view_names(&d->view, plot->series), view_names(&d->view, plot->label)};
	const struct axis axis = plain_axis(&d->view, false);
	size_t lanes = names[0].count < LANES_MAX ? names[0].count : LANES_MAX;
	struct buf name = {0};
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t lane = 0; lane < lanes; lane++) {
			buf_clear(&name);
			if (plot->series != PLOT_NO_COLUMN)
				view_text(&name, &d->view, names[0].rows[lane], plot->series);
			size_t width = utf8_width(buf_text(&name));
			if (pass == 0) {
				d->margin = width > d->margin ? width : d->margin;
				continue;
			}
			draw_lane(d, &axis, names, lane);
			append_label(d, buf_text(&name));
			append_cells(d, lane, false);
		}
		if (pass == 0)
			append_legend(d, &names[1]);
	}
	append_ends(d, &axis);
	d->render->out.failed |= name.failed;
	buf_free(&name);
}

static void
draw(struct drawing *d)
{
	size_t room = d->render->options.width, margin = d->indent + 14;
	d->width = room > margin + 10 ? room - margin : 10;
	d->width = d->width < PLOT_WIDTH ? d->width : PLOT_WIDTH;
	enum poly_plot_kind kind = d->view.plot->kind;
	d->height = kind == POLY_PLOT_HEAT	 ? HEAT_HEIGHT
		    : kind == POLY_PLOT_TIMELINE ? LANES_MAX
						 : PLOT_HEIGHT;
	d->cells = mem_new(2 * d->width, d->height);
	if (!d->cells) {
		d->render->out.failed = true;
		return;
	}
	d->colors = d->cells + d->width * d->height;
	buf_byte(&d->render->out, '\n');
	append_titles(d);
	if (kind == POLY_PLOT_CURVE)
		draw_curve(d);
	else if (kind == POLY_PLOT_HEAT)
		draw_heat(d);
	else
		draw_timeline(d);
	mem_free(d->cells);
}

void
terminal_plots(struct render *render, size_t table, unsigned indent)
{
	const struct poly_report *report = render->report;
	for (size_t i = 0; i < report->plot_count; i++) {
		const struct plot *plot = &report->plots[i];
		if (plot->table != table || plot->kind == POLY_PLOT_BARS ||
			plot->kind == POLY_PLOT_HISTOGRAM)
			continue;
		struct drawing drawing = {
			.render = render, .view = view_make(report, plot), .indent = indent};
		draw(&drawing);
	}
}
