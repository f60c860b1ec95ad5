/* SPDX-License-Identifier: MIT */
/* Compares two traces: schedules the comparison, and queues the differences. */
#include "correlate/diff/diff.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/* Rows read of a trace at a time if processors are compared separately. */
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

/* Drops the steps that are no longer needed. */
static void
drop_old_steps(struct poly_diff *diff, struct diff_stream *stream)
{
	const uint64_t keep = diff->rules.context + diff->reach + 2;
	for (unsigned side = 0; side < 2; side++) {
		struct ring *ring = stream_ring(stream, side);
		if (stream->at[side] - ring->tail > keep)
			ring->tail = stream->at[side] - keep;
	}
}

/* True if the next step of a side is complete, or the trace has ended. */
static bool
is_complete(const struct poly_diff *diff, struct diff_stream *stream, unsigned side)
{
	return diff->builders[side].ended ||
	       stream_ring(stream, side)->head >= stream->at[side] + 2;
}

/* Compares the next steps of a stream, both of which are complete or at the end. */
static void
compare_next(struct poly_diff *diff, struct diff_stream *stream)
{
	bool has_step[2];
	for (unsigned side = 0; side < 2; side++)
		has_step[side] = stream_ring(stream, side)->head > stream->at[side];
	if (has_step[0] != has_step[1]) {
		divergence_report_tail(diff, stream);
	} else if (!has_step[0]) {
		compare_resolve_pending(diff, stream);
		stream->done = true;
	} else if (match_position(stream_step(stream, 0, stream->at[0]),
			   stream_step(stream, 1, stream->at[1]))) {
		compare_pair(diff, stream);
	} else {
		divergence_find(diff, stream);
	}
	if (!diff->count)
		drop_old_steps(diff, stream);
}

/* Ends the comparison with the failure of a trace, or its end. */
static void
end_comparison(struct poly_diff *diff)
{
	for (unsigned side = 0; side < 2 && diff->status == POLY_OK; side++) {
		if (diff->builders[side].status < 0) {
			diff->error = diff->builders[side].error;
			diff_stop(diff, diff->builders[side].status);
		}
	}
	diff_stop(diff, POLY_END);
}

/* Advances the comparison of both whole traces. */
static void
advance_all(struct poly_diff *diff)
{
	struct diff_stream *stream = diff->streams[0];
	if (stream->done) {
		end_comparison(diff);
		return;
	}
	if (skip_equal_rows(diff, stream))
		return;
	for (unsigned side = 0; side < 2; side++)
		stream_fill(diff, stream, side, stream->at[side] + 2);
	if (diff->status == POLY_OK)
		compare_next(diff, stream);
}

/* Fails if too many steps wait for the other trace. */
static void
check_pending(struct poly_diff *diff)
{
	for (size_t i = 0; i < diff->stream_count && diff->status == POLY_OK; i++) {
		struct diff_stream *stream = diff->streams[i];
		for (unsigned side = 0; side < 2; side++) {
			uint64_t ahead = stream_ring(stream, side)->head - stream->at[side];
			if (stream->done)
				stream->at[side] += ahead;
			else if (ahead > PENDING_STEPS_MAX)
				diff_stop(diff,
					err_set(&diff->error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
						"processor %lu is %llu instructions "
						"ahead in the %s trace",
						(unsigned long)stream->cpu,
						(unsigned long long)ahead,
						side ? "second" : "first"));
		}
		if (stream->done)
			drop_old_steps(diff, stream);
	}
}

/* Compares the next steps of a processor that has them, or reads rows of both traces. */
static void
advance_each(struct poly_diff *diff)
{
	const bool ended = diff->builders[0].ended && diff->builders[1].ended;
	bool open = false;
	for (size_t i = 0; i < diff->stream_count; i++) {
		struct diff_stream *stream = diff->streams[i];
		open |= !stream->done;
		if (!stream->done && is_complete(diff, stream, 0) &&
			is_complete(diff, stream, 1)) {
			compare_next(diff, stream);
			return;
		}
	}
	if (ended && !open) {
		end_comparison(diff);
		return;
	}
	for (unsigned side = 0; side < 2; side++) {
		for (int i = 0; i < TURN_ROWS && streams_add_row(diff, side); i++)
			;
	}
	check_pending(diff);
}

void
poly_diff_free(struct poly_diff *diff)
{
	if (!diff)
		return;
	for (size_t i = 0; i < diff->stream_count; i++)
		stream_free(diff->streams[i]);
	mem_free(diff->streams);
	for (unsigned side = 0; side < 2; side++) {
		builder_free(&diff->builders[side]);
		buf_free(&diff->steps[side]);
	}
	for (unsigned i = 0; i < 3; i++)
		buf_free(&diff->texts[i]);
	mem_free(diff->queue);
	mem_free(diff->lines);
	rules_free(&diff->rules);
	mem_free(diff);
}

/* Lets the effects of instructions be records of both traces, if either has register states. */
static enum poly_status
separate_effects(struct poly_diff *diff, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	bool has_states[2];
	for (unsigned side = 0; side < 2; side++)
		has_states[side] = effects_has_states(diff->builders[side].source.info);
	for (unsigned side = 0; side < 2 && status == POLY_OK; side++) {
		struct builder *builder = &diff->builders[side];
		const struct poly_trace_info *info = builder->source.info;
		if (!has_states[side] && (!has_states[!side] || !effects_has_accesses(info)))
			continue;
		const struct effects_options options = {.form = EFFECTS_SEPARATE,
			.wanted = poly_columns_minus(
				effects_result_columns(EFFECTS_SEPARATE, info),
				POLY_COLUMNS(text, mode, verbatim, counters)),
			.initial = has_states[0] && has_states[1]};
		status = effects_new(&options, info, &builder->effects, error);
		if (status == POLY_OK)
			builder->source = effects_source(builder->effects, &builder->source);
	}
	return status;
}

enum poly_status
poly_diff_new(const struct poly_diff_options *options, const struct poly_diff_side sides[2],
	struct poly_diff **result, struct poly_error *error)
{
	const struct poly_diff_options initial = POLY_DIFF_OPTIONS_INIT;
	*result = NULL;
	struct poly_diff *diff = mem_new(1, sizeof *diff);
	if (!diff)
		return err_memory(error);
	enum poly_status status =
		rules_parse(&diff->rules, options ? options : &initial, error);
	diff->reach = diff->rules.window > REACH ? diff->rules.window : REACH;
	for (unsigned side = 0; side < 2; side++) {
		diff->builders[side].source = sides[side].source;
		diff->builders[side].skip = sides[side].skip;
		diff->builders[side].rules = &diff->rules;
	}
	if (status == POLY_OK)
		status = separate_effects(diff, error);
	const struct poly_trace_info *const infos[2] = {
		diff->builders[0].source.info, diff->builders[1].source.info};
	if (status == POLY_OK)
		status = rules_resolve(&diff->rules, infos, error);
	if (status == POLY_OK && !diff->rules.each_cpu && !streams_add(diff, 0))
		status = err_memory(error);
	if (status != POLY_OK) {
		poly_diff_free(diff);
		return status;
	}
	*result = diff;
	return POLY_OK;
}

poly_columns
poly_diff_columns(const struct poly_diff *diff, unsigned side)
{
	const struct builder *builder = &diff->builders[side];
	return builder->effects ? effects_columns(builder->effects)
				: builder_columns(&diff->rules, builder->source.info);
}

poly_columns
poly_diff_compared(const struct poly_diff *diff)
{
	return diff->rules.compared;
}

poly_columns
poly_diff_uncompared(const struct poly_diff *diff, unsigned side)
{
	return poly_columns_minus(
		rules_default_columns(&diff->rules, diff->builders[side].source.info),
		diff->rules.compared);
}

/* Delivers the first queued difference. */
static void
deliver_next(struct poly_diff *diff)
{
	diff->current = diff->queue[diff->first++];
	if (--diff->count == 0)
		diff->first = 0;
	diff->has_context = false;
	diff->counts.causes[diff->current.cause]++;
	render_difference(diff);
	diff->is_first = !diff->current.stream->has_reported;
	diff->current.stream->reported = diff->current.pair + 1;
	diff->current.stream->has_reported = true;
}

bool
poly_diff_is_first(const struct poly_diff *diff)
{
	return diff->is_first;
}

/* Registers before the first instruction are compared if both traces have them. */
static void
begin(struct poly_diff *diff)
{
	const bool first = builder_has_initial(&diff->builders[0]),
		   second = builder_has_initial(&diff->builders[1]);
	diff->has_begun = true;
	for (unsigned side = 0; side < 2; side++)
		diff->builders[side].drops_initial = first != second;
}

enum poly_status
poly_diff_next(struct poly_diff *diff, const struct poly_difference **difference,
	struct poly_error *error)
{
	if (!diff->has_begun)
		begin(diff);
	while (!diff->count && diff->status == POLY_OK) {
		if (diff->rules.each_cpu)
			advance_each(diff);
		else
			advance_all(diff);
	}
	if (diff->count) {
		deliver_next(diff);
		*difference = &diff->result;
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
		counts->instructions[side] = diff->builders[side].counted;
}
