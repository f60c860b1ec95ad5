/* SPDX-License-Identifier: MIT */
/* Plots: cells as numbers and names. */
#include "report/plot.h"

#include "report/render.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers beyond are not plotted, smaller ones are 0, so that what is computed of them and of
 * their distances is finite. */
#define PLOT_GREATEST 1e290
#define PLOT_LEAST 1e-290

/* Values whose greatest is so many times the least are told apart by their logarithm. */
#define PLOT_LOGARITHMIC 30

struct view
view_of(const struct poly_report *report, const struct plot *plot)
{
	struct view view = {.report = report, .plot = plot};
	view.columns = report->items + plot->table + 1;
	while (view.columns[view.width].type == ITEM_COLUMN)
		view.width++;
	view.cells = view.columns + view.width;
	size_t cells = tree_end(report, plot->table) - plot->table - 1 - view.width;
	view.rows = cells / view.width;
	return view;
}

const struct item *
view_cell(const struct view *view, size_t row, size_t column)
{
	return &view->cells[row * view->width + column];
}

bool
view_number(const struct view *view, size_t row, size_t column, double *number)
{
	const struct item *cell = view_cell(view, row, column);
	if (cell->form == FORM_ABSENT || cell->form == FORM_TEXT)
		return false;
	if (cell->form == FORM_RATIO)
		*number = 100 * cell->value.real;
	else if (cell->form == FORM_REAL)
		*number = cell->value.real;
	else
		*number = (double)cell->value.number;
	if (fabs(*number) < PLOT_LEAST)
		*number = 0;
	return fabs(*number) <= PLOT_GREATEST;
}

bool
view_is_text(const struct view *view, size_t column)
{
	for (size_t row = 0; row < view->rows; row++) {
		if (view_cell(view, row, column)->form == FORM_TEXT)
			return true;
	}
	return false;
}

/* What the first cell of a column that is there holds. */
static enum item_form
first_form(const struct view *view, size_t column)
{
	for (size_t row = 0; row < view->rows; row++) {
		if (view_cell(view, row, column)->form != FORM_ABSENT)
			return view_cell(view, row, column)->form;
	}
	return FORM_ABSENT;
}

bool
view_peer(const struct view *view, size_t i, struct view *peer)
{
	const struct plot *plot = &view->report->plots[view->peers[i]];
	const struct item *items = view->report->items;
	*peer = view_of(view->report, plot);
	return plot->kind == view->plot->kind &&
	       strcmp(items[plot->table].key, items[view->plot->table].key) == 0;
}

static void
own_range(const struct view *view, size_t column, bool positive, struct range *range)
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
view_range(const struct view *view, size_t column, bool positive, struct range *range)
{
	own_range(view, column, positive, range);
	for (size_t i = 0; i < view->peer_count; i++) {
		struct view peer;
		if (!view_peer(view, i, &peer))
			continue;
		for (size_t other = 0; other < peer.width; other++) {
			if (strcmp(peer.columns[other].key, view->columns[column].key) == 0)
				own_range(&peer, other, positive, range);
		}
	}
}

void
view_range_y(const struct view *view, struct range *range)
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
view_distance(const struct view *view, size_t column, bool logarithmic)
{
	double least = INFINITY, *numbers = mem_new(view->rows + 1, sizeof *numbers);
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
			least = fmin(least, distance);
	}
	mem_free(numbers);
	return isfinite(least) ? least : 1;
}

bool
range_is_logarithmic(const struct range *range)
{
	return range->low > 0 && range->high / range->low >= PLOT_LOGARITHMIC;
}

size_t
range_step(const struct range *range, double value, size_t steps)
{
	double part = 1;
	if (range_is_logarithmic(range))
		part = log(value / range->low) / log(range->high / range->low);
	else if (range->high > range->low)
		part = (value - range->low) / (range->high - range->low);
	return (size_t)fmin((double)(steps - 1), fmax(0, part) * (double)steps);
}

enum axis_kind
view_axis(const struct view *view, size_t column, bool logarithmic)
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
same_cell(const struct view *view, const struct item *a, const struct item *b)
{
	if (a->form != b->form)
		return false;
	if (a->form == FORM_TEXT)
		return strcmp(tree_text(view->report, a->value.text),
			       tree_text(view->report, b->value.text)) == 0;
	return a->form == FORM_ABSENT || a->value.number == b->value.number;
}

size_t
view_name(const struct view *view, const struct names *names, size_t row)
{
	size_t i = 0;
	if (names->column == PLOT_NO_COLUMN)
		return 0;
	while (i < names->count && !same_cell(view, view_cell(view, row, names->column),
					   view_cell(view, names->rows[i], names->column)))
		i++;
	return i;
}

struct names
view_names(const struct view *view, size_t column)
{
	struct names names = {.column = column, .count = column == PLOT_NO_COLUMN};
	for (size_t row = 0; row < view->rows && !names.more; row++) {
		if (view_name(view, &names, row) < names.count)
			continue;
		names.more = names.count == NAMES_MOST;
		if (!names.more)
			names.rows[names.count++] = row;
	}
	return names;
}

size_t
view_next(const struct view *view, const struct names *names, size_t name, size_t row)
{
	while (row < view->rows && view_name(view, names, row) != name)
		row++;
	return row;
}

void
view_text(struct buf *to, const struct view *view, size_t row, size_t column)
{
	render_shown(to, view->report, view_cell(view, row, column));
}

void
view_title(struct buf *to, const struct view *view, size_t column, size_t title, size_t unit)
{
	if (column != PLOT_NO_COLUMN) {
		const struct item *item = &view->columns[column];
		title = title == TREE_NO_TEXT ? item->title : title;
		unit = unit == TREE_NO_TEXT ? item->unit : unit;
	}
	render_titled(to, view->report, title, unit);
}

void
view_title_x(struct buf *to, const struct view *view)
{
	const struct plot *plot = view->plot;
	view_title(to, view, plot->x, plot->x_title, plot->x_unit);
}

void
view_title_y(struct buf *to, const struct view *view)
{
	const struct plot *plot = view->plot;
	bool all = plot->y_title == TREE_NO_TEXT && plot->kind != POLY_PLOT_HEAT;
	if (plot->kind == POLY_PLOT_TIMELINE) {
		if (plot->series != PLOT_NO_COLUMN || plot->y_title != TREE_NO_TEXT)
			view_title(to, view, plot->series, plot->y_title, plot->y_unit);
		return;
	}
	if (!all || plot->y_count == 1) {
		view_title(to, view, plot->y[0], plot->y_title, plot->y_unit);
		return;
	}
	for (size_t i = 0; i < plot->y_count; i++) {
		bool last = i + 1 == plot->y_count;
		buf_string(to, i ? ", " : "");
		render_titled(to, view->report, view->columns[plot->y[i]].title,
			last ? plot->y_unit : TREE_NO_TEXT);
	}
}

void
view_title_plot(struct buf *to, const struct view *view)
{
	size_t own = view->plot->title, title = view->report->items[view->plot->table].title;
	render_titled(to, view->report, own == TREE_NO_TEXT ? title : own, TREE_NO_TEXT);
}
