/* SPDX-License-Identifier: MIT */
/* What the renderers of reports share. */
#ifndef REPORT_RENDER_H
#define REPORT_RENDER_H

#include "report/tree.h"

/* Bytes that hold any number as text: 309 digits of a real, commas, decimals, sign and point.
 */
#define RENDER_NUMBER 448

struct render {
	const struct poly_report *report;
	struct buf out;	 /* on its way to write */
	struct buf path; /* for the renderer's use; freed with out */
	const struct poly_sink *sink;
	struct poly_render_options options;
	int sys_errno; /* what write returned first; nothing is written after it */
};

/* Hands over what has gathered where it is worth it; called between items. */
void render_flush(struct render *render);

/*
 * A COUNT, ADDRESS, REAL or RATIO as text (of RENDER_NUMBER bytes). rounded, for people: a REAL
 * has its decimals, a RATIO is in percent, thousands are grouped except of an ADDRESS and of a
 * REAL without decimals. Else the shortest text that is read back as the same number.
 */
void render_number(const struct item *item, bool rounded, char *text);

/* A finite number with so many decimals as text (of RENDER_NUMBER bytes), with a point. */
void render_real(double real, unsigned decimals, char *text);

/* Appends text with its control characters, C0, DEL and C1, as \xNN: they would act on a
 * terminal, and markup may not have them. */
void render_visible(struct buf *to, const char *text);

/* Appends a value or cell as people read it, without its unit; nothing if it is absent. */
void render_shown(struct buf *to, const struct poly_report *report, const struct item *item);

/* Appends a title and, in parentheses, a unit; either may be TREE_NO_TEXT. */
void render_titled(struct buf *to, const struct poly_report *report, size_t title, size_t unit);

/* SGR sequences: bold, a series' colour, and back. */
#define RENDER_BOLD "\x1b[1m"
#define RENDER_PLAIN "\x1b[0m"

/* The renderers: a whole report, which is sound, into render->out. */
void render_text(struct render *render, bool terminal);
void render_json(struct render *render, bool one_line);
void render_csv(struct render *render);
void render_html(struct render *render);

#endif
