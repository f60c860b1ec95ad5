/* SPDX-License-Identifier: MIT */
/* Numbers contexts. Most batches have rows of one context. */
#include "analysis/facts/contexts.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/column_stats.h"
#include "model/columns.h"

#include <string.h>

/* The number of the last context, which all further ones share. */
#define LAST (ANALYSIS_CONTEXTS_MAX - 1)

void
contexts_begin_trace(struct contexts *contexts, const struct poly_trace_info *info)
{
	contexts->info = info;
	memset(contexts->recent, 0, sizeof contexts->recent);
}

/* Numbers a key, whose name index, if any, is one of contexts->names. */
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

/* Adds a CPU name to names and sets *key to its key. */
static bool
intern_name(struct contexts *contexts, const char *name, uint64_t *key)
{
	const uint32_t number = intern_add(&contexts->names, name, strlen(name));
	*key = context_key_of_name(number);
	return number != INTERN_FAILED;
}

/* Numbers a key of the trace. */
static bool
number_context(struct contexts *contexts, uint64_t key, uint16_t *number)
{
	const size_t slot = (key ^ key >> 57) % CONTEXTS_RECENT;
	const uint32_t index = context_name_index(key);
	const char *name =
		index == CONTEXT_NO_NAME ? NULL : poly_trace_name(contexts->info, index);
	uint64_t own_key = key;
	if (contexts->recent[slot].used && contexts->recent[slot].key == key) {
		*number = contexts->recent[slot].number;
		return true;
	}
	if (index != CONTEXT_NO_NAME && !intern_name(contexts, name ? name : "?", &own_key))
		return false;
	if (!number_key(contexts, own_key, number))
		return false;
	contexts->recent[slot].key = key;
	contexts->recent[slot].number = *number;
	contexts->recent[slot].used = true;
	return true;
}

/* Counts the rows of a batch with a value in a column. */
static size_t
count_present(const struct poly_batch *batch, enum poly_column column)
{
	size_t count = 0;
	for (size_t word = 0; word < row_bits_words(batch); word++)
		count += (size_t)__builtin_popcountll(row_bits_present(batch, column, word));
	return count;
}

/* How the rows of a batch identify their contexts. */
enum identification {
	BY_NOTHING, /* no row does */
	BY_COLUMN,  /* all rows, in the same column */
	BY_ROW,
};

static enum identification
find_identification(const struct poly_batch *batch, enum poly_column *column)
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

/* Whether a column has the same value in all rows. */
static bool
is_uniform(const struct poly_batch *batch, enum poly_column column)
{
	const size_t size = column_table[column].size;
	const uint8_t *data = column_data(batch, column);
	return memcmp(data, data + size, (batch->rows - 1) * size) == 0;
}

/* Numbers row by row; neighbors mostly have the same context. */
static bool
number_rows(struct contexts *contexts, const struct poly_batch *batch, enum identification by,
	enum poly_column column, uint16_t *context)
{
	const struct column_traits *traits = &column_table[column];
	const void *data = column_data(batch, column);
	uint64_t last = 0;
	for (size_t row = 0; row < batch->rows; row++) {
		const uint64_t key = by == BY_COLUMN ? context_key_of_value(column,
							       column_load(traits, data, row))
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
	uint16_t *context, uint16_t *sole_context, bool *mixed)
{
	enum poly_column column;
	const enum identification by = find_identification(batch, &column);
	*mixed = by == BY_ROW || (by == BY_COLUMN && !is_uniform(batch, column));
	if (*mixed)
		return number_rows(contexts, batch, by, column, context);
	return number_context(contexts, context_key(batch, 0), sole_context);
}

bool
contexts_merge(struct contexts *into, const struct contexts *from, uint16_t *numbers)
{
	for (uint16_t i = 0; i < from->count; i++) {
		uint64_t key = from->keys[i];
		const uint32_t name = context_name_index(key);
		if (name != CONTEXT_NO_NAME &&
			!intern_name(into, intern_text(&from->names, name), &key))
			return false;
		if (!number_key(into, key, &numbers[i]))
			return false;
		if (i == LAST && from->overflowed)
			numbers[i] = LAST;
	}
	into->overflowed |= from->overflowed;
	return true;
}

void
contexts_transfer(struct contexts *contexts, struct archive *archive)
{
	const size_t count = archive_count(archive, contexts->count, ANALYSIS_CONTEXTS_MAX);
	archive_intern(archive, &contexts->names);
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		uint64_t key = archive_loads(archive) ? 0 : contexts->keys[i];
		uint16_t number = (uint16_t)i;
		ARCHIVE(archive, key);
		archive_require(archive, context_is_key(key));
		const uint32_t name =
			archive_failed(archive) ? CONTEXT_NO_NAME : context_name_index(key);
		archive_require(
			archive, name == CONTEXT_NO_NAME || name < contexts->names.count);
		if (archive_loads(archive) && !archive_failed(archive))
			archive_allocate(archive, number_key(contexts, key, &number));
		archive_require(archive, number == i && contexts->count > i);
	}
	ARCHIVE(archive, contexts->overflowed);
	archive->contexts = contexts->count;
}

void
contexts_append_name(const struct contexts *contexts, uint16_t number, struct buf *text)
{
	const uint64_t key = contexts->keys[number];
	const uint32_t name = context_name_index(key);
	if (number == LAST && contexts->overflowed)
		buf_string(text, "others");
	else if (name != CONTEXT_NO_NAME)
		buf_string(text, intern_text(&contexts->names, name));
	else
		context_append_name(contexts->info, key, text);
}

void
contexts_fini(struct contexts *contexts)
{
	map_free(&contexts->numbers);
	intern_free(&contexts->names);
	memset(contexts, 0, sizeof *contexts);
}
