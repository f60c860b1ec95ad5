/* SPDX-License-Identifier: MIT */
/* Numbering contexts: mostly all rows of a batch are one's. */
#include "analysis/contexts.h"

#include "analysis/column_stats.h"
#include "model/columns.h"

#include <string.h>

/* The number of the last context, where there are more than can be told apart. */
#define LAST (ANALYSIS_CONTEXTS_MAX - 1)

void
contexts_begin_trace(struct contexts *contexts, const struct poly_trace_info *info)
{
	contexts->info = info;
	memset(contexts->recent, 0, sizeof contexts->recent);
}

/* The number of a key whose name, if it is one, is a number of contexts->names. */
static bool
number_key(struct contexts *contexts, uint64_t key, uint16_t *number)
{
	bool added;
	if (contexts->count == ANALYSIS_CONTEXTS_MAX) {
		const uint64_t *known = map_find(&contexts->numbers, key);
		*number = known ? (uint16_t)*known : LAST;
		contexts->overflowed |= !known;
		return true;
	}
	const uint64_t *found = map_get(&contexts->numbers, key, contexts->count, &added);
	if (!found)
		return false;
	if (added)
		contexts->keys[contexts->count++] = key;
	*number = (uint16_t)*found;
	return true;
}

/* The key with the name of a processor as a number of ours. */
static bool
keep_name(struct contexts *contexts, const char *name, uint64_t *key)
{
	const uint32_t number = intern_add(&contexts->names, name, strlen(name));
	*key = context_key_of_name(number);
	return number != INTERN_FAILED;
}

/* The number of a key of the trace. */
static bool
number_context(struct contexts *contexts, uint64_t key, uint16_t *number)
{
	const size_t place = (key ^ key >> 57) % CONTEXTS_RECENT;
	const uint32_t word = context_name_index(key);
	const char *name =
		word == CONTEXT_NO_NAME ? NULL : poly_trace_name(contexts->info, word);
	uint64_t kept = key;
	if (contexts->recent[place].used && contexts->recent[place].key == key) {
		*number = contexts->recent[place].number;
		return true;
	}
	if (word != CONTEXT_NO_NAME && !keep_name(contexts, name ? name : "?", &kept))
		return false;
	if (!number_key(contexts, kept, number))
		return false;
	contexts->recent[place].key = key;
	contexts->recent[place].number = *number;
	contexts->recent[place].used = true;
	return true;
}

/* How many rows of a batch have a value in a column. */
static size_t
count_present(const struct poly_batch *batch, enum poly_column column)
{
	size_t count = 0;
	for (size_t word = 0; word < row_bits_words(batch); word++)
		count += (size_t)__builtin_popcountll(row_bits_present(batch, column, word));
	return count;
}

/* How the contexts of a batch are told. */
enum telling {
	BY_NOTHING, /* no row says who */
	BY_COLUMN,  /* every row does, in the same column */
	BY_ROW,
};

static enum telling
find_telling(const struct poly_batch *batch, enum poly_column *column)
{
	for (size_t i = 0; i < CONTEXT_COLUMN_COUNT; i++) {
		*column = context_columns[i];
		const size_t count = count_present(batch, *column);
		if (count == batch->rows)
			return BY_COLUMN;
		if (count)
			return BY_ROW;
	}
	return BY_NOTHING;
}

/* True where a column has the same value in all rows: each is the one before it. */
static bool
is_uniform(const struct poly_batch *batch, enum poly_column column)
{
	const size_t size = column_table[column].size;
	const uint8_t *data = column_data(batch, column);
	return memcmp(data, data + size, (batch->rows - 1) * size) == 0;
}

/* Numbers the rows one by one; neighbours are mostly of the same context. */
static bool
number_rows(struct contexts *contexts, const struct poly_batch *batch, enum telling telling,
	enum poly_column column, uint16_t *context)
{
	const struct column_traits *traits = &column_table[column];
	const void *data = column_data(batch, column);
	uint64_t last = 0;
	for (size_t row = 0; row < batch->rows; row++) {
		const uint64_t key =
			telling == BY_COLUMN
				? context_key_of_value(column, column_load(traits, data, row))
				: context_key(batch, row);
		if (row && key == last)
			context[row] = context[row - 1];
		else if (!number_context(contexts, key, &context[row]))
			return false;
		last = key;
	}
	return true;
}

bool
contexts_number_rows(struct contexts *contexts, const struct poly_batch *batch,
	uint16_t *context, uint16_t *only, bool *mixed)
{
	enum poly_column column;
	const enum telling telling = find_telling(batch, &column);
	*mixed = telling == BY_ROW || (telling == BY_COLUMN && !is_uniform(batch, column));
	if (*mixed)
		return number_rows(contexts, batch, telling, column, context);
	return number_context(contexts, context_key(batch, 0), only);
}

bool
contexts_merge(struct contexts *into, const struct contexts *from, uint16_t *to)
{
	for (uint16_t i = 0; i < from->count; i++) {
		uint64_t key = from->keys[i];
		const uint32_t name = context_name_index(key);
		if (name != CONTEXT_NO_NAME &&
			!keep_name(into, intern_text(&from->names, name), &key))
			return false;
		if (!number_key(into, key, &to[i]))
			return false;
		if (i == LAST && from->overflowed)
			to[i] = LAST;
	}
	into->overflowed |= from->overflowed;
	return true;
}

void
contexts_append_name(const struct contexts *contexts, uint16_t number, struct buf *to)
{
	const uint64_t key = contexts->keys[number];
	const uint32_t name = context_name_index(key);
	if (number == LAST && contexts->overflowed)
		buf_string(to, "others");
	else if (name != CONTEXT_NO_NAME)
		buf_string(to, intern_text(&contexts->names, name));
	else
		context_append_name(contexts->info, key, to);
}

void
contexts_fini(struct contexts *contexts)
{
	map_free(&contexts->numbers);
	intern_free(&contexts->names);
	memset(contexts, 0, sizeof *contexts);
}
