/* SPDX-License-Identifier: MIT */
/*
 * A report as CSV: one block of values, then one block per table.
 * spec: RFC 4180 (quoting; lines end in a line feed alone).
 */
#include "report/render.h"

#include <string.h>

/* The open sections: render->path has their keys joined by dots. */
struct csv {
	struct render *render;
	unsigned depth;
	struct {
		size_t length;	/* of the path of its parent */
		size_t element; /* number of the next section of a list */
		bool list;
	} open[POLY_REPORT_DEPTH + 1];
	bool started; /* a block was written */
};

static void
csv_text(struct buf *out, const char *text)
{
	if (*text && !strpbrk(text, ",\"\r\n")) {
		buf_string(out, text);
		return;
	}
	buf_byte(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			buf_byte(out, '"');
		buf_byte(out, (uint8_t)*text);
	}
	buf_byte(out, '"');
}

static void
csv_value(struct render *render, const struct report_item *item)
{
	char text[RENDER_NUMBER];
	if (item->form == FORM_TEXT) {
		csv_text(&render->out, tree_text(render->report, item->value.text));
	} else if (item->form == FORM_BOOL) {
		buf_string(&render->out, item->value.number ? "true" : "false");
	} else {
		render_number(item, false, text);
		buf_string(&render->out, text);
	}
}

/* Appends the path of the open section; an empty path has no quotes, unlike an empty text. */
static void
csv_path(struct render *render)
{
	const char *path = buf_text(&render->path);
	if (*path)
		csv_text(&render->out, path);
}

static void
csv_enter(struct csv *csv, const struct report_item *item)
{
	struct buf *path = &csv->render->path;
	bool element = csv->open[csv->depth].list;
	size_t number = csv->open[csv->depth].element++;
	csv->depth++;
	csv->open[csv->depth].length = path->size;
	csv->open[csv->depth].element = 0;
	csv->open[csv->depth].list = item->type == ITEM_LIST;
	if (path->size)
		buf_byte(path, '.');
	if (element)
		buf_printf(path, "%zu", number);
	else
		buf_string(path, item->key);
}

static void
csv_leave(struct csv *csv)
{
	csv->render->path.size = csv->open[csv->depth--].length;
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
	csv_path(render);
	buf_byte(&render->out, ',');
	csv_text(&render->out, item->key);
	buf_byte(&render->out, ',');
	csv_value(render, item);
	buf_byte(&render->out, '\n');
	render_flush(render);
}

/* Appends the rows of the open table, whose first cell is item. */
static void
csv_rows(struct csv *csv, const struct report_item *item, size_t columns)
{
	struct buf *out = &csv->render->out;
	for (; item->type == ITEM_CELL; item += columns) {
		csv_path(csv->render);
		for (size_t i = 0; i < columns; i++) {
			buf_byte(out, ',');
			csv_value(csv->render, &item[i]);
		}
		buf_byte(out, '\n');
		render_flush(csv->render);
	}
}

static void
csv_tables(struct csv *csv, const struct report_item *item)
{
	struct buf *out = &csv->render->out;
	if (item->type != ITEM_TABLE)
		return;
	buf_string(out, csv->started ? "\ntable" : "table");
	csv->started = true;
	size_t columns = 0;
	for (item++; item->type == ITEM_COLUMN; item++, columns++) {
		buf_byte(out, ',');
		csv_text(out, item->key);
	}
	buf_byte(out, '\n');
	csv_rows(csv, item, columns);
}

static void
csv_walk(struct csv *csv, void (*visit)(struct csv *, const struct report_item *))
{
	const struct poly_report *report = csv->render->report;
	for (size_t i = 0; i < report->count; i++) {
		const struct report_item *item = &report->items[i];
		bool opens = item->type == ITEM_SECTION || item->type == ITEM_LIST ||
			     item->type == ITEM_TABLE;
		if (opens)
			csv_enter(csv, item);
		visit(csv, item);
		if (item->type == ITEM_END)
			csv_leave(csv);
	}
}

void
render_csv(struct render *render)
{
	struct csv csv = {.render = render};
	csv_walk(&csv, csv_values);
	csv_walk(&csv, csv_tables);
}
