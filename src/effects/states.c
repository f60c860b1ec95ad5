/* SPDX-License-Identifier: MIT */
/*
 * Instructions and records of registers, converted to instructions with register states before
 * them, as FULL has them: big endian, in the layout of 1004 bytes or, of 64-bit traces, 1148.
 *
 * spec: Apple amber traces 4.7.
 */
#include "effects/conversion.h"

#include "base/mem.h"
#include "base/vec.h"
#include "isa/powerpc_state.h"
#include "model/context.h"

#include <string.h>

/* Maximum number of threads or processors whose states are kept. */
#define CONTEXTS_MAX 1024

enum { NARROW_RECORD = 1004, WIDE_RECORD = 1148, OPCODE_SIZE = 4 };

/* In place of the number of a register: no state has it. */
#define NOT_A_REGISTER UINT8_MAX

/* A thread or processor. */
struct context {
	uint64_t key;
	uint64_t known; /* bit n: register n of enum powerpc_state_number, but vectors */
	uint32_t known_special;		    /* the same from STATE_PC on */
	uint8_t record[POWERPC_RECORD_MAX]; /* the state, at its place in a record */
};

struct states {
	const struct powerpc_layout *layout;
	struct context *contexts[CONTEXTS_MAX]; /* the last one of each remainder of keys */
	uint8_t *registers; /* by number of a name: its number plus 1, or NOT_A_REGISTER */
	uint32_t register_count;
};

/* The registers of every program: the general ones, and cr, lr and ctr. */
#define SPECIAL(number) (1u << ((number)-STATE_PC))
#define GENERAL_ALL UINT64_C(0xffffffff)
#define SPECIAL_ALL (SPECIAL(STATE_CR) | SPECIAL(STATE_LR) | SPECIAL(STATE_CTR))

/* Returns the context of a row; NULL: out of memory. */
static struct context *
get_context(struct effects *effects, size_t row)
{
	struct states *states = effects->state;
	const uint64_t key = context_key(effects->batch, row);
	struct context **place = &states->contexts[key % CONTEXTS_MAX];
	if (!*place)
		*place = mem_new(1, sizeof **place);
	else if ((*place)->key != key)
		memset(*place, 0, sizeof **place);
	if (*place)
		(*place)->key = key;
	return *place;
}

/* Returns the number of a register by that of its name, plus 1; NOT_A_REGISTER; 0: out of
 * memory. */
static unsigned
find_register(struct effects *effects, uint32_t name)
{
	struct states *states = effects->state;
	const char *text = poly_trace_name(effects->source, name);
	if (!text)
		return NOT_A_REGISTER;
	if (!VEC_ROOM_ZEROED(states->registers, states->register_count, name))
		return 0;
	uint8_t *number = &states->registers[name];
	if (!*number) {
		const unsigned found = powerpc_state_find(text);
		const bool is_held =
			found < STATE_VR || (found >= STATE_PC && found < STATE_REGISTERS);
		*number = is_held ? (uint8_t)(found + 1) : NOT_A_REGISTER;
	}
	return *number;
}

/* Returns the place of a register in a record, and its bytes; 0: the layout does not have it.
 */
static unsigned
place_of(const struct powerpc_layout *layout, unsigned number, unsigned *size)
{
	const unsigned word = layout->wide ? 8 : 4;
	*size = word;
	if (number < STATE_FPR)
		return layout->gpr + number * word;
	if (number < STATE_VR) {
		*size = 8;
		return layout->floats + (number - STATE_FPR) * 8;
	}
	switch (number) {
	case STATE_PC: return layout->pc;
	case STATE_MSR: return layout->msr;
	case STATE_XER: return layout->xer;
	case STATE_LR: return layout->lr;
	case STATE_CTR: return layout->ctr;
	}
	*size = 4;
	switch (number) {
	case STATE_CR: return layout->cr;
	case STATE_MQ: return layout->mq;
	case STATE_VRSAVE: return layout->vrsave;
	case STATE_FPSCR: return layout->floats + POWERPC_FPSCR_OFFSET;
	case STATE_VSCR: return layout->vectors + POWERPC_VSCR_OFFSET + 12u;
	default: return 0;
	}
}

static void
set_register(
	const struct states *states, struct context *context, unsigned number, uint64_t value)
{
	unsigned size;
	const unsigned at = place_of(states->layout, number, &size);
	if (!at)
		return;
	for (unsigned i = 0; i < size; i++)
		context->record[at + i] = (uint8_t)(value >> 8 * (size - 1 - i));
	if (number < STATE_VR)
		context->known |= (uint64_t)1 << number;
	else if (number >= STATE_PC)
		context->known_special |= SPECIAL(number);
}

/* Takes over a register; false: out of memory. */
static bool
apply_register(struct effects *effects, size_t row)
{
	const struct poly_batch *batch = effects->batch;
	if (!poly_present(batch, POLY_COLUMN_reg, row) ||
		!poly_present(batch, POLY_COLUMN_value, row))
		return true;
	const unsigned number = find_register(effects, batch->reg[row]);
	struct context *context = get_context(effects, row);
	if (!number || !context)
		return false;
	if (number == NOT_A_REGISTER)
		effects_note(effects, "registers dropped that the state does not have");
	else
		set_register(effects->state, context, number - 1, batch->value[row]);
	return true;
}

/* Adds an instruction with the state before it; false: out of memory. */
static bool
add_instruction(struct effects *effects, size_t row)
{
	const struct states *states = effects->state;
	const struct poly_batch *batch = effects->batch;
	struct context *context = get_context(effects, row);
	if (!context)
		return false;
	if (!poly_present(batch, POLY_COLUMN_opcode, row) ||
		!poly_present(batch, POLY_COLUMN_pc, row)) {
		effects_note(effects, "instructions dropped that have no address or no opcode");
		return true;
	}
	if ((context->known & GENERAL_ALL) != GENERAL_ALL ||
		(context->known_special & SPECIAL_ALL) != SPECIAL_ALL)
		effects_note(effects, "states whose unknown registers are 0");
	set_register(states, context, STATE_PC, batch->pc[row]);
	const size_t dst =
		effects_add_row(effects, poly_batch_number(batch, row), POLY_KIND_INSTRUCTION);
	struct batch *rows = effects_rows(effects);
	batch_put_bytes(rows, POLY_COLUMN_payload, dst, context->record + OPCODE_SIZE,
		states->layout->record - (size_t)OPCODE_SIZE);
	return row_copy_row(
		&effects->copy, row, dst, POLY_COLUMNS(kind, payload, raw, address, value));
}

static bool
states_row(struct effects *effects, size_t row)
{
	const struct poly_batch *batch = effects->batch;
	const unsigned kind =
		poly_present(batch, POLY_COLUMN_kind, row) ? batch->kind[row] : POLY_KIND_OTHER;
	switch (kind) {
	case POLY_KIND_REGISTER: return apply_register(effects, row);
	case POLY_KIND_INSTRUCTION: return add_instruction(effects, row);
	case POLY_KIND_ACCESS: return true; /* the state has its address */
	default: break;
	}
	const size_t dst =
		effects_add_row(effects, poly_batch_number(batch, row), (enum poly_kind)kind);
	return row_copy_row(&effects->copy, row, dst, POLY_COLUMNS(kind));
}

static bool
states_finish(struct effects *effects)
{
	effects_note(effects, "states without vector registers");
	return true;
}

bool
states_new(struct effects *effects)
{
	struct states *states = mem_new(1, sizeof *states);
	effects->state = states;
	if (states)
		states->layout = powerpc_layout_find(
			effects->source->address_bits == 64 ? WIDE_RECORD : NARROW_RECORD);
	return states;
}

static void
states_free(void *state)
{
	struct states *states = state;
	if (!states)
		return;
	for (size_t i = 0; i < CONTEXTS_MAX; i++)
		mem_free(states->contexts[i]);
	mem_free(states->registers);
	mem_free(states);
}

const struct effects_way effects_states = {states_row, states_finish, states_free};
