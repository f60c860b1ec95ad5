/* SPDX-License-Identifier: MIT */
/* Reconstructs registers and memory. */
#include "analysis/queries/state.h"

#include "analysis/facts/context.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

/* Maximum size of an access with data in bytes. */
#define ACCESS_MAX 4096

poly_columns
poly_state_columns(void)
{
	return POLY_COLUMNS(CONTEXT_COLUMNS, kind, time, pc, access, address, size, value, reg,
		payload, origin);
}

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

enum poly_status
poly_state_new(const struct poly_state_options *options, const struct poly_trace_info *info,
	struct poly_state **state, struct poly_error *error)
{
	*state = NULL;
	if (options->size == 0)
		return err_usage(error, "the options were not initialized");
	struct poly_state *new_state = mem_new(1, sizeof *new_state);
	if (!new_state)
		return err_memory(error);
	memcpy(&new_state->options, options,
		options->size < sizeof new_state->options ? options->size
							  : sizeof new_state->options);
	new_state->info = info;
	new_state->is_big = new_state->options.byte_order == POLY_BYTE_ORDER_NONE
				    ? is_big_endian(info->isa)
				    : new_state->options.byte_order == POLY_BYTE_ORDER_BIG;
	*state = new_state;
	return POLY_OK;
}

/* Finds or adds the register of a context; NULL: out of memory. */
static struct state_register *
find_register(struct poly_state *state, uint64_t context, uint32_t name)
{
	bool added;
	uint64_t *number =
		map_get(&state->context_numbers, context, state->context_numbers.count, &added);
	if (!number)
		return NULL;
	number = map_get(
		&state->register_numbers, *number << 32 | name, state->register_count, &added);
	if (!number)
		return NULL;
	if (!added)
		return &state->registers[*number];
	if (!VEC_ROOM(state->registers, state->register_capacity, state->register_count))
		return NULL;
	struct state_register *reg = &state->registers[state->register_count++];
	*reg = (struct state_register){.context = context, .name = name};
	return reg;
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

static bool
apply_register(struct poly_state *state, const struct poly_batch *batch, size_t row)
{
	const bool has_value = poly_present(batch, POLY_COLUMN_value, row);
	const bool has_bytes = poly_present(batch, POLY_COLUMN_payload, row);
	if (!poly_present(batch, POLY_COLUMN_reg, row))
		return true;
	struct state_register *reg =
		find_register(state, context_key(batch, row), batch->reg[row]);
	if (!reg)
		return false;
	reg->record = poly_batch_number(batch, row);
	reg->digits = 0;
	reg->size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 0;
	reg->is_known = has_value || has_bytes;
	if (has_value)
		reg->value = batch->value[row];
	if (has_value || !has_bytes)
		return true;
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	return store_wide(reg, bytes, n);
}

/* Finds or adds the block of an address; NULL: out of memory, or too many. */
static struct state_block *
find_block(struct poly_state *state, uint64_t address)
{
	bool added;
	const uint64_t *known = map_find(&state->block_numbers, address / 16);
	if (known)
		return &state->blocks[*known];
	state->full |= state->block_count == POLY_STATE_BLOCKS;
	if (state->full ||
		!map_get(&state->block_numbers, address / 16, state->block_count, &added))
		return NULL;
	if (!VEC_ROOM(state->blocks, state->block_capacity, state->block_count))
		return NULL;
	struct state_block *block = &state->blocks[state->block_count++];
	*block = (struct state_block){.address = address & ~(uint64_t)15};
	return block;
}

/* Makes bytes unknown that were written without data. */
static void
invalidate(struct poly_state *state, uint64_t address, uint32_t size)
{
	for (uint32_t i = 0; state->block_count && i < size && i < ACCESS_MAX; i++) {
		const uint64_t at = address + i;
		const uint64_t *number = map_find(&state->block_numbers, at / 16);
		if (number)
			state->blocks[*number].known &= (uint16_t) ~(1u << at % 16);
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
apply_access(struct poly_state *state, const struct poly_batch *batch, size_t row)
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
			return false;
		block->bytes[at % 16] = data[state->is_big ? i : size - 1 - i];
		block->known |= (uint16_t)(1u << at % 16);
		block->record = poly_batch_number(batch, row);
	}
	return true;
}

static bool
apply_row(struct poly_state *state, const struct poly_batch *batch, size_t row)
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
	/* The record of an instruction can have an access, but its value need not be the data.
	 */
	if (kind == POLY_KIND_ACCESS && poly_present(batch, POLY_COLUMN_access, row))
		return apply_access(state, batch, row);
	return true;
}

/* Sets the registers of the last FULL record among the first rows of a batch. */
static void
apply_powerpc(struct poly_state *state, const struct poly_batch *batch, size_t rows)
{
	const char *isa = state->info->isa;
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

enum poly_status
poly_state_update(
	struct poly_state *state, const struct poly_batch *batch, struct poly_error *error)
{
	size_t rows = 0;
	while (rows < batch->rows && !state->failed &&
		poly_batch_number(batch, rows) <= state->options.at)
		state->failed = !apply_row(state, batch, rows++);
	if (state->full)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"accesses to more than %d blocks of 16 bytes", POLY_STATE_BLOCKS);
	if (state->failed)
		return err_memory(error);
	apply_powerpc(state, batch, rows);
	return rows < batch->rows || state->record >= state->options.at ? POLY_END : POLY_OK;
}

void
poly_state_free(struct poly_state *state)
{
	if (!state)
		return;
	for (uint32_t i = 0; i < state->register_count; i++)
		mem_free(state->registers[i].wide);
	mem_free(state->registers);
	mem_free(state->blocks);
	map_free(&state->register_numbers);
	map_free(&state->context_numbers);
	map_free(&state->block_numbers);
	mem_free(state);
}
