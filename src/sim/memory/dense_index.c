/* SPDX-License-Identifier: MIT */
/* Open addressing, at most half full. */
#include "sim/memory/dense_index.h"

#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdbool.h>

#define FIRST_BITS 12

static size_t
home(const struct dense_index *index, uint64_t number)
{
	return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> index->shift);
}

/* Returns the slot of a number, or the one for its insertion. */
static struct dense_index_slot *
find_slot(const struct dense_index *index, uint64_t number)
{
	size_t at = home(index, number);
	while (index->slots[at].id && index->slots[at].number != number)
		at = (at + 1) & index->mask;
	return &index->slots[at];
}

static bool
take_slots(struct dense_index *index, unsigned bits)
{
	index->slots = mem_new((size_t)1 << bits, sizeof *index->slots);
	index->mask = ((size_t)1 << bits) - 1;
	index->shift = 64 - bits;
	return index->slots;
}

static bool
grow(struct dense_index *index)
{
	struct dense_index larger = *index;
	if (!take_slots(&larger, 64 - index->shift + 1))
		return false;
	for (size_t i = 0; i <= index->mask; i++)
		if (index->slots[i].id)
			*find_slot(&larger, index->slots[i].number) = index->slots[i];
	mem_free(index->slots);
	*index = larger;
	return true;
}

enum poly_status
dense_index_init(struct dense_index *index, uint32_t max, struct poly_error *error)
{
	*index = (struct dense_index){.max = max};
	return take_slots(index, FIRST_BITS) ? POLY_OK : err_memory(error);
}

void
dense_index_fini(struct dense_index *index)
{
	mem_free(index->slots);
	*index = (struct dense_index){0};
}

/* Assigns the next id, and enlarges the table if necessary. */
static enum poly_status
add(struct dense_index *index, struct dense_index_slot *slot, uint64_t number,
	struct poly_error *error)
{
	if (index->count >= index->max)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"more than %" PRIu32 " distinct lines", index->max);
	*slot = (struct dense_index_slot){number, ++index->count};
	if (index->count > index->mask / 2 && !grow(index))
		return err_memory(error);
	return POLY_OK;
}

enum poly_status
dense_index_find(struct dense_index *index, const uint64_t *numbers, size_t count,
	uint32_t *ids, struct poly_error *error)
{
	for (size_t i = 0; i < count; i++) {
		struct dense_index_slot *slot = find_slot(index, numbers[i]);
		ids[i] = slot->id - 1;
		if (slot->id)
			continue;
		ids[i] = index->count;
		const enum poly_status status = add(index, slot, numbers[i], error);
		if (status != POLY_OK)
			return status;
	}
	return POLY_OK;
}
