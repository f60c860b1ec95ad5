/* SPDX-License-Identifier: MIT */
/* Distinct values of a column in a row group, numbered from 0 by first appearance. */
#ifndef PARQUET_DICTIONARY_H
#define PARQUET_DICTIONARY_H

#include "parquet/encoding.h"

#include "base/hash_index.h"

/* Zeroed is empty. */
struct number_dictionary {
	uint64_t *values; /* by number */
	uint32_t count, capacity;
	uint32_t *ids; /* number of each value of the column */
	size_t ids_capacity;
	struct hash_index index;
	bool failed; /* out of memory */
};

/*
 * Numbers the values of a column. False: they repeat too rarely, or memory ran out; then the
 * count is 0. Lack of memory is sticky.
 */
bool number_dictionary_fill(
	struct number_dictionary *dictionary, const struct numbers *numbers);

void number_dictionary_free(struct number_dictionary *dictionary);

/* Distinct texts. Zeroed is empty. */
struct text_dictionary {
	struct buf bytes;
	size_t *ends; /* of each text in bytes */
	uint32_t count, capacity;
	struct hash_index index;
};

/* Returns the number of a text; UINT32_MAX: out of memory. */
uint32_t text_dictionary_add(struct text_dictionary *dictionary, const void *text, size_t n);

/* Returns the text of a number, valid until the next addition. */
const uint8_t *text_dictionary_at(
	const struct text_dictionary *dictionary, size_t number, size_t *n);

/* Removes all texts and keeps the memory. */
void text_dictionary_clear(struct text_dictionary *dictionary);

void text_dictionary_free(struct text_dictionary *dictionary);

#endif
