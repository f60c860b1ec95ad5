/* SPDX-License-Identifier: MIT */
/* Growable arrays. */
#include "analysis/facts/counters.h"

#include "base/mem.h"

#include <string.h>

bool
counters_grow_array(void **list, uint32_t *capacity, size_t count, size_t size)
{
	if (count <= *capacity)
		return true;
	size_t new_capacity = *capacity < 32 ? 64 : 2 * (size_t)*capacity;
	if (new_capacity < count)
		new_capacity = count;
	if (new_capacity > UINT32_MAX)
		return false;
	char *grown = mem_resize(*list, new_capacity, size);
	if (!grown)
		return false;
	memset(grown + *capacity * size, 0, (new_capacity - *capacity) * size);
	*list = grown;
	*capacity = (uint32_t)new_capacity;
	return true;
}

bool
counters_reserve(struct counters *counters, size_t count)
{
	void *list = counters->list;
	const bool ok =
		counters_grow_array(&list, &counters->capacity, count, sizeof *counters->list);
	counters->list = list;
	return ok;
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
