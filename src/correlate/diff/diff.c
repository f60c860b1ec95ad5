/* SPDX-License-Identifier: MIT */
/* Comparing two traces: what is compared next, and what has been found. */
#include "correlate/diff/diff.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* Rows that are taken of a trace at a time, where processors are compared by themselves. */
#define TURN_ROWS 256

static const char *const cause_names[POLY_DIFF_CAUSE_COUNT] = {
	[POLY_DIFF_OPCODE] = "opcode",
	[POLY_DIFF_FIELD] = "field",
	[POLY_DIFF_BRANCH] = "branch",
	[POLY_DIFF_REGISTER] = "register",
	[POLY_DIFF_VALUE] = "value",
	[POLY_DIFF_ADDRESS] = "address",
	[POLY_DIFF_SIZE] = "size",
	[POLY_DIFF_ACCESS] = "access",
	[POLY_DIFF_MISSING_RECORD] = "missing-record",
	[POLY_DIFF_EXTRA_RECORD] = "extra-record",
	[POLY_DIFF_REORDERED] = "reordered",
	[POLY_DIFF_PC] = "pc",
	[POLY_DIFF_MISSING_INSTRUCTION] = "missing-instruction",
	[POLY_DIFF_EXTRA_INSTRUCTION] = "extra-instruction",
	[POLY_DIFF_INSERTED] = "inserted",
	[POLY_DIFF_PATH] = "path",
	[POLY_DIFF_TAIL] = "tail",
};

const char *
poly_diff_cause_name(enum poly_diff_cause cause)
{
	return (unsigned)cause < POLY_DIFF_CAUSE_COUNT ? cause_names[cause] : NULL;
}

void
diff_stop(struct poly_diff *diff, enum poly_status status)
{
	if (diff->status != POLY_OK)
		return;
	diff->status = status;
	if (status == POLY_ERR_MEMORY)
		err_memory(&diff->error);
}

void
diff_tell(struct poly_diff *diff, const struct found *found)
{
	if (diff->first + diff->count == diff->room) {
		size_t room = diff->room ? 2 * diff->room : 16;
		struct found *queue = mem_resize(diff->queue, room, sizeof *queue);
		if (!queue) {
			diff_stop(diff, POLY_ERR_MEMORY);
			return;
		}
		diff->queue = queue;
		diff->room = room;
	}
	diff->queue[diff->first + diff->count++] = *found;
}

/* A new lane; NULL, and the comparison stopped, where there is no room. */
static struct lane *
add_lane(struct poly_diff *diff, uint32_t cpu)
{
	if (diff->lane_count == LANES_MOST) {
		diff_stop(diff, err_set(&diff->error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
					"there are more than %d processors", LANES_MOST));
		return NULL;
	}
	struct lane **lanes = mem_resize(diff->lanes, diff->lane_count + 1, sizeof *lanes);
	if (lanes)
		diff->lanes = lanes;
	struct lane *lane = lanes ? mem_new(1, sizeof *lane) : NULL;
	if (lane)
		lane->waiting = mem_new(diff->reach + 1, sizeof *lane->waiting);
	if (!lane || !lane->waiting) {
		mem_free(lane);
		diff_stop(diff, POLY_ERR_MEMORY);
		return NULL;
	}
	lane->cpu = cpu;
	lane->patience = 1;
	for (unsigned side = 0; side < 2; side++)
		lane->sides[side].skip = diff->streams[side].source.skip;
	lanes[diff->lane_count++] = lane;
	return lane;
}

/* The lane of the next row of a stream. */
static struct lane *
row_lane(struct poly_diff *diff, const struct stream *stream)
{
	const bool stated = diff->rules.each_cpu &&
			    poly_present(stream->batch, POLY_COLUMN_cpu, stream->row);
	const uint32_t cpu = stated ? stream->batch->cpu[stream->row] : 0;
	for (size_t i = 0; i < diff->lane_count; i++) {
		if (diff->lanes[i]->cpu == cpu || !diff->rules.each_cpu)
			return diff->lanes[i];
	}
	return add_lane(diff, cpu);
}

/* Takes one row of a trace; false at its end, after which nothing changes any more. */
static bool
take_row(struct poly_diff *diff, unsigned side)
{
	struct stream *stream = &diff->streams[side];
	bool good = true;
	if (diff->status != POLY_OK)
		return false;
	if (stream_ready(stream)) {
		struct lane *lane = row_lane(diff, stream);
		good = lane && stream_take(stream, &lane->sides[side]);
		if (!good)
			diff_stop(diff, POLY_ERR_MEMORY);
		return good;
	}
	for (size_t i = 0; i < diff->lane_count && good; i++)
		good = stream_finish(stream, &diff->lanes[i]->sides[side]);
	if (!good)
		diff_stop(diff, POLY_ERR_MEMORY);
	return false;
}

void
diff_fill(struct poly_diff *diff, struct lane *lane, unsigned side, uint64_t number)
{
	const struct ring *ring = lane_ring(lane, side);
	while (ring->head < number && take_row(diff, side))
		;
}

/* Gives back the steps that nobody looks at any more. */
static void
forget(struct poly_diff *diff, struct lane *lane)
{
	const uint64_t keep = diff->rules.context + diff->reach + 2;
	for (unsigned side = 0; side < 2; side++) {
		struct ring *ring = lane_ring(lane, side);
		if (lane->at[side] - ring->tail > keep)
			ring->tail = lane->at[side] - keep;
	}
}

/* True where a lane has the next step of a side, to which nothing more can belong, or none. */
static bool
is_complete(const struct poly_diff *diff, struct lane *lane, unsigned side)
{
	return diff->streams[side].ended || lane_ring(lane, side)->head >= lane->at[side] + 2;
}

/* Compares the next steps of a lane, both of which are complete or at the end. */
static void
compare_next(struct poly_diff *diff, struct lane *lane)
{
	bool there[2];
	for (unsigned side = 0; side < 2; side++)
		there[side] = lane_ring(lane, side)->head > lane->at[side];
	if (there[0] != there[1]) {
		paths_tail(diff, lane);
	} else if (!there[0]) {
		pairs_settle(diff, lane);
		lane->done = true;
	} else if (match_place(
			   lane_step(lane, 0, lane->at[0]), lane_step(lane, 1, lane->at[1]))) {
		pairs_compare(diff, lane);
	} else {
		paths_part(diff, lane);
	}
	if (!diff->count)
		forget(diff, lane);
}

/* What ended the comparison: the failure of a trace, or its end. */
static void
end_comparison(struct poly_diff *diff)
{
	for (unsigned side = 0; side < 2 && diff->status == POLY_OK; side++) {
		if (diff->streams[side].status < 0) {
			diff->error = diff->streams[side].error;
			diff_stop(diff, diff->streams[side].status);
		}
	}
	diff_stop(diff, POLY_END);
}

/* Goes on with both traces as a whole. */
static void
advance_all(struct poly_diff *diff)
{
	struct lane *lane = diff->lanes[0];
	if (lane->done) {
		end_comparison(diff);
		return;
	}
	if (fast_pass(diff, lane))
		return;
	for (unsigned side = 0; side < 2; side++)
		diff_fill(diff, lane, side, lane->at[side] + 2);
	if (diff->status == POLY_OK)
		compare_next(diff, lane);
}

/* Fails where too many steps wait for the other trace. */
static void
check_waiting(struct poly_diff *diff)
{
	for (size_t i = 0; i < diff->lane_count && diff->status == POLY_OK; i++) {
		struct lane *lane = diff->lanes[i];
		for (unsigned side = 0; side < 2; side++) {
			uint64_t ahead = lane_ring(lane, side)->head - lane->at[side];
			if (lane->done)
				lane->at[side] += ahead;
			else if (ahead > WAITING_MOST)
				diff_stop(diff,
					err_set(&diff->error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
						"processor %lu is %llu instructions "
						"ahead in the %s trace",
						(unsigned long)lane->cpu,
						(unsigned long long)ahead,
						side ? "second" : "first"));
		}
		if (lane->done)
			forget(diff, lane);
	}
}

/* Goes on with a processor that can, or takes more rows of both traces. */
static void
advance_each(struct poly_diff *diff)
{
	const bool ended = diff->streams[0].ended && diff->streams[1].ended;
	bool open = false;
	for (size_t i = 0; i < diff->lane_count; i++) {
		struct lane *lane = diff->lanes[i];
		open |= !lane->done;
		if (!lane->done && is_complete(diff, lane, 0) && is_complete(diff, lane, 1)) {
			compare_next(diff, lane);
			return;
		}
	}
	if (ended && !open) {
		end_comparison(diff);
		return;
	}
	for (unsigned side = 0; side < 2; side++) {
		for (int i = 0; i < TURN_ROWS && take_row(diff, side); i++)
			;
	}
	check_waiting(diff);
}

static void
give_back_lane(struct lane *lane)
{
	for (unsigned side = 0; side < 2; side++) {
		ring_free(&lane->sides[side].ring);
		mem_free(lane->sides[side].lead.effects);
		buf_free(&lane->sides[side].lead.bytes);
		map_free(&lane->state.values[side]);
		map_free(&lane->state.lost[side]);
	}
	mem_free(lane->waiting);
	mem_free(lane);
}

void
poly_diff_free(struct poly_diff *diff)
{
	if (!diff)
		return;
	for (size_t i = 0; i < diff->lane_count; i++)
		give_back_lane(diff->lanes[i]);
	mem_free(diff->lanes);
	for (unsigned side = 0; side < 2; side++) {
		stream_free(&diff->streams[side]);
		buf_free(&diff->steps[side]);
	}
	for (unsigned i = 0; i < 3; i++)
		buf_free(&diff->texts[i]);
	mem_free(diff->queue);
	mem_free(diff->lines);
	rules_free(&diff->rules);
	mem_free(diff);
}

enum poly_status
poly_diff_new(const struct poly_diff_options *options, const struct poly_diff_side sides[2],
	struct poly_diff **made, struct poly_error *error)
{
	const struct poly_diff_options initial = POLY_DIFF_OPTIONS_INIT;
	*made = NULL;
	struct poly_diff *diff = mem_new(1, sizeof *diff);
	if (!diff)
		return err_memory(error);
	enum poly_status status =
		rules_parse(&diff->rules, options ? options : &initial, error);
	if (status == POLY_OK)
		status = rules_settle(&diff->rules, sides, error);
	diff->reach = diff->rules.window > REACH ? diff->rules.window : REACH;
	for (unsigned side = 0; side < 2; side++) {
		diff->streams[side].source = sides[side];
		diff->streams[side].rules = &diff->rules;
	}
	if (status == POLY_OK && !diff->rules.each_cpu && !add_lane(diff, 0))
		status = err_memory(error);
	if (status != POLY_OK) {
		poly_diff_free(diff);
		return status;
	}
	*made = diff;
	return POLY_OK;
}

poly_columns
poly_diff_columns(const struct poly_diff *diff, unsigned side)
{
	return stream_columns(&diff->rules, diff->streams[side].source.info);
}

poly_columns
poly_diff_compared(const struct poly_diff *diff)
{
	return diff->rules.compared;
}

poly_columns
poly_diff_uncompared(const struct poly_diff *diff, unsigned side)
{
	return rules_usual(&diff->rules, diff->streams[side].source.info) &
	       ~diff->rules.compared;
}

/* Gives the first difference that was found. */
static void
give(struct poly_diff *diff)
{
	diff->found = diff->queue[diff->first++];
	if (--diff->count == 0)
		diff->first = 0;
	diff->lined = false;
	diff->counts.causes[diff->found.cause]++;
	show_difference(diff);
	diff->found.lane->told = diff->found.pair + 1;
}

enum poly_status
poly_diff_next(struct poly_diff *diff, const struct poly_difference **difference,
	struct poly_error *error)
{
	while (!diff->count && diff->status == POLY_OK) {
		if (diff->rules.each_cpu)
			advance_each(diff);
		else
			advance_all(diff);
	}
	if (diff->count) {
		give(diff);
		*difference = &diff->difference;
		return POLY_OK;
	}
	if (diff->status < 0 && error)
		*error = diff->error;
	return diff->status;
}

void
poly_diff_count(const struct poly_diff *diff, struct poly_diff_counts *counts)
{
	*counts = diff->counts;
	for (unsigned side = 0; side < 2; side++)
		counts->instructions[side] = diff->streams[side].instructions;
}
