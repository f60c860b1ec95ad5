/* SPDX-License-Identifier: MIT */
/* Handles traces that execute different instructions: finds their realignment and its cause. */
#include "correlate/diff/align.h"
#include "correlate/diff/diff.h"

#include "base/mem.h"

/* Depth and keys of the lookahead. */
struct lookahead {
	size_t limit; /* steps that may be skipped */
	bool opcodes; /* compare opcodes, too, not only positions */
};

/* First lookahead in steps: most handlers and other paths are short. */
#define NEAR 64

/* Lists the keys of the steps of the lookahead. */
static bool
list_keys(struct poly_diff *diff, struct diff_stream *stream, unsigned side,
	const struct lookahead *view, struct align_side *keys)
{
	const struct ring *ring = stream_ring(stream, side);
	const size_t limit = view->limit + ALIGN_CONFIRM;
	size_t count = (size_t)(ring->head - stream->at[side]);
	keys->ended = diff->builders[side].ended && count <= limit;
	keys->count = count < limit ? count : limit;
	uint64_t *list = mem_new(keys->count ? keys->count : 1, sizeof *list);
	keys->keys = list;
	if (!list)
		return false;
	for (size_t i = 0; i < keys->count; i++) {
		const struct step *step = ring_at(ring, stream->at[side] + i);
		list[i] = view->opcodes ? step->key : step->position;
	}
	return true;
}

/* Aligns the next steps of a stream; returns as align_find. */
static int
align_streams(struct poly_diff *diff, struct diff_stream *stream, const struct lookahead *view,
	struct alignment *alignment)
{
	struct align_side sides[2] = {{.keys = NULL}, {.keys = NULL}};
	int result = -1;
	if (list_keys(diff, stream, 0, view, &sides[0]) &&
		list_keys(diff, stream, 1, view, &sides[1]))
		result = align_find(sides, view->limit, alignment);
	for (unsigned side = 0; side < 2; side++) {
		/* list_keys allocated them. */
		uintptr_t keys = (uintptr_t)sides[side].keys;
		mem_free((void *)keys);
	}
	return result;
}

/*
 * Aligns by pc and opcode or else by pc alone, with increasing lookahead; returns as
 * align_find. A result within a short lookahead skips no more steps than one within the full
 * lookahead.
 */
static int
find_realignment(
	struct poly_diff *diff, struct diff_stream *stream, struct alignment *alignment)
{
	const size_t all = diff->rules.resync;
	struct lookahead view = {NEAR < all ? NEAR : all, true};
	while (all) {
		for (unsigned side = 0; side < 2; side++)
			stream_fill(diff, stream, side,
				stream->at[side] + view.limit + ALIGN_CONFIRM + 1);
		int result = align_streams(diff, stream, &view, alignment);
		if (result < 0 ||
			(result > 0 &&
				(alignment->skipped[0] + alignment->skipped[1] <= view.limit ||
					view.limit == all)))
			return result;
		if (view.opcodes) {
			view.opcodes = false;
		} else if (view.limit == all) {
			return 0;
		} else {
			view.opcodes = true;
			view.limit = all / 8 > view.limit ? 8 * view.limit : all;
		}
	}
	return 0;
}

/* True if the step follows the previously compared step in memory. */
static bool
falls_through(struct diff_stream *stream, unsigned side, uint8_t size)
{
	uint64_t number = stream->at[side];
	const struct step *before = stream_step(stream, side, number - 1);
	return stream_step(stream, side, number)->pc == before->pc + size;
}

/* Returns the size in bytes of the last common instruction; 0: unknown. */
static uint8_t
last_size(struct diff_stream *stream)
{
	if (!stream_has(stream, 0, stream->at[0] - 1) ||
		!stream_has(stream, 1, stream->at[1] - 1))
		return 0;
	const struct step *a = stream_step(stream, 0, stream->at[0] - 1);
	const struct step *b = stream_step(stream, 1, stream->at[1] - 1);
	if (a->partner != stream->at[1] - 1 || !a->has_pc)
		return 0;
	return a->opcode_size ? a->opcode_size : b->opcode_size;
}

/* True if exactly one of the traces continued with the next instruction in memory. */
static bool
only_one_branched(struct diff_stream *stream)
{
	uint8_t size = last_size(stream);
	return size && falls_through(stream, 0, size) != falls_through(stream, 1, size);
}

/* True if a run ends with the instruction before it: one more iteration of a loop. */
static bool
is_extra_iteration(struct diff_stream *stream, const uint64_t run[2])
{
	unsigned side = run[0] ? 0 : 1;
	uint64_t number = stream->at[side];
	if (run[!side] || run[side] < 2 || !stream_has(stream, side, number - 1))
		return false;
	const struct step *before = stream_step(stream, side, number - 1);
	return before->partner != STEP_NONE &&
	       stream_step(stream, side, number + run[side] - 1)->position == before->position;
}

static enum poly_diff_cause
cause_of(struct diff_stream *stream, const uint64_t run[2], bool ends)
{
	if (ends)
		return only_one_branched(stream) ? POLY_DIFF_BRANCH : POLY_DIFF_PATH;
	if (run[0] == 1 && run[1] == 1)
		return POLY_DIFF_PC;
	if (run[0] && run[1])
		return only_one_branched(stream) ? POLY_DIFF_BRANCH : POLY_DIFF_PATH;
	if (is_extra_iteration(stream, run))
		return POLY_DIFF_BRANCH;
	if (run[0] == 1)
		return POLY_DIFF_MISSING_INSTRUCTION;
	return run[1] == 1 ? POLY_DIFF_EXTRA_INSTRUCTION : POLY_DIFF_INSERTED;
}

/* Skips the steps of a run, and stores the register values that they wrote. */
static void
skip_run(struct poly_diff *diff, struct diff_stream *stream, unsigned side, uint64_t run)
{
	const bool remembers = diff->rules.tolerate & TOLERATE_REDUNDANT;
	for (uint64_t i = 0; remembers && i < run; i++) {
		if (!match_remember(&stream->state, side,
			    stream_step(stream, side, stream->at[side] + i)))
			diff_stop(diff, POLY_ERR_MEMORY);
	}
	stream->at[side] += run;
}

void
divergence_find(struct poly_diff *diff, struct diff_stream *stream)
{
	struct alignment ahead = {{0, 0}};
	compare_resolve_pending(diff, stream);
	int result = find_realignment(diff, stream, &ahead);
	if (result < 0) {
		diff_stop(diff, POLY_ERR_MEMORY);
		return;
	}
	struct difference difference = {.stream = stream,
		.steps = {stream->at[0], stream->at[1]},
		.pair = stream->pairs,
		.effects = {-1, -1},
		.ends = result == 0};
	if (!difference.ends) {
		difference.run[0] = ahead.skipped[0];
		difference.run[1] = ahead.skipped[1];
	}
	difference.cause = cause_of(stream, difference.run, difference.ends);
	diff_report(diff, &difference);
	skip_run(diff, stream, 0, difference.run[0]);
	skip_run(diff, stream, 1, difference.run[1]);
	stream->done = difference.ends;
}

/* Counts the remaining instructions of a trace. */
static uint64_t
count_rest(struct builder *builder)
{
	const uint64_t before = builder->instructions;
	while (builder_has_row(builder)) {
		for (; builder->row < builder->batch->rows; builder->row++) {
			if (builder_is_head(builder->rules, builder->batch->kind[builder->row]))
				builder_count_head(builder, builder->row);
		}
	}
	return builder->instructions - before;
}

void
divergence_report_tail(struct poly_diff *diff, struct diff_stream *stream)
{
	unsigned side = stream->at[0] < stream_ring(stream, 0)->head ? 0 : 1;
	const struct ring *ring = stream_ring(stream, side);
	compare_resolve_pending(diff, stream);
	stream->done = true;
	/* A trace that ends in corrupt data may have more instructions. */
	if (diff->rules.ignore & IGNORE_TAIL || diff->builders[!side].status < 0)
		return;
	struct difference difference = {.cause = POLY_DIFF_TAIL,
		.stream = stream,
		.steps = {stream->at[0], stream->at[1]},
		.pair = stream->pairs,
		.effects = {-1, -1}};
	stream_fill(diff, stream, side, stream->at[side] + diff->rules.context + 2);
	/* The remaining rows may belong to other processors, which need them. */
	if (!diff->rules.each_cpu)
		difference.run[side] =
			ring->head - stream->at[side] + count_rest(&diff->builders[side]);
	else if (diff->builders[side].ended)
		difference.run[side] = ring->head - stream->at[side];
	diff_report(diff, &difference);
}
