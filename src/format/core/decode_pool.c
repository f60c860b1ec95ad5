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

/* Minimum and maximum number of such chunks whose rows are stored after work in vain. */
enum { PAUSE_MIN = 4, PAUSE_MAX = 64 };

/* Minimum: each chunk has a fixed cost. */
#define CHUNK_MIN ((size_t)64)

/* Minimum number of other threads for which the reader only delivers. */
#define WAITING_MIN 7

/* A number of records that is not known. */
#define NO_NUMBER UINT64_MAX

/* Guesses that were right count up to this against later wrong ones. */
#define CREDIT_MAX 4

/* A slot of the ring. */
struct ring_slot {
	struct chunk chunk;
	struct worker *worker; /* that decoded it; NULL: none */
	size_t number;	       /* of the chunk, from 0 */
	uint64_t before;       /* records before it, as its work assumed */
	uint64_t rows;	       /* that were decoded, if counted */
	bool decoded, counted; /* decoding has ended, with rows; guarded by lock */
	bool joined;	       /* its end is known; guarded by lock */
	bool done;	       /* the reader may use it; guarded by lock */
};

/* A worker: the first one is the reader, the others are threads. */
struct worker {
	struct decode_pool *pool;
	struct chunk_decoder decoder;
	pthread_t thread;
	bool started;
	/* The reader's numbers, for the decoder to fetch; changed by the reader under lock. */
	struct id_remap names, records, sites;
	unsigned generation; /* of sites */
	unsigned valid_from; /* first generation without sites of discarded rows */
};

struct decode_pool {
	struct decode_plan plan;
	struct worker *workers;
	struct batch_store *store;
	unsigned opened;  /* workers whose decoder is open */
	unsigned started; /* threads */
	struct ring_slot *slots;
	size_t slot_count;
	bool random;		      /* the input can be read at any offset */
	pthread_mutex_t input_mutex;  /* held while reading the input, unless random */
	pthread_mutex_t lock;	      /* guards the fields below */
	pthread_cond_t slot_freed;    /* the reader freed a slot */
	pthread_cond_t chunk_joined;  /* the end of a chunk is known */
	pthread_cond_t chunk_decoded; /* the rows of a chunk are complete */
	size_t claimed, released;     /* slots, since the start */
	uint64_t position;	      /* of the bytes that the next chunk reads */
	uint64_t unworked;   /* bytes of next chunks whose rows are stored, despite work */
	uint64_t work_pause; /* the same after work in vain, in chunks */
	pthread_cond_t chunk_counted; /* decoding of a chunk has ended, or records is known */
	uint64_t records;	      /* before the slot that is released next, or NO_NUMBER */
	bool ended;		      /* the last chunk was read */
	bool stop;
	unsigned check_version; /* changed by the reader, as full_rules */
	uint64_t full_rules;	/* of which the reader stores no more findings */
	bool names_full; /* the reader can store no more names: it decodes all chunks itself */
	int credit;	 /* right guesses of split points less wrong ones */
	size_t unsplit;	 /* number of next chunks in which no split point is guessed */
	size_t pause;	 /* chunks that the reader decodes alone after too many wrong guesses */
	/* The reader's side. */
	struct ring_slot *present;
	size_t delivered;     /* batches of the present chunk, or bytes if it is irregular */
	struct batch decoded; /* without rows: what decoders did with a chunk */
	uint64_t offset;      /* after the last delivered batch */
	struct in *own;	      /* the bytes of irregular chunks */
};

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

static struct ring_slot *
slot_at(const struct decode_pool *pool, size_t number)
{
	return &pool->slots[number % pool->slot_count];
}

/* Returns whether the next chunk is to have a split point. */
static bool
may_split(struct decode_pool *pool)
{
	if (!pool->plan.format->is_at_split)
		return true;
	pthread_mutex_lock(&pool->lock);
	const bool may = pool->unsplit == 0;
	pool->unsplit -= !may;
	pthread_mutex_unlock(&pool->lock);
	return may;
}

/* Counts a guess that the reader has found right or wrong. */
static void
count_guess(struct decode_pool *pool, bool is_right)
{
	pthread_mutex_lock(&pool->lock);
	pool->credit += is_right ? pool->credit < CREDIT_MAX : -1;
	if (is_right)
		pool->pause = 4 * pool->slot_count;
	if (pool->credit < 0) {
		pool->credit = 0;
		pool->unsplit = pool->pause;
		if (pool->pause < 64 * pool->slot_count)
			pool->pause *= 2;
	}
	pthread_mutex_unlock(&pool->lock);
}

/* Returns whether work on the next chunk is to be tried. */
static bool
tries_work(struct decode_pool *pool)
{
	return pool->plan.work_count && !pool->unworked;
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
	chunk->works = tries_work(pool);
	chunk->extent = chunk->works ? plan->work_size : plan->chunk_size;
	chunk->streamed =
		chunk->works && pool->random && !plan->numbered && left >= plan->chunk_size;
	if (chunk->works && pool->random && !plan->numbered)
		chunk->extent = !chunk->streamed       ? plan->chunk_size
				: left < chunk->extent ? (size_t)left
						       : chunk->extent;
	pool->position += chunk->extent;
	if (!chunk->works)
		pool->unworked -=
			pool->unworked < chunk->extent ? pool->unworked : chunk->extent;
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
		slot = slot_at(pool, *number);
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
	const struct ring_slot *before = number ? slot_at(pool, number - 1) : NULL;
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
	const struct chunk *before = chunk_before(pool, number);
	const bool is_new = slot->chunk.read && !(before && before->over);
	chunk_join(&pool->plan, &worker->decoder.reading, &slot->chunk, before,
		is_new && may_split(pool));
	slot->worker = worker;
	pthread_mutex_lock(&pool->lock);
	slot->joined = true;
	pool->ended |= slot->chunk.last;
	pthread_cond_broadcast(&pool->chunk_joined);
	pthread_mutex_unlock(&pool->lock);
	return slot;
}

/* Appends the entries that only the source has. */
static bool
fetch_numbers(struct id_remap *target, const struct id_remap *source)
{
	const size_t n = source->count - target->count;
	return !n || id_remap_add(target, source->dst + target->count, n);
}

/* Fetches the reader's numbers; false if the decoded rows would not be used. */
static bool
prepare_decoder(struct worker *worker)
{
	struct decode_pool *pool = worker->pool;
	struct chunk_decoder *decoder = &worker->decoder;
	pthread_mutex_lock(&pool->lock);
	if (decoder->generation < worker->valid_from)
		chunk_decoder_discard_sites(decoder, worker->valid_from);
	const bool forgets = decoder->check_version != pool->check_version;
	decoder->check_version = pool->check_version;
	decoder->full_rules = pool->full_rules;
	bool useful = !pool->stop && !pool->names_full &&
		      fetch_numbers(&decoder->names, &worker->names) &&
		      fetch_numbers(&decoder->records, &worker->records) &&
		      (decoder->generation != worker->generation ||
			      fetch_numbers(&decoder->site_numbers, &worker->sites));
	pthread_mutex_unlock(&pool->lock);
	if (forgets)
		chunk_decoder_forget_checks(decoder);
	return useful;
}

/*
 * Finds the number of records before a chunk; holds the lock. NO_NUMBER: it is not known yet;
 * *blocked: nor before the reader has decoded a chunk, for which it may need this one.
 */
static uint64_t
records_before(const struct decode_pool *pool, size_t number, bool *blocked)
{
	uint64_t records = pool->records;
	*blocked = records == NO_NUMBER;
	for (size_t i = pool->released; i < number && records != NO_NUMBER; i++) {
		const struct ring_slot *slot = slot_at(pool, i);
		*blocked = slot->decoded && !slot->counted;
		records = slot->counted ? records + slot->rows : NO_NUMBER;
	}
	return records;
}

/* Waits for that number while the chunks before are being decoded; NO_NUMBER: unknown. */
static uint64_t
wait_for_records(struct decode_pool *pool, const struct ring_slot *slot)
{
	bool blocked;
	uint64_t records;
	pthread_mutex_lock(&pool->lock);
	while ((records = records_before(pool, slot->number, &blocked)) == NO_NUMBER &&
		!blocked && !pool->stop)
		pthread_cond_wait(&pool->chunk_counted, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return records;
}

/* Notes the rows of a chunk, or that it is irregular, for the numbers of the next ones. */
static void
count_rows(struct decode_pool *pool, struct ring_slot *slot)
{
	pthread_mutex_lock(&pool->lock);
	slot->rows = slot->worker->decoder.reading.record;
	slot->counted = !slot->chunk.irregular;
	slot->decoded = true;
	pthread_cond_broadcast(&pool->chunk_counted);
	pthread_mutex_unlock(&pool->lock);
}

/* Decodes a claimed chunk, and works on it; returns whether work was not in vain. */
static bool
decode_slot(struct worker *worker, struct ring_slot *slot)
{
	struct decode_pool *pool = worker->pool;
	struct chunk *chunk = &slot->chunk;
	const bool is_numbered = pool->plan.numbered;
	bool is_done = true;
	if (chunk->irregular || !prepare_decoder(worker)) {
		chunk->irregular = true;
	} else {
		chunk_decoder_run(&worker->decoder, chunk);
		is_done = !chunk->works || is_numbered || !chunk->irregular;
	}
	if (!is_numbered)
		return is_done;
	count_rows(pool, slot);
	if (chunk->irregular || !chunk->works)
		return true;
	slot->before = wait_for_records(pool, slot);
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
	struct ring_slot *next = slot_at(pool, pool->present ? pool->released + 1 : 0);
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

/* Makes the sites of a decoded chunk invalid, as it did not begin at a split point. */
static void
discard_chunk(struct decode_pool *pool, const struct ring_slot *slot)
{
	pthread_mutex_lock(&pool->lock);
	if (!slot->chunk.irregular && slot->worker->valid_from <= slot->chunk.generation)
		slot->worker->valid_from = slot->chunk.generation + 1;
	/* The decoder's check saw its rows. */
	pool->check_version++;
	pthread_mutex_unlock(&pool->lock);
}

/* Returns whether the numbers of a decoded chunk depend on a discarded one. */
static bool
is_stale(const struct ring_slot *slot)
{
	return slot->chunk.generation < slot->worker->valid_from;
}

/* Returns whether work on the present chunk assumed another number of records before it. */
static bool
is_misnumbered(const struct decode_pool *pool)
{
	return pool->plan.numbered && pool->present->chunk.result.records &&
	       pool->present->before != pool->plan.reading->record;
}

/* Begins a generation of numbers with the first chunk that has it. */
static void
adopt_generation(struct decode_pool *pool, const struct ring_slot *slot)
{
	struct worker *worker = slot->worker;
	if (worker->generation == slot->chunk.generation)
		return;
	pthread_mutex_lock(&pool->lock);
	id_remap_free(&worker->sites);
	worker->generation = slot->chunk.generation;
	pthread_mutex_unlock(&pool->lock);
}

/* Numbers a chunk's new names and sites for the reader. POLY_END: no room for a name. */
static enum poly_status
number_new(const struct decode_pool *pool, const struct chunk *chunk, uint32_t *names,
	uint32_t *sites)
{
	struct info *info = pool->plan.reading->info;
	for (size_t i = 0; i < chunk->name_count; i++) {
		const char *name = chunk->names[i];
		if (!info_keep_name(info, name, strlen(name), &names[i]))
			return info->no_memory ? POLY_ERR_MEMORY : POLY_END;
	}
	for (size_t i = chunk->name_count; i < chunk->name_count + chunk->record_count; i++) {
		const char *name = chunk->names[i];
		const int number =
			pool->plan.format->add_record(pool->plan.reading, name, strlen(name));
		if (number < 0)
			return POLY_END;
		names[i] = (uint32_t)number;
	}
	for (size_t i = 0; i < chunk->site_count; i++) {
		const struct site *site = &chunk->sites[i];
		sites[i] = sites_number(pool->plan.sites, site->pc, site->opcode);
		if (sites[i] == UINT32_MAX)
			return POLY_ERR_MEMORY;
	}
	return POLY_OK;
}

/* Adds the new names and sites of a regular chunk to the reader's, or makes it irregular. */
static enum poly_status
adopt_new(struct decode_pool *pool, struct chunk *chunk)
{
	const size_t names = chunk->name_count, records = chunk->record_count,
		     sites = chunk->site_count;
	adopt_generation(pool, pool->present);
	if (names + records + sites == 0)
		return POLY_OK;
	struct worker *worker = pool->present->worker;
	uint32_t *numbers = mem_new(names + records + sites, sizeof *numbers);
	if (!numbers)
		return POLY_ERR_MEMORY;
	uint32_t *site_numbers = numbers + names + records;
	enum poly_status status = number_new(pool, chunk, numbers, site_numbers);
	chunk->irregular = status == POLY_END;
	pthread_mutex_lock(&pool->lock);
	pool->names_full |= chunk->irregular;
	bool added = status != POLY_OK ||
		     (id_remap_add(&worker->names, numbers, names) &&
			     id_remap_add(&worker->records, numbers + names, records) &&
			     id_remap_add(&worker->sites, site_numbers, sites));
	pthread_mutex_unlock(&pool->lock);
	mem_free(numbers);
	return status < 0 || !added ? POLY_ERR_MEMORY : POLY_OK;
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
		chunk->irregular |=
			pool->names_full || is_stale(pool->present) || is_misnumbered(pool);
		if (!chunk->irregular && adopt_new(pool, chunk) != POLY_OK)
			return err_memory(error);
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
		discard_chunk(pool, pool->present);
		pool->present->chunk.irregular = true;
	}
	const size_t left = chunk->size - pool->delivered;
	struct source_room room = {data, left < size ? left : size, 0};
	chunk_copy(&pool->plan, &pool->present->chunk, pool->delivered, &room);
	*got = room.got;
	pool->delivered += room.got;
	return room.got ? POLY_OK : input_end(chunk, error);
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
	pool->pause = 4 * pool->slot_count;
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
