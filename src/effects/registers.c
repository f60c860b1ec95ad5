/* SPDX-License-Identifier: MIT */
#include "effects/registers.h"

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "effects/partial_value.h"
#include "isa/isa.h"
#include "isa/powerpc_state.h"
#include "isa/register_part.h"
#include "model/context.h"

#include <string.h>
#include <strings.h>

/* The code of the escape that states the condition register. */
#define ESCAPE_CONDITION 2

/* A column. */
struct register_column {
	struct isa_registers
		set; /* by number of the instruction set; none of a state's alone */
	struct register_part part;
	unsigned state; /* number in a PowerPC state; STATE_REGISTERS: none */
};

/* A name of a register in the trace. */
struct trace_register {
	bool is_known; /* the others are set */
	struct register_part part;
	uint32_t columns; /* bit n: it is, contains, or is a part of column n's register */
};

/* The values of a thread or processor. */
struct register_values {
	uint64_t values[POLY_REGISTERS_MAX];
	uint32_t known; /* bit n: values[n] is known */
};

struct registers {
	const char *isa; /* NULL: unknown; registers are found by the same names alone */
	bool has_states;
	unsigned count;
	struct register_column columns[POLY_REGISTERS_MAX];
	const char *names[POLY_REGISTERS_MAX];
	struct trace_register *trace_names; /* by number of the name */
	uint32_t trace_name_count;
	struct map contexts; /* by key: index of values */
	struct register_values *values;
	uint32_t capacity;
};

/* Looks up the register of a column. */
static enum poly_status
find_register(struct registers *registers, unsigned i, struct poly_error *error)
{
	struct register_column *column = &registers->columns[i];
	const char *name = registers->names[i];
	column->state = STATE_REGISTERS;
	column->part = register_part_of(registers->isa, name);
	if (!registers->isa)
		return POLY_OK;
	if (!poly_isa_has_register(registers->isa, name))
		return err_usage(error,
			"instruction set '%s' has no register '%s' (expected %s)",
			registers->isa, name,
			isa_register_list(registers->isa) ? isa_register_list(registers->isa)
							  : "another set");
	isa_registers_named(registers->isa, name, &column->set);
	if (registers->has_states)
		column->state =
			column->part.bits == 4 ? (unsigned)STATE_CR : powerpc_state_find(name);
	return POLY_OK;
}

enum poly_status
registers_new(const char *const *names, unsigned count, struct info *info,
	struct registers **result, struct poly_error *error)
{
	*result = NULL;
	if (count > POLY_REGISTERS_MAX)
		return err_usage(
			error, "%u registers, expected at most %d", count, POLY_REGISTERS_MAX);
	struct registers *registers = mem_new(1, sizeof *registers);
	enum poly_status status = registers ? POLY_OK : err_memory(error);
	for (unsigned i = 0; i < count && status == POLY_OK; i++) {
		registers->isa = info->view.isa;
		registers->has_states =
			registers->isa && strcmp(registers->isa, "powerpc") == 0;
		registers->names[i] = info_string(info, names[i]);
		registers->count = count;
		status = registers->names[i] ? find_register(registers, i, error)
					     : err_memory(error);
	}
	if (status != POLY_OK) {
		registers_free(registers);
		return status;
	}
	info->names.registers = registers->names;
	info->names.register_count = count;
	*result = registers;
	return POLY_OK;
}

poly_columns
registers_sources(void)
{
	return POLY_COLUMNS(
		kind, reg, value, payload, raw, escape, origin, thread, process, cpu, cpu_name);
}

/* Returns the values of a row's context; NULL: out of memory. */
static struct register_values *
find_values(struct registers *registers, const struct poly_batch *batch, size_t row)
{
	bool added;
	const uint64_t key = context_key(batch, row);
	const uint64_t *known = map_find(&registers->contexts, key);
	if (known)
		return &registers->values[*known];
	const uint32_t number = (uint32_t)registers->contexts.count;
	if (!VEC_ROOM_ZEROED(registers->values, registers->capacity, number) ||
		!map_get(&registers->contexts, key, number, &added))
		return NULL;
	return &registers->values[number];
}

/* Returns what is known of a name of the trace; NULL: out of memory. */
static const struct trace_register *
find_name(struct registers *registers, const struct poly_trace_info *info, uint32_t number)
{
	static const struct trace_register none = {.is_known = true};
	const char *text = poly_trace_name(info, number);
	struct isa_registers set;
	if (!text)
		return &none;
	if (!VEC_ROOM_ZEROED(registers->trace_names, registers->trace_name_count, number))
		return NULL;
	struct trace_register *name = &registers->trace_names[number];
	if (name->is_known)
		return name;
	name->is_known = true;
	name->part = register_part_of(registers->isa, text);
	isa_registers_named(registers->isa, text, &set);
	const unsigned state =
		registers->has_states ? powerpc_state_find(text) : (unsigned)STATE_REGISTERS;
	for (unsigned i = 0; i < registers->count; i++) {
		const struct register_column *column = &registers->columns[i];
		const bool overlaps = strcasecmp(text, registers->names[i]) == 0 ||
				      (set.bits[0] & column->set.bits[0]) ||
				      (set.bits[1] & column->set.bits[1]) ||
				      (state < STATE_REGISTERS && state == column->state);
		name->columns |= (uint32_t)overlaps << i;
	}
	return name;
}

/* Sets a column to the value of a register, or makes it unknown. */
static void
set_value(struct register_values *values, unsigned column, bool is_known, uint64_t value)
{
	const uint32_t bit = (uint32_t)1 << column;
	values->known = is_known ? values->known | bit : values->known & ~bit;
	values->values[column] = value;
}

/* Returns the value of a record of a register, of which digits can be unknown. */
static struct partial_value
value_of(const struct poly_batch *batch, size_t row)
{
	struct partial_value value = {0};
	size_t n;
	if (poly_present(batch, POLY_COLUMN_value, row))
		return (struct partial_value){.value = batch->value[row], .known = UINT64_MAX};
	if (!poly_present(batch, POLY_COLUMN_raw, row))
		return value;
	const uint8_t *line = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	if (!partial_value_find(line, n, &value))
		value = (struct partial_value){0};
	return value;
}

static bool
apply_register(struct registers *registers, struct register_values *values,
	const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_reg, row))
		return true;
	const struct trace_register *name = find_name(registers, batch->info, batch->reg[row]);
	if (!name)
		return false;
	const struct partial_value written = value_of(batch, row);
	for (uint32_t left = name->columns; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctz(left);
		const struct register_part *part = &registers->columns[i].part;
		const uint64_t all = UINT64_MAX >> (64 - part->bits);
		uint64_t value = written.value, known = written.known;
		const bool is_known = register_part_get(&name->part, part, &value) &&
				      register_part_get(&name->part, part, &known);
		set_value(values, i, is_known && (known & all) == all, value);
	}
	return true;
}

static void
apply_state(const struct registers *registers, struct register_values *values,
	const struct poly_powerpc_state *state)
{
	static const struct register_part whole = {.bits = 64};
	for (unsigned i = 0; i < registers->count; i++) {
		const struct register_column *column = &registers->columns[i];
		if (column->state == STATE_REGISTERS)
			continue;
		const struct powerpc_value value = powerpc_state_value(state, column->state);
		uint64_t number = value.number;
		register_part_get(&whole, &column->part, &number);
		set_value(values, i, !value.wide, number);
	}
}

/* Takes over the condition register from an escape (Apple amber traces 4.4). */
static void
apply_escape(const struct registers *registers, struct register_values *values,
	const struct poly_batch *batch, size_t row)
{
	static const struct register_part whole = {.bits = 64};
	if (batch->escape[row] != ESCAPE_CONDITION ||
		!poly_present(batch, POLY_COLUMN_value, row))
		return;
	for (unsigned i = 0; i < registers->count; i++) {
		uint64_t value = batch->value[row];
		register_part_get(&whole, &registers->columns[i].part, &value);
		if (registers->columns[i].state == STATE_CR)
			set_value(values, i, true, value);
	}
}

static bool
apply_row(struct registers *registers, struct register_values *values,
	const struct poly_batch *batch, size_t row)
{
	struct poly_powerpc_state state;
	const unsigned kind =
		poly_present(batch, POLY_COLUMN_kind, row) ? batch->kind[row] : POLY_KIND_OTHER;
	if (kind == POLY_KIND_REGISTER)
		return apply_register(registers, values, batch, row);
	if (poly_present(batch, POLY_COLUMN_escape, row))
		apply_escape(registers, values, batch, row);
	if (kind == POLY_KIND_INSTRUCTION && registers->has_states &&
		poly_present(batch, POLY_COLUMN_payload, row) &&
		poly_powerpc_state_decode(batch, row, &state, NULL) == POLY_OK)
		apply_state(registers, values, &state);
	return true;
}

bool
registers_fill(struct registers *registers, struct batch *batch)
{
	const struct poly_batch *view = &batch->view;
	for (size_t row = 0; row < view->rows; row++) {
		struct register_values *values = find_values(registers, view, row);
		if (!values || !apply_row(registers, values, view, row))
			return false;
		for (uint32_t left = values->known; left; left &= left - 1) {
			const unsigned i = (unsigned)__builtin_ctz(left),
				       column = POLY_COLUMN_register + i;
			uint64_t *dst = batch_column(batch, (enum poly_column)column);
			if (!dst)
				continue;
			dst[row] = values->values[i];
			bit_set(batch->bits[column], row);
		}
	}
	return true;
}

void
registers_free(struct registers *registers)
{
	if (!registers)
		return;
	map_free(&registers->contexts);
	mem_free(registers->values);
	mem_free(registers->trace_names);
	mem_free(registers);
}
