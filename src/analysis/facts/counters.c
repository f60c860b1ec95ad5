/* SPDX-License-Identifier: MIT */
/* Growable arrays. */
#include "analysis/facts/counters.h"

#include "base/mem.h"
#include "base/vec.h"

bool
counters_reserve(struct counters *counters, size_t count)
{
	return VEC_RESERVE_ZEROED(counters->list, counters->capacity, count);
}

bool
counters_merge(struct counters *into, const struct counters *from, const uint32_t *numbers)
{
	for (size_t i = 0; i < from->capacity; i++) {
		if (!from->list[i])
			continue;
		const uint32_t index = i ? numbers[i - 1] + 1 : 0;
		if (!counters_reserve(into, (size_t)index + 1))
			return false;
		into->list[index] += from->list[i];
	}
	return true;
}

void
counters_fini(struct counters *counters)
{
	mem_free(counters->list);
	*counters = (struct counters){0};
}
