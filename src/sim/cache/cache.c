/* SPDX-License-Identifier: MIT */
/*
 * A cache, access by access. Sets are arrays of entries; a cache of one set and many ways uses
 * frames found by hash.
 */
#include "sim/cache/cache.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/cache/cache_state.h"

#include <inttypes.h>
#include <string.h>

static bool
is_power(uint64_t n)
{
	return n && (n & (n - 1)) == 0;
}

/* Whether entries are ordered newest first: lru moves them on a use, fifo does not. */
static bool
is_ordered(const struct cache *cache)
{
	return (cache->config.policy == CACHE_LRU && !cache->lru8) ||
	       cache->config.policy == CACHE_FIFO;
}

static bool
is_wide(const struct cache_config *config)
{
	return config->ways > CACHE_WAYS_MAX;
}

static enum poly_status
check_ways(const struct cache_config *config, struct poly_error *error)
{
	const enum cache_policy policy = config->policy;
	if (!config->ways)
		return err_usage(error, "ways=0, expected at least 1");
	if (is_wide(config) && config->sets != 1)
		return err_usage(error,
			"ways=%" PRIu32 ", expected at most %d with more than one set",
			config->ways, CACHE_WAYS_MAX);
	if (is_wide(config) &&
		(config->always_valid || (policy != CACHE_LRU && policy != CACHE_FIFO &&
						 policy != CACHE_RANDOM)))
		return err_usage(error,
			"ways=%" PRIu32 ", expected at most %d with this policy", config->ways,
			CACHE_WAYS_MAX);
	if (config->always_valid && policy != CACHE_LRU && policy != CACHE_POINTER)
		return err_usage(
			error, "a cache without valid bits requires the policy lru or pointer");
	if (policy == CACHE_PLRU && !is_power(config->ways))
		return err_usage(error,
			"ways=%" PRIu32 ", the policy plru requires a power of two",
			config->ways);
	return POLY_OK;
}

enum poly_status
cache_check_line(const char *what, uint32_t size, struct poly_error *error)
{
	if (is_power(size) && size >= CACHE_LINE_MIN && size <= CACHE_LINE_MAX)
		return POLY_OK;
	return err_usage(error,
		"%s of %" PRIu32 " bytes, expected a power of two from %d to %" PRIu32, what,
		size, CACHE_LINE_MIN, CACHE_LINE_MAX);
}

enum poly_status
cache_check(const struct cache_config *config, struct poly_error *error)
{
	if (!is_power(config->sets))
		return err_usage(error,
			"%" PRIu64 " sets is not a power of two (size/(ways*line))",
			config->sets);
	const enum poly_status status = cache_check_line("lines", config->line_size, error);
	if (status != POLY_OK)
		return status;
	if ((unsigned)config->policy >= CACHE_POLICIES)
		return err_usage(error, "unknown replacement policy %d", (int)config->policy);
	if (config->ways && config->sets > CACHE_LINES_MAX / config->ways)
		return err_usage(error,
			"%" PRIu64 " sets of %" PRIu32 " ways, expected at most %" PRIu64
			" lines",
			config->sets, config->ways, CACHE_LINES_MAX);
	return check_ways(config, error);
}

/* Allocates entries at a multiple of 64 bytes, so that 8 ways are one line of the host. */
static bool
make_entries(struct cache *cache)
{
	const size_t lines = (size_t)(cache->config.sets * cache->config.ways);
	cache->entries_memory = mem_new(lines + 8, sizeof *cache->entries);
	if (!cache->entries_memory)
		return false;
	char *bytes = cache->entries_memory;
	bytes += (64 - (uintptr_t)bytes % 64) % 64;
	cache->entries = (void *)bytes;
	for (size_t i = 0; cache->config.always_valid && i < lines; i++)
		cache->entries[i] = entry_of(i / cache->config.ways);
	return true;
}

static bool
make_states(struct cache *cache)
{
	const struct cache_config *config = &cache->config;
	const size_t sets = (size_t)config->sets, lines = sets * config->ways;
	if (cache->lru8 || config->policy == CACHE_PLRU || config->policy == CACHE_POINTER) {
		cache->set_states = mem_new(sets, sizeof *cache->set_states);
		for (size_t i = 0; cache->lru8 && cache->set_states && i < sets; i++)
			cache->set_states[i] = LRU_MATRIX8_START;
		return cache->set_states;
	}
	if (config->policy != CACHE_SRRIP && config->policy != CACHE_DRRIP)
		return true;
	cache->predictions = mem_new(lines, sizeof *cache->predictions);
	return cache->predictions;
}

static bool
make_lines(struct cache *cache)
{
	if (!is_wide(&cache->config))
		return make_entries(cache) && make_states(cache);
	cache->frame_dirty = mem_new(cache->config.ways, sizeof *cache->frame_dirty);
	return cache->frame_dirty && lru_list_init(&cache->frames, cache->config.ways);
}

enum poly_status
cache_new(const struct cache_config *config, struct cache **cache, struct poly_error *error)
{
	return cache_new_with(config, cache_lru8_at(0), cache, error);
}

enum poly_status
cache_new_with(const struct cache_config *config, const struct cache_lru8 *lru8,
	struct cache **cache, struct poly_error *error)
{
	*cache = NULL;
	enum poly_status status = cache_check(config, error);
	if (status != POLY_OK)
		return status;
	struct cache *created = mem_new(1, sizeof *created);
	if (!created)
		return err_memory(error);
	created->config = *config;
	created->line_shift = (unsigned)__builtin_ctz(config->line_size);
	created->set_mask = config->sets - 1;
	created->dirty = config->write_through ? 0 : ENTRY_DIRTY;
	created->random = cache_random_state(config->seed);
	created->duel = 511;
	if (config->policy == CACHE_LRU && config->ways == LRU_MATRIX8_WAYS)
		created->lru8 = lru8;
	if (!make_lines(created)) {
		cache_free(created);
		return err_memory(error);
	}
	*cache = created;
	return POLY_OK;
}

void
cache_free(struct cache *cache)
{
	if (!cache)
		return;
	lru_list_fini(&cache->frames);
	mem_free(cache->frame_dirty);
	mem_free(cache->entries_memory);
	mem_free(cache->set_states);
	mem_free(cache->predictions);
	mem_free(cache);
}

const struct cache_config *
cache_config(const struct cache *cache)
{
	return &cache->config;
}

void
cache_count(const struct cache *cache, struct cache_counts *counts)
{
	const uint64_t line_size = cache->config.line_size;
	*counts = (struct cache_counts){.evictions = cache->evictions};
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		counts->accesses[kind] = cache->accesses[kind];
		counts->misses[kind] = cache->misses[kind];
		counts->dirty_misses[kind] = cache->dirty_misses[kind];
		counts->dirty_evictions += cache->dirty_misses[kind];
		if (kind != CACHE_WRITE || !cache->config.no_allocate)
			counts->fills += cache->misses[kind];
	}
	counts->bytes_from_below = counts->fills * line_size;
	counts->bytes_to_below = counts->dirty_evictions * line_size + cache->stored;
}

static uint64_t *
set_of(const struct cache *cache, uint64_t line)
{
	return cache->entries + (line & cache->set_mask) * cache->config.ways;
}

/* Returns the first way of a set that holds a line, or the number of ways. */
static uint32_t
find_way(const uint64_t *set, uint32_t ways, uint64_t line)
{
	const uint64_t key = entry_of(line);
	uint32_t way = 0;
	while (way < ways && (set[way] & ~ENTRY_DIRTY) != key)
		way++;
	return way;
}

static bool
use_frame(struct cache *cache, uint64_t line, uint64_t flags)
{
	const uint32_t frame = lru_list_find(&cache->frames, line);
	if (frame == LRU_LIST_NONE)
		return false;
	cache->frame_dirty[frame] |= (uint8_t)flags;
	if (cache->config.policy == CACHE_LRU)
		lru_list_renew(&cache->frames, frame);
	return true;
}

/* Uses a line of a set of lru8 if it is present. */
static bool
use_lru8(struct cache *cache, uint64_t line, uint64_t flags)
{
	uint64_t *order = &cache->set_states[line & cache->set_mask];
	const unsigned ways = cache->lru8->ways_of(set_of(cache, line), entry_of(line));
	if (ways)
		*order = lru_matrix8_use(*order, (unsigned)__builtin_ctz(ways), flags);
	return ways;
}

/* Uses a line if it is present. Returns whether it is. */
static bool
use_line(struct cache *cache, uint64_t line, uint64_t flags)
{
	const uint32_t ways = cache->config.ways;
	if (is_wide(&cache->config))
		return use_frame(cache, line, flags);
	if (cache->lru8)
		return use_lru8(cache, line, flags);
	uint64_t *set = set_of(cache, line);
	if (cache->config.policy == CACHE_LRU)
		return cache_lru_use(set, ways, entry_of(line), flags);
	const uint32_t way = find_way(set, ways, line);
	if (way == ways)
		return false;
	set[way] |= flags;
	if (cache->config.policy != CACHE_FIFO)
		cache_way_used(cache, line & cache->set_mask, way);
	return true;
}

/* Stores an entry in a frame. Returns the replaced entry, or 0. */
static uint64_t
fill_frame(struct cache *cache, uint64_t line, uint64_t flags)
{
	struct lru_list *frames = &cache->frames;
	uint64_t old = 0;
	uint32_t frame;
	if (frames->held < frames->capacity) {
		frame = lru_list_insert(frames, line);
	} else {
		frame = cache->config.policy == CACHE_RANDOM
				? cache_random(&cache->random) % frames->capacity
				: frames->oldest;
		old = entry_of(frames->frames[frame].number) | cache->frame_dirty[frame];
		lru_list_replace(frames, frame, line);
	}
	cache->frame_dirty[frame] = (uint8_t)flags;
	return old;
}

/* Inserts a line into its set. Returns the replaced entry, or 0. */
static uint64_t
fill_line(struct cache *cache, uint64_t line, uint64_t flags)
{
	const uint32_t ways = cache->config.ways;
	if (is_wide(&cache->config))
		return fill_frame(cache, line, flags);
	const uint64_t set_number = line & cache->set_mask;
	if (cache->lru8)
		return cache_lru8_bring(cache, set_number, entry_of(line), flags);
	uint64_t *set = set_of(cache, line), old;
	if (is_ordered(cache)) {
		old = set[ways - 1];
		memmove(set + 1, set, (ways - 1) * sizeof *set);
		set[0] = entry_of(line) | flags;
		return old;
	}
	const uint32_t way = cache_way_victim(cache, set_number);
	old = set[way];
	set[way] = entry_of(line) | flags;
	cache_way_filled(cache, set_number, way);
	return old;
}

static void
report_eviction(const struct cache *cache, uint64_t old, struct cache_outcome *outcome)
{
	outcome->evicted = old != 0;
	outcome->dirty = old & ENTRY_DIRTY;
	outcome->victim = line_of(old) << cache->line_shift;
}

static void
miss(struct cache *cache, uint64_t address, enum cache_kind kind, uint32_t size,
	struct cache_outcome *outcome)
{
	if (kind == CACHE_WRITE && cache->config.no_allocate) {
		cache->misses[kind]++;
		/* A write-through store goes to the next level in any case. */
		if (!cache->config.write_through)
			cache->stored += size;
		return;
	}
	const uint64_t old = fill_line(
		cache, address >> cache->line_shift, kind == CACHE_WRITE ? cache->dirty : 0);
	cache_count_fill(cache, kind, old);
	report_eviction(cache, old, outcome);
}

static uint32_t
size_of(const struct cache_batch *batch, size_t i)
{
	return batch->sizes && batch->sizes[i] ? batch->sizes[i] : CACHE_STORE_SIZE;
}

void
cache_miss(struct cache *cache, const struct cache_batch *batch, size_t i)
{
	struct cache_outcome outcome = {0};
	miss(cache, batch->addresses[i], (enum cache_kind)batch->kinds[i], size_of(batch, i),
		&outcome);
}

/* Counts the bytes equal to a value, in groups whose counts fit into bytes. */
static uint64_t
count_bytes(const uint8_t *bytes, size_t count, uint8_t value)
{
	uint64_t found = 0;
	size_t i = 0;
	for (; count - i >= 128; i += 128) {
		uint8_t few = 0;
		for (size_t j = 0; j < 128; j++)
			few = (uint8_t)(few + (bytes[i + j] == value));
		found += few;
	}
	for (; i < count; i++)
		found += bytes[i] == value;
	return found;
}

/* Counts the accesses of a batch, and the stores that go to the next level whether they hit or
 * not. */
static void
count_accesses(struct cache *cache, const struct cache_batch *batch)
{
	const uint64_t writes = count_bytes(batch->kinds, batch->count, CACHE_WRITE);
	const uint64_t fetches = count_bytes(batch->kinds, batch->count, CACHE_FETCH);
	cache->accesses[CACHE_WRITE] += writes;
	cache->accesses[CACHE_FETCH] += fetches;
	cache->accesses[CACHE_READ] += batch->count - writes - fetches;
	if (!cache->config.write_through)
		return;
	for (size_t i = 0; i < batch->count; i++)
		cache->stored += batch->kinds[i] == CACHE_WRITE ? size_of(batch, i) : 0;
}

size_t
cache_run(struct cache *cache, const struct cache_batch *batch, uint32_t *missed)
{
	size_t misses = 0;
	count_accesses(cache, batch);
	if (cache->config.policy == CACHE_LRU && !is_wide(&cache->config))
		return cache->lru8 ? cache->lru8->run(cache, batch, missed)
				   : cache_lru_run(cache, batch, missed);
	for (size_t i = 0; i < batch->count; i++) {
		const uint64_t flags = batch->kinds[i] == CACHE_WRITE ? cache->dirty : 0;
		if (use_line(cache, batch->addresses[i] >> cache->line_shift, flags))
			continue;
		cache_miss(cache, batch, i);
		if (missed)
			missed[misses] = (uint32_t)i;
		misses++;
	}
	return misses;
}

void
cache_access(struct cache *cache, uint64_t address, enum cache_kind kind, uint32_t size,
	struct cache_outcome *outcome)
{
	const uint64_t flags = kind == CACHE_WRITE ? cache->dirty : 0;
	*outcome = (struct cache_outcome){0};
	cache->accesses[kind]++;
	if (kind == CACHE_WRITE && cache->config.write_through)
		cache->stored += size;
	outcome->hit = use_line(cache, address >> cache->line_shift, flags);
	if (!outcome->hit)
		miss(cache, address, kind, size, outcome);
}

bool
cache_holds(const struct cache *cache, uint64_t address)
{
	const uint64_t line = address >> cache->line_shift;
	if (is_wide(&cache->config))
		return lru_list_find(&cache->frames, line) != LRU_LIST_NONE;
	return find_way(set_of(cache, line), cache->config.ways, line) < cache->config.ways;
}

bool
cache_touch(struct cache *cache, uint64_t address, bool dirty)
{
	return use_line(cache, address >> cache->line_shift, dirty ? cache->dirty : 0);
}

void
cache_fill(struct cache *cache, uint64_t address, bool dirty, struct cache_outcome *outcome)
{
	*outcome = (struct cache_outcome){0};
	report_eviction(cache,
		fill_line(cache, address >> cache->line_shift, dirty ? cache->dirty : 0),
		outcome);
}

static void
drop_frame(struct cache *cache, uint64_t line, struct cache_outcome *outcome)
{
	const uint32_t frame = lru_list_find(&cache->frames, line);
	if (frame == LRU_LIST_NONE)
		return;
	outcome->hit = true;
	outcome->dirty = cache->frame_dirty[frame];
	lru_list_remove(&cache->frames, frame);
}

void
cache_drop(struct cache *cache, uint64_t address, struct cache_outcome *outcome)
{
	const uint64_t line = address >> cache->line_shift;
	const uint32_t ways = cache->config.ways;
	*outcome = (struct cache_outcome){0};
	if (is_wide(&cache->config)) {
		drop_frame(cache, line, outcome);
		return;
	}
	uint64_t *set = set_of(cache, line);
	const uint32_t way = find_way(set, ways, line);
	if (way == ways)
		return;
	outcome->hit = true;
	outcome->dirty = set[way] & ENTRY_DIRTY;
	if (cache->lru8) {
		uint64_t *order = &cache->set_states[line & cache->set_mask];
		outcome->dirty = lru_matrix8_dirty(*order, way);
		*order = lru_matrix8_release(*order, way);
	}
	if (is_ordered(cache)) {
		memmove(set + way, set + way + 1, (ways - 1 - way) * sizeof *set);
		set[ways - 1] = 0;
	} else {
		set[way] = 0;
	}
}

/* Makes a frame clean. Returns whether it was dirty. */
static bool
clean_frame(struct cache *cache, uint64_t line)
{
	const uint32_t frame = lru_list_find(&cache->frames, line);
	if (frame == LRU_LIST_NONE)
		return false;
	const bool dirty = cache->frame_dirty[frame];
	cache->frame_dirty[frame] = 0;
	return dirty;
}

bool
cache_clean(struct cache *cache, uint64_t address)
{
	const uint64_t line = address >> cache->line_shift;
	if (is_wide(&cache->config))
		return clean_frame(cache, line);
	uint64_t *set = set_of(cache, line);
	const uint32_t way = find_way(set, cache->config.ways, line);
	if (way == cache->config.ways)
		return false;
	if (cache->lru8) {
		uint64_t *order = &cache->set_states[line & cache->set_mask];
		const bool dirty = lru_matrix8_dirty(*order, way);
		*order = lru_matrix8_clean(*order, way);
		return dirty;
	}
	const bool dirty = set[way] & ENTRY_DIRTY;
	set[way] &= ~ENTRY_DIRTY;
	return dirty;
}

/* Makes a line clean, or removes it. Returns whether it was dirty. */
static bool
clean_line(struct cache *cache, uint64_t address, bool drop)
{
	struct cache_outcome outcome;
	if (!drop)
		return cache_clean(cache, address);
	cache_drop(cache, address, &outcome);
	return outcome.dirty;
}

void
cache_clean_all(struct cache *cache, bool drop, cache_line_fn *line_fn, void *user)
{
	const struct lru_list *frames = &cache->frames;
	uint64_t address;
	if (is_wide(&cache->config)) {
		for (uint32_t frame = frames->newest, next;
			frames->held && frame != LRU_LIST_NONE; frame = next) {
			next = frames->frames[frame].older;
			address = frames->frames[frame].number << cache->line_shift;
			line_fn(user, address, clean_line(cache, address, drop));
		}
		return;
	}
	/* From the end, as ordered sets move the ways after a removed one. */
	for (size_t i = (size_t)cache->config.sets * cache->config.ways; i-- > 0;) {
		if (!cache->entries[i])
			continue;
		address = line_of(cache->entries[i]) << cache->line_shift;
		line_fn(user, address, clean_line(cache, address, drop));
	}
}
