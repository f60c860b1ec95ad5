/* SPDX-License-Identifier: MIT */
/* State of a cache, shared by its implementations. */
#ifndef SIM_CACHE_STATE_H
#define SIM_CACHE_STATE_H

#include "sim/cache/cache.h"
#include "sim/memory/lru_list.h"
#include "sim/cache/lru_matrix8.h"

/* An entry is line number << 2, and these; an empty one is 0. Lines have at least 4 bytes, so
 * nothing is lost. */
#define ENTRY_DIRTY UINT64_C(1)
#define ENTRY_VALID UINT64_C(2)

/* Functions for 8 ways of lru, by vector instructions of some processors. */
struct cache_lru8 {
	/* As cache_run, for accesses already counted. */
	size_t (*run)(struct cache *, const struct cache_batch *, uint32_t *missed);
	/* Returns a bit for each way of a set that holds an entry; 0: none. */
	unsigned (*ways_of)(const uint64_t *set, uint64_t entry);
};

struct cache {
	struct cache_config config;
	/* The counts from which struct cache_counts is computed. */
	uint64_t accesses[CACHE_KINDS], misses[CACHE_KINDS], dirty_misses[CACHE_KINDS];
	uint64_t evictions;
	uint64_t stored; /* bytes written through */
	unsigned line_shift;
	uint64_t set_mask;
	uint64_t dirty; /* what a write adds to an entry: ENTRY_DIRTY, or 0 (write-through) */
	/* The ways of each set side by side. lru and fifo: newest first, empty ones last; other
	 * policies and lru8: by way. NULL where frames are used instead. */
	uint64_t *entries;
	void *entries_memory; /* entries begin in it at a multiple of 64 bytes */
	/* A set: its pointer, the bits of its tree, or with lru8 its lru_matrix8.h, which then
	 * has the dirty bits instead of the entries. */
	uint64_t *set_states;
	uint8_t *predictions;	/* an entry: of srrip and drrip */
	struct lru_list frames; /* of more than CACHE_WAYS_MAX ways */
	uint8_t *frame_dirty;
	uint64_t random;
	uint32_t duel; /* drrip: 10 bits; from DUEL_HALF on brrip is the better */
	uint32_t rare; /* drrip: lines inserted by brrip */
	const struct cache_lru8 *lru8; /* NULL: lru is done by cache_run.c */
};

static inline uint64_t
entry_of(uint64_t line)
{
	return line << 2 | ENTRY_VALID;
}

static inline uint64_t
line_of(uint64_t entry)
{
	return entry >> 2;
}

/* Notify a policy with state per way that a way was used or filled, and select the way to
 * replace (which may change the state). set_number identifies the set. */
void cache_way_used(struct cache *cache, uint64_t set_number, uint32_t way);
void cache_way_filled(struct cache *cache, uint64_t set_number, uint32_t way);
uint32_t cache_way_victim(struct cache *cache, uint64_t set_number);

/* Counts a miss that filled a line, and the replaced entry, or 0. Without branches: dirtiness
 * is hard to predict. */
static inline void
cache_count_fill(struct cache *cache, enum cache_kind kind, uint64_t old)
{
	cache->misses[kind]++;
	cache->dirty_misses[kind] += old & ENTRY_DIRTY;
	cache->evictions += old != 0;
}

/* Inserts an entry into a set of lru8 that does not have it, as used. Returns the replaced
 * entry, or 0. dirty: 0 or 1. */
static inline uint64_t
cache_lru8_bring(struct cache *cache, uint64_t set_number, uint64_t entry, uint64_t dirty)
{
	uint64_t *order = &cache->set_states[set_number];
	const unsigned way = lru_matrix8_oldest(*order);
	uint64_t *place = &cache->entries[set_number * LRU_MATRIX8_WAYS + way];
	const uint64_t old = *place | lru_matrix8_dirty(*order, way);
	*place = entry;
	*order = lru_matrix8_use(lru_matrix8_release(*order, way), way, dirty);
	return old;
}

/* Handles the miss of access i of a batch; the caller counts the access. */
void cache_miss(struct cache *cache, const struct cache_batch *batch, size_t i);

/* Runs a batch on an lru cache that keeps its ways newest first. Returns the number of misses.
 */
size_t cache_lru_run(struct cache *cache, const struct cache_batch *batch, uint32_t *missed);

/* Returns the implementations for 8 ways on this processor, the fastest at 0; NULL: no more. */
const struct cache_lru8 *cache_lru8_at(unsigned place);

/* As cache_new, with an implementation of cache_lru8_at, or NULL for the plain one; ignored
 * unless lru with 8 ways. */
enum poly_status cache_new_with(const struct cache_config *config,
	const struct cache_lru8 *lru8, struct cache **cache, struct poly_error *error);

/* Finds a key in ways ordered newest first, makes it the newest and adds flags. Returns false,
 * with nothing changed, if it is absent. */
bool cache_lru_use(uint64_t *set, uint32_t ways, uint64_t key, uint64_t flags);

#endif
