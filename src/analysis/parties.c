/* SPDX-License-Identifier: MIT */
/* Numbering parties: mostly all rows of a batch are one's. */
#include "analysis/parties.h"

#include "analysis/tally.h"
#include "model/columns.h"

#include <string.h>

/* The number of the last party, where there are more than can be told apart. */
#define LAST (ANALYSIS_PARTIES - 1)

void
parties_begin(struct parties *parties, const struct poly_trace_info *info)
{
	parties->info = info;
	memset(parties->recent, 0, sizeof parties->recent);
}

/* The number of a key whose name, if it is one, is a number of parties->names. */
static bool
number_key(struct parties *parties, uint64_t key, uint16_t *number)
{
	bool added;
	if (parties->count == ANALYSIS_PARTIES) {
		const uint64_t *known = map_find(&parties->numbers, key);
		*number = known ? (uint16_t)*known : LAST;
		parties->more |= !known;
		return true;
	}
	const uint64_t *found = map_get(&parties->numbers, key, parties->count, &added);
	if (!found)
		return false;
	if (added)
		parties->keys[parties->count++] = key;
	*number = (uint16_t)*found;
	return true;
}

/* The key with the name of a processor as a number of ours. */
static bool
keep_name(struct parties *parties, const char *name, uint64_t *key)
{
	const uint32_t number = intern_add(&parties->names, name, strlen(name));
	*key = party_named(number);
	return number != INTERN_FAILED;
}

/* The number of a key of the trace. */
static bool
number_party(struct parties *parties, uint64_t key, uint16_t *number)
{
	const size_t place = (key ^ key >> 57) % PARTIES_RECENT;
	const uint32_t word = party_name_number(key);
	const char *name = word == PARTY_NO_NAME ? NULL : poly_trace_name(parties->info, word);
	uint64_t kept = key;
	if (parties->recent[place].used && parties->recent[place].key == key) {
		*number = parties->recent[place].number;
		return true;
	}
	if (word != PARTY_NO_NAME && !keep_name(parties, name ? name : "?", &kept))
		return false;
	if (!number_key(parties, kept, number))
		return false;
	parties->recent[place].key = key;
	parties->recent[place].number = *number;
	parties->recent[place].used = true;
	return true;
}

/* How many rows of a batch have a value in a column. */
static size_t
count_present(const struct poly_batch *batch, enum poly_column column)
{
	size_t count = 0;
	for (size_t word = 0; word < tally_words(batch); word++)
		count += (size_t)__builtin_popcountll(tally_present(batch, column, word));
	return count;
}

/* How the parties of a batch are told. */
enum telling {
	BY_NOTHING, /* no row says who */
	BY_COLUMN,  /* every row does, in the same column */
	BY_ROW,
};

static enum telling
find_telling(const struct poly_batch *batch, enum poly_column *column)
{
	for (size_t i = 0; i < PARTY_COLUMN_COUNT; i++) {
		*column = party_columns[i];
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

/* Numbers the rows one by one; neighbours are mostly of the same party. */
static bool
number_rows(struct parties *parties, const struct poly_batch *batch, enum telling telling,
	enum poly_column column, uint16_t *party)
{
	const struct column_traits *traits = &column_table[column];
	const void *data = column_data(batch, column);
	uint64_t last = 0;
	for (size_t row = 0; row < batch->rows; row++) {
		const uint64_t key =
			telling == BY_COLUMN
				? party_number(column, column_load(traits, data, row))
				: party_key(batch, row);
		if (row && key == last)
			party[row] = party[row - 1];
		else if (!number_party(parties, key, &party[row]))
			return false;
		last = key;
	}
	return true;
}

bool
parties_fill(struct parties *parties, const struct poly_batch *batch, uint16_t *party,
	uint16_t *only, bool *mixed)
{
	enum poly_column column;
	const enum telling telling = find_telling(batch, &column);
	*mixed = telling == BY_ROW || (telling == BY_COLUMN && !is_uniform(batch, column));
	if (*mixed)
		return number_rows(parties, batch, telling, column, party);
	return number_party(parties, party_key(batch, 0), only);
}

bool
parties_merge(struct parties *into, const struct parties *from, uint16_t *to)
{
	for (uint16_t i = 0; i < from->count; i++) {
		uint64_t key = from->keys[i];
		const uint32_t name = party_name_number(key);
		if (name != PARTY_NO_NAME &&
			!keep_name(into, intern_text(&from->names, name), &key))
			return false;
		if (!number_key(into, key, &to[i]))
			return false;
		if (i == LAST && from->more)
			to[i] = LAST;
	}
	into->more |= from->more;
	return true;
}

void
parties_name(const struct parties *parties, uint16_t number, struct buf *to)
{
	const uint64_t key = parties->keys[number];
	const uint32_t name = party_name_number(key);
	if (number == LAST && parties->more)
		buf_string(to, "others");
	else if (name != PARTY_NO_NAME)
		buf_string(to, intern_text(&parties->names, name));
	else
		party_name(parties->info, key, to);
}

void
parties_fini(struct parties *parties)
{
	map_free(&parties->numbers);
	intern_free(&parties->names);
	memset(parties, 0, sizeof *parties);
}
