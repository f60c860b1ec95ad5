/* SPDX-License-Identifier: MIT */
/* The plain lanes, and the selection of vector instructions. */
#include "sim/pipeline/pipeline_simd.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/pipeline/pipeline_simd_state.h"

enum { RUN_LENGTH = 4096, LINE = 64 };

struct pipeline_simd {
	struct lane_state *state; /* aligned to a cache line within memory */
	void *memory;
	lane_run *run;
	size_t count;
	uint64_t ops;
	uint64_t start[PIPELINE_LANES]; /* the cycle from which a run counts */
};

static inline int32_t
later(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* Runs one micro-op in one lane. */
static inline void
issue(struct lane_state *state, const struct pipeline_op *op, size_t lane)
{
	struct lane_row *ready = state->ready;
	const int32_t latency =
		state->latency[op->flags & PIPELINE_CLASS].of[lane] + lane_extra(op);
	int32_t need =
		later(later(ready[op->sources[0]].of[lane], ready[op->sources[1]].of[lane]),
			ready[op->sources[2]].of[lane]);
	if (state->ordered.of[lane]) {
		int32_t written =
			later(ready[op->dests[0]].of[lane], ready[op->dests[1]].of[lane]);
		need = later(need, written - ((latency - 1) & state->relaxed.of[lane]));
	}
	const int32_t now = state->now.of[lane], at = later(need, now);
	const int32_t issued = (need > now ? 0 : state->issued.of[lane]) + 1;
	const int32_t next =
		later(issued == state->width.of[lane], state->after[lane_after(op)].of[lane]);
	ready[op->dests[0]].of[lane] = ready[op->dests[1]].of[lane] = at + latency;
	ready[PIPELINE_NONE].of[lane] = 0;
	state->last.of[lane] = at;
	state->now.of[lane] = at + next;
	state->issued.of[lane] = next ? 0 : issued;
}

static void
run_plain(struct lane_state *state, const struct pipeline_op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t lane = 0; lane < PIPELINE_LANES; lane++)
			issue(state, &ops[i], lane);
	}
}

static lane_run *
choose(enum pipeline_way way)
{
	if (way == PIPELINE_PLAIN)
		return run_plain;
	if (way != PIPELINE_BEST)
		return lane_run_x86(way);
	for (unsigned i = PIPELINE_AVX512; i > PIPELINE_PLAIN; i--) {
		lane_run *run = lane_run_x86((enum pipeline_way)i);
		if (run)
			return run;
	}
	return run_plain;
}

static void
configure(struct lane_state *state, const struct pipeline_inorder_config *config, size_t lane)
{
	for (size_t i = 0; i < PIPELINE_CLASSES; i++)
		state->latency[i].of[lane] = (int32_t)config->latency[i];
	for (unsigned i = 0; i < 4; i++) {
		const unsigned flags = i * PIPELINE_TAKEN;
		state->after[i].of[lane] = flags & PIPELINE_TAKEN && config->taken_ends;
		if (flags & PIPELINE_MISPREDICTED && config->penalty)
			state->after[i].of[lane] = (int32_t)config->penalty;
	}
	state->width.of[lane] = (int32_t)config->width;
	state->ordered.of[lane] = config->order == PIPELINE_ORDER_FREE ? 0 : -1;
	state->relaxed.of[lane] = config->order == PIPELINE_ORDER_LATENCY ? -1 : 0;
	state->last.of[lane] = -1;
	state->any_ordered = state->any_ordered || state->ordered.of[lane];
}

static enum poly_status
check_all(const struct pipeline_inorder_config *configs, size_t count, lane_run *run,
	struct poly_error *error)
{
	if (count < 1 || count > PIPELINE_LANES)
		return err_usage(error, "%zu pipelines at once, expected 1 to %d", count,
			PIPELINE_LANES);
	if (!run)
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"this processor lacks the requested vector instructions");
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < count && status == POLY_OK; i++)
		status = pipeline_inorder_sound(&configs[i], error);
	return status;
}

struct pipeline_simd *
pipeline_simd_new(const struct pipeline_inorder_config *configs, size_t count,
	enum pipeline_way way, struct poly_error *error)
{
	lane_run *run = choose(way);
	if (check_all(configs, count, run, error) != POLY_OK)
		return NULL;
	struct pipeline_simd *lanes = mem_new(1, sizeof *lanes);
	void *memory = mem_new(1, sizeof(struct lane_state) + LINE);
	if (!lanes || !memory) {
		mem_free(lanes);
		mem_free(memory);
		err_memory(error);
		return NULL;
	}
	lanes->memory = memory;
	lanes->state = (void *)((uint8_t *)memory + (LINE - (uintptr_t)memory % LINE));
	lanes->run = run;
	lanes->count = count;
	/* Unused lanes copy the first one. */
	for (size_t lane = 0; lane < PIPELINE_LANES; lane++)
		configure(lanes->state, &configs[lane < count ? lane : 0], lane);
	return lanes;
}

/* Rebases the cycles of a lane, so that they stay small. */
static void
start_run(struct pipeline_simd *lanes, size_t lane)
{
	struct lane_state *state = lanes->state;
	const int32_t now = state->now.of[lane];
	for (size_t i = 0; i < PIPELINE_REGISTERS; i++)
		state->ready[i].of[lane] = later(state->ready[i].of[lane] - now, 0);
	lanes->start[lane] += (uint64_t)now;
	state->last.of[lane] -= now;
	state->now.of[lane] = 0;
}

void
pipeline_simd_run(struct pipeline_simd *lanes, const struct pipeline_op *ops, size_t n)
{
	for (size_t done = 0; done < n;) {
		const size_t count = n - done < RUN_LENGTH ? n - done : RUN_LENGTH;
		for (size_t lane = 0; lane < PIPELINE_LANES; lane++)
			start_run(lanes, lane);
		lanes->run(lanes->state, ops + done, count);
		done += count;
	}
}

uint64_t
pipeline_simd_cycles(const struct pipeline_simd *lanes, size_t lane)
{
	return lanes->start[lane] + (uint64_t)((int64_t)lanes->state->last.of[lane] + 1);
}

void
pipeline_simd_free(struct pipeline_simd *lanes)
{
	if (!lanes)
		return;
	mem_free(lanes->memory);
	mem_free(lanes);
}
