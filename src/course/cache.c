/* SPDX-License-Identifier: MIT */
/* The courses' data caches, and the printout of homework 4. */
#include "course/cache.h"

#include "course/text.h"

#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

#define ADDRESS_BITS 32 /* assumed by the printout; tags are nevertheless printed in full */

static enum poly_status
check(const struct course_cache_config *config, struct poly_error *error)
{
	if (!course_is_power(config->capacity) || !course_is_power(config->block) ||
		!course_is_power(config->ways))
		return err_usage(error,
			"found a cache of %" PRIu64 " bytes, blocks of %" PRIu64
			" bytes and %" PRIu32 " ways, expected powers of two",
			config->capacity, config->block, config->ways);
	if (config->ways > COURSE_CACHE_WAYS_MAX ||
		config->capacity / config->block < config->ways ||
		config->capacity / config->block > COURSE_CACHE_FRAMES_MAX)
		return err_usage(error,
			"found %" PRIu64 " blocks and %" PRIu32
			" ways, expected at most %d blocks, and not more ways than blocks, at "
			"most %d",
			config->capacity / config->block, config->ways, COURSE_CACHE_FRAMES_MAX,
			COURSE_CACHE_WAYS_MAX);
	if (config->way_entries &&
		(config->ways != 2 || !course_is_power(config->way_entries) ||
			config->way_entries > COURSE_WAY_ENTRIES_MAX))
		return err_usage(error,
			"found a way predictor of %" PRIu32 " entries for %" PRIu32
			" ways, expected a power of two, at most %d, for 2 ways",
			config->way_entries, config->ways, COURSE_WAY_ENTRIES_MAX);
	return POLY_OK;
}

enum poly_status
course_cache_init(struct course_cache *cache, const struct course_cache_config *config,
	struct poly_error *error)
{
	memset(cache, 0, sizeof *cache);
	enum poly_status status = check(config, error);
	if (status)
		return status;
	cache->config = *config;
	cache->sets = config->capacity / config->block / config->ways;
	cache->frames = mem_new((size_t)(cache->sets * config->ways), sizeof *cache->frames);
	cache->next = mem_new((size_t)cache->sets, sizeof *cache->next);
	if (config->way_entries)
		cache->predicted = mem_new(config->way_entries, 1);
	const bool has_all =
		cache->frames && cache->next && (cache->predicted || !config->way_entries);
	return has_all ? POLY_OK : err_memory(error);
}

struct course_access
course_cache_find(const struct course_cache *cache, uint64_t address)
{
	uint64_t number = address / cache->config.block;
	return (struct course_access){.set = number % cache->sets,
		.tag = number / cache->sets,
		.block = number * cache->config.block};
}

/* Returns the way of a set that has a tag; ways: none. */
static uint32_t
way_of(const struct course_cache *cache, const struct course_frame *set, uint64_t tag)
{
	uint32_t way = 0;
	while (way < cache->config.ways &&
		(set[way].tag != tag || (cache->config.has_valid && !set[way].valid)))
		way++;
	return way;
}

/* Returns the way to replace; empty frames were never used. */
static uint32_t
victim(const struct course_cache *cache, uint64_t set)
{
	const struct course_frame *frames = &cache->frames[set * cache->config.ways];
	uint32_t oldest = 0;
	if (cache->config.policy == COURSE_POINTER)
		return cache->next[set];
	for (uint32_t way = 1; way < cache->config.ways; way++)
		oldest = frames[way].used < frames[oldest].used ? way : oldest;
	return oldest;
}

static void
count(struct course_cache *cache, const struct course_access *access, bool is_store)
{
	uint64_t miss = !access->hit;
	cache->loads += !is_store;
	cache->stores += is_store;
	cache->load_misses += is_store ? 0 : miss;
	cache->store_misses += is_store ? miss : 0;
	cache->dirty_loads += !is_store && access->dirty;
	cache->dirty_stores += is_store && access->dirty;
}

/* Predicts the way of a hit, and updates the predictor. */
static void
predict_way(struct course_cache *cache, const struct course_access *access, uint32_t way)
{
	if (!cache->predicted)
		return;
	const uint64_t number = access->block / cache->config.block;
	uint8_t *entry = &cache->predicted[number % cache->config.way_entries];
	cache->way_mispredictions += access->hit && *entry != way;
	*entry = (uint8_t)way;
}

struct course_access
course_cache_access(struct course_cache *cache, uint64_t address, bool is_store)
{
	struct course_access access = course_cache_find(cache, address);
	struct course_frame *set = &cache->frames[access.set * cache->config.ways];
	uint32_t way = way_of(cache, set, access.tag);
	access.hit = way < cache->config.ways;
	if (!access.hit) {
		way = victim(cache, access.set);
		access.dirty = set[way].dirty;
		set[way] = (struct course_frame){.tag = access.tag, .valid = true};
	}
	count(cache, &access, is_store);
	predict_way(cache, &access, way);
	set[way].dirty |= is_store;
	set[way].used = cache->loads + cache->stores;
	cache->next[access.set] = (way + 1) % cache->config.ways;
	return access;
}

static uint64_t
misses(const struct course_cache *cache)
{
	return cache->load_misses + cache->store_misses;
}

uint64_t
course_cache_back(const struct course_cache *cache)
{
	return (misses(cache) + cache->dirty_loads + cache->dirty_stores) * cache->config.block;
}

uint64_t
course_cache_through(const struct course_cache *cache)
{
	return misses(cache) * cache->config.block + cache->stores * COURSE_STORE_BYTES;
}

void
course_cache_fini(struct course_cache *cache)
{
	mem_free(cache->frames);
	mem_free(cache->next);
	mem_free(cache->predicted);
	memset(cache, 0, sizeof *cache);
}

static int
log2_of(uint64_t power)
{
	int bits = 0;
	while (power >>= 1)
		bits++;
	return bits;
}

void
course_cache_begin(
	const struct course_cache *cache, const char *name, bool is_quiet, struct buf *out)
{
	const struct course_cache_config *config = &cache->config;
	int index = log2_of(cache->sets), offset = log2_of(config->block);
	if (!is_quiet)
		buf_string(out, "debug mode on\n");
	course_text_name(out, name);
	buf_printf(out, "Cache size  = %" PRIu64 "B. Each block = %" PRIu64 "B.\n",
		config->capacity, config->block);
	buf_printf(out, "%" PRIu32 "-way set associative cache.\n", config->ways);
	buf_printf(out, "Tag = %d bits, Index = %d bits, Offset = %d bits\n",
		ADDRESS_BITS - index - offset, index, offset);
	buf_printf(out, "There are %" PRIu64 " sets total in the cache.\n", cache->sets);
	buf_printf(out,
		"At this associativity, that means a total of %" PRIu64 " cache lines.\n",
		cache->sets * config->ways);
	buf_string(out, "(Assuming a 32-bit address.)\nInstruction Limit\t\t\tnone\n");
	if (!is_quiet)
		buf_string(out, "[SetNum: {WayNum: Tag,cl/dirty} LRU=WayNum]\t| "
				"Block-Addr\tType\tH/M\tEvicState\n");
}

/* Prints every frame of the cache. */
static void
put_state(const struct course_cache *cache, struct buf *out)
{
	const struct course_frame *frame = cache->frames;
	for (uint64_t set = 0; set < cache->sets; set++) {
		buf_printf(out, "[S%" PRIu64 ": ", set);
		for (uint32_t way = 0; way < cache->config.ways; way++, frame++)
			buf_printf(out, "{W%" PRIu32 ": %" PRIx64 ", %c} ", way, frame->tag,
				frame->dirty ? 'D' : 'C');
		buf_printf(out, "LRU=%" PRIu32 "] ", victim(cache, set));
	}
}

void
course_cache_uop(struct course_cache *cache, const struct course_uop *uop, struct buf *out)
{
	if (uop->ldst == '-')
		return;
	if (out)
		put_state(cache, out);
	struct course_access access =
		course_cache_access(cache, uop->address, uop->ldst == 'S');
	const char *evicted = access.dirty ? "dirty" : "clean";
	if (out)
		buf_printf(out, "\t| %" PRIx64 "\t%c\t%s\t%s\n", access.block, uop->ldst,
			access.hit ? "hit" : "miss", access.hit ? "--" : evicted);
}

void
course_cache_end(const struct course_cache *cache, uint64_t uops, struct buf *out)
{
	uint64_t accesses = cache->loads + cache->stores, missed = misses(cache);
	course_text_processed(out, uops);
	buf_printf(out, "Cache Hit Rate = %.2f%% (Mis-rate: %.2f%%)\n",
		course_percent(accesses - missed, accesses), course_percent(missed, accesses));
	buf_printf(out, "Total number of bytes transferred write-back: %" PRIu64 "\n",
		course_cache_back(cache));
	buf_printf(out, "Total number of bytes transferred write-thru: %" PRIu64 "\n",
		course_cache_through(cache));
	if (cache->predicted)
		buf_printf(out,
			"way mispredictions = %" PRIu64 "\nway misprediction rate = %.6f\n",
			cache->way_mispredictions,
			course_percent(cache->way_mispredictions, accesses - missed) / 100);
}
