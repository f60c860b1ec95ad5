/* SPDX-License-Identifier: MIT */
/*
 * Templates of lines seen before: a text with windows in which numbers vary, the row that the
 * plain parser created, and the template that followed it.
 *
 * A trace repeats its static instructions, so nearly every line matches a template except for
 * the numbers in its windows, nearly always one of the two that followed the previous template
 * before. Comparing a line with those two is much faster than parsing it.
 */
#ifndef FORMAT_LINE_TEMPLATE_H
#define FORMAT_LINE_TEMPLATE_H

#include "format/line/shape.h"

#include "base/map.h"
#include "model/batch.h"
#include "model/columns.h"

#include <string.h>

/* Maximum length of a template in bytes, newline included. */
#define TEMPLATE_TEXT SHAPE_BYTES

/* Maximum number of templates. */
#define TEMPLATES_MAX ((uint32_t)256 << 10)

/* Maximum number of columns of a template's row. */
#define TEMPLATE_COLUMNS 32

/* Rows past those of the templates that may be read. */
#define TEMPLATE_SPARE 16

/* No template: the number 0, which matches no line. */
#define TEMPLATE_NONE 0

/* The properties of a format's lines. */
struct predict_format {
	poly_columns windows; /* columns that are filled only from windows */
	size_t typical_size;  /* most lines have at most this number of bytes; 0: TEMPLATE_TEXT
			       */
};

/* The last two different successors of a template, the latest first. */
struct template_next {
	uint32_t next, second;
};

/*
 * A template: all data for the comparison with a line, adjacent in memory. The text precedes
 * it, with zeros in the windows and after its end.
 */
struct template
{
	uint64_t care[TEMPLATE_TEXT / 64]; /* bytes that must be equal: one bit per byte */
	uint8_t length;			   /* of the line */
	uint8_t windows;		   /* number of windows */
	uint8_t text_at, text_length;	   /* of the column text; length 0: none or empty */
	struct window window[];		   /* templates.windows_max */
};

/*
 * A column of the templates' rows, by template number: neighbours are mostly neighbours in the
 * trace, and their rows are copied at once.
 */
struct template_column {
	enum poly_column column;
	uint8_t size;	   /* of its elements; 0: its values are stored elsewhere */
	uint8_t *values;   /* NULL if the size is 0 */
	uint64_t *present; /* one bit per template */
};

/*
 * The position of a template in the program: the last line with a PC, and the distance from it;
 * and that of a part in its line.
 */
struct template_position {
	uint32_t place, distance;
	uint32_t at;  /* bytes of the line before the part */
	uint32_t end; /* bytes up to its end, where the next part begins; 0: the line ends */
	uint32_t key, variant; /* see struct line_shape */
};

struct templates {
	uint32_t count, capacity; /* templates, number 0 among them */
	struct template_next *nexts;
	struct template_position *positions;
	uint8_t *memory;       /* of the templates */
	uint8_t *first;	       /* text 0, at the beginning of a cache line */
	size_t text_size;      /* room for a text; up to TEMPLATE_TEXT */
	size_t size;	       /* bytes of a text and its template: whole cache lines */
	struct map found;      /* numbers by hash */
	column_mask windows;   /* requested columns whose values come from windows */
	column_mask elsewhere; /* columns whose values are not stored in rows */
	unsigned windows_max;
	bool has_parts; /* a template is part of a line */
	size_t columns;
	struct template_column column[TEMPLATE_COLUMNS];
	uint32_t all, any; /* columns of all templates, and of any: one bit per column */
};

/* Returns the text of a template; TEMPLATE_TEXT bytes may be read. */
static inline uint8_t *
template_text(const struct templates *templates, uint32_t number)
{
	return templates->first + number * templates->size;
}

/* Returns the template of a text. */
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
 * Lays out rows for the requested columns, and discards all templates. False: too many columns,
 * no templates are possible.
 */
bool templates_start(
	struct templates *templates, poly_columns wanted, const struct predict_format *format);

/* Discards all templates; the layout stays. */
void templates_forget(struct templates *templates);

/*
 * Returns the template of a line that the plain parser parsed, with its shape, after a line of
 * template last (or TEMPLATE_NONE, which no part but a first one may follow); adds it if it is
 * new. TEMPLATE_NONE: the line cannot be a template, too many templates, or out of memory.
 */
uint32_t templates_learn(struct templates *templates, const struct batch *batch, size_t row,
	const struct line_shape *shape, uint32_t last);

/* Returns the bytes of the line before the part that follows a template; 0: another line. */
static inline uint32_t
template_end(const struct templates *templates, uint32_t number)
{
	return templates->positions[number].end;
}

/* Records that next followed last. */
void templates_follow(struct templates *templates, uint32_t last, uint32_t next);

/* Frees the memory, and zeroes templates. */
void templates_free(struct templates *templates);

#endif
