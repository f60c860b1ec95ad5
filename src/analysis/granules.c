/* SPDX-License-Identifier: MIT */
/* Granules of addresses, in a hash table whose granules grow where it would. */
#include "analysis/granules.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The place of a granule, or the free one where it belongs. */
static size_t
granule_place(const struct granules *granules, uint64_t number, uint32_t tag)
{
	/* Fibonacci hashing and a second hash, as in base/map.c. */
	const uint64_t hash = (number + ((uint64_t)tag << 40)) * 0x9E3779B97F4A7C15u;
	const size_t step = (size_t)(hash >> 40) | 1;
	size_t i = (size_t)(hash ^ hash >> 32) & granules->mask;
	for (; granules->places[i]; i = (i + step) & granules->mask) {
		const struct granule *it = &granules->list[granules->places[i] - 1];
		if (it->number == number && it->tag == tag)
			break;
	}
	return i;
}

/* Room for another granule. */
static bool
granules_grow(struct granules *granules)
{
	uint32_t capacity = granules->capacity ? 2 * granules->capacity : 64;
	if (capacity > granules->most)
		capacity = granules->most;
	size_t places = 128;
	while (places < 2 * (size_t)capacity)
		places *= 2;
	struct granule *list = mem_resize(granules->list, capacity, sizeof *list);
	if (list)
		granules->list = list;
	unsigned char *items = mem_resize(granules->items, capacity, granules->item_size);
	if (items)
		granules->items = items;
	uint32_t *fresh = mem_new(places, sizeof *fresh);
	if (!list || !items || !fresh) {
		mem_free(fresh);
		return false;
	}
	mem_free(granules->places);
	granules->places = fresh;
	granules->mask = places - 1;
	granules->capacity = capacity;
	for (uint32_t i = 0; i < granules->count; i++)
		fresh[granule_place(granules, list[i].number, list[i].tag)] = i + 1;
	return true;
}

/* Makes every granule twice as large; as many as there were have room. */
static void
granules_widen(struct granules *granules)
{
	const uint32_t count = granules->count;
	memset(granules->places, 0, (granules->mask + 1) * sizeof *granules->places);
	granules->count = 0;
	granules->shift++;
	for (uint32_t i = 0; i < count; i++) {
		const struct granule old = granules->list[i];
		void *item = granules_item(granules, i);
		if (granules->widen)
			granules->widen(item, old.number & 1);
		const size_t place = granule_place(granules, old.number >> 1, old.tag);
		if (granules->places[place]) {
			granules->join(
				granules_item(granules, granules->places[place] - 1), item);
			continue;
		}
		const uint32_t to = granules->count++;
		granules->list[to] = (struct granule){old.number >> 1, old.tag};
		granules->places[place] = to + 1;
		memmove(granules_item(granules, to), item, granules->item_size);
	}
}

uint32_t
granules_find(struct granules *granules, uint64_t address, uint32_t tag)
{
	uint64_t number = address >> granules->shift;
	size_t place = 0;
	if (granules->places)
		place = granule_place(granules, number, tag);
	if (!granules->places || !granules->places[place]) {
		if (granules->is_fixed && granules->count == granules->most)
			return GRANULE_NONE;
		while (granules->count == granules->most)
			granules_widen(granules);
		if (granules->count == granules->capacity && !granules_grow(granules)) {
			granules->failed = true;
			return GRANULE_NONE;
		}
		number = address >> granules->shift;
		place = granule_place(granules, number, tag);
	}
	if (!granules->places[place]) {
		const uint32_t item = granules->count++;
		granules->list[item] = (struct granule){number, tag};
		memset(granules_item(granules, item), 0, granules->item_size);
		granules->places[place] = item + 1;
	}
	const uint32_t item = granules->places[place] - 1;
	granules->recent[(number + tag * 37) % GRANULES_RECENT] = item;
	return item;
}

uint32_t
granules_lookup(const struct granules *granules, uint64_t address, uint32_t tag)
{
	const uint64_t number = address >> granules->shift;
	if (!granules->places)
		return GRANULE_NONE;
	/* A free place has 0, which becomes GRANULE_NONE. */
	return granules->places[granule_place(granules, number, tag)] - 1;
}

bool
granules_merge(struct granules *into, const struct granules *from, const uint16_t *tags)
{
	unsigned char *item = mem_new(1, from->item_size);
	bool ok = item != NULL;
	while (ok && into->places && into->shift < from->shift)
		granules_widen(into);
	if (into->shift < from->shift)
		into->shift = from->shift;
	for (uint32_t i = 0; ok && i < from->count; i++) {
		const struct granule *it = &from->list[i];
		const uint32_t tag = tags ? tags[it->tag] : it->tag;
		const uint32_t to = granules_find(into, granules_address(from, i), tag);
		ok = to != GRANULE_NONE;
		if (!ok)
			break;
		memcpy(item, granules_item(from, i), from->item_size);
		for (unsigned bit = 0; into->widen && from->shift + bit < into->shift; bit++)
			into->widen(item, it->number >> bit & 1);
		into->join(granules_item(into, to), item);
	}
	mem_free(item);
	return ok;
}

/* What is sorted: qsort has no room for the table. */
struct place {
	struct granule granule;
	uint32_t item;
};

static int
compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->granule.number != y->granule.number)
		return x->granule.number < y->granule.number ? -1 : 1;
	return (x->granule.tag > y->granule.tag) - (x->granule.tag < y->granule.tag);
}

uint32_t *
granules_sorted(const struct granules *granules)
{
	const size_t count = granules->count ? granules->count : 1;
	struct place *places = mem_new(count, sizeof *places);
	uint32_t *sorted = mem_new(count, sizeof *sorted);
	if (!places || !sorted) {
		mem_free(places);
		mem_free(sorted);
		return NULL;
	}
	for (uint32_t i = 0; i < granules->count; i++)
		places[i] = (struct place){granules->list[i], i};
	qsort(places, granules->count, sizeof *places, compare_places);
	for (uint32_t i = 0; i < granules->count; i++)
		sorted[i] = places[i].item;
	mem_free(places);
	return sorted;
}

void
granules_clear(struct granules *granules)
{
	granules->count = 0;
	if (granules->places)
		memset(granules->places, 0, (granules->mask + 1) * sizeof *granules->places);
}

void
granules_fini(struct granules *granules)
{
	mem_free(granules->list);
	mem_free(granules->items);
	mem_free(granules->places);
}
