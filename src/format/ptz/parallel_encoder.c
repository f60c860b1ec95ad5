/* SPDX-License-Identifier: MIT */
/*
 * A segment is a task. The size of a segment whose plan is on trial depends on the plan, so the
 * trial is a task of its own; rows that follow wait in a backlog until it is done, and the task
 * of the rest of the segment continues with the dictionary of the trial.
 */
#include "format/ptz/parallel_encoder.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/task_queue.h"
#include "base/thread.h"
#include "model/row_buffer.h"

/* Rows that wait for a trial, at most. */
#define BACKLOG_MAX 262144

struct block_list {
	struct row_buffer *first, *last;
};

/* A segment, collected, waiting or encoded. */
struct segment_job {
	struct task task; /* the first member */
	struct block_list blocks;
	struct ptz_extent extent;
	struct ptz_begin begin;
	struct ptz_names names;
	struct ptz_choice choice;
	bool trying;			 /* the next run chooses the plan */
	bool is_last;			 /* the next run ends the segment, whatever its size */
	struct segment_encoder *encoder; /* has the rows of the trial; or NULL */
	bool ended;			 /* encoded, or failed */
	struct ptz_packed packed;
	struct ptz_range range[PTZ_RANGES];
	enum poly_status status;
	struct poly_error error;
};

struct parallel_encoder {
	struct parallel_plan plan;
	struct task_queue *queue; /* NULL: the caller runs the tasks */
	bool queue_tried;
	struct ptz_names names;
	struct segment_job *jobs; /* a ring */
	size_t capacity, first, count;
	struct segment_job
		*open; /* collects rows, or is on trial; the last in the ring; or NULL */
	bool on_trial; /* open is a task */
	struct ptz_choice choice; /* for the next segment */
	struct ptz_trials trials;
	uint64_t records;	  /* before the next segment */
	uint32_t number;	  /* of the last segment */
	struct row_buffer *block; /* being filled; or NULL */
	struct block_list backlog;
	size_t backlog_rows;
	pthread_mutex_t lock; /* guards the following members */
	struct block_list free_blocks;
	struct segment_encoder *free_encoders;
};

static void
append_block(struct block_list *list, struct row_buffer *block)
{
	block->next = NULL;
	if (list->first)
		list->last->next = block;
	else
		list->first = block;
	list->last = block;
}

/* Removes and returns the first block; NULL: there is none. */
static struct row_buffer *
first_block(struct block_list *list)
{
	struct row_buffer *block = list->first;
	if (block)
		list->first = block->next;
	return block;
}

static void
free_blocks(struct block_list *list)
{
	struct row_buffer *block;
	while ((block = first_block(list)) != NULL)
		row_buffer_free(block);
}

/* Returns an empty block; NULL: out of memory. */
static struct row_buffer *
get_block(struct parallel_encoder *parallel)
{
	pthread_mutex_lock(&parallel->lock);
	struct row_buffer *block = first_block(&parallel->free_blocks);
	pthread_mutex_unlock(&parallel->lock);
	return block ? block : row_buffer_new(ptz_check_interval(parallel->plan.rows_max));
}

static void
recycle_block(struct parallel_encoder *parallel, struct row_buffer *block)
{
	row_buffer_clear(block);
	pthread_mutex_lock(&parallel->lock);
	block->next = parallel->free_blocks.first;
	parallel->free_blocks.first = block;
	pthread_mutex_unlock(&parallel->lock);
}

/* Gives a job an encoder. */
static enum poly_status
get_encoder(struct parallel_encoder *parallel, struct segment_job *job)
{
	pthread_mutex_lock(&parallel->lock);
	job->encoder = parallel->free_encoders;
	if (job->encoder)
		parallel->free_encoders = job->encoder->next;
	pthread_mutex_unlock(&parallel->lock);
	const enum poly_status status = job->encoder ? POLY_OK
						     : segment_encoder_new(parallel->plan.level,
							       &job->encoder, &job->error);
	if (status != POLY_OK)
		return status;
	job->encoder->choice = job->choice;
	job->encoder->trying = job->trying;
	return POLY_OK;
}

static void
recycle_encoder(struct parallel_encoder *parallel, struct segment_job *job)
{
	if (!job->encoder)
		return;
	segment_encoder_clear(job->encoder);
	pthread_mutex_lock(&parallel->lock);
	job->encoder->next = parallel->free_encoders;
	parallel->free_encoders = job->encoder;
	pthread_mutex_unlock(&parallel->lock);
	job->encoder = NULL;
}

/* Adds the blocks of a job to its encoder, which frees them for other rows. */
static enum poly_status
add_blocks(struct parallel_encoder *parallel, struct segment_job *job)
{
	struct row_buffer *block;
	while ((block = first_block(&job->blocks)) != NULL) {
		const bool good = segment_encoder_add(job->encoder, &block->view);
		recycle_block(parallel, block);
		if (!good)
			return err_memory(&job->error);
	}
	return POLY_OK;
}

/* Encodes the segment, whose rows have been added. */
static enum poly_status
pack_job(struct segment_job *job)
{
	struct segment_encoder *encoder = job->encoder;
	const struct ptz_segment *segment = segment_encoder_segment(encoder);
	const enum poly_status status = segment_encoder_pack(encoder, &job->begin, &job->error);
	for (size_t i = 0; i < PTZ_RANGES; i++)
		job->range[i] = segment->range[i];
	job->packed = encoder->packed;
	encoder->packed = (struct ptz_packed){0};
	return status;
}

/* Executes a job, in any thread. */
static void
run_job(void *user, struct task *task)
{
	struct parallel_encoder *parallel = user;
	struct segment_job *job = (struct segment_job *)task;
	enum poly_status status = job->encoder ? POLY_OK : get_encoder(parallel, job);
	if (status == POLY_OK) {
		job->encoder->packer.names = &job->names;
		status = add_blocks(parallel, job);
	}
	if (status == POLY_OK && job->trying) {
		status = segment_encoder_choose_plan(job->encoder, &job->error);
		job->choice = job->encoder->choice;
		job->trying = false;
	}
	job->ended = status != POLY_OK || job->is_last ||
		     ptz_is_full(&job->extent, &job->choice, parallel->plan.rows_max);
	if (status == POLY_OK && job->ended)
		status = pack_job(job);
	job->status = status;
	if (job->ended)
		recycle_encoder(parallel, job);
}

/* Waits until a job is done; executes others in the meantime. */
static void
finish_job(struct parallel_encoder *parallel, const struct segment_job *job)
{
	if (parallel->queue)
		task_queue_finish(parallel->queue, &job->task);
}

static bool
is_done(struct parallel_encoder *parallel, const struct segment_job *job)
{
	return parallel->queue ? task_queue_is_done(parallel->queue, &job->task)
			       : job->task.done;
}

/* Writes the first segment of the ring, which is encoded, and removes it. */
static enum poly_status
write_first(struct parallel_encoder *parallel, struct poly_error *error)
{
	struct segment_job *job = &parallel->jobs[parallel->first];
	const struct ptz_encoded encoded = {.packed = &job->packed,
		.begin = job->begin,
		.rows = job->extent.rows,
		.range = {job->range[0], job->range[1], job->range[2]}};
	enum poly_status status = job->status;
	if (status != POLY_OK && error)
		*error = job->error;
	if (status == POLY_OK)
		status = parallel->plan.write(parallel->plan.user, &encoded, error);
	free_blocks(&job->blocks);
	buf_free(&job->packed.front);
	buf_free(&job->packed.streams);
	*job = (struct segment_job){0};
	parallel->first = (parallel->first + 1) % parallel->capacity;
	parallel->count--;
	return status;
}

/* Returns whether the first segment of the ring is encoded, and not on trial. */
static bool
is_first_ready(struct parallel_encoder *parallel)
{
	const struct segment_job *job = &parallel->jobs[parallel->first];
	return parallel->count && job != parallel->open && is_done(parallel, job);
}

/* Writes the segments that are encoded, in order. */
static enum poly_status
write_ready(struct parallel_encoder *parallel, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && is_first_ready(parallel))
		status = write_first(parallel, error);
	return status;
}

/* Starts the threads; without them, the caller executes the tasks. */
static void
start_threads(struct parallel_encoder *parallel)
{
	if (!parallel->queue_tried)
		parallel->queue = task_queue_new(parallel->plan.threads - 1, run_job, parallel);
	parallel->queue_tried = true;
}

/* Executes the open job, or lets threads do it. */
static enum poly_status
submit_open(struct parallel_encoder *parallel, struct poly_error *error)
{
	struct segment_job *job = parallel->open;
	if (!ptz_names_extend(&parallel->names, parallel->plan.info))
		return err_memory(error);
	job->names = parallel->names;
	/* Of a short trace, the only segment needs no threads. */
	if (!job->is_last)
		start_threads(parallel);
	if (parallel->queue) {
		task_queue_add(parallel->queue, &job->task, job->trying);
		/* Segments that may exceed a limit are encoded before later rows are read. */
		task_queue_reduce(parallel->queue,
			job->extent.bytes > 2 * PTZ_SLICES_MAX ? 0 : parallel->plan.threads);
	} else {
		run_job(parallel, &job->task);
		job->task.done = true;
	}
	return POLY_OK;
}

/* Starts the next segment. */
static enum poly_status
open_job(struct parallel_encoder *parallel, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (parallel->count == parallel->capacity) {
		finish_job(parallel, &parallel->jobs[parallel->first]);
		status = write_first(parallel, error);
	}
	if (status != POLY_OK)
		return status;
	const size_t index = (parallel->first + parallel->count++) % parallel->capacity;
	parallel->open = &parallel->jobs[index];
	*parallel->open = (struct segment_job){.choice = parallel->choice,
		.trying = ptz_next_is_trial(&parallel->trials),
		.begin = {parallel->records, ++parallel->number}};
	return POLY_OK;
}

/* Ends the open segment, which is a task. */
static void
close_job(struct parallel_encoder *parallel)
{
	parallel->records += parallel->open->extent.rows;
	parallel->open = NULL;
}

/* Adds a block to the open segment. */
static enum poly_status
add_to_segment(
	struct parallel_encoder *parallel, struct row_buffer *block, struct poly_error *error)
{
	const size_t rows_max = parallel->plan.rows_max;
	enum poly_status status = parallel->open ? POLY_OK : open_job(parallel, error);
	if (status != POLY_OK) {
		row_buffer_free(block);
		return status;
	}
	struct segment_job *job = parallel->open;
	append_block(&job->blocks, block);
	job->extent.rows += block->view.rows;
	job->extent.bytes += block->arena.size;
	if (job->trying && ptz_ends_trial(&job->extent, &job->choice, rows_max)) {
		parallel->on_trial = true;
		return submit_open(parallel, error);
	}
	if (job->trying || !ptz_is_full(&job->extent, &job->choice, rows_max))
		return POLY_OK;
	status = submit_open(parallel, error);
	close_job(parallel);
	return status;
}

/* Waits for the trial, and divides the rows after it. */
static enum poly_status
end_trial(struct parallel_encoder *parallel, struct poly_error *error)
{
	struct segment_job *job = parallel->open;
	enum poly_status status = POLY_OK;
	struct row_buffer *block;
	finish_job(parallel, job);
	parallel->on_trial = false;
	parallel->choice = job->choice;
	if (job->ended)
		close_job(parallel);
	while (status == POLY_OK && !parallel->on_trial &&
		(block = first_block(&parallel->backlog)) != NULL) {
		parallel->backlog_rows -= block->view.rows;
		status = add_to_segment(parallel, block, error);
	}
	return status;
}

/* Adds the block that was filled. */
static enum poly_status
add_block(struct parallel_encoder *parallel, struct poly_error *error)
{
	struct row_buffer *block = parallel->block;
	enum poly_status status = POLY_OK;
	parallel->block = NULL;
	if (!parallel->on_trial) {
		status = add_to_segment(parallel, block, error);
	} else {
		append_block(&parallel->backlog, block);
		parallel->backlog_rows += block->view.rows;
	}
	if (status == POLY_OK && parallel->on_trial &&
		(is_done(parallel, parallel->open) || parallel->backlog_rows >= BACKLOG_MAX))
		status = end_trial(parallel, error);
	return status == POLY_OK ? write_ready(parallel, error) : status;
}

enum poly_status
parallel_encoder_add(struct parallel_encoder *parallel, const struct poly_batch *batch,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	size_t rows;
	for (size_t row = 0; row < batch->rows && status == POLY_OK; row += rows) {
		struct row_buffer *block =
			parallel->block ? parallel->block : get_block(parallel);
		parallel->block = block;
		if (!block)
			return err_memory(error);
		const size_t room = block->capacity - block->view.rows,
			     left = batch->rows - row;
		rows = left < room ? left : room;
		if (!row_buffer_append(block, batch, row, rows))
			return err_memory(error);
		if (block->view.rows == block->capacity)
			status = add_block(parallel, error);
	}
	return status;
}

enum poly_status
parallel_encoder_finish(struct parallel_encoder *parallel, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && parallel->on_trial)
		status = end_trial(parallel, error);
	if (status == POLY_OK && parallel->block && parallel->block->view.rows)
		status = add_block(parallel, error);
	while (status == POLY_OK && parallel->on_trial)
		status = end_trial(parallel, error);
	if (status == POLY_OK && parallel->open) {
		parallel->open->is_last = true;
		status = submit_open(parallel, error);
		close_job(parallel);
	}
	while (status == POLY_OK && parallel->count) {
		finish_job(parallel, &parallel->jobs[parallel->first]);
		status = write_first(parallel, error);
	}
	return status;
}

struct parallel_encoder *
parallel_encoder_new(const struct parallel_plan *plan, struct segment_encoder *encoder)
{
	struct parallel_encoder *parallel = mem_new(1, sizeof *parallel);
	if (!parallel)
		return NULL;
	parallel->plan = *plan;
	parallel->records = plan->begin.first;
	parallel->number = plan->begin.number;
	pthread_mutex_init(&parallel->lock, NULL);
	parallel->capacity = 2 * (size_t)plan->threads + 2;
	parallel->jobs = mem_new(parallel->capacity, sizeof *parallel->jobs);
	if (parallel->jobs) {
		parallel->free_encoders = encoder;
		return parallel;
	}
	parallel_encoder_free(parallel);
	return NULL;
}

void
parallel_encoder_free(struct parallel_encoder *parallel)
{
	if (!parallel)
		return;
	task_queue_free(parallel->queue);
	for (size_t i = 0; parallel->jobs && i < parallel->capacity; i++) {
		struct segment_job *job = &parallel->jobs[i];
		free_blocks(&job->blocks);
		segment_encoder_free(job->encoder);
		buf_free(&job->packed.front);
		buf_free(&job->packed.streams);
	}
	while (parallel->free_encoders) {
		struct segment_encoder *encoder = parallel->free_encoders;
		parallel->free_encoders = encoder->next;
		segment_encoder_free(encoder);
	}
	row_buffer_free(parallel->block);
	free_blocks(&parallel->backlog);
	free_blocks(&parallel->free_blocks);
	ptz_names_free(&parallel->names);
	pthread_mutex_destroy(&parallel->lock);
	mem_free(parallel->jobs);
	mem_free(parallel);
}
