/* SPDX-License-Identifier: MIT */
/* Realigns sequences by a map of runs of keys. */
#include "correlate/diff/align.h"

#include "base/map.h"

/* Returns a hash of the run of keys at a position. */
static uint64_t
run_number(const uint64_t *keys)
{
	uint64_t number = 0;
	for (size_t i = 0; i < ALIGN_CONFIRM; i++)
		number = (number ^ keys[i]) * 0x9e3779b97f4a7c15u + (number >> 31);
	return number;
}

/* True if the sides match at positions p and q. */
static bool
agree(const struct align_side sides[2], size_t p, size_t q)
{
	const struct align_side *a = &sides[0], *b = &sides[1];
	if (p >= a->count || q >= b->count)
		return false;
	size_t run = ALIGN_CONFIRM;
	if (run > a->count - p && a->ended)
		run = a->count - p;
	if (run > b->count - q && b->ended)
		run = b->count - q;
	if (run > a->count - p || run > b->count - q)
		return false;
	for (size_t i = 0; i < run; i++) {
		if (a->keys[p + i] != b->keys[q + i])
			return false;
	}
	return true;
}

/* Replaces best by p and q if they skip fewer keys. */
static void
keep_better(struct alignment *best, size_t p, size_t q)
{
	size_t sum = best->skipped[0] + best->skipped[1];
	if (p + q < sum || (p + q == sum && p < best->skipped[0]))
		*best = (struct alignment){{p, q}};
}

/* Tries positions near the end, with less than a complete run left. */
static void
try_ends(const struct align_side sides[2], size_t limit, unsigned side, struct alignment *best)
{
	const struct align_side *side_data = &sides[side], *peer = &sides[!side];
	if (!side_data->ended)
		return;
	size_t first =
		side_data->count < ALIGN_CONFIRM ? 0 : side_data->count - ALIGN_CONFIRM + 1;
	for (size_t p = first; p < side_data->count && p <= limit; p++) {
		for (size_t q = 0; q < peer->count && q <= limit; q++) {
			const size_t at[2] = {side ? q : p, side ? p : q};
			if (agree(sides, at[0], at[1]))
				keep_better(best, at[0], at[1]);
		}
	}
}

/* Maps each complete run of the first side to its first position; false: out of memory. */
static bool
map_runs(const struct align_side *side, size_t limit, struct map *runs)
{
	for (size_t p = 0; p + ALIGN_CONFIRM <= side->count && p <= limit; p++) {
		bool added;
		if (!map_get(runs, run_number(side->keys + p), p, &added))
			return false;
	}
	return true;
}

int
align_find(const struct align_side sides[2], size_t limit, struct alignment *alignment)
{
	const struct alignment none = {{limit + 1, limit + 1}};
	struct map runs = {0};
	struct alignment best = none;
	if (!map_runs(&sides[0], limit, &runs)) {
		map_free(&runs);
		return -1;
	}
	for (size_t q = 0; q + ALIGN_CONFIRM <= sides[1].count && q <= limit; q++) {
		const uint64_t *p = map_find(&runs, run_number(sides[1].keys + q));
		if (p && agree(sides, (size_t)*p, q))
			keep_better(&best, (size_t)*p, q);
	}
	map_free(&runs);
	try_ends(sides, limit, 0, &best);
	try_ends(sides, limit, 1, &best);
	*alignment = best;
	return best.skipped[0] <= limit;
}
