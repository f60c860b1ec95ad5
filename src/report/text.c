/* SPDX-License-Identifier: MIT */
/* A report as text, aligned, for people. */
#include "report/terminal.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>

/* Blanks between a title and its value, and between columns. */
#define TEXT_GAP 2

struct text {
	struct render *render;
	bool terminal;
	size_t blanks;	/* owed before the next character; forgotten at the end of a line */
	unsigned depth; /* sections that are open, for the indentation */
	size_t titles[POLY_REPORT_DEPTH + 1]; /* widest title of the values, by depth */
	bool heading;	 /* the last line is a heading, or there is none yet */
	bool value;	 /* the last line is a value */
	struct buf cell; /* a value on its way out */
};

/* How much narrower width is than the widest; never below 0, even where memory failed between.
 */
static size_t
text_padding(size_t widest, size_t width)
{
	return widest > width ? widest - width : 0;
}

static void
text_put(struct text *text, const char *string)
{
	struct buf *out = &text->render->out;
	for (; *string; string++) {
		if (*string == ' ') {
			text->blanks++;
			continue;
		}
		for (; text->blanks; text->blanks--)
			buf_byte(out, ' ');
		buf_byte(out, (uint8_t)*string);
	}
}

static void
text_newline(struct text *text)
{
	buf_byte(&text->render->out, '\n');
	text->blanks = 0;
	render_flush(text->render);
}

/* What was put into the cell, until the next call. */
static const char *
text_cell_done(struct text *text)
{
	const char *formatted = buf_text(&text->cell);
	if (text->cell.failed)
		text->render->out.failed = true;
	return formatted;
}

/* A value or cell as text, until the next call. */
static const char *
text_format(struct text *text, const struct item *item)
{
	buf_clear(&text->cell);
	render_shown(&text->cell, text->render->report, item);
	return text_cell_done(text);
}

/* A title as text, with the unit of a column or value, until the next call. */
static const char *
text_title(struct text *text, const struct item *item)
{
	buf_clear(&text->cell);
	render_titled(&text->cell, text->render->report, item->title, item->unit);
	return text_cell_done(text);
}

/* The widest title among the values that stand directly in a section, from its first item. */
static size_t
text_title_width(struct text *text, size_t i)
{
	const struct poly_report *report = text->render->report;
	size_t width = 0;
	for (; i < report->count && report->items[i].type != ITEM_END; i++) {
		const struct item *item = &report->items[i];
		if (item->type == ITEM_NOTE)
			continue;
		if (item->type != ITEM_VALUE) {
			i = tree_end(report, i);
		} else if (item->form != FORM_ABSENT) {
			size_t own = utf8_width(text_title(text, item));
			width = own > width ? own : width;
		}
	}
	return width;
}

static void
text_value(struct text *text, const struct item *item)
{
	if (item->form == FORM_ABSENT)
		return;
	if (!text->heading && !text->value)
		text_newline(text);
	text->heading = false;
	text->value = true;
	text->blanks = (size_t)2 * text->depth;
	const char *title = text_title(text, item);
	size_t width = utf8_width(title);
	text_put(text, title);
	text->blanks += text_padding(text->titles[text->depth], width) + TEXT_GAP;
	text_put(text, text_format(text, item));
	text_newline(text);
}

static void
text_note(struct text *text, const struct item *item)
{
	if (item->form == FORM_ABSENT)
		return;
	if (!text->heading)
		text_newline(text);
	text->heading = text->value = false;
	text->blanks = (size_t)2 * text->depth;
	text_put(text, text_format(text, item));
	text_newline(text);
}

/* The title of a section, list or table that has content, under an empty line. */
static void
text_heading(struct text *text, const struct item *item)
{
	if (!text->heading)
		text_newline(text);
	text->value = false;
	const char *title = text_title(text, item);
	text->heading = true;
	if (!*title)
		return;
	text->blanks = (size_t)2 * text->depth;
	bool bold = text->terminal && text->render->options.color;
	text_put(text, bold ? RENDER_BOLD : "");
	text_put(text, title);
	buf_string(&text->render->out, bold ? RENDER_PLAIN : "");
	text_newline(text);
}

/* A cell as text, until the next call: a number that is absent leaves no gap. */
static const char *
text_cell(struct text *text, const struct item *column, const struct item *cell)
{
	return cell->form == FORM_ABSENT && column->right ? "-" : text_format(text, cell);
}

/* One line of a table, without its end: its cells, or the titles of its columns. */
static void
text_row(struct text *text, const struct item *columns, const struct item *cells,
	const size_t *widths)
{
	text->blanks = (size_t)2 * text->depth;
	for (size_t i = 0; columns[i].type == ITEM_COLUMN; i++) {
		const char *shown = cells == columns ? text_title(text, &cells[i])
						     : text_cell(text, &columns[i], &cells[i]);
		size_t padding = text_padding(widths[i], utf8_width(shown));
		text->blanks += (i ? TEXT_GAP : 0) + (columns[i].right ? padding : 0);
		text_put(text, shown);
		text->blanks += columns[i].right ? 0 : padding;
	}
}

/* The widths of a table's columns; false where memory could not be had. */
static bool
text_widths(struct text *text, const struct item *columns, size_t count, size_t **widths)
{
	*widths = mem_new(count, sizeof **widths);
	if (!*widths)
		return false;
	for (size_t i = 0; i < count; i++)
		(*widths)[i] = utf8_width(text_title(text, &columns[i]));
	for (size_t i = 0; columns[count + i].type == ITEM_CELL; i++) {
		size_t width =
			utf8_width(text_cell(text, &columns[i % count], &columns[count + i]));
		if (width > (*widths)[i % count])
			(*widths)[i % count] = width;
	}
	return !text->render->out.failed;
}

/* The bars that stand behind the rows of a table, where it has some and there is room. */
static struct bars
text_bars(const struct text *text, size_t table, const size_t *widths, size_t count)
{
	size_t used = (size_t)2 * text->depth;
	for (size_t i = 0; i < count; i++)
		used += widths[i] + TEXT_GAP;
	if (!text->terminal)
		return (struct bars){0};
	return terminal_bars(text->render, table, used);
}

/* The rows of a table; on a terminal, no more than are wanted there. */
static void
text_rows(struct text *text, size_t table, const size_t *widths, size_t count)
{
	const struct item *columns = text->render->report->items + table + 1;
	const struct item *cells = columns + count;
	struct bars bars = text_bars(text, table, widths, count);
	bool cut = text->terminal && tree_is_plotted(text->render->report, table);
	size_t most = cut ? text->render->options.rows : 0, row = 0, more = 0;
	text_row(text, columns, columns, widths);
	buf_clear(&text->cell);
	terminal_bar_title(&bars, &text->cell);
	text->blanks += TEXT_GAP;
	text_put(text, text_cell_done(text));
	text_newline(text);
	for (; cells->type == ITEM_CELL; cells += count, row++) {
		if (most && row >= most) {
			more++;
			continue;
		}
		text_row(text, columns, cells, widths);
		buf_clear(&text->cell);
		terminal_bar(&bars, &text->cell, row);
		text->blanks += TEXT_GAP;
		text_put(text, text_cell_done(text));
		text_newline(text);
	}
	if (!more)
		return;
	text->blanks = (size_t)2 * text->depth;
	const struct item left = {.form = FORM_COUNT, .value.number = more, .digits = 1};
	text_put(text, "… ");
	text_put(text, text_format(text, &left));
	text_put(text, more == 1 ? " more row (use --csv)" : " more rows (use --csv)");
	text_newline(text);
}

/* The table of item i, which has content. */
static void
text_table(struct text *text, size_t i)
{
	const struct item *columns = text->render->report->items + i + 1;
	size_t count = 0, *widths;
	while (columns[count].type == ITEM_COLUMN)
		count++;
	text_heading(text, columns - 1);
	text->heading = false;
	text->depth++;
	if (text_widths(text, columns, count, &widths))
		text_rows(text, i, widths, count);
	else
		text->render->out.failed = true;
	mem_free(widths);
	if (text->terminal)
		terminal_plots(text->render, i, 2 * text->depth);
	text->depth--;
}

void
render_text(struct render *render, bool terminal)
{
	struct text text = {.render = render, .terminal = terminal, .heading = true};
	const struct poly_report *report = render->report;
	text.titles[0] = text_title_width(&text, 0);
	for (size_t i = 0; i < report->count; i++) {
		const struct item *item = &report->items[i];
		if (item->type == ITEM_VALUE) {
			text_value(&text, item);
		} else if (item->type == ITEM_NOTE) {
			text_note(&text, item);
		} else if (item->type == ITEM_END) {
			text.depth--;
			text.value = false;
		} else if (!tree_has_content(item)) {
			i = tree_end(report, i);
		} else if (item->type == ITEM_TABLE) {
			text_table(&text, i);
			i = tree_end(report, i);
		} else {
			text_heading(&text, item);
			text.depth++;
			text.titles[text.depth] = text_title_width(&text, i + 1);
		}
	}
	buf_free(&text.cell);
}
