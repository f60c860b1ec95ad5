/* SPDX-License-Identifier: MIT */
/*
 * Reconstructs registers and memory from all records up to one. Register records set registers,
 * and records of FULL traces set all of them. Accesses with data set memory, reads as well as
 * writes. A write without data makes its bytes unknown.
 */
#include "analysis/queries/state.h"

#include "model/context.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "effects/partial_value.h"

#include <string.h>

/* Maximum size of an access with data in bytes. */
#define ACCESS_MAX 4096

/* True for the instruction sets whose numbers in memory begin with their big end. */
static bool
is_big_endian(const char *isa)
{
	static const char *const names[] = {
		"powerpc", "mips32", "mips64", "sparc", "sparc64", "s390x", "m68k"};
	for (size_t i = 0; isa && i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i], isa) == 0)
			return true;
	}
	return false;
}

/* Options, in the order of their table. */
enum { AT, ORDER };
static const char *const orders[] = {"auto", "big", "little", NULL}; /* enum poly_byte_order */

static const struct poly_option options[] = {
	{.name = "state.at",
		.type = POLY_OPTION_NUMBER,
		.initial = UINT64_MAX,
		.maximum = UINT64_MAX,
		.help = "reconstruct the state after this record"},
	{.name = "state.order",
		.type = POLY_OPTION_CHOICE,
		.choices = orders,
		.help = "byte order of memory; auto: by instruction set"},
	{0},
};

static enum poly_status
state_init(void *analysis, const struct analysis_setup *setup, struct poly_error *error)
{
	struct state *state = analysis;
	(void)error;
	state->at = setup->values[AT];
	state->order = (unsigned)setup->values[ORDER];
	return POLY_OK;
}

/* Frees registers, memory and names. */
static void
state_fini(void *analysis)
{
	struct state *state = analysis;
	for (uint32_t i = 0; i < state->register_count; i++)
		mem_free(state->registers[i].wide);
	mem_free(state->registers);
	mem_free(state->blocks);
	map_free(&state->register_numbers);
	map_free(&state->context_numbers);
	map_free(&state->block_numbers);
	intern_free(&state->names);
}

static void
state_begin(void *analysis, const struct poly_trace_info *info)
{
	struct state *state = analysis;
	state_fini(state);
	*state = (struct state){.at = state->at,
		.order = state->order,
		.is_big = state->order == POLY_BYTE_ORDER_NONE
				  ? is_big_endian(info->isa)
				  : state->order == POLY_BYTE_ORDER_BIG,
		.address_bits = info->address_bits};
}

/* The name of a register. */
struct register_name {
	uint32_t number; /* of the trace; CONDITION_NUMBER: that of an escape */
	const char *text;
};

/* The escape that states PowerPC's condition register: its code, and its number as a name. */
#define CONDITION_ESCAPE 2
#define CONDITION_NUMBER UINT32_MAX

/* Adds a register with copies of its names. */
static struct state_register *
add_register(struct state *state, const struct poly_trace_info *info, uint64_t context,
	const char *name)
{
	struct buf text = {0};
	if (!VEC_RESERVE(state->registers, state->register_capacity,
		    (size_t)state->register_count + 1))
		return NULL;
	struct state_register *reg = &state->registers[state->register_count];
	context_append_name(info, context, &text);
	*reg = (struct state_register){.context = context,
		.context_name = intern_text(
			&state->names, intern_add(&state->names, buf_text(&text), text.size)),
		.name = intern_text(&state->names,
			intern_add(&state->names, name ? name : "", name ? strlen(name) : 0))};
	const bool good = !text.failed && reg->context_name && reg->name;
	buf_free(&text);
	if (!context)
		reg->context_name = NULL;
	state->register_count += good;
	return good ? reg : NULL;
}

/* Finds or adds the register of a row's context; NULL: out of memory. */
static struct state_register *
find_register(struct state *state, const struct poly_batch *batch, size_t row,
	const struct register_name *name)
{
	bool added;
	const uint64_t context = context_key(batch, row);
	const uint64_t *number =
		map_get(&state->context_numbers, context, state->context_numbers.count, &added);
	if (!number)
		return NULL;
	const uint64_t key = *number << 32 | name->number;
	if ((number = map_find(&state->register_numbers, key)))
		return &state->registers[*number];
	const uint32_t index = state->register_count;
	struct state_register *reg = add_register(state, batch->info, context, name->text);
	return reg && map_get(&state->register_numbers, key, index, &added) ? reg : NULL;
}

/* Stores the bytes of a register that is wider than value; false: out of memory. */
static bool
store_wide(struct state_register *reg, const uint8_t *bytes, size_t n)
{
	n = n < STATE_REGISTER_MAX ? n : STATE_REGISTER_MAX;
	if (n > reg->room) {
		uint8_t *wide = mem_resize(reg->wide, n, 1);
		if (!wide)
			return false;
		reg->wide = wide;
		reg->room = (uint32_t)n;
	}
	memcpy(reg->wide, bytes, n);
	reg->digits = 2 * (uint32_t)n;
	return true;
}

/* Sets a register to a value of which the record's line leaves digits unknown. */
static void
take_partial(struct state_register *reg, const struct poly_batch *batch, size_t row)
{
	struct partial_value value;
	size_t n;
	if (!poly_present(batch, POLY_COLUMN_raw, row))
		return;
	const uint8_t *line = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	if (!partial_value_find(line, n, &value) || !value.known)
		return;
	const uint64_t all = UINT64_MAX >> (64 - 4 * value.digits);
	reg->is_known = true;
	reg->value = value.value;
	reg->unknown = all & ~value.known;
	reg->size = value.digits / 2;
}

static bool
apply_register(struct state *state, const struct poly_batch *batch, size_t row)
{
	const bool has_value = poly_present(batch, POLY_COLUMN_value, row);
	const bool has_bytes = poly_present(batch, POLY_COLUMN_payload, row);
	if (!poly_present(batch, POLY_COLUMN_reg, row))
		return true;
	const struct register_name name = {
		batch->reg[row], poly_trace_name(batch->info, batch->reg[row])};
	struct state_register *reg = find_register(state, batch, row, &name);
	if (!reg)
		return false;
	reg->record = poly_batch_number(batch, row);
	reg->digits = 0;
	reg->size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 0;
	reg->is_known = has_value || has_bytes;
	reg->unknown = 0;
	if (has_value)
		reg->value = batch->value[row];
	else if (!has_bytes)
		take_partial(reg, batch, row);
	if (has_value || !has_bytes)
		return true;
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	return store_wide(reg, bytes, n);
}

/* Takes over the condition register from an escape of TT6 (Apple amber traces 4.4). */
static bool
apply_escape(struct state *state, const struct poly_batch *batch, size_t row)
{
	static const struct register_name name = {CONDITION_NUMBER, "cr"};
	if (batch->escape[row] != CONDITION_ESCAPE ||
		!poly_present(batch, POLY_COLUMN_value, row))
		return true;
	struct state_register *reg = find_register(state, batch, row, &name);
	if (!reg)
		return false;
	reg->record = poly_batch_number(batch, row);
	reg->size = 4;
	reg->is_known = true;
	reg->value = batch->value[row];
	return true;
}

/* Finds or adds the block of an address; NULL: out of memory, or too many. */
static struct state_block *
find_block(struct state *state, uint64_t address)
{
	bool added;
	const uint64_t *known = map_find(&state->block_numbers, address / 16);
	if (known)
		return &state->blocks[*known];
	state->is_full |= state->block_count == STATE_BLOCKS_MAX;
	if (state->is_full ||
		!VEC_RESERVE(
			state->blocks, state->block_capacity, (size_t)state->block_count + 1) ||
		!map_get(&state->block_numbers, address / 16, state->block_count, &added))
		return NULL;
	struct state_block *block = &state->blocks[state->block_count++];
	*block = (struct state_block){.address = address & ~(uint64_t)15};
	return block;
}

/* Makes bytes of a block unknown that were written without data. */
static void
invalidate_block(struct state_block *block, uint64_t address, uint32_t size)
{
	for (unsigned i = 0; i < 16; i++)
		if (block->address + i - address < size)
			block->known &= (uint16_t) ~(1u << i);
}

/* Makes bytes unknown that were written without data. */
static void
invalidate(struct state *state, uint64_t address, uint32_t size)
{
	const uint64_t count = (address % 16 + size + 15) / 16;
	if (count > state->block_count) {
		for (uint32_t i = 0; i < state->block_count; i++)
			invalidate_block(&state->blocks[i], address, size);
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t block = (address / 16 + i) % (UINT64_MAX / 16 + 1);
		const uint64_t *number = map_find(&state->block_numbers, block);
		if (number)
			invalidate_block(&state->blocks[*number], address, size);
	}
}

/* Returns the data of an access, most significant byte first; NULL: unknown. */
static const uint8_t *
data_of(const struct poly_batch *batch, size_t row, uint32_t size, uint8_t room[8])
{
	size_t n = 0;
	const uint8_t *bytes = NULL;
	if (size <= 8 && poly_present(batch, POLY_COLUMN_value, row)) {
		for (uint32_t i = 0; i < size; i++)
			room[i] = (uint8_t)(batch->value[row] >> 8 * (size - 1 - i));
		return room;
	}
	if (poly_present(batch, POLY_COLUMN_payload, row))
		bytes = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	return n == size ? bytes : NULL;
}

static bool
apply_access(struct state *state, const struct poly_batch *batch, size_t row)
{
	uint8_t room[8];
	if (!poly_present(batch, POLY_COLUMN_address, row) ||
		!poly_present(batch, POLY_COLUMN_size, row))
		return true;
	const unsigned access = batch->access[row];
	const uint32_t size = batch->size[row];
	if (access != POLY_ACCESS_READ && access != POLY_ACCESS_WRITE &&
		access != POLY_ACCESS_FETCH)
		return true;
	const uint8_t *data = size <= ACCESS_MAX ? data_of(batch, row, size, room) : NULL;
	if (!data && access == POLY_ACCESS_WRITE)
		invalidate(state, batch->address[row], size);
	for (uint32_t i = 0; data && i < size; i++) {
		const uint64_t at = batch->address[row] + i;
		struct state_block *block = find_block(state, at);
		if (!block)
			return state->is_full;
		block->bytes[at % 16] = data[state->is_big ? i : size - 1 - i];
		block->known |= (uint16_t)(1u << at % 16);
		block->record = poly_batch_number(batch, row);
	}
	return true;
}

static bool
apply_row(struct state *state, const struct poly_batch *batch, size_t row)
{
	const unsigned kind =
		poly_present(batch, POLY_COLUMN_kind, row) ? batch->kind[row] : POLY_KIND_OTHER;
	state->record = poly_batch_number(batch, row);
	if (poly_present(batch, POLY_COLUMN_time, row)) {
		state->has_time = true;
		state->time = batch->time[row];
	}
	if (kind == POLY_KIND_INSTRUCTION && poly_present(batch, POLY_COLUMN_pc, row)) {
		state->instruction = state->record;
		state->pc = batch->pc[row];
	}
	if (kind == POLY_KIND_REGISTER)
		return apply_register(state, batch, row);
	if (poly_present(batch, POLY_COLUMN_escape, row))
		return apply_escape(state, batch, row);
	/* The record of an instruction can have an access, but its value need not be the data.
	 */
	if (kind == POLY_KIND_ACCESS && poly_present(batch, POLY_COLUMN_access, row))
		return apply_access(state, batch, row);
	return true;
}

/* Sets the registers of the last FULL record among the first rows of a batch. */
static void
apply_powerpc(struct state *state, const struct poly_batch *batch, size_t rows)
{
	const char *isa = batch->info->isa;
	if (!batch->payload || !isa || strcmp(isa, "powerpc") != 0)
		return;
	for (size_t row = rows; row-- > 0;) {
		if (!poly_present(batch, POLY_COLUMN_kind, row) ||
			batch->kind[row] != POLY_KIND_INSTRUCTION ||
			poly_powerpc_state_decode(batch, row, &state->powerpc, NULL) != POLY_OK)
			continue;
		state->has_powerpc = true;
		state->powerpc_record = poly_batch_number(batch, row);
		return;
	}
}

static bool
state_update(void *analysis, const struct analysis_rows *rows)
{
	struct state *state = analysis;
	const struct poly_batch *batch = rows->batch;
	size_t row = 0;
	while (row < batch->rows && !state->is_full &&
		poly_batch_number(batch, row) <= state->at) {
		if (!apply_row(state, batch, row++))
			return false;
	}
	apply_powerpc(state, batch, row);
	return true;
}

static enum poly_status
state_status(const void *analysis, struct poly_error *error)
{
	const struct state *state = analysis;
	if (state->is_full)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"accesses to more than %d blocks of 16 bytes", STATE_BLOCKS_MAX);
	return state->record >= state->at ? POLY_END : POLY_OK;
}

const struct analysis analysis_state = {
	.info = {.name = "state",
		.title = "Reconstructed state",
		.summary = "registers and memory after a record",
		.wants = POLY_COLUMNS_INIT(CONTEXT_COLUMNS, kind, time, pc, access, address,
			size, value, reg, payload, raw, escape, origin),
		.kind = POLY_ANALYSIS_QUERY,
		.options = options},
	.ordered = "the state follows from all preceding records",
	.state_size = sizeof(struct state),
	.init = state_init,
	.begin = state_begin,
	.update = state_update,
	.status = state_status,
	.report = query_state_report,
	.fini = state_fini,
};
