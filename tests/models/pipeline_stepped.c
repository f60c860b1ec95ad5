/* SPDX-License-Identifier: MIT */
/* Every cycle is stepped through; nothing is worked out ahead. */
#include "pipeline_stepped.h"

#include <stdlib.h>
#include <string.h>

/* A register's cycles until it is ready, and of what kind its writer was. */
struct waiting {
	unsigned cycles, extra;
	bool load;
};

struct board {
	struct waiting of[PIPELINE_REGISTERS + 1];
};

static bool
is_load(const struct pipeline_op *op)
{
	return (op->flags & PIPELINE_CLASS) == PIPELINE_LOADS;
}

static unsigned
left(const struct board *board, uint8_t reg)
{
	return reg == PIPELINE_NONE ? 0 : board->of[reg].cycles;
}

static unsigned
most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* The source that takes longest; of several the one with most extra cycles, then no load. */
static struct waiting
slowest_source(const struct board *board, const struct pipeline_op *op)
{
	struct waiting slowest = {0, 0, true};
	for (size_t i = 0; i < 3; i++) {
		if (!left(board, op->sources[i]))
			continue;
		struct waiting of = board->of[op->sources[i]];
		if (of.cycles > slowest.cycles ||
			(of.cycles == slowest.cycles &&
				(of.extra > slowest.extra ||
					(of.extra == slowest.extra && !of.load))))
			slowest = of;
	}
	return slowest;
}

/* How many cycles the order of writes keeps a micro-op back. */
static unsigned
order_wait(const struct board *board, const struct pipeline_op *op, unsigned latency,
	enum pipeline_order order)
{
	unsigned wait = most(left(board, op->dests[0]), left(board, op->dests[1]));
	if (order == PIPELINE_ORDER_FREE)
		return 0;
	if (order == PIPELINE_ORDER_ALL)
		return wait;
	return wait < latency ? 0 : wait - latency + 1;
}

static enum pipeline_part
idle_part(const struct board *board, const struct pipeline_op *op, unsigned order)
{
	const struct waiting source = slowest_source(board, op);
	if (order > source.cycles)
		return PIPELINE_ORDER;
	if (!source.load)
		return PIPELINE_EXECUTE;
	return source.cycles <= source.extra ? PIPELINE_MISS : PIPELINE_LOAD;
}

void
stepped_inorder(const struct pipeline_inorder_config *config, const struct pipeline_op *ops,
	size_t n, struct pipeline_result *result, struct pipeline_times *times)
{
	struct board board = {0};
	unsigned stall = 0;
	size_t next = 0;
	*result = (struct pipeline_result){.ops = n};
	for (uint64_t cycle = 0; next < n; cycle++) {
		unsigned issued = 0;
		enum pipeline_part idle = PIPELINE_BRANCH;
		for (; next < n && issued < config->width && !stall;) {
			const struct pipeline_op *op = &ops[next];
			unsigned latency =
				config->latency[op->flags & PIPELINE_CLASS] + op->extra;
			unsigned order = order_wait(&board, op, latency, config->order);
			idle = idle_part(&board, op, order);
			if (slowest_source(&board, op).cycles || order)
				break;
			for (size_t i = 0; i < 2; i++)
				board.of[op->dests[i]] = (struct waiting){
					latency, is_load(op) ? op->extra : 0, is_load(op)};
			times[next++] = (struct pipeline_times){
				cycle, cycle, cycle + latency, cycle + latency};
			issued++;
			if (op->flags & PIPELINE_MISPREDICTED)
				stall = config->penalty;
			if (op->flags & PIPELINE_TAKEN && config->taken_ends)
				break;
		}
		result->parts[issued ? PIPELINE_BUSY : idle]++;
		result->cycles++;
		for (size_t i = 0; i < PIPELINE_REGISTERS; i++)
			board.of[i].cycles -= board.of[i].cycles > 0;
		stall -= stall > 0;
	}
}

/* A load that was squashed by a store, both by their place in the program. */
struct lesson {
	size_t load, store;
};

struct core {
	const struct pipeline_ooo_config *config;
	const struct pipeline_ops *ops;
	struct pipeline_times *times; /* UINT64_MAX: not yet */
	size_t (*producers)[3];	      /* of each micro-op's sources; SIZE_MAX: none */
	enum pipeline_part *held;
	struct lesson *lessons;
	size_t lesson_count, lesson_room;
	size_t head, tail; /* the oldest in the reorder buffer, and the next to be fetched */
	uint64_t now, resume;
	enum pipeline_part resume_part;
	uint64_t front; /* cycles that the oldest has spent before it issued */
	struct pipeline_result *result;
};

static bool
is_done(const struct core *core, size_t i)
{
	return core->times[i].done <= core->now;
}

static uint64_t
address_of(const struct core *core, size_t i)
{
	return core->ops->addresses ? core->ops->addresses[i] : 0;
}

static uint32_t
site_of(const struct core *core, size_t i)
{
	return (core->ops->sites ? core->ops->sites[i] : 0) &
	       (uint32_t)(((uint64_t)1 << core->config->site_bits) - 1);
}

/* The store set of a micro-op's site by what was learned of loads before a place; 0: none. */
static uint32_t
set_of(const struct core *core, size_t i, size_t before)
{
	const size_t sites = (size_t)1 << core->config->site_bits;
	uint32_t *sets = calloc(sites, sizeof *sets);
	/* Lessons of one load are in the order of time, those of several by the program. */
	for (size_t place = 0; place < before; place++) {
		for (size_t k = 0; k < core->lesson_count; k++) {
			if (core->lessons[k].load != place)
				continue;
			uint32_t load = site_of(core, place);
			uint32_t store = site_of(core, core->lessons[k].store);
			uint32_t a = sets[load], b = sets[store], set = load + 1;
			if (a && b)
				set = a < b ? a : b;
			else if (a || b)
				set = a ? a : b;
			sets[load] = sets[store] = set;
		}
	}
	uint32_t set = sets[site_of(core, i)];
	free(sets);
	return set;
}

static bool
waits_for_its_set(const struct core *core, size_t i)
{
	const uint32_t set = core->lesson_count ? set_of(core, i, i + 1) : 0;
	for (size_t j = i; set && j-- > 0;) {
		if (core->ops->ops[j].flags & PIPELINE_STORE && set_of(core, j, j + 1) == set)
			return !is_done(core, j);
	}
	return false;
}

static bool
waits_for_stores(const struct core *core, size_t i)
{
	const enum pipeline_memory memory = core->config->memory;
	if (memory == PIPELINE_MEMORY_STORE_SETS)
		return waits_for_its_set(core, i);
	for (size_t j = core->head; j < i; j++) {
		if (!(core->ops->ops[j].flags & PIPELINE_STORE) || is_done(core, j))
			continue;
		if (memory == PIPELINE_MEMORY_CONSERVATIVE)
			return true;
		if (memory == PIPELINE_MEMORY_PERFECT &&
			address_of(core, i) == address_of(core, j))
			return true;
	}
	return false;
}

static bool
can_issue(const struct core *core, size_t i)
{
	for (size_t s = 0; s < 3; s++) {
		size_t producer = core->producers[i][s];
		if (producer != SIZE_MAX && !is_done(core, producer))
			return false;
	}
	return !is_load(&core->ops->ops[i]) || !waits_for_stores(core, i);
}

/* Squashes a load and all younger micro-operations, which are fetched again. */
static void
squash(struct core *core, size_t load, size_t store)
{
	size_t kept = 0;
	for (size_t k = 0; k < core->lesson_count; k++) {
		if (core->lessons[k].load <= load)
			core->lessons[kept++] = core->lessons[k];
	}
	core->lesson_count = kept;
	if (core->lesson_count == core->lesson_room) {
		core->lesson_room = 2 * core->lesson_room + 16;
		core->lessons =
			realloc(core->lessons, core->lesson_room * sizeof *core->lessons);
	}
	core->lessons[core->lesson_count++] = (struct lesson){load, store};
	for (size_t i = load; i < core->tail; i++)
		core->times[i] =
			(struct pipeline_times){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	core->tail = load;
	core->resume = core->now + 1;
	core->resume_part = PIPELINE_SQUASH;
}

static void
squash_passed(struct core *core)
{
	for (size_t store = core->head; store < core->tail; store++) {
		if (!(core->ops->ops[store].flags & PIPELINE_STORE) ||
			core->times[store].done != core->now)
			continue;
		for (size_t i = store + 1; i < core->tail; i++) {
			if (!is_load(&core->ops->ops[i]) ||
				address_of(core, i) != address_of(core, store) ||
				core->times[i].issued >= core->now)
				continue;
			squash(core, i, store);
			break;
		}
	}
}

/* Whether anything committed. */
static bool
commit(struct core *core)
{
	unsigned count = 0;
	while (count < core->config->width && core->head < core->tail &&
		is_done(core, core->head)) {
		core->times[core->head].committed = core->now;
		core->result->parts[core->held[core->head]] += core->front;
		core->front = 0;
		core->head++;
		count++;
	}
	return count;
}

/* Nothing committed in this cycle: what does the oldest do? */
static void
explain(struct core *core)
{
	const struct pipeline_times *at = &core->times[core->head];
	const struct pipeline_op *op = &core->ops->ops[core->head];
	enum pipeline_part part = PIPELINE_EXECUTE;
	if (core->head == core->tail || at->issued > core->now) {
		core->front++;
		return;
	}
	if (is_load(op))
		part = at->done - core->now <= op->extra ? PIPELINE_MISS : PIPELINE_LOAD;
	core->result->parts[part]++;
}

static void
issue(struct core *core)
{
	unsigned count = 0;
	for (size_t i = core->head; i < core->tail && count < core->config->width; i++) {
		const struct pipeline_op *op = &core->ops->ops[i];
		if (core->times[i].issued != UINT64_MAX || !can_issue(core, i))
			continue;
		core->times[i].issued = core->now;
		core->times[i].done = core->now +
				      core->config->latency[op->flags & PIPELINE_CLASS] +
				      op->extra;
		count++;
		if (op->flags & PIPELINE_MISPREDICTED && !core->config->no_penalty)
			core->resume = core->times[i].done + core->config->penalty;
	}
}

/* The registers that hold results of the micro-ops in the reorder buffer. */
static unsigned
held_registers(const struct core *core, size_t end)
{
	unsigned count = 0;
	for (size_t i = core->head; i < end; i++) {
		for (size_t d = 0; d < 2; d++)
			count += core->ops->ops[i].dests[d] != PIPELINE_NONE;
	}
	return count;
}

static void
fetch(struct core *core)
{
	const struct pipeline_ooo_config *config = core->config;
	for (unsigned count = 0; count < config->width && core->now >= core->resume; count++) {
		const struct pipeline_op *op = &core->ops->ops[core->tail];
		if (core->tail == core->ops->n || core->tail - core->head == config->size)
			return;
		if (config->registers &&
			held_registers(core, core->tail + 1) > config->registers)
			return;
		core->held[core->tail] =
			core->now == core->resume ? core->resume_part : PIPELINE_FETCH;
		core->times[core->tail++].fetched = core->now;
		if (op->flags & PIPELINE_MISPREDICTED && !config->no_penalty) {
			/* Until the branch issues and it is known when. */
			core->resume = UINT64_MAX;
			core->resume_part = PIPELINE_BRANCH;
		}
		if (op->flags & PIPELINE_TAKEN && config->taken_ends)
			return;
	}
}

static void
find_producers(struct core *core)
{
	size_t last[PIPELINE_REGISTERS + 1];
	memset(last, 0xff, sizeof last);
	for (size_t i = 0; i < core->ops->n; i++) {
		const struct pipeline_op *op = &core->ops->ops[i];
		for (size_t s = 0; s < 3; s++)
			core->producers[i][s] = last[op->sources[s]];
		for (size_t d = 0; d < 2; d++)
			last[op->dests[d]] = i;
		last[PIPELINE_NONE] = SIZE_MAX;
	}
}

void
stepped_ooo(const struct pipeline_ooo_config *config, const struct pipeline_ops *ops,
	struct pipeline_result *result, struct pipeline_times *times)
{
	struct core core = {.config = config,
		.ops = ops,
		.times = times,
		.producers = calloc(ops->n + 1, sizeof *core.producers),
		.held = calloc(ops->n + 1, sizeof *core.held),
		.resume_part = PIPELINE_FETCH,
		.result = result};
	*result = (struct pipeline_result){.ops = ops->n};
	find_producers(&core);
	memset(times, 0xff, ops->n * sizeof *times);
	for (; core.head < ops->n; core.now++) {
		if (config->memory >= PIPELINE_MEMORY_NAIVE)
			squash_passed(&core);
		const bool busy = commit(&core);
		issue(&core);
		if (busy)
			result->parts[PIPELINE_BUSY]++;
		else if (core.head < ops->n)
			explain(&core);
		fetch(&core);
	}
	result->cycles = core.now;
	free(core.producers);
	free(core.held);
	free(core.lessons);
}
