/* SPDX-License-Identifier: MIT */
/* Link registers and stack pointers, from register writes and register states. */
#include "analysis/queries/calls_link.h"

#include "isa/isa.h"

#include <string.h>
#include <strings.h>

/* What a register is for. */
enum { ROLE_OTHER, ROLE_LINK, ROLE_STACK };

/* Names in traces that the sets do not list. */
static const struct {
	const char *isa, *name;
	uint8_t role;
} aliases[] = {
	{"arm", "r14", ROLE_LINK},
	{"arm", "r13", ROLE_STACK},
	{"thumb", "r14", ROLE_LINK},
	{"thumb", "r13", ROLE_STACK},
	{"aarch64", "lr", ROLE_LINK},
	{"aarch64", "sp_el0", ROLE_STACK},
	{"aarch64", "sp_el1", ROLE_STACK},
	{"aarch64", "sp_el2", ROLE_STACK},
	{"aarch64", "sp_el3", ROLE_STACK},
	{"mips", "r31", ROLE_LINK},
	{"mips", "$31", ROLE_LINK},
	{"mips", "ra", ROLE_LINK},
	{"mips", "r29", ROLE_STACK},
	{"mips", "$29", ROLE_STACK},
	{"mips", "sp", ROLE_STACK},
};

/* Whether number is the only one among the registers. */
static bool
is_alone(const struct isa_registers *registers, unsigned number)
{
	struct isa_registers only = {{0}};
	if (number >= ISA_REGISTERS_MAX)
		return false;
	only.bits[number / 64] = (uint64_t)1 << number % 64;
	return memcmp(&only, registers, sizeof only) == 0;
}

static uint8_t
role_of_name(const char *isa, const char *name)
{
	struct isa_registers registers;
	if (isa_registers_named(isa, name, &registers)) {
		if (is_alone(&registers, isa_link_register(isa)))
			return ROLE_LINK;
		if (is_alone(&registers, isa_stack_register(isa)))
			return ROLE_STACK;
	}
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
		if (strncmp(isa, aliases[i].isa, strlen(aliases[i].isa)) == 0 &&
			strcasecmp(name, aliases[i].name) == 0)
			return aliases[i].role;
	}
	return ROLE_OTHER;
}

/* Returns the role of a trace's name of a register. */
static uint8_t
role_of(struct calls_link_source *source, const struct poly_trace_info *info, uint32_t name)
{
	const size_t entry = name % CALLS_LINK_NAMES;
	if (source->names[entry].name != name + 1) {
		const char *text = poly_trace_name(info, name);
		source->names[entry].name = name + 1;
		source->names[entry].role = text ? role_of_name(source->isa, text) : ROLE_OTHER;
	}
	return source->names[entry].role;
}

void
calls_link_begin(struct calls_link_source *source, const struct poly_trace_info *info)
{
	const char *order = poly_trace_fact(info, "amber.endian");
	const char *state = poly_trace_fact(info, "amber.state");
	memset(source, 0, sizeof *source);
	source->isa = info->isa;
	if (!info->isa || isa_link_register(info->isa) == ISA_NO_REGISTER)
		return;
	const bool is_powerpc = strcmp(info->isa, "powerpc") == 0;
	const bool is_arm =
		strcmp(info->isa, "arm") == 0 || strncmp(info->isa, "thumb", 5) == 0;
	source->mask = is_arm ? ~(uint64_t)1 : is_powerpc ? ~(uint64_t)3 : UINT64_MAX;
	source->has_registers = POLY_HAS(info->columns, reg) && POLY_HAS(info->columns, value);
	source->has_states = is_powerpc && state && POLY_HAS(info->columns, payload);
	source->dialect.little = order && strcmp(order, "le") == 0;
	source->dialect.post = state && strcmp(state, "post") == 0;
}

poly_columns
calls_link_columns(const struct calls_link_source *source)
{
	poly_columns columns = {{0}};
	if (source->has_registers)
		columns = POLY_COLUMNS(reg, value);
	if (source->has_states)
		poly_columns_add(&columns, POLY_COLUMN_payload);
	return columns;
}

void
calls_link_write(struct calls_link_source *source, struct calls_link *link,
	const struct poly_batch *batch, size_t row, uint64_t instruction)
{
	if (!source->has_registers || !poly_present(batch, POLY_COLUMN_reg, row))
		return;
	const uint8_t role = role_of(source, batch->info, batch->reg[row]);
	const bool has_value = poly_present(batch, POLY_COLUMN_value, row);
	const uint64_t value = has_value ? batch->value[row] : 0;
	if (role == ROLE_LINK) {
		link->has_value = has_value;
		link->value = value & source->mask;
		link->written = instruction;
	} else if (role == ROLE_STACK) {
		link->has_stack = has_value;
		link->stack = value;
	}
}

void
calls_link_state(struct calls_link_source *source, struct calls_link *link,
	const struct poly_batch *batch, size_t row)
{
	size_t size;
	struct powerpc_dialect *dialect = &source->dialect;
	if (!source->has_states || !poly_present(batch, POLY_COLUMN_payload, row))
		return;
	const uint8_t *payload = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &size);
	dialect->layout = powerpc_layout_find((uint64_t)size + 4);
	link->has_value = link->has_stack = dialect->layout != NULL;
	if (!dialect->layout)
		return;
	/* The payload is the record without its opcode of 4 bytes. */
	const uint8_t *stack =
		payload + dialect->layout->gpr - 4 + (dialect->layout->wide ? 8 : 4);
	link->value = source->mask &
		      powerpc_state_register(dialect, payload + dialect->layout->lr - 4);
	link->stack = powerpc_state_register(dialect, stack);
}
