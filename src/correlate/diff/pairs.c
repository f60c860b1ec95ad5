/* SPDX-License-Identifier: MIT */
/* Pairs of steps of the same instruction: what differs, and records that moved. */
#include "correlate/diff/diff.h"

/* The i-th pair that waits, oldest first. */
static struct waiting *
waiting_at(const struct poly_diff *diff, struct lane *lane, size_t i)
{
	return &lane->waiting[(lane->first + i) % (diff->reach + 1)];
}

static struct found
found_at(struct lane *lane, const struct waiting *pair, enum poly_diff_cause cause)
{
	return (struct found){.cause = cause,
		.lane = lane,
		.steps = {pair->steps[0], pair->steps[1]},
		.pair = pair->pair,
		.effects = {-1, -1}};
}

static void
tell_fields(struct poly_diff *diff, struct lane *lane, const struct waiting *pair)
{
	if (pair->opcode) {
		struct found found = found_at(lane, pair, POLY_DIFF_OPCODE);
		diff_tell(diff, &found);
	}
	for (unsigned i = 0; i < diff->rules.field_count; i++) {
		if (!(pair->fields >> i & 1))
			continue;
		const enum poly_column column = diff->rules.fields[i];
		const bool branch = column == POLY_COLUMN_branch;
		struct found found =
			found_at(lane, pair, branch ? POLY_DIFF_BRANCH : POLY_DIFF_FIELD);
		found.field = i;
		if (column != POLY_COLUMN_payload || !state_tell(diff, &found))
			diff_tell(diff, &found);
	}
}

/* Tells what became of the records of one side of a pair. */
static void
tell_effects(
	struct poly_diff *diff, struct lane *lane, const struct waiting *pair, unsigned side)
{
	const struct step *step = lane_step(lane, side, pair->steps[side]);
	for (uint32_t i = 0; i < step->effect_count; i++) {
		const struct effect *effect = &step->effects[i];
		struct found found = found_at(lane, pair, POLY_DIFF_REORDERED);
		found.effects[side] = i;
		if (effect->fate == FATE_MOVED) {
			found.other_step = effect->mate_step;
		} else if (effect->fate == FATE_CHANGED && side == 0) {
			found.cause = (enum poly_diff_cause)effect->cause;
			found.effects[1] = effect->mate;
		} else if (effect->fate == FATE_OPEN) {
			found.cause = side ? POLY_DIFF_EXTRA_RECORD : POLY_DIFF_MISSING_RECORD;
		} else {
			continue;
		}
		diff_tell(diff, &found);
	}
}

/* Tells of the pair that waits longest. */
static void
settle_first(struct poly_diff *diff, struct lane *lane)
{
	const struct waiting pair = *waiting_at(diff, lane, 0);
	lane->first = (lane->first + 1) % (diff->reach + 1);
	lane->count--;
	tell_fields(diff, lane, &pair);
	tell_effects(diff, lane, &pair, 0);
	tell_effects(diff, lane, &pair, 1);
}

void
pairs_settle(struct poly_diff *diff, struct lane *lane)
{
	while (lane->count)
		settle_first(diff, lane);
}

/* Looks for an open record of this step among those that wait in the other trace. */
static bool
find_elsewhere(struct poly_diff *diff, struct lane *lane, unsigned side, uint32_t number)
{
	struct step *step = lane_step(lane, side, lane->at[side]);
	struct effect *effect = &step->effects[number];
	for (size_t w = 0; w < lane->count; w++) {
		const struct waiting *pair = waiting_at(diff, lane, w);
		struct step *other = lane_step(lane, !side, pair->steps[!side]);
		const struct step *const steps[2] = {side ? other : step, side ? step : other};
		for (uint32_t i = 0; i < other->effect_count; i++) {
			struct effect *mate = &other->effects[i];
			if (mate->fate != FATE_OPEN ||
				!match_effects_same(&diff->rules, steps, side ? mate : effect,
					side ? effect : mate))
				continue;
			bool near = lane->at[0] - pair->steps[0] < diff->rules.window;
			effect->fate = FATE_SAME;
			effect->mate = number; /* in its own step nothing is before it */
			mate->fate = near ? FATE_SAME : FATE_MOVED;
			mate->mate = number;
			mate->mate_step = lane->at[side];
			return true;
		}
	}
	return false;
}

/* Looks for the open records of this pair in those before it. Returns how many were found. */
static size_t
find_moved(struct poly_diff *diff, struct lane *lane)
{
	size_t moved = 0;
	for (unsigned side = 0; side < 2; side++) {
		struct step *step = lane_step(lane, side, lane->at[side]);
		for (uint32_t i = 0; i < step->effect_count; i++) {
			if (step->effects[i].fate == FATE_OPEN)
				moved += find_elsewhere(diff, lane, side, i);
		}
	}
	return moved;
}

/* True where the same records stand in another order, which the first one then tells. */
static bool
is_reordered(struct step *a, struct step *b, uint64_t b_number)
{
	if (a->effect_count != b->effect_count)
		return false;
	for (uint32_t i = 0; i < a->effect_count; i++) {
		struct effect *effect = &a->effects[i];
		if (effect->fate == FATE_SAME && effect->mate != i) {
			effect->fate = FATE_MOVED;
			effect->mate_step = b_number;
			return true;
		}
	}
	return false;
}

void
pairs_compare(struct poly_diff *diff, struct lane *lane)
{
	struct step *a = lane_step(lane, 0, lane->at[0]), *b = lane_step(lane, 1, lane->at[1]);
	struct waiting pair = {.steps = {lane->at[0], lane->at[1]}, .pair = lane->pairs};
	size_t changed;
	a->partner = lane->at[1];
	b->partner = lane->at[0];
	pair.opcode = diff->rules.compared & POLY_HAS(opcode) && match_opcodes_differ(a, b);
	pair.fields = match_fields(&diff->rules, a, b);
	size_t open = match_steps(&diff->rules, &lane->state, a, b, &changed);
	if (open == SIZE_MAX) {
		diff_stop(diff, POLY_ERR_MEMORY);
		return;
	}
	if (open && lane->count)
		open -= find_moved(diff, lane);
	bool reordered = diff->rules.ordered && is_reordered(a, b, lane->at[1]);
	a->differs = b->differs = open || changed || reordered || pair.opcode || pair.fields;
	if (a->differs) {
		*waiting_at(diff, lane, lane->count) = pair;
		lane->count++;
	}
	lane->pairs += !a->part;
	diff->counts.pairs += !a->part;
	lane->at[0]++;
	lane->at[1]++;
	while (lane->count && lane->at[0] - waiting_at(diff, lane, 0)->steps[0] >= diff->reach)
		settle_first(diff, lane);
}
