/* SPDX-License-Identifier: MIT */
/*
 * A run with one kind of vectors. pipeline_simd_x86.c includes this once per kind, after
 * defining the macros used here. Vectors are processed one after the other, each over the
 * whole run, so that all state of a lane except its registers stays in registers of the host.
 *
 * ZERO_IF_GREATER(a, b, x) is x in the lanes in which a is not greater than b, ONE_IF_EQUAL(a,
 * b) is 1 in the lanes in which they are equal; 0 in all others.
 */

static inline TARGET VECTOR
NAMED(row)(const struct lane_row *row, size_t lane)
{
	return LOAD(row->of + lane);
}

static inline TARGET VECTOR
NAMED(order)(const struct lane_state *state, const struct pipeline_op *op, VECTOR latency,
	size_t lane)
{
	const VECTOR written = MAX(NAMED(row)(&state->ready[op->dests[0]], lane),
		NAMED(row)(&state->ready[op->dests[1]], lane));
	const VECTOR before = AND(SUB(latency, SET(1)), NAMED(row)(&state->relaxed, lane));
	return AND(SUB(written, before), NAMED(row)(&state->ordered, lane));
}

static TARGET void
NAMED(vector)(struct lane_state *state, const struct pipeline_op *ops, size_t n, size_t lane)
{
	struct lane_row *ready = state->ready;
	const VECTOR width = NAMED(row)(&state->width, lane), zero = SET(0);
	const bool ordered = state->any_ordered;
	VECTOR now = NAMED(row)(&state->now, lane), issued = NAMED(row)(&state->issued, lane);
	VECTOR at = NAMED(row)(&state->last, lane);
	for (const struct pipeline_op *op = ops; op < ops + n; op++) {
		const VECTOR latency =
			ADD(NAMED(row)(&state->latency[op->flags & PIPELINE_CLASS], lane),
				SET(lane_extra(op)));
		VECTOR need = MAX(NAMED(row)(&ready[op->sources[0]], lane),
			NAMED(row)(&ready[op->sources[1]], lane));
		need = MAX(need, NAMED(row)(&ready[op->sources[2]], lane));
		if (ordered)
			need = MAX(need, NAMED(order)(state, op, latency, lane));
		at = MAX(need, now);
		const VECTOR done = ADD(at, latency);
		STORE(ready[op->dests[0]].of + lane, done);
		STORE(ready[op->dests[1]].of + lane, done);
		STORE(ready[PIPELINE_NONE].of + lane, zero);
		issued = ADD(ZERO_IF_GREATER(need, now, issued), SET(1));
		const VECTOR next = MAX(ONE_IF_EQUAL(issued, width),
			NAMED(row)(&state->after[lane_after(op)], lane));
		now = ADD(at, next);
		issued = ZERO_IF_GREATER(next, zero, issued);
	}
	STORE(state->now.of + lane, now);
	STORE(state->issued.of + lane, issued);
	STORE(state->last.of + lane, at);
}

static TARGET void
NAMED(run)(struct lane_state *state, const struct pipeline_op *ops, size_t n)
{
	for (size_t lane = 0; lane < PIPELINE_LANES; lane += sizeof(VECTOR) / sizeof(int32_t))
		NAMED(vector)(state, ops, n, lane);
}

#undef NAMED
#undef TARGET
#undef VECTOR
#undef LOAD
#undef STORE
#undef SET
#undef ADD
#undef SUB
#undef AND
#undef MAX
#undef ZERO_IF_GREATER
#undef ONE_IF_EQUAL
