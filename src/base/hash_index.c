/* SPDX-License-Identifier: MIT */
/* Linear probing, at most half full. */
#include "base/hash_index.h"

#include "base/mem.h"

#include <string.h>

#define SLOTS_MIN 256

bool
hash_index_reserve(struct hash_index *index, size_t room, const struct hashed_objects *present)
{
	size_t slots = index->slots ? index->mask + 1 : 0;
	if (room <= slots / 2)
		return true;
	for (slots = slots ? slots : SLOTS_MIN; slots / 2 < room;)
		slots *= 2;
	uint32_t *larger = mem_new(slots, sizeof *larger);
	if (!larger)
		return false;
	if (!index->seed.factor)
		hash_seed_draw(&index->seed);
	mem_free(index->slots);
	index->slots = larger;
	index->mask = slots - 1;
	for (size_t i = 0; i < present->count; i++) {
		size_t place = hash_index_place(index, present->hash(index, present->list, i));
		while (larger[place])
			place = hash_index_next(index, place);
		larger[place] = (uint32_t)i + 1;
	}
	return true;
}

void
hash_index_clear(struct hash_index *index)
{
	if (index->slots)
		memset(index->slots, 0, (index->mask + 1) * sizeof *index->slots);
}

void
hash_index_free(struct hash_index *index)
{
	mem_free(index->slots);
	*index = (struct hash_index){0};
}
