/* SPDX-License-Identifier: MIT */
/*
 * A table of lines (or pages) with a value each, in bounded memory: when it is full, it halves
 * its sampling rate and removes the lines that are no longer in the sample. As a line is in all
 * samples of higher rates, too, the final sample is complete from the first access on.
 *
 * source: C. A. Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015,
 * section 3.2.
 */
#ifndef SIM_LINE_TABLE_H
#define SIM_LINE_TABLE_H

#include "polytrace/status.h"

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which lines are in a sample: those of one in 2^rate hashes. Zeroed: all lines. */
struct line_sample {
	unsigned set_bits; /* log2 of the number of sets, if sets are sampled; 0: lines are */
	unsigned rate;
};

/* Returns the hash of a line; or of its set: a permutation of the sets' numbers, plus their
 * number. */
uint64_t line_sample_hash(const struct line_sample *sample, uint64_t line);

/* Returns whether a sample has the lines of a hash. */
static inline bool
line_sample_has(const struct line_sample *sample, uint64_t hash)
{
	return !(hash & ((UINT64_C(1) << sample->rate) - 1));
}

struct line_entry {
	uint64_t key; /* the line + 1; 0: empty */
	uint64_t value;
};

struct line_table {
	struct line_entry *entries; /* linear probing, at most three quarters full */
	size_t mask, max_mask, count;
	struct hash_seed seed;
	struct line_sample sample;
};

/* Minimum memory of a table. */
#define LINE_TABLE_MEMORY_MIN ((uint64_t)96 << 10)

/* Creates an empty table of at most memory bytes (16 MiB have room for 393,216 lines).
 * POLY_ERR_MEMORY. */
enum poly_status line_table_init(struct line_table *table, uint64_t memory,
	const struct line_sample *sample, struct poly_error *error);
void line_table_fini(struct line_table *table);

/* Loads the place of a line. */
static inline void
line_table_prefetch(const struct line_table *table, uint64_t line)
{
	__builtin_prefetch(&table->entries[hash_number(&table->seed, line + 1) & table->mask]);
}

/*
 * Finds or adds a line below UINT64_MAX: stores its value in *previous, or initial if it is
 * new, and replaces it by value. *previous is initial for lines that are not in the sample.
 * POLY_ERR_MEMORY.
 */
enum poly_status line_table_swap(
	struct line_table *table, uint64_t line, uint64_t value, uint64_t *previous);

/*
 * Adds lines. Stores r + 1 for lines that are new and in the sample of rate r, so that each
 * stands for 2^r new lines, and 0 for others. POLY_ERR_MEMORY.
 */
enum poly_status line_table_weigh(
	struct line_table *table, const uint64_t *lines, size_t count, uint8_t *weights);

#endif
