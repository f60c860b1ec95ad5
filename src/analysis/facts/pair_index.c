/* SPDX-License-Identifier: MIT */
/* Numbers pairs of numbers. */
#include "analysis/facts/pair_index.h"

#include "analysis/facts/counters.h"
#include "base/mem.h"
#include "base/vec.h"

static bool
is_pair(const struct indexed_pair *pair, uint64_t a, uint64_t b)
{
	return pair->a == a && pair->b == b;
}

uint32_t
pair_index_find(const struct pair_index *pairs, uint64_t a, uint64_t b)
{
	for (uint64_t key = hash_pair(&pairs->numbers.seed, a, b);; key++) {
		const uint64_t *number = map_find(&pairs->numbers, key);
		if (!number)
			return PAIR_INDEX_FULL;
		if (is_pair(&pairs->list[*number], a, b))
			return (uint32_t)*number;
	}
}

uint32_t
pair_index_add(struct pair_index *pairs, uint64_t a, uint64_t b, uint32_t limit)
{
	bool added;
	if (pairs->count >= limit)
		return pair_index_find(pairs, a, b);
	/* Grows the list first, so that the map never refers to a missing pair. */
	if (!VEC_ROOM(pairs->list, pairs->capacity, pairs->count))
		return PAIR_INDEX_FAILED;
	for (uint64_t key = map_pair(&pairs->numbers, a, b);; key++) {
		const uint64_t *number = map_get(&pairs->numbers, key, pairs->count, &added);
		if (!number)
			return PAIR_INDEX_FAILED;
		if (added)
			pairs->list[pairs->count++] = (struct indexed_pair){a, b};
		if (is_pair(&pairs->list[*number], a, b))
			return (uint32_t)*number;
	}
}

void
pair_index_fini(struct pair_index *pairs)
{
	map_free(&pairs->numbers);
	mem_free(pairs->list);
	*pairs = (struct pair_index){0};
}
