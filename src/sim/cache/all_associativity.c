/* SPDX-License-Identifier: MIT */
/* All set counts and ways at once; the plain loop. */
#include "sim/cache/all_associativity.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/cache/all_associativity_state.h"

#include <stdbool.h>
#include <string.h>

static bool
take_sets(struct all_associativity *all)
{
	const size_t sets = ((size_t)2 << all->max) - ((size_t)1 << all->min);
	char *bytes = all->memory = mem_new(sets + 1, WAYS * sizeof(uint32_t));
	if (!bytes)
		return false;
	uint32_t *next = (void *)(bytes + (64 - (uintptr_t)bytes % 64) % 64);
	memset(next, 0xff, sets * WAYS * sizeof *next);
	for (unsigned level = all->min; level <= all->max; level++) {
		all->sets[level] = next;
		next += (size_t)WAYS << level;
	}
	return true;
}

enum poly_status
all_associativity_new(
	unsigned min, unsigned max, struct all_associativity **all, struct poly_error *error)
{
	*all = NULL;
	if (min > max || max > ALL_ASSOCIATIVITY_BITS_MAX)
		return err_usage(error, "2^%u to 2^%u sets, expected at most 2^%d", min, max,
			ALL_ASSOCIATIVITY_BITS_MAX);
	struct all_associativity *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	created->min = min;
	created->max = max;
	created->run =
		all_associativity_has_x86() ? all_associativity_x86 : all_associativity_plain;
	if (!take_sets(created)) {
		mem_free(created);
		return err_memory(error);
	}
	*all = created;
	return POLY_OK;
}

void
all_associativity_free(struct all_associativity *all)
{
	if (all)
		mem_free(all->memory);
	mem_free(all);
}

void
all_associativity_run(
	struct all_associativity *all, const uint64_t *lines, const uint32_t *ids, size_t count)
{
	all->run(all, lines, ids, count);
}

uint32_t
all_associativity_renumber(struct all_associativity *all, uint32_t *ids)
{
	uint32_t *held = all->sets[all->min];
	const size_t sets = ((size_t)2 << all->max) - ((size_t)1 << all->min);
	uint32_t count = 0;
	/* The sets of all levels are adjacent. */
	for (size_t i = 0; i < sets * WAYS; i++) {
		if (held[i] == UINT32_MAX)
			continue;
		if (ids[held[i]] == UINT32_MAX)
			ids[held[i]] = count++;
		held[i] = ids[held[i]];
	}
	return count;
}

uint64_t
all_associativity_misses(const struct all_associativity *all, unsigned bits, unsigned ways)
{
	uint64_t misses = 0;
	for (unsigned way = ways; way <= WAYS; way++)
		misses += all->idle ? all->shown[bits][way] : all->found[bits][way];
	return misses;
}

void
all_associativity_counting(struct all_associativity *all, bool counting)
{
	if (all->idle != counting)
		return;
	if (counting)
		memcpy(all->found, all->shown, sizeof all->found);
	else
		memcpy(all->shown, all->found, sizeof all->shown);
	all->idle = !counting;
}

/* Makes an id the newest of a set. Returns its former way, or WAYS if it was absent. */
static unsigned
use(uint32_t *set, uint32_t id)
{
	uint32_t carried = id;
	for (unsigned way = 0; way < WAYS; way++) {
		const uint32_t here = set[way];
		set[way] = carried;
		if (here == id)
			return way;
		carried = here;
	}
	return WAYS;
}

void
all_associativity_plain(
	struct all_associativity *all, const uint64_t *lines, const uint32_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned level = all->min; level <= all->max; level++) {
			const uint64_t number = lines[i] & (((uint64_t)1 << level) - 1);
			const unsigned way = use(all->sets[level] + number * WAYS, ids[i]);
			if (way == 0)
				break;
			all->found[level][way]++;
		}
}
