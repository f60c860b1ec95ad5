/* SPDX-License-Identifier: MIT */
/* A report as text, aligned, for people. */
#include "report/terminal.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>

/* Blanks between a title and its value, and between columns. */
#define TEXT_GAP 2

struct text_render {
	struct render *render;
	bool terminal;
	size_t blanks;	/* to be written before the next character; dropped at the end of a line
			 */
	unsigned depth; /* number of open sections, for the indentation */
	size_t titles[POLY_REPORT_DEPTH + 1]; /* widest title of the values, by depth */
	bool heading;	 /* the last line is a heading, or no line was written */
	bool value;	 /* the last line is a value */
	struct buf cell; /* the formatted value or cell */
};

/* Returns the blanks that pad width to widest; 0 if width is greater, as after lack of memory.
 */
static size_t
text_padding(size_t widest, size_t width)
{
	return widest > width ? widest - width : 0;
}

static void
text_append(struct text_render *text, const char *string)
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
text_newline(struct text_render *text)
{
	buf_byte(&text->render->out, '\n');
	text->blanks = 0;
	render_flush(text->render);
}

/* Returns the text of the cell, valid until the next call. */
static const char *
text_cell_done(struct text_render *text)
{
	const char *formatted = buf_text(&text->cell);
	if (text->cell.failed)
		text->render->out.failed = true;
	return formatted;
}

/* Formats a value or cell; the text is valid until the next call. */
static const char *
text_format(struct text_render *text, const struct report_item *item)
{
	buf_clear(&text->cell);
	render_item(&text->cell, text->render->report, item);
	return text_cell_done(text);
}

/* Formats a title, with the unit of a column or value; valid until the next call. */
static const char *
text_title(struct text_render *text, const struct report_item *item)
{
	buf_clear(&text->cell);
	render_title(&text->cell, text->render->report, item->title, item->unit);
	return text_cell_done(text);
}

/* Returns the widest title of the direct values of a section, from its first item i. */
static size_t
text_title_width(struct text_render *text, size_t i)
{
	const struct poly_report *report = text->render->report;
	size_t width = 0;
	for (; i < report->count && report->items[i].type != ITEM_END; i++) {
		const struct report_item *item = &report->items[i];
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
text_value(struct text_render *text, const struct report_item *item)
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
	text_append(text, title);
	text->blanks += text_padding(text->titles[text->depth], width) + TEXT_GAP;
	text_append(text, text_format(text, item));
	text_newline(text);
}

static void
text_note(struct text_render *text, const struct report_item *item)
{
	if (item->form == FORM_ABSENT)
		return;
	if (!text->heading)
		text_newline(text);
	text->heading = text->value = false;
	text->blanks = (size_t)2 * text->depth;
	text_append(text, text_format(text, item));
	text_newline(text);
}

/* Appends the title of a section, list or table that has content, after an empty line. */
static void
text_heading(struct text_render *text, const struct report_item *item)
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
	text_append(text, bold ? RENDER_BOLD : "");
	text_append(text, title);
	buf_string(&text->render->out, bold ? RENDER_PLAIN : "");
	text_newline(text);
}

/* Formats a cell, valid until the next call; an absent number is "-". */
static const char *
text_cell(struct text_render *text, const struct report_item *column,
	const struct report_item *cell)
{
	return cell->form == FORM_ABSENT && column->right ? "-" : text_format(text, cell);
}

/* Appends a line of a table without its line feed: cells, or the titles of columns. */
static void
text_row(struct text_render *text, const struct report_item *columns,
	const struct report_item *cells, const size_t *widths)
{
	text->blanks = (size_t)2 * text->depth;
	for (size_t i = 0; columns[i].type == ITEM_COLUMN; i++) {
		const char *shown = cells == columns ? text_title(text, &cells[i])
						     : text_cell(text, &columns[i], &cells[i]);
		size_t padding = text_padding(widths[i], utf8_width(shown));
		text->blanks += (i ? TEXT_GAP : 0) + (columns[i].right ? padding : 0);
		text_append(text, shown);
		text->blanks += columns[i].right ? 0 : padding;
	}
}

/* Computes the widths of the columns of a table; returns false if out of memory. */
static bool
text_widths(struct text_render *text, const struct report_item *columns, size_t count,
	size_t **widths)
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

/* Returns the bars after the rows of a table, if it has any and they fit. */
static struct bars
text_bars(const struct text_render *text, size_t table, const size_t *widths, size_t count)
{
	size_t used = (size_t)2 * text->depth;
	for (size_t i = 0; i < count; i++)
		used += widths[i] + TEXT_GAP;
	if (!text->terminal)
		return (struct bars){0};
	return terminal_bars(text->render, table, used);
}

/* Appends the rows of a table; on a terminal, at most options.rows of a table with plots. */
static void
text_rows(struct text_render *text, size_t table, const size_t *widths, size_t count)
{
	const struct report_item *columns = text->render->report->items + table + 1;
	const struct report_item *cells = columns + count;
	struct bars bars = text_bars(text, table, widths, count);
	bool limited = text->terminal && tree_is_plotted(text->render->report, table);
	size_t max = limited ? text->render->options.rows : 0, row = 0, omitted = 0;
	text_row(text, columns, columns, widths);
	buf_clear(&text->cell);
	terminal_bar_title(&bars, &text->cell);
	text->blanks += TEXT_GAP;
	text_append(text, text_cell_done(text));
	text_newline(text);
	for (; cells->type == ITEM_CELL; cells += count, row++) {
		if (max && row >= max) {
			omitted++;
			continue;
		}
		text_row(text, columns, cells, widths);
		buf_clear(&text->cell);
		terminal_bar(&bars, &text->cell, row);
		text->blanks += TEXT_GAP;
		text_append(text, text_cell_done(text));
		text_newline(text);
	}
	if (!omitted)
		return;
	text->blanks = (size_t)2 * text->depth;
	const struct report_item count_item = {
		.form = FORM_COUNT, .value.number = omitted, .digits = 1};
	text_append(text, "… ");
	text_append(text, text_format(text, &count_item));
	text_append(text, omitted == 1 ? " more row (CSV and JSON contain all)"
				       : " more rows (CSV and JSON contain all)");
	text_newline(text);
}

/* Appends the table of item i, which has content. */
static void
text_table(struct text_render *text, size_t i)
{
	const struct report_item *columns = text->render->report->items + i + 1;
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
	struct text_render text = {.render = render, .terminal = terminal, .heading = true};
	const struct poly_report *report = render->report;
	text.titles[0] = text_title_width(&text, 0);
	for (size_t i = 0; i < report->count; i++) {
		const struct report_item *item = &report->items[i];
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
