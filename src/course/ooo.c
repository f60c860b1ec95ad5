/* SPDX-License-Identifier: MIT */
/*
 * Cycle by cycle: commit, then squash, then issue, then fetch, as the handout orders them.
 * This is meant to be compared with the homework. sim/pipeline/pipeline.h has the fast models.
 *
 * spec: CIS 501 homework 5 (out of order)
 */
#include "course/ooo.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"

enum { SOURCES = 3, DESTS = 2 };

#define NEVER UINT64_MAX /* a cycle in the future */

/* An architectural register and its physical register. */
struct register_mapping {
	uint32_t arch, phys;
	uint32_t freed; /* of a destination: freed when the micro-op commits */
};

/* A micro-op from its arrival to its commit. */
struct ooo_entry {
	uint64_t number, pc, address;
	uint64_t fetched, issued, done; /* cycles */
	uint32_t macro, micro;		/* ids of names */
	char ldst;
	uint8_t source_count, dest_count;
	struct register_mapping sources[SOURCES], dests[DESTS];
};

struct ooo {
	struct ooo_config config;
	struct course_count count;
	uint64_t now, stalls, committed, violations;
	uint64_t resume;	/* the cycle in which fetching resumes */
	unsigned fetched_now;	/* micro-ops fetched in this cycle */
	struct ooo_entry *ring; /* one more entry than the reorder buffer */
	size_t head;		/* the oldest */
	size_t fetched;		/* micro-ops in the reorder buffer */
	size_t window;		/* plus those to be fetched, or fetched again */
	uint32_t table[COURSE_REGISTERS];
	uint64_t *ready; /* the first cycle in which a physical register can be read */
	uint32_t *list;	 /* a ring of free registers */
	size_t next, free;
	struct intern names;
	struct map sets; /* pc to store set id */
	uint64_t set_count;
};

static enum poly_status
out_of_range(struct poly_error *error, const char *what, unsigned found, int min, int max)
{
	return err_usage(error, "%s: found %u, expected %d to %d", what, found, min, max);
}

enum poly_status
ooo_check(const struct ooo_config *config, struct poly_error *error)
{
	if (config->width < 1 || config->width > OOO_WIDTH_MAX)
		return out_of_range(error, "width", config->width, 1, OOO_WIDTH_MAX);
	if (config->size < 1 || config->size > OOO_SIZE_MAX)
		return out_of_range(
			error, "reorder buffer size", config->size, 1, OOO_SIZE_MAX);
	/* With fewer registers a micro-op with two destinations could never be renamed. */
	if (config->registers < COURSE_REGISTERS + DESTS || config->registers > OOO_SIZE_MAX)
		return out_of_range(error, "number of physical registers", config->registers,
			COURSE_REGISTERS + DESTS, OOO_SIZE_MAX);
	if (config->load_latency < 1 || config->load_latency > OOO_LATENCY_MAX)
		return out_of_range(error, "load latency in cycles", config->load_latency, 1,
			OOO_LATENCY_MAX);
	return POLY_OK;
}

static void
reset(struct ooo *core)
{
	for (uint32_t r = 0; r < COURSE_REGISTERS; r++)
		core->table[r] = r;
	core->free = core->config.registers - COURSE_REGISTERS;
	for (uint32_t i = 0; i < core->free; i++)
		core->list[i] = COURSE_REGISTERS + i;
}

struct ooo *
ooo_new(const struct ooo_config *config, struct poly_error *error)
{
	if (ooo_check(config, error) != POLY_OK)
		return NULL;
	struct ooo *core = mem_new(1, sizeof *core);
	if (!core) {
		err_memory(error);
		return NULL;
	}
	core->config = *config;
	core->ring = mem_new(config->size + 1, sizeof *core->ring);
	core->ready = mem_new(config->registers, sizeof *core->ready);
	core->list = mem_new(config->registers, sizeof *core->list);
	if (!core->ring || !core->ready || !core->list) {
		ooo_free(core);
		err_memory(error);
		return NULL;
	}
	reset(core);
	return core;
}

/* Returns the i-th oldest micro-op. */
static struct ooo_entry *
entry_at(const struct ooo *core, size_t i)
{
	size_t at = core->head + i, size = (size_t)core->config.size + 1;
	return &core->ring[at < size ? at : at - size];
}

static uint32_t
allocate_register(struct ooo *core)
{
	uint32_t phys = core->list[core->next];
	core->next = (core->next + 1) % core->config.registers;
	core->free--;
	return phys;
}

static void
free_register(struct ooo *core, uint32_t phys)
{
	core->list[(core->next + core->free++) % core->config.registers] = phys;
}

/* Returns the register allocated last to the front of the free list. */
static void
undo_allocation(struct ooo *core)
{
	core->next = (core->next ? core->next : core->config.registers) - 1;
	core->free++;
}

static void
rename_entry(struct ooo *core, struct ooo_entry *entry)
{
	for (size_t i = 0; i < entry->source_count; i++)
		entry->sources[i].phys = core->table[entry->sources[i].arch];
	for (size_t i = 0; i < entry->dest_count; i++) {
		struct register_mapping *dest = &entry->dests[i];
		dest->freed = core->table[dest->arch];
		dest->phys = core->table[dest->arch] = allocate_register(core);
		core->ready[dest->phys] = NEVER;
	}
}

static void
print_mappings(const struct ooo_entry *entry, struct buf *out)
{
	for (size_t i = 0; i < entry->source_count; i++)
		buf_printf(out, ", r%" PRIu32 " -> p%" PRIu32, entry->sources[i].arch,
			entry->sources[i].phys);
	for (size_t i = 0; i < entry->dest_count; i++)
		buf_printf(out, ", r%" PRIu32 " -> p%" PRIu32 " [p%" PRIu32 "]",
			entry->dests[i].arch, entry->dests[i].phys, entry->dests[i].freed);
}

static void
print_entry(const struct ooo *core, const struct ooo_entry *entry, struct buf *out)
{
	if (!out)
		return;
	buf_printf(out, "%" PRIu64, entry->number);
	if (core->config.memory != OOO_RENAME_ONLY)
		buf_printf(out, ": %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
			entry->fetched, entry->issued, entry->done, core->now);
	print_mappings(entry, out);
	buf_printf(out, " | %s %s \n", intern_text(&core->names, entry->macro),
		intern_text(&core->names, entry->micro));
}

/* Removes the oldest micro-op; frees the registers that it overwrote. */
static void
retire(struct ooo *core, struct buf *out)
{
	const struct ooo_entry *entry = entry_at(core, 0);
	for (size_t i = 0; i < entry->dest_count; i++)
		free_register(core, entry->dests[i].freed);
	print_entry(core, entry, core->config.is_quiet ? NULL : out);
	core->head = (core->head + 1) % ((size_t)core->config.size + 1);
	core->fetched--;
	core->window--;
	core->committed++;
}

static void
commit(struct ooo *core, struct buf *out)
{
	for (unsigned i = 0; i < core->config.width && core->fetched; i++) {
		if (entry_at(core, 0)->done > core->now)
			return;
		retire(core, out);
	}
}

/* Returns the store set of a pc; 0: none. */
static uint64_t
set_of(const struct ooo *core, uint64_t pc)
{
	const uint64_t *set = map_find(&core->sets, pc);
	return set ? *set : 0;
}

static bool
assign_set(struct ooo *core, uint64_t pc, uint64_t set)
{
	bool added;
	if (core->sets.count >= OOO_SETS_MAX && !map_find(&core->sets, pc))
		return true;
	uint64_t *value = map_get(&core->sets, pc, set, &added);
	if (value)
		*value = set;
	return value;
}

/* Assigns a load and a store that conflicted to one set: the older of theirs, or a new one. */
static bool
join_sets(struct ooo *core, uint64_t load, uint64_t store)
{
	const uint64_t a = set_of(core, load), b = set_of(core, store);
	uint64_t set = a && b ? (a < b ? a : b) : a + b;
	if (!set)
		set = ++core->set_count;
	return assign_set(core, load, set) && assign_set(core, store, set);
}

/* Squashes the micro-ops from the i-th oldest, which remain in the window and are fetched
 * again. */
static void
squash(struct ooo *core, size_t i)
{
	while (core->fetched > i) {
		const struct ooo_entry *entry = entry_at(core, --core->fetched);
		for (size_t d = entry->dest_count; d-- > 0;) {
			core->table[entry->dests[d].arch] = entry->dests[d].freed;
			undo_allocation(core);
		}
	}
	core->resume = core->now + 1;
	core->violations++;
}

/* Squashes a younger load if the i-th oldest is a store that completes now; false: out of
 * memory. */
static bool
squash_violation(struct ooo *core, size_t i)
{
	const struct ooo_entry *store = entry_at(core, i);
	if (store->ldst != 'S' || store->done != core->now)
		return true;
	for (size_t j = i + 1; j < core->fetched; j++) {
		const struct ooo_entry *load = entry_at(core, j);
		if (load->ldst != 'L' || load->address != store->address ||
			load->issued >= core->now)
			continue;
		squash(core, j);
		return core->config.memory == OOO_NAIVE || join_sets(core, load->pc, store->pc);
	}
	return true;
}

static bool
squash_violations(struct ooo *core)
{
	bool ok = true;
	if (core->config.memory < OOO_NAIVE)
		return true;
	for (size_t i = 0; i < core->fetched; i++)
		ok = squash_violation(core, i) && ok;
	return ok;
}

static bool
sources_are_ready(const struct ooo *core, const struct ooo_entry *entry)
{
	for (size_t i = 0; i < entry->source_count; i++) {
		if (core->ready[entry->sources[i].phys] > core->now)
			return false;
	}
	return true;
}

/* Returns whether the rule orders a load after an older store. */
static bool
is_ordered(const struct ooo *core, const struct ooo_entry *load, const struct ooo_entry *store)
{
	switch (core->config.memory) {
	case OOO_CONSERVATIVE: return true;
	case OOO_PERFECT: return store->address == load->address;
	case OOO_STORE_SETS:
	case OOO_STORE_SETS_1: {
		uint64_t set = set_of(core, load->pc);
		return set && set == set_of(core, store->pc);
	}
	case OOO_RENAME_ONLY:
	case OOO_NONE:
	case OOO_NAIVE: break;
	}
	return false;
}

/* Returns whether the i-th oldest is a load that must wait for an older store. */
static bool
waits_for_store(const struct ooo *core, size_t i)
{
	const struct ooo_entry *load = entry_at(core, i);
	if (load->ldst != 'L' || core->config.memory <= OOO_NONE ||
		core->config.memory == OOO_NAIVE)
		return false;
	while (i-- > 0) {
		const struct ooo_entry *store = entry_at(core, i);
		if (store->ldst != 'S' || !is_ordered(core, load, store))
			continue;
		if (store->done > core->now)
			return true;
		if (core->config.memory == OOO_STORE_SETS_1)
			return false;
	}
	return false;
}

static void
issue(struct ooo *core)
{
	unsigned issued = 0;
	for (size_t i = 0; i < core->fetched && issued < core->config.width; i++) {
		struct ooo_entry *entry = entry_at(core, i);
		if (entry->issued != NEVER || !sources_are_ready(core, entry) ||
			waits_for_store(core, i))
			continue;
		entry->issued = core->now;
		entry->done = core->now + (entry->ldst == 'L' ? core->config.load_latency : 1);
		for (size_t d = 0; d < entry->dest_count; d++)
			core->ready[entry->dests[d].phys] = entry->done;
		issued++;
	}
}

/* Fetches one micro-op; false if no more can be fetched in this cycle. */
static bool
fetch(struct ooo *core)
{
	if (core->fetched_now == core->config.width || core->now < core->resume)
		return false;
	if (core->fetched == core->config.size) {
		core->stalls++;
		return false;
	}
	if (core->fetched == core->window)
		return false;
	struct ooo_entry *entry = entry_at(core, core->fetched);
	if (core->free < entry->dest_count)
		return false;
	rename_entry(core, entry);
	entry->fetched = core->now;
	entry->issued = entry->done = NEVER;
	core->fetched++;
	core->fetched_now++;
	return true;
}

static enum poly_status
next_cycle(struct ooo *core, struct buf *out, struct poly_error *error)
{
	core->now++;
	core->fetched_now = 0;
	commit(core, out);
	if (!squash_violations(core))
		return err_memory(error);
	issue(core);
	return POLY_OK;
}

static void
add_source(struct ooo_entry *entry, int32_t number)
{
	if (course_is_register(number))
		entry->sources[entry->source_count++].arch = (uint32_t)number;
}

static void
add_dest(struct ooo_entry *entry, int32_t number)
{
	if (course_is_register(number))
		entry->dests[entry->dest_count++].arch = (uint32_t)number;
}

/* Appends a micro-op to the window. */
static bool
append_uop(struct ooo *core, const struct course_uop *uop)
{
	struct ooo_entry *entry = entry_at(core, core->window);
	*entry = (struct ooo_entry){.number = uop->number,
		.pc = uop->pc,
		.address = uop->address,
		.ldst = uop->ldst,
		.macro = intern_add(&core->names, uop->macro, strlen(uop->macro)),
		.micro = intern_add(&core->names, uop->micro, strlen(uop->micro))};
	add_source(entry, uop->src1);
	add_source(entry, uop->src2);
	add_source(entry, uop->flags == 'R' ? COURSE_FLAGS : COURSE_NONE);
	add_dest(entry, uop->dest);
	add_dest(entry, uop->flags == 'W' ? COURSE_FLAGS : COURSE_NONE);
	core->window++;
	course_count(&core->count, uop);
	return entry->macro != INTERN_FAILED && entry->micro != INTERN_FAILED;
}

enum poly_status
ooo_add(struct ooo *core, const struct course_uop *uop, struct buf *out,
	struct poly_error *error)
{
	if (!append_uop(core, uop))
		return err_memory(error);
	if (core->config.memory == OOO_RENAME_ONLY) {
		rename_entry(core, entry_at(core, core->fetched++));
		retire(core, out);
		core->now++;
		return POLY_OK;
	}
	while (core->fetched < core->window) {
		if (!fetch(core) && next_cycle(core, out, error) != POLY_OK)
			return POLY_ERR_MEMORY;
	}
	return POLY_OK;
}

static const char *
memory_text(enum ooo_memory memory)
{
	switch (memory) {
	case OOO_RENAME_ONLY: return NULL;
	case OOO_NONE: return "NOT modeling memory dependences";
	case OOO_CONSERVATIVE:
		return "modeling memory dependences: Conservative Memory Scheduling";
	case OOO_PERFECT: return "modeling memory dependences: Perfect Memory Scheduling";
	/* The project's own words are unknown. */
	case OOO_NAIVE: return "modeling memory dependences: Naive Speculation";
	case OOO_STORE_SETS: return "modeling memory dependences: Store Sets";
	case OOO_STORE_SETS_1: return "modeling memory dependences: Store Sets, One Store";
	}
	return NULL;
}

void
ooo_begin(const struct ooo *core, const char *trace, struct buf *out)
{
	const struct ooo_config *config = &core->config;
	if (!config->is_quiet)
		buf_string(out, "debug mode on\n");
	if (config->memory == OOO_RENAME_ONLY)
		buf_string(out, "PART 1: Rename Only\n");
	if (config->memory >= OOO_CONSERVATIVE)
		buf_string(out, "Experiments 2 & 3: Modeling Memory Dependences\n");
	if (config->memory == OOO_PERFECT)
		buf_string(out, "Experiment 3: Modeling Perfect Memory Scheduling\n");
	buf_printf(out, "Trace name  \t\t\t\t%s\n", trace);
	buf_string(out, "Instruction Limit\t\t\tnone\nProcessor Configuration:\n");
	buf_printf(out, "  Machine Width \t\t\t%u\n", config->width);
	buf_printf(out, "  Number of Logical Registers \t\t%d\n", COURSE_REGISTERS);
	buf_printf(out, "  Number of Physical Registers \t\t%u\n", config->registers);
	buf_printf(out, "  ROB Size \t\t\t\t%u\n", config->size);
	if (memory_text(config->memory))
		buf_printf(out, "  %s\n", memory_text(config->memory));
	if (config->is_quiet)
		return;
	buf_string(out, config->memory == OOO_RENAME_ONLY
				? "uop# \t Reg Mappings [freeMe] | Mop Uop\n"
				: "#: F I D C \t Reg Mappings [freeMe] | Mop Uop\n");
}

static void
print_summary(const struct ooo *core, struct buf *out)
{
	const uint64_t cycles = ooo_cycles(core);
	if (core->config.memory != OOO_RENAME_ONLY)
		buf_printf(out, "Completed Trace @ cycle %" PRIu64 ". Ending Simulation...\n",
			cycles);
	buf_printf(out, "Processed %" PRIu64 " trace lines.\n", core->count.uops);
	buf_string(out, "Instructions:\n");
	buf_printf(out, "  N Fetched =    \t\t%" PRIu64 "\n", core->count.uops);
	buf_printf(out, "  N Committed =  \t\t%" PRIu64 "\n", core->committed);
	buf_printf(out, "Stalls:\n  Fetch stalled (ROB full) =    %" PRIu64 "\n", core->stalls);
	if (core->config.memory == OOO_RENAME_ONLY)
		buf_string(out, "  Rename stalled (no PRegs) =   0\n");
	buf_printf(out, "IPC: \t\t\t\t%.3f\n",
		cycles ? (double)core->committed / (double)cycles : 0);
}

enum poly_status
ooo_end(struct ooo *core, struct buf *out, struct poly_error *error)
{
	while (core->window) {
		if (!fetch(core) && next_cycle(core, out, error) != POLY_OK)
			return POLY_ERR_MEMORY;
	}
	if (out)
		print_summary(core, out);
	return POLY_OK;
}

uint64_t
ooo_cycles(const struct ooo *core)
{
	/* Without cycles each micro-op counts as one. */
	bool counted = core->config.memory != OOO_RENAME_ONLY && core->count.uops;
	return core->now + counted;
}

uint64_t
ooo_violations(const struct ooo *core)
{
	return core->violations;
}

void
ooo_free(struct ooo *core)
{
	if (!core)
		return;
	mem_free(core->ring);
	mem_free(core->ready);
	mem_free(core->list);
	intern_free(&core->names);
	map_free(&core->sets);
	mem_free(core);
}
