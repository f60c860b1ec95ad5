/* SPDX-License-Identifier: MIT */
/* Distinct values of a column in a row group. */
#include "parquet/dictionary.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

/* Maximum number of distinct numbers. */
#define DISTINCT_MAX 65536

/* Values after which at least every second one must be a repetition. */
#define TRIAL 16384

static uint64_t
hash_listed_number(const struct hash_index *index, const void *list, size_t i)
{
	return hash_number(&index->seed, ((const uint64_t *)list)[i]);
}

/* Appends a new value. */
static bool
append_number(struct number_dictionary *dictionary, uint64_t value)
{
	if (!VEC_ROOM(dictionary->values, dictionary->capacity, dictionary->count)) {
		dictionary->failed = true;
		return false;
	}
	dictionary->values[dictionary->count++] = value;
	return true;
}

/* Numbers bytes. */
static bool
fill_bytes(struct number_dictionary *dictionary, const struct numbers *numbers)
{
	uint32_t known[256] = {0};
	for (size_t i = 0; i < numbers->count; i++) {
		const uint8_t value = numbers->data[i];
		if (!known[value]) {
			if (!append_number(dictionary, value))
				return false;
			known[value] = dictionary->count;
		}
		dictionary->ids[i] = known[value] - 1;
	}
	return true;
}

/* Returns the number of a value, which may be new; UINT32_MAX: out of memory. */
static uint32_t
find_number(struct number_dictionary *dictionary, uint64_t value)
{
	struct hash_index *index = &dictionary->index;
	const struct hashed_objects present = {
		dictionary->values, dictionary->count, hash_listed_number};
	if (!hash_index_reserve(index, dictionary->count + 1, &present)) {
		dictionary->failed = true;
		return UINT32_MAX;
	}
	size_t place = hash_index_place(index, hash_number(&index->seed, value));
	uint32_t number;
	while ((number = index->slots[place]) != 0 && dictionary->values[number - 1] != value)
		place = hash_index_next(index, place);
	if (number)
		return number - 1;
	if (!append_number(dictionary, value))
		return UINT32_MAX;
	index->slots[place] = dictionary->count;
	return dictionary->count - 1;
}

/* Numbers any values. */
static bool
fill_numbers(struct number_dictionary *dictionary, const struct numbers *numbers)
{
	hash_index_clear(&dictionary->index);
	for (size_t i = 0; i < numbers->count; i++) {
		const uint32_t id = find_number(dictionary, number_at(numbers, i));
		if (id == UINT32_MAX || dictionary->count > DISTINCT_MAX ||
			(i >= TRIAL && dictionary->count > i / 2))
			return false;
		dictionary->ids[i] = id;
	}
	return true;
}

bool
number_dictionary_fill(struct number_dictionary *dictionary, const struct numbers *numbers)
{
	dictionary->count = 0;
	bool good = VEC_RESERVE(dictionary->ids, dictionary->ids_capacity, numbers->count);
	dictionary->failed |= !good;
	if (good)
		good = numbers->size == 1 ? fill_bytes(dictionary, numbers)
					  : fill_numbers(dictionary, numbers);
	if (!good)
		dictionary->count = 0;
	return good;
}

void
number_dictionary_free(struct number_dictionary *dictionary)
{
	mem_free(dictionary->values);
	mem_free(dictionary->ids);
	hash_index_free(&dictionary->index);
}

const uint8_t *
text_dictionary_at(const struct text_dictionary *dictionary, size_t number, size_t *n)
{
	const size_t start = number ? dictionary->ends[number - 1] : 0;
	*n = dictionary->ends[number] - start;
	return dictionary->bytes.data ? dictionary->bytes.data + start : (const uint8_t *)"";
}

static uint64_t
hash_listed_text(const struct hash_index *index, const void *list, size_t i)
{
	size_t n;
	const uint8_t *text = text_dictionary_at(list, i, &n);
	return hash_bytes(&index->seed, text, n);
}

uint32_t
text_dictionary_add(struct text_dictionary *dictionary, const void *text, size_t n)
{
	struct hash_index *index = &dictionary->index;
	const struct hashed_objects present = {dictionary, dictionary->count, hash_listed_text};
	if (!hash_index_reserve(index, (size_t)dictionary->count + 1, &present))
		return UINT32_MAX;
	size_t place = hash_index_place(index, hash_bytes(&index->seed, text, n));
	for (; index->slots[place]; place = hash_index_next(index, place)) {
		size_t length;
		const uint8_t *held =
			text_dictionary_at(dictionary, index->slots[place] - 1, &length);
		if (length == n && memcmp(held, text, n) == 0)
			return index->slots[place] - 1;
	}
	buf_append(&dictionary->bytes, text, n);
	if (dictionary->bytes.failed ||
		!VEC_ROOM(dictionary->ends, dictionary->capacity, dictionary->count))
		return UINT32_MAX;
	dictionary->ends[dictionary->count++] = dictionary->bytes.size;
	index->slots[place] = dictionary->count;
	return dictionary->count - 1;
}

void
text_dictionary_clear(struct text_dictionary *dictionary)
{
	buf_clear(&dictionary->bytes);
	hash_index_clear(&dictionary->index);
	dictionary->count = 0;
}

void
text_dictionary_free(struct text_dictionary *dictionary)
{
	buf_free(&dictionary->bytes);
	mem_free(dictionary->ends);
	hash_index_free(&dictionary->index);
}
