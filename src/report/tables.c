/* SPDX-License-Identifier: MIT */
/* The tables of a report by their paths. */
#include "report/tables.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* The name of the table of all values. */
#define VALUES "values"

void
report_path_enter(struct report_path *path, const struct report_item *item)
{
	if (item->type != ITEM_SECTION && item->type != ITEM_LIST && item->type != ITEM_TABLE)
		return;
	const bool element = path->open[path->depth].list;
	const size_t number = path->open[path->depth].element++;
	path->depth++;
	path->open[path->depth].length = path->text.size;
	path->open[path->depth].element = 0;
	path->open[path->depth].list = item->type == ITEM_LIST;
	if (path->text.size)
		buf_byte(&path->text, '.');
	if (element)
		buf_printf(&path->text, "%zu", number);
	else
		buf_string(&path->text, item->key);
}

void
report_path_leave(struct report_path *path, const struct report_item *item)
{
	if (item->type == ITEM_END)
		path->text.size = path->open[path->depth--].length;
}

/* Returns whether a name is a path, or its last parts. */
static bool
is_path(const char *path, const char *name)
{
	const size_t n = strlen(path), m = strlen(name);
	return m <= n && strcmp(path + n - m, name) == 0 && (m == n || path[n - m - 1] == '.');
}

/* Returns the number of tables of a name, and the index of the first one; an equal path is the
 * only one. */
static size_t
find_tables(struct report_path *path, const struct poly_report *report, const char *name,
	size_t *first)
{
	size_t found = 0, exact = SIZE_MAX;
	for (size_t i = 0; i < report->count; i++) {
		const struct report_item *item = &report->items[i];
		report_path_enter(path, item);
		if (item->type == ITEM_TABLE && is_path(buf_text(&path->text), name)) {
			*first = found++ ? *first : i;
			exact = strcmp(buf_text(&path->text), name) == 0 ? i : exact;
		}
		report_path_leave(path, item);
	}
	if (exact == SIZE_MAX)
		return found;
	*first = exact;
	return 1;
}

/* Adds a value as the next cell of another report. */
static void
copy_value(struct poly_report *to, const struct poly_report *report,
	const struct report_item *item)
{
	switch (item->form) {
	case FORM_ABSENT: poly_report_cell_text(to, NULL); break;
	case FORM_TEXT:
		poly_report_cell_text(to, tree_text(report, item->value.text));
		break;
	case FORM_COUNT: poly_report_cell_count(to, item->value.number); break;
	case FORM_ADDRESS:
		poly_report_cell_address(to, item->value.number, item->digits);
		break;
	case FORM_REAL:
	case FORM_RATIO: poly_report_cell_real(to, item->value.real, item->digits); break;
	case FORM_BOOL: poly_report_cell_text(to, item->value.number ? "true" : "false"); break;
	}
}

/* Builds the table of all values; NULL: out of memory. */
static struct poly_report *
list_values(struct report_path *path, const struct poly_report *report)
{
	struct poly_report *values = poly_report_new();
	if (!values)
		return NULL;
	poly_report_table(values, VALUES);
	poly_report_column(values, "section", false);
	poly_report_column(values, "key", false);
	poly_report_column(values, "value", false);
	for (size_t i = 0; i < report->count; i++) {
		const struct report_item *item = &report->items[i];
		report_path_enter(path, item);
		if (item->type == ITEM_VALUE) {
			poly_report_cell_text(
				values, path->text.size ? buf_text(&path->text) : NULL);
			poly_report_cell_text(values, item->key);
			copy_value(values, report, item);
		}
		report_path_leave(path, item);
	}
	poly_report_end(values);
	return values;
}

/* Sets a view of the items of a table, with its plots; false: out of memory. */
static bool
view_table(struct poly_report *view, const struct poly_report *report, size_t table)
{
	*view = *report;
	view->items = report->items + table;
	view->count = tree_end(report, table) + 1 - table;
	view->plot_count = 0;
	view->plots = mem_new(report->plot_count + 1, sizeof *view->plots);
	for (size_t i = 0; view->plots && i < report->plot_count; i++) {
		if (report->plots[i].table != table)
			continue;
		view->plots[view->plot_count] = report->plots[i];
		view->plots[view->plot_count++].table = 0;
	}
	return view->plots;
}

enum poly_status
report_table_open(struct report_table *table, const struct poly_report *report,
	const char *name, struct poly_error *error)
{
	struct report_path path = {.depth = 0};
	size_t first = 0;
	bool complete = true;
	*table = (struct report_table){.own = NULL};
	const size_t found = find_tables(&path, report, name, &first);
	const bool values = found == 0 && strcmp(name, VALUES) == 0;
	if (values) {
		table->own = list_values(&path, report);
		complete = table->own && !table->own->failed;
	} else if (found == 1) {
		complete = view_table(&table->view, report, first);
	}
	complete &= !path.text.failed;
	buf_free(&path.text);
	if (!complete)
		return err_memory(error);
	if (found == 1 || values)
		return POLY_OK;
	if (!found)
		return err_usage(error, "no table '%s'", name);
	return err_usage(error, "%zu tables are named '%s'", found, name);
}

void
report_table_close(struct report_table *table)
{
	poly_report_free(table->own);
	mem_free(table->view.plots);
}

const struct poly_report *
report_table_report(const struct report_table *table)
{
	return table->own ? table->own : &table->view;
}

bool
poly_report_table_at(const struct poly_report *report, size_t index, char *name, size_t size)
{
	struct report_path path = {.depth = 0};
	bool found = false, values = false;
	for (size_t i = 0; i < report->count && !found; i++) {
		const struct report_item *item = &report->items[i];
		report_path_enter(&path, item);
		const bool counts =
			item->type == ITEM_TABLE || (item->type == ITEM_VALUE && !values);
		found = counts && index-- == 0;
		if (found)
			snprintf(name, size, "%s",
				item->type == ITEM_TABLE ? buf_text(&path.text) : VALUES);
		values |= item->type == ITEM_VALUE;
		report_path_leave(&path, item);
	}
	buf_free(&path.text);
	return found;
}
