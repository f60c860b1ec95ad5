/* SPDX-License-Identifier: MIT */
/* A report as text, aligned, for people. */
#include "report/wrap.h"
#include "report/terminal.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdio.h>
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

/* Returns the width to which text is wrapped; 0: no wrapping. */
static size_t
text_wrapping(const struct text_render *text)
{
	return text->terminal ? 0 : text->render->options.width;
}

/* Appends a value next to its label, wrapped. */
static void
text_wrapped_value(struct text_render *text, const struct report_item *item)
{
	const size_t start = (size_t)2 * text->depth + text->titles[text->depth] + TEXT_GAP;
	struct line_wrap wrap = {.out = &text->render->out,
		.width = text_wrapping(text),
		.indent = start,
		.column = start,
		.blanks = text->blanks};
	text->blanks = 0;
	wrap_words(&wrap, text_format(text, item), 0);
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
	if (text_wrapping(text))
		text_wrapped_value(text, item);
	else
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

/* Minimum width of a column of text to which wrapping narrows it; the last column, which often
 * describes the row, has more. */
#define COLUMN_MIN 10
#define LAST_COLUMN_MIN 32

/* The columns of a wrapped table. */
struct wrapped_table {
	const struct report_item *columns;
	const size_t *widths;
	size_t count;
	size_t aligned; /* number of first columns that are aligned in all rows */
};

/* Returns the position of a column if it and those before it are aligned. */
static size_t
text_column_start(
	const struct text_render *text, const struct wrapped_table *table, size_t column)
{
	size_t start = (size_t)2 * text->depth;
	for (size_t i = 0; i < column; i++)
		start += table->widths[i] + TEXT_GAP;
	return start;
}

/* Appends a row of a wrapped table, or the labels of its columns. */
static void
text_wrapped_row(struct text_render *text, const struct wrapped_table *table,
	const struct report_item *cells)
{
	struct line_wrap wrap = {.out = &text->render->out,
		.width = text_wrapping(text),
		.indent = (size_t)2 * text->depth + 4};
	wrap_begin(&wrap, (size_t)2 * text->depth);
	for (size_t i = 0; i < table->count; i++) {
		const char *shown = cells == table->columns
					    ? text_title(text, &cells[i])
					    : text_cell(text, &table->columns[i], &cells[i]);
		const size_t start = text_column_start(text, table, i);
		size_t gap = i ? TEXT_GAP : 0;
		if (i < table->aligned && start > wrap.column)
			gap = start - wrap.column;
		/* The last cell, and a long one before it, have lines of their own. */
		if (cells != table->columns && *shown &&
			(i + 1 == table->count ||
				(i + 2 == table->count &&
					utf8_width(shown) > wrap.width / 2))) {
			wrap_break(&wrap);
			gap = 0;
		}
		wrap_words(&wrap, shown, gap);
	}
	text->blanks = 0;
	text_newline(text);
}

/* Narrows columns of text, the widest first, until a table fits; returns false if it does not.
 */
static bool
text_fit(struct text_render *text, const struct wrapped_table *table, size_t *fitted)
{
	const size_t last = table->count - 1;
	size_t total = (size_t)2 * text->depth;
	for (size_t i = 0; i < table->count; i++)
		total += (fitted[i] = table->widths[i]) + (i ? TEXT_GAP : 0);
	for (; total > text_wrapping(text); total--) {
		size_t widest = table->count, weight = 0;
		for (size_t i = 0; i < table->count; i++) {
			const size_t min = i == last ? LAST_COLUMN_MIN : COLUMN_MIN;
			const size_t own = i == last ? fitted[i] / 2 : fitted[i];
			if (!table->columns[i].right && fitted[i] > min && own > weight) {
				widest = i;
				weight = own;
			}
		}
		if (widest == table->count)
			return false;
		fitted[widest]--;
	}
	return true;
}

/* Returns the bytes of the first words of a cell that fit into a width, at least one word. */
static size_t
text_fitting(const char *cell, size_t width)
{
	size_t fitting = 0, characters = 0;
	for (size_t n = 0; characters <= width; n++) {
		if (!cell[n])
			return n;
		if (cell[n] == ' ')
			fitting = n;
		characters += ((uint8_t)cell[n] & 0xc0) != 0x80;
	}
	return fitting ? fitting : strcspn(cell, " ");
}

/* Appends one line of the cells of a row; returns true if words remain. */
static bool
text_cells_line(struct text_render *text, const struct wrapped_table *table,
	const struct report_item *cells, size_t *fitted)
{
	size_t *offsets = fitted + table->count;
	bool remaining = false;
	text->blanks = (size_t)2 * text->depth;
	for (size_t i = 0; i < table->count; i++) {
		const char *shown = cells == table->columns
					    ? text_title(text, &cells[i])
					    : text_cell(text, &table->columns[i], &cells[i]);
		char words[512];
		shown += offsets[i];
		const size_t n = text_fitting(shown, fitted[i]);
		snprintf(words, sizeof words, "%.*s", (int)n, shown);
		offsets[i] += n + strspn(shown + n, " ");
		remaining = remaining || shown[n];
		const size_t padding = text_padding(fitted[i], utf8_width(words));
		text->blanks += (i ? TEXT_GAP : 0) + (table->columns[i].right ? padding : 0);
		text_append(text, words);
		text->blanks += table->columns[i].right ? 0 : padding;
	}
	text_newline(text);
	return remaining;
}

/* Returns true if a word of a table is wider than its column. */
static bool
text_has_long_word(
	struct text_render *text, const struct wrapped_table *table, const size_t *fitted)
{
	const struct report_item *cells = table->columns + table->count;
	for (size_t i = 0; cells[i].type == ITEM_CELL; i++) {
		const size_t column = i % table->count;
		const char *word = text_cell(text, &table->columns[column], &cells[i]);
		for (; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
			if (strcspn(word, " ") > fitted[column])
				return true;
		}
	}
	return false;
}

/* Appends the rows of a table that fits with wrapped cells; returns false if it does not. */
static bool
text_fitted_rows(struct text_render *text, const struct wrapped_table *table)
{
	size_t *fitted = mem_new(2 * table->count, sizeof *fitted);
	const struct report_item *cells = table->columns;
	if (!fitted) {
		text->render->out.failed = true;
		return true;
	}
	const bool fits =
		text_fit(text, table, fitted) && !text_has_long_word(text, table, fitted);
	while (fits && (cells == table->columns || cells->type == ITEM_CELL)) {
		memset(fitted + table->count, 0, table->count * sizeof *fitted);
		while (text_cells_line(text, table, cells, fitted))
			;
		cells += table->count;
	}
	mem_free(fitted);
	return fits;
}

/* Appends the wrapped rows of a table that is too wide; returns false if it is not. */
static bool
text_wrapped_rows(struct text_render *text, const struct report_item *columns,
	const size_t *widths, size_t count)
{
	struct wrapped_table table = {columns, widths, count, 0};
	const size_t width = text_wrapping(text);
	if (!width || text_column_start(text, &table, count) - TEXT_GAP <= width)
		return false;
	if (text_fitted_rows(text, &table))
		return true;
	while (table.aligned < count &&
		text_column_start(text, &table, table.aligned) <= width / 2)
		table.aligned++;
	text_wrapped_row(text, &table, columns);
	for (const struct report_item *cells = columns + count; cells->type == ITEM_CELL;
		cells += count)
		text_wrapped_row(text, &table, cells);
	return true;
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
	if (!text_widths(text, columns, count, &widths))
		text->render->out.failed = true;
	else if (!text_wrapped_rows(text, columns, widths, count))
		text_rows(text, i, widths, count);
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
