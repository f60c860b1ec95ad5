/* SPDX-License-Identifier: MIT */
/*
 * Out of order by time stamps: a micro-op is fetched when its entry of the reorder buffer is
 * free, issues in the first cycle with a free issue slot after its sources are ready, and
 * commits after its predecessor.
 *
 * Processing in program order equals stepping through cycles, because the oldest micro-op has
 * priority everywhere: a younger one cannot deprive it of an entry, a register or an issue
 * slot.
 */
#include "sim/pipeline/pipeline.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "sim/pipeline/pipeline_stores.h"

enum { COUNT_BITS = 8 };

struct pipeline_ooo {
	struct pipeline_ooo_config config;
	uint64_t ops;
	uint64_t fetch;		 /* earliest fetch cycle of the next micro-op */
	unsigned fetched;	 /* micro-ops fetched in that cycle */
	uint64_t resume;	 /* earliest fetch cycle after a redirect */
	enum pipeline_part held; /* why */
	uint64_t end;		 /* the cycle after the last commit */
	unsigned committed;	 /* micro-ops committed in the last cycle */
	size_t place;		 /* reorder buffer entry of the next micro-op */
	uint64_t *commits;	 /* by entry: the cycle in which it is free */
	size_t result;		 /* register of the next destination */
	uint64_t *freed; /* by register: the cycle in which it is free; NULL: unlimited */
	uint64_t *slots; /* a cycle and its issues, by cycle modulo the table size */
	uint64_t slot_mask;
	uint64_t ready[PIPELINE_REGISTERS + 1];
	struct pipeline_stores stores;
	uint64_t parts[PIPELINE_PARTS];
	uint64_t squashes;
};

/*
 * Returns the maximum distance in cycles from a fetch to the last issue: in each cycle
 * between, a micro-op of the reorder buffer issues or executes.
 */
static size_t
horizon(const struct pipeline_ooo_config *config)
{
	unsigned longest = 0;
	for (size_t i = 0; i < PIPELINE_CLASSES; i++)
		longest = config->latency[i] > longest ? config->latency[i] : longest;
	const size_t cycles = (size_t)config->size * (longest + config->extra_max + 1) + 2;
	size_t power = 64;
	while (power < cycles)
		power *= 2;
	return power;
}

static bool
allocate(struct pipeline_ooo *pipeline)
{
	const struct pipeline_ooo_config *config = &pipeline->config;
	const size_t slots = horizon(config);
	pipeline->commits = mem_new(config->size, sizeof *pipeline->commits);
	pipeline->slots = mem_new(slots, sizeof *pipeline->slots);
	pipeline->slot_mask = slots - 1;
	bool ok = pipeline->commits && pipeline->slots &&
		  pipeline_stores_init(&pipeline->stores, config->size);
	if (ok && config->registers) {
		pipeline->freed = mem_new(config->registers, sizeof *pipeline->freed);
		ok = pipeline->freed;
	}
	if (ok && config->memory == PIPELINE_MEMORY_STORE_SETS)
		ok = pipeline_stores_sets(&pipeline->stores, config->site_bits);
	return ok;
}

struct pipeline_ooo *
pipeline_ooo_new(const struct pipeline_ooo_config *config, struct poly_error *error)
{
	if (pipeline_ooo_sound(config, error) != POLY_OK)
		return NULL;
	struct pipeline_ooo *pipeline = mem_new(1, sizeof *pipeline);
	if (pipeline) {
		pipeline->config = *config;
		pipeline->held = PIPELINE_FETCH;
		if (allocate(pipeline))
			return pipeline;
	}
	pipeline_ooo_free(pipeline);
	err_memory(error);
	return NULL;
}

static inline uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Allocates the registers of the next results. Returns the cycle in which they are free. */
static inline uint64_t
take_registers(const struct pipeline_ooo *pipeline, const struct pipeline_op *op)
{
	uint64_t free = 0;
	size_t result = pipeline->result;
	for (size_t i = 0; i < 2; i++) {
		if (op->dests[i] == PIPELINE_NONE)
			continue;
		free = later(free, pipeline->freed[result]);
		result = result + 1 == pipeline->config.registers ? 0 : result + 1;
	}
	return free;
}

/* Frees them when the micro-op has committed: then the old values are dead. */
static inline void
free_registers(struct pipeline_ooo *pipeline, const struct pipeline_op *op, uint64_t cycle)
{
	for (size_t i = 0; i < 2; i++) {
		if (op->dests[i] == PIPELINE_NONE)
			continue;
		pipeline->freed[pipeline->result] = cycle;
		pipeline->result = pipeline->result + 1 == pipeline->config.registers
					   ? 0
					   : pipeline->result + 1;
	}
}

/* Fetches a micro-op. Returns the cycle. */
static inline uint64_t
fetch(struct pipeline_ooo *pipeline, const struct pipeline_op *op)
{
	uint64_t cycle = later(pipeline->fetch, pipeline->resume);
	cycle = later(cycle, pipeline->commits[pipeline->place]);
	if (pipeline->freed)
		cycle = later(cycle, take_registers(pipeline, op));
	if (cycle > pipeline->fetch)
		pipeline->fetched = 0;
	pipeline->fetch = cycle;
	if (++pipeline->fetched == pipeline->config.width ||
		(pipeline->config.taken_ends && op->flags & PIPELINE_TAKEN)) {
		pipeline->fetch++;
		pipeline->fetched = 0;
	}
	return cycle;
}

/* Returns the cycle until which a load waits for older stores. */
static inline uint64_t
wait_for_stores(const struct pipeline_ooo *pipeline, uint64_t address, uint32_t site)
{
	switch (pipeline->config.memory) {
	case PIPELINE_MEMORY_NONE:
	case PIPELINE_MEMORY_NAIVE: break;
	case PIPELINE_MEMORY_CONSERVATIVE: return pipeline->stores.done_max;
	case PIPELINE_MEMORY_PERFECT: return pipeline_stores_done(&pipeline->stores, address);
	case PIPELINE_MEMORY_STORE_SETS:
		return pipeline_stores_set_done(&pipeline->stores, site);
	}
	return 0;
}

static inline unsigned
count_at(const struct pipeline_ooo *pipeline, uint64_t cycle)
{
	const uint64_t slot = pipeline->slots[cycle & pipeline->slot_mask];
	return slot >> COUNT_BITS == cycle ? (unsigned)slot & ((1u << COUNT_BITS) - 1) : 0;
}

/* Returns the first cycle, not before the given one, with a free issue slot. */
static inline uint64_t
find_slot(const struct pipeline_ooo *pipeline, uint64_t cycle)
{
	while (count_at(pipeline, cycle) == pipeline->config.width)
		cycle++;
	return cycle;
}

static inline void
take_slot(struct pipeline_ooo *pipeline, uint64_t cycle)
{
	pipeline->slots[cycle & pipeline->slot_mask] =
		cycle << COUNT_BITS | (count_at(pipeline, cycle) + 1);
}

/* Progress of a micro-op. */
struct flight {
	const struct pipeline_op *op;
	uint64_t address;
	uint32_t site;
	enum pipeline_part held; /* cause of a late fetch */
	struct pipeline_times at;
};

static inline void
find_issue(struct pipeline_ooo *pipeline, struct flight *flight)
{
	const struct pipeline_op *op = flight->op;
	const uint64_t *ready = pipeline->ready;
	uint64_t cycle = later(flight->at.fetched + 1, ready[op->sources[0]]);
	cycle = later(cycle, later(ready[op->sources[1]], ready[op->sources[2]]));
	if ((op->flags & PIPELINE_CLASS) == PIPELINE_LOADS)
		cycle = later(cycle, wait_for_stores(pipeline, flight->address, flight->site));
	flight->at.issued = find_slot(pipeline, cycle);
}

static inline void
enter(struct pipeline_ooo *pipeline, struct flight *flight)
{
	flight->at.fetched = fetch(pipeline, flight->op);
	flight->held = flight->at.fetched == pipeline->resume ? pipeline->held : PIPELINE_FETCH;
	find_issue(pipeline, flight);
}

/* Squashes and refetches a load for each older store to its address that it passed. */
static void
squash(struct pipeline_ooo *pipeline, struct flight *flight)
{
	const struct pipeline_store *store;
	while ((store = pipeline_stores_passed(
			&pipeline->stores, flight->address, flight->at.issued))) {
		if (pipeline->stores.sets)
			pipeline_stores_learn(&pipeline->stores, flight->site, store->site);
		pipeline->squashes++;
		pipeline->resume = store->done + 1;
		pipeline->held = PIPELINE_SQUASH;
		enter(pipeline, flight);
	}
}

/* Issues the micro-op, in a cycle with a free slot. */
static inline void
execute(struct pipeline_ooo *pipeline, struct flight *flight, unsigned extra)
{
	const struct pipeline_op *op = flight->op;
	const uint64_t done = flight->at.issued +
			      pipeline->config.latency[op->flags & PIPELINE_CLASS] + extra;
	take_slot(pipeline, flight->at.issued);
	pipeline->ready[op->dests[0]] = pipeline->ready[op->dests[1]] = done;
	pipeline->ready[PIPELINE_NONE] = 0;
	flight->at.done = done;
	if (op->flags & PIPELINE_STORE)
		pipeline_stores_add(&pipeline->stores, flight->address, done, flight->site);
	if (op->flags & PIPELINE_MISPREDICTED && !pipeline->config.no_penalty) {
		pipeline->resume = done + pipeline->config.penalty;
		pipeline->held = PIPELINE_BRANCH;
	}
}

/*
 * Attributes the cycles since the last commit: this micro-op was the oldest, and waited for
 * its fetch and its completion.
 */
static void
explain(struct pipeline_ooo *pipeline, const struct flight *flight, unsigned extra)
{
	const struct pipeline_times *at = &flight->at;
	uint64_t from = pipeline->end;
	if (at->issued > from) {
		pipeline->parts[flight->held] += at->issued - from;
		from = at->issued;
	}
	uint64_t left = at->done - from;
	if ((flight->op->flags & PIPELINE_CLASS) == PIPELINE_LOADS) {
		const uint64_t missed = extra < left ? extra : left;
		pipeline->parts[PIPELINE_MISS] += missed;
		pipeline->parts[PIPELINE_LOAD] += left - missed;
		return;
	}
	pipeline->parts[PIPELINE_EXECUTE] += left;
}

static inline void
commit(struct pipeline_ooo *pipeline, struct flight *flight, unsigned extra)
{
	uint64_t cycle = flight->at.done;
	if (cycle >= pipeline->end) {
		if (cycle > pipeline->end)
			explain(pipeline, flight, extra);
		pipeline->committed = 0;
	} else {
		cycle = pipeline->end - 1;
		if (pipeline->committed == pipeline->config.width) {
			cycle++;
			pipeline->committed = 0;
		}
	}
	pipeline->parts[PIPELINE_BUSY] += pipeline->committed == 0;
	pipeline->committed++;
	pipeline->end = cycle + 1;
	flight->at.committed = cycle;
	pipeline->commits[pipeline->place] = cycle;
	pipeline->place =
		pipeline->place + 1 == pipeline->config.size ? 0 : pipeline->place + 1;
	if (pipeline->freed)
		free_registers(pipeline, flight->op, cycle);
}

void
pipeline_ooo_run(struct pipeline_ooo *pipeline, const struct pipeline_ops *ops,
	struct pipeline_times *times)
{
	const bool squashes = pipeline->config.memory >= PIPELINE_MEMORY_NAIVE;
	for (size_t i = 0; i < ops->n; i++) {
		struct flight flight = {.op = &ops->ops[i],
			.address = ops->addresses ? ops->addresses[i] : 0,
			.site = ops->sites ? ops->sites[i] : 0};
		const unsigned max = pipeline->config.extra_max;
		const unsigned extra = flight.op->extra < max ? flight.op->extra : max;
		enter(pipeline, &flight);
		if (squashes && (flight.op->flags & PIPELINE_CLASS) == PIPELINE_LOADS)
			squash(pipeline, &flight);
		execute(pipeline, &flight, extra);
		commit(pipeline, &flight, extra);
		if (times)
			times[i] = flight.at;
	}
	pipeline->ops += ops->n;
}

void
pipeline_ooo_result(const struct pipeline_ooo *pipeline, struct pipeline_result *result)
{
	*result = (struct pipeline_result){
		.ops = pipeline->ops, .cycles = pipeline->end, .squashes = pipeline->squashes};
	memcpy(result->parts, pipeline->parts, sizeof result->parts);
}

void
pipeline_ooo_free(struct pipeline_ooo *pipeline)
{
	if (!pipeline)
		return;
	mem_free(pipeline->commits);
	mem_free(pipeline->freed);
	mem_free(pipeline->slots);
	pipeline_stores_fini(&pipeline->stores);
	mem_free(pipeline);
}
