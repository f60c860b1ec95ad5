/* SPDX-License-Identifier: MIT */
/* Splits references at the ends of lines. */
#include "analysis/sim/line_refs.h"

const char *const line_refs_choices[] = {"split", "first", NULL};

void
line_refs_set(struct line_refs *lines, unsigned shift, bool split)
{
	for (int kind = 0; kind < CACHE_KINDS; kind++)
		lines->shifts[kind] = shift;
	lines->split = split;
}

void
line_refs_begin(struct line_refs *lines, const struct mem_refs *refs)
{
	lines->refs = refs;
	lines->next = 0;
	lines->done = 0;
}

/* Returns whether a reference crosses the end of its line, or is truncated. */
static bool
has_crossing(const struct line_refs *lines, const struct mem_refs *refs)
{
	const uint64_t masks[CACHE_KINDS] = {(UINT64_C(1) << lines->shifts[CACHE_READ]) - 1,
		(UINT64_C(1) << lines->shifts[CACHE_WRITE]) - 1,
		(UINT64_C(1) << lines->shifts[CACHE_FETCH]) - 1};
	bool crossing = false;
	for (size_t i = 0; i < refs->count; i++) {
		const uint64_t mask = masks[refs->kinds[i]];
		crossing |= (refs->addresses[i] & mask) + refs->sizes[i] > mask + 1;
		crossing |= refs->sizes[i] > LINE_REFS_BYTES_MAX;
	}
	return crossing;
}

/* Appends the parts of a reference until the step is full; returns whether it is complete. */
static bool
split_ref(struct line_refs *lines, size_t i)
{
	const struct mem_refs *refs = lines->refs;
	struct mem_refs *step = &lines->step;
	const uint64_t line = UINT64_C(1) << lines->shifts[refs->kinds[i]];
	const uint32_t size =
		refs->sizes[i] < LINE_REFS_BYTES_MAX ? refs->sizes[i] : LINE_REFS_BYTES_MAX;
	do {
		if (step->count == MEM_REFS_MAX)
			return false;
		const uint64_t address = refs->addresses[i] + lines->done;
		const uint64_t rest = line - (address & (line - 1));
		const uint32_t left = size - lines->done;
		const uint32_t bytes = left < rest ? left : (uint32_t)rest;
		step->addresses[step->count] = address;
		step->pcs[step->count] = refs->pcs[i];
		step->sizes[step->count] = bytes;
		step->kinds[step->count] = refs->kinds[i];
		step->rows[step->count++] = refs->rows[i];
		lines->done += bytes;
	} while (lines->done < size);
	lines->done = 0;
	return true;
}

const struct mem_refs *
line_refs_next(struct line_refs *lines)
{
	const struct mem_refs *refs = lines->refs;
	if (lines->next == refs->count)
		return NULL;
	if (!lines->next && !lines->done && (!lines->split || !has_crossing(lines, refs))) {
		lines->next = refs->count;
		return refs;
	}
	lines->step.count = 0;
	while (lines->next < refs->count && split_ref(lines, lines->next))
		lines->next++;
	return &lines->step;
}
