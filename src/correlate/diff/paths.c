/* SPDX-License-Identifier: MIT */
/* Where traces execute different instructions. */
#include "correlate/diff/align.h"
#include "correlate/diff/diff.h"

#include "base/mem.h"

/* How far is looked ahead, and at what. */
struct view {
	size_t most;  /* steps that may be left out */
	bool opcodes; /* not at places alone */
};

/* Steps that are looked ahead at first: most handlers and other ways are short. */
#define NEAR 64

/* The keys of the steps that are looked ahead at. */
static bool
list_keys(struct poly_diff *diff, struct lane *lane, unsigned side, const struct view *view,
	struct align_side *keys)
{
	const struct ring *ring = lane_ring(lane, side);
	const size_t most = view->most + ALIGN_CONFIRM;
	size_t count = (size_t)(ring->head - lane->at[side]);
	keys->ended = diff->streams[side].ended && count <= most;
	keys->count = count < most ? count : most;
	uint64_t *list = mem_new(keys->count ? keys->count : 1, sizeof *list);
	keys->keys = list;
	if (!list)
		return false;
	for (size_t i = 0; i < keys->count; i++) {
		const struct step *step = ring_at(ring, lane->at[side] + i);
		list[i] = view->opcodes ? step->key : step->place;
	}
	return true;
}

/* As align_find for the next steps of a lane. */
static int
look_at(struct poly_diff *diff, struct lane *lane, const struct view *view,
	struct align_found *found)
{
	struct align_side sides[2] = {{.keys = NULL}, {.keys = NULL}};
	int result = -1;
	if (list_keys(diff, lane, 0, view, &sides[0]) &&
		list_keys(diff, lane, 1, view, &sides[1]))
		result = align_find(sides, view->most, found);
	for (unsigned side = 0; side < 2; side++) {
		/* They are this function's own. */
		uintptr_t keys = (uintptr_t)sides[side].keys;
		mem_free((void *)keys);
	}
	return result;
}

/*
 * As align_find, by pc and opcode or else by pc alone, at a few steps and then at more. What is
 * left out of few is no more than what would be left out of all.
 */
static int
look_ahead(struct poly_diff *diff, struct lane *lane, struct align_found *found)
{
	const size_t all = diff->rules.resync;
	struct view view = {NEAR < all ? NEAR : all, true};
	while (all) {
		for (unsigned side = 0; side < 2; side++)
			diff_fill(diff, lane, side,
				lane->at[side] + view.most + ALIGN_CONFIRM + 1);
		int result = look_at(diff, lane, &view, found);
		if (result < 0 ||
			(result > 0 && (found->left_out[0] + found->left_out[1] <= view.most ||
					       view.most == all)))
			return result;
		if (view.opcodes) {
			view.opcodes = false;
		} else if (view.most == all) {
			return 0;
		} else {
			view.opcodes = true;
			view.most = all / 8 > view.most ? 8 * view.most : all;
		}
	}
	return 0;
}

/* True where the step is the one in memory behind the one that was compared before it. */
static bool
falls_through(struct lane *lane, unsigned side, uint8_t size)
{
	uint64_t number = lane->at[side];
	const struct step *before = lane_step(lane, side, number - 1);
	return lane_step(lane, side, number)->pc == before->pc + size;
}

/* Bytes of the last instruction that both executed; 0: not known. */
static uint8_t
last_size(struct lane *lane)
{
	if (!lane_has(lane, 0, lane->at[0] - 1) || !lane_has(lane, 1, lane->at[1] - 1))
		return 0;
	const struct step *a = lane_step(lane, 0, lane->at[0] - 1);
	const struct step *b = lane_step(lane, 1, lane->at[1] - 1);
	if (a->partner != lane->at[1] - 1 || !a->has_pc)
		return 0;
	return a->opcode_size ? a->opcode_size : b->opcode_size;
}

/* True where just one of both traces went on with the next instruction in memory. */
static bool
branches_apart(struct lane *lane)
{
	uint8_t size = last_size(lane);
	return size && falls_through(lane, 0, size) != falls_through(lane, 1, size);
}

/* True where a run ends with the instruction before it: a loop went round once more. */
static bool
is_another_round(struct lane *lane, const uint64_t run[2])
{
	unsigned side = run[0] ? 0 : 1;
	uint64_t number = lane->at[side];
	if (run[!side] || run[side] < 2 || !lane_has(lane, side, number - 1))
		return false;
	const struct step *before = lane_step(lane, side, number - 1);
	return before->partner != STEP_NONE &&
	       lane_step(lane, side, number + run[side] - 1)->place == before->place;
}

static enum poly_diff_cause
cause_of(struct lane *lane, const uint64_t run[2], bool ends)
{
	if (ends)
		return branches_apart(lane) ? POLY_DIFF_BRANCH : POLY_DIFF_PATH;
	if (run[0] == 1 && run[1] == 1)
		return POLY_DIFF_PC;
	if (run[0] && run[1])
		return branches_apart(lane) ? POLY_DIFF_BRANCH : POLY_DIFF_PATH;
	if (is_another_round(lane, run))
		return POLY_DIFF_BRANCH;
	if (run[0] == 1)
		return POLY_DIFF_MISSING_INSTRUCTION;
	return run[1] == 1 ? POLY_DIFF_EXTRA_INSTRUCTION : POLY_DIFF_INSERTED;
}

/* Leaves the steps of a run out, which may have written registers. */
static void
leave_out(struct poly_diff *diff, struct lane *lane, unsigned side, uint64_t run)
{
	const bool remembers = diff->rules.tolerate & TOLERATE_REDUNDANT;
	for (uint64_t i = 0; remembers && i < run; i++) {
		if (!match_remember(
			    &lane->state, side, lane_step(lane, side, lane->at[side] + i)))
			diff_stop(diff, POLY_ERR_MEMORY);
	}
	lane->at[side] += run;
}

void
paths_part(struct poly_diff *diff, struct lane *lane)
{
	struct align_found ahead = {{0, 0}};
	pairs_settle(diff, lane);
	int result = look_ahead(diff, lane, &ahead);
	if (result < 0) {
		diff_stop(diff, POLY_ERR_MEMORY);
		return;
	}
	struct found found = {.lane = lane,
		.steps = {lane->at[0], lane->at[1]},
		.pair = lane->pairs,
		.effects = {-1, -1},
		.ends = result == 0};
	if (!found.ends) {
		found.run[0] = ahead.left_out[0];
		found.run[1] = ahead.left_out[1];
	}
	found.cause = cause_of(lane, found.run, found.ends);
	diff_tell(diff, &found);
	leave_out(diff, lane, 0, found.run[0]);
	leave_out(diff, lane, 1, found.run[1]);
	lane->done = found.ends;
}

/* Counts the instructions that a trace has left, without keeping them. */
static uint64_t
count_rest(struct stream *stream)
{
	uint64_t count = 0;
	while (stream_ready(stream)) {
		for (; stream->row < stream->batch->rows; stream->row++)
			count +=
				stream_is_head(stream->rules, stream->batch->kind[stream->row]);
	}
	stream->instructions += count;
	return count;
}

void
paths_tail(struct poly_diff *diff, struct lane *lane)
{
	unsigned side = lane->at[0] < lane_ring(lane, 0)->head ? 0 : 1;
	const struct ring *ring = lane_ring(lane, side);
	pairs_settle(diff, lane);
	lane->done = true;
	/* What ended by damage is not known to have ended. */
	if (diff->rules.ignore & IGNORE_TAIL || diff->streams[!side].status < 0)
		return;
	struct found found = {.cause = POLY_DIFF_TAIL,
		.lane = lane,
		.steps = {lane->at[0], lane->at[1]},
		.pair = lane->pairs,
		.effects = {-1, -1}};
	diff_fill(diff, lane, side, lane->at[side] + diff->rules.context + 2);
	/* Rows that follow may be other processors', for which they are needed. */
	if (!diff->rules.each_cpu)
		found.run[side] =
			ring->head - lane->at[side] + count_rest(&diff->streams[side]);
	else if (diff->streams[side].ended)
		found.run[side] = ring->head - lane->at[side];
	diff_tell(diff, &found);
}
