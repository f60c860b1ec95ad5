/* SPDX-License-Identifier: MIT */
/*
 * Flags and registers of ChampSim's records from the registers of instructions.
 *
 * spec: polytrace-champsim(5)
 */
#include "format/champsim/champsim.h"

#include "base/bits.h"

#include <string.h>

/* A register that no instruction writes: the address that an indirect branch loads. */
#define LOADED_TARGET 255

struct champsim_registers
champsim_registers_of(const char *isa)
{
	static const char *const flags[] = {"flags", "cpsr", "nzcv", NULL};
	static const char *const ip[] = {"rip", "pc", NULL};
	static const char *const zero[] = {"zero", NULL};
	return (struct champsim_registers){isa_stack_register(isa),
		operation_register(isa, flags), operation_register(isa, ip),
		operation_register(isa, zero)};
}

/* Returns ChampSim's number of a register; 0: it is not written. */
static uint8_t
number_of(const struct champsim_registers *registers, unsigned number)
{
	if (number == registers->ip || number == registers->zero)
		return 0;
	if (number == registers->stack)
		return CHAMPSIM_SP;
	if (number == registers->flags)
		return CHAMPSIM_FLAGS;
	number++;
	number += number >= CHAMPSIM_SP;
	number += number >= CHAMPSIM_FLAGS ? 2 : 0;
	return (uint8_t)number;
}

/* A set of registers that is filled. */
struct register_set {
	uint8_t *list;
	size_t room, count;
	bool is_full; /* a register did not fit */
};

static void
add(struct register_set *set, uint8_t reg)
{
	if (!reg || champsim_has(set->list, set->count, reg))
		return;
	if (set->count == set->room)
		set->is_full = true;
	else
		set->list[set->count++] = reg;
}

/* Adds the registers of an instruction set but those that are excluded; the flags last. */
static void
add_registers(const struct champsim_registers *registers, struct register_set *set,
	const struct isa_registers *from, bool with_stack, bool with_flags)
{
	bool has_flags = false;
	for (unsigned i = 0; i < ISA_REGISTERS_MAX; i++) {
		if (!bit_test(from->bits, i))
			continue;
		const uint8_t reg = number_of(registers, i);
		if (reg == CHAMPSIM_FLAGS)
			has_flags = true;
		else if (reg != CHAMPSIM_SP || with_stack)
			add(set, reg);
	}
	if (has_flags && with_flags)
		add(set, CHAMPSIM_FLAGS);
}

/* The kind of a branch, and the registers that ChampSim knows it by. */
struct form {
	enum champsim_kind kind;
	uint8_t dests[CHAMPSIM_DESTS], sources[CHAMPSIM_DESTS];
};

static const struct form forms[] = {
	{CHAMPSIM_DIRECT_JUMP, {CHAMPSIM_IP, 0}, {CHAMPSIM_IP, 0}},
	{CHAMPSIM_INDIRECT_JUMP, {CHAMPSIM_IP, 0}, {0, 0}},
	{CHAMPSIM_CONDITIONAL, {CHAMPSIM_IP, 0}, {CHAMPSIM_IP, 0}},
	{CHAMPSIM_DIRECT_CALL, {CHAMPSIM_IP, CHAMPSIM_SP}, {CHAMPSIM_IP, CHAMPSIM_SP}},
	{CHAMPSIM_INDIRECT_CALL, {CHAMPSIM_IP, CHAMPSIM_SP}, {CHAMPSIM_IP, CHAMPSIM_SP}},
	{CHAMPSIM_RETURN, {CHAMPSIM_IP, CHAMPSIM_SP}, {CHAMPSIM_SP, 0}},
};

/* Returns the form of a branch. A record cannot state that a call or return is conditional, as
 * ChampSim takes them always: those are conditional branches. */
static const struct form *
form_of(unsigned flow)
{
	if (flow & ISA_CONDITIONAL)
		return &forms[2];
	if (flow & ISA_RETURNS)
		return &forms[5];
	if (flow & ISA_CALLS)
		return &forms[flow & ISA_INDIRECT ? 4 : 3];
	return &forms[flow & ISA_INDIRECT ? 1 : 0];
}

/* Adds the registers that a branch reads, as far as its kind permits. */
static void
add_branch_sources(const struct champsim_registers *registers,
	const struct operation *operation, enum champsim_kind kind,
	struct register_set *sources)
{
	const bool is_direct = kind == CHAMPSIM_DIRECT_JUMP || kind == CHAMPSIM_DIRECT_CALL,
		   is_indirect =
			   kind == CHAMPSIM_INDIRECT_JUMP || kind == CHAMPSIM_INDIRECT_CALL;
	const size_t before = sources->count;
	if (!is_direct)
		add_registers(registers, sources, &operation->reads, false,
			kind == CHAMPSIM_CONDITIONAL);
	if (sources->count != before)
		return;
	if (is_indirect)
		add(sources, LOADED_TARGET);
	else if (kind == CHAMPSIM_CONDITIONAL)
		add(sources, CHAMPSIM_FLAGS);
}

struct champsim_loss
champsim_encode(const struct champsim_registers *registers, const struct operation *operation,
	struct champsim_record *record)
{
	struct register_set dests = {.list = record->dests, .room = CHAMPSIM_DESTS},
			    sources = {.list = record->sources, .room = CHAMPSIM_SOURCES};
	const unsigned flow = operation->flow;
	record->is_branch = (flow & ISA_JUMPS) != 0;
	if (!record->is_branch) {
		add_registers(registers, &dests, &operation->writes, true, true);
		add_registers(registers, &sources, &operation->reads, true, true);
		return (struct champsim_loss){dests.is_full, sources.is_full, false};
	}
	const struct form *form = form_of(flow);
	for (size_t i = 0; i < CHAMPSIM_DESTS; i++) {
		add(&dests, form->dests[i]);
		add(&sources, form->sources[i]);
	}
	add_registers(registers, &dests, &operation->writes, false, true);
	add_branch_sources(registers, operation, form->kind, &sources);
	return (struct champsim_loss){dests.is_full, sources.is_full,
		flow & ISA_CONDITIONAL && flow & (ISA_CALLS | ISA_RETURNS)};
}
