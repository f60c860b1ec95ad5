/* SPDX-License-Identifier: MIT */
/* Columns as data, for code that handles any of them: their traits, and values as text. */
#ifndef MODEL_COLUMNS_H
#define MODEL_COLUMNS_H

#include "polytrace/trace.h"

/* The description of a column in columns.def. */
struct column_traits {
	const char *name;
	const char *doc;
	enum poly_form form;
	uint8_t size;	/* of an element in bytes: 1, 2, 4 or 8 */
	bool is_signed; /* an integer that may be negative */
};

/*
 * A set of stored columns in one word, for sets per row and for files: bit n is column n. More
 * columns need more words here.
 */
typedef uint64_t column_mask;
_Static_assert(POLY_COLUMN_COUNT <= 64, "a column_mask is one word");

/* The mask of columns by their names. */
#define COLUMN_MASK(...) POLY_COLUMNS_WORD_(0, __VA_ARGS__)

/* Visits the columns of a set that batches store, in order. */
#define FOR_COLUMNS(column, columns)                                  \
	for (enum poly_column column = poly_columns_next(columns, 0); \
		(unsigned)column < COLUMN_STORED_END;                 \
		column = poly_columns_next(columns, (unsigned)column + 1))

/* After the last column that batches may store, those of registers included. */
#define COLUMN_STORED_END (POLY_COLUMN_register + POLY_REGISTERS_MAX)

/* Returns whether a column is one of a register. */
static inline bool
column_is_register(enum poly_column column)
{
	return column >= POLY_COLUMN_register && (unsigned)column < COLUMN_STORED_END;
}

/* The columns of count registers. */
poly_columns columns_of_registers(unsigned count);

/* Lists the names of a set as "a, b". */
void columns_list(poly_columns columns, char *text, size_t size);

/* Removes the other columns from a batch. */
void batch_keep_columns(struct poly_batch *batch, poly_columns kept);

/* By enum poly_column; zero between POLY_COLUMN_COUNT and POLY_COLUMN_row. */
extern const struct column_traits column_table[POLY_COLUMN_row + 1];

/* Returns the array of a column; NULL if absent from the batch. */
const void *column_data(const struct poly_batch *batch, enum poly_column column);

/* Loads the integer in a row of an array that column_data returned. Signed columns have 64
 * bits. */
static inline uint64_t
column_load(const struct column_traits *traits, const void *data, size_t row)
{
	switch (traits->size) {
	case 1: return ((const uint8_t *)data)[row];
	case 2: return ((const uint16_t *)data)[row];
	case 4: return ((const uint32_t *)data)[row];
	default: return ((const uint64_t *)data)[row];
	}
}

/* Bytes for the text of any number. */
#define COLUMN_TEXT 24

/*
 * Returns the text of a value of an integer column: a name of the trace or of an enumeration,
 * or a number, which is written to room. *length excludes the NUL that only names have. A value
 * that has no name (a producer's mistake that must stay visible) is printed as a number.
 */
const char *column_text(const struct poly_trace_info *info, enum poly_column column,
	uint64_t value, char *room, size_t *length);

#endif
