/* SPDX-License-Identifier: MIT */
/*
 * A report as one self-contained HTML page, without scripts or network access.
 * spec: HTML (WHATWG), written as well-formed XML; inline SVG 1.1.
 */
#include "report/html.h"

#include "report/plot/svg.h"

/* The text of style.css. */
extern const char report_style[];

/* Maximum number of tiles of a section. */
#define HTML_TILES 8

/* Levels of nested sections in the navigation. */
#define HTML_NAVIGATION 2

static bool
html_is_opening(const struct report_item *item)
{
	return item->type == ITEM_SECTION || item->type == ITEM_LIST ||
	       item->type == ITEM_TABLE;
}

/* Returns the index of the item after item i and its contents. */
static size_t
html_next(const struct html *html, size_t i)
{
	const struct poly_report *report = html->render->report;
	return html_is_opening(&report->items[i]) ? tree_end(report, i) + 1 : i + 1;
}

/* Appends a section or list to the path and returns the size of the path before. element: the
 * number of a section in its list, or SIZE_MAX. */
static size_t
path_enter(struct html *html, const struct report_item *item, size_t element)
{
	struct buf *path = &html->render->path;
	size_t outside = path->size;
	if (path->size)
		buf_byte(path, '-');
	if (element == SIZE_MAX)
		svg_text(path, item->key);
	else
		buf_printf(path, "%zu", element);
	return outside;
}

/* Returns true for items that the page omits. */
static bool
html_is_empty(const struct report_item *item)
{
	if (item->type == ITEM_VALUE || item->type == ITEM_NOTE)
		return item->form == FORM_ABSENT;
	return html_is_opening(item) && !tree_has_content(item);
}

static bool
html_is_number(const struct report_item *item)
{
	return item->form == FORM_COUNT || item->form == FORM_REAL || item->form == FORM_RATIO;
}

/* Appends the numbers among values as tiles. */
static void
values_tiles(struct html *html, size_t i, size_t end)
{
	const struct report_item *items = html->render->report->items;
	buf_string(html->out, "<dl class=\"tiles\">\n");
	for (; i < end; i++) {
		if (!html_is_number(&items[i]))
			continue;
		buf_string(html->out, "<div><dt>");
		html_title(html, &items[i]);
		buf_string(html->out, "</dt><dd>");
		html_item(html, &items[i]);
		buf_string(html->out, "</dd></div>\n");
	}
	buf_string(html->out, "</dl>\n");
}

/* Appends values as a list, with or without the numbers among them. */
static void
values_list(struct html *html, size_t i, size_t end, bool numbers)
{
	const struct report_item *items = html->render->report->items;
	for (; i < end; i++) {
		if (items[i].form == FORM_ABSENT || (!numbers && html_is_number(&items[i])))
			continue;
		buf_string(html->out, "<div><dt>");
		html_title(html, &items[i]);
		buf_string(html->out, "</dt><dd>");
		html_item(html, &items[i]);
		buf_string(html->out, "</dd></div>\n");
	}
}

/*
 * Appends the values from item i on as one block and returns the index of the item after them.
 * Numbers at the beginning of an outer section are its key figures.
 */
static size_t
html_values(struct html *html, size_t i)
{
	bool first = i == 0 || html_is_opening(&html->render->report->items[i - 1]);
	const struct poly_report *report = html->render->report;
	size_t end = i, numbers = 0, others = 0;
	for (; end < report->count && report->items[end].type == ITEM_VALUE; end++) {
		if (html_is_number(&report->items[end]))
			numbers++;
		else if (report->items[end].form != FORM_ABSENT)
			others++;
	}
	bool tiles = first && html->depth <= 1 && numbers && numbers <= HTML_TILES;
	if (numbers + others == 0)
		return end;
	buf_printf(html->out, "<div class=\"block%s\">\n", first || !others ? " whole" : "");
	if (tiles)
		values_tiles(html, i, end);
	if (others || !tiles) {
		/* Numbers alone are short: show them in several columns. */
		buf_printf(html->out, "<dl class=\"%s\">\n", others ? "values" : "pairs");
		values_list(html, i, end, !tiles);
		buf_string(html->out, "</dl>\n");
	}
	buf_string(html->out, "</div>\n");
	return end;
}

/* Returns the number of blocks that html_blocks appends for a range of items. */
static size_t
blocks_count(const struct html *html, size_t i, size_t end)
{
	const struct report_item *items = html->render->report->items;
	size_t count = 0;
	bool values = false;
	for (; i < end; i = html_next(html, i)) {
		bool value = items[i].type == ITEM_VALUE;
		if (!value)
			values = false;
		if (html_is_empty(&items[i]) || values)
			continue;
		values = value;
		count++;
	}
	return count;
}

static void html_blocks(struct html *html, size_t i, size_t end);

/* Appends the heading of a section or list; returns false if it has no title. */
static bool
html_heading(struct html *html, const struct report_item *item)
{
	if (item->title == TREE_NO_TEXT || !*tree_text(html->render->report, item->title))
		return false;
	buf_printf(html->out, "<h%u>", html->level);
	html_title(html, item);
	buf_printf(html->out, "</h%u>\n", html->level);
	return true;
}

/* Returns true if a section has only values and notes, which need little room. */
static bool
section_is_small(const struct poly_report *report, size_t i)
{
	while (report->items[++i].type == ITEM_VALUE || report->items[i].type == ITEM_NOTE)
		;
	return report->items[i].type == ITEM_END;
}

/* Appends the section of item i. rows: the number of rows of its list that it spans, or 0. */
static void
html_section(struct html *html, size_t i, size_t element, size_t rows)
{
	const struct report_item *item = &html->render->report->items[i];
	size_t outside = path_enter(html, item, element);
	unsigned level = html->level;
	buf_printf(html->out, "<section id=\"%s\"", buf_text(&html->render->path));
	if (rows)
		buf_printf(html->out, " class=\"row\" style=\"grid-row:span %zu\"", rows);
	else if (element == SIZE_MAX && !section_is_small(html->render->report, i))
		buf_string(html->out, " class=\"whole\"");
	buf_string(html->out, ">\n");
	html->depth += element == SIZE_MAX;
	if (html_heading(html, item))
		html->level += html->level < 6;
	buf_string(html->out, rows ? "" : "<div class=\"blocks\">\n");
	html_blocks(html, i + 1, tree_end(html->render->report, i));
	buf_string(html->out, rows ? "</section>\n" : "</div>\n</section>\n");
	html->depth -= element == SIZE_MAX;
	html->level = level;
	html->render->path.size = outside;
}

/* Returns the number of rows of an element of a list: its heading and blocks; 0 if elements
 * differ in it. */
static size_t
list_rows(const struct html *html, size_t i)
{
	const struct poly_report *report = html->render->report;
	size_t end = tree_end(report, i), all = SIZE_MAX, elements = 0;
	for (i++; i < end; i = html_next(html, i), elements++) {
		size_t own = blocks_count(html, i + 1, tree_end(report, i));
		if (all != SIZE_MAX && own != all)
			return 0;
		all = own;
	}
	return elements > 1 ? all + 1 : 0;
}

/* Finds the plots that stand side by side; none if elements of list i differ in their number.
 */
static void
list_peers(struct html *html, size_t i)
{
	const struct poly_report *report = html->render->report;
	size_t end = tree_end(report, i), plot = html->next_plot, plots = SIZE_MAX, count = 0;
	html->peer_count = 0;
	while (plot < report->plot_count && report->plots[plot].table < i)
		plot++;
	for (i++; i < end; i = html_next(html, i), count++) {
		size_t element_end = tree_end(report, i), first = plot;
		while (plot < report->plot_count && report->plots[plot].table < element_end)
			plot++;
		if (count == HTML_PEERS || (count && plot - first != plots))
			return;
		plots = plot - first;
		html->peers[count] = first;
	}
	html->peer_count = count;
}

/* Appends the list of item i, with its elements side by side if the page is wide enough. */
static void
html_list(struct html *html, size_t i)
{
	const struct poly_report *report = html->render->report;
	size_t outside = path_enter(html, &report->items[i], SIZE_MAX);
	size_t end = tree_end(report, i), rows = list_rows(html, i), element = 0;
	unsigned level = html->level;
	buf_printf(html->out, "<section id=\"%s\" class=\"list whole\">\n",
		buf_text(&html->render->path));
	if (html_heading(html, &report->items[i]))
		html->level += html->level < 6;
	buf_string(html->out, "<div class=\"elements\">\n");
	list_peers(html, i);
	for (i++; i < end; i = html_next(html, i), element++) {
		html->element = element;
		if (rows || tree_has_content(&report->items[i]))
			html_section(html, i, element, rows);
	}
	buf_string(html->out, "</div>\n</section>\n");
	html->peer_count = 0;
	html->level = level;
	html->render->path.size = outside;
}

static void
html_note(struct html *html, const struct report_item *item)
{
	buf_string(html->out, "<p class=\"note whole\">");
	html_item(html, item);
	buf_string(html->out, "</p>\n");
}

/* Appends a range of items, block by block. */
static void
html_blocks(struct html *html, size_t i, size_t end)
{
	const struct report_item *items = html->render->report->items;
	for (; i < end; i = html_next(html, i)) {
		while (i < end && items[i].type == ITEM_VALUE)
			i = html_values(html, i);
		if (i == end)
			return;
		if (html_is_empty(&items[i]))
			continue;
		if (items[i].type == ITEM_NOTE)
			html_note(html, &items[i]);
		else if (items[i].type == ITEM_TABLE)
			html_table(html, i);
		else if (items[i].type == ITEM_LIST)
			html_list(html, i);
		else
			html_section(html, i, SIZE_MAX, 0);
		render_flush(html->render);
	}
}

/* Appends links to the sections in the list or section of item i, and to those of levels more
 * levels. */
static void
html_links(struct html *html, size_t i, unsigned levels)
{
	const struct poly_report *report = html->render->report;
	bool list = i != SIZE_MAX && report->items[i].type == ITEM_LIST, any = false;
	size_t end = i == SIZE_MAX ? report->count : tree_end(report, i), element = 0;
	for (i++; i < end; i = html_next(html, i)) {
		const struct report_item *item = &report->items[i];
		size_t number = list ? element++ : SIZE_MAX;
		if ((item->type != ITEM_SECTION && item->type != ITEM_LIST) ||
			item->title == TREE_NO_TEXT || html_is_empty(item))
			continue;
		buf_string(html->out, any ? "" : "<ol>\n");
		any = true;
		size_t outside = path_enter(html, item, number);
		buf_printf(html->out, "<li><a href=\"#%s\">", buf_text(&html->render->path));
		html_title(html, item);
		buf_string(html->out, "</a>");
		if (levels)
			html_links(html, i, levels - 1);
		buf_string(html->out, "</li>\n");
		html->render->path.size = outside;
	}
	buf_string(html->out, any ? "</ol>\n" : "");
}

static void
html_head(struct html *html)
{
	const char *title = html->render->options.title;
	render_visible(&html->text, title ? title : "Report");
	const char *shown = buf_text(&html->text);
	buf_string(html->out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		"<meta name=\"color-scheme\" content=\"light dark\"/>\n"
		"<link rel=\"icon\" href=\"data:,\"/>\n<title>");
	svg_text(html->out, shown);
	buf_string(html->out, "</title>\n<style>\n");
	buf_string(html->out, report_style);
	buf_string(html->out, "</style>\n</head>\n<body>\n"
			      "<a class=\"skip\" href=\"#main\">Skip to the report</a>\n"
			      "<header><h1>");
	svg_text(html->out, shown);
	buf_clear(&html->text);
	buf_string(html->out, "</h1></header>\n");
}

void
render_html(struct render *render)
{
	struct html html = {.render = render, .out = &render->out, .level = 2};
	html_head(&html);
	buf_string(html.out, "<nav aria-label=\"Sections\">\n");
	html_links(&html, SIZE_MAX, HTML_NAVIGATION);
	buf_string(html.out, "</nav>\n<main id=\"main\">\n");
	html_blocks(&html, 0, render->report->count);
	buf_string(html.out, "</main>\n<footer>Generated by polytrace " POLY_VERSION
			     "</footer>\n</body>\n</html>\n");
	if (html.text.failed)
		render->out.failed = true;
	buf_free(&html.text);
}
