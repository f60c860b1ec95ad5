/* SPDX-License-Identifier: MIT */
/*
 * Lines that were seen before, as templates: a text with windows in which numbers change, the
 * row that the plain parser made of it, and what followed it.
 *
 * A trace repeats its static instructions, so nearly every line is a template with other
 * numbers in its windows, and nearly always one of the two templates that followed the line
 * before the last time. To compare a line with those two is much faster than to parse it.
 */
#ifndef FORMAT_LINE_TEMPLATE_H
#define FORMAT_LINE_TEMPLATE_H

#include "format/line/shape.h"

#include "base/map.h"
#include "model/batch.h"

#include <string.h>

/* Bytes of the longest line that can be a template, its newline included. */
#define TEMPLATE_TEXT 128

/* Most templates that are kept at a time. */
#define TEMPLATES_MAX ((uint32_t)256 << 10)

/* Columns that rows of templates have at most. */
#define TEMPLATE_COLUMNS 32

/* Rows behind those of the templates that may be read. */
#define TEMPLATE_SPARE 16

/* No template: the number 0, which matches no line. */
#define TEMPLATE_NONE 0

/* What is to be known of a format's lines. */
struct predict_format {
	poly_columns windows; /* columns that are filled from windows, and from nothing else */
	size_t usual;	      /* bytes that most lines have at most; 0: as many as can be */
};

/* What followed a template the last time, and before that. */
struct template_next {
	uint32_t next, other;
};

/*
 * A template: all that is needed where a line is compared with it, side by side. In front of it
 * stands the text, with zeros in the windows and behind its end.
 */
struct template
{
	uint64_t care[TEMPLATE_TEXT / 64]; /* bytes that have to be the same: a bit each */
	uint8_t length;			   /* of the line */
	uint8_t windows;		   /* how many there are */
	uint8_t text_at, text_length;	   /* of the column text; length 0: none or empty */
	struct window window[];		   /* templates.windows_most */
};

/*
 * A column of the rows of templates, by number: neighbours are mostly the same as in the trace,
 * so that many rows are copied at once.
 */
struct template_column {
	enum poly_column column;
	uint8_t size;	   /* of its elements; 0: its values stand elsewhere */
	uint8_t *values;   /* NULL where the size is 0 */
	uint64_t *present; /* a bit each */
};

/* Where in the trace a template stands: behind which line that says its place, and how far. */
struct template_stand {
	uint32_t place, behind;
};

struct templates {
	uint32_t count, capacity; /* templates, number 0 among them */
	struct template_next *nexts;
	struct template_stand *stands;
	uint8_t *memory;	/* of the templates */
	uint8_t *first;		/* text 0, at the beginning of a cache line */
	size_t text_size;	/* room for a text; up to TEMPLATE_TEXT */
	size_t size;		/* bytes of a text and its template: whole cache lines */
	struct map found;	/* numbers by hash */
	poly_columns windows;	/* wanted, and in every row that has them from a window */
	poly_columns elsewhere; /* columns whose values do not stand in rows */
	unsigned windows_most;
	size_t columns;
	struct template_column column[TEMPLATE_COLUMNS];
	uint32_t all, any; /* columns that all and some of the templates have: a bit each */
};

/* The text of a template; TEMPLATE_TEXT bytes may be read. */
static inline uint8_t *
template_text(const struct templates *templates, uint32_t number)
{
	return templates->first + number * templates->size;
}

/* The template of a text. */
static inline struct template *
template_of(const struct templates *templates, uint8_t *text)
{
	return (struct template *)(void *)(text + templates->text_size);
}

static inline struct template *
template_at(const struct templates *templates, uint32_t number)
{
	return template_of(templates, template_text(templates, number));
}

/*
 * Lays rows out for the wanted columns; no template is kept. False where there are too many of
 * them: there can be no templates.
 */
bool templates_start(
	struct templates *templates, poly_columns wanted, const struct predict_format *format);

/* Forgets all templates; the layout stays. */
void templates_forget(struct templates *templates);

/*
 * The template of a line, of which the plain parser made a row with that shape, behind a line
 * of template last (or TEMPLATE_NONE); a new one where there is none. TEMPLATE_NONE where it
 * can't be one, or where there are too many, or memory ran out.
 */
uint32_t templates_learn(struct templates *templates, const struct batch *batch, size_t row,
	const struct line_shape *shape, uint32_t last);

/* Notes that next followed last. */
void templates_follow(struct templates *templates, uint32_t last, uint32_t next);

/* Gives the memory back; templates are as zeroed. */
void templates_free(struct templates *templates);

#endif
