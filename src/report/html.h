/* SPDX-License-Identifier: MIT */
/* What the parts of the page share. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/render.h"

/* Most elements of a list whose plots share their axes. */
#define HTML_PEERS 8

struct html {
	struct render *render;
	struct buf *out;      /* the render's */
	struct buf text;      /* what is escaped next */
	unsigned depth;	      /* of the open section; lists and their elements do not count */
	unsigned level;	      /* of the headings that come next: 2 to 6 */
	size_t tables, plots; /* so far */
	size_t next_plot;     /* among those of the report */
	/* Of the list that is open, where its elements have as many plots each: how many
	 * elements, the number of each one's first plot, and which of them is open. */
	size_t peer_count, peers[HTML_PEERS], element;
};

/* Appends what is in text, escaped, and empties it. */
void html_escape(struct html *html);

/* Appends a title, a value or a cell, escaped. */
void html_title(struct html *html, const struct item *item);
void html_shown(struct html *html, const struct item *item);

/* The table of item i, which has content, with its plots. */
void html_table(struct html *html, size_t i);

#endif
