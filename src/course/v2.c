/* SPDX-License-Identifier: MIT */
/* Computes each instruction's times from those of the previous one and of the writers of its
 * sources.
 */
#include "course/v2.h"

#include <inttypes.h>

#include "base/err.h"
#include "base/mem.h"
#include "course/counter.h"
#include "sim/cache/cache.h"

struct v2_writer {
	uint64_t number; /* of the instruction, from 1; 0: none yet */
	uint64_t m, w;	 /* cycles in which it enters M and W */
	bool is_load;
};

/* A target of a branch; the pc is the tag. */
struct v2_target {
	uint64_t pc, target;
	bool is_valid;
};

struct v2_pipeline {
	struct v2_config config;
	uint64_t number;      /* instructions until now */
	struct v2_times last; /* of the previous instruction */
	struct v2_writer writers[V2_REGISTERS];
	uint32_t history;
	uint8_t *counters;
	struct v2_target *targets;
	struct cache *caches[2]; /* of instructions and data; NULL: none */
};

static enum poly_status
fail_above(struct poly_error *error, const char *what, unsigned found, unsigned max)
{
	return err_usage(error, "%s: found %u, expected at most %u", what, found, max);
}

static enum poly_status
check_cache(const struct v2_cache *cache, struct poly_error *error)
{
	if (cache->ways > V2_WAYS_MAX)
		return fail_above(error, "number of ways", cache->ways, V2_WAYS_MAX);
	if (cache->index_bits > V2_INDEX_MAX)
		return fail_above(error, "number of index bits of the cache", cache->index_bits,
			V2_INDEX_MAX);
	if (cache->block_bits > V2_INDEX_MAX)
		return fail_above(error, "number of block bits of the cache", cache->block_bits,
			V2_INDEX_MAX);
	if (cache->hit > V2_LATENCY_MAX || cache->clean > V2_LATENCY_MAX ||
		cache->dirty > V2_LATENCY_MAX)
		return err_usage(error,
			"found latencies of %u, %u and %u cycles, expected at most %d each",
			cache->hit, cache->clean, cache->dirty, V2_LATENCY_MAX);
	return POLY_OK;
}

enum poly_status
v2_check(const struct v2_config *config, struct poly_error *error)
{
	if (config->direction > V2_GSHARE)
		return err_usage(error, "no such predictor %d", (int)config->direction);
	if (config->index_bits > V2_INDEX_MAX)
		return fail_above(error, "number of index bits of the predictor",
			config->index_bits, V2_INDEX_MAX);
	if (config->btb_bits > V2_INDEX_MAX)
		return fail_above(error, "number of index bits of the BTB", config->btb_bits,
			V2_INDEX_MAX);
	if (config->history_bits > 32)
		return fail_above(error, "number of history bits", config->history_bits, 32);
	if (config->memory > V2_LATENCY_MAX)
		return fail_above(
			error, "memory latency in cycles", config->memory, V2_LATENCY_MAX);
	return check_cache(&config->cache, error);
}

struct v2_pipeline *
v2_new(const struct v2_config *config, struct poly_error *error)
{
	if (v2_check(config, error) != POLY_OK)
		return NULL;
	struct v2_pipeline *pipeline = mem_new(1, sizeof *pipeline);
	if (!pipeline) {
		err_memory(error);
		return NULL;
	}
	/* A line is a block's number. */
	const struct cache_config cache = {.sets = (uint64_t)1 << config->cache.index_bits,
		.ways = config->cache.ways,
		.line_size = CACHE_LINE_MIN};
	pipeline->config = *config;
	pipeline->counters = mem_new((size_t)1 << config->index_bits, 1);
	pipeline->targets = mem_new((size_t)1 << config->btb_bits, sizeof *pipeline->targets);
	bool ok = pipeline->counters && pipeline->targets;
	for (size_t i = 0; i < 2 && cache.ways; i++)
		ok = ok && cache_new(&cache, &pipeline->caches[i], NULL) == POLY_OK;
	if (ok)
		return pipeline;
	v2_free(pipeline);
	err_memory(error);
	return NULL;
}

/* Predicts the direction of a branch, and trains the counter. */
static bool
predict_direction(struct v2_pipeline *pipeline, const struct v2_insn *insn)
{
	const struct v2_config *config = &pipeline->config;
	const uint64_t mask = ((uint64_t)1 << config->index_bits) - 1;
	if (config->direction == V2_NEVER)
		return false;
	uint64_t index = insn->pc >> 1;
	if (config->direction == V2_GSHARE)
		index ^= pipeline->history;
	const bool predicted = counter_train(&pipeline->counters[index & mask], insn->is_taken);
	const uint64_t history = (uint64_t)pipeline->history << 1 | insn->is_taken;
	pipeline->history = (uint32_t)(history & (((uint64_t)1 << config->history_bits) - 1));
	return predicted;
}

/* Predicts the next pc of a branch, and trains; returns whether it was mispredicted. */
static bool
mispredicts(struct v2_pipeline *pipeline, const struct v2_insn *insn)
{
	if (pipeline->config.direction == V2_PERFECT || !insn->is_branch)
		return false;
	const uint64_t mask = ((uint64_t)1 << pipeline->config.btb_bits) - 1;
	struct v2_target *target = &pipeline->targets[(insn->pc >> 1) & mask];
	const bool known = target->is_valid && target->pc == insn->pc;
	const uint64_t fallthrough = insn->pc + insn->size;
	const uint64_t predicted =
		predict_direction(pipeline, insn) && known ? target->target : fallthrough;
	if (insn->is_taken)
		*target = (struct v2_target){insn->pc, insn->target, true};
	return predicted != (insn->is_taken ? insn->target : fallthrough);
}

/* Returns the additional cycles of an access. */
static unsigned
access_cache(struct v2_pipeline *pipeline, size_t which, uint64_t address, bool writes)
{
	const struct v2_cache *cache = &pipeline->config.cache;
	struct cache_outcome outcome;
	cache_access(pipeline->caches[which], (address >> cache->block_bits) * CACHE_LINE_MIN,
		writes ? CACHE_WRITE : CACHE_READ, 0, &outcome);
	return outcome.hit ? cache->hit : outcome.dirty ? cache->dirty : cache->clean;
}

/* Returns whether a register is available to an instruction that enters X. */
static bool
is_available(const struct v2_config *config, const struct v2_writer *writer, uint64_t x)
{
	if (!writer->number || x > writer->w || (config->wx && x == writer->w))
		return true;
	return !writer->is_load && config->mx && writer->m <= x && x < writer->w;
}

static uint64_t
first_available(const struct v2_pipeline *pipeline, int8_t source, uint64_t x)
{
	if (source == V2_NONE)
		return x;
	const struct v2_writer *writer = &pipeline->writers[source];
	while (!is_available(&pipeline->config, writer, x)) {
		/* Nothing changes before M, nor between M and W. */
		x = x < writer->m ? writer->m : x < writer->w ? writer->w : writer->w + 1;
	}
	return x;
}

/* Returns whether the WM bypass forwards a store's data from the previous load. */
static bool
is_bypassed(const struct v2_pipeline *pipeline, const struct v2_insn *insn)
{
	if (!pipeline->config.wm || !insn->is_store || insn->src1 == V2_NONE ||
		insn->src1 == insn->src2)
		return false;
	const struct v2_writer *writer = &pipeline->writers[insn->src1];
	return writer->is_load && writer->number && writer->number + 1 == pipeline->number;
}

/* Returns the first cycle in which all sources are available at once; a source can be available
 * only temporarily. */
static uint64_t
enter_x(const struct v2_pipeline *pipeline, const struct v2_insn *insn, uint64_t first)
{
	const int8_t data = is_bypassed(pipeline, insn) ? V2_NONE : insn->src1;
	for (uint64_t x = first;;) {
		uint64_t next = first_available(
			pipeline, insn->src2, first_available(pipeline, data, x));
		if (next == x)
			return x;
		x = next;
	}
}

/* Returns whether a source is that of a load that is still in M when the instruction is in D.
 */
static bool
uses_load(const struct v2_pipeline *pipeline, int8_t source, uint64_t d)
{
	if (source == V2_NONE)
		return false;
	const struct v2_writer *writer = &pipeline->writers[source];
	const unsigned memory = pipeline->config.cache.ways ? 0 : pipeline->config.memory;
	return writer->number && writer->is_load && writer->m + memory > d;
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t
enter_f(const struct v2_pipeline *pipeline)
{
	const struct v2_config *config = &pipeline->config;
	if (pipeline->number > 1)
		return pipeline->last.mispredicted ? pipeline->last.x + 1 : pipeline->last.d;
	/* The course's files with a predictor and no cache begin with 1. */
	return config->direction != V2_PERFECT && !config->cache.ways;
}

static void
print_times(const struct v2_times *times, const char *text, struct buf *out)
{
	const struct {
		bool is;
		const char *label;
	} labels[] = {{times->load_use, "load-use"}, {times->mispredicted, "bmispred"},
		{times->insn_miss, "i$miss"}, {times->data_miss, "d$miss"}};
	const char *between = "";
	buf_printf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s {",
		times->f, times->d, times->x, times->m, times->w, text);
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		if (!labels[i].is)
			continue;
		buf_printf(out, "%s%s", between, labels[i].label);
		between = ", ";
	}
	buf_string(out, "}\n");
}

struct v2_times
v2_add(struct v2_pipeline *pipeline, const struct v2_insn *insn, struct buf *out)
{
	const bool cached = pipeline->config.cache.ways,
		   accesses = insn->is_load || insn->is_store;
	const struct v2_times *last = &pipeline->last;
	struct v2_times t = {0};
	unsigned fetch = 0, memory = accesses ? pipeline->config.memory : 0;
	pipeline->number++;
	if (cached) {
		fetch = access_cache(pipeline, 0, insn->pc, false);
		memory =
			accesses ? access_cache(pipeline, 1, insn->address, insn->is_store) : 0;
	}
	t.f = enter_f(pipeline);
	t.d = later(t.f + 1 + fetch, last->x);
	t.x = enter_x(pipeline, insn, later(t.d + 1, last->m));
	t.m = later(t.x + 1, last->w);
	t.w = t.m + 1 + memory;
	t.load_use = (!insn->is_store && uses_load(pipeline, insn->src1, t.d)) ||
		     uses_load(pipeline, insn->src2, t.d);
	t.mispredicted = mispredicts(pipeline, insn);
	t.insn_miss = cached && fetch;
	t.data_miss = cached && memory;
	if (insn->dest != V2_NONE)
		pipeline->writers[insn->dest] =
			(struct v2_writer){pipeline->number, t.m, t.w, insn->is_load};
	pipeline->last = t;
	if (out)
		print_times(&t, insn->text, out);
	return t;
}

void
v2_free(struct v2_pipeline *pipeline)
{
	if (!pipeline)
		return;
	mem_free(pipeline->counters);
	mem_free(pipeline->targets);
	cache_free(pipeline->caches[0]);
	cache_free(pipeline->caches[1]);
	mem_free(pipeline);
}
