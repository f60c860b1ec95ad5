/* SPDX-License-Identifier: MIT */
#include "format/ptz/names.h"

#include "base/mem.h"

#include <string.h>

/* Returns the block of a number, and the index in it. */
static unsigned
find_block(uint32_t number, size_t *index)
{
	const unsigned block = 31 - (unsigned)__builtin_clz(number + 1);
	*index = number + 1 - ((uint32_t)1 << block);
	return block;
}

bool
ptz_names_extend(struct ptz_names *names, const struct poly_trace_info *info)
{
	const char *name;
	while ((name = poly_trace_name(info, names->count)) != NULL) {
		size_t index;
		const unsigned block = find_block(names->count, &index);
		const char ***room = &names->blocks[block];
		if (!*room)
			*room = mem_new((size_t)1 << block, sizeof **room);
		if (!*room)
			return false;
		(*room)[index] = name;
		names->count++;
	}
	return true;
}

const char *
ptz_name(const struct ptz_names *names, uint32_t number)
{
	size_t index;
	if (number >= names->count)
		return NULL;
	const unsigned block = find_block(number, &index);
	return names->blocks[block][index];
}

void
ptz_names_free(struct ptz_names *names)
{
	for (unsigned i = 0; i < 32; i++)
		mem_free(names->blocks[i]);
	memset(names, 0, sizeof *names);
}
