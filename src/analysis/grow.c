/* SPDX-License-Identifier: MIT */
/* Growing arrays. */
#include "analysis/grow.h"

#include "base/mem.h"

#include <string.h>

bool
grow_array(void **list, uint32_t *capacity, size_t wanted, size_t size)
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
counts_reach(struct counts *counts, size_t wanted)
{
	void *list = counts->list;
	const bool ok = grow_array(&list, &counts->capacity, wanted, sizeof *counts->list);
	counts->list = list;
	return ok;
}

void
counts_fini(struct counts *counts)
{
	mem_free(counts->list);
	*counts = (struct counts){0};
}
