/* SPDX-License-Identifier: MIT */
/* What the renderers of reports share. */
#ifndef REPORT_RENDER_H
#define REPORT_RENDER_H

#include "report/tree.h"

/* Bytes that hold any number as text: 309 digits of a real, its decimals, sign and point. */
#define RENDER_NUMBER 352

struct render {
	const struct poly_report *report;
	struct buf out;	 /* on its way to write */
	struct buf path; /* for the renderer's use; freed with out */
	const struct poly_sink *sink;
	int sys_errno; /* what write returned first; nothing is written after it */
};

/* Hands over what has gathered where it is worth it; called between items. */
void render_flush(struct render *render);

/* A COUNT, ADDRESS or REAL as text (of RENDER_NUMBER bytes); grouped: digits of counts. */
void render_number(const struct item *item, bool grouped, char *text);

/* The renderers: a whole report, which is sound, into render->out. */
void render_text(struct render *render);
void render_json(struct render *render, bool one_line);
void render_csv(struct render *render);

#endif
