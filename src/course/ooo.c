/* SPDX-License-Identifier: MIT */
/*
 * Cycle by cycle: commit, then squash, then issue, then fetch, as the handout orders them. This
 * is meant to be followed with the homework in hand. sim/pipeline.h has the fast models.
 *
 * spec: reference cis501 7.1.6
 */
#include "course/ooo.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"

enum { SOURCES = 3, DESTS = 2 };

#define NEVER UINT64_MAX /* a cycle that has not come */

/* A register as the trace names it, and the one that it stands for. */
struct mapping {
	uint32_t arch, phys;
	uint32_t freed; /* of a destination: free when the micro-op commits */
};

/* A micro-op from when it is given until it commits. */
struct entry {
	uint64_t number, pc, address;
	uint64_t fetched, issued, done; /* cycles */
	uint32_t macro, micro;		/* numbers of names */
	char ldst;
	uint8_t source_count, dest_count;
	struct mapping sources[SOURCES], dests[DESTS];
};

struct ooo {
	struct ooo_config config;
	struct course_count count;
	uint64_t now, stalls, committed, violations;
	uint64_t resume;    /* the cycle from which on fetching goes on */
	unsigned taken;	    /* micro-ops fetched in this cycle */
	struct entry *ring; /* one more than the reorder buffer has */
	size_t head;	    /* the oldest */
	size_t fetched;	    /* micro-ops in the reorder buffer */
	size_t held;	    /* and with those that are still to be fetched, or again */
	uint32_t table[COURSE_REGISTERS];
	uint64_t *ready; /* the cycle from which on a physical register may be read */
	uint32_t *list;	 /* a ring of free registers */
	size_t next, free;
	struct intern names;
	struct map sets; /* pc to number of the store set */
	uint64_t set_count;
};

static enum poly_status
out_of_range(struct poly_error *error, const char *what, unsigned found, int least, int most)
{
	return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET, "%s is %u, expected %d to %d",
		what, found, least, most);
}

enum poly_status
ooo_sound(const struct ooo_config *config, struct poly_error *error)
{
	if (config->width < 1 || config->width > OOO_WIDTH_MAX)
		return out_of_range(error, "the width", config->width, 1, OOO_WIDTH_MAX);
	if (config->size < 1 || config->size > OOO_SIZE_MAX)
		return out_of_range(
			error, "the reorder buffer's size", config->size, 1, OOO_SIZE_MAX);
	/* Fewer would never let a micro-op with two destinations be renamed. */
	if (config->registers < COURSE_REGISTERS + DESTS || config->registers > OOO_SIZE_MAX)
		return out_of_range(error, "the number of physical registers",
			config->registers, COURSE_REGISTERS + DESTS, OOO_SIZE_MAX);
	if (config->load_latency < 1 || config->load_latency > OOO_LATENCY_MAX)
		return out_of_range(error, "the latency of loads in cycles",
			config->load_latency, 1, OOO_LATENCY_MAX);
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
	if (ooo_sound(config, error) != POLY_OK)
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

/* The i-th oldest micro-op. */
static struct entry *
entry_at(const struct ooo *core, size_t i)
{
	size_t at = core->head + i, size = (size_t)core->config.size + 1;
	return &core->ring[at < size ? at : at - size];
}

static uint32_t
take_register(struct ooo *core)
{
	uint32_t phys = core->list[core->next];
	core->next = (core->next + 1) % core->config.registers;
	core->free--;
	return phys;
}

static void
give_register(struct ooo *core, uint32_t phys)
{
	core->list[(core->next + core->free++) % core->config.registers] = phys;
}

/* What take_register gave last becomes the next free one again. */
static void
return_register(struct ooo *core)
{
	core->next = (core->next ? core->next : core->config.registers) - 1;
	core->free++;
}

static void
rename_entry(struct ooo *core, struct entry *entry)
{
	for (size_t i = 0; i < entry->source_count; i++)
		entry->sources[i].phys = core->table[entry->sources[i].arch];
	for (size_t i = 0; i < entry->dest_count; i++) {
		struct mapping *dest = &entry->dests[i];
		dest->freed = core->table[dest->arch];
		dest->phys = core->table[dest->arch] = take_register(core);
		core->ready[dest->phys] = NEVER;
	}
}

static void
print_mappings(const struct entry *entry, struct buf *out)
{
	for (size_t i = 0; i < entry->source_count; i++)
		buf_printf(out, ", r%" PRIu32 " -> p%" PRIu32, entry->sources[i].arch,
			entry->sources[i].phys);
	for (size_t i = 0; i < entry->dest_count; i++)
		buf_printf(out, ", r%" PRIu32 " -> p%" PRIu32 " [p%" PRIu32 "]",
			entry->dests[i].arch, entry->dests[i].phys, entry->dests[i].freed);
}

static void
print_entry(const struct ooo *core, const struct entry *entry, struct buf *out)
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

/* Takes the oldest micro-op out; its registers' old values are of no use any more. */
static void
retire(struct ooo *core, struct buf *out)
{
	const struct entry *entry = entry_at(core, 0);
	for (size_t i = 0; i < entry->dest_count; i++)
		give_register(core, entry->dests[i].freed);
	print_entry(core, entry, core->config.is_quiet ? NULL : out);
	core->head = (core->head + 1) % ((size_t)core->config.size + 1);
	core->fetched--;
	core->held--;
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

/* The store set of a pc; 0: none. */
static uint64_t
set_of(const struct ooo *core, uint64_t pc)
{
	const uint64_t *set = map_find(&core->sets, pc);
	return set ? *set : 0;
}

static bool
put_set(struct ooo *core, uint64_t pc, uint64_t set)
{
	bool added;
	if (core->sets.count >= OOO_SETS_MAX && !map_find(&core->sets, pc))
		return true;
	uint64_t *value = map_get(&core->sets, pc, set, &added);
	if (value)
		*value = set;
	return value;
}

/* A load and a store that met come into one set: the older of theirs, or a new one. */
static bool
join_sets(struct ooo *core, uint64_t load, uint64_t store)
{
	const uint64_t a = set_of(core, load), b = set_of(core, store);
	uint64_t set = a && b ? (a < b ? a : b) : a + b;
	if (!set)
		set = ++core->set_count;
	return put_set(core, load, set) && put_set(core, store, set);
}

/* Undoes what was fetched from the i-th oldest on; it is held, and fetched again. */
static void
squash(struct ooo *core, size_t i)
{
	while (core->fetched > i) {
		const struct entry *entry = entry_at(core, --core->fetched);
		for (size_t d = entry->dest_count; d-- > 0;) {
			core->table[entry->dests[d].arch] = entry->dests[d].freed;
			return_register(core);
		}
	}
	core->resume = core->now + 1;
	core->violations++;
}

/* Whether a store that is the i-th oldest is done just now, and squashes a younger load. */
static bool
violates(struct ooo *core, size_t i)
{
	const struct entry *store = entry_at(core, i);
	if (store->ldst != 'S' || store->done != core->now)
		return true;
	for (size_t j = i + 1; j < core->fetched; j++) {
		const struct entry *load = entry_at(core, j);
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
		ok = violates(core, i) && ok;
	return ok;
}

static bool
sources_are_ready(const struct ooo *core, const struct entry *entry)
{
	for (size_t i = 0; i < entry->source_count; i++) {
		if (core->ready[entry->sources[i].phys] > core->now)
			return false;
	}
	return true;
}

/* Whether the rule has a load look at an older store at all. */
static bool
concerns(const struct ooo *core, const struct entry *load, const struct entry *store)
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

/* Whether the i-th oldest is a load that has to wait for an older store. */
static bool
waits_for_store(const struct ooo *core, size_t i)
{
	const struct entry *load = entry_at(core, i);
	if (load->ldst != 'L' || core->config.memory <= OOO_NONE ||
		core->config.memory == OOO_NAIVE)
		return false;
	while (i-- > 0) {
		const struct entry *store = entry_at(core, i);
		if (store->ldst != 'S' || !concerns(core, load, store))
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
		struct entry *entry = entry_at(core, i);
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

/* Fetches one micro-op; false where none can be fetched in this cycle any more. */
static bool
fetch(struct ooo *core)
{
	if (core->taken == core->config.width || core->now < core->resume)
		return false;
	if (core->fetched == core->config.size) {
		core->stalls++;
		return false;
	}
	if (core->fetched == core->held)
		return false;
	struct entry *entry = entry_at(core, core->fetched);
	if (core->free < entry->dest_count)
		return false;
	rename_entry(core, entry);
	entry->fetched = core->now;
	entry->issued = entry->done = NEVER;
	core->fetched++;
	core->taken++;
	return true;
}

static enum poly_status
next_cycle(struct ooo *core, struct buf *out, struct poly_error *error)
{
	core->now++;
	core->taken = 0;
	commit(core, out);
	if (!squash_violations(core))
		return err_memory(error);
	issue(core);
	return POLY_OK;
}

static void
add_source(struct entry *entry, int32_t number)
{
	if (course_is_register(number))
		entry->sources[entry->source_count++].arch = (uint32_t)number;
}

static void
add_dest(struct entry *entry, int32_t number)
{
	if (course_is_register(number))
		entry->dests[entry->dest_count++].arch = (uint32_t)number;
}

/* Puts a micro-op behind those that are held. */
static bool
hold(struct ooo *core, const struct course_uop *uop)
{
	struct entry *entry = entry_at(core, core->held);
	*entry = (struct entry){.number = uop->number,
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
	core->held++;
	course_count(&core->count, uop);
	return entry->macro != INTERN_FAILED && entry->micro != INTERN_FAILED;
}

enum poly_status
ooo_add(struct ooo *core, const struct course_uop *uop, struct buf *out,
	struct poly_error *error)
{
	if (!hold(core, uop))
		return err_memory(error);
	if (core->config.memory == OOO_RENAME_ONLY) {
		rename_entry(core, entry_at(core, core->fetched++));
		retire(core, out);
		core->now++;
		return POLY_OK;
	}
	while (core->fetched < core->held) {
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
	/* The project's own words are not known. */
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
	while (core->held) {
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
	/* Without cycles one micro-op counts as one. */
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
