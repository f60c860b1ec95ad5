/* SPDX-License-Identifier: MIT */
/* Counting over columns: how often each value of a byte, lowest and highest, how many
 * different. */
#ifndef ANALYSIS_COLUMN_STATS_H
#define ANALYSIS_COLUMN_STATS_H

#include "polytrace/batch.h"

#include "base/map.h"

/* The rows of a word of the presence bitmap in which a column has a value. */
static inline uint64_t
row_bits_present(const struct poly_batch *batch, enum poly_column column, size_t word)
{
	const uint64_t *bits = batch->present[column];
	size_t rows = batch->rows - 64 * word;
	if (!bits)
		return 0;
	return rows < 64 ? bits[word] & (((uint64_t)1 << rows) - 1) : bits[word];
}

/* The words of a batch's bitmaps. */
static inline size_t
row_bits_words(const struct poly_batch *batch)
{
	return (batch->rows + 63) / 64;
}

/* Takes the lowest row, counted within its word, out of a word that is not 0. */
static inline size_t
row_bits_next(uint64_t *rows)
{
	size_t row = (size_t)__builtin_ctzll(*rows);
	*rows &= *rows - 1;
	return row;
}

/* The rows among n (at most 64) that hold value. */
uint64_t row_bits_equal(const uint8_t *values, size_t n, uint8_t value);

/* Values that are counted by comparing whole vectors, instead of row by row. */
#define BYTE_HISTOGRAM_LISTED 12

/* How often each value of a column of bytes occurs. Zeroed is empty. */
struct byte_histogram {
	uint64_t counts[256];
	uint8_t list[BYTE_HISTOGRAM_LISTED]; /* values seen, roughly the most frequent first */
	unsigned list_count;
	bool listed[256]; /* is in the list */
};

/* Counts a column of bytes, whose array is values; NULL: the batch does not have it. */
void byte_histogram_add_column(struct byte_histogram *tally, const struct poly_batch *batch,
	enum poly_column column, const uint8_t *values);

/* What was found of a column's values: empty where low is above high. */
struct value_range {
	uint64_t low, high;
};

/* The range without a value. */
#define VALUE_RANGE_EMPTY ((struct value_range){1, 0})

/* Widens a range by a value. */
void value_range_add(struct value_range *range, uint64_t value);

/* Widens a range by another one. */
void value_range_merge(struct value_range *into, const struct value_range *from);

/* Widens a range by a column, whose array is values; NULL: the batch does not have it. */
void value_range_add_column(struct value_range *range, const struct poly_batch *batch,
	enum poly_column column, const uint64_t *values);

/* Most different values that are told apart. */
#define DISTINCT_SET_MAX 65536

/* Different values of a column. */
struct distinct_set {
	struct map map;
	uint64_t recent[64]; /* values in the map, by their low bits */
	bool overflowed;     /* more than DISTINCT_SET_MAX values; the map was freed */
	bool failed;	     /* memory could not be had */
};

/* An empty set. */
void distinct_set_init(struct distinct_set *distinct);

/* Adds a value. */
void distinct_set_add(struct distinct_set *distinct, uint64_t value);

/* Adds what another set holds. */
void distinct_set_merge(struct distinct_set *into, const struct distinct_set *from);

/* Adds a column, whose array is values; NULL: the batch does not have it. */
void distinct_set_add_column(struct distinct_set *distinct, const struct poly_batch *batch,
	enum poly_column column, const uint64_t *values);

/* As distinct_set_add_column for a column of 32 bits. */
void distinct_set_add_column32(struct distinct_set *distinct, const struct poly_batch *batch,
	enum poly_column column, const uint32_t *values);

/* Gives the memory back. */
void distinct_set_fini(struct distinct_set *distinct);

#endif
