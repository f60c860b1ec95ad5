/* SPDX-License-Identifier: MIT */
/*
 * A block of parts is filled, digested, and passed to the state. A round of the team digests a
 * block, and lets the state advance over the block of the round before; meanwhile the caller
 * fills the next one.
 */
#include "analysis/core/part_pipeline.h"

#include "base/mem.h"
#include "model/row_store.h"

#include <stdatomic.h>

/* Maximum number of parts of a block. */
#define PARTS_MAX 8

/* Teams up to this size need the caller for the tasks of a round. */
#define SMALL_TEAM 3

/* The rows of a part: all counted, or none. */
struct part_rows {
	struct row_store store;
	bool counts, is_real;
};

struct part_pipeline {
	const struct analysis *analysis;
	void *state;
	struct thread_pool *team;
	size_t part_count; /* maximum of a block */
	bool helps;	   /* the caller executes tasks while it waits */
	struct part_rows rows[2][PARTS_MAX];
	void *parts[2][PARTS_MAX];
	unsigned side; /* of rows: that are filled; of parts: that are digested next */
	size_t filled; /* parts that have rows */
	/* The round: */
	bool is_running;
	size_t digested; /* parts being digested, of the other side */
	size_t advanced; /* parts over which the state advances, of this side */
	atomic_bool failed;
};

static bool
open_parts(struct part_pipeline *pipeline)
{
	bool ok = true;
	for (size_t i = 0; i < 2 * pipeline->part_count; i++) {
		void **part = &pipeline->parts[i % 2][i / 2];
		*part = mem_new(1, pipeline->analysis->parts->part_size);
		ok = ok && *part;
	}
	return ok;
}

struct part_pipeline *
part_pipeline_new(const struct analysis *analysis, void *state, struct thread_pool *team,
	unsigned threads)
{
	struct part_pipeline *pipeline = mem_new(1, sizeof *pipeline);
	if (!pipeline)
		return NULL;
	pipeline->analysis = analysis;
	pipeline->state = state;
	pipeline->team = team;
	pipeline->part_count = 2 * threads < PARTS_MAX ? 2 * threads : PARTS_MAX;
	pipeline->helps = threads <= SMALL_TEAM;
	const struct analysis_parts *parts = analysis->parts;
	if (open_parts(pipeline) && (!parts->open || parts->open(state, threads)))
		return pipeline;
	part_pipeline_free(pipeline);
	return NULL;
}

static bool
digest(const struct part_pipeline *pipeline, struct part_rows *rows, void *part)
{
	const struct analysis_parts *parts = pipeline->analysis->parts;
	bool ok = true;
	parts->clear(part);
	for (size_t i = 0; i < rows->store.count && ok; i++)
		ok = parts->digest(pipeline->state, part,
			&(struct analysis_rows){.batch = rows->store.batches[i].view,
				.counts = rows->counts,
				.is_real = rows->is_real});
	row_store_clear(&rows->store);
	return ok;
}

static void
run_task(void *user, size_t i)
{
	struct part_pipeline *pipeline = user;
	const unsigned side = !pipeline->side;
	bool ok;
	if (i < pipeline->digested)
		ok = digest(pipeline, &pipeline->rows[side][i], pipeline->parts[side][i]);
	else
		ok = pipeline->analysis->parts->advance(pipeline->state, i - pipeline->digested,
			pipeline->parts[!side], pipeline->advanced);
	if (!ok)
		pipeline->failed = true;
}

/* Waits for the round. */
static void
end_round(struct part_pipeline *pipeline, bool helps)
{
	if (pipeline->is_running)
		thread_pool_wait(pipeline->team, helps);
	pipeline->is_running = false;
}

/* Ends the round, and starts that of the filled parts. */
static void
begin_round(struct part_pipeline *pipeline)
{
	end_round(pipeline, pipeline->helps);
	if (pipeline->failed)
		return;
	pipeline->advanced = pipeline->digested;
	pipeline->digested = pipeline->filled;
	pipeline->side = !pipeline->side;
	pipeline->filled = 0;
	const size_t tasks = pipeline->analysis->parts->task_count(pipeline->state);
	thread_pool_start(pipeline->team, run_task, pipeline,
		pipeline->digested + (pipeline->advanced ? tasks : 0));
	pipeline->is_running = pipeline->digested || pipeline->advanced;
}

/* Returns the part for further rows; NULL: out of memory. */
static struct part_rows *
find_part(struct part_pipeline *pipeline, const struct analysis_rows *rows)
{
	struct part_rows *part =
		pipeline->filled ? &pipeline->rows[pipeline->side][pipeline->filled - 1] : NULL;
	if (part && part->store.rows < pipeline->analysis->parts->rows &&
		!row_store_is_full(&part->store) && part->counts == rows->counts)
		return part;
	if (pipeline->filled == pipeline->part_count)
		begin_round(pipeline);
	if (pipeline->failed)
		return NULL;
	part = &pipeline->rows[pipeline->side][pipeline->filled++];
	part->counts = rows->counts;
	part->is_real = rows->is_real;
	return part;
}

bool
part_pipeline_add(struct part_pipeline *pipeline, const struct analysis_rows *rows)
{
	struct part_rows *part = find_part(pipeline, rows);
	return part && row_store_add(&part->store, rows->batch, NULL);
}

bool
part_pipeline_drain(struct part_pipeline *pipeline)
{
	while (!pipeline->failed &&
		(pipeline->filled || pipeline->digested || pipeline->advanced))
		begin_round(pipeline);
	end_round(pipeline, true);
	return !pipeline->failed;
}

/* The parts of part_pipeline_advance. */
struct outside_parts {
	struct part_pipeline *pipeline;
	void *const *parts;
	size_t count;
};

static void
advance_task(void *user, size_t i)
{
	const struct outside_parts *outside = user;
	struct part_pipeline *pipeline = outside->pipeline;
	if (!pipeline->analysis->parts->advance(
		    pipeline->state, i, outside->parts, outside->count))
		pipeline->failed = true;
}

bool
part_pipeline_advance(struct part_pipeline *pipeline, void *const *parts, size_t count)
{
	struct outside_parts outside = {pipeline, parts, count};
	if (!part_pipeline_drain(pipeline))
		return false;
	thread_pool_start(pipeline->team, advance_task, &outside,
		pipeline->analysis->parts->task_count(pipeline->state));
	thread_pool_wait(pipeline->team, pipeline->helps);
	return !pipeline->failed;
}

void
part_pipeline_free(struct part_pipeline *pipeline)
{
	if (!pipeline)
		return;
	end_round(pipeline, true);
	for (unsigned side = 0; side < 2; side++) {
		for (size_t i = 0; i < PARTS_MAX; i++) {
			row_store_fini(&pipeline->rows[side][i].store);
			if (pipeline->parts[side][i])
				pipeline->analysis->parts->fini(pipeline->parts[side][i]);
			mem_free(pipeline->parts[side][i]);
		}
	}
	mem_free(pipeline);
}
