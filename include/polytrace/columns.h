/* SPDX-License-Identifier: MIT */
/*
 * Columns and sets of columns.
 *
 *     options.columns = POLY_COLUMNS(pc, opcode);
 *     static const poly_columns needs = POLY_COLUMNS_INIT(pc, opcode);
 *     if (POLY_HAS(info->columns, time)) ...
 */
#ifndef POLYTRACE_COLUMNS_H
#define POLYTRACE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Columns by name: POLY_COLUMN_pc and so on, in the order of columns.def. */
enum poly_column {
#define COLUMN(name, type, form, doc) POLY_COLUMN_##name,
#include "polytrace/columns.def"
#undef COLUMN
	POLY_COLUMN_COUNT, /* number of the columns that batches store */
	/*
	 * The first of POLY_REGISTERS_MAX columns of registers, derived from the records up to
	 * each row for the names in the plan of a reader: see struct poly_read_plan. Not in
	 * POLY_ALL_COLUMNS.
	 */
	POLY_COLUMN_register = 128,
	/*
	 * The record's number, as poly_batch_number returns. Every trace has this column and
	 * no batch stores its values: not in POLY_ALL_COLUMNS.
	 */
	POLY_COLUMN_row = 255,
	POLY_COLUMN_NONE = 256 /* no column; in no set */
};

/* Maximum number of columns of registers. */
#define POLY_REGISTERS_MAX 32

/* A set of columns: bit n % 64 of word n / 64 is column n. */
typedef struct poly_columns {
	uint64_t words[4]; /* room for 256 columns */
} poly_columns;

/* The name 0, which is not a column. Internal. */
#define POLY_COLUMN_0 POLY_COLUMN_NONE

/* The bit of a column in a word of a set; 0 if it is in another word. Internal. */
#define POLY_COLUMN_BIT_(word, name) \
	((uint64_t)(POLY_COLUMN_##name / 64 == (word)) << POLY_COLUMN_##name % 64)

/* The word of a set of 8, 16, 24 and so on names. Internal. */
#define POLY_COLUMNS_8_(word, a, b, c, d, e, f, g, h, ...)                                   \
	(POLY_COLUMN_BIT_(word, a) | POLY_COLUMN_BIT_(word, b) | POLY_COLUMN_BIT_(word, c) | \
		POLY_COLUMN_BIT_(word, d) | POLY_COLUMN_BIT_(word, e) |                      \
		POLY_COLUMN_BIT_(word, f) | POLY_COLUMN_BIT_(word, g) |                      \
		POLY_COLUMN_BIT_(word, h))
#define POLY_COLUMNS_16_(word, a, b, c, d, e, f, g, h, ...) \
	(POLY_COLUMNS_8_(word, a, b, c, d, e, f, g, h, 0) | POLY_COLUMNS_8_(word, __VA_ARGS__))
#define POLY_COLUMNS_24_(word, a, b, c, d, e, f, g, h, ...) \
	(POLY_COLUMNS_8_(word, a, b, c, d, e, f, g, h, 0) | POLY_COLUMNS_16_(word, __VA_ARGS__))
#define POLY_COLUMNS_32_(word, a, b, c, d, e, f, g, h, ...) \
	(POLY_COLUMNS_8_(word, a, b, c, d, e, f, g, h, 0) | POLY_COLUMNS_24_(word, __VA_ARGS__))
#define POLY_COLUMNS_40_(word, a, b, c, d, e, f, g, h, ...) \
	(POLY_COLUMNS_8_(word, a, b, c, d, e, f, g, h, 0) | POLY_COLUMNS_32_(word, __VA_ARGS__))
#define POLY_COLUMNS_48_(word, a, b, c, d, e, f, g, h, ...) \
	(POLY_COLUMNS_8_(word, a, b, c, d, e, f, g, h, 0) | POLY_COLUMNS_40_(word, __VA_ARGS__))
#define POLY_COLUMNS_56_(word, a, b, c, d, e, f, g, h, ...) \
	(POLY_COLUMNS_8_(word, a, b, c, d, e, f, g, h, 0) | POLY_COLUMNS_48_(word, __VA_ARGS__))
#define POLY_COLUMNS_64_(word, a, b, c, d, e, f, g, h, ...) \
	(POLY_COLUMNS_8_(word, a, b, c, d, e, f, g, h, 0) | POLY_COLUMNS_56_(word, __VA_ARGS__))

/* The word of a set of up to 64 names. Internal. */
#define POLY_COLUMNS_PAD_ 0, 0, 0, 0, 0, 0, 0, 0
#define POLY_COLUMNS_CALL_(macro, ...) macro(__VA_ARGS__)
#define POLY_COLUMNS_WORD_(word, ...)                                                       \
	POLY_COLUMNS_CALL_(POLY_COLUMNS_64_, word, __VA_ARGS__, POLY_COLUMNS_PAD_,          \
		POLY_COLUMNS_PAD_, POLY_COLUMNS_PAD_, POLY_COLUMNS_PAD_, POLY_COLUMNS_PAD_, \
		POLY_COLUMNS_PAD_, POLY_COLUMNS_PAD_, POLY_COLUMNS_PAD_, 0)

/* The columns of a word that batches store. Internal. */
#define POLY_COLUMNS_STORED_(word)                           \
	(POLY_COLUMN_COUNT >= 64 * ((word) + 1) ? UINT64_MAX \
		: POLY_COLUMN_COUNT <= 64 * (word)           \
			? 0                                  \
			: ((uint64_t)1 << POLY_COLUMN_COUNT % 64) - 1)

/* Initialises a set with up to 64 columns by their names: POLY_COLUMNS_INIT(pc, opcode). */
#define POLY_COLUMNS_INIT(...)                                      \
	{                                                           \
		{                                                   \
			POLY_COLUMNS_WORD_(0, __VA_ARGS__),         \
				POLY_COLUMNS_WORD_(1, __VA_ARGS__), \
				POLY_COLUMNS_WORD_(2, __VA_ARGS__), \
				POLY_COLUMNS_WORD_(3, __VA_ARGS__)  \
		}                                                   \
	}

/* Initialises a set with every column that batches store except those named. */
#define POLY_COLUMNS_EXCEPT_INIT(...)                                                          \
	{                                                                                      \
		{                                                                              \
			POLY_COLUMNS_STORED_(0) & ~POLY_COLUMNS_WORD_(0, __VA_ARGS__),         \
				POLY_COLUMNS_STORED_(1) & ~POLY_COLUMNS_WORD_(1, __VA_ARGS__), \
				POLY_COLUMNS_STORED_(2) & ~POLY_COLUMNS_WORD_(2, __VA_ARGS__), \
				POLY_COLUMNS_STORED_(3) & ~POLY_COLUMNS_WORD_(3, __VA_ARGS__)  \
		}                                                                              \
	}

/* Initialises a set with every column that batches store. */
#define POLY_ALL_COLUMNS_INIT POLY_COLUMNS_EXCEPT_INIT(0)

/* Makes an expression of an initialiser. Internal. */
#ifdef __cplusplus
#define POLY_COLUMNS_OF_ poly_columns
#else
#define POLY_COLUMNS_OF_ (poly_columns)
#endif

/* The set of columns by their names, as an expression. */
#define POLY_COLUMNS(...) (POLY_COLUMNS_OF_ POLY_COLUMNS_INIT(__VA_ARGS__))

/* The set of every column that batches store except those named, as an expression. */
#define POLY_COLUMNS_EXCEPT(...) (POLY_COLUMNS_OF_ POLY_COLUMNS_EXCEPT_INIT(__VA_ARGS__))

/* The set of every column that batches store, as an expression. */
#define POLY_ALL_COLUMNS (POLY_COLUMNS_OF_ POLY_ALL_COLUMNS_INIT)

/* The empty set. */
#define POLY_NO_COLUMNS POLY_COLUMNS(0)

/* Whether a set has the column of a name: POLY_HAS(info->columns, pc). */
#define POLY_HAS(columns, name) poly_columns_has(columns, POLY_COLUMN_##name)

/* Returns whether a set has a column. */
static inline bool
poly_columns_has(poly_columns columns, enum poly_column column)
{
	const unsigned c = (unsigned)column;
	return c < POLY_COLUMN_NONE && (columns.words[c / 64] >> c % 64 & 1);
}

/* Adds a column to a set. */
static inline void
poly_columns_add(poly_columns *columns, enum poly_column column)
{
	const unsigned c = (unsigned)column;
	columns->words[c / 64] |= (uint64_t)1 << c % 64;
}

/* Removes a column from a set. */
static inline void
poly_columns_remove(poly_columns *columns, enum poly_column column)
{
	const unsigned c = (unsigned)column;
	columns->words[c / 64] &= ~((uint64_t)1 << c % 64);
}

/* Returns the columns that are in a, in b or in both. */
static inline poly_columns
poly_columns_union(poly_columns a, poly_columns b)
{
	for (int i = 0; i < 4; i++)
		a.words[i] |= b.words[i];
	return a;
}

/* Returns the columns that are in both sets. */
static inline poly_columns
poly_columns_common(poly_columns a, poly_columns b)
{
	for (int i = 0; i < 4; i++)
		a.words[i] &= b.words[i];
	return a;
}

/* Returns the columns of a that are not in b. */
static inline poly_columns
poly_columns_minus(poly_columns a, poly_columns b)
{
	for (int i = 0; i < 4; i++)
		a.words[i] &= ~b.words[i];
	return a;
}

/* Returns whether a set has no column. */
static inline bool
poly_columns_empty(poly_columns columns)
{
	return !(columns.words[0] | columns.words[1] | columns.words[2] | columns.words[3]);
}

/* Returns whether every column of a is in b. */
static inline bool
poly_columns_subset(poly_columns a, poly_columns b)
{
	return poly_columns_empty(poly_columns_minus(a, b));
}

/* Returns whether both sets have the same columns. */
static inline bool
poly_columns_equal(poly_columns a, poly_columns b)
{
	return poly_columns_subset(a, b) && poly_columns_subset(b, a);
}

/* Returns whether the sets have a column in common. */
static inline bool
poly_columns_overlap(poly_columns a, poly_columns b)
{
	return !poly_columns_empty(poly_columns_common(a, b));
}

/* Returns the first column of a set from column on; POLY_COLUMN_NONE if there is none. */
static inline enum poly_column
poly_columns_next(poly_columns columns, unsigned column)
{
	while (column < POLY_COLUMN_NONE &&
		!poly_columns_has(columns, (enum poly_column)column))
		column = columns.words[column / 64] >> column % 64 ? column + 1
								   : (column / 64 + 1) * 64;
	return (enum poly_column)column;
}

#ifdef __cplusplus
}
#endif

#endif
