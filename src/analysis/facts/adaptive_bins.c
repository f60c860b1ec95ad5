/* SPDX-License-Identifier: MIT */
/* Adaptive bins found by hash: when the list is full, the bins grow instead of the list. */
#include "analysis/facts/adaptive_bins.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
hash_of(const struct hash_index *index, uint64_t number, uint32_t tag)
{
	return hash_add(&index->seed, hash_pair(&index->seed, number, tag), 0);
}

static uint64_t
hash_of_bin(const struct hash_index *index, const void *list, size_t i)
{
	const struct adaptive_bin *bin = (const struct adaptive_bin *)list + i;
	return hash_of(index, bin->number, bin->tag);
}

/* Returns the item of a bin; else ADAPTIVE_BIN_NONE, and its place. */
static uint32_t
search(const struct adaptive_bins *bins, uint64_t number, uint32_t tag, size_t *place)
{
	const struct hash_index *index = &bins->index;
	uint32_t slot;
	*place = 0;
	if (!index->slots)
		return ADAPTIVE_BIN_NONE;
	*place = hash_index_place(index, hash_of(index, number, tag));
	for (; (slot = index->slots[*place]) != 0; *place = hash_index_next(index, *place)) {
		const struct adaptive_bin *bin = &bins->list[slot - 1];
		if (bin->number == number && bin->tag == tag)
			return slot - 1;
	}
	return ADAPTIVE_BIN_NONE;
}

/* Appends a bin, without its item, for which there is room. */
static uint32_t
append(struct adaptive_bins *bins, struct adaptive_bin bin, size_t place)
{
	bins->list[bins->count] = bin;
	bins->index.slots[place] = ++bins->count;
	return bins->count - 1;
}

/* Grows the table by at least one bin; false: out of memory. */
static bool
adaptive_bins_grow(struct adaptive_bins *bins)
{
	uint32_t capacity = bins->capacity ? 2 * bins->capacity : 64;
	if (capacity > bins->max_count)
		capacity = bins->max_count;
	struct adaptive_bin *list = mem_resize(bins->list, capacity, sizeof *list);
	if (list)
		bins->list = list;
	unsigned char *items = mem_resize(bins->items, capacity, bins->item_size);
	if (items)
		bins->items = items;
	const struct hashed_objects present = {bins->list, bins->count, hash_of_bin};
	if (!list || !items || !hash_index_reserve(&bins->index, capacity, &present))
		return false;
	bins->capacity = capacity;
	return true;
}

/* Doubles the size of every bin, in place. */
static void
adaptive_bins_coarsen(struct adaptive_bins *bins)
{
	const uint32_t count = bins->count;
	hash_index_clear(&bins->index);
	bins->count = 0;
	bins->shift++;
	for (uint32_t i = 0; i < count; i++) {
		const struct adaptive_bin old = bins->list[i];
		void *item = adaptive_bins_item(bins, i);
		size_t place;
		if (bins->coarsen)
			bins->coarsen(item, old.number & 1);
		uint32_t target = search(bins, old.number >> 1, old.tag, &place);
		if (target != ADAPTIVE_BIN_NONE) {
			bins->merge_item(adaptive_bins_item(bins, target), item);
			continue;
		}
		target = append(bins, (struct adaptive_bin){old.number >> 1, old.tag}, place);
		memmove(adaptive_bins_item(bins, target), item, bins->item_size);
	}
}

uint32_t
adaptive_bins_find(struct adaptive_bins *bins, uint64_t address, uint32_t tag)
{
	size_t place;
	uint32_t item = search(bins, address >> bins->shift, tag, &place);
	if (item == ADAPTIVE_BIN_NONE) {
		if (bins->is_fixed && bins->count == bins->max_count)
			return ADAPTIVE_BIN_NONE;
		while (bins->count == bins->max_count)
			adaptive_bins_coarsen(bins);
		if (bins->count == bins->capacity && !adaptive_bins_grow(bins)) {
			bins->failed = true;
			return ADAPTIVE_BIN_NONE;
		}
		item = search(bins, address >> bins->shift, tag, &place);
	}
	const uint64_t number = address >> bins->shift;
	if (item == ADAPTIVE_BIN_NONE) {
		item = append(bins, (struct adaptive_bin){number, tag}, place);
		memset(adaptive_bins_item(bins, item), 0, bins->item_size);
	}
	bins->recent[(number + tag * 37) % ADAPTIVE_BINS_RECENT] = item;
	return item;
}

uint32_t
adaptive_bins_lookup(const struct adaptive_bins *bins, uint64_t address, uint32_t tag)
{
	size_t place;
	return search(bins, address >> bins->shift, tag, &place);
}

void
adaptive_bins_widen(struct adaptive_bins *bins, unsigned shift)
{
	while (!bins->failed && bins->count && bins->shift < shift)
		adaptive_bins_coarsen(bins);
	if (bins->shift < shift)
		bins->shift = shift;
}

bool
adaptive_bins_merge(
	struct adaptive_bins *into, const struct adaptive_bins *from, const uint16_t *tags)
{
	unsigned char *item = mem_new(1, from->item_size);
	bool ok = item != NULL;
	if (ok)
		adaptive_bins_widen(into, from->shift);
	for (uint32_t i = 0; ok && i < from->count; i++) {
		const struct adaptive_bin *bin = &from->list[i];
		const uint32_t tag = tags ? tags[bin->tag] : bin->tag;
		const uint32_t target =
			adaptive_bins_find(into, adaptive_bins_address(from, i), tag);
		ok = target != ADAPTIVE_BIN_NONE;
		if (!ok)
			break;
		memcpy(item, adaptive_bins_item(from, i), from->item_size);
		for (unsigned bit = 0; into->coarsen && from->shift + bit < into->shift; bit++)
			into->coarsen(item, bin->number >> bit & 1);
		into->merge_item(adaptive_bins_item(into, target), item);
	}
	mem_free(item);
	return ok;
}

/* Sort key of an item: qsort does not pass the table to the comparison. */
struct numbered_bin {
	struct adaptive_bin bin;
	uint32_t item;
};

static int
compare_numbered(const void *a, const void *b)
{
	const struct numbered_bin *x = a, *y = b;
	if (x->bin.number != y->bin.number)
		return x->bin.number < y->bin.number ? -1 : 1;
	return (x->bin.tag > y->bin.tag) - (x->bin.tag < y->bin.tag);
}

uint32_t *
adaptive_bins_sorted(const struct adaptive_bins *bins)
{
	const size_t count = bins->count ? bins->count : 1;
	struct numbered_bin *numbered = mem_new(count, sizeof *numbered);
	uint32_t *sorted = mem_new(count, sizeof *sorted);
	if (!numbered || !sorted) {
		mem_free(numbered);
		mem_free(sorted);
		return NULL;
	}
	for (uint32_t i = 0; i < bins->count; i++)
		numbered[i] = (struct numbered_bin){bins->list[i], i};
	qsort(numbered, bins->count, sizeof *numbered, compare_numbered);
	for (uint32_t i = 0; i < bins->count; i++)
		sorted[i] = numbered[i].item;
	mem_free(numbered);
	return sorted;
}

void
adaptive_bins_clear(struct adaptive_bins *bins)
{
	bins->count = 0;
	hash_index_clear(&bins->index);
}

void
adaptive_bins_fini(struct adaptive_bins *bins)
{
	mem_free(bins->list);
	mem_free(bins->items);
	hash_index_free(&bins->index);
}
