/* SPDX-License-Identifier: MIT */
/*
 * A report as one page of HTML that needs nothing else: no scripts, no network.
 * spec: HTML (WHATWG), written so that it is well-formed XML too; SVG 1.1 within it.
 */
#include "report/html.h"

#include "report/svg.h"

/* The text of style.css. */
extern const char report_style[];

/* Most numbers of a section that are shown as tiles. */
#define HTML_TILES 8

/* Levels of sections that the navigation has. */
#define HTML_NAVIGATION 2

void
html_escape(struct html *html)
{
	svg_text(html->out, buf_text(&html->text));
	if (html->text.failed)
		html->out->failed = true;
	buf_clear(&html->text);
}

void
html_title(struct html *html, const struct item *item)
{
	render_titled(&html->text, html->render->report, item->title, item->unit);
	html_escape(html);
}

void
html_shown(struct html *html, const struct item *item)
{
	if (item->form == FORM_ADDRESS)
		buf_string(html->out, "<code>");
	render_shown(&html->text, html->render->report, item);
	html_escape(html);
	if (item->form == FORM_ADDRESS)
		buf_string(html->out, "</code>");
}

static bool
html_is_opening(const struct item *item)
{
	return item->type == ITEM_SECTION || item->type == ITEM_LIST ||
	       item->type == ITEM_TABLE;
}

/* The index behind item i and what is in it. */
static size_t
html_behind(const struct html *html, size_t i)
{
	const struct poly_report *report = html->render->report;
	return html_is_opening(&report->items[i]) ? tree_end(report, i) + 1 : i + 1;
}

/* Goes into a section or list, element: the number of a section in its list, or SIZE_MAX. */
static size_t
path_enter(struct html *html, const struct item *item, size_t element)
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

/* True for what becomes no part of the page. */
static bool
html_is_empty(const struct item *item)
{
	if (item->type == ITEM_VALUE || item->type == ITEM_NOTE)
		return item->form == FORM_ABSENT;
	return html_is_opening(item) && !tree_has_content(item);
}

static bool
html_is_number(const struct item *item)
{
	return item->form == FORM_COUNT || item->form == FORM_REAL || item->form == FORM_RATIO;
}

/* The numbers among values as tiles. */
static void
values_tiles(struct html *html, size_t i, size_t end)
{
	const struct item *items = html->render->report->items;
	buf_string(html->out, "<dl class=\"tiles\">\n");
	for (; i < end; i++) {
		if (!html_is_number(&items[i]))
			continue;
		buf_string(html->out, "<div><dt>");
		html_title(html, &items[i]);
		buf_string(html->out, "</dt><dd>");
		html_shown(html, &items[i]);
		buf_string(html->out, "</dd></div>\n");
	}
	buf_string(html->out, "</dl>\n");
}

/* Values as a list, with the numbers among them or without. */
static void
values_list(struct html *html, size_t i, size_t end, bool numbers)
{
	const struct item *items = html->render->report->items;
	for (; i < end; i++) {
		if (items[i].form == FORM_ABSENT || (!numbers && html_is_number(&items[i])))
			continue;
		buf_string(html->out, "<div><dt>");
		html_title(html, &items[i]);
		buf_string(html->out, "</dt><dd>");
		html_shown(html, &items[i]);
		buf_string(html->out, "</dd></div>\n");
	}
}

/*
 * The values from item i on, in one block; returns the index behind them. Where an outer
 * section begins with numbers they are its key figures.
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
		/* Numbers alone are short, and stand in several columns. */
		buf_printf(html->out, "<dl class=\"%s\">\n", others ? "values" : "pairs");
		values_list(html, i, end, !tiles);
		buf_string(html->out, "</dl>\n");
	}
	buf_string(html->out, "</div>\n");
	return end;
}

/* How many blocks html_blocks makes of what is between two indices. */
static size_t
blocks_count(const struct html *html, size_t i, size_t end)
{
	const struct item *items = html->render->report->items;
	size_t count = 0;
	bool values = false;
	for (; i < end; i = html_behind(html, i)) {
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

/* The heading of a section or list; without a title there is none, and no level either. */
static bool
html_heading(struct html *html, const struct item *item)
{
	if (item->title == TREE_NO_TEXT || !*tree_text(html->render->report, item->title))
		return false;
	buf_printf(html->out, "<h%u>", html->level);
	html_title(html, item);
	buf_printf(html->out, "</h%u>\n", html->level);
	return true;
}

/* True where a section has nothing but values and notes, and needs little room. */
static bool
section_is_small(const struct poly_report *report, size_t i)
{
	while (report->items[++i].type == ITEM_VALUE || report->items[i].type == ITEM_NOTE)
		;
	return report->items[i].type == ITEM_END;
}

/* The section or list of item i. rows: how many of its list's rows it takes, or 0. */
static void
html_section(struct html *html, size_t i, size_t element, size_t rows)
{
	const struct item *item = &html->render->report->items[i];
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

/* How many blocks every element of the list has, if it is as many; else 0. */
static size_t
list_rows(const struct html *html, size_t i)
{
	const struct poly_report *report = html->render->report;
	size_t end = tree_end(report, i), all = SIZE_MAX, elements = 0;
	for (i++; i < end; i = html_behind(html, i), elements++) {
		size_t own = blocks_count(html, i + 1, tree_end(report, i));
		if (all != SIZE_MAX && own != all)
			return 0;
		all = own;
	}
	return elements > 1 ? all + 1 : 0;
}

/* Finds the plots that stand side by side: none where the elements of list i differ. */
static void
list_peers(struct html *html, size_t i)
{
	const struct poly_report *report = html->render->report;
	size_t end = tree_end(report, i), plot = html->next_plot, plots = SIZE_MAX, count = 0;
	html->peer_count = 0;
	while (plot < report->plot_count && report->plots[plot].table < i)
		plot++;
	for (i++; i < end; i = html_behind(html, i), count++) {
		size_t behind = tree_end(report, i), first = plot;
		while (plot < report->plot_count && report->plots[plot].table < behind)
			plot++;
		if (count == HTML_PEERS || (count && plot - first != plots))
			return;
		plots = plot - first;
		html->peers[count] = first;
	}
	html->peer_count = count;
}

/* The list of item i: its elements side by side where the page is wide enough. */
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
	for (i++; i < end; i = html_behind(html, i), element++) {
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
html_note(struct html *html, const struct item *item)
{
	buf_string(html->out, "<p class=\"note whole\">");
	html_shown(html, item);
	buf_string(html->out, "</p>\n");
}

/* What is between two indices, block by block. */
static void
html_blocks(struct html *html, size_t i, size_t end)
{
	const struct item *items = html->render->report->items;
	for (; i < end; i = html_behind(html, i)) {
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

/* Links to the sections in the list or section of item i, and so many levels further down. */
static void
html_links(struct html *html, size_t i, unsigned levels)
{
	const struct poly_report *report = html->render->report;
	bool list = i != SIZE_MAX && report->items[i].type == ITEM_LIST, some = false;
	size_t end = i == SIZE_MAX ? report->count : tree_end(report, i), element = 0;
	for (i++; i < end; i = html_behind(html, i)) {
		const struct item *item = &report->items[i];
		size_t number = list ? element++ : SIZE_MAX;
		if ((item->type != ITEM_SECTION && item->type != ITEM_LIST) ||
			item->title == TREE_NO_TEXT || html_is_empty(item))
			continue;
		buf_string(html->out, some ? "" : "<ol>\n");
		some = true;
		size_t outside = path_enter(html, item, number);
		buf_printf(html->out, "<li><a href=\"#%s\">", buf_text(&html->render->path));
		html_title(html, item);
		buf_string(html->out, "</a>");
		if (levels)
			html_links(html, i, levels - 1);
		buf_string(html->out, "</li>\n");
		html->render->path.size = outside;
	}
	buf_string(html->out, some ? "</ol>\n" : "");
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
	buf_string(html.out, "</main>\n<footer>Made by polytrace " POLY_VERSION
			     "</footer>\n</body>\n</html>\n");
	if (html.text.failed)
		render->out.failed = true;
	buf_free(&html.text);
}
