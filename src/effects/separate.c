/* SPDX-License-Identifier: MIT */
/* Instructions with register states, converted to instructions and records of their effects. */
#include "effects/conversion.h"
#include "effects/powerpc_data.h"

#include "base/mem.h"
#include "isa/powerpc_state.h"
#include "model/context.h"

#include <string.h>

/* Maximum number of threads or processors whose last states are kept. */
#define CONTEXTS_MAX 1024

/* The bit of MSR that is set in user programs (PR). */
#define MSR_USER 0x4000u

/* The bit of CR that reports that a conditional store has stored (CR0, EQ). */
#define CR_STORED 0x20000000u

static const enum poly_column inherited[] = {POLY_COLUMN_time, POLY_COLUMN_cpu,
	POLY_COLUMN_cpu_name, POLY_COLUMN_process, POLY_COLUMN_thread, POLY_COLUMN_origin};
enum { INHERITED_COUNT = sizeof inherited / sizeof *inherited };

/* What the records of an instruction's effects need of it. */
struct instruction {
	uint64_t number; /* of its record */
	uint32_t opcode;
	bool has[INHERITED_COUNT];
	uint64_t values[INHERITED_COUNT]; /* names by their numbers in the result */
	bool has_access, has_address, has_real, has_size;
	uint8_t access;
	uint32_t size;
	uint64_t address, real;
};

/* A thread or processor. */
struct separated {
	uint64_t key;
	bool has_state;
	bool is_open;  /* the effects of its last instruction are not yet in the result */
	uint64_t gaps; /* before its last record */
	struct poly_powerpc_state state; /* of its last record */
	struct instruction last;
};

struct separate {
	struct separated *contexts[CONTEXTS_MAX]; /* the last one of each remainder of keys */
	uint32_t names[STATE_REGISTERS];	  /* numbers of the registers' names, plus 1 */
	struct isa_decoder *decoder;		  /* for texts; NULL: none are wanted */
};

static bool
wants(const struct effects *effects, enum poly_column column)
{
	return poly_columns_has(effects->options.wanted, column);
}

/* Adds a record of an instruction's effects to the result; returns its row. */
static size_t
add_record(struct effects *effects, const struct instruction *instruction, enum poly_kind kind)
{
	const size_t row = effects_add_row(effects, instruction->number, kind);
	for (unsigned i = 0; i < INHERITED_COUNT; i++) {
		if (instruction->has[i])
			batch_put_integer(effects_rows(effects), inherited[i], row,
				instruction->values[i]);
	}
	return row;
}

static uint64_t
number_of(const uint8_t *data, uint32_t size)
{
	uint64_t number = 0;
	for (uint32_t i = 0; i < size; i++)
		number = number << 8 | data[i];
	return number;
}

static void
put_data(struct batch *batch, size_t row, const uint8_t *data, uint32_t size)
{
	if (size <= 8)
		batch_put(batch, value, row, number_of(data, size));
	else
		batch_put_bytes(batch, POLY_COLUMN_payload, row, data, size);
}

/* Gets the data of an access from the states before and after it, if they are known. */
static bool
find_data(const struct instruction *instruction, const struct poly_powerpc_state *before,
	const struct poly_powerpc_state *after, uint8_t data[POWERPC_DATA_MAX])
{
	const bool is_store = instruction->access == POLY_ACCESS_WRITE;
	const struct poly_powerpc_state *state = is_store ? before : after;
	if (!state || !instruction->has_size ||
		(!is_store && instruction->access != POLY_ACCESS_READ))
		return false;
	if (powerpc_is_conditional(instruction->opcode) && (!after || !(after->cr & CR_STORED)))
		return false;
	return powerpc_data(
		instruction->opcode, state, instruction->address, instruction->size, data);
}

static void
add_access(struct effects *effects, const struct instruction *instruction,
	const struct poly_powerpc_state *before, const struct poly_powerpc_state *after)
{
	uint8_t data[POWERPC_DATA_MAX];
	struct batch *batch = effects_rows(effects);
	if (!instruction->has_access)
		return;
	const size_t row = add_record(effects, instruction, POLY_KIND_ACCESS);
	batch_put(batch, access, row, instruction->access);
	if (instruction->has_address)
		batch_put(batch, address, row, instruction->address);
	if (instruction->has_real)
		batch_put(batch, real_address, row, instruction->real);
	if (instruction->has_size)
		batch_put(batch, size, row, instruction->size);
	if (find_data(instruction, before, after, data))
		put_data(batch, row, data, instruction->size);
}

/* Returns the number of a register's name; INTERN_FAILED. */
static uint32_t
name_of(struct effects *effects, unsigned number)
{
	struct separate *separate = effects->state;
	if (!separate->names[number]) {
		char name[16];
		powerpc_state_name(number, name);
		const uint32_t id = info_name(&effects->info, name, strlen(name));
		if (id == INTERN_FAILED)
			return id;
		separate->names[number] = id + 1;
	}
	return separate->names[number] - 1;
}

static bool
add_register(struct effects *effects, const struct instruction *instruction, unsigned number,
	const struct poly_powerpc_state *state)
{
	struct batch *batch = effects_rows(effects);
	const struct powerpc_value value = powerpc_state_value(state, number);
	const uint32_t name = name_of(effects, number);
	if (name == INTERN_FAILED)
		return false;
	const size_t row = add_record(effects, instruction, POLY_KIND_REGISTER);
	batch_put(batch, reg, row, name);
	batch_put(batch, size, row, value.size);
	if (value.wide)
		put_data(batch, row, value.wide, value.size);
	else
		batch_put(batch, value, row, value.number);
	return true;
}

static bool
differs(const struct poly_powerpc_state *before, const struct poly_powerpc_state *after,
	unsigned number)
{
	const struct powerpc_value a = powerpc_state_value(before, number),
				   b = powerpc_state_value(after, number);
	if (!a.wide)
		return a.number != b.number;
	return !powerpc_vector_is_live(before, number - STATE_VR) ||
	       memcmp(a.wide, b.wide, a.size) != 0;
}

/* Returns whether a register is one of the processor's whose value is known: the pc is a
 * column, and vrvalid is the tracer's. */
static bool
is_known(const struct poly_powerpc_state *state, unsigned number)
{
	if (number >= STATE_VR && number < STATE_PC)
		return powerpc_vector_is_live(state, number - STATE_VR);
	return number != STATE_PC && number != STATE_VRVALID;
}

/* Adds the registers that an instruction wrote; before NULL: all of a state. */
static bool
add_registers(struct effects *effects, const struct instruction *instruction,
	const struct poly_powerpc_state *before, const struct poly_powerpc_state *after)
{
	bool good = true;
	/* Most instructions write one register, of one file. */
	const bool keeps_files[] = {
		before && memcmp(before->gpr, after->gpr, sizeof after->gpr) == 0,
		before && memcmp(before->fpr, after->fpr, sizeof after->fpr) == 0,
		before && memcmp(before->vr, after->vr, sizeof after->vr) == 0 &&
			before->vrvalid == after->vrvalid,
	};
	for (unsigned i = 0; i < STATE_REGISTERS && good; i++) {
		if (i < STATE_PC && keeps_files[i / STATE_FPR])
			i += STATE_FPR - 1;
		else if (is_known(after, i) && (!before || differs(before, after, i)))
			good = add_register(effects, instruction, i, after);
	}
	return good;
}

/* Adds the effects of an instruction whose states are known, or NULL. */
static bool
add_effects(struct effects *effects, const struct instruction *instruction,
	const struct poly_powerpc_state *before, const struct poly_powerpc_state *after)
{
	add_access(effects, instruction, before, after);
	return !before || !after || add_registers(effects, instruction, before, after);
}

/* Adds the effects of a context's last instruction; after is the next state, or NULL. */
static bool
close_last(struct effects *effects, struct separated *context,
	const struct poly_powerpc_state *after)
{
	if (!context->is_open)
		return true;
	context->is_open = false;
	return add_effects(effects, &context->last, &context->state, after);
}

/* Finds the context of a row, or replaces another one by it; NULL: out of memory. */
static struct separated *
find_context(struct effects *effects, size_t row)
{
	struct separate *separate = effects->state;
	const uint64_t key = context_key(effects->batch, row);
	struct separated **context = &separate->contexts[key % CONTEXTS_MAX];
	if (*context && (*context)->key == key)
		return *context;
	if (*context && !close_last(effects, *context, NULL))
		return NULL;
	if (!*context)
		*context = mem_new(1, sizeof **context);
	if (*context)
		**context = (struct separated){.key = key};
	return *context;
}

/* Gets what the records of an instruction's effects need; row dst of the result is its own. */
static void
load_instruction(
	struct effects *effects, size_t row, size_t dst, struct instruction *instruction)
{
	const struct poly_batch *batch = effects->batch;
	const struct batch *rows = effects_rows(effects);
	*instruction = (struct instruction){.number = poly_batch_number(batch, row),
		.opcode = (uint32_t)batch->opcode[row]};
	for (unsigned i = 0; i < INHERITED_COUNT; i++) {
		instruction->has[i] =
			wants(effects, inherited[i]) && bit_test(rows->bits[inherited[i]], dst);
		if (instruction->has[i])
			instruction->values[i] = column_load(&column_table[inherited[i]],
				batch_column(rows, inherited[i]), dst);
	}
	instruction->has_access = poly_present(batch, POLY_COLUMN_access, row);
	instruction->has_address = poly_present(batch, POLY_COLUMN_address, row);
	instruction->has_real = poly_present(batch, POLY_COLUMN_real_address, row);
	instruction->has_size = poly_present(batch, POLY_COLUMN_size, row);
	if (instruction->has_access)
		instruction->access = batch->access[row];
	if (instruction->has_address)
		instruction->address = batch->address[row];
	if (instruction->has_real)
		instruction->real = batch->real_address[row];
	if (instruction->has_size)
		instruction->size = batch->size[row];
}

/* Adds mode and text, which follow from the state and the encoding. */
static bool
add_labels(
	struct effects *effects, size_t row, size_t dst, const struct poly_powerpc_state *state)
{
	const struct separate *separate = effects->state;
	const struct poly_batch *batch = effects->batch;
	struct batch *rows = effects_rows(effects);
	uint8_t bytes[4];
	store_be32(bytes, (uint32_t)batch->opcode[row]);
	if (separate->decoder && poly_present(batch, POLY_COLUMN_pc, row)) {
		const struct isa_encoding encoding = {bytes, sizeof bytes, batch->pc[row]};
		const char *text = isa_text(separate->decoder, &encoding);
		if (text)
			batch_put_bytes(rows, POLY_COLUMN_text, dst, text, strlen(text));
	}
	if (!wants(effects, POLY_COLUMN_mode))
		return true;
	const uint32_t mode =
		info_name(&effects->info, state->msr & MSR_USER ? "usr" : "svc", 3);
	if (mode != INTERN_FAILED)
		batch_put(rows, mode, dst, mode);
	return mode != INTERN_FAILED;
}

/* Adds an instruction without its effects. */
static bool
add_instruction(struct effects *effects, size_t row, const struct poly_powerpc_state *state,
	struct instruction *instruction)
{
	const poly_columns moved =
		POLY_COLUMNS(kind, access, address, size, value, real_address, payload);
	const size_t dst = effects_add_row(
		effects, poly_batch_number(effects->batch, row), POLY_KIND_INSTRUCTION);
	if (!row_copy_row(&effects->copy, row, dst, moved))
		return false;
	load_instruction(effects, row, dst, instruction);
	return !state || add_labels(effects, row, dst, state);
}

/* Adds an instruction whose record has a register state. */
static bool
add_with_state(struct effects *effects, size_t row, const struct poly_powerpc_state *state)
{
	struct instruction instruction;
	const char *when = poly_trace_fact(effects->source, "amber.state");
	struct separated *context = find_context(effects, row);
	if (!context)
		return false;
	const bool follows = context->has_state && context->gaps == effects->gaps;
	if (context->has_state && !follows)
		effects_note(effects,
			"register writes of instructions dropped whose record or the "
			"next one is not selected");
	bool good = close_last(effects, context, follows ? state : NULL);
	const struct poly_powerpc_state before = context->state;
	if (good && effects->options.initial && !context->has_state) {
		instruction =
			(struct instruction){.number = poly_batch_number(effects->batch, row)};
		good = add_registers(effects, &instruction, NULL, state);
	}
	good = good && add_instruction(effects, row, state, &instruction);
	context->has_state = true;
	context->gaps = effects->gaps;
	context->state = *state;
	context->last = instruction;
	context->is_open = !when || strcmp(when, "post") != 0;
	if (!good || context->is_open)
		return good;
	return add_effects(effects, &instruction, follows ? &before : NULL, state);
}

static bool
separate_row(struct effects *effects, size_t row)
{
	const struct poly_batch *batch = effects->batch;
	struct poly_powerpc_state state;
	struct instruction instruction;
	const bool has_kind = poly_present(batch, POLY_COLUMN_kind, row);
	if (has_kind && batch->kind[row] == POLY_KIND_INSTRUCTION &&
		poly_present(batch, POLY_COLUMN_opcode, row)) {
		if (poly_powerpc_state_decode(batch, row, &state, NULL) == POLY_OK)
			return add_with_state(effects, row, &state);
		if (!poly_present(batch, POLY_COLUMN_access, row))
			return add_instruction(effects, row, NULL, &instruction);
		if (!add_instruction(effects, row, NULL, &instruction))
			return false;
		add_access(effects, &instruction, NULL, NULL);
		return true;
	}
	const enum poly_kind kind =
		has_kind ? (enum poly_kind)batch->kind[row] : POLY_KIND_OTHER;
	/* Corrupt bytes may have been instructions. */
	effects->gaps += kind == POLY_KIND_OTHER;
	const size_t dst = effects_add_row(effects, poly_batch_number(batch, row), kind);
	return row_copy_row(&effects->copy, row, dst, POLY_COLUMNS(kind));
}

static bool
separate_finish(struct effects *effects)
{
	struct separate *separate = effects->state;
	bool good = true;
	for (size_t i = 0; i < CONTEXTS_MAX && good; i++) {
		if (separate->contexts[i])
			good = close_last(effects, separate->contexts[i], NULL);
	}
	return good;
}

bool
separate_new(struct effects *effects)
{
	struct separate *separate = effects->state = mem_new(1, sizeof *separate);
	if (!separate)
		return false;
	return !wants(effects, POLY_COLUMN_text) ||
	       isa_open(effects->source->isa, &separate->decoder, NULL) == POLY_OK;
}

static void
separate_free(void *state)
{
	struct separate *separate = state;
	if (!separate)
		return;
	for (size_t i = 0; i < CONTEXTS_MAX; i++)
		mem_free(separate->contexts[i]);
	isa_close(separate->decoder);
	mem_free(separate);
}

const struct effects_way effects_separate = {separate_row, separate_finish, separate_free};
