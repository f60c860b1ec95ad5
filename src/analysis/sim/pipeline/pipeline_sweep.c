/* SPDX-License-Identifier: MIT */
/*
 * Simulates many pipelines in one pass: equal predictors and caches run once, and in-order
 * pipelines that share them run in SIMD lanes. Processes divide them.
 *
 * Bounded: PIPELINE_SWEEP_MAX pipelines per context.
 */
#include "analysis/sim/pipeline/pipeline_stalls.h"
#include "analysis/sim/pipeline/pipeline_sweep.h"

#include "analysis/facts/archive.h"
#include "base/err.h"
#include "base/mem.h"

#include <string.h>

struct pipeline_sweep_stream {
	struct pipeline_sweep *sweep;
	struct pipeline_front fronts[PIPELINE_SWEEP_MAX];
	struct pipeline_simd *lanes[PIPELINE_SWEEP_MAX]; /* by group */
	struct pipeline_ooo *ooo[PIPELINE_SWEEP_MAX];	 /* by pipeline; NULL: in order */
	uint64_t before[PIPELINE_SWEEP_MAX];
	struct pipeline_op ops[PIPELINE_BUFFER]; /* as marked by a front */
	/* The current run: its instructions and front. */
	struct pipeline_ops run;
	uint32_t front;
};

struct pipeline_sweep_stream *
pipeline_sweep_stream_new(struct pipeline_sweep *sweep)
{
	struct pipeline_sweep_stream *stream = mem_new(1, sizeof *stream);
	bool ok = stream;
	if (!stream)
		return NULL;
	stream->sweep = sweep;
	for (size_t i = 0; ok && i < sweep->front_count; i++)
		ok = pipeline_front_open(&stream->fronts[i], &sweep->fronts[i].machine);
	for (size_t i = 0; ok && i < sweep->group_count; i++) {
		const struct pipeline_sweep_group *group = &sweep->groups[i];
		stream->lanes[i] =
			pipeline_simd_new(group->configs, group->count, PIPELINE_BEST, NULL);
		ok = stream->lanes[i];
	}
	for (size_t i = 0; ok && i < sweep->count; i++) {
		if (!sweep->configs[i].machine.is_ooo || sweep->configs[i].is_elsewhere)
			continue;
		stream->ooo[i] = pipeline_ooo_new(&sweep->configs[i].machine.ooo, NULL);
		ok = stream->ooo[i];
	}
	if (ok)
		return stream;
	pipeline_sweep_stream_free(stream);
	return NULL;
}

void
pipeline_sweep_stream_free(struct pipeline_sweep_stream *stream)
{
	if (!stream)
		return;
	for (size_t i = 0; i < PIPELINE_SWEEP_MAX; i++) {
		pipeline_front_close(&stream->fronts[i]);
		pipeline_simd_free(stream->lanes[i]);
		pipeline_ooo_free(stream->ooo[i]);
	}
	mem_free(stream);
}

/* Runs a group or, for indices after the groups, a pipeline, if it shares the current front. */
static void
run_task(void *user, size_t i)
{
	struct pipeline_sweep_stream *stream = user;
	const struct pipeline_sweep *sweep = stream->sweep;
	if (i < sweep->group_count) {
		if (sweep->groups[i].front == stream->front)
			pipeline_simd_run(stream->lanes[i], stream->run.ops, stream->run.n);
		return;
	}
	i -= sweep->group_count;
	if (stream->ooo[i] && sweep->configs[i].front == stream->front)
		pipeline_ooo_run(stream->ooo[i], &stream->run, NULL);
}

/* Runs all pipelines that share a front. */
static void
run_front(struct pipeline_sweep_stream *stream, const struct pipeline_buffer *buffer,
	uint32_t front)
{
	const struct pipeline_sweep *sweep = stream->sweep;
	stream->run = (struct pipeline_ops){
		stream->ops, buffer->addresses, buffer->sites, buffer->count};
	stream->front = front;
	thread_pool_for_each(sweep->team, run_task, stream, sweep->group_count + sweep->count);
}

void
pipeline_sweep_stream_run(
	struct pipeline_sweep_stream *stream, struct pipeline_buffer *buffer, bool counts)
{
	struct pipeline_sweep *sweep = stream->sweep;
	for (uint32_t i = 0; i < sweep->front_count; i++) {
		struct pipeline_sweep_front *front = &sweep->fronts[i];
		memcpy(stream->ops, buffer->ops, buffer->count * sizeof *buffer->ops);
		pipeline_front_run(&stream->fronts[i], buffer, stream->ops,
			counts ? &front->events : NULL);
		run_front(stream, buffer, i);
	}
}

static uint64_t
read_cycles(const struct pipeline_sweep_stream *stream, size_t i)
{
	const struct pipeline_sweep_config *config = &stream->sweep->configs[i];
	struct pipeline_result result;
	if (config->is_elsewhere)
		return 0;
	if (!stream->ooo[i])
		return pipeline_simd_cycles(stream->lanes[config->group], config->lane);
	pipeline_ooo_result(stream->ooo[i], &result);
	return result.cycles;
}

void
pipeline_sweep_stream_start_counting(struct pipeline_sweep_stream *stream)
{
	for (size_t i = 0; i < stream->sweep->count; i++)
		stream->before[i] = read_cycles(stream, i);
}

void
pipeline_sweep_stream_add(const struct pipeline_sweep_stream *stream, uint64_t *cycles)
{
	for (size_t i = 0; i < stream->sweep->count; i++)
		cycles[i] += read_cycles(stream, i) - stream->before[i];
}

/* Machine 0 is the pipeline of the options. */
static size_t
count_machines(const void *state)
{
	const struct pipeline_simulation *sim = state;
	return 1 + (sim->sweep ? sim->sweep->count : 0);
}

static bool
select_machines(void *state, const struct poly_share *share)
{
	struct pipeline_simulation *sim = state;
	sim->is_elsewhere = share->index != 0;
	for (size_t i = 0; sim->sweep && i < sim->sweep->count; i++)
		sim->sweep->configs[i].is_elsewhere = !share_has(share, 1 + i);
	if (sim->sweep)
		pipeline_sweep_select(sim->sweep);
	if (!sim->is_elsewhere)
		return true;
	pipeline_stages_free(sim->stages);
	pipeline_stalls_free(sim->stalls);
	sim->stages = NULL;
	sim->stalls = NULL;
	return true;
}

void
pipeline_sum_swept(const struct pipeline_simulation *sim, uint64_t *cycles)
{
	memcpy(cycles, sim->sweep->cycles, sizeof sim->sweep->cycles);
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (sim->streams[i] && sim->is_counting)
			pipeline_sweep_stream_add(sim->streams[i]->sweep, cycles);
	}
}

static void
transfer_machines(void *state, const struct poly_share *share, struct archive *archive)
{
	struct pipeline_simulation *sim = state;
	uint64_t cycles[PIPELINE_SWEEP_MAX];
	if (!sim->sweep)
		return;
	pipeline_sum_swept(sim, cycles);
	for (size_t i = 0; i < sim->sweep->count; i++) {
		if (!share_has(share, 1 + i))
			continue;
		struct pipeline_sweep_counts counts =
			pipeline_sweep_count(sim->sweep, cycles, i);
		ARCHIVE(archive, counts.cycles);
		ARCHIVE(archive, counts.mispredictions);
		ARCHIVE(archive, counts.misses);
		sim->sweep->loaded[i] = counts;
	}
}

const struct analysis_machines pipeline_machines = {
	.count = count_machines,
	.select = select_machines,
	.transfer = transfer_machines,
};
