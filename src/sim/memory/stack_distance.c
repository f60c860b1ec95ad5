/* SPDX-License-Identifier: MIT */
/* Stack distances by a bitmap of last uses over time (sim/memory/time_bitmap.h). */
#include "sim/memory/stack_distance.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sim/memory/time_bitmap.h"

#include <stdbool.h>
#include <string.h>

#define FIRST_ROOM (UINT32_C(1) << RANGE_SHIFT)

/* Returns zeroed memory aligned to 64 bytes; the pointer to free goes to *memory. */
static void *
aligned(size_t size, void **memory)
{
	char *bytes = *memory = mem_new(size + 64, 1);
	return bytes ? bytes + (64 - (uintptr_t)bytes % 64) % 64 : NULL;
}

static void
give_back(struct stack_distance *s)
{
	mem_free(s->memory[0]);
	mem_free(s->memory[1]);
	mem_free(s->spans);
	mem_free(s->ranges);
	mem_free(s->lines);
}

/* Allocates room moments, with all bits clear. */
static bool
take_room(struct stack_distance *s, uint32_t room)
{
	s->room = room;
	s->now = 0;
	s->bits = aligned(room / 8, &s->memory[0]);
	s->blocks = aligned((room >> BLOCK_SHIFT) * sizeof *s->blocks, &s->memory[1]);
	s->spans = mem_new(room >> SPAN_SHIFT, sizeof *s->spans);
	s->ranges = mem_new(room >> RANGE_SHIFT, sizeof *s->ranges);
	s->lines = mem_new(room, sizeof *s->lines);
	if (s->bits && s->blocks && s->spans && s->ranges && s->lines)
		return true;
	give_back(s);
	return false;
}

/* Removes the moments without a bit; enlarges the bitmap if more than a third have one. */
static bool
make_room(struct stack_distance *s)
{
	const struct stack_distance old = *s;
	if (!take_room(s, s->live > s->room / 3 ? 2 * s->room : s->room)) {
		*s = old;
		return false;
	}
	for (size_t word = 0; word < old.room / 64; word++)
		for (uint64_t bits = old.bits[word]; bits; bits &= bits - 1)
			time_bitmap_set(s, s->now++,
				old.lines[word * 64 + (size_t)__builtin_ctzll(bits)]);
	struct stack_distance gone = old;
	give_back(&gone);
	return true;
}

/* Enlarges the last uses and the distances to lines lines. */
static bool
know_lines(struct stack_distance *s, uint32_t lines)
{
	if (lines <= s->known)
		return true;
	uint32_t room[3] = {s->known, s->known, s->known};
	if (!VEC_RESERVE(s->last, room[0], lines) ||
		!VEC_RESERVE_ZEROED(s->counts, room[1], lines) ||
		!VEC_RESERVE_ZEROED(s->other_counts, room[2], lines))
		return false;
	memset(s->last + s->known, 0xff, (room[0] - s->known) * sizeof *s->last);
	s->known = room[0];
	return true;
}

enum poly_status
stack_distance_new(struct stack_distance **distance, struct poly_error *error)
{
	struct stack_distance *s = mem_new(1, sizeof *s);
	*distance = NULL;
	if (!s)
		return err_memory(error);
	s->run = time_bitmap_has_x86() ? time_bitmap_run_x86 : time_bitmap_run;
	if (!take_room(s, FIRST_ROOM)) {
		mem_free(s);
		return err_memory(error);
	}
	*distance = s;
	return POLY_OK;
}

void
stack_distance_free(struct stack_distance *s)
{
	if (!s)
		return;
	give_back(s);
	mem_free(s->last);
	mem_free(s->counts);
	mem_free(s->other_counts);
	mem_free(s);
}

enum poly_status
stack_distance_run(struct stack_distance *s, const uint32_t *ids, size_t count, uint32_t lines,
	struct poly_error *error)
{
	if (!know_lines(s, lines))
		return err_memory(error);
	if (!count)
		return POLY_OK; /* ids may be NULL */
	for (size_t done = 0;;) {
		done += s->run(s, ids + done, count - done);
		if (done == count)
			return POLY_OK;
		if (!make_room(s))
			return err_memory(error);
	}
}

/* Returns n / 2^shift, rounded up. */
static size_t
shift_up(size_t n, unsigned shift)
{
	return (n + ((size_t)1 << shift) - 1) >> shift;
}

/* Orders the lines used last, which are those of a part, by their last use in it. */
static void
order_last(struct stack_distance *s, const struct stack_distance *part, const uint32_t *ids)
{
	uint32_t moment = s->now - part->live;
	for (size_t word = 0; word < shift_up(part->now, 6); word++) {
		for (uint64_t bits = part->bits[word]; bits; bits &= bits - 1) {
			const size_t was = word * 64 + (size_t)__builtin_ctzll(bits);
			const uint32_t line = ids[part->lines[was]];
			s->lines[moment] = line;
			s->last[line] = moment++;
		}
	}
}

enum poly_status
stack_distance_append(struct stack_distance *s, const struct stack_distance *part,
	const uint32_t *ids, uint32_t lines, struct poly_error *error)
{
	/* After the first accesses, the lines of the part have the last moments, without gaps.
	 */
	const enum poly_status status = stack_distance_run(s, ids, part->live, lines, error);
	if (status != POLY_OK)
		return status;
	for (uint32_t distance = 0; distance < part->live; distance++)
		s->counts[distance] += part->counts[distance];
	order_last(s, part, ids);
	return POLY_OK;
}

void
stack_distance_clear(struct stack_distance *s)
{
	memset(s->bits, 0, shift_up(s->now, 6) * sizeof *s->bits);
	memset(s->blocks, 0, shift_up(s->now, BLOCK_SHIFT) * sizeof *s->blocks);
	memset(s->spans, 0, shift_up(s->now, SPAN_SHIFT) * sizeof *s->spans);
	memset(s->ranges, 0, shift_up(s->now, RANGE_SHIFT) * sizeof *s->ranges);
	if (s->live) {
		memset(s->last, 0xff, s->live * sizeof *s->last);
		memset(s->counts, 0, s->live * sizeof *s->counts);
	}
	s->first = 0;
	s->now = s->live = 0;
}

const uint64_t *
stack_distance_counts(const struct stack_distance *s, size_t *count)
{
	*count = s->live;
	return s->idle ? s->other_counts : s->counts;
}

uint64_t
stack_distance_first(const struct stack_distance *s)
{
	return s->idle ? s->other_first : s->first;
}

uint64_t
stack_distance_misses(const struct stack_distance *s, uint64_t lines)
{
	size_t count;
	const uint64_t *counts = stack_distance_counts(s, &count);
	uint64_t misses = stack_distance_first(s);
	for (uint64_t distance = lines; distance < count; distance++)
		misses += counts[distance];
	return misses;
}

void
stack_distance_counting(struct stack_distance *s, bool counting)
{
	if (s->idle != counting)
		return;
	uint64_t *counts = s->counts;
	const uint64_t first = s->first;
	s->counts = s->other_counts;
	s->first = s->other_first;
	s->other_counts = counts;
	s->other_first = first;
	s->idle = !counting;
}

/* Returns the number of bits set after a moment. */
static size_t
above(const struct stack_distance *s, uint32_t moment)
{
	const size_t word = moment / 64, block = moment >> BLOCK_SHIFT;
	const size_t span = moment >> SPAN_SHIFT, range = moment >> RANGE_SHIFT;
	const size_t last_range = (s->now - 1) >> RANGE_SHIFT;
	size_t n = (size_t)__builtin_popcountll(s->bits[word] >> moment % 64) - 1;
	for (size_t i = word + 1; i < (block + 1) << (BLOCK_SHIFT - 6); i++)
		n += (size_t)__builtin_popcountll(s->bits[i]);
	for (size_t i = block + 1; i < (span + 1) << (SPAN_SHIFT - BLOCK_SHIFT); i++)
		n += s->blocks[i];
	for (size_t i = span + 1; i < (range + 1) << (RANGE_SHIFT - SPAN_SHIFT); i++)
		n += s->spans[i];
	for (size_t i = range + 1; i <= last_range; i++)
		n += s->ranges[i];
	return n;
}

size_t
time_bitmap_run(struct stack_distance *s, const uint32_t *ids, size_t count)
{
	TIME_BITMAP_LOOP(above);
}
