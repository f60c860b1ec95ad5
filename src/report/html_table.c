/* SPDX-License-Identifier: MIT */
/* Tables of the HTML page, below their plots. */
#include "report/html.h"

#include "report/plot/svg.h"

/* Maximum numbers of rows that a table shows, and that it shows unfolded. */
#define TABLE_ROWS 1000
#define TABLE_LONG 16

/* Maximum number of columns of a table that is narrower than the page. */
#define TABLE_COLUMNS 5

void
html_escape(struct html *html)
{
	svg_text(html->out, buf_text(&html->text));
	if (html->text.failed)
		html->out->failed = true;
	buf_clear(&html->text);
}

void
html_title(struct html *html, const struct report_item *item)
{
	render_title(&html->text, html->render->report, item->title, item->unit);
	html_escape(html);
}

void
html_item(struct html *html, const struct report_item *item)
{
	if (item->form == FORM_ADDRESS)
		buf_string(html->out, "<code>");
	render_item(&html->text, html->render->report, item);
	html_escape(html);
	if (item->form == FORM_ADDRESS)
		buf_string(html->out, "</code>");
}

static void
table_head(struct html *html, const struct plot_view *view)
{
	buf_string(html->out, "<thead><tr>");
	for (size_t i = 0; i < view->width; i++) {
		buf_printf(html->out, "<th scope=\"col\"%s>",
			view->columns[i].right ? " class=\"number\"" : "");
		view_title(&html->text, view, i, TREE_NO_TEXT, TREE_NO_TEXT);
		html_escape(html);
		buf_string(html->out, "</th>");
	}
	buf_string(html->out, "</tr></thead>\n");
}

static void
table_cell(struct html *html, const struct report_item *column, const struct report_item *cell)
{
	if (cell->form == FORM_ABSENT && column->right)
		buf_string(html->out, "–");
	else
		html_item(html, cell);
}

static void
table_row(struct html *html, const struct plot_view *view, size_t row)
{
	buf_string(html->out, "<tr>");
	for (size_t i = 0; i < view->width; i++) {
		const struct report_item *column = &view->columns[i];
		bool heading = i == 0 && !column->right;
		buf_string(html->out, heading	      ? "<th scope=\"row\">"
				      : column->right ? "<td class=\"number\">"
						      : "<td>");
		table_cell(html, column, view_cell(view, row, i));
		buf_string(html->out, heading ? "</th>" : "</td>");
	}
	buf_string(html->out, "</tr>\n");
	render_flush(html->render);
}

static void
table_body(struct html *html, const struct plot_view *view, const struct report_item *item)
{
	size_t rows = view->rows < TABLE_ROWS ? view->rows : TABLE_ROWS;
	buf_printf(html->out,
		"<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
		"aria-labelledby=\"table-%zu\"><table><caption id=\"table-%zu\">",
		html->tables, html->tables);
	html_title(html, item);
	buf_string(html->out, "</caption>\n");
	table_head(html, view);
	buf_string(html->out, "<tbody>\n");
	for (size_t row = 0; row < rows; row++)
		table_row(html, view, row);
	buf_string(html->out, "</tbody></table></div>\n");
	if (rows < view->rows)
		buf_printf(html->out,
			"<p class=\"remark\">Only the first %d rows are shown; JSON and CSV "
			"contain all rows.</p>\n",
			TABLE_ROWS);
}

/* Appends a number of rows, with its digits grouped. */
static void
table_rows(struct html *html, size_t rows)
{
	const struct report_item count = {
		.form = FORM_COUNT, .value.number = rows, .digits = 1};
	char number[RENDER_NUMBER];
	render_number(&count, true, number);
	buf_printf(html->out, "%s row%s", number, rows == 1 ? "" : "s");
}

/* Appends a plot, whose axes cover the plots beside it too. */
static void
table_plot(struct html *html, size_t plot)
{
	size_t peers[HTML_PEERS], count = 0;
	struct plot_view view =
		view_make(html->render->report, &html->render->report->plots[plot]);
	for (size_t i = 0; i < html->peer_count; i++) {
		if (i != html->element)
			peers[count++] = plot - html->peers[html->element] + html->peers[i];
	}
	view.peers = peers;
	view.peer_count = count;
	svg_plot(html->render, &view, ++html->plots);
}

/* Appends the plots of table i, which has rows rows; returns false if it has none. */
static bool
table_plots(struct html *html, size_t i, size_t rows)
{
	const struct poly_report *report = html->render->report;
	bool any = false;
	while (html->next_plot < report->plot_count && report->plots[html->next_plot].table < i)
		html->next_plot++;
	for (; html->next_plot < report->plot_count; html->next_plot++) {
		const struct plot *plot = &report->plots[html->next_plot];
		if (plot->table != i)
			break;
		if (plot->kind == POLY_PLOT_BARS && rows < 2)
			continue; /* a single bar compares nothing */
		table_plot(html, html->next_plot);
		any = true;
	}
	return any;
}

void
html_table(struct html *html, size_t i)
{
	const struct poly_report *report = html->render->report;
	const struct report_item *item = &report->items[i];
	const struct plot no_plot = {.table = i};
	struct plot_view view = view_make(report, &no_plot);
	html->tables++;
	bool wide = view.width > TABLE_COLUMNS && !tree_is_plotted(report, i);
	buf_printf(html->out, "<div class=\"block%s\">\n", wide ? " wide" : "");
	bool folded = table_plots(html, i, view.rows) || view.rows > TABLE_LONG;
	if (folded) {
		buf_string(html->out, "<details><summary>");
		html_title(html, item);
		buf_string(html->out, item->title == TREE_NO_TEXT ? "" : ": ");
		table_rows(html, view.rows);
		buf_string(html->out, "</summary>\n");
	}
	table_body(html, &view, item);
	buf_string(html->out, folded ? "</details>\n</div>\n" : "</div>\n");
}
