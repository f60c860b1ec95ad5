/* SPDX-License-Identifier: MIT */
/* A column of a stream: the rows that are collected for the next array. */
#ifndef ARROW_COLUMN_H
#define ARROW_COLUMN_H

#include "polytrace/arrow.h"

#include "base/buf.h"

/* How the values of a column are laid out. */
enum arrow_layout {
	ARROW_NUMBERS, /* an array of the column's elements */
	ARROW_BITS,    /* booleans, one bit each */
	ARROW_CODES,   /* indices of a dictionary */
	ARROW_STRINGS, /* 32-bit offsets, and the bytes between them */
};

/* Maximum bytes of the strings of an array, unless its only row has more. */
#define ARROW_STRINGS_MAX ((size_t)16 << 20)

/* Initialise id and zero the rest. */
struct arrow_column {
	enum poly_column id;
	enum arrow_layout layout;
	bool is_text;	    /* strings are UTF-8 */
	unsigned size;	    /* bytes per element of values */
	uint64_t *validity; /* a bit per row */
	uint8_t *values;    /* numbers, bits, indices or offsets */
	struct buf bytes;   /* of strings */
	/* The dictionary: values of the column by index, and one more than the index by value.
	 */
	uint32_t *dictionary, *codes;
	uint32_t dictionary_count, dictionary_capacity, codes_capacity;
};

/* Sets the layout by the column's id. */
void arrow_column_init(struct arrow_column *column);

/* Stores the type of a column under a name; false: out of memory. */
bool arrow_column_schema(
	const struct arrow_column *column, const char *name, struct ArrowSchema *schema);

/* Begins an array of up to rows rows; false: out of memory. */
bool arrow_column_begin(struct arrow_column *column, size_t rows);

/* Rows of a batch, and the row of the array where they are appended. */
struct arrow_rows {
	const struct poly_batch *batch;
	size_t from;  /* first row of the batch */
	size_t count; /* number of rows */
	size_t at;    /* first row of the array */
};

/* Returns the number of these rows, from the first one on, for whose strings there is room. */
size_t arrow_column_room(const struct arrow_column *column, const struct arrow_rows *rows);

/* Appends rows; false: out of memory. */
bool arrow_column_append(struct arrow_column *column, const struct arrow_rows *rows);

/* Moves the rows to an array, in either case; false: out of memory. */
bool arrow_column_finish(struct arrow_column *column, const struct poly_trace_info *info,
	size_t rows, struct ArrowArray *array);

/* Frees the storage. */
void arrow_column_fini(struct arrow_column *column);

/* Prepares an array with room for buffers and children, all NULL; false: out of memory. */
bool arrow_array_init(struct ArrowArray *array, size_t buffers, size_t children);

/* The same for a schema and its children. */
bool arrow_schema_init(struct ArrowSchema *schema, const char *name, size_t children);

#endif
