/* SPDX-License-Identifier: MIT */
/* Compares pairs of steps of the same instruction, and finds records that moved. */
#include "correlate/diff/diff.h"

/* Returns the i-th pending pair, oldest first. */
static struct pending *
pending_at(const struct poly_diff *diff, struct diff_stream *stream, size_t i)
{
	return &stream->pending[(stream->first + i) % (diff->reach + 1)];
}

static struct difference
difference_of(
	struct diff_stream *stream, const struct pending *pair, enum poly_diff_cause cause)
{
	return (struct difference){.cause = cause,
		.stream = stream,
		.steps = {pair->steps[0], pair->steps[1]},
		.pair = pair->pair,
		.effects = {-1, -1}};
}

static void
report_fields(struct poly_diff *diff, struct diff_stream *stream, const struct pending *pair)
{
	if (pair->opcode) {
		struct difference difference = difference_of(stream, pair, POLY_DIFF_OPCODE);
		diff_report(diff, &difference);
	}
	for (unsigned i = 0; i < diff->rules.field_count; i++) {
		if (!(pair->fields >> i & 1))
			continue;
		const bool branch = diff->rules.fields[i] == POLY_COLUMN_branch;
		struct difference difference = difference_of(
			stream, pair, branch ? POLY_DIFF_BRANCH : POLY_DIFF_FIELD);
		difference.field = i;
		diff_report(diff, &difference);
	}
}

/* Reports the differing records of one side of a pair. */
static void
report_effects(struct poly_diff *diff, struct diff_stream *stream, const struct pending *pair,
	unsigned side)
{
	const struct step *step = stream_step(stream, side, pair->steps[side]);
	for (uint32_t i = 0; i < step->effect_count; i++) {
		const struct effect *effect = &step->effects[i];
		struct difference difference = difference_of(stream, pair, POLY_DIFF_REORDERED);
		difference.effects[side] = i;
		if (effect->fate == FATE_MOVED) {
			difference.other_step = effect->mate_step;
		} else if (effect->fate == FATE_CHANGED && side == 0) {
			difference.cause = (enum poly_diff_cause)effect->cause;
			difference.effects[1] = effect->mate;
		} else if (effect->fate == FATE_OPEN) {
			difference.cause =
				side ? POLY_DIFF_EXTRA_RECORD : POLY_DIFF_MISSING_RECORD;
		} else {
			continue;
		}
		diff_report(diff, &difference);
	}
}

/* Reports the oldest pending pair. */
static void
resolve_first(struct poly_diff *diff, struct diff_stream *stream)
{
	const struct pending pair = *pending_at(diff, stream, 0);
	stream->first = (stream->first + 1) % (diff->reach + 1);
	stream->count--;
	report_fields(diff, stream, &pair);
	report_effects(diff, stream, &pair, 0);
	report_effects(diff, stream, &pair, 1);
}

void
compare_resolve_pending(struct poly_diff *diff, struct diff_stream *stream)
{
	while (stream->count)
		resolve_first(diff, stream);
}

/* Searches the pending steps of the other trace for an open record of this step. */
static bool
find_elsewhere(
	struct poly_diff *diff, struct diff_stream *stream, unsigned side, uint32_t number)
{
	struct step *step = stream_step(stream, side, stream->at[side]);
	struct effect *effect = &step->effects[number];
	for (size_t w = 0; w < stream->count; w++) {
		const struct pending *pair = pending_at(diff, stream, w);
		struct step *peer = stream_step(stream, !side, pair->steps[!side]);
		const struct step *const steps[2] = {side ? peer : step, side ? step : peer};
		for (uint32_t i = 0; i < peer->effect_count; i++) {
			struct effect *mate = &peer->effects[i];
			if (mate->fate != FATE_OPEN ||
				!match_effects_same(&diff->rules, steps, side ? mate : effect,
					side ? effect : mate))
				continue;
			bool near = stream->at[0] - pair->steps[0] < diff->rules.window;
			effect->fate = FATE_SAME;
			effect->mate = number; /* not reordered within its own step */
			mate->fate = near ? FATE_SAME : FATE_MOVED;
			mate->mate = number;
			mate->mate_step = stream->at[side];
			return true;
		}
	}
	return false;
}

/* Searches the pending pairs for the open records of this pair. Returns the number found. */
static size_t
find_moved(struct poly_diff *diff, struct diff_stream *stream)
{
	size_t moved = 0;
	for (unsigned side = 0; side < 2; side++) {
		struct step *step = stream_step(stream, side, stream->at[side]);
		for (uint32_t i = 0; i < step->effect_count; i++) {
			if (step->effects[i].fate == FATE_OPEN)
				moved += find_elsewhere(diff, stream, side, i);
		}
	}
	return moved;
}

/* True if equal records are in another order; marks the first of them. */
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
compare_pair(struct poly_diff *diff, struct diff_stream *stream)
{
	struct step *a = stream_step(stream, 0, stream->at[0]),
		    *b = stream_step(stream, 1, stream->at[1]);
	struct pending pair = {.steps = {stream->at[0], stream->at[1]}, .pair = stream->pairs};
	size_t changed;
	a->partner = stream->at[1];
	b->partner = stream->at[0];
	pair.opcode = POLY_HAS(diff->rules.compared, opcode) && match_opcodes_differ(a, b);
	pair.fields = match_fields(&diff->rules, a, b);
	size_t open = match_steps(&diff->rules, &stream->state, a, b, &changed);
	if (open == SIZE_MAX) {
		diff_stop(diff, POLY_ERR_MEMORY);
		return;
	}
	if (open && stream->count)
		open -= find_moved(diff, stream);
	bool reordered = diff->rules.ordered && is_reordered(a, b, stream->at[1]);
	a->differs = b->differs = open || changed || reordered || pair.opcode || pair.fields;
	if (a->differs) {
		*pending_at(diff, stream, stream->count) = pair;
		stream->count++;
	}
	stream->pairs += !a->is_partial;
	diff->counts.pairs += a->is_counted;
	stream->at[0]++;
	stream->at[1]++;
	while (stream->count &&
		stream->at[0] - pending_at(diff, stream, 0)->steps[0] >= diff->reach)
		resolve_first(diff, stream);
}
