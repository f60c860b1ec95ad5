/* SPDX-License-Identifier: MIT */
/* Records of accesses, converted to columns of their instruction. */
#include "effects/conversion.h"

#include "base/mem.h"
#include "base/vec.h"
#include "isa/powerpc.h"

#include <string.h>

/* In place of the number of a register: a name that is not one, or is not needed. */
#define NOT_A_REGISTER UINT8_MAX

struct joined_state {
	struct poly_powerpc_state state; /* as far as records have shown it */
	uint64_t known;			 /* bit n: general purpose register n; bit 32: xer */
	uint8_t *registers; /* by number of a name: its number plus 1, or NOT_A_REGISTER */
	uint32_t register_count;
	/* The open instruction is the last row of the result. */
	uint32_t opcode;
	bool has_address; /* of itself, or of an access */
	bool is_computed; /* from registers */
};

enum { KNOWN_XER = 32 };

static inline void
put_open(struct effects *effects, enum poly_column column, uint64_t value)
{
	struct batch *rows = effects_rows(effects);
	batch_put_integer(rows, column, rows->view.rows - 1, value);
}

static bool
knows(const struct joined_state *joined, unsigned number)
{
	return joined->known >> number & 1;
}

/* Computes the address of the open instruction from registers, if they are known. */
static bool
compute_address(const struct joined_state *joined, uint64_t *address)
{
	const struct powerpc_instruction *found = powerpc_find(joined->opcode);
	const unsigned ra = joined->opcode >> 16 & 31, rb = joined->opcode >> 11 & 31;
	if ((ra && !knows(joined, ra)) ||
		(found->flags & POWERPC_INDEXED && !knows(joined, rb)))
		return false;
	return powerpc_address(joined->opcode, &joined->state, false, address);
}

/* Sets the third word of the open instruction: XER of strings, rB of data streams. */
static void
put_third(struct effects *effects)
{
	const struct joined_state *joined = effects->state;
	const unsigned rb = joined->opcode >> 11 & 31;
	const bool is_string = powerpc_find(joined->opcode)->flags & POWERPC_STRING;
	if (is_string && knows(joined, KNOWN_XER))
		put_open(effects, POLY_COLUMN_value, (uint32_t)joined->state.xer);
	else if (!is_string && knows(joined, rb))
		put_open(effects, POLY_COLUMN_value, (uint32_t)joined->state.gpr[rb]);
}

/* Opens an instruction, whose accesses follow. */
static bool
open_instruction(struct effects *effects, size_t row)
{
	struct joined_state *joined = effects->state;
	const struct poly_batch *batch = effects->batch;
	uint64_t address;
	const size_t dst =
		effects_add_row(effects, poly_batch_number(batch, row), POLY_KIND_INSTRUCTION);
	if (!row_copy_row(&effects->copy, row, dst, POLY_COLUMNS(kind)))
		return false;
	effects->holds_last = true;
	joined->opcode = (uint32_t)batch->opcode[row];
	joined->has_address = poly_present(batch, POLY_COLUMN_address, row);
	joined->is_computed = false;
	const unsigned class = powerpc_class(joined->opcode);
	if (joined->has_address || (class != POWERPC_MEMORY && class != POWERPC_EXTENDED &&
					   class != POWERPC_CACHE))
		return true;
	if (class == POWERPC_EXTENDED)
		put_third(effects);
	if (!compute_address(joined, &address))
		return true;
	put_open(effects, POLY_COLUMN_address, address);
	/* The access of a cache operation is that of its line. */
	joined->has_address = class == POWERPC_CACHE;
	joined->is_computed = true;
	return true;
}

/* Adds the size of an access to that of the open instruction; of strings without a known XER,
 * this is their third word. */
static void
add_size(struct effects *effects, uint32_t size)
{
	const struct joined_state *joined = effects->state;
	const struct batch *rows = effects_rows(effects);
	const size_t row = rows->view.rows - 1;
	const uint16_t string = POWERPC_STRING | POWERPC_INDEXED;
	if (joined->has_address && rows->view.size &&
		bit_test(rows->bits[POLY_COLUMN_size], row))
		size += rows->view.size[row];
	put_open(effects, POLY_COLUMN_size, size);
	if ((powerpc_find(joined->opcode)->flags & string) == string &&
		!knows(joined, KNOWN_XER))
		put_open(effects, POLY_COLUMN_value, size & 0x7f);
}

/* Returns whether an access is the processor's own, as of page tables. */
static bool
is_own_access(const struct poly_batch *batch, size_t row)
{
	const char *attributes =
		poly_present(batch, POLY_COLUMN_access_attributes, row)
			? poly_trace_name(batch->info, batch->access_attributes[row])
			: NULL;
	return attributes && strcmp(attributes, "T") == 0;
}

/* Adds an access to the open instruction. */
static void
add_access(struct effects *effects, size_t row)
{
	struct joined_state *joined = effects->state;
	const struct poly_batch *batch = effects->batch;
	const unsigned access = poly_present(batch, POLY_COLUMN_access, row)
					? batch->access[row]
					: POLY_ACCESS_COUNT;
	if (access == POLY_ACCESS_FETCH)
		return;
	if (!effects->holds_last || !poly_present(batch, POLY_COLUMN_address, row) ||
		is_own_access(batch, row)) {
		effects_note(effects, "accesses dropped that are not an instruction's own");
		return;
	}
	if (poly_present(batch, POLY_COLUMN_value, row))
		effects_note(effects, "data of accesses dropped");
	const struct batch *rows = effects_rows(effects);
	const size_t open = rows->view.rows - 1;
	const bool is_first = !joined->has_address;
	uint64_t address = batch->address[row];
	if (!is_first && rows->view.address && rows->view.address[open] < address)
		address = rows->view.address[open];
	if (powerpc_class(joined->opcode) != POWERPC_CACHE || !joined->is_computed)
		put_open(effects, POLY_COLUMN_address, address);
	if (access < POLY_ACCESS_COUNT)
		put_open(effects, POLY_COLUMN_access, access);
	if (poly_present(batch, POLY_COLUMN_size, row))
		add_size(effects, batch->size[row]);
	joined->has_address = true;
}

/* Returns the number of a register by that of its name, plus 1; NOT_A_REGISTER; 0: out of
 * memory. */
static unsigned
find_register(struct effects *effects, uint32_t name)
{
	struct joined_state *joined = effects->state;
	const char *text = poly_trace_name(effects->source, name);
	struct isa_registers registers = {{0}};
	if (!text || !VEC_ROOM_ZEROED(joined->registers, joined->register_count, name))
		return text ? 0 : NOT_A_REGISTER;
	uint8_t *number = &joined->registers[name];
	if (*number)
		return *number;
	*number = NOT_A_REGISTER;
	if (!isa_registers_named(effects->source->isa, text, &registers))
		return *number;
	for (unsigned i = 0; i < KNOWN_XER; i++) {
		if (bit_test(registers.bits, i))
			*number = (uint8_t)(i + 1);
	}
	if (bit_test(registers.bits, POWERPC_XER))
		*number = KNOWN_XER + 1;
	return *number;
}

/* Takes over a register; false: out of memory. */
static bool
apply_register(struct effects *effects, size_t row)
{
	struct joined_state *joined = effects->state;
	const struct poly_batch *batch = effects->batch;
	if (!poly_present(batch, POLY_COLUMN_reg, row))
		return true;
	unsigned number = find_register(effects, batch->reg[row]);
	if (!number || number == NOT_A_REGISTER)
		return number;
	number--;
	const uint64_t bit = (uint64_t)1 << number;
	const bool has_value = poly_present(batch, POLY_COLUMN_value, row);
	joined->known = has_value ? joined->known | bit : joined->known & ~bit;
	if (has_value && number == KNOWN_XER)
		joined->state.xer = batch->value[row];
	else if (has_value)
		joined->state.gpr[number] = batch->value[row];
	return true;
}

static bool
joined_row(struct effects *effects, size_t row)
{
	const struct poly_batch *batch = effects->batch;
	const unsigned kind =
		poly_present(batch, POLY_COLUMN_kind, row) ? batch->kind[row] : POLY_KIND_OTHER;
	switch (kind) {
	case POLY_KIND_ACCESS: add_access(effects, row); return true;
	case POLY_KIND_REGISTER: return apply_register(effects, row);
	case POLY_KIND_INSTRUCTION:
		if (poly_present(batch, POLY_COLUMN_opcode, row))
			return open_instruction(effects, row);
		break;
	}
	effects->holds_last = false;
	const size_t dst =
		effects_add_row(effects, poly_batch_number(batch, row), (enum poly_kind)kind);
	return row_copy_row(&effects->copy, row, dst, POLY_COLUMNS(kind));
}

static bool
joined_finish(struct effects *effects)
{
	effects->holds_last = false;
	return true;
}

bool
joined_new(struct effects *effects)
{
	effects->state = mem_new(1, sizeof(struct joined_state));
	return effects->state;
}

static void
joined_free(void *state)
{
	struct joined_state *joined = state;
	if (!joined)
		return;
	mem_free(joined->registers);
	mem_free(joined);
}

const struct effects_way effects_joined = {joined_row, joined_finish, joined_free};
