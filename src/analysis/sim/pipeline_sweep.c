/* SPDX-License-Identifier: MIT */
/*
 * Many pipelines over the same instructions: predictors and caches that are alike run once,
 * and pipelines in order that stand behind the same ones run in lanes.
 *
 * Bounded: PIPELINE_SWEEP_MOST pipelines a context.
 */
#include "analysis/sim/pipeline_sweep.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

struct pipeline_sweep_stream {
	struct pipeline_sweep *sweep;
	struct pipeline_front fronts[PIPELINE_SWEEP_MOST];
	struct pipeline_simd *lanes[PIPELINE_SWEEP_MOST]; /* by group */
	struct pipeline_ooo *ooo[PIPELINE_SWEEP_MOST];	  /* by pipeline; NULL: in order */
	uint64_t before[PIPELINE_SWEEP_MOST];
	struct pipeline_op ops[PIPELINE_BUFFER]; /* as a front has marked them */
	/* Of the buffer that is run: behind a front, by group and then by pipeline. */
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
			pipeline_simd_new(group->members, group->count, PIPELINE_BEST, NULL);
		ok = stream->lanes[i];
	}
	for (size_t i = 0; ok && i < sweep->count; i++) {
		if (!sweep->configs[i].machine.is_ooo)
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
	for (size_t i = 0; i < PIPELINE_SWEEP_MOST; i++) {
		pipeline_front_close(&stream->fronts[i]);
		pipeline_simd_free(stream->lanes[i]);
		pipeline_ooo_free(stream->ooo[i]);
	}
	mem_free(stream);
}

/* A group or, behind those, a pipeline, where it stands behind the front. */
static void
run_one(void *user, size_t i)
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

/* All pipelines behind a front. */
static void
run_behind(struct pipeline_sweep_stream *stream, const struct pipeline_buffer *buffer,
	uint32_t front)
{
	const struct pipeline_sweep *sweep = stream->sweep;
	stream->run = (struct pipeline_ops){
		stream->ops, buffer->addresses, buffer->sites, buffer->count};
	stream->front = front;
	thread_pool_for_each(sweep->team, run_one, stream, sweep->group_count + sweep->count);
}

void
pipeline_sweep_stream_run(
	struct pipeline_sweep_stream *stream, struct pipeline_buffer *buffer, bool counts)
{
	struct pipeline_sweep *sweep = stream->sweep;
	for (uint32_t i = 0; i < sweep->front_count; i++) {
		struct pipeline_sweep_front *front = &sweep->fronts[i];
		memcpy(stream->ops, buffer->ops, buffer->count * sizeof *buffer->ops);
		pipeline_front_mark(
			&stream->fronts[i], buffer, stream->ops, counts ? &front->met : NULL);
		run_behind(stream, buffer, i);
	}
}

static uint64_t
cycles_of(const struct pipeline_sweep_stream *stream, size_t i)
{
	const struct pipeline_sweep_config *config = &stream->sweep->configs[i];
	struct pipeline_result result;
	if (!stream->ooo[i])
		return pipeline_simd_cycles(stream->lanes[config->group], config->lane);
	pipeline_ooo_result(stream->ooo[i], &result);
	return result.cycles;
}

void
pipeline_sweep_stream_mark(struct pipeline_sweep_stream *stream)
{
	for (size_t i = 0; i < stream->sweep->count; i++)
		stream->before[i] = cycles_of(stream, i);
}

void
pipeline_sweep_stream_add(const struct pipeline_sweep_stream *stream, uint64_t *cycles)
{
	for (size_t i = 0; i < stream->sweep->count; i++)
		cycles[i] += cycles_of(stream, i) - stream->before[i];
}
