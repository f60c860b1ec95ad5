/* SPDX-License-Identifier: MIT */
/* Finding the template of each row. */
#include "format/ptz/dictionary.h"

#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

#define NONE UINT32_MAX

/* Number of rows after one with a location that are distinguished by the previous template. */
#define DISTANCE_MAX 16

/* Columns whose values differ from one execution to the next. */
#define VARYING                                                                               \
	time, instruction_id, address, value, real_address, counters, payload, raw, verbatim, \
		requested_address

/* Columns of more than a byte that have few values even if nothing repeats. */
#define FEW                                                                            \
	cpu, cpu_name, process, thread, size, reg, mnemonic, uop_name, mode, security, \
		instruction_set, access_attributes, escape, hook, subhook, hook_type

static bool
is_fixed(enum ptz_plan plan, enum poly_column column)
{
	if (poly_columns_has(POLY_COLUMNS(VARYING), column))
		return false;
	return plan == PTZ_PROGRAM || ptz_column_size(column) == 1 ||
	       poly_columns_has(POLY_COLUMNS(FEW), column);
}

void
dictionary_init(struct dictionary *dictionary, enum ptz_plan plan)
{
	dictionary->plan = plan;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++)
		dictionary->size[c] = (uint8_t)ptz_column_size((enum poly_column)c);
	hash_seed_draw(&dictionary->numbers.seed);
	dictionary->previous = NONE;
	dictionary->distance = DISTANCE_MAX;
}

void
dictionary_clear(struct dictionary *dictionary)
{
	dictionary->count = 0;
	dictionary->previous = NONE;
	dictionary->distance = DISTANCE_MAX;
	buf_clear(&dictionary->bytes);
	map_clear(&dictionary->numbers);
}

void
dictionary_fini(struct dictionary *dictionary)
{
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++)
		mem_free(dictionary->values[c]);
	mem_free(dictionary->keys);
	mem_free(dictionary->shapes);
	mem_free(dictionary->follow);
	map_free(&dictionary->numbers);
	buf_free(&dictionary->bytes);
	memset(dictionary, 0, sizeof *dictionary);
}

/* Returns which rows of a word of a batch's bitmaps have a column. */
static uint64_t
present(const struct poly_batch *batch, enum poly_column column, size_t word)
{
	const size_t rows = batch->rows - 64 * word;
	return batch->present[column][word] &
	       (rows < 64 ? ((uint64_t)1 << rows) - 1 : ~(uint64_t)0);
}

static bool
is_fetch(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_access, row) &&
	       batch->access[row] == POLY_ACCESS_FETCH;
}

/* Returns whether a row's address is that of its instruction. */
static bool
is_located_by_address(
	const struct dictionary *dictionary, const struct poly_batch *batch, size_t row)
{
	return dictionary->plan == PTZ_PROGRAM && is_fetch(batch, row);
}

static uint64_t
value_at(const struct hash_seed *seed, const struct poly_batch *batch, enum poly_column column,
	size_t row)
{
	if (!ptz_is_slice(column))
		return poly_batch_integer(batch, column, row);
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
	return hash_bytes(seed, bytes, n);
}

/* Mixes a static column of integers of a type into the rows' hashes. */
#define MIX_COLUMN(type)                                                                    \
	for (size_t w = 0; w < words; w++) {                                                \
		for (uint64_t left = present(batch, column, w); left; left &= left - 1) {   \
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);          \
			const type *values = array;                                         \
			dictionary->hash[row] =                                             \
				hash_add(&seed, dictionary->hash[row], values[row] + salt); \
			dictionary->shape[row].fixed |= bit;                                \
		}                                                                           \
	}

static void
mix_fixed(struct dictionary *dictionary, const struct poly_batch *batch,
	enum poly_column column, const void *array)
{
	const size_t words = (batch->rows + 63) / 64;
	const column_mask bit = (column_mask)1 << column;
	const uint64_t salt = (uint64_t)column << 56;
	const struct hash_seed seed = dictionary->numbers.seed;
	switch (ptz_column_size(column)) {
	case 1: MIX_COLUMN(uint8_t) break;
	case 2: MIX_COLUMN(uint16_t) break;
	case 4: MIX_COLUMN(uint32_t) break;
	case 8: MIX_COLUMN(uint64_t) break;
	default:
		for (size_t row = 0; row < batch->rows; row++) {
			if (!poly_present(batch, column, row))
				continue;
			dictionary->hash[row] = hash_add(&seed, dictionary->hash[row],
				value_at(&seed, batch, column, row) + salt);
			dictionary->shape[row].fixed |= bit;
		}
	}
}

/* Mixes a varying column, which is static in rows whose address is that of an instruction. */
static void
mix_varying(
	struct dictionary *dictionary, const struct poly_batch *batch, enum poly_column column)
{
	const size_t words = (batch->rows + 63) / 64;
	const column_mask bit = (column_mask)1 << column;
	const bool may_locate = column == POLY_COLUMN_address && batch->access;
	for (size_t w = 0; w < words; w++) {
		for (uint64_t left = present(batch, column, w); left; left &= left - 1) {
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);
			if (may_locate && is_located_by_address(dictionary, batch, row)) {
				dictionary->hash[row] = hash_add(&dictionary->numbers.seed,
					dictionary->hash[row], batch->address[row]);
				dictionary->shape[row].fixed |= bit;
			} else {
				dictionary->shape[row].varying |= bit;
			}
		}
	}
}

/* Computes the hashes and shapes of the rows. */
static void
mix_batch(struct dictionary *dictionary, const struct poly_batch *batch)
{
	memset(dictionary->hash, 0, batch->rows * sizeof *dictionary->hash);
	memset(dictionary->shape, 0, batch->rows * sizeof *dictionary->shape);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const enum poly_column column = (enum poly_column)c;
		const void *array = column_data(batch, column);
		dictionary->array[c] = array;
		if (!array || poly_columns_has(POLY_COLUMNS(PTZ_POSITION_COLUMNS), column))
			continue;
		if (is_fixed(dictionary->plan, column))
			mix_fixed(dictionary, batch, column, array);
		else
			mix_varying(dictionary, batch, column);
	}
	for (size_t row = 0; row < batch->rows; row++)
		dictionary->hash[row] = map_pair(&dictionary->numbers,
			dictionary->hash[row] ^ dictionary->shape[row].fixed,
			dictionary->shape[row].varying);
}

/* Grows the table for one additional template. */
static bool
grow_table(struct dictionary *dictionary)
{
	const uint32_t count = dictionary->count + 1, old = dictionary->capacity;
	uint32_t room[4] = {old, old, old};
	if (count <= old)
		return true;
	if (!VEC_RESERVE(dictionary->keys, room[0], count) ||
		!VEC_RESERVE(dictionary->shapes, room[1], count) ||
		!VEC_RESERVE(dictionary->follow, room[2], count))
		return false;
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++) {
		const unsigned size = ptz_column_size((enum poly_column)c);
		room[3] = old;
		if (dictionary->values[c] && !vec_grow(&dictionary->values[c],
						     size ? size : sizeof(struct poly_slice),
						     &room[3], sizeof room[3], count))
			return false;
	}
	dictionary->capacity = room[0];
	return true;
}

static bool
put_value(struct dictionary *dictionary, const struct poly_batch *batch,
	enum poly_column column, size_t row)
{
	const unsigned size = ptz_column_size(column);
	void **values = &dictionary->values[column];
	if (!*values)
		*values =
			mem_new(dictionary->capacity, size ? size : sizeof(struct poly_slice));
	if (!*values)
		return false;
	const uint64_t v = size ? poly_batch_integer(batch, column, row) : 0;
	switch (size) {
	case 1: ((uint8_t *)*values)[dictionary->count] = (uint8_t)v; break;
	case 2: ((uint16_t *)*values)[dictionary->count] = (uint16_t)v; break;
	case 4: ((uint32_t *)*values)[dictionary->count] = (uint32_t)v; break;
	case 8: ((uint64_t *)*values)[dictionary->count] = v; break;
	default: {
		size_t n;
		const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
		((struct poly_slice *)*values)[dictionary->count] =
			(struct poly_slice){(uint32_t)dictionary->bytes.size, (uint32_t)n};
		buf_append(&dictionary->bytes, bytes, n);
	}
	}
	return !dictionary->bytes.failed;
}

/* Creates a template of a row; returns its number, or NONE. */
static uint32_t
add_template(
	struct dictionary *dictionary, const struct poly_batch *batch, size_t row, uint64_t key)
{
	if (!grow_table(dictionary))
		return NONE;
	for (column_mask left = dictionary->shape[row].fixed; left; left &= left - 1) {
		if (!put_value(dictionary, batch, (enum poly_column)__builtin_ctzll(left), row))
			return NONE;
	}
	dictionary->keys[dictionary->count] = key;
	dictionary->shapes[dictionary->count] = dictionary->shape[row];
	dictionary->follow[dictionary->count] = NONE;
	return dictionary->count++;
}

/* Finds the template of a key, first as the last follower, then in the table. */
static uint32_t
find_template(
	struct dictionary *dictionary, const struct poly_batch *batch, size_t row, uint64_t key)
{
	if (dictionary->previous != NONE) {
		const uint32_t guess = dictionary->follow[dictionary->previous];
		if (guess != NONE && dictionary->keys[guess] == key)
			return guess;
	}
	if (!grow_table(dictionary))
		return NONE;
	bool added;
	const uint64_t *number = map_get(&dictionary->numbers, key, dictionary->count, &added);
	if (!number)
		return NONE;
	return added ? add_template(dictionary, batch, row, key) : (uint32_t)*number;
}

/* Returns whether a template has the slice of a row. */
static bool
has_slice_of(const struct dictionary *dictionary, const struct poly_batch *batch,
	enum poly_column column, size_t row, uint32_t number)
{
	const struct poly_slice *slice =
		(const struct poly_slice *)dictionary->values[column] + number;
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
	return slice->length == n &&
	       (!n || memcmp(dictionary->bytes.data + slice->offset, bytes, n) == 0);
}

/* Whether an element of an array equals one of another. */
#define EQUAL_ELEMENTS(type) (((const type *)array)[row] == ((const type *)values)[number])

/* Returns whether a template has the static columns of a row. */
static bool
has_values_of(const struct dictionary *dictionary, const struct poly_batch *batch, size_t row,
	uint32_t number)
{
	const struct ptz_shape *a = &dictionary->shape[row], *b = &dictionary->shapes[number];
	bool same = a->fixed == b->fixed && a->varying == b->varying;
	for (column_mask left = a->fixed; same && left; left &= left - 1) {
		const unsigned c = (unsigned)__builtin_ctzll(left);
		const void *array = dictionary->array[c], *values = dictionary->values[c];
		switch (dictionary->size[c]) {
		case 1: same = EQUAL_ELEMENTS(uint8_t); break;
		case 2: same = EQUAL_ELEMENTS(uint16_t); break;
		case 4: same = EQUAL_ELEMENTS(uint32_t); break;
		case 8: same = EQUAL_ELEMENTS(uint64_t); break;
		default:
			same = has_slice_of(
				dictionary, batch, (enum poly_column)c, row, number);
		}
	}
	return same;
}

bool
dictionary_add(struct dictionary *dictionary, const struct poly_batch *batch, uint32_t *numbers)
{
	mix_batch(dictionary, batch);
	for (size_t row = 0; row < batch->rows; row++) {
		uint64_t key = dictionary->hash[row];
		const bool located =
			poly_present(batch, POLY_COLUMN_pc, row) || is_fetch(batch, row);
		dictionary->distance = located ? 0
				       : dictionary->distance < DISTANCE_MAX
					       ? dictionary->distance + 1
					       : DISTANCE_MAX;
		if (dictionary->plan == PTZ_PROGRAM && !located &&
			dictionary->distance < DISTANCE_MAX)
			key = map_pair(&dictionary->numbers, key, dictionary->previous);
		uint32_t number = find_template(dictionary, batch, row, key);
		/* Hash collision: no table slot refers to this row's template. */
		if (number != NONE && !has_values_of(dictionary, batch, row, number))
			number = add_template(dictionary, batch, row, ~key);
		if (number == NONE)
			return false;
		if (dictionary->previous != NONE)
			dictionary->follow[dictionary->previous] = number;
		dictionary->previous = number;
		numbers[row] = number;
	}
	return true;
}
