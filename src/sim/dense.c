/* SPDX-License-Identifier: MIT */
/* Open addressing, at most half full. */
#include "sim/dense.h"

#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdbool.h>

#define FIRST_BITS 12

static size_t
home(const struct dense *dense, uint64_t number)
{
	return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> dense->shift);
}

/* The slot of a number, or the one where it would be put. */
static struct dense_slot *
find_slot(const struct dense *dense, uint64_t number)
{
	size_t at = home(dense, number);
	while (dense->slots[at].id && dense->slots[at].number != number)
		at = (at + 1) & dense->mask;
	return &dense->slots[at];
}

static bool
take_slots(struct dense *dense, unsigned bits)
{
	dense->slots = mem_new((size_t)1 << bits, sizeof *dense->slots);
	dense->mask = ((size_t)1 << bits) - 1;
	dense->shift = 64 - bits;
	return dense->slots;
}

static bool
grow(struct dense *dense)
{
	struct dense larger = *dense;
	if (!take_slots(&larger, 64 - dense->shift + 1))
		return false;
	for (size_t i = 0; i <= dense->mask; i++)
		if (dense->slots[i].id)
			*find_slot(&larger, dense->slots[i].number) = dense->slots[i];
	mem_free(dense->slots);
	*dense = larger;
	return true;
}

enum poly_status
dense_init(struct dense *dense, uint32_t most, struct poly_error *error)
{
	*dense = (struct dense){.most = most};
	return take_slots(dense, FIRST_BITS) ? POLY_OK : err_memory(error);
}

void
dense_fini(struct dense *dense)
{
	mem_free(dense->slots);
	*dense = (struct dense){0};
}

/* Numbers one more, and makes room for the next. */
static enum poly_status
add(struct dense *dense, struct dense_slot *slot, uint64_t number, struct poly_error *error)
{
	if (dense->count >= dense->most)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"more than %" PRIu32 " different lines", dense->most);
	*slot = (struct dense_slot){number, ++dense->count};
	if (dense->count > dense->mask / 2 && !grow(dense))
		return err_memory(error);
	return POLY_OK;
}

enum poly_status
dense_find(struct dense *dense, const uint64_t *numbers, size_t count, uint32_t *ids,
	struct poly_error *error)
{
	for (size_t i = 0; i < count; i++) {
		struct dense_slot *slot = find_slot(dense, numbers[i]);
		ids[i] = slot->id - 1;
		if (slot->id)
			continue;
		ids[i] = dense->count;
		const enum poly_status status = add(dense, slot, numbers[i], error);
		if (status != POLY_OK)
			return status;
	}
	return POLY_OK;
}
