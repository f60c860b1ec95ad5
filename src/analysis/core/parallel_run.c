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
#include "model/batch_hold.h"
#include "model/info.h"
#include "model/row_buffer.h"

/* Maximum rows of all blocks, about. */
#define ROWS_MAX ((size_t)1 << 21)

/* Batches of a block, each of which has a buffer. */
#define BLOCK_BATCHES ((size_t)64)

/* Minimum rows of a batch that is held; fewer rows are copied. */
#define HOLD_ROWS (POLY_BATCH_ROWS / 8)

/* Rows of a batch that is held, or of batches that are copied. */
struct block_rows {
	const struct poly_batch *view;
	struct poly_trace_info info; /* of the trace when the rows were read */
	bool is_held;
	struct batch_hold hold;
	struct poly_batch held;	   /* the rows of hold, with this info */
	struct row_buffer *buffer; /* of copied rows; NULL: not needed so far */
	uint32_t *picked;	   /* storage of picked; NULL: not needed so far */
};

struct run_block {
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
	struct run_block *blocks; /* ring, by number */
	size_t block_count;
	size_t block_rows; /* minimum rows of a block, unless it has BLOCK_BATCHES */
	size_t filled; /* number of the block that is being filled; all before it were added */
	pthread_mutex_t lock;	    /* guards the fields below */
	pthread_cond_t part_merged; /* or the merging thread has stopped */
	size_t merged;		    /* number of blocks */
	bool merging;		    /* a thread does it */
	bool failed;		    /* out of memory */
};

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
begin_part(struct run_block *block, struct poly_error *error)
{
	struct parallel_run *run = block->run;
	free_part(block->part);
	block->part = new_part(run->whole);
	if (!block->part)
		return err_memory(error);
	const enum poly_status status = stats_begin(block->part, &run->begun, error);
	block->part->info = block->part->first_info = run->own_info;
	return status;
}

/* Analyses copied rows as those of a part of the trace. */
static bool
update_part(struct poly_stats *part, const struct run_block *block)
{
	bool good = true;
	for (size_t i = 0; good && i < block->batch_count; i++)
		good = stats_update(part, block->batches[i].view, NULL) >= 0;
	return good;
}

/* Merges rows of a batch in parts that are short enough to be merged. */
static enum poly_status
merge_short(struct run_block *block, const struct poly_batch *batch)
{
	struct slice slice = {0};
	enum poly_status status = POLY_ERR_MEMORY;
	if (begin_part(block, NULL) == POLY_OK && stats_update(block->part, batch, NULL) >= 0)
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

/* Ends the holds of a block. */
static void
release_rows(struct run_block *block)
{
	for (size_t i = 0; i < block->batch_count; i++) {
		if (block->batches[i].is_held)
			batch_hold_release(&block->batches[i].hold);
		block->batches[i].is_held = false;
	}
}

/* Merges the results of a block; false: out of memory. */
static bool
merge_block(struct run_block *block)
{
	enum poly_status status = stats_merge(block->run->whole, block->part, NULL);
	if (status == POLY_ERR_LIMIT) {
		status = POLY_OK;
		for (size_t i = 0; status == POLY_OK && i < block->batch_count; i++)
			status = merge_short(block, block->batches[i].view);
	}
	free_part(block->part);
	block->part = NULL;
	release_rows(block);
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
	const bool good = begin_part(block, NULL) == POLY_OK && update_part(block->part, block);
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
		release_rows(block);
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
	const enum poly_status status = reduce(run, run->block_count - 1, error);
	struct run_block *next = &run->blocks[run->filled % run->block_count];
	if (status == POLY_OK)
		next->batch_count = next->row_count = 0;
	return status;
}

/* Holds the rows of a batch; returns whether it is long enough, and can be held. */
static bool
hold_rows(struct block_rows *rows, const struct poly_batch *batch)
{
	rows->is_held = batch->rows >= HOLD_ROWS && batch_hold(batch, &rows->hold);
	if (rows->is_held) {
		rows->held = *rows->hold.batch;
		rows->held.info = &rows->info;
		rows->view = &rows->held;
	}
	return rows->is_held;
}

/* Prepares an empty buffer; returns false if out of memory. */
static bool
begin_copy(struct block_rows *rows, const struct poly_batch *batch)
{
	if (!rows->buffer)
		rows->buffer = row_buffer_new(POLY_BATCH_ROWS);
	if (!rows->buffer)
		return false;
	row_buffer_clear(rows->buffer);
	rows->buffer->view.info = &rows->info;
	rows->buffer->view.first = batch->first;
	rows->view = &rows->buffer->view;
	return true;
}

/* Sets the numbers of rows that are to be appended; returns false if out of memory. */
static bool
append_numbers(struct block_rows *rows, const struct poly_batch *batch)
{
	struct poly_batch *view = &rows->buffer->view;
	const bool follows = batch->first == view->first + view->rows;
	if (!view->picked && !batch->picked && follows)
		return true;
	if (!rows->picked)
		rows->picked = mem_new(POLY_BATCH_ROWS, sizeof *rows->picked);
	if (!rows->picked)
		return false;
	for (size_t row = 0; !view->picked && row < view->rows; row++)
		rows->picked[row] = (uint32_t)row;
	for (size_t row = 0; row < batch->rows; row++)
		rows->picked[view->rows + row] =
			(uint32_t)(poly_batch_number(batch, row) - 1 - view->first);
	view->picked = rows->picked;
	return true;
}

/* Copies the rows of a batch after those copied before; returns false if out of memory. */
static bool
copy_rows(struct block_rows *rows, const struct poly_batch *batch)
{
	return append_numbers(rows, batch) &&
	       row_buffer_append(rows->buffer, batch, 0, batch->rows);
}

/* Returns whether copied rows have room for those of a batch. */
static bool
has_room(const struct block_rows *rows, const struct poly_batch *batch)
{
	const struct poly_batch *view = rows->view;
	return !rows->is_held && batch->rows <= POLY_BATCH_ROWS - view->rows &&
	       poly_batch_number(batch, batch->rows - 1) - view->first <= UINT32_MAX;
}

/* Adds the rows of a batch to a block; returns false if out of memory. */
static bool
add_rows(struct parallel_run *run, struct run_block *block, const struct poly_batch *batch)
{
	struct block_rows *rows = &block->batches[block->batch_count];
	if (!info_copy_update(&run->info, batch->info))
		return false;
	bool good = true;
	if (block->batch_count && has_room(rows - 1, batch)) {
		rows--;
		good = copy_rows(rows, batch);
	} else {
		block->batch_count++;
		good = hold_rows(rows, batch) ||
		       (begin_copy(rows, batch) && copy_rows(rows, batch));
	}
	rows->info = run->info.info.view;
	block->row_count += batch->rows;
	return good;
}

enum poly_status
parallel_run_update(
	struct parallel_run *run, const struct poly_batch *batch, struct poly_error *error)
{
	struct run_block *block = &run->blocks[run->filled % run->block_count];
	enum poly_status status = check(run, true, error);
	if (status != POLY_OK || !batch->rows)
		return status;
	status = check(run, add_rows(run, block, batch), error);
	if (status != POLY_OK)
		return status;
	return block->row_count >= run->block_rows || block->batch_count == BLOCK_BATCHES
		       ? add_block(run, error)
		       : POLY_OK;
}

enum poly_status
parallel_run_drain(struct parallel_run *run, struct poly_error *error)
{
	if (!run)
		return POLY_OK;
	const struct run_block *block = &run->blocks[run->filled % run->block_count];
	enum poly_status status = check(run, true, error);
	if (status == POLY_OK && block->row_count)
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
