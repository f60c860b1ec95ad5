/* SPDX-License-Identifier: MIT */
/* A cache hierarchy: requested lines move up, evicted lines move down. */
#include "sim/cache/hierarchy.h"

#include "base/err.h"
#include "base/mem.h"
#include "sim/memory/lru_list.h"

#include <inttypes.h>

#define MEMORY HIERARCHY_CACHES

struct hierarchy_node {
	struct cache *cache, *victims; /* victims: NULL without a victim cache */
	struct prefetcher *prefetcher; /* NULL without a prefetcher */
	struct lru_list brought;       /* lines that it filled and that are unused since */
	unsigned line_shift;
	uint32_t latency;
	unsigned below;	 /* the next node, or MEMORY */
	bool has_access; /* the access to report to the prefetcher when it is complete */
	struct prefetch_access access;
	struct hierarchy_counts counts;
};

struct hierarchy {
	struct hierarchy_config config;
	struct hierarchy_node nodes[HIERARCHY_CACHES];
	struct hierarchy_totals totals;
};

/* A request to a level. */
struct request {
	uint64_t address, pc;
	enum cache_kind kind;
	bool store;    /* a store to this level, not a read of the line */
	bool prefetch; /* not part of an access: a prefetch or write-back */
	bool top;
	bool whole; /* a store of a whole line at the top */
};

/* Response of a level and those below it. */
struct supply {
	uint32_t cycles;
	bool dirty; /* the line is dirty */
};

static struct supply ask(struct hierarchy *h, unsigned n, const struct request *request);
static void put(
	struct hierarchy *h, unsigned n, const struct cache_outcome *line, unsigned line_shift);

/* Removes a line from a node, cache or victims. Returns whether it was dirty. */
static bool
take_out(struct hierarchy_node *node, uint64_t address, bool *held)
{
	struct cache_outcome outcome;
	cache_drop(node->cache, address, &outcome);
	if (!outcome.hit && node->victims)
		cache_drop(node->victims, address, &outcome);
	if (node->prefetcher) {
		const uint32_t frame =
			lru_list_find(&node->brought, address >> node->line_shift);
		if (frame != LRU_LIST_NONE)
			lru_list_remove(&node->brought, frame);
	}
	*held = outcome.hit;
	return outcome.dirty;
}

/* Removes a line from the levels above a node. Returns whether it was dirty in one. */
static bool
invalidate_above(struct hierarchy *h, unsigned n, uint64_t address)
{
	bool dirty = false;
	for (unsigned above = 0; above < HIERARCHY_CACHES; above++) {
		struct hierarchy_node *node = &h->nodes[above];
		bool held;
		if (!node->cache || node->below != n)
			continue;
		dirty |= invalidate_above(h, above, address);
		dirty |= take_out(node, address, &held);
		node->counts.invalidations += held;
	}
	return dirty;
}

/* Handles an eviction from a node: the line moves to the victims, and the victim evicted there
 * to the level below. */
static void
leave(struct hierarchy *h, unsigned n, struct cache_outcome line)
{
	struct hierarchy_node *node = &h->nodes[n];
	if (node->victims) {
		struct cache_outcome next;
		cache_fill(node->victims, line.victim, line.dirty, &next);
		line = next;
	}
	if (!line.evicted)
		return;
	if (node->prefetcher) {
		const uint32_t frame =
			lru_list_find(&node->brought, line.victim >> node->line_shift);
		if (frame != LRU_LIST_NONE)
			lru_list_remove(&node->brought, frame);
	}
	if (h->config.inclusion == HIERARCHY_INCLUSIVE)
		line.dirty |= invalidate_above(h, n, line.victim);
	if (line.dirty || h->config.inclusion == HIERARCHY_EXCLUSIVE)
		put(h, node->below, &line, node->line_shift);
}

static void
fill(struct hierarchy *h, unsigned n, uint64_t address, bool dirty)
{
	struct cache_outcome outcome;
	cache_fill(h->nodes[n].cache, address, dirty, &outcome);
	if (outcome.evicted)
		leave(h, n, outcome);
}

/* Accepts a line evicted from the level above, whose line size is 1 << shift. */
static void
put(struct hierarchy *h, unsigned n, const struct cache_outcome *line, unsigned line_shift)
{
	if (n == MEMORY) {
		h->totals.memory_writes += line->dirty;
		return;
	}
	struct hierarchy_node *node = &h->nodes[n];
	const bool through = cache_config(node->cache)->write_through;
	node->counts.lines_put++;
	if (!cache_touch(node->cache, line->victim, line->dirty) &&
		!(node->victims && cache_touch(node->victims, line->victim, line->dirty))) {
		if (node->line_shift != line_shift)
			ask(h, node->below,
				&(struct request){.address = line->victim, .prefetch = true});
		fill(h, n, line->victim, line->dirty);
	}
	if (through && line->dirty)
		put(h, node->below, line, node->line_shift);
}

/* Handles a store that a node does not keep. */
static void
store_below(struct hierarchy *h, unsigned n, const struct request *request)
{
	struct request store = *request;
	store.store = true;
	store.top = store.whole = false;
	ask(h, h->nodes[n].below, &store);
}

/* Looks a line up in the cache and the victims of a node, and uses it. */
static bool
use(struct hierarchy *h, unsigned n, const struct request *request)
{
	struct hierarchy_node *node = &h->nodes[n];
	struct cache_outcome outcome;
	if (cache_touch(node->cache, request->address, request->store))
		return true;
	if (!request->prefetch && !(request->store && !request->top))
		node->counts.misses[request->kind]++;
	if (!node->victims)
		return false;
	cache_drop(node->victims, request->address, &outcome);
	if (!outcome.hit)
		return false;
	node->counts.victim_hits += !request->prefetch;
	fill(h, n, request->address, outcome.dirty || request->store);
	return true;
}

/* Stores an access for the prefetcher of a node, which sees it when it is complete: a
 * prefetched line may evict the line itself, which is still on its way up. */
static void
remember(struct hierarchy_node *node, const struct request *request, bool missed)
{
	const uint32_t frame =
		lru_list_find(&node->brought, request->address >> node->line_shift);
	const bool brought = frame != LRU_LIST_NONE;
	if (brought) {
		lru_list_remove(&node->brought, frame);
		node->counts.prefetch_hits++;
	}
	node->has_access = true;
	node->access = (struct prefetch_access){request->address, request->pc, missed, brought};
}

/* Returns whether a node has a line, in the cache or the victims. */
static bool
holds(const struct hierarchy_node *node, uint64_t address)
{
	return cache_holds(node->cache, address) ||
	       (node->victims && cache_holds(node->victims, address));
}

/* Reads an absent line from the level below and fills it into a node. */
static void
prefetch_line(struct hierarchy *h, unsigned n, uint64_t address)
{
	const struct request request = {.address = address, .prefetch = true};
	const struct supply supply = ask(h, h->nodes[n].below, &request);
	fill(h, n, address, supply.dirty);
}

/* Fills the lines that the prefetcher of a node requests after an access. */
static void
prefetch(struct hierarchy *h, unsigned n)
{
	struct hierarchy_node *node = &h->nodes[n];
	uint64_t addresses[PREFETCH_DEGREE_MAX];
	const size_t count = prefetch_see(node->prefetcher, &node->access, addresses);
	node->has_access = false;
	for (size_t i = 0; i < count; i++) {
		if (holds(node, addresses[i]))
			continue;
		prefetch_line(h, n, addresses[i]);
		/* Not earlier: the evicted line may be the last one with a frame. */
		lru_list_insert(&node->brought, addresses[i] >> node->line_shift);
		node->counts.prefetches++;
	}
}

/* Fetches a missing line from the level below into a node, or, if exclusive, passes it upwards.
 */
static struct supply
bring(struct hierarchy *h, unsigned n, const struct request *request)
{
	struct request line = *request;
	line.store = line.top = false;
	struct supply supply = ask(h, h->nodes[n].below, &line);
	if (request->top || h->config.inclusion != HIERARCHY_EXCLUSIVE) {
		fill(h, n, request->address, supply.dirty || request->store);
		supply.dirty = false;
	}
	return supply;
}

/* Allocates a line at the top without a fill, and in the levels that must have it, too. */
static void
allocate(struct hierarchy *h, unsigned n, uint64_t address)
{
	unsigned below[HIERARCHY_LEVELS], count = 0;
	bool held;
	for (unsigned m = h->nodes[n].below; m != MEMORY; m = h->nodes[m].below)
		below[count++] = m;
	while (count--) {
		const unsigned m = below[count];
		if (h->config.inclusion == HIERARCHY_EXCLUSIVE)
			take_out(&h->nodes[m], address, &held);
		else if (h->config.inclusion == HIERARCHY_INCLUSIVE &&
			 !holds(&h->nodes[m], address))
			fill(h, m, address, false);
	}
	fill(h, n, address, true);
	h->nodes[n].counts.unfilled++;
}

static struct supply
ask(struct hierarchy *h, unsigned n, const struct request *request)
{
	if (n == MEMORY) {
		h->totals.memory_writes += request->store;
		h->totals.memory_reads += !request->store;
		return (struct supply){h->config.memory_latency, false};
	}
	struct hierarchy_node *node = &h->nodes[n];
	const struct cache_config *config = cache_config(node->cache);
	const bool stored_from_above = request->store && !request->top;
	if (stored_from_above)
		node->counts.stores++;
	else if (!request->prefetch)
		node->counts.accesses[request->kind]++;
	struct supply supply = {0, false};
	const bool held = use(h, n, request);
	const bool enters = !held && !(request->store && config->no_allocate);
	if (enters && request->whole)
		allocate(h, n, request->address);
	else if (enters)
		supply = bring(h, n, request);
	if (request->store && (config->write_through || (!held && config->no_allocate)))
		store_below(h, n, request);
	if (node->prefetcher && !request->prefetch && !stored_from_above)
		remember(node, request, !held);
	if (held && h->config.inclusion == HIERARCHY_EXCLUSIVE && !request->top) {
		bool there;
		supply.dirty = take_out(node, request->address, &there);
	}
	supply.cycles += node->latency;
	return supply;
}

/* Returns whether a size is that of a line of the top level. */
static bool
is_whole(const struct hierarchy *h, uint32_t size)
{
	return size == 0 || size == h->config.levels[0].cache.line_size;
}

void
hierarchy_run(struct hierarchy *h, const struct hierarchy_batch *batch, uint32_t *cycles)
{
	for (size_t i = 0; i < batch->count; i++) {
		const enum cache_kind kind = (enum cache_kind)batch->kinds[i];
		const bool store = kind == CACHE_WRITE && !h->config.stores_as_reads;
		const struct request request = {batch->addresses[i],
			batch->pcs ? batch->pcs[i] : batch->addresses[i], kind, store, false,
			true, store && batch->sizes && is_whole(h, batch->sizes[i])};
		const unsigned top =
			kind == CACHE_FETCH && h->config.split ? HIERARCHY_LEVELS : 0;
		const struct supply supply = ask(h, top, &request);
		for (unsigned n = 0; n < HIERARCHY_CACHES; n++)
			if (h->nodes[n].has_access)
				prefetch(h, n);
		h->totals.cycles += supply.cycles;
		if (cycles)
			cycles[i] = supply.cycles;
	}
	h->totals.accesses += batch->count;
}

/* Cleans a line in the caches of a node. Returns whether it was dirty. */
static bool
clean(struct hierarchy_node *node, uint64_t address)
{
	const bool dirty = cache_clean(node->cache, address);
	return (node->victims && cache_clean(node->victims, address)) || dirty;
}

/* Performs an operation on a line in a node. Returns whether the line was dirty. */
static bool
operate(struct hierarchy_node *node, enum cache_operation operation, uint64_t address)
{
	bool held;
	if (operation == CACHE_CLEAN)
		return clean(node, address);
	const bool dirty = take_out(node, address, &held);
	node->counts.dropped += held;
	return dirty;
}

/* An operation on all lines, at a node. */
struct operated_level {
	struct hierarchy *hierarchy;
	unsigned node;
	enum cache_operation operation;
};

/* Follows an operation on a line of a node, as a cache_line_fn: lower levels have nothing to
 * write that this level has written. */
static void
operated(void *user, uint64_t address, bool dirty)
{
	const struct operated_level *level = user;
	struct hierarchy *h = level->hierarchy;
	struct hierarchy_node *node = &h->nodes[level->node];
	node->counts.dropped += level->operation != CACHE_CLEAN_ALL;
	if (!dirty || level->operation == CACHE_INVALIDATE_ALL)
		return;
	node->counts.written_back++;
	h->totals.memory_writes++;
	for (unsigned m = node->below; m != MEMORY; m = h->nodes[m].below)
		clean(&h->nodes[m], address);
}

/* Indexes of the nodes from the top down. */
static const unsigned order[HIERARCHY_CACHES] = {HIERARCHY_LEVELS, 0, 1, 2, 3};

/* Performs an operation on all lines, from the top down. */
static void
operate_all(struct hierarchy *h, enum cache_operation operation)
{
	for (unsigned i = 0; i < HIERARCHY_CACHES; i++) {
		struct hierarchy_node *node = &h->nodes[order[i]];
		struct operated_level level = {h, order[i], operation};
		const bool drop = operation != CACHE_CLEAN_ALL;
		if (node->cache)
			cache_clean_all(node->cache, drop, operated, &level);
		if (node->victims)
			cache_clean_all(node->victims, drop, operated, &level);
		while (drop && node->prefetcher && node->brought.held)
			lru_list_remove(&node->brought, node->brought.newest);
	}
}

/* Performs an operation on a line in all levels. */
static void
operate_line(struct hierarchy *h, enum cache_operation operation, uint64_t address)
{
	bool written = operation == CACHE_INVALIDATE;
	for (unsigned i = 0; i < HIERARCHY_CACHES; i++) {
		struct hierarchy_node *node = &h->nodes[order[i]];
		if (!node->cache || !operate(node, operation, address) || written)
			continue;
		node->counts.written_back++;
		h->totals.memory_writes++;
		written = true;
	}
}

/* Invalidates a line of the instruction cache; a dirty one of a unified level is written back.
 */
static void
operate_code(struct hierarchy *h, uint64_t address)
{
	const unsigned n = h->config.split ? HIERARCHY_LEVELS : 0;
	struct hierarchy_node *node = &h->nodes[n];
	if (!operate(node, CACHE_CODE, address))
		return;
	const struct cache_outcome line = {
		.dirty = true, .victim = address >> node->line_shift << node->line_shift};
	node->counts.written_back++;
	put(h, node->below, &line, node->line_shift);
}

void
hierarchy_operate(struct hierarchy *h, enum cache_operation operation, uint64_t address)
{
	if (operation >= CACHE_CLEAN_ALL) {
		operate_all(h, operation);
	} else if (operation == CACHE_CODE) {
		operate_code(h, address);
	} else if (operation != CACHE_PREFETCH) {
		operate_line(h, operation, address);
	} else if (!holds(&h->nodes[0], address)) {
		prefetch_line(h, 0, address);
		h->nodes[0].counts.requested++;
	}
}

const struct hierarchy_counts *
hierarchy_counts(const struct hierarchy *h, unsigned level)
{
	return &h->nodes[level].counts;
}

const struct hierarchy_totals *
hierarchy_totals(const struct hierarchy *h)
{
	return &h->totals;
}

void
hierarchy_count_anew(struct hierarchy *h)
{
	h->totals = (struct hierarchy_totals){0};
	for (int n = 0; n < HIERARCHY_CACHES; n++)
		h->nodes[n].counts = (struct hierarchy_counts){0};
}

static enum poly_status
check_level(const struct hierarchy_level *level, struct poly_error *error)
{
	const struct cache_config *cache = &level->cache;
	if (cache->always_valid)
		return err_usage(
			error, "a cache without valid bits cannot be a level of a hierarchy");
	if ((unsigned)level->prefetch >= PREFETCHES)
		return err_usage(error, "unknown prefetcher %d", (int)level->prefetch);
	if (level->prefetch != PREFETCH_NONE &&
		(!level->prefetch_degree || level->prefetch_degree > PREFETCH_DEGREE_MAX))
		return err_usage(error, "%" PRIu32 " lines per prefetch, expected 1 to %d",
			level->prefetch_degree, PREFETCH_DEGREE_MAX);
	if (level->victims > CACHE_LINES_MAX)
		return err_usage(error,
			"a victim cache of %" PRIu32 " lines, expected at most %" PRIu64,
			level->victims, CACHE_LINES_MAX);
	return cache_check(cache, error);
}

/* Only with NINE may lines be longer in lower levels; exclusive levels keep all stores. */
static enum poly_status
check_pair(const struct hierarchy_config *config, const struct hierarchy_level *above,
	const struct hierarchy_level *level, struct poly_error *error)
{
	const uint32_t upper = above->cache.line_size, lower = level->cache.line_size;
	if (upper > lower || (upper != lower && config->inclusion != HIERARCHY_NINE))
		return err_usage(error,
			"lines of %" PRIu32 " bytes above lines of %" PRIu32 " bytes: %s",
			upper, lower,
			upper > lower ? "lines of a lower level cannot be shorter"
				      : "inclusive and exclusive levels need equal lines");
	return POLY_OK;
}

enum poly_status
hierarchy_check(const struct hierarchy_config *config, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (!config->count || config->count > HIERARCHY_LEVELS)
		return err_usage(
			error, "%u levels, expected 1 to %d", config->count, HIERARCHY_LEVELS);
	for (unsigned i = 0; i <= config->count && status == POLY_OK; i++) {
		const bool last = i == config->count;
		const struct hierarchy_level *level =
			last ? &config->instructions : &config->levels[i];
		if (last && !config->split)
			break;
		status = check_level(level, error);
		if (status == POLY_OK && config->inclusion == HIERARCHY_EXCLUSIVE &&
			(level->cache.write_through || level->cache.no_allocate))
			status = err_usage(error,
				"exclusive levels must be write-back and write-allocate");
		if (status == POLY_OK && config->inclusion == HIERARCHY_EXCLUSIVE && !last &&
			i > 0 && level->victims)
			status = err_usage(error,
				"an exclusive level holds victims itself and cannot have a "
				"victim cache");
		if (status == POLY_OK && !last && i > 0)
			status = check_pair(config, &config->levels[i - 1], level, error);
		if (status == POLY_OK && last && config->count > 1)
			status = check_pair(config, level, &config->levels[1], error);
	}
	return status;
}

static enum poly_status
open_node(struct hierarchy_node *node, const struct hierarchy_level *level,
	struct poly_error *error)
{
	enum poly_status status = cache_new(&level->cache, &node->cache, error);
	const struct cache_config victims = {.sets = 1,
		.ways = level->victims,
		.line_size = level->cache.line_size,
		.write_through = level->cache.write_through};
	node->line_shift = (unsigned)__builtin_ctz(level->cache.line_size);
	node->latency = level->latency;
	if (status == POLY_OK && level->victims)
		status = cache_new(&victims, &node->victims, error);
	if (status != POLY_OK || level->prefetch == PREFETCH_NONE)
		return status;
	const uint32_t lines =
		(uint32_t)(level->cache.sets * level->cache.ways) + level->victims;
	node->prefetcher = mem_new(1, sizeof *node->prefetcher);
	if (!node->prefetcher || !lru_list_init(&node->brought, lines))
		return err_memory(error);
	node->prefetcher->kind = level->prefetch;
	node->prefetcher->degree = level->prefetch_degree;
	node->prefetcher->line_shift = node->line_shift;
	return POLY_OK;
}

enum poly_status
hierarchy_new(const struct hierarchy_config *config, struct hierarchy **hierarchy,
	struct poly_error *error)
{
	*hierarchy = NULL;
	enum poly_status status = hierarchy_check(config, error);
	if (status != POLY_OK)
		return status;
	struct hierarchy *h = mem_new(1, sizeof *h);
	if (!h)
		return err_memory(error);
	h->config = *config;
	for (unsigned i = 0; i < config->count && status == POLY_OK; i++) {
		status = open_node(&h->nodes[i], &config->levels[i], error);
		h->nodes[i].below = i + 1 < config->count ? i + 1 : MEMORY;
	}
	if (status == POLY_OK && config->split)
		status = open_node(&h->nodes[HIERARCHY_LEVELS], &config->instructions, error);
	h->nodes[HIERARCHY_LEVELS].below = h->nodes[0].below;
	if (status != POLY_OK) {
		hierarchy_free(h);
		return status;
	}
	*hierarchy = h;
	return POLY_OK;
}

void
hierarchy_free(struct hierarchy *h)
{
	for (int n = 0; h && n < HIERARCHY_CACHES; n++) {
		struct hierarchy_node *node = &h->nodes[n];
		cache_free(node->cache);
		cache_free(node->victims);
		lru_list_fini(&node->brought);
		mem_free(node->prefetcher);
	}
	mem_free(h);
}
