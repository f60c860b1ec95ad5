/* SPDX-License-Identifier: MIT */
/* Finding the template of each row. */
#include "format/ptz/dictionary.h"

#include "base/mem.h"

#include <string.h>

#define NONE UINT32_MAX

/* Rows behind one that says where it is that are told apart by it. */
#define BEHIND_MOST 16

/* Columns whose values differ from one execution to the next. */
#define MOVING                                                                             \
	(POLY_HAS(time) | POLY_HAS(instruction_id) | POLY_HAS(address) | POLY_HAS(value) | \
		POLY_HAS(real_address) | POLY_HAS(counters) | POLY_HAS(payload) |          \
		POLY_HAS(raw) | POLY_HAS(verbatim))

/* Columns of more than a byte that have few values even where nothing repeats. */
#define FEW                                                                                \
	(POLY_HAS(cpu) | POLY_HAS(cpu_name) | POLY_HAS(process) | POLY_HAS(thread) |       \
		POLY_HAS(size) | POLY_HAS(reg) | POLY_HAS(mnemonic) | POLY_HAS(uop_name) | \
		POLY_HAS(mode) | POLY_HAS(security) | POLY_HAS(instruction_set) |          \
		POLY_HAS(access_attributes) | POLY_HAS(escape) | POLY_HAS(hook) |          \
		POLY_HAS(subhook) | POLY_HAS(hook_type))

static bool
is_fixed(enum ptz_plan plan, enum poly_column column)
{
	const poly_columns bit = (poly_columns)1 << column;
	if (bit & MOVING)
		return false;
	return plan == PTZ_PROGRAM || ptz_column_size(column) == 1 || bit & FEW;
}

void
dictionary_init(struct dictionary *dictionary, enum ptz_plan plan)
{
	dictionary->plan = plan;
	dictionary->before = NONE;
	dictionary->behind = BEHIND_MOST;
}

void
dictionary_clear(struct dictionary *dictionary)
{
	dictionary->count = 0;
	dictionary->before = NONE;
	dictionary->behind = BEHIND_MOST;
	buf_clear(&dictionary->bytes);
	if (dictionary->slots)
		memset(dictionary->slots, 0,
			(dictionary->mask + 1) * sizeof *dictionary->slots);
}

void
dictionary_fini(struct dictionary *dictionary)
{
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++)
		mem_free(dictionary->values[c]);
	mem_free(dictionary->keys);
	mem_free(dictionary->shapes);
	mem_free(dictionary->follow);
	mem_free(dictionary->slots);
	buf_free(&dictionary->bytes);
	memset(dictionary, 0, sizeof *dictionary);
}

static uint64_t
mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static uint64_t
hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t hash = n;
	for (; n >= 8; p += 8, n -= 8)
		hash = mix(hash, load_le64(p));
	for (; n; p++, n--)
		hash = mix(hash, *p);
	return hash;
}

/* The rows of a word of a batch's bitmaps that have a column. */
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

/* True where an address says which instruction it is about. */
static bool
is_place(const struct dictionary *dictionary, const struct poly_batch *batch, size_t row)
{
	return dictionary->plan == PTZ_PROGRAM && is_fetch(batch, row);
}

static uint64_t
value_at(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	if (!ptz_is_slice(column))
		return poly_batch_integer(batch, column, row);
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
	return hash_bytes(bytes, n);
}

/* Mixes a static column of integers of n bytes into the rows' hashes. */
#define MIX_COLUMN(type)                                                                  \
	for (size_t w = 0; w < words; w++) {                                              \
		for (uint64_t left = present(batch, column, w); left; left &= left - 1) { \
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);        \
			const type *values = array;                                       \
			it->hash[row] = mix(it->hash[row], values[row] + salt);           \
			it->shape[row].fixed |= bit;                                      \
		}                                                                         \
	}

static void
mix_fixed(struct dictionary *it, const struct poly_batch *batch, enum poly_column column,
	const void *array)
{
	const size_t words = (batch->rows + 63) / 64;
	const poly_columns bit = (poly_columns)1 << column;
	const uint64_t salt = (uint64_t)column << 56;
	switch (ptz_column_size(column)) {
	case 1: MIX_COLUMN(uint8_t) break;
	case 2: MIX_COLUMN(uint16_t) break;
	case 4: MIX_COLUMN(uint32_t) break;
	case 8: MIX_COLUMN(uint64_t) break;
	default:
		for (size_t row = 0; row < batch->rows; row++) {
			if (!poly_present(batch, column, row))
				continue;
			it->hash[row] = mix(it->hash[row], value_at(batch, column, row) + salt);
			it->shape[row].fixed |= bit;
		}
	}
}

/* A column that moves, but where it is a place. */
static void
mix_moving(struct dictionary *it, const struct poly_batch *batch, enum poly_column column)
{
	const size_t words = (batch->rows + 63) / 64;
	const poly_columns bit = (poly_columns)1 << column;
	const bool may_place = column == POLY_COLUMN_address && batch->access;
	for (size_t w = 0; w < words; w++) {
		for (uint64_t left = present(batch, column, w); left; left &= left - 1) {
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);
			if (may_place && is_place(it, batch, row)) {
				it->hash[row] = mix(it->hash[row], batch->address[row]);
				it->shape[row].fixed |= bit;
			} else {
				it->shape[row].moving |= bit;
			}
		}
	}
}

static const void *
column_array(const struct poly_batch *batch, enum poly_column column)
{
	switch ((unsigned)column) {
#define COLUMN(name, type, form, doc) \
	case POLY_COLUMN_##name:      \
		return batch->name;
#include "polytrace/columns.def"
#undef COLUMN
	}
	return NULL;
}

/* Hashes and shapes of the rows. */
static void
mix_batch(struct dictionary *it, const struct poly_batch *batch)
{
	memset(it->hash, 0, batch->rows * sizeof *it->hash);
	memset(it->shape, 0, batch->rows * sizeof *it->shape);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const enum poly_column column = (enum poly_column)c;
		const void *array = column_array(batch, column);
		if (!array || PTZ_PLACES >> c & 1)
			continue;
		if (is_fixed(it->plan, column))
			mix_fixed(it, batch, column, array);
		else
			mix_moving(it, batch, column);
	}
	for (size_t row = 0; row < batch->rows; row++)
		it->hash[row] =
			mix(mix(it->hash[row], it->shape[row].fixed), it->shape[row].moving);
}

/* Room for one more template. */
static bool
grow(struct dictionary *it)
{
	if (it->count < it->capacity)
		return true;
	const uint32_t capacity = it->capacity ? 2 * it->capacity : 4096;
	uint32_t *slots = mem_new((size_t)2 * capacity, sizeof *slots);
	uint64_t *keys = mem_resize(it->keys, capacity, sizeof *keys);
	it->keys = keys ? keys : it->keys;
	struct ptz_shape *shapes = mem_resize(it->shapes, capacity, sizeof *shapes);
	it->shapes = shapes ? shapes : it->shapes;
	uint32_t *follow = mem_resize(it->follow, capacity, sizeof *follow);
	it->follow = follow ? follow : it->follow;
	bool ok = slots && keys && shapes && follow;
	for (size_t c = 0; ok && c < POLY_COLUMN_COUNT; c++) {
		const unsigned size = ptz_column_size((enum poly_column)c);
		if (!it->values[c])
			continue;
		void *values = mem_resize(
			it->values[c], capacity, size ? size : sizeof(struct poly_slice));
		it->values[c] = values ? values : it->values[c];
		ok = values != NULL;
	}
	if (!ok) {
		mem_free(slots);
		return false;
	}
	mem_free(it->slots);
	it->slots = slots;
	it->mask = (size_t)2 * capacity - 1;
	it->capacity = capacity;
	for (uint32_t i = 0; i < it->count; i++) {
		size_t slot = it->keys[i] & it->mask;
		while (it->slots[slot])
			slot = (slot + 1) & it->mask;
		it->slots[slot] = i + 1;
	}
	return true;
}

static bool
put_value(struct dictionary *it, const struct poly_batch *batch, enum poly_column column,
	size_t row)
{
	const unsigned size = ptz_column_size(column);
	void **values = &it->values[column];
	if (!*values)
		*values = mem_new(it->capacity, size ? size : sizeof(struct poly_slice));
	if (!*values)
		return false;
	const uint64_t v = size ? poly_batch_integer(batch, column, row) : 0;
	switch (size) {
	case 1: ((uint8_t *)*values)[it->count] = (uint8_t)v; break;
	case 2: ((uint16_t *)*values)[it->count] = (uint16_t)v; break;
	case 4: ((uint32_t *)*values)[it->count] = (uint32_t)v; break;
	case 8: ((uint64_t *)*values)[it->count] = v; break;
	default: {
		size_t n;
		const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
		((struct poly_slice *)*values)[it->count] =
			(struct poly_slice){(uint32_t)it->bytes.size, (uint32_t)n};
		buf_append(&it->bytes, bytes, n);
	}
	}
	return !it->bytes.failed;
}

/* Makes a template of a row; its number, or NONE. */
static uint32_t
make(struct dictionary *it, const struct poly_batch *batch, size_t row, uint64_t key)
{
	if (!grow(it))
		return NONE;
	for (poly_columns left = it->shape[row].fixed; left; left &= left - 1) {
		if (!put_value(it, batch, (enum poly_column)__builtin_ctzll(left), row))
			return NONE;
	}
	it->keys[it->count] = key;
	it->shapes[it->count] = it->shape[row];
	it->follow[it->count] = NONE;
	return it->count++;
}

/* The template of a key, by the one that followed last and else by the table. */
static uint32_t
find(struct dictionary *it, const struct poly_batch *batch, size_t row, uint64_t key)
{
	if (it->before != NONE) {
		const uint32_t guess = it->follow[it->before];
		if (guess != NONE && it->keys[guess] == key)
			return guess;
	}
	if (!grow(it))
		return NONE;
	size_t slot = key & it->mask;
	for (; it->slots[slot]; slot = (slot + 1) & it->mask) {
		if (it->keys[it->slots[slot] - 1] == key)
			return it->slots[slot] - 1;
	}
	const uint32_t number = make(it, batch, row, key);
	if (number != NONE)
		it->slots[slot] = number + 1;
	return number;
}

/* True where a template has the static columns of a row. */
static bool
fits(const struct dictionary *it, const struct poly_batch *batch, size_t row, uint32_t number)
{
	const struct ptz_shape *a = &it->shape[row], *b = &it->shapes[number];
	bool same = a->fixed == b->fixed && a->moving == b->moving;
	for (poly_columns left = a->fixed; same && left; left &= left - 1) {
		const enum poly_column column = (enum poly_column)__builtin_ctzll(left);
		const void *values = it->values[column];
		if (ptz_is_slice(column)) {
			size_t n;
			const struct poly_slice *slice =
				(const struct poly_slice *)values + number;
			const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
			same = slice->length == n &&
			       (!n || memcmp(it->bytes.data + slice->offset, bytes, n) == 0);
			continue;
		}
		const uint8_t *array = column_array(batch, column);
		const unsigned size = ptz_column_size(column);
		same = memcmp((const uint8_t *)values + (size_t)number * size,
			       array + row * size, size) == 0;
	}
	return same;
}

bool
dictionary_add(struct dictionary *it, const struct poly_batch *batch, uint32_t *numbers)
{
	mix_batch(it, batch);
	for (size_t row = 0; row < batch->rows; row++) {
		uint64_t key = it->hash[row];
		const bool placed =
			poly_present(batch, POLY_COLUMN_pc, row) || is_fetch(batch, row);
		it->behind = placed			? 0
			     : it->behind < BEHIND_MOST ? it->behind + 1
							: BEHIND_MOST;
		if (it->plan == PTZ_PROGRAM && !placed && it->behind < BEHIND_MOST)
			key = mix(key, it->before);
		uint32_t number = find(it, batch, row, key);
		/* Another row of the same hash: its template is found by nobody else. */
		if (number != NONE && !fits(it, batch, row, number))
			number = make(it, batch, row, ~key);
		if (number == NONE)
			return false;
		if (it->before != NONE)
			it->follow[it->before] = number;
		it->before = number;
		numbers[row] = number;
	}
	return true;
}
