/* SPDX-License-Identifier: MIT */
/* A hash table of lines that becomes a sample when it is full. */
#include "sim/memory/line_table.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/memory/shards.h"

/* Places at first. */
#define FIRST_PLACES 4096

/* Maximum memory of a place: while the table doubles, it exists in both sizes. */
#define PLACE_MEMORY (sizeof(struct line_entry) + sizeof(struct line_entry) / 2)

/* Lines whose places are loaded before the first is searched. */
#define AHEAD 16

#define RATE_MAX 63

/* Present: lines that are known. */
#define KNOWN 1

uint64_t
line_sample_hash(const struct line_sample *sample, uint64_t line)
{
	const uint64_t mask = (UINT64_C(1) << sample->set_bits) - 1;
	const unsigned half = (sample->set_bits + 1) / 2;
	uint64_t set = line & mask;
	if (!sample->set_bits)
		return shards_hash(line);
	/* Each step is invertible modulo the number of sets. The bit beyond them ends sampling
	 * if one set is too large. */
	set = ((set ^ set >> half) * UINT64_C(0xbf58476d1ce4e5b9)) & mask;
	set = ((set ^ set >> half) * UINT64_C(0x94d049bb133111eb)) & mask;
	return (set ^ set >> half) | (mask + 1);
}

enum poly_status
line_table_init(struct line_table *table, uint64_t memory, const struct line_sample *sample,
	struct poly_error *error)
{
	size_t places = FIRST_PLACES;
	*table = (struct line_table){.sample = *sample};
	while (2 * places * PLACE_MEMORY <= memory)
		places *= 2;
	table->max_mask = places - 1;
	table->mask = FIRST_PLACES - 1;
	hash_seed_draw(&table->seed);
	table->entries = mem_new(FIRST_PLACES, sizeof *table->entries);
	return table->entries ? POLY_OK : err_memory(error);
}

void
line_table_fini(struct line_table *table)
{
	mem_free(table->entries);
	*table = (struct line_table){0};
}

/* Returns the entry of a key, or the empty one for its insertion. */
static struct line_entry *
place_of(const struct line_table *table, uint64_t key)
{
	size_t i = (size_t)hash_number(&table->seed, key) & table->mask;
	while (table->entries[i].key && table->entries[i].key != key)
		i = (i + 1) & table->mask;
	return &table->entries[i];
}

/* Doubles the table; false: out of memory. */
static bool
grow(struct line_table *table)
{
	struct line_table larger = *table;
	larger.mask = 2 * table->mask + 1;
	larger.entries = mem_new(larger.mask + 1, sizeof *larger.entries);
	if (!larger.entries)
		return false;
	for (size_t i = 0; i <= table->mask; i++)
		if (table->entries[i].key)
			*place_of(&larger, table->entries[i].key) = table->entries[i];
	mem_free(table->entries);
	*table = larger;
	return true;
}

/* Halves the sampling rate. From an empty place on, each entry is removed, and is inserted at
 * its first empty place if it remains in the sample. */
static void
coarsen(struct line_table *table)
{
	size_t first = 0;
	table->sample.rate++;
	while (table->entries[first].key)
		first++;
	for (size_t n = 1; n <= table->mask; n++) {
		struct line_entry *entry = &table->entries[(first + n) & table->mask];
		const struct line_entry moved = *entry;
		if (!moved.key)
			continue;
		*entry = (struct line_entry){0};
		if (line_sample_has(
			    &table->sample, line_sample_hash(&table->sample, moved.key - 1)))
			*place_of(table, moved.key) = moved;
		else
			table->count--;
	}
}

/* Makes room for a line; false: out of memory. */
static bool
make_room(struct line_table *table)
{
	if (table->count < (table->mask + 1) / 4 * 3)
		return true;
	if (table->mask < table->max_mask)
		return grow(table);
	while (table->count >= (table->mask + 1) / 4 * 3 && table->sample.rate < RATE_MAX)
		coarsen(table);
	return true;
}

enum poly_status
line_table_swap(struct line_table *table, uint64_t line, uint64_t value, uint64_t *previous)
{
	const uint64_t hash = table->sample.rate ? line_sample_hash(&table->sample, line) : 0;
	if (!line_sample_has(&table->sample, hash))
		return POLY_OK;
	struct line_entry *entry = place_of(table, line + 1);
	if (entry->key) {
		*previous = entry->value;
		entry->value = value;
		return POLY_OK;
	}
	*entry = (struct line_entry){line + 1, value};
	table->count++;
	return make_room(table) ? POLY_OK : POLY_ERR_MEMORY;
}

/* Adds at most AHEAD lines. */
static enum poly_status
weigh_few(struct line_table *table, const uint64_t *lines, size_t count, uint8_t *weights)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < count; i++)
		line_table_prefetch(table, lines[i]);
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		const size_t known = table->count;
		const unsigned rate = table->sample.rate;
		uint64_t previous = KNOWN;
		status = line_table_swap(table, lines[i], KNOWN, &previous);
		weights[i] = table->count != known || table->sample.rate != rate
				     ? (uint8_t)(rate + 1)
				     : 0;
	}
	return status;
}

enum poly_status
line_table_weigh(
	struct line_table *table, const uint64_t *lines, size_t count, uint8_t *weights)
{
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < count && status == POLY_OK; i += AHEAD)
		status = weigh_few(
			table, lines + i, count - i < AHEAD ? count - i : AHEAD, weights + i);
	return status;
}
