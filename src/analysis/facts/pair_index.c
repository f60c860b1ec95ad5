/* SPDX-License-Identifier: MIT */
/* Numbers pairs of numbers. */
#include "analysis/facts/pair_index.h"

#include "analysis/facts/counters.h"
#include "base/mem.h"

/*
 * Hashes both numbers, so that a first number with many second ones has no long chain; the map
 * mixes the hash. The factor is odd and irregular.
 */
static uint64_t
pair_index_hash(uint64_t a, uint64_t b)
{
	return a ^ b * 0xd6e8feb86659fd93u;
}

/* Sets *number to a pair of the chain that begins with *number; false: the chain lacks it, and
 * *number is its last pair. */
static bool
pair_index_walk(const struct pair_index *pairs, uint64_t a, uint64_t b, uint32_t *number)
{
	const struct indexed_pair *at = &pairs->list[*number];
	while (at->a != a || at->b != b) {
		if (!at->next)
			return false;
		*number = at->next - 1;
		at = &pairs->list[*number];
	}
	return true;
}

uint32_t
pair_index_find(const struct pair_index *pairs, uint64_t a, uint64_t b)
{
	const uint64_t *first = map_find(&pairs->first, pair_index_hash(a, b));
	uint32_t number = first ? (uint32_t)*first : 0;
	return first && pair_index_walk(pairs, a, b, &number) ? number : PAIR_INDEX_FULL;
}

uint32_t
pair_index_add(struct pair_index *pairs, uint64_t a, uint64_t b, uint32_t limit)
{
	bool added;
	if (pairs->count >= limit)
		return pair_index_find(pairs, a, b);
	/* Grows the list first, so that the map never refers to a missing pair. */
	void *list = pairs->list;
	const bool has_room = counters_grow_array(
		&list, &pairs->capacity, (size_t)pairs->count + 1, sizeof *pairs->list);
	pairs->list = list;
	uint64_t *first =
		has_room ? map_get(&pairs->first, pair_index_hash(a, b), pairs->count, &added)
			 : NULL;
	if (!first)
		return PAIR_INDEX_FAILED;
	uint32_t number = (uint32_t)*first;
	if (!added && pair_index_walk(pairs, a, b, &number))
		return number;
	pairs->list[pairs->count] = (struct indexed_pair){a, b, 0};
	if (!added)
		pairs->list[number].next = pairs->count + 1;
	return pairs->count++;
}

void
pair_index_fini(struct pair_index *pairs)
{
	map_free(&pairs->first);
	mem_free(pairs->list);
	*pairs = (struct pair_index){0};
}
