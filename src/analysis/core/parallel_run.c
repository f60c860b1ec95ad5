/* SPDX-License-Identifier: MIT */
/*
 * The caller fills a ring of blocks with rows. A task analyses a block as a part of the trace,
 * with states of its own; then the thread that completed the next block to be merged merges it,
 * and those after it.
 */
#include "analysis/core/parallel_run.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/task_queue.h"
#include "base/thread.h"
#include "model/info.h"
#include "model/row_buffer.h"

#include <string.h>

/* Batches of a block, each of which has a buffer. */
#define BLOCK_BATCHES ((size_t)64)

/* Copied rows of a batch. */
struct block_rows {
	struct row_buffer *buffer;
	uint32_t *picked;	     /* storage of picked; NULL: not needed so far */
	struct poly_trace_info info; /* of the trace when the rows were read */
};

struct block {
	struct task task;
	struct parallel_run *run;
	struct poly_stats *part; /* its results; empty until the task starts */
	struct block_rows batches[BLOCK_BATCHES];
	size_t batch_count, row_count;
	bool computed; /* the part has its rows; guarded by the run's lock */
};

struct parallel_run {
	struct poly_stats *whole;
	const struct poly_trace_info *own_info; /* of the trace */
	struct info_copy info;	      /* of the trace, with names of the rows so far */
	struct poly_trace_info begun; /* the same as its first row found it, for all parts */
	struct task_queue *queue;
	struct block *blocks; /* ring, by number */
	size_t block_count;
	size_t filled; /* number of the block that is being filled; all before it were added */
	pthread_mutex_t lock;	    /* guards the fields below */
	pthread_cond_t part_merged; /* or the merging thread has stopped */
	size_t merged;		    /* number of blocks */
	bool merging;		    /* a thread does it */
	bool failed;		    /* out of memory */
};

bool
parallel_run_suits(const struct poly_stats *stats)
{
	/* A reader of packed traces may group rows as long as weights are accepted. */
	if (thread_count(stats->options.threads) < 2 || stats->options.warmup ||
		stats->options.period || stats->effects ||
		(strcmp(stats->info->format, "ptz") == 0 && poly_stats_accepts_weights(stats)))
		return false;
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis *analysis = stats->instances[i].analysis;
		/* Functions of the caller are called by one thread at a time. */
		if (!analysis->merge || analysis->status || analysis->plugin)
			return false;
	}
	return stats->count > 0;
}

/* Frees the results of a part. */
static void
free_part(struct poly_stats *part)
{
	if (!part)
		return;
	for (size_t i = 0; i < part->count; i++) {
		struct analysis_instance *instance = &part->instances[i];
		if (instance->state && instance->analysis->fini)
			instance->analysis->fini(instance->state);
		mem_free(instance->state);
	}
	mem_free(part->instances);
	mem_free(part->due);
	slice_fini(&part->slice);
	contexts_fini(&part->contexts);
	static_ops_fini(&part->ops);
	mem_free(part);
}

/* Creates empty results with the options of a run. NULL: out of memory. */
static struct poly_stats *
new_part(const struct poly_stats *whole)
{
	struct poly_stats *part = mem_new(1, sizeof *part);
	if (!part)
		return NULL;
	part->options = whole->options;
	part->options.threads = 1;
	part->instances = mem_new(whole->count, sizeof *part->instances);
	part->due = mem_new(whole->count, sizeof *part->due);
	bool good = part->instances && part->due;
	while (good && part->count < whole->count) {
		struct analysis_instance *instance = &part->instances[part->count];
		instance->analysis = whole->instances[part->count].analysis;
		instance->values = whole->instances[part->count].values;
		part->count++;
		good = analysis_instance_start(instance, part, NULL) == POLY_OK;
	}
	if (good)
		return part;
	free_part(part);
	return NULL;
}

/* Creates the empty part of a block, of the run's trace. */
static enum poly_status
begin_part(struct block *block, struct poly_error *error)
{
	struct parallel_run *run = block->run;
	free_part(block->part);
	block->part = new_part(run->whole);
	if (!block->part)
		return err_memory(error);
	const enum poly_status status = poly_stats_begin(block->part, &run->begun, error);
	block->part->info = block->part->first_info = run->own_info;
	return status;
}

/* Analyses copied rows as those of a part of the trace. */
static bool
update_part(struct poly_stats *part, const struct block *block)
{
	bool good = true;
	for (size_t i = 0; good && i < block->batch_count; i++)
		good = poly_stats_update(part, &block->batches[i].buffer->view, NULL) >= 0;
	return good;
}

/* Merges rows of a batch in parts that are short enough to be merged. */
static enum poly_status
merge_short(struct block *block, const struct poly_batch *batch)
{
	struct slice slice = {0};
	enum poly_status status = POLY_ERR_MEMORY;
	if (begin_part(block, NULL) == POLY_OK &&
		poly_stats_update(block->part, batch, NULL) >= 0)
		status = stats_merge_part(block->run->whole, block->part, NULL);
	if (status != POLY_ERR_LIMIT || batch->rows == 1)
		return status;
	const size_t half = batch->rows / 2;
	status = slice_make(&slice, batch, 0, half, NULL);
	if (status == POLY_OK)
		status = merge_short(block, &slice.view);
	if (status == POLY_OK)
		status = slice_make(&slice, batch, half, batch->rows - half, NULL);
	if (status == POLY_OK)
		status = merge_short(block, &slice.view);
	slice_fini(&slice);
	return status;
}

/* Merges the results of a block; false: out of memory. */
static bool
merge_block(struct block *block)
{
	enum poly_status status = stats_merge_part(block->run->whole, block->part, NULL);
	if (status == POLY_ERR_LIMIT) {
		status = POLY_OK;
		for (size_t i = 0; status == POLY_OK && i < block->batch_count; i++)
			status = merge_short(block, &block->batches[i].buffer->view);
	}
	free_part(block->part);
	block->part = NULL;
	return status == POLY_OK;
}

/* Merges the blocks that are due, unless another thread does. */
static void
merge_due(struct parallel_run *run)
{
	pthread_mutex_lock(&run->lock);
	bool due = !run->merging;
	while (due) {
		struct block *block = &run->blocks[run->merged % run->block_count];
		due = block->computed && !run->failed;
		run->merging = due;
		if (!due)
			break;
		pthread_mutex_unlock(&run->lock);
		const bool good = merge_block(block);
		pthread_mutex_lock(&run->lock);
		block->computed = false;
		run->failed |= !good;
		run->merged++;
		pthread_cond_broadcast(&run->part_merged);
	}
	pthread_mutex_unlock(&run->lock);
}

/* Executes a task: analyses a block. */
static void
run_task(void *user, struct task *task)
{
	struct parallel_run *run = user;
	struct block *block = (struct block *)task;
	const bool good = begin_part(block, NULL) == POLY_OK && update_part(block->part, block);
	pthread_mutex_lock(&run->lock);
	block->computed = true;
	run->failed |= !good;
	pthread_cond_broadcast(&run->part_merged);
	pthread_mutex_unlock(&run->lock);
	merge_due(run);
}

/* Notes the trace of the next rows. False: out of memory. */
static bool
set_trace(struct parallel_run *run, const struct poly_trace_info *info)
{
	info_copy_fini(&run->info);
	run->own_info = info;
	const bool good = info_copy_update(&run->info, info);
	run->begun = run->info.info.view;
	return good;
}

static void
free_blocks(struct parallel_run *run)
{
	for (size_t i = 0; run->blocks && i < run->block_count; i++) {
		struct block *block = &run->blocks[i];
		for (size_t k = 0; k < BLOCK_BATCHES; k++) {
			row_buffer_free(block->batches[k].buffer);
			mem_free(block->batches[k].picked);
		}
		free_part(block->part);
	}
	mem_free(run->blocks);
}

struct parallel_run *
parallel_run_new(struct poly_stats *stats)
{
	const unsigned threads = thread_count(stats->options.threads);
	struct parallel_run *run = mem_new(1, sizeof *run);
	if (!run)
		return NULL;
	run->whole = stats;
	pthread_mutex_init(&run->lock, NULL);
	pthread_cond_init(&run->part_merged, NULL);
	run->block_count = threads + (size_t)2;
	run->blocks = mem_new(run->block_count, sizeof *run->blocks);
	for (size_t i = 0; run->blocks && i < run->block_count; i++)
		run->blocks[i].run = run;
	const bool good = set_trace(run, stats->info) && run->blocks;
	run->queue = good ? task_queue_new(threads - 1, run_task, run) : NULL;
	if (run->queue)
		return run;
	parallel_run_free(run);
	return NULL;
}

/* Waits until at most max blocks are not merged. */
static enum poly_status
reduce(struct parallel_run *run, size_t max, struct poly_error *error)
{
	task_queue_reduce(run->queue, max);
	pthread_mutex_lock(&run->lock);
	while (!run->failed && run->filled - run->merged > max)
		pthread_cond_wait(&run->part_merged, &run->lock);
	const bool failed = run->failed;
	pthread_mutex_unlock(&run->lock);
	return failed ? err_memory(error) : POLY_OK;
}

/* Adds the task of the block that is being filled; then the next block is free. */
static enum poly_status
add_block(struct parallel_run *run, struct poly_error *error)
{
	struct block *block = &run->blocks[run->filled % run->block_count];
	run->filled++;
	task_queue_add(run->queue, &block->task, false);
	const enum poly_status status = reduce(run, run->block_count - 1, error);
	struct block *next = &run->blocks[run->filled % run->block_count];
	next->batch_count = next->row_count = 0;
	return status;
}

enum poly_status
parallel_run_begin(
	struct parallel_run *run, const struct poly_trace_info *info, struct poly_error *error)
{
	enum poly_status status = parallel_run_drain(run, error);
	if (status != POLY_OK)
		return status;
	struct block *block = &run->blocks[run->filled % run->block_count];
	if (!set_trace(run, info))
		return err_memory(error);
	status = begin_part(block, error);
	if (status == POLY_OK) {
		run->whole->columns = block->part->columns;
		memcpy(run->whole->diagnostic, block->part->diagnostic,
			sizeof run->whole->diagnostic);
	}
	return status;
}

/* Prepares a buffer for rows of a batch; NULL: out of memory. */
static struct block_rows *
add_rows(struct block *block, const struct poly_batch *batch)
{
	struct block_rows *rows = &block->batches[block->batch_count];
	if (!rows->buffer)
		rows->buffer = row_buffer_new(POLY_BATCH_ROWS);
	if (batch->picked && !rows->picked)
		rows->picked = mem_new(POLY_BATCH_ROWS, sizeof *rows->picked);
	if (!rows->buffer || (batch->picked && !rows->picked))
		return NULL;
	struct poly_batch *view = &rows->buffer->view;
	row_buffer_clear(rows->buffer);
	view->info = &rows->info;
	view->first = batch->first;
	if (batch->picked) {
		memcpy(rows->picked, batch->picked, batch->rows * sizeof *rows->picked);
		view->picked = rows->picked;
	}
	block->batch_count++;
	return rows;
}

/* Returns the buffer that has room for the rows after its own; NULL: none. */
static struct block_rows *
find_room(struct block *block, const struct poly_batch *batch)
{
	struct block_rows *rows =
		block->batch_count ? &block->batches[block->batch_count - 1] : NULL;
	const struct poly_batch *view = rows ? &rows->buffer->view : NULL;
	if (!rows || batch->picked || view->picked ||
		batch->first != view->first + view->rows ||
		batch->rows > POLY_BATCH_ROWS - view->rows)
		return NULL;
	return rows;
}

enum poly_status
parallel_run_update(
	struct parallel_run *run, const struct poly_batch *batch, struct poly_error *error)
{
	struct block *block = &run->blocks[run->filled % run->block_count];
	if (!batch->rows)
		return POLY_OK;
	struct block_rows *rows = find_room(block, batch);
	if (!rows)
		rows = add_rows(block, batch);
	if (!rows || !info_copy_update(&run->info, batch->info) ||
		!row_buffer_append(rows->buffer, batch, 0, batch->rows))
		return err_memory(error);
	rows->info = run->info.info.view;
	block->row_count += batch->rows;
	return block->row_count >= run->whole->block_rows || block->batch_count == BLOCK_BATCHES
		       ? add_block(run, error)
		       : POLY_OK;
}

enum poly_status
parallel_run_drain(struct parallel_run *run, struct poly_error *error)
{
	if (!run)
		return POLY_OK;
	const struct block *block = &run->blocks[run->filled % run->block_count];
	const enum poly_status status = block->row_count ? add_block(run, error) : POLY_OK;
	return status == POLY_OK ? reduce(run, 0, error) : status;
}

void
parallel_run_free(struct parallel_run *run)
{
	if (!run)
		return;
	task_queue_free(run->queue);
	free_blocks(run);
	info_copy_fini(&run->info);
	pthread_cond_destroy(&run->part_merged);
	pthread_mutex_destroy(&run->lock);
	mem_free(run);
}
