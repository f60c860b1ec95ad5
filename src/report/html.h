/* SPDX-License-Identifier: MIT */
/* State of the HTML renderer. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/render.h"

/* Maximum number of elements of a list whose plots share their axes. */
#define HTML_PEERS 8

struct html {
	struct render *render;
	struct buf *out;      /* that of render */
	struct buf text;      /* text to be escaped */
	unsigned depth;	      /* of the open section; lists and their elements do not count */
	unsigned level;	      /* of the next heading: 2 to 6 */
	size_t tables, plots; /* so far */
	size_t next_plot;     /* index in the plots of the report */
	/* Of the open list, if its elements have the same number of plots: the number of
	 * elements, the first plot of each element, and the open element. */
	size_t peer_count, peers[HTML_PEERS], element;
};

/* Appends the contents of text, escaped, and clears it. */
void html_escape(struct html *html);

/* Appends a title, a value or a cell, escaped. */
void html_title(struct html *html, const struct report_item *item);
void html_item(struct html *html, const struct report_item *item);

/* Appends the table of item i, which has content, and its plots. */
void html_table(struct html *html, size_t i);

#endif
