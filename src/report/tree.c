/* SPDX-License-Identifier: MIT */
/* Building a report. */
#include "report/tree.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "report/terms.h"

#include <math.h>
#include <string.h>

/* Valid parents of each type of item, as bits of types. */
#define IN(type) (1u << (type))
static const unsigned parents[] = {
	[ITEM_SECTION] = IN(ITEM_SECTION) | IN(ITEM_LIST),
	[ITEM_LIST] = IN(ITEM_SECTION),
	[ITEM_TABLE] = IN(ITEM_SECTION),
	[ITEM_COLUMN] = IN(ITEM_TABLE),
	[ITEM_VALUE] = IN(ITEM_SECTION),
	[ITEM_NOTE] = IN(ITEM_SECTION),
	[ITEM_CELL] = IN(ITEM_TABLE),
	[ITEM_END] = IN(ITEM_SECTION) | IN(ITEM_LIST) | IN(ITEM_TABLE),
};

struct poly_report *
poly_report_new(void)
{
	return mem_new(1, sizeof(struct poly_report));
}

void
poly_report_free(struct poly_report *report)
{
	if (!report)
		return;
	mem_free(report->items);
	mem_free(report->plots);
	buf_free(&report->texts);
	mem_free(report);
}

void
tree_fail(struct poly_report *report)
{
	report->failed = true;
}

const char *
tree_text(const struct poly_report *report, size_t offset)
{
	return (const char *)report->texts.data + offset;
}

size_t
tree_end(const struct poly_report *report, size_t i)
{
	size_t depth = 0;
	for (;; i++) {
		enum item_type type = report->items[i].type;
		if (type == ITEM_SECTION || type == ITEM_LIST || type == ITEM_TABLE)
			depth++;
		else if (type == ITEM_END && --depth == 0)
			return i;
	}
}

bool
tree_is_plotted(const struct poly_report *report, size_t table)
{
	for (size_t i = 0; i < report->plot_count; i++) {
		if (report->plots[i].table == table)
			return true;
	}
	return false;
}

bool
tree_has_content(const struct report_item *item)
{
	for (size_t depth = 0;; item++) {
		if (item->type == ITEM_CELL ||
			(item->type == ITEM_VALUE && item->form != FORM_ABSENT))
			return true;
		if (item->type == ITEM_SECTION || item->type == ITEM_LIST ||
			item->type == ITEM_TABLE)
			depth++;
		else if (item->type == ITEM_END && --depth == 0)
			return false;
	}
}

/* Returns the message on a misplaced item; NULL if it is valid. */
static const char *
tree_misuse(const struct poly_report *report, enum item_type type)
{
	enum item_type around = report->depth ? report->open[report->depth - 1] : ITEM_SECTION;
	bool opens = type == ITEM_SECTION || type == ITEM_LIST || type == ITEM_TABLE;
	if (opens && report->depth == POLY_REPORT_DEPTH)
		return "report: sections nest too deeply";
	if (type == ITEM_END && report->depth == 0)
		return "report: end without an open section";
	if (!(parents[type] & IN(around)))
		return "report: misplaced item";
	if (type == ITEM_COLUMN && report->cells)
		return "report: column after the first cell of a table";
	if (type == ITEM_CELL && !report->columns)
		return "report: cell in a table without columns";
	if (type == ITEM_END && around == ITEM_TABLE && report->columns &&
		report->cells % report->columns)
		return "report: incomplete last row of a table";
	return NULL;
}

/* Updates the state of open items. */
static void
tree_follow(struct poly_report *report, enum item_type type)
{
	switch (type) {
	case ITEM_SECTION:
	case ITEM_LIST:
	case ITEM_TABLE:
		report->open[report->depth++] = type;
		report->table = report->count;
		report->columns = report->cells = 0;
		break;
	case ITEM_END: report->depth--; break;
	case ITEM_COLUMN: report->columns++; break;
	case ITEM_CELL: report->cells++; break;
	case ITEM_VALUE:
	case ITEM_NOTE: break;
	}
}

/* Adds an item of a type and key; returns NULL after wrong use or if out of memory. */
static struct report_item *
tree_add(struct poly_report *report, enum item_type type, const char *key)
{
	if (!report->misuse)
		report->misuse = tree_misuse(report, type);
	if (report->failed || report->misuse)
		return NULL;
	if (!VEC_ROOM(report->items, report->capacity, report->count)) {
		report->failed = true;
		return NULL;
	}
	tree_follow(report, type);
	struct report_item *item = &report->items[report->count++];
	memset(item, 0, sizeof *item);
	item->type = type;
	item->key = key;
	item->title = item->unit = TREE_NO_TEXT;
	return item;
}

/* Copies text and returns its offset; TREE_NO_TEXT for NULL. Lack of memory sets failed. */
static size_t
tree_copy(struct poly_report *report, const char *text)
{
	size_t at = report->texts.size;
	if (!text)
		return TREE_NO_TEXT;
	utf8_append(&report->texts, text);
	buf_byte(&report->texts, 0);
	if (report->texts.failed)
		report->failed = true;
	return at;
}

/* Adds an item with the label and the unit of its key. */
static struct report_item *
tree_labelled(struct poly_report *report, enum item_type type, const char *key)
{
	struct report_item *item = tree_add(report, type, key);
	if (!item || !key)
		return item;
	const struct term *term = terms_find(key);
	struct buf label = {0};
	const char *unit = term ? term->unit : terms_derive(&label, key);
	item->title = tree_copy(report, term ? term->label : buf_text(&label));
	if (type == ITEM_COLUMN || type == ITEM_VALUE)
		item->unit = tree_copy(report, unit);
	report->failed |= label.failed;
	buf_free(&label);
	return item;
}

static void
set_text(struct poly_report *report, struct report_item *item, const char *text)
{
	if (!item || !text)
		return;
	item->form = FORM_TEXT;
	item->value.text = tree_copy(report, text);
}

static void
set_number(struct report_item *item, enum item_form form, uint64_t number, unsigned digits)
{
	if (!item)
		return;
	item->form = form;
	item->value.number = number;
	item->digits = digits < 1 ? 1 : digits > 16 ? 16 : digits;
}

static void
set_real(struct report_item *item, enum item_form form, double real, unsigned decimals)
{
	if (!item || !isfinite(real))
		return;
	item->form = form;
	/* Zero has no sign. */
	item->value.real = real == 0 ? 0 : real;
	item->digits = decimals > 17 ? 17 : decimals;
}

static void
set_ratio(struct report_item *item, double part, double whole, unsigned decimals)
{
	set_real(item, FORM_RATIO, whole != 0 ? part / whole : NAN, decimals);
}

void
poly_report_section(struct poly_report *report, const char *key)
{
	tree_labelled(report, ITEM_SECTION, key);
}

void
poly_report_list(struct poly_report *report, const char *key)
{
	tree_labelled(report, ITEM_LIST, key);
}

void
poly_report_table(struct poly_report *report, const char *key)
{
	tree_labelled(report, ITEM_TABLE, key);
}

void
poly_report_end(struct poly_report *report)
{
	tree_add(report, ITEM_END, NULL);
}

void
poly_report_text(struct poly_report *report, const char *key, const char *value)
{
	set_text(report, tree_labelled(report, ITEM_VALUE, key), value);
}

void
poly_report_count(struct poly_report *report, const char *key, uint64_t value)
{
	set_number(tree_labelled(report, ITEM_VALUE, key), FORM_COUNT, value, 1);
}

void
poly_report_address(
	struct poly_report *report, const char *key, uint64_t value, unsigned digits)
{
	set_number(tree_labelled(report, ITEM_VALUE, key), FORM_ADDRESS, value, digits);
}

void
poly_report_real(struct poly_report *report, const char *key, double value, unsigned decimals)
{
	set_real(tree_labelled(report, ITEM_VALUE, key), FORM_REAL, value, decimals);
}

void
poly_report_ratio(struct poly_report *report, const char *key, double part, double whole,
	unsigned decimals)
{
	struct report_item *item = tree_labelled(report, ITEM_VALUE, key);
	set_ratio(item, part, whole, decimals);
	if (item && item->unit == TREE_NO_TEXT)
		item->unit = tree_copy(report, "%");
}

void
poly_report_bool(struct poly_report *report, const char *key, bool value)
{
	set_number(tree_labelled(report, ITEM_VALUE, key), FORM_BOOL, value, 1);
}

void
poly_report_column(struct poly_report *report, const char *key, bool right)
{
	struct report_item *item = tree_labelled(report, ITEM_COLUMN, key);
	if (item)
		item->right = right;
}

void
poly_report_note(struct poly_report *report, const char *text)
{
	set_text(report, tree_add(report, ITEM_NOTE, NULL), text);
}

/* Records a wrong use; returns true if nothing can be added any more. */
static bool
tree_reject(struct poly_report *report, const char *misuse)
{
	if (!report->misuse)
		report->misuse = misuse;
	return report->failed || report->misuse;
}

/* Returns the item added last if its type is in a set of bits; else records a wrong use. */
static struct report_item *
tree_last(struct poly_report *report, unsigned types, const char *misuse)
{
	struct report_item *item = report->count ? &report->items[report->count - 1] : NULL;
	bool fits = item && (types & IN(item->type));
	return tree_reject(report, fits ? NULL : misuse) ? NULL : item;
}

void
poly_report_heading(struct poly_report *report, const char *text)
{
	const unsigned types = IN(ITEM_SECTION) | IN(ITEM_LIST) | IN(ITEM_TABLE) |
			       IN(ITEM_COLUMN) | IN(ITEM_VALUE);
	struct report_item *item = tree_last(report, types, "report: heading without an item");
	if (!item)
		return;
	item->title = tree_copy(report, text);
	item->unit = TREE_NO_TEXT;
}

void
poly_report_unit(struct poly_report *report, const char *unit)
{
	struct report_item *item = tree_last(report, IN(ITEM_COLUMN) | IN(ITEM_VALUE),
		"report: unit without a column or value");
	if (item)
		item->unit = tree_copy(report, unit);
}

/* Returns the index of the open table's column with a key; PLOT_NO_COLUMN if it lacks it. */
static size_t
plot_column(const struct poly_report *report, const char *key)
{
	const struct report_item *columns = report->items + report->table + 1;
	for (size_t i = 0; key && i < report->columns; i++) {
		if (strcmp(columns[i].key, key) == 0)
			return i;
	}
	return PLOT_NO_COLUMN;
}

/* Returns the message on an invalid plot, whose columns have been looked up; NULL if it is
 * valid. */
static const char *
plot_misuse(const struct poly_plot *from, const struct plot *plot)
{
	const char *const keys[] = {from->x, from->value, from->series, from->label};
	const size_t found[] = {plot->x, plot->value, plot->series, plot->label};
	if (!from->x || !from->y[0] || (from->kind == POLY_PLOT_HEAT && !from->value))
		return "report: plot lacks a required column";
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (keys[i] && found[i] == PLOT_NO_COLUMN)
			return "report: plot of a column that its table lacks";
	}
	for (size_t i = 0; i < plot->y_count; i++) {
		if (plot->y[i] == PLOT_NO_COLUMN)
			return "report: plot of a column that its table lacks";
	}
	if ((unsigned)from->kind > POLY_PLOT_TIMELINE)
		return "report: unknown kind of plot";
	return NULL;
}

/* Returns a plot with its columns looked up, without texts. */
static struct plot
plot_resolve(const struct poly_report *report, const struct poly_plot *from)
{
	struct plot plot = {.table = report->table,
		.kind = from->kind,
		.x = plot_column(report, from->x),
		.value = plot_column(report, from->value),
		.series = plot_column(report, from->series),
		.label = plot_column(report, from->label),
		.log_x = from->log_x,
		.log_y = from->log_y};
	for (; plot.y_count < POLY_PLOT_Y_MAX && from->y[plot.y_count]; plot.y_count++)
		plot.y[plot.y_count] = plot_column(report, from->y[plot.y_count]);
	return plot;
}

/* Reserves memory for a plot; returns false if out of memory. */
static bool
plot_reserve(struct poly_report *report)
{
	const bool ok = VEC_ROOM(report->plots, report->plot_capacity, report->plot_count);
	report->failed |= !ok;
	return ok;
}

void
poly_report_plot(struct poly_report *report, const struct poly_plot *plot)
{
	struct poly_plot from = POLY_PLOT_INIT;
	bool table = report->depth && report->open[report->depth - 1] == ITEM_TABLE;
	memcpy(&from, plot, plot->size < sizeof from ? plot->size : sizeof from);
	if (tree_reject(report, table ? NULL : "report: plot outside a table") ||
		tree_reject(report,
			plot->size
				? NULL
				: "report: plot has size 0; initialize it with POLY_PLOT_INIT"))
		return;
	struct plot resolved = plot_resolve(report, &from);
	if (tree_reject(report, plot_misuse(&from, &resolved)) || !plot_reserve(report))
		return;
	resolved.title = tree_copy(report, from.title);
	resolved.x_title = tree_copy(report, from.x_title);
	resolved.x_unit = tree_copy(report, from.x_unit);
	resolved.y_title = tree_copy(report, from.y_title);
	resolved.y_unit = tree_copy(report, from.y_unit);
	report->plots[report->plot_count++] = resolved;
}

void
poly_report_cell_text(struct poly_report *report, const char *value)
{
	set_text(report, tree_add(report, ITEM_CELL, NULL), value);
}

void
poly_report_cell_count(struct poly_report *report, uint64_t value)
{
	set_number(tree_add(report, ITEM_CELL, NULL), FORM_COUNT, value, 1);
}

void
poly_report_cell_id(struct poly_report *report, uint64_t value)
{
	struct report_item *item = tree_add(report, ITEM_CELL, NULL);
	set_number(item, FORM_COUNT, value, 1);
	if (item)
		item->digits = 0;
}

void
poly_report_cell_address(struct poly_report *report, uint64_t value, unsigned digits)
{
	set_number(tree_add(report, ITEM_CELL, NULL), FORM_ADDRESS, value, digits);
}

void
poly_report_cell_real(struct poly_report *report, double value, unsigned decimals)
{
	set_real(tree_add(report, ITEM_CELL, NULL), FORM_REAL, value, decimals);
}

void
poly_report_cell_ratio(struct poly_report *report, double part, double whole, unsigned decimals)
{
	struct report_item *item = tree_add(report, ITEM_CELL, NULL);
	if (!item)
		return;
	set_ratio(item, part, whole, decimals);
	struct report_item *column =
		&report->items[report->table + 1 + (report->cells - 1) % report->columns];
	if (column->unit == TREE_NO_TEXT)
		column->unit = tree_copy(report, "%");
}
