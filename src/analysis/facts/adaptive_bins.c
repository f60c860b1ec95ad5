/* SPDX-License-Identifier: MIT */
/* Adaptive bins in a hash table: when it is full, the bins grow instead of the table. */
#include "analysis/facts/adaptive_bins.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Returns the slot of a bin, or the free slot for a new one. */
static size_t
adaptive_bin_slot(const struct adaptive_bins *bins, uint64_t number, uint32_t tag)
{
	/* Fibonacci hashing and a second hash, as in base/map.c. */
	const uint64_t hash = (number + ((uint64_t)tag << 40)) * 0x9E3779B97F4A7C15u;
	const size_t step = (size_t)(hash >> 40) | 1;
	size_t i = (size_t)(hash ^ hash >> 32) & bins->mask;
	for (; bins->slots[i]; i = (i + step) & bins->mask) {
		const struct adaptive_bin *bin = &bins->list[bins->slots[i] - 1];
		if (bin->number == number && bin->tag == tag)
			break;
	}
	return i;
}

/* Grows the table by at least one bin; false: out of memory. */
static bool
adaptive_bins_grow(struct adaptive_bins *bins)
{
	uint32_t capacity = bins->capacity ? 2 * bins->capacity : 64;
	if (capacity > bins->max_count)
		capacity = bins->max_count;
	size_t slots = 128;
	while (slots < 2 * (size_t)capacity)
		slots *= 2;
	struct adaptive_bin *list = mem_resize(bins->list, capacity, sizeof *list);
	if (list)
		bins->list = list;
	unsigned char *items = mem_resize(bins->items, capacity, bins->item_size);
	if (items)
		bins->items = items;
	uint32_t *new_slots = mem_new(slots, sizeof *new_slots);
	if (!list || !items || !new_slots) {
		mem_free(new_slots);
		return false;
	}
	mem_free(bins->slots);
	bins->slots = new_slots;
	bins->mask = slots - 1;
	bins->capacity = capacity;
	for (uint32_t i = 0; i < bins->count; i++)
		new_slots[adaptive_bin_slot(bins, list[i].number, list[i].tag)] = i + 1;
	return true;
}

/* Doubles the size of every bin, in place. */
static void
adaptive_bins_coarsen(struct adaptive_bins *bins)
{
	const uint32_t count = bins->count;
	memset(bins->slots, 0, (bins->mask + 1) * sizeof *bins->slots);
	bins->count = 0;
	bins->shift++;
	for (uint32_t i = 0; i < count; i++) {
		const struct adaptive_bin old = bins->list[i];
		void *item = adaptive_bins_item(bins, i);
		if (bins->coarsen)
			bins->coarsen(item, old.number & 1);
		const size_t slot = adaptive_bin_slot(bins, old.number >> 1, old.tag);
		if (bins->slots[slot]) {
			bins->merge_item(adaptive_bins_item(bins, bins->slots[slot] - 1), item);
			continue;
		}
		const uint32_t target = bins->count++;
		bins->list[target] = (struct adaptive_bin){old.number >> 1, old.tag};
		bins->slots[slot] = target + 1;
		memmove(adaptive_bins_item(bins, target), item, bins->item_size);
	}
}

uint32_t
adaptive_bins_find(struct adaptive_bins *bins, uint64_t address, uint32_t tag)
{
	uint64_t number = address >> bins->shift;
	size_t slot = 0;
	if (bins->slots)
		slot = adaptive_bin_slot(bins, number, tag);
	if (!bins->slots || !bins->slots[slot]) {
		if (bins->is_fixed && bins->count == bins->max_count)
			return ADAPTIVE_BIN_NONE;
		while (bins->count == bins->max_count)
			adaptive_bins_coarsen(bins);
		if (bins->count == bins->capacity && !adaptive_bins_grow(bins)) {
			bins->failed = true;
			return ADAPTIVE_BIN_NONE;
		}
		number = address >> bins->shift;
		slot = adaptive_bin_slot(bins, number, tag);
	}
	if (!bins->slots[slot]) {
		const uint32_t item = bins->count++;
		bins->list[item] = (struct adaptive_bin){number, tag};
		memset(adaptive_bins_item(bins, item), 0, bins->item_size);
		bins->slots[slot] = item + 1;
	}
	const uint32_t item = bins->slots[slot] - 1;
	bins->recent[(number + tag * 37) % ADAPTIVE_BINS_RECENT] = item;
	return item;
}

uint32_t
adaptive_bins_lookup(const struct adaptive_bins *bins, uint64_t address, uint32_t tag)
{
	const uint64_t number = address >> bins->shift;
	if (!bins->slots)
		return ADAPTIVE_BIN_NONE;
	/* A free slot has 0, which becomes ADAPTIVE_BIN_NONE. */
	return bins->slots[adaptive_bin_slot(bins, number, tag)] - 1;
}

bool
adaptive_bins_merge(
	struct adaptive_bins *into, const struct adaptive_bins *from, const uint16_t *tags)
{
	unsigned char *item = mem_new(1, from->item_size);
	bool ok = item != NULL;
	while (ok && into->slots && into->shift < from->shift)
		adaptive_bins_coarsen(into);
	if (into->shift < from->shift)
		into->shift = from->shift;
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
	if (bins->slots)
		memset(bins->slots, 0, (bins->mask + 1) * sizeof *bins->slots);
}

void
adaptive_bins_fini(struct adaptive_bins *bins)
{
	mem_free(bins->list);
	mem_free(bins->items);
	mem_free(bins->slots);
}
