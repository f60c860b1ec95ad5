/* SPDX-License-Identifier: MIT */
/* MESI by a directory, which holds the state of each line of all caches. */
#include "sim/cache/coherence.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sim/memory/dense_index.h"

#include <inttypes.h>

#define STEP 256 /* accesses of a step */

/* Directory entry of a line: bit t for thread t. */
struct place {
	uint64_t holders;
	uint64_t lost;	/* those in which a store invalidated it */
	bool exclusive; /* exclusive or modified: one holder */
	bool modified;	/* modified */
};

struct coherence {
	struct coherence_config config;
	unsigned line_shift, word_shift;
	struct cache *caches[COHERENCE_THREADS];
	struct coherence_counts counts[COHERENCE_THREADS];
	struct dense_index dense;
	struct coherence_line *lines; /* by dense number, as the following */
	struct place *places;
	uint64_t *written; /* per line and thread: words that others stored to since the
			      invalidation */
	uint32_t room;	   /* of lines */
	unsigned one;	   /* increment of counts: 0 while not counting */
	uint64_t users;	   /* threads whose caches have had lines: bit t for thread t */
};

/* One access. */
struct use {
	uint64_t address, words; /* words: a bit each */
	uint32_t line, thread;
	bool store;
};

static enum poly_status
check(const struct coherence_config *config, struct poly_error *error)
{
	const struct cache_config *cache = &config->cache;
	const uint32_t word = config->word_size;
	if (!config->threads || config->threads > COHERENCE_THREADS)
		return err_usage(error, "%" PRIu32 " threads, expected 1 to %d",
			config->threads, COHERENCE_THREADS);
	if (cache->write_through || cache->no_allocate || cache->always_valid)
		return err_usage(error,
			"coherent caches must be write-back and write-allocate, with valid "
			"bits");
	if (!word || (word & (word - 1)) || word > cache->line_size ||
		cache->line_size / word > COHERENCE_WORDS)
		return err_usage(error,
			"words of %" PRIu32 " bytes, a line of %" PRIu32
			" bytes has to have 1 to %d",
			word, cache->line_size, COHERENCE_WORDS);
	return cache_check(cache, error);
}

enum poly_status
coherence_new(const struct coherence_config *config, struct coherence **coherence,
	struct poly_error *error)
{
	*coherence = NULL;
	enum poly_status status = check(config, error);
	if (status != POLY_OK)
		return status;
	struct coherence *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	created->config = *config;
	created->one = 1;
	created->line_shift = (unsigned)__builtin_ctz(config->cache.line_size);
	created->word_shift = (unsigned)__builtin_ctz(config->word_size);
	status = dense_index_init(&created->dense, config->lines, error);
	for (uint32_t i = 0; i < config->threads && status == POLY_OK; i++)
		status = cache_new(&config->cache, &created->caches[i], error);
	if (status != POLY_OK) {
		coherence_free(created);
		return status;
	}
	*coherence = created;
	return POLY_OK;
}

void
coherence_free(struct coherence *coherence)
{
	if (!coherence)
		return;
	for (int i = 0; i < COHERENCE_THREADS; i++)
		cache_free(coherence->caches[i]);
	dense_index_fini(&coherence->dense);
	mem_free(coherence->lines);
	mem_free(coherence->places);
	mem_free(coherence->written);
	mem_free(coherence);
}

/* Enlarges the directory to all numbered lines. */
static bool
make_room(struct coherence *c)
{
	const uint32_t lines = c->dense.count;
	uint32_t room[3] = {c->room, c->room, c->room};
	if (lines <= c->room)
		return true;
	if (!VEC_RESERVE_ZEROED(c->lines, room[0], lines) ||
		!VEC_RESERVE_ZEROED(c->places, room[1], lines) ||
		!vec_grow(&c->written, c->config.threads * sizeof *c->written, &room[2],
			sizeof room[2], lines))
		return false;
	c->room = room[0];
	return true;
}

/* Returns the words of an access, up to the end of its line. */
static uint64_t
words_of(const struct coherence *c, uint64_t address, uint32_t size)
{
	const uint32_t line_size = c->config.cache.line_size;
	const uint32_t in_line = (uint32_t)(address & (line_size - 1));
	const uint32_t max = line_size - in_line, used = size == 0    ? 1
							 : size < max ? size
								      : max;
	const unsigned first = in_line >> c->word_shift;
	const unsigned last = (in_line + used - 1) >> c->word_shift;
	return (UINT64_MAX >> (63 - (last - first))) << first;
}

/* Returns the place of a line that a cache holds. */
static struct place *
place_of(struct coherence *c, uint64_t address)
{
	uint64_t number = address >> c->line_shift;
	uint32_t line = 0;
	/* The line is known, so the look-up cannot fail. */
	(void)dense_index_find(&c->dense, &number, 1, &line, NULL);
	return &c->places[line];
}

/* Handles an eviction from the cache of a thread. */
static void
replaced(struct coherence *c, uint32_t thread, uint64_t address)
{
	struct place *place = place_of(c, address);
	place->holders &= ~(UINT64_C(1) << thread);
	c->counts[thread].written_back += place->modified ? c->one : 0;
	place->modified = place->exclusive = false;
}

/* Invalidates the line in all other caches. Returns their number. */
static uint8_t
invalidate_others(struct coherence *c, const struct use *use)
{
	struct place *place = &c->places[use->line];
	uint64_t *written = c->written + (size_t)use->line * c->config.threads;
	const uint64_t self = UINT64_C(1) << use->thread;
	const uint8_t taken = (uint8_t)__builtin_popcountll(place->holders & ~self);
	for (uint64_t left = place->holders & ~self; left; left &= left - 1) {
		const int thread = __builtin_ctzll(left);
		struct cache_outcome outcome;
		cache_drop(c->caches[thread], use->address, &outcome);
		c->counts[thread].invalidations += c->one;
		written[thread] = 0;
	}
	c->lines[use->line].invalidations += c->one * taken;
	place->lost |= place->holders & ~self;
	place->holders &= self;
	for (uint64_t left = place->lost & ~self; left; left &= left - 1)
		written[__builtin_ctzll(left)] |= use->words;
	return taken;
}

static enum coherence_outcome
why_missed(struct coherence *c, const struct use *use)
{
	struct coherence_line *line = &c->lines[use->line];
	const uint64_t self = UINT64_C(1) << use->thread;
	if (!(line->threads & self))
		return COHERENCE_COLD;
	if (!(c->places[use->line].lost & self))
		return COHERENCE_REPLACED;
	const bool shared =
		c->written[(size_t)use->line * c->config.threads + use->thread] & use->words;
	*(shared ? &line->true_misses : &line->false_misses) += c->one;
	return shared ? COHERENCE_TRUE : COHERENCE_FALSE;
}

/* Fills a line into the cache of a thread; it becomes shared. */
static void
bring(struct coherence *c, const struct use *use)
{
	struct place *place = &c->places[use->line];
	struct cache_outcome outcome;
	if (place->modified)
		c->counts[__builtin_ctzll(place->holders)].supplied += c->one;
	place->modified = false;
	place->exclusive = !place->holders;
	place->holders |= UINT64_C(1) << use->thread;
	place->lost &= ~(UINT64_C(1) << use->thread);
	c->lines[use->line].threads |= UINT64_C(1) << use->thread;
	c->users |= UINT64_C(1) << use->thread;
	cache_fill(c->caches[use->thread], use->address, false, &outcome);
	if (outcome.evicted)
		replaced(c, use->thread, outcome.victim);
}

static enum coherence_outcome
access_line(struct coherence *c, const struct use *use, uint8_t *taken)
{
	struct place *place = &c->places[use->line];
	enum coherence_outcome outcome = COHERENCE_HIT;
	if (!cache_touch(c->caches[use->thread], use->address, false)) {
		outcome = why_missed(c, use);
		bring(c, use);
	} else if (use->store && !place->exclusive) {
		outcome = COHERENCE_UPGRADE;
	}
	*taken = 0;
	if (use->store) {
		*taken = invalidate_others(c, use);
		place->exclusive = place->modified = true;
	}
	c->counts[use->thread].outcomes[outcome] += c->one;
	return outcome;
}

/* Performs at most STEP accesses from an index of a batch on. */
static enum poly_status
step(struct coherence *c, const struct coherence_batch *batch, size_t from, uint8_t *outcomes,
	struct poly_error *error)
{
	const size_t rest = batch->count - from, count = rest < STEP ? rest : STEP;
	uint64_t numbers[STEP];
	uint32_t ids[STEP];
	for (size_t i = 0; i < count; i++)
		numbers[i] = batch->addresses[from + i] >> c->line_shift;
	const enum poly_status status = dense_index_find(&c->dense, numbers, count, ids, error);
	if (status != POLY_OK)
		return status;
	if (!make_room(c))
		return err_memory(error);
	for (size_t i = 0; i < count; i++) {
		const size_t at = from + i;
		const struct use use = {batch->addresses[at],
			words_of(c, batch->addresses[at], batch->sizes[at]), ids[i],
			batch->threads[at], batch->kinds[at] == CACHE_WRITE};
		c->lines[ids[i]].address = numbers[i] << c->line_shift;
		uint8_t taken;
		const enum coherence_outcome outcome = access_line(c, &use, &taken);
		if (outcomes)
			outcomes[at] = (uint8_t)outcome;
		if (batch->taken)
			batch->taken[at] = taken;
	}
	return POLY_OK;
}

enum poly_status
coherence_run(struct coherence *c, const struct coherence_batch *batch, uint8_t *outcomes,
	struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t from = 0; from < batch->count && status == POLY_OK; from += STEP)
		status = step(c, batch, from, outcomes, error);
	return status;
}

/* Performs an operation on a line that some caches hold. */
static void
operate(struct coherence *c, enum cache_operation operation, uint64_t address)
{
	struct place *place = place_of(c, address);
	if (place->modified && operation != CACHE_INVALIDATE)
		c->counts[__builtin_ctzll(place->holders)].written_back += c->one;
	place->modified = false;
	if (operation == CACHE_CLEAN)
		return;
	for (uint64_t left = place->holders; left; left &= left - 1) {
		struct cache_outcome outcome;
		cache_drop(c->caches[__builtin_ctzll(left)], address, &outcome);
	}
	place->holders = 0;
	place->exclusive = false;
}

/* An operation on all lines, in the cache of a thread. */
struct operated_cache {
	struct coherence *coherence;
	uint64_t self; /* bit of the thread */
	enum cache_operation operation;
};

/* Follows an operation on a line of a cache, as a cache_line_fn. */
static void
operated(void *user, uint64_t address, bool dirty)
{
	const struct operated_cache *all = user;
	struct coherence *c = all->coherence;
	struct place *place = place_of(c, address);
	(void)dirty; /* places have the state */
	if (place->modified && all->operation != CACHE_INVALIDATE_ALL)
		c->counts[__builtin_ctzll(all->self)].written_back += c->one;
	place->modified = false;
	if (all->operation == CACHE_CLEAN_ALL)
		return;
	place->holders &= ~all->self;
	place->exclusive = false;
}

void
coherence_operate(struct coherence *c, enum cache_operation operation, uint64_t address)
{
	if (operation < CACHE_CLEAN_ALL) {
		for (uint64_t left = c->users; left; left &= left - 1) {
			if (!cache_holds(c->caches[__builtin_ctzll(left)], address))
				continue;
			operate(c, operation, address);
			break;
		}
		return;
	}
	for (uint64_t left = c->users; left; left &= left - 1) {
		struct operated_cache operated_all = {c, left & -left, operation};
		cache_clean_all(c->caches[__builtin_ctzll(left)], operation != CACHE_CLEAN_ALL,
			operated, &operated_all);
	}
}

void
coherence_counting(struct coherence *c, bool counting)
{
	c->one = counting;
}

const struct coherence_counts *
coherence_counts(const struct coherence *c, uint32_t thread)
{
	return &c->counts[thread];
}

const struct coherence_line *
coherence_lines(const struct coherence *c, size_t *count)
{
	*count = c->dense.count;
	return c->lines;
}
