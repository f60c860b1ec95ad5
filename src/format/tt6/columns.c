/* SPDX-License-Identifier: MIT */
/*
 * The second pass on decoded TT6 rows: builds presence bits of 64 rows at a time from one
 * byte of flags per row, and derives columns from the encoding (record, access, size, branch,
 * target). Only selected columns have a cost.
 *
 * spec: Apple amber traces 4.3 (access, size), 4.4 (bindings of escapes), 4.6 (synthetics).
 */
#include "format/tt6/tt6.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Presence bits of 64 rows, by flag. */
struct presence {
	uint64_t pc, address, next, third, access, size, open, aligned;
};

#if defined(__SSE2__)
/* Extracts one bit of each of 64 bytes: shifts it to the sign bit first. */
static uint64_t
gather(const uint8_t *bytes, unsigned flag)
{
	uint64_t bits = 0;
	int shift = 7 - __builtin_ctz(flag);
	for (unsigned i = 0; i < 4; i++) {
		__m128i part = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));
		unsigned mask = (unsigned)_mm_movemask_epi8(_mm_slli_epi16(part, shift));
		bits |= (uint64_t)mask << 16 * i;
	}
	return bits;
}
#else
/* Extracts one bit of each of 64 bytes, eight at a time by a multiplication. */
static uint64_t
gather(const uint8_t *bytes, unsigned flag)
{
	uint64_t bits = 0;
	unsigned shift = (unsigned)__builtin_ctz(flag);
	for (unsigned i = 0; i < 8; i++) {
		uint64_t lows = load_le64(bytes + 8 * i) >> shift & 0x0101010101010101u;
		bits |= (lows * 0x0102040810204080u >> 56) << 8 * i;
	}
	return bits;
}
#endif

/* Extracts one byte of every fact; restrict, since a byte may alias anything. */
static inline void
spread(uint8_t *restrict dst, const uint32_t *restrict facts, size_t n, unsigned shift)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = (uint8_t)(facts[i] >> shift);
}

static struct presence
presence_of(const struct tt6_rows *rows, size_t first)
{
	uint8_t flags[64] = {0};
	size_t count = rows->count - first < 64 ? rows->count - first : 64;
	spread(flags, rows->fact + first, count, 0);
	return (struct presence){gather(flags, TT6_HAS_PC), gather(flags, TT6_HAS_ADDRESS),
		gather(flags, TT6_HAS_NEXT), gather(flags, TT6_HAS_THIRD),
		gather(flags, TT6_HAS_ACCESS), gather(flags, TT6_HAS_SIZE),
		gather(flags, TT6_HAS_OPEN), gather(flags, TT6_IS_ALIGNED)};
}

static void
put_bits(struct batch *batch, enum poly_column column, size_t word, uint64_t bits)
{
	if (batch->bits[column])
		batch->bits[column][word] |= bits;
}

static void
put_presence(struct batch *batch, size_t word, const struct presence *presence)
{
	put_bits(batch, POLY_COLUMN_pc, word, presence->pc);
	put_bits(batch, POLY_COLUMN_opcode, word, presence->pc);
	put_bits(batch, POLY_COLUMN_opcode_size, word, presence->pc);
	put_bits(batch, POLY_COLUMN_address, word, presence->address);
	put_bits(batch, POLY_COLUMN_next_pc, word, presence->next);
	put_bits(batch, POLY_COLUMN_value, word, presence->third);
	put_bits(batch, POLY_COLUMN_access, word, presence->access);
	put_bits(batch, POLY_COLUMN_size, word, presence->size);
}

/* Sets access and size that depend on the opcode and the third word. */
static void
put_open(struct tt6 *state, struct batch *batch, size_t base, size_t row)
{
	uint32_t opcode = (uint32_t)state->rows.opcode[row];
	uint32_t third = (uint32_t)state->rows.value[row];
	const struct powerpc_instruction *found = powerpc_find(opcode);
	if (found->access < 0)
		return;
	bool indexed_string = found->flags & POWERPC_STRING && found->flags & POWERPC_INDEXED;
	uint32_t size = indexed_string && state->count_is_plain
				? third
				: powerpc_size(opcode, third, 0);
	batch_put(batch, access, base + row, (uint8_t)found->access);
	if (size || indexed_string)
		batch_put(batch, size, base + row, size);
}

/* Sets the address of an access that ignores its lowest bits; stores the one of the trace if it
 * differs. */
static void
put_aligned(struct batch *batch, size_t row, uint32_t opcode, uint64_t address)
{
	const uint64_t ignored = powerpc_ignored_bits(powerpc_find(opcode));
	batch_put(batch, address, row, address & ~ignored);
	if (address & ignored)
		batch_put(batch, requested_address, row, address);
}

/* Presence bits of 64 rows in the columns of branches. */
struct outcomes {
	uint64_t branch, target, fallthrough;
};

/* Sets branch, target and fallthrough of a flow instruction; at: its row in the batch. */
static inline void
put_branch(const struct tt6_rows *rows, size_t row, const struct poly_batch *view, size_t at,
	struct outcomes *outcomes)
{
	uint32_t pc = (uint32_t)rows->pc[row], next = (uint32_t)rows->second[row];
	struct powerpc_branch branch = powerpc_branch((uint32_t)rows->opcode[row], pc);
	if (!branch.is_branch)
		return;
	bool to_target = branch.has_target ? next == branch.target : next != pc + 4;
	bool taken = branch.always || (to_target && next != pc + 4);
	bool fell = !branch.always && next == pc + 4 && !to_target;
	if (view->branch)
		view->branch[at] = taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN;
	if (view->target)
		view->target[at] = branch.has_target ? branch.target : next;
	if (view->fallthrough)
		view->fallthrough[at] = pc + 4;
	outcomes->branch |= (uint64_t)(taken || fell) << at % 64;
	outcomes->target |= (uint64_t)(branch.has_target || taken) << at % 64;
	outcomes->fallthrough |= (uint64_t)!branch.always << at % 64;
}

static void
put_branches(const struct tt6_rows *rows, struct batch *batch, size_t base, size_t first,
	uint64_t left)
{
	struct outcomes outcomes = {0};
	for (; left; left &= left - 1) {
		size_t row = first + (size_t)__builtin_ctzll(left);
		put_branch(rows, row, &batch->view, base + row, &outcomes);
	}
	put_bits(batch, POLY_COLUMN_branch, (base + first) / 64, outcomes.branch);
	put_bits(batch, POLY_COLUMN_target, (base + first) / 64, outcomes.target);
	put_bits(batch, POLY_COLUMN_fallthrough, (base + first) / 64, outcomes.fallthrough);
}

/* Handles the rows that need individual work, by their flags. */
static void
put_rare(struct tt6 *state, struct batch *batch, size_t base, size_t first,
	const struct presence *presence)
{
	const struct poly_batch *view = &batch->view;
	uint64_t left = view->access || view->size ? presence->open : 0;
	for (; left; left &= left - 1)
		put_open(state, batch, base, first + (size_t)__builtin_ctzll(left));
	left = view->address || view->requested_address ? presence->aligned : 0;
	for (; left; left &= left - 1) {
		const size_t row = first + (size_t)__builtin_ctzll(left);
		put_aligned(batch, base + row, (uint32_t)state->rows.opcode[row],
			state->rows.second[row]);
	}
	if (view->branch || view->target || view->fallthrough)
		put_branches(&state->rows, batch, base, first, presence->next);
}

/* Fills the columns that facts determine for every row. */
static void
put_facts(const struct tt6_rows *rows, const struct poly_batch *view, size_t base)
{
	if (view->kind)
		memset(view->kind + base, POLY_KIND_INSTRUCTION, rows->count);
	if (view->next_pc && view->next_pc + base != rows->second)
		memcpy(view->next_pc + base, rows->second, rows->count * sizeof *rows->second);
	if (view->opcode_size)
		memset(view->opcode_size + base, 4, rows->count);
	if (view->record)
		spread(view->record + base, rows->fact, rows->count, TT6_FACT_RECORD);
	if (view->access)
		spread(view->access + base, rows->fact, rows->count, TT6_FACT_ACCESS);
	for (size_t i = 0; view->size && i < rows->count; i++)
		view->size[base + i] = rows->fact[i] >> TT6_FACT_SIZE;
}

/* Returns the opcode of the instruction in a row; 0 for other rows. */
static uint32_t
opcode_at(const struct tt6_rows *rows, size_t row)
{
	return rows->fact[row] ? (uint32_t)rows->opcode[row] : 0;
}

/* Marks every consecutive {branch to 0x700} {rfi}, also across chunks. */
static void
put_synthetics(struct tt6 *state, struct batch *batch, size_t base, uint32_t lookahead)
{
	const struct tt6_rows *rows = &state->rows;
	if (state->rfi_due)
		batch_put(batch, synthetic, base, 1);
	state->rfi_due = false;
	for (size_t i = 0; rows->has_trap && i < rows->count; i++) {
		bool last = i + 1 == rows->count;
		uint32_t after = last ? lookahead : opcode_at(rows, i + 1);
		if (rows->second[i] != TT6_TRAP || opcode_at(rows, i) >> 26 != 18 ||
			after != TT6_RFI)
			continue;
		batch_put(batch, synthetic, base + i, 1);
		if (last)
			state->rfi_due = true;
		else
			batch_put(batch, synthetic, base + i + 1, 1);
	}
}

static void
put_sync(struct batch *batch, size_t row, const struct tt6_special *special)
{
	batch_put(batch, kind, row, POLY_KIND_SYNC);
	batch_put(batch, sync, row, (uint8_t)tt6_sync(special->code));
	batch_put(batch, address, row, special->address);
}

static void
put_special(
	struct tt6 *state, struct batch *batch, size_t row, const struct tt6_special *special)
{
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	batch_put(batch, record, row, special->name);
	if (special->name == TT6_IS_INITIAL_PC) {
		batch_put(batch, pc, row, special->value);
		return;
	}
	if (special->name == TT6_IS_CORRUPT)
		return;
	batch_put(batch, escape, row, special->code);
	if (!special->is_value)
		return;
	batch_put(batch, value, row, special->value);
	if (tt6_sync(special->code) >= 0) {
		put_sync(batch, row, special);
	} else if (tt6_binds(special->code)) {
		state->pending.value[special->code] = special->value;
		state->pending.is_set[special->code] = state->pending.any = true;
	}
}

/* Sets the data address from an escape if the record has none, and its access. */
static void
put_data_address(struct tt6 *state, struct batch *batch, size_t base, size_t row)
{
	if (state->rows.fact[row] & TT6_HAS_ADDRESS)
		return;
	put_aligned(batch, base + row, (uint32_t)state->rows.opcode[row],
		state->pending.value[TT6_CODE_DATA_ADDRESS]);
	put_open(state, batch, base, row);
}

/* Sets the columns that preceding escapes determine. */
static void
put_pending(struct tt6 *state, struct batch *batch, size_t base, size_t row)
{
	struct tt6_pending *pending = &state->pending;
	if (pending->is_set[TT6_CODE_DATA_ADDRESS])
		put_data_address(state, batch, base, row);
	if (pending->is_set[TT6_CODE_REAL_TARGET])
		batch_put(batch, real_target, base + row, pending->value[TT6_CODE_REAL_TARGET]);
	if (pending->is_set[TT6_CODE_REAL_ADDRESS])
		batch_put(
			batch, real_address, base + row, pending->value[TT6_CODE_REAL_ADDRESS]);
	if (pending->is_set[TT6_CODE_REAL_PC])
		batch_put(batch, real_pc, base + row, pending->value[TT6_CODE_REAL_PC]);
	memset(pending, 0, sizeof *pending);
}

/* Fills special rows in order, and the instructions that follow address escapes. */
static void
put_specials(struct tt6 *state, struct batch *batch, size_t base)
{
	const struct tt6_rows *rows = &state->rows;
	if (state->pending.any && rows->count && rows->fact[0])
		put_pending(state, batch, base, 0);
	for (size_t i = 0; i < state->special_count; i++) {
		size_t row = state->specials[i].row;
		put_special(state, batch, base + row, &state->specials[i]);
		if (state->pending.any && row + 1 < rows->count && rows->fact[row + 1])
			put_pending(state, batch, base, row + 1);
	}
}

void
tt6_columns(struct tt6 *state, struct batch *batch, size_t base, uint32_t lookahead)
{
	const struct tt6_rows *rows = &state->rows;
	put_facts(rows, &batch->view, base);
	for (size_t first = 0; first < rows->count; first += 64) {
		struct presence presence = presence_of(rows, first);
		put_presence(batch, (base + first) / 64, &presence);
		put_rare(state, batch, base, first, &presence);
	}
	if (state->extended)
		put_synthetics(state, batch, base, lookahead);
	put_specials(state, batch, base);
}
