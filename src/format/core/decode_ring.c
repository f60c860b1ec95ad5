/* SPDX-License-Identifier: MIT */
/* Numbers of the ring. */
#include "format/core/decode_ring.h"

#include "base/mem.h"

#include <string.h>

/* Appends the entries that only the source has. */
static bool
fetch_numbers(struct id_remap *target, const struct id_remap *source)
{
	const size_t n = source->count - target->count;
	return !n || id_remap_add(target, source->dst + target->count, n);
}

/* Fetches the reader's numbers; false if the decoded rows would not be used. */
bool
ring_prepare_decoder(struct worker *worker)
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
		const struct ring_slot *slot = ring_slot_at(pool, i);
		*blocked = slot->decoded && !slot->counted;
		records = slot->counted ? records + slot->rows : NO_NUMBER;
	}
	return records;
}

/* Waits for that number while the chunks before are being decoded; NO_NUMBER: unknown. */
uint64_t
ring_wait_for_records(struct decode_pool *pool, const struct ring_slot *slot)
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
void
ring_count_rows(struct decode_pool *pool, struct ring_slot *slot)
{
	pthread_mutex_lock(&pool->lock);
	slot->rows = slot->worker->decoder.reading.record;
	slot->counted = !slot->chunk.irregular;
	slot->decoded = true;
	pthread_cond_broadcast(&pool->chunk_counted);
	pthread_mutex_unlock(&pool->lock);
}

/* Makes the sites of a decoded chunk invalid, as it did not begin at a split point. */
void
ring_discard_chunk(struct decode_pool *pool, const struct ring_slot *slot)
{
	pthread_mutex_lock(&pool->lock);
	if (!slot->chunk.irregular && slot->worker->valid_from <= slot->chunk.generation)
		slot->worker->valid_from = slot->chunk.generation + 1;
	/* The decoder's check saw its rows. */
	pool->check_version++;
	pthread_mutex_unlock(&pool->lock);
}

/* Returns whether the numbers of a decoded chunk depend on a discarded one. */
bool
ring_is_stale(const struct ring_slot *slot)
{
	return slot->chunk.generation < slot->worker->valid_from;
}

/* Returns whether work on the present chunk assumed another number of records before it. */
bool
ring_is_misnumbered(const struct decode_pool *pool)
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
enum poly_status
ring_adopt_new(struct decode_pool *pool, struct chunk *chunk)
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
