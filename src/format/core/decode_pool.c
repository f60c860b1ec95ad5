/* SPDX-License-Identifier: MIT */
/*
 * A ring of chunks. Each worker claims the next free slot, reads the bytes of its chunk,
 * prepends the rest of the previous chunk as soon as that is read, and decodes. The reader
 * receives the rows of one chunk after the other. Compressed input is read by one worker at a
 * time.
 *
 * If split points are guesses, a chunk is used only if the previous one ends there: a worker
 * that decoded that one makes it irregular otherwise, and the reader, which decodes irregular
 * chunks, continues into the next chunk. If more guesses are wrong than right, the reader
 * decodes alone for a while.
 */
#include "format/core/decode_pool.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "format/core/chunk_bytes.h"
#include "format/core/decode_ring.h"
#include "io/source.h"

#include <pthread.h>
#include <string.h>

/* Bytes of a chunk: small enough for the private cache of a CPU. */
#define CHUNK_SIZE ((size_t)256 << 10)

/* Maximum bytes of a chunk that decoders work on, if it must be loaded. */
#define LOADED_CHUNK_SIZE ((size_t)8 << 20)

/* Maximum of all chunks that decoders work on, which limits the memory of parts: these bytes,
 * and some chunks. */
#define WORK_SIZE ((size_t)64 << 20)
#define WORK_CHUNKS_MAX 8

/* Chunks per thread of an input that decoders work on, unless their size is at a bound. */
#define WORK_CHUNKS 8

/* Minimum and maximum pause: such chunks whose rows are stored after work in vain, or rings of
 * small chunks in which no split point is guessed. */
enum { PAUSE_MIN = 4, PAUSE_MAX = 64 };

/* Minimum: each chunk has a fixed cost. */
#define CHUNK_MIN ((size_t)64)

/* Minimum number of other threads for which the reader only delivers. */
#define WAITING_MIN 7

/* Guesses that were right count up to this against later wrong ones. */
#define CREDIT_MAX 4

/* Returns the chunks of the ring: per thread one in work and one waiting, and two for the
 * reader. */
static size_t
slot_count(unsigned threads)
{
	return 2 * (size_t)threads + 2;
}

size_t
decode_pool_work_size(const struct in *in, unsigned threads, size_t max)
{
	uint64_t taken, total;
	in_progress(in, &taken, &total);
	if (!in_is_random(in) && max > LOADED_CHUNK_SIZE)
		max = LOADED_CHUNK_SIZE;
	const size_t share = (WORK_SIZE + WORK_CHUNKS_MAX * max) / slot_count(threads);
	max = share < max ? share : max;
	const uint64_t chunk = total / ((uint64_t)WORK_CHUNKS * threads);
	return chunk < CHUNK_SIZE ? CHUNK_SIZE : chunk > max ? max : (size_t)chunk;
}

size_t
decode_pool_chunk_size(size_t block_size)
{
	if (block_size == 0 || block_size > CHUNK_SIZE)
		return CHUNK_SIZE;
	return block_size > CHUNK_MIN ? block_size : CHUNK_MIN;
}

/* Returns the bytes of a number of rings of small chunks. */
static uint64_t
split_pause(const struct decode_pool *pool, unsigned rings)
{
	return (uint64_t)rings * pool->slot_count * pool->plan.chunk_size;
}

/* Counts a guess that the reader has found right or wrong. */
static void
count_guess(struct decode_pool *pool, bool is_right)
{
	pthread_mutex_lock(&pool->lock);
	pool->credit += is_right ? pool->credit < CREDIT_MAX : -1;
	if (is_right)
		pool->pause = split_pause(pool, PAUSE_MIN);
	if (pool->credit < 0) {
		pool->credit = 0;
		pool->unsplit = pool->pause;
		if (pool->pause < split_pause(pool, PAUSE_MAX))
			pool->pause *= 2;
	}
	pthread_mutex_unlock(&pool->lock);
}

/* Subtracts the bytes of a chunk. */
static void
subtract(uint64_t *bytes, size_t size)
{
	*bytes -= *bytes < size ? *bytes : size;
}

/* Sets what is to be read for the next chunk of the input. */
static void
place_chunk(struct decode_pool *pool, struct chunk *chunk)
{
	const struct decode_plan *plan = &pool->plan;
	uint64_t taken, total;
	in_progress(plan->in, &taken, &total);
	const uint64_t left = total > pool->position ? total - pool->position : 0;
	chunk->position = pool->position;
	chunk->may_split = !plan->format->is_at_split || !pool->unsplit;
	chunk->works = plan->work_count && !pool->unworked && chunk->may_split;
	chunk->extent = chunk->works ? plan->work_size : plan->chunk_size;
	chunk->streamed =
		chunk->works && pool->random && !plan->numbered && left >= plan->chunk_size;
	if (chunk->works && pool->random && !plan->numbered)
		chunk->extent = !chunk->streamed       ? plan->chunk_size
				: left < chunk->extent ? (size_t)left
						       : chunk->extent;
	pool->position += chunk->extent;
	if (!chunk->works)
		subtract(&pool->unworked, chunk->extent);
	if (!chunk->may_split)
		subtract(&pool->unsplit, chunk->extent);
}

/* Notes whether work on a chunk was in vain: rows are stored for a while then. */
static void
count_work(struct decode_pool *pool, bool is_done)
{
	if (is_done) {
		pool->work_pause = PAUSE_MIN;
		return;
	}
	pool->unworked = pool->work_pause * pool->plan.work_size;
	if (pool->work_pause < PAUSE_MAX)
		pool->work_pause *= 2;
}

/* Claims the next slot of the ring; NULL if none is free, or *over: the input has ended. */
static struct ring_slot *
claim_slot(struct decode_pool *pool, size_t *number, bool *over)
{
	struct ring_slot *slot = NULL;
	pthread_mutex_lock(&pool->lock);
	*over = pool->ended || pool->stop;
	if (!*over && pool->claimed - pool->released < pool->slot_count) {
		*number = pool->claimed++;
		slot = ring_slot_at(pool, *number);
		slot->number = *number;
		slot->joined = slot->decoded = slot->counted = false;
		place_chunk(pool, &slot->chunk);
	}
	pthread_mutex_unlock(&pool->lock);
	return slot;
}

/* Waits until the end of the previous chunk is known. NULL: this is the first chunk. */
static const struct chunk *
chunk_before(struct decode_pool *pool, size_t number)
{
	const struct ring_slot *before = number ? ring_slot_at(pool, number - 1) : NULL;
	pthread_mutex_lock(&pool->lock);
	while (before && !before->joined)
		pthread_cond_wait(&pool->chunk_joined, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return before ? &before->chunk : NULL;
}

/* Claims and reads a chunk; NULL if none is free now. *over: the input has ended. */
static struct ring_slot *
claim_chunk(struct worker *worker, bool *over)
{
	struct decode_pool *pool = worker->pool;
	size_t number;
	/* The holder of the mutex never waits for a slot, so the reader may wait for it. */
	if (!pool->random)
		pthread_mutex_lock(&pool->input_mutex);
	struct ring_slot *slot = claim_slot(pool, &number, over);
	if (slot)
		chunk_read(&pool->plan, &slot->chunk);
	if (!pool->random)
		pthread_mutex_unlock(&pool->input_mutex);
	if (!slot)
		return NULL;
	chunk_join(&pool->plan, &worker->decoder.reading, &slot->chunk,
		chunk_before(pool, number));
	slot->worker = worker;
	pthread_mutex_lock(&pool->lock);
	slot->joined = true;
	pool->ended |= slot->chunk.last;
	pthread_cond_broadcast(&pool->chunk_joined);
	pthread_mutex_unlock(&pool->lock);
	return slot;
}

/* Decodes a claimed chunk, and works on it; returns whether work was not in vain. */
static bool
decode_slot(struct worker *worker, struct ring_slot *slot)
{
	struct decode_pool *pool = worker->pool;
	struct chunk *chunk = &slot->chunk;
	const bool is_numbered = pool->plan.numbered;
	bool is_done = true;
	if (chunk->irregular || !ring_prepare_decoder(worker)) {
		chunk->irregular = true;
		chunk->works = false;
	} else {
		chunk_decoder_run(&worker->decoder, chunk);
		is_done = !chunk->works || is_numbered || !chunk->irregular;
	}
	if (!is_numbered)
		return is_done;
	ring_count_rows(pool, slot);
	if (chunk->irregular || !chunk->works)
		return true;
	slot->before = ring_wait_for_records(pool, slot);
	return slot->before == NO_NUMBER ||
	       chunk_decoder_work(&worker->decoder, chunk, slot->before);
}

/* Decodes a chunk; false if none can be claimed. */
static bool
decode_once(struct worker *worker, bool *over)
{
	struct decode_pool *pool = worker->pool;
	struct ring_slot *slot = claim_chunk(worker, over);
	if (!slot)
		return false;
	const bool is_done = decode_slot(worker, slot);
	pthread_mutex_lock(&pool->lock);
	if (slot->chunk.works)
		count_work(pool, is_done);
	slot->done = true;
	pthread_cond_signal(&pool->chunk_decoded);
	pthread_mutex_unlock(&pool->lock);
	return true;
}

static void *
run_worker(void *user)
{
	struct worker *worker = user;
	struct decode_pool *pool = worker->pool;
	bool over = false;
	while (!over) {
		if (decode_once(worker, &over))
			continue;
		pthread_mutex_lock(&pool->lock);
		while (!over && !pool->stop &&
			pool->claimed - pool->released == pool->slot_count)
			pthread_cond_wait(&pool->slot_freed, &pool->lock);
		over |= pool->stop;
		pthread_mutex_unlock(&pool->lock);
	}
	return NULL;
}

static bool
is_done(struct decode_pool *pool, const struct ring_slot *slot)
{
	pthread_mutex_lock(&pool->lock);
	bool done = slot->done;
	pthread_mutex_unlock(&pool->lock);
	return done;
}

/*
 * Returns whether the reader decodes a chunk instead of waiting for the next one. With many
 * threads it waits for those that are at work, so that it delivers a chunk once it is decoded.
 */
static bool
reader_decodes(struct decode_pool *pool)
{
	if (pool->started < WAITING_MIN)
		return true;
	pthread_mutex_lock(&pool->lock);
	const bool decodes = pool->claimed == (pool->present ? pool->released + 1 : 0);
	pthread_mutex_unlock(&pool->lock);
	return decodes;
}

/*
 * Proceeds to the next chunk, then frees the slot of the present one: the next chunk needs its
 * rest. There are a number of records before it, or NO_NUMBER.
 */
static struct chunk *
next_chunk(struct decode_pool *pool, uint64_t records)
{
	bool over;
	struct ring_slot *next = ring_slot_at(pool, pool->present ? pool->released + 1 : 0);
	while (!is_done(pool, next) && reader_decodes(pool) &&
		decode_once(&pool->workers[0], &over))
		;
	if (pool->present)
		chunk_reclaim(&pool->present->chunk);
	pthread_mutex_lock(&pool->lock);
	while (!next->done)
		pthread_cond_wait(&pool->chunk_decoded, &pool->lock);
	if (pool->present) {
		pool->present->done = false;
		pool->released++;
		pthread_cond_signal(&pool->slot_freed);
		pool->records = records;
		pthread_cond_broadcast(&pool->chunk_counted);
	}
	pthread_mutex_unlock(&pool->lock);
	pool->present = next;
	pool->delivered = 0;
	pool->offset = next->chunk.offset;
	return &next->chunk;
}

/* Finds the next batch of the present chunk, with the reader's numbers. */
static enum poly_status
next_batch(struct decode_pool *pool, struct batch **result, struct poly_error *error)
{
	const struct chunk *chunk = &pool->present->chunk;
	const struct format *format = pool->plan.format;
	const uint64_t offset = pool->offset;
	const uint8_t *p = chunk->data + (offset - chunk->offset);
	const struct chunk_batch *next = &chunk->batches[pool->delivered++];
	struct batch *batch = &next->stored->batch;
	const struct worker *worker = pool->present->worker;
	if (!next->translated) {
		id_remap_apply_names(&worker->names, batch);
		id_remap_apply_records(&worker->records, batch);
		id_remap_apply(&worker->sites, batch, POLY_COLUMN_site);
	}
	pool->offset = next->end;
	if (format->complete_rows &&
		!format->complete_rows(pool->plan.reading, batch, p, offset))
		return err_memory(error);
	stored_batch_deliver(next->stored);
	*result = batch;
	return POLY_OK;
}

/* Returns whether the result of the present chunk is next. */
static bool
has_result(const struct decode_pool *pool, const struct chunk *chunk)
{
	return chunk->result.records && !pool->delivered;
}

/* Delivers the result of the present chunk. */
static struct batch *
deliver_result(struct decode_pool *pool)
{
	struct chunk *chunk = &pool->present->chunk;
	struct batch *batch = &pool->decoded;
	batch->internal.decoded = &chunk->result;
	batch->view.internal = &batch->internal;
	batch->view.info = &pool->plan.reading->info->view;
	pool->offset = chunk->offset + chunk->size;
	pool->delivered = 1;
	return batch;
}

void
decode_pool_check(struct decode_pool *pool)
{
	const struct chunk *chunk = &pool->present->chunk;
	const struct chunk_batch *batch = &chunk->batches[pool->delivered - 1];
	batch_check_complete(pool->plan.format, pool->plan.reading, &batch->check,
		&batch->stored->batch.view,
		pool->plan.checks && chunk->check_version == pool->check_version);
}

void
decode_pool_share_check(struct decode_pool *pool)
{
	struct reading *reading = pool->plan.reading;
	const uint64_t full = findings_full(reading->findings);
	if (full == pool->full_rules && !reading->has_disagreed)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->check_version += reading->has_disagreed;
	pool->full_rules = full;
	pthread_mutex_unlock(&pool->lock);
	reading->has_disagreed = false;
}

/* Returns how the input ended. */
static enum poly_status
input_end(const struct chunk *chunk, struct poly_error *error)
{
	if (chunk->end < 0)
		*error = chunk->failure;
	return chunk->end;
}

enum poly_status
decode_pool_next(struct decode_pool *pool, struct batch **batch, struct poly_error *error)
{
	struct chunk *chunk = pool->present ? &pool->present->chunk : NULL;
	*batch = NULL;
	for (;;) {
		if (chunk && !chunk->irregular && pool->delivered < chunk->batch_count)
			return next_batch(pool, batch, error);
		if (chunk && !chunk->irregular && has_result(pool, chunk)) {
			*batch = deliver_result(pool);
			return POLY_OK;
		}
		if (chunk && chunk->last)
			return input_end(chunk, error);
		chunk = next_chunk(pool, pool->plan.reading->record);
		chunk->irregular |= pool->names_full || ring_is_stale(pool->present);
		if (!chunk->irregular && ring_adopt_new(pool, chunk) != POLY_OK)
			return err_memory(error);
		chunk->irregular |= ring_is_misnumbered(pool);
		if (chunk->irregular) {
			in_restart(pool->own, chunk->offset);
			chunk_enter(chunk, pool->plan.format, pool->plan.reading);
			return POLY_OK;
		}
		pool->plan.reading->line += chunk->lines;
		count_guess(pool, true);
	}
}

/* Returns whether the reader, which has read the present chunk, continues with the next one. */
static bool
continues_into_next(const struct decode_pool *pool)
{
	const struct chunk *chunk = &pool->present->chunk;
	const struct format *format = pool->plan.format;
	return chunk->open ||
	       (format->is_at_split &&
		       (in_offset(pool->own) != chunk->offset + chunk->size ||
			       !chunk_ends_at_split(chunk, format, pool->plan.reading)));
}

/* Reads irregular chunks: one, and the following ones that may begin within a record. */
static enum poly_status
own_read(void *self, uint8_t *data, size_t size, size_t *got, struct poly_error *error)
{
	struct decode_pool *pool = self;
	const struct chunk *chunk = &pool->present->chunk;
	while (pool->delivered == chunk->size) {
		*got = 0;
		pool->plan.reading->is_split = !chunk->last;
		if (chunk->last)
			return input_end(chunk, error);
		if (!continues_into_next(pool)) {
			count_guess(pool, true);
			return POLY_END;
		}
		if (!chunk->open)
			count_guess(pool, false);
		chunk = next_chunk(pool, NO_NUMBER);
		ring_discard_chunk(pool, pool->present);
		pool->present->chunk.irregular = true;
	}
	const size_t left = chunk->size - pool->delivered;
	struct source_room room = {data, left < size ? left : size, 0};
	chunk_copy(&pool->plan, &pool->present->chunk, pool->delivered, &room);
	*got = room.got;
	pool->delivered += room.got;
	if (room.got)
		return POLY_OK;
	pool->plan.reading->is_split = false;
	return input_end(chunk, error);
}

static void
own_close(void *self)
{
	(void)self;
}

struct in *
decode_pool_input(struct decode_pool *pool)
{
	return pool->own;
}

uint64_t
decode_pool_offset(const struct decode_pool *pool)
{
	bool own = pool->present && pool->present->chunk.irregular;
	return own ? in_offset(pool->own) : pool->offset;
}

void
decode_pool_free(struct decode_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->slot_freed);
	pthread_cond_broadcast(&pool->chunk_counted);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->opened; i++) {
		if (pool->workers[i].started)
			pthread_join(pool->workers[i].thread, NULL);
	}
	for (unsigned i = 0; i < pool->opened; i++) {
		struct worker *worker = &pool->workers[i];
		chunk_decoder_fini(&worker->decoder);
		id_remap_free(&worker->names);
		id_remap_free(&worker->records);
		id_remap_free(&worker->sites);
	}
	for (size_t i = 0; pool->slots && i < pool->slot_count; i++)
		chunk_fini(&pool->slots[i].chunk);
	batch_store_free(pool->store);
	in_close(pool->own);
	pthread_cond_destroy(&pool->slot_freed);
	pthread_cond_destroy(&pool->chunk_joined);
	pthread_cond_destroy(&pool->chunk_decoded);
	pthread_cond_destroy(&pool->chunk_counted);
	pthread_mutex_destroy(&pool->input_mutex);
	pthread_mutex_destroy(&pool->lock);
	mem_free(pool->slots);
	mem_free(pool->workers);
	mem_free(pool);
}

/* Allocates the ring. */
static bool
allocate_slots(struct decode_pool *pool)
{
	const size_t size = chunk_memory_size(&pool->plan);
	pool->slot_count = slot_count(pool->plan.threads);
	pool->pause = split_pause(pool, PAUSE_MIN);
	pool->slots = mem_new(pool->slot_count, sizeof *pool->slots);
	for (size_t i = 0; pool->slots && i < pool->slot_count; i++) {
		/* Not zeroed, so that unused pages are never touched. */
		pool->slots[i].chunk.memory = mem_resize(NULL, size, 1);
		if (!pool->slots[i].chunk.memory)
			return false;
	}
	return pool->slots != NULL;
}

/* Notes that a decoder has the reader's names of records, which open may have added. */
static bool
share_records(struct worker *worker)
{
	const uint32_t count = worker->decoder.records_listed;
	bool good = true;
	for (uint32_t i = 0; good && worker->pool->plan.format->add_record && i < count; i++)
		good = id_remap_add(&worker->records, &i, 1);
	return good;
}

/* Opens all decoders before the first one reads the input. */
static bool
open_decoders(struct decode_pool *pool)
{
	pool->workers = mem_new(pool->plan.threads, sizeof *pool->workers);
	bool good = pool->workers != NULL;
	while (good && pool->opened < pool->plan.threads) {
		struct worker *worker = &pool->workers[pool->opened];
		worker->pool = pool;
		worker->decoder.index = pool->opened++;
		good = chunk_decoder_init(&worker->decoder, &pool->plan, pool->store) &&
		       share_records(worker);
	}
	return good;
}

/* Starts the threads; false if none could be started. */
static bool
start_threads(struct decode_pool *pool)
{
	for (unsigned i = 1; i < pool->opened; i++) {
		struct worker *worker = &pool->workers[i];
		worker->started = thread_start(&worker->thread, run_worker, worker);
		pool->started += worker->started;
	}
	return pool->started > 0;
}

struct decode_pool *
decode_pool_new(const struct decode_plan *plan)
{
	struct decode_pool *pool = mem_new(1, sizeof *pool);
	if (!pool)
		return NULL;
	pool->plan = *plan;
	pthread_mutex_init(&pool->input_mutex, NULL);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->slot_freed, NULL);
	pthread_cond_init(&pool->chunk_joined, NULL);
	pool->position = in_offset(plan->in);
	pool->work_pause = PAUSE_MIN;
	pool->random = in_is_random(plan->in);
	pthread_cond_init(&pool->chunk_decoded, NULL);
	pthread_cond_init(&pool->chunk_counted, NULL);
	pool->records = plan->reading->record;
	const struct source source = {own_read, own_close, pool, NULL};
	pool->own = in_from_source(&source, plan->block_size);
	const struct batch_store_plan batches = {
		plan->columns, plan->batch_rows, &plan->reading->info->view, plan->held_max};
	pool->store = batch_store_new(&batches);
	if (!pool->own || !pool->store || !allocate_slots(pool) || !open_decoders(pool) ||
		!start_threads(pool)) {
		decode_pool_free(pool);
		return NULL;
	}
	return pool;
}
