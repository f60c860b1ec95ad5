/* SPDX-License-Identifier: MIT */
/* Statistics of columns: byte histogram, range of values, distinct values. */
#ifndef ANALYSIS_COLUMN_STATS_H
#define ANALYSIS_COLUMN_STATS_H

#include "polytrace/batch.h"

#include "base/map.h"

/* Returns the rows of a word of the presence bitmap in which a column has a value. */
static inline uint64_t
row_bits_present(const struct poly_batch *batch, enum poly_column column, size_t word)
{
	const uint64_t *bits = batch->present[column];
	size_t rows = batch->rows - 64 * word;
	if (!bits)
		return 0;
	return rows < 64 ? bits[word] & (((uint64_t)1 << rows) - 1) : bits[word];
}

/* Returns the number of words of a batch's bitmaps. */
static inline size_t
row_bits_words(const struct poly_batch *batch)
{
	return (batch->rows + 63) / 64;
}

/* Removes the lowest row of a word that is not 0, and returns its index in the word. */
static inline size_t
row_bits_next(uint64_t *rows)
{
	size_t row = (size_t)__builtin_ctzll(*rows);
	*rows &= *rows - 1;
	return row;
}

/* Returns the rows among n (at most 64) that are equal to value. */
uint64_t row_bits_equal(const uint8_t *values, size_t n, uint8_t value);

/* Number of values that are counted by vector comparison instead of row by row. */
#define BYTE_HISTOGRAM_LISTED 12

/* Histogram of a byte column. Zeroed is empty. */
struct byte_histogram {
	uint64_t counts[256];
	uint8_t list[BYTE_HISTOGRAM_LISTED]; /* seen values, roughly by descending frequency */
	unsigned list_count;
	bool listed[256]; /* by value: is in the list */
};

/* Adds a byte column with the array values; NULL: not in the batch. */
void byte_histogram_add_column(struct byte_histogram *histogram, const struct poly_batch *batch,
	enum poly_column column, const uint8_t *values);

/* Range of a column's values; empty if low > high. */
struct value_range {
	uint64_t low, high;
};

/* The empty range. */
#define VALUE_RANGE_EMPTY ((struct value_range){1, 0})

/* Extends a range to a value. */
void value_range_add(struct value_range *range, uint64_t value);

/* Extends a range to another one. */
void value_range_merge(struct value_range *into, const struct value_range *from);

/* Extends a range to a column with the array values; NULL: not in the batch. */
void value_range_add_column(struct value_range *range, const struct poly_batch *batch,
	enum poly_column column, const uint64_t *values);

/* Maximum number of distinct values. */
#define DISTINCT_SET_MAX 65536

/* Exact set of the distinct values of a column. */
struct distinct_set {
	struct map map;
	uint64_t recent[64]; /* values in the map, by their low bits */
	bool overflowed;     /* more than DISTINCT_SET_MAX values; the map was freed */
	bool failed;	     /* out of memory */
};

/* Initializes an empty set. */
void distinct_set_init(struct distinct_set *distinct);

/* Adds a value. */
void distinct_set_add(struct distinct_set *distinct, uint64_t value);

/* Adds the values of another set. */
void distinct_set_merge(struct distinct_set *into, const struct distinct_set *from);

/* Adds a column with the array values; NULL: not in the batch. */
void distinct_set_add_column(struct distinct_set *distinct, const struct poly_batch *batch,
	enum poly_column column, const uint64_t *values);

/* As distinct_set_add_column for a column of 32 bits. */
void distinct_set_add_column32(struct distinct_set *distinct, const struct poly_batch *batch,
	enum poly_column column, const uint32_t *values);

/* Frees the memory. */
void distinct_set_fini(struct distinct_set *distinct);

#endif
