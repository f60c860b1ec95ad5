/* SPDX-License-Identifier: MIT */
/* Counting over columns: how often each value of a byte, lowest and highest, how many
 * different. */
#ifndef ANALYSIS_TALLY_H
#define ANALYSIS_TALLY_H

#include "polytrace/batch.h"

#include "base/map.h"

/* The rows of a word of the presence bitmap in which a column has a value. */
static inline uint64_t
tally_present(const struct poly_batch *batch, enum poly_column column, size_t word)
{
	const uint64_t *bits = batch->present[column];
	size_t rows = batch->rows - 64 * word;
	if (!bits)
		return 0;
	return rows < 64 ? bits[word] & (((uint64_t)1 << rows) - 1) : bits[word];
}

/* The words of a batch's bitmaps. */
static inline size_t
tally_words(const struct poly_batch *batch)
{
	return (batch->rows + 63) / 64;
}

/* Takes the lowest row, counted within its word, out of a word that is not 0. */
static inline size_t
tally_next(uint64_t *rows)
{
	size_t row = (size_t)__builtin_ctzll(*rows);
	*rows &= *rows - 1;
	return row;
}

/* The rows among n (at most 64) that hold value. */
uint64_t tally_equal(const uint8_t *values, size_t n, uint8_t value);

/* Values that are counted by comparing whole vectors, instead of row by row. */
#define TALLY_LISTED 12

/* How often each value of a column of bytes occurs. Zeroed is empty. */
struct tally {
	uint64_t counts[256];
	uint8_t list[TALLY_LISTED]; /* values seen, roughly the most frequent first */
	unsigned list_count;
	bool listed[256]; /* is in the list */
};

/* Counts a column of bytes, whose array is values; NULL: the batch does not have it. */
void tally_column(struct tally *tally, const struct poly_batch *batch, enum poly_column column,
	const uint8_t *values);

/* What was found of a column's values: empty where low is above high. */
struct range {
	uint64_t low, high;
};

/* The range without a value. */
#define RANGE_EMPTY ((struct range){1, 0})

/* Widens a range by a value. */
void range_add(struct range *range, uint64_t value);

/* Widens a range by another one. */
void range_merge(struct range *into, const struct range *from);

/* Widens a range by a column, whose array is values; NULL: the batch does not have it. */
void range_column(struct range *range, const struct poly_batch *batch, enum poly_column column,
	const uint64_t *values);

/* Most different values that are told apart. */
#define DISTINCT_MOST 65536

/* Different values of a column. */
struct distinct {
	struct map map;
	uint64_t recent[64]; /* values in the map, by their low bits */
	bool more;	     /* there are more than DISTINCT_MOST; the map was given back */
	bool failed;	     /* memory could not be had */
};

/* An empty set. */
void distinct_init(struct distinct *distinct);

/* Adds a value. */
void distinct_add(struct distinct *distinct, uint64_t value);

/* Adds what another set holds. */
void distinct_merge(struct distinct *into, const struct distinct *from);

/* Adds a column, whose array is values; NULL: the batch does not have it. */
void distinct_column(struct distinct *distinct, const struct poly_batch *batch,
	enum poly_column column, const uint64_t *values);

/* As distinct_column for a column of 32 bits. */
void distinct_column32(struct distinct *distinct, const struct poly_batch *batch,
	enum poly_column column, const uint32_t *values);

/* Gives the memory back. */
void distinct_fini(struct distinct *distinct);

#endif
