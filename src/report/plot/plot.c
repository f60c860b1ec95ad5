/* SPDX-License-Identifier: MIT */
/* Plots: cells as numbers and names. */
#include "report/plot/plot.h"

#include "report/render.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of absolute values, which keep computations with them finite: greater numbers are not
 * plotted, smaller ones are 0. */
#define PLOT_MAX 1e290
#define PLOT_MIN 1e-290

/* Minimum ratio of the greatest to the least value for logarithmic shades. */
#define PLOT_LOGARITHMIC 30

struct plot_view
view_make(const struct poly_report *report, const struct plot *plot)
{
	struct plot_view view = {.report = report, .plot = plot};
	view.columns = report->items + plot->table + 1;
	while (view.columns[view.width].type == ITEM_COLUMN)
		view.width++;
	view.cells = view.columns + view.width;
	size_t cells = tree_end(report, plot->table) - plot->table - 1 - view.width;
	view.rows = cells / view.width;
	return view;
}

const struct report_item *
view_cell(const struct plot_view *view, size_t row, size_t column)
{
	return &view->cells[row * view->width + column];
}

bool
view_number(const struct plot_view *view, size_t row, size_t column, double *number)
{
	const struct report_item *cell = view_cell(view, row, column);
	if (cell->form == FORM_ABSENT || cell->form == FORM_TEXT)
		return false;
	if (cell->form == FORM_RATIO)
		*number = 100 * cell->value.real;
	else if (cell->form == FORM_REAL)
		*number = cell->value.real;
	else
		*number = (double)cell->value.number;
	if (fabs(*number) < PLOT_MIN)
		*number = 0;
	return fabs(*number) <= PLOT_MAX;
}

bool
view_is_text(const struct plot_view *view, size_t column)
{
	for (size_t row = 0; row < view->rows; row++) {
		if (view_cell(view, row, column)->form == FORM_TEXT)
			return true;
	}
	return false;
}

/* Returns the form of the first cell of a column that is not absent. */
static enum item_form
first_form(const struct plot_view *view, size_t column)
{
	for (size_t row = 0; row < view->rows; row++) {
		if (view_cell(view, row, column)->form != FORM_ABSENT)
			return view_cell(view, row, column)->form;
	}
	return FORM_ABSENT;
}

bool
view_peer(const struct plot_view *view, size_t i, struct plot_view *peer)
{
	const struct plot *plot = &view->report->plots[view->peers[i]];
	const struct report_item *items = view->report->items;
	*peer = view_make(view->report, plot);
	return plot->kind == view->plot->kind &&
	       strcmp(items[plot->table].key, items[view->plot->table].key) == 0;
}

static void
own_range(const struct plot_view *view, size_t column, bool positive, struct plot_range *range)
{
	for (size_t row = 0; row < view->rows; row++) {
		double number;
		if (!view_number(view, row, column, &number) || (positive && number <= 0))
			continue;
		range->low = fmin(range->low, number);
		range->high = fmax(range->high, number);
	}
}

void
view_range(const struct plot_view *view, size_t column, bool positive, struct plot_range *range)
{
	own_range(view, column, positive, range);
	for (size_t i = 0; i < view->peer_count; i++) {
		struct plot_view peer;
		if (!view_peer(view, i, &peer))
			continue;
		for (size_t peer_column = 0; peer_column < peer.width; peer_column++) {
			if (strcmp(peer.columns[peer_column].key, view->columns[column].key) ==
				0)
				own_range(&peer, peer_column, positive, range);
		}
	}
}

void
view_range_y(const struct plot_view *view, struct plot_range *range)
{
	for (size_t i = 0; i < view->plot->y_count; i++)
		view_range(view, view->plot->y[i], view->plot->log_y, range);
}

static int
compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double
view_min_distance(const struct plot_view *view, size_t column, bool logarithmic)
{
	double min = INFINITY, *numbers = mem_new(view->rows + 1, sizeof *numbers);
	size_t count = 0;
	if (!numbers)
		return 0;
	for (size_t row = 0; row < view->rows; row++) {
		double number;
		if (view_number(view, row, column, &number) && (!logarithmic || number > 0))
			numbers[count++] = logarithmic ? log10(number) : number;
	}
	qsort(numbers, count, sizeof *numbers, compare_numbers);
	for (size_t i = 1; i < count; i++) {
		double distance = numbers[i] - numbers[i - 1];
		if (distance > fabs(numbers[i]) * 1e-9)
			min = fmin(min, distance);
	}
	mem_free(numbers);
	return isfinite(min) ? min : 1;
}

bool
range_is_logarithmic(const struct plot_range *range)
{
	return range->low > 0 && range->high / range->low >= PLOT_LOGARITHMIC;
}

size_t
range_shade(const struct plot_range *range, double value, size_t steps)
{
	double fraction = 1;
	if (range_is_logarithmic(range))
		fraction = log(value / range->low) / log(range->high / range->low);
	else if (range->high > range->low)
		fraction = (value - range->low) / (range->high - range->low);
	return (size_t)fmin((double)(steps - 1), fmax(0, fraction) * (double)steps);
}

enum axis_kind
view_axis(const struct plot_view *view, size_t column, bool logarithmic)
{
	if (logarithmic)
		return AXIS_LOG;
	switch (first_form(view, column)) {
	case FORM_ADDRESS: return AXIS_HEX;
	case FORM_COUNT:
	case FORM_BOOL: return AXIS_COUNT;
	case FORM_ABSENT:
	case FORM_TEXT:
	case FORM_REAL:
	case FORM_RATIO: break;
	}
	return AXIS_LINEAR;
}

static bool
same_cell(
	const struct plot_view *view, const struct report_item *a, const struct report_item *b)
{
	if (a->form != b->form)
		return false;
	if (a->form == FORM_TEXT)
		return strcmp(tree_text(view->report, a->value.text),
			       tree_text(view->report, b->value.text)) == 0;
	return a->form == FORM_ABSENT || a->value.number == b->value.number;
}

size_t
view_name(const struct plot_view *view, const struct plot_names *names, size_t row)
{
	size_t i = 0;
	if (names->column == PLOT_NO_COLUMN)
		return 0;
	while (i < names->count && !same_cell(view, view_cell(view, row, names->column),
					   view_cell(view, names->rows[i], names->column)))
		i++;
	return i;
}

struct plot_names
view_names(const struct plot_view *view, size_t column)
{
	struct plot_names names = {.column = column, .count = column == PLOT_NO_COLUMN};
	for (size_t row = 0; row < view->rows && !names.overflow; row++) {
		if (view_name(view, &names, row) < names.count)
			continue;
		names.overflow = names.count == NAMES_MAX;
		if (!names.overflow)
			names.rows[names.count++] = row;
	}
	return names;
}

size_t
view_next(const struct plot_view *view, const struct plot_names *names, size_t name, size_t row)
{
	while (row < view->rows && view_name(view, names, row) != name)
		row++;
	return row;
}

void
view_text(struct buf *out, const struct plot_view *view, size_t row, size_t column)
{
	render_item(out, view->report, view_cell(view, row, column));
}

void
view_title(
	struct buf *out, const struct plot_view *view, size_t column, size_t title, size_t unit)
{
	if (column != PLOT_NO_COLUMN) {
		const struct report_item *item = &view->columns[column];
		title = title == TREE_NO_TEXT ? item->title : title;
		unit = unit == TREE_NO_TEXT ? item->unit : unit;
	}
	render_title(out, view->report, title, unit);
}

void
view_title_x(struct buf *out, const struct plot_view *view)
{
	const struct plot *plot = view->plot;
	view_title(out, view, plot->x, plot->x_title, plot->x_unit);
}

void
view_title_y(struct buf *out, const struct plot_view *view)
{
	const struct plot *plot = view->plot;
	bool all = plot->y_title == TREE_NO_TEXT && plot->kind != POLY_PLOT_HEAT;
	if (plot->kind == POLY_PLOT_TIMELINE) {
		if (plot->series != PLOT_NO_COLUMN || plot->y_title != TREE_NO_TEXT)
			view_title(out, view, plot->series, plot->y_title, plot->y_unit);
		return;
	}
	if (!all || plot->y_count == 1) {
		view_title(out, view, plot->y[0], plot->y_title, plot->y_unit);
		return;
	}
	for (size_t i = 0; i < plot->y_count; i++) {
		bool last = i + 1 == plot->y_count;
		buf_string(out, i ? ", " : "");
		render_title(out, view->report, view->columns[plot->y[i]].title,
			last ? plot->y_unit : TREE_NO_TEXT);
	}
}

void
view_title_plot(struct buf *out, const struct plot_view *view)
{
	size_t own = view->plot->title, title = view->report->items[view->plot->table].title;
	render_title(out, view->report, own == TREE_NO_TEXT ? title : own, TREE_NO_TEXT);
}
