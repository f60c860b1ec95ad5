/* SPDX-License-Identifier: MIT */
/* Growing arrays. */
#include "analysis/counters.h"

#include "base/mem.h"

#include <string.h>

bool
counters_grow_array(void **list, uint32_t *capacity, size_t wanted, size_t size)
{
	if (wanted <= *capacity)
		return true;
	size_t most = *capacity < 32 ? 64 : 2 * (size_t)*capacity;
	if (most < wanted)
		most = wanted;
	if (most > UINT32_MAX)
		return false;
	char *grown = mem_resize(*list, most, size);
	if (!grown)
		return false;
	memset(grown + *capacity * size, 0, (most - *capacity) * size);
	*list = grown;
	*capacity = (uint32_t)most;
	return true;
}

bool
counters_reserve(struct counters *counts, size_t wanted)
{
	void *list = counts->list;
	const bool ok =
		counters_grow_array(&list, &counts->capacity, wanted, sizeof *counts->list);
	counts->list = list;
	return ok;
}

bool
counters_merge(struct counters *into, const struct counters *from, const uint32_t *numbers)
{
	for (size_t i = 0; i < from->capacity; i++) {
		if (!from->list[i])
			continue;
		const uint32_t to = i ? numbers[i - 1] + 1 : 0;
		if (!counters_reserve(into, (size_t)to + 1))
			return false;
		into->list[to] += from->list[i];
	}
	return true;
}

void
counters_fini(struct counters *counts)
{
	mem_free(counts->list);
	*counts = (struct counters){0};
}
