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
	uint64_t sizes[CACHE_KINDS], negative = 0;
	for (int kind = 0; kind < CACHE_KINDS; kind++)
		sizes[kind] = UINT64_C(1) << lines->shifts[kind];
	for (size_t i = 0; i < refs->count; i++) {
		const uint64_t line = sizes[refs->kinds[i]], size = refs->sizes[i];
		/* Differences, whose highest bit is set if a reference is longer. */
		negative |= line - (refs->addresses[i] & (line - 1)) - size;
		negative |= ACCESS_BYTES_MAX - size;
	}
	return negative >> 63;
}

static unsigned
shift_of(const struct line_refs *lines, uint8_t kind)
{
	return kind < CACHE_KINDS
		       ? lines->shifts[kind]
		       : lines->shifts[kind == CACHE_CODE ? CACHE_FETCH : CACHE_READ];
}

static enum mem_refs_step
step_of(uint8_t kind)
{
	return kind < CACHE_KINDS     ? REFS_DEMAND
	       : kind == REF_ALLOCATE ? REFS_ALLOCATE
				      : REFS_OPERATIONS;
}

/* Returns the bytes of a reference, or of all blocks of a stream. */
static uint32_t
bytes_of(const struct line_refs *lines, size_t i)
{
	const uint32_t size = lines->refs->sizes[i];
	if (lines->refs->kinds[i] != REF_STREAM)
		return size < ACCESS_BYTES_MAX || !lines->split ? size : ACCESS_BYTES_MAX;
	const struct mem_stream stream = mem_refs_stream(size);
	return stream.size * stream.count;
}

/* Appends the next part of a reference; size: its bytes, which may be 0. */
static void
append_part(struct line_refs *lines, size_t i, uint32_t size)
{
	const struct mem_refs *refs = lines->refs;
	struct mem_refs *step = &lines->step;
	const uint64_t line = UINT64_C(1) << shift_of(lines, refs->kinds[i]);
	const bool is_stream = refs->kinds[i] == REF_STREAM;
	uint64_t address = refs->addresses[i] + lines->done;
	uint32_t left = size - lines->done;
	if (is_stream) {
		const struct mem_stream stream = mem_refs_stream(refs->sizes[i]);
		const uint32_t block = lines->done / stream.size;
		address = refs->addresses[i] + block * (uint64_t)(int64_t)stream.stride +
			  lines->done % stream.size;
		left = stream.size - lines->done % stream.size;
	}
	const uint64_t rest = line - (address & (line - 1));
	const uint32_t bytes =
		left < rest || !(lines->split || is_stream) ? left : (uint32_t)rest;
	step->addresses[step->count] = address;
	step->pcs[step->count] = refs->pcs[i];
	step->sizes[step->count] = bytes;
	step->kinds[step->count] = is_stream			    ? CACHE_PREFETCH
				   : refs->kinds[i] == REF_ALLOCATE ? CACHE_WRITE
								    : refs->kinds[i];
	step->rows[step->count++] = refs->rows[i];
	lines->done += bytes;
}

/* Appends the parts of a reference until the step is full; returns whether it is complete. */
static bool
split_ref(struct line_refs *lines, size_t i)
{
	const uint32_t size = bytes_of(lines, i);
	do {
		if (lines->step.count == MEM_REFS_MAX)
			return false;
		append_part(lines, i, size);
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
	if (!lines->next && !lines->done && !refs->has_operations &&
		(!lines->split || !has_crossing(lines, refs))) {
		lines->next = refs->count;
		return refs;
	}
	lines->step.count = 0;
	lines->step.step = step_of(refs->kinds[lines->next]);
	while (lines->next < refs->count &&
		step_of(refs->kinds[lines->next]) == lines->step.step &&
		split_ref(lines, lines->next))
		lines->next++;
	return &lines->step;
}
