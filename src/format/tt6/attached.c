/* SPDX-License-Identifier: MIT */
/*
 * Records that belong to an instruction when rows are written: escapes to the next one, the
 * synthetic pair of TT6E to its twi. They are written where the instruction is; what a
 * selection has omitted is created from the instruction's columns, and records whose
 * instruction is omitted are dropped.
 *
 * spec: TT6 trace format (escapes, TT6E); Apple amber traces 4.4, 4.6.
 */
#include "format/tt6/tt6.h"

#include "model/attached.h"
#include "model/batch_internal.h"
#include "model/columns.h"
#include "model/context.h"

#include <string.h>

#define HELD_MAX 65536 /* bytes of held records, beyond which no others are held */

/* The column of the next instruction that an escape code fills, or none. */
static const enum poly_column bound_columns[TT6_CODE_LAST_CONTEXT + 1] = {
	[TT6_CODE_SEGMENT] = POLY_COLUMN_NONE,
	[TT6_CODE_DATA_ADDRESS] = POLY_COLUMN_NONE,
	[TT6_CODE_CONDITION_REGISTER] = POLY_COLUMN_NONE,
	[TT6_CODE_REAL_TARGET] = POLY_COLUMN_real_target,
	[TT6_CODE_REAL_ADDRESS] = POLY_COLUMN_real_address,
	[TT6_CODE_REAL_PC] = POLY_COLUMN_real_pc,
};

/* Returns whether the column of the instruction can replace an escape: threads may switch
 * before it. */
static bool
is_in_column(const struct poly_batch *batch, size_t row)
{
	return context_key(batch, row) &&
	       bound_columns[batch->escape[row]] != POLY_COLUMN_NONE &&
	       column_data(batch, bound_columns[batch->escape[row]]);
}

void
tt6_held_add(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct tt6_held *held = &((struct tt6_writer *)writing->state)->held;
	const unsigned code = batch->escape[row];
	held->next = poly_batch_number(batch, row) + 1;
	held->context = context_key(batch, row);
	held->is_empty = false;
	held->is_lost |= !is_in_column(batch, row);
	held->has[code] = true;
	held->has_value[code] = poly_present(batch, POLY_COLUMN_value, row);
	if (held->has_value[code])
		held->value[code] = batch->value[row];
}

/* Returns whether a row continues the held escapes: nothing between them is omitted, or a
 * selection omits only what is not attached. */
static bool
continues(const struct tt6_held *held, const struct poly_batch *batch, size_t row)
{
	return poly_batch_number(batch, row) == held->next ||
	       (batch->internal && batch->internal->keeps_attached);
}

/* Returns whether a row is the instruction that the held escapes are of. */
static bool
is_own(const struct tt6_held *held, const struct poly_batch *batch, size_t row)
{
	if (!continues(held, batch, row) || context_key(batch, row) != held->context)
		return false;
	for (unsigned code = 0; code <= TT6_CODE_LAST_CONTEXT; code++) {
		const enum poly_column column = bound_columns[code];
		if (!held->has_value[code] || column == POLY_COLUMN_NONE ||
			!column_data(batch, column))
			continue;
		if (!poly_present(batch, column, row) ||
			poly_batch_integer(batch, column, row) != held->value[code])
			return false;
	}
	return true;
}

/* Writes the held escapes, or drops them; what follows them is a row. */
static void
release(struct writing *writing, bool is_kept)
{
	struct tt6_held *held = &((struct tt6_writer *)writing->state)->held;
	if (!held->words.size)
		return;
	if (is_kept) {
		tt6_put_bytes(writing, held->words.data, held->words.size);
	} else {
		tt6_put_bytes(writing, held->others.data, held->others.size);
		if (held->is_lost)
			writing_note(
				writing, "escapes dropped whose instruction is not selected");
		memset(held->has, 0, sizeof held->has);
		memset(held->has_value, 0, sizeof held->has_value);
	}
	buf_clear(&held->words);
	buf_clear(&held->others);
	held->is_lost = false;
}

bool
tt6_held_surrounds(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct tt6_held *held = &((struct tt6_writer *)writing->state)->held;
	if (!held->words.size || held->words.size > HELD_MAX || !continues(held, batch, row) ||
		context_key(batch, row) != held->context)
		return false;
	held->next = poly_batch_number(batch, row) + 1;
	return true;
}

void
tt6_held_continue(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct tt6_held *held = &((struct tt6_writer *)writing->state)->held;
	if (!continues(held, batch, row) || context_key(batch, row) != held->context)
		release(writing, false);
}

void
tt6_held_pass(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct tt6_held *held = &((struct tt6_writer *)writing->state)->held;
	const bool is_next = continues(held, batch, row);
	held->next = poly_batch_number(batch, row) + 1;
	/* Between threads, escapes wait for their own instruction alone. */
	release(writing, is_next && !held->context);
}

bool
tt6_lacks_word(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct tt6_writer *writer = writing->state;
	return writer->source_is_tt6 && !writer->extended &&
	       poly_present(batch, POLY_COLUMN_address, row) &&
	       powerpc_class_fast((uint32_t)batch->opcode[row]) == POWERPC_CACHE;
}

/* Returns whether a row may have a column that escapes fill: one of its 64 neighbours has. */
static bool
may_have_columns(const struct poly_batch *batch, size_t row)
{
	static const enum poly_column columns[] = {
		POLY_COLUMN_real_target, POLY_COLUMN_real_address, POLY_COLUMN_real_pc};
	uint64_t any = 0;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		const uint64_t *bits = batch->present[columns[i]];
		any |= bits ? bits[row / 64] : 0;
	}
	return any;
}

void
tt6_held_clear(struct tt6_held *held)
{
	buf_clear(&held->words);
	buf_clear(&held->others);
	memset(held->has, 0, sizeof held->has);
	memset(held->has_value, 0, sizeof held->has_value);
	held->is_empty = true;
}

void
tt6_held_settle(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct tt6_held *held = &((struct tt6_writer *)writing->state)->held;
	if (held->is_empty && !may_have_columns(batch, row) &&
		!tt6_lacks_word(writing, batch, row))
		return;
	release(writing, is_own(held, batch, row));
	if (tt6_lacks_word(writing, batch, row) && !held->has[TT6_CODE_DATA_ADDRESS])
		tt6_put_escape(writing, TT6_CODE_DATA_ADDRESS, batch->address[row]);
	for (unsigned code = 0; code <= TT6_CODE_LAST_CONTEXT; code++) {
		const enum poly_column column = bound_columns[code];
		if (column != POLY_COLUMN_NONE && !held->has[code] &&
			poly_present(batch, column, row))
			tt6_put_escape(writing, code, poly_batch_integer(batch, column, row));
	}
	tt6_held_clear(held);
}

void
tt6_held_finish(struct writing *writing)
{
	release(writing, true);
}

void
tt6_pair_open(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct tt6_pair *pair = &((struct tt6_writer *)writing->state)->pair;
	*pair = (struct tt6_pair){.next = poly_batch_number(batch, row) + 1,
		.last = pair->last,
		.pc = (uint32_t)batch->pc[row]};
}

/* Writes what the open pair lacks. */
static void
complete_pair(struct writing *writing)
{
	struct tt6_pair *pair = &((struct tt6_writer *)writing->state)->pair;
	const uint32_t words[] = {TT6_BRANCH_SYNTHETIC, TT6_TRAP, TT6_RFI, pair->pc + 4};
	const unsigned first = pair->written ? 2 : 0;
	tt6_put_words(writing, words + first, 4 - first);
	tt6_expect(writing, pair->pc + 4);
}

bool
tt6_pair_pass(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct tt6_writer *writer = writing->state;
	struct tt6_pair *pair = &writer->pair;
	const uint64_t number = poly_batch_number(batch, row);
	/* Only selections omit rows between written ones. */
	const bool follows = batch->picked ? pair->last + 1 == number : writer->started;
	const bool is_synthetic =
		poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row];
	const bool is_next = pair->next == number;
	bool drops = false;
	if (pair->next && is_next && is_synthetic) {
		pair->written++;
		pair->next = pair->written == 2 ? 0 : number + 1;
	} else {
		/* A twi of the source that has no pair is written without one. */
		if (pair->next && !is_next)
			complete_pair(writing);
		pair->next = 0;
		drops = is_synthetic && (!follows || pair->drops);
	}
	if (!pair->next)
		pair->pc = pair->written = 0;
	pair->drops = drops;
	pair->last = number;
	if (drops)
		writing_note(
			writing, "synthetic instructions dropped whose twi is not selected");
	return drops;
}
