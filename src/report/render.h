/* SPDX-License-Identifier: MIT */
/* State and helpers of all renderers. */
#ifndef REPORT_RENDER_H
#define REPORT_RENDER_H

#include "report/tree.h"

/* Maximum size of a number as text in bytes: 309 digits of a real, commas, decimals, sign and
 * point.
 */
#define RENDER_NUMBER 448

struct render {
	const struct poly_report *report;
	struct buf out;	 /* not yet written to the sink */
	struct buf path; /* for use by the renderer; freed with out */
	const struct poly_sink *sink;
	struct poly_render_options options;
	int sys_errno; /* the first error of the sink, after which nothing is written */
};

/* Writes the output to the sink. */
void render_write(struct render *render);

/* Writes the output to the sink if the chunk is large enough; called between items. */
void render_flush(struct render *render);

/*
 * Formats a COUNT, ADDRESS, REAL or RATIO as text (of RENDER_NUMBER bytes). rounded, for
 * people: a REAL has its decimals, a RATIO is in percent, and thousands are grouped except in
 * an ADDRESS and in a REAL without decimals. Otherwise: the shortest text that is read back as
 * the same number.
 */
void render_number(const struct report_item *item, bool rounded, char *text);

/* Formats a finite number with decimals (in RENDER_NUMBER bytes), with a point in any locale.
 */
void render_real(double real, unsigned decimals, char *text);

/* Appends text with its control characters, C0, DEL and C1, as \xNN: terminals would execute
 * them, and markup may not contain them. */
void render_visible(struct buf *out, const char *text);

/* Appends a value or cell as text for people, without its unit; nothing if it is absent. */
void render_item(
	struct buf *out, const struct poly_report *report, const struct report_item *item);

/* Appends a title and a unit in parentheses; either may be TREE_NO_TEXT. */
void render_title(struct buf *out, const struct poly_report *report, size_t title, size_t unit);

/* SGR sequences: bold and reset. */
#define RENDER_BOLD "\x1b[1m"
#define RENDER_PLAIN "\x1b[0m"

/* The renderers: append a complete, valid report to render->out. */
void render_text(struct render *render, bool terminal);
void render_json(struct render *render, bool one_line);
void render_csv(struct render *render);
void render_csv_table(struct render *render); /* of a report that is one table */
void render_html(struct render *render);

/* The same of a report that is one table, as a Parquet file. POLY_ERR_UNSUPPORTED,
 * POLY_ERR_MEMORY, POLY_ERR_LIMIT. */
enum poly_status render_parquet_table(struct render *render, struct poly_error *error);

#endif
