/* SPDX-License-Identifier: MIT */
/*
 * The caller fills a ring of blocks with rows. A task analyses a block as a part of the trace,
 * with states of its own; then the thread that completed the next block to be merged merges it,
 * and those after it.
 */
#include "analysis/core/parallel_run.h"

#include "analysis/core/part.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/task_queue.h"
#include "base/thread.h"
#include "model/info.h"
#include "model/row_store.h"

#include <assert.h>

/* Maximum rows of all blocks, about. */
#define ROWS_MAX ((size_t)1 << 21)

struct run_block {
	struct task task;
	struct parallel_run *run;
	struct poly_stats *part;      /* its results; empty until the task starts */
	struct decoder_part *decoded; /* instead of rows; or NULL */
	struct row_store rows;
	bool computed; /* the part has its rows; guarded by the run's lock */
};

struct parallel_run {
	struct poly_stats *whole;
	const struct poly_trace_info *own_info; /* of the trace */
	struct info_copy info;	      /* of the trace, with names of the rows so far */
	struct poly_trace_info begun; /* the same as its first row found it, for all parts */
	struct task_queue *queue;
	struct run_block *blocks; /* ring, by number */
	size_t block_count;
	size_t block_rows; /* minimum rows of a block, unless their store is full */
	size_t filled; /* number of the block that is being filled; all before it were added */
	pthread_mutex_t lock;	    /* guards the fields below */
	pthread_cond_t part_merged; /* or the merging thread has stopped */
	size_t merged;		    /* number of blocks */
	bool merging;		    /* a thread does it */
	bool failed;		    /* out of memory */
};

/* Creates the empty part of a block, of the run's trace; false: out of memory. */
static bool
begin_part(struct run_block *block)
{
	struct parallel_run *run = block->run;
	part_free(block->part);
	block->part = part_new(run->whole);
	if (!block->part || stats_begin(block->part, &run->begun, NULL) != POLY_OK)
		return false;
	block->part->info = block->part->first_info = run->own_info;
	return true;
}

/* Analyses the rows of a block as those of a part of the trace. */
static bool
update_part(struct poly_stats *part, const struct run_block *block)
{
	bool good = true;
	for (size_t i = 0; good && i < block->rows.count; i++)
		good = stats_update(part, block->rows.batches[i].view, NULL) >= 0;
	return good;
}

/* Merges rows of a batch in parts that are short enough to be merged. */
static enum poly_status
merge_short(struct run_block *block, const struct poly_batch *batch)
{
	struct slice slice = {0};
	enum poly_status status = POLY_ERR_MEMORY;
	if (begin_part(block) && stats_update(block->part, batch, NULL) >= 0)
		status = stats_merge(block->run->whole, block->part, NULL);
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
merge_block(struct run_block *block)
{
	const struct poly_stats *part =
		block->decoded ? decoder_part_stats(block->decoded) : block->part;
	enum poly_status status = stats_merge(block->run->whole, part, NULL);
	if (status == POLY_ERR_LIMIT) {
		assert(!block->decoded); /* it has no rows, but is short enough */
		status = POLY_OK;
		for (size_t i = 0; status == POLY_OK && i < block->rows.count; i++)
			status = merge_short(block, block->rows.batches[i].view);
	}
	part_free(block->part);
	block->part = NULL;
	decoder_part_free(block->decoded);
	block->decoded = NULL;
	row_store_clear(&block->rows);
	return status == POLY_OK;
}

/* Merges the blocks that are due, unless another thread does. */
static void
merge_due(struct parallel_run *run)
{
	pthread_mutex_lock(&run->lock);
	bool due = !run->merging;
	while (due) {
		struct run_block *block = &run->blocks[run->merged % run->block_count];
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
	struct run_block *block = (struct run_block *)task;
	const bool good =
		block->decoded || (begin_part(block) && update_part(block->part, block));
	pthread_mutex_lock(&run->lock);
	block->computed = true;
	run->failed |= !good;
	pthread_cond_broadcast(&run->part_merged);
	pthread_mutex_unlock(&run->lock);
	merge_due(run);
}

static void
free_blocks(struct parallel_run *run)
{
	for (size_t i = 0; run->blocks && i < run->block_count; i++) {
		struct run_block *block = &run->blocks[i];
		row_store_fini(&block->rows);
		part_free(block->part);
		decoder_part_free(block->decoded);
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
	run->block_rows = stats->block_rows < ROWS_MAX / run->block_count
				  ? stats->block_rows
				  : ROWS_MAX / run->block_count;
	run->blocks = mem_new(run->block_count, sizeof *run->blocks);
	for (size_t i = 0; run->blocks && i < run->block_count; i++)
		run->blocks[i].run = run;
	run->own_info = stats->info;
	const bool good = info_copy_update(&run->info, stats->info) && run->blocks;
	run->begun = run->info.info.view;
	run->begun.record_count = stats->begun_records;
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
	pthread_mutex_lock(&run->lock);
	while (!run->failed && run->filled - run->merged > max)
		pthread_cond_wait(&run->part_merged, &run->lock);
	const bool failed = run->failed;
	pthread_mutex_unlock(&run->lock);
	return failed ? err_memory(error) : POLY_OK;
}

/* Returns the status of the run, after which no block is filled if it failed. */
static enum poly_status
check(struct parallel_run *run, bool good, struct poly_error *error)
{
	pthread_mutex_lock(&run->lock);
	run->failed |= !good;
	const bool failed = run->failed;
	pthread_mutex_unlock(&run->lock);
	return failed ? err_memory(error) : POLY_OK;
}

/* Adds the task of the block that is being filled; then the next block is free. */
static enum poly_status
add_block(struct parallel_run *run, struct poly_error *error)
{
	struct run_block *block = &run->blocks[run->filled % run->block_count];
	run->filled++;
	task_queue_add(run->queue, &block->task, false);
	return reduce(run, run->block_count - 1, error);
}

enum poly_status
parallel_run_update(
	struct parallel_run *run, const struct poly_batch *batch, struct poly_error *error)
{
	struct run_block *block = &run->blocks[run->filled % run->block_count];
	enum poly_status status = check(run, true, error);
	if (status != POLY_OK || !batch->rows)
		return status;
	const bool good = info_copy_update(&run->info, batch->info) &&
			  row_store_add(&block->rows, batch, &run->info.info.view);
	status = check(run, good, error);
	if (status != POLY_OK)
		return status;
	return block->rows.rows >= run->block_rows || row_store_is_full(&block->rows)
		       ? add_block(run, error)
		       : POLY_OK;
}

enum poly_status
parallel_run_add(struct parallel_run *run, struct decoder_part *part, struct poly_error *error)
{
	struct run_block *block = &run->blocks[run->filled % run->block_count];
	enum poly_status status = check(run, true, error);
	if (status == POLY_OK && block->rows.rows)
		status = add_block(run, error);
	if (status != POLY_OK) {
		decoder_part_free(part);
		return status;
	}
	run->blocks[run->filled % run->block_count].decoded = part;
	return add_block(run, error);
}

enum poly_status
parallel_run_drain(struct parallel_run *run, struct poly_error *error)
{
	if (!run)
		return POLY_OK;
	const struct run_block *block = &run->blocks[run->filled % run->block_count];
	enum poly_status status = check(run, true, error);
	if (status == POLY_OK && block->rows.rows)
		status = add_block(run, error);
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
