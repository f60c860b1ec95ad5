/* SPDX-License-Identifier: MIT */
/*
 * A report as JSON.
 * spec: RFC 8259.
 */
#include "report/render.h"

#include "base/quote.h"

#include <string.h>

/* State of indentation and commas: a bracket is empty until its first member. */
struct json {
	struct render *render;
	bool one_line;
	unsigned depth;
	bool filled[POLY_REPORT_DEPTH +
		    3]; /* not empty, by depth; a row is one level below its table */
};

static void
json_newline(struct json *json)
{
	if (json->one_line)
		return;
	buf_byte(&json->render->out, '\n');
	for (unsigned i = 0; i < json->depth; i++)
		buf_string(&json->render->out, "  ");
}

static void
json_string(struct buf *out, const char *text)
{
	quote_json(out, text, strlen(text));
}

/* Begins the next member of an object, or the next element of an array if key is NULL. */
static void
json_next(struct json *json, const char *key)
{
	struct buf *out = &json->render->out;
	render_flush(json->render);
	if (json->filled[json->depth])
		buf_string(out, json->one_line ? ", " : ",");
	json->filled[json->depth] = true;
	json_newline(json);
	if (key) {
		json_string(out, key);
		buf_string(out, ": ");
	}
}

static void
json_open(struct json *json, char bracket)
{
	buf_byte(&json->render->out, (uint8_t)bracket);
	json->filled[++json->depth] = false;
}

static void
json_close(struct json *json, char bracket)
{
	if (json->filled[json->depth--])
		json_newline(json);
	buf_byte(&json->render->out, (uint8_t)bracket);
}

static void
json_value(struct json *json, const struct report_item *item)
{
	struct buf *out = &json->render->out;
	char text[RENDER_NUMBER];
	switch (item->form) {
	case FORM_ABSENT: buf_string(out, "null"); break;
	case FORM_BOOL: buf_string(out, item->value.number ? "true" : "false"); break;
	case FORM_TEXT:
		json_string(out, tree_text(json->render->report, item->value.text));
		break;
	case FORM_ADDRESS:
		render_number(item, false, text);
		json_string(out, text);
		break;
	case FORM_COUNT:
	case FORM_REAL:
	case FORM_RATIO:
		render_number(item, false, text);
		buf_string(out, text);
		break;
	}
}

/* Appends the table of item i and returns the index of its END. */
static size_t
json_table(struct json *json, size_t i)
{
	const struct report_item *items = json->render->report->items;
	const struct report_item *columns = items + i + 1;
	size_t count = 0, column = 0;
	while (columns[count].type == ITEM_COLUMN)
		count++;
	json_open(json, '[');
	for (i += 1 + count; items[i].type == ITEM_CELL; i++) {
		if (column == 0) {
			json_next(json, NULL);
			json_open(json, '{');
		}
		json_next(json, columns[column].key);
		json_value(json, &items[i]);
		column = (column + 1) % count;
		if (column == 0)
			json_close(json, '}');
	}
	json_close(json, ']');
	return i;
}

/* Opens a section or list and pushes its closing bracket. */
static void
json_enter(struct json *json, const struct report_item *item, char *closing)
{
	bool list = item->type == ITEM_LIST;
	json_next(json, closing[json->depth] == ']' ? NULL : item->key);
	json_open(json, list ? '[' : '{');
	closing[json->depth] = list ? ']' : '}';
}

void
render_json(struct render *render, bool one_line)
{
	struct json json = {.render = render, .one_line = one_line};
	char closing[POLY_REPORT_DEPTH + 2] = "";
	const struct report_item *items = render->report->items;
	json_open(&json, '{');
	for (size_t i = 0; i < render->report->count; i++) {
		switch (items[i].type) {
		case ITEM_SECTION:
		case ITEM_LIST: json_enter(&json, &items[i], closing); break;
		case ITEM_TABLE:
			json_next(&json, items[i].key);
			i = json_table(&json, i);
			break;
		case ITEM_VALUE:
			json_next(&json, items[i].key);
			json_value(&json, &items[i]);
			break;
		case ITEM_END: json_close(&json, closing[json.depth]); break;
		case ITEM_NOTE:
		case ITEM_COLUMN:
		case ITEM_CELL: break;
		}
	}
	json_close(&json, '}');
	buf_byte(&render->out, '\n');
}
