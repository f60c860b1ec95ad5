/* SPDX-License-Identifier: MIT */
/*
 * A report as CSV: one block of values, then one block per table; or one table alone.
 * spec: RFC 4180 (quoting; lines end in a line feed alone).
 */
#include "report/render.h"
#include "report/tables.h"

#include "base/quote.h"

#include <string.h>

struct csv {
	struct render *render;
	struct report_path path;
	bool started; /* a block was written */
};

static void
csv_text(struct render *render, const char *text)
{
	quote_csv(&render->out, text, strlen(text), render->options.csv_safe);
}

static void
csv_value(struct render *render, const struct report_item *item)
{
	char text[RENDER_NUMBER];
	if (item->form == FORM_TEXT) {
		csv_text(render, tree_text(render->report, item->value.text));
	} else if (item->form == FORM_BOOL) {
		buf_string(&render->out, item->value.number ? "true" : "false");
	} else {
		render_number(item, false, text);
		buf_string(&render->out, text);
	}
}

/* Appends the path of the open section; an empty path has no quotes, unlike an empty text. */
static void
csv_path(struct csv *csv)
{
	const char *path = buf_text(&csv->path.text);
	if (*path)
		csv_text(csv->render, path);
}

static void
csv_values(struct csv *csv, const struct report_item *item)
{
	struct render *render = csv->render;
	if (item->type != ITEM_VALUE)
		return;
	if (!csv->started)
		buf_string(&render->out, "section,key,value\n");
	csv->started = true;
	csv_path(csv);
	buf_byte(&render->out, ',');
	csv_text(render, item->key);
	buf_byte(&render->out, ',');
	csv_value(render, item);
	buf_byte(&render->out, '\n');
	render_flush(render);
}

/* Returns the number of columns of a table. */
static size_t
count_columns(const struct report_item *table)
{
	size_t columns = 0;
	while (table[1 + columns].type == ITEM_COLUMN)
		columns++;
	return columns;
}

static void
csv_header(struct render *render, const struct report_item *table, const char *first)
{
	if (first)
		buf_string(&render->out, first);
	for (size_t i = 1; table[i].type == ITEM_COLUMN; i++) {
		if (i > 1 || first)
			buf_byte(&render->out, ',');
		csv_text(render, table[i].key);
	}
	buf_byte(&render->out, '\n');
}

/* Appends the cells of a row. */
static void
csv_cells(struct render *render, const struct report_item *item, size_t columns)
{
	for (size_t i = 0; i < columns; i++) {
		if (i)
			buf_byte(&render->out, ',');
		csv_value(render, &item[i]);
	}
	buf_byte(&render->out, '\n');
	render_flush(render);
}

static void
csv_tables(struct csv *csv, const struct report_item *item)
{
	struct buf *out = &csv->render->out;
	if (item->type != ITEM_TABLE)
		return;
	if (csv->started)
		buf_byte(out, '\n');
	csv->started = true;
	csv_header(csv->render, item, "table");
	const size_t columns = count_columns(item);
	for (item += 1 + columns; item->type == ITEM_CELL; item += columns) {
		csv_path(csv);
		buf_byte(out, ',');
		csv_cells(csv->render, item, columns);
	}
}

static void
csv_walk(struct csv *csv, void (*visit)(struct csv *, const struct report_item *))
{
	const struct poly_report *report = csv->render->report;
	for (size_t i = 0; i < report->count; i++) {
		const struct report_item *item = &report->items[i];
		report_path_enter(&csv->path, item);
		visit(csv, item);
		report_path_leave(&csv->path, item);
	}
}

void
render_csv(struct render *render)
{
	struct csv csv = {.render = render};
	csv_walk(&csv, csv_values);
	csv.path.open[0].element = 0;
	csv_walk(&csv, csv_tables);
	render->out.failed |= csv.path.text.failed;
	buf_free(&csv.path.text);
}

void
render_csv_table(struct render *render)
{
	const struct report_item *item = render->report->items;
	const size_t columns = count_columns(item);
	const char *file = render->options.file;
	if (!render->options.no_header)
		csv_header(render, item, file ? "file" : NULL);
	for (item += 1 + columns; item->type == ITEM_CELL; item += columns) {
		if (file) {
			csv_text(render, file);
			buf_byte(&render->out, ',');
		}
		csv_cells(render, item, columns);
	}
}
