/* SPDX-License-Identifier: MIT */
/* Converts rows to micro-operations. */
#include "analysis/facts/uops.h"

static int32_t
register_of(const struct poly_batch *batch, enum poly_column column, const uint8_t *numbers,
	size_t row)
{
	return poly_present(batch, column, row) ? numbers[row] : COURSE_NONE;
}

static uint64_t
number_of(const struct poly_batch *batch, enum poly_column column, const uint64_t *numbers,
	size_t row)
{
	return poly_present(batch, column, row) ? numbers[row] : 0;
}

static const char *
name_of(const struct poly_batch *batch, enum poly_column column, const uint32_t *numbers,
	size_t row)
{
	const char *name = NULL;
	if (poly_present(batch, column, row))
		name = poly_trace_name(batch->info, numbers[row]);
	return name ? name : "";
}

/* The three letters, fields 6 to 8. */
static void
set_letters(const struct poly_batch *batch, size_t row, struct course_uop *uop)
{
	uop->flags = uop->branch = uop->ldst = '-';
	if (poly_present(batch, POLY_COLUMN_flags, row) && batch->flags[row] != POLY_FLAGS_NONE)
		uop->flags = batch->flags[row] == POLY_FLAGS_READ ? 'R' : 'W';
	if (poly_present(batch, POLY_COLUMN_branch, row))
		uop->branch = batch->branch[row] == POLY_BRANCH_TAKEN ? 'T' : 'N';
	if (poly_present(batch, POLY_COLUMN_access, row))
		uop->ldst = batch->access[row] == POLY_ACCESS_READ ? 'L' : 'S';
}

bool
uop_of_row(const struct poly_batch *batch, size_t row, struct course_uop *uop)
{
	if (!poly_present(batch, POLY_COLUMN_kind, row) ||
		batch->kind[row] != POLY_KIND_INSTRUCTION)
		return false;
	uop->pc = number_of(batch, POLY_COLUMN_pc, batch->pc, row);
	uop->address = number_of(batch, POLY_COLUMN_address, batch->address, row);
	uop->fallthrough = number_of(batch, POLY_COLUMN_fallthrough, batch->fallthrough, row);
	uop->target = number_of(batch, POLY_COLUMN_target, batch->target, row);
	uop->immediate =
		poly_present(batch, POLY_COLUMN_immediate, row) ? batch->immediate[row] : 0;
	uop->uop = poly_present(batch, POLY_COLUMN_uop_index, row) ? batch->uop_index[row] : 0;
	uop->src1 = register_of(batch, POLY_COLUMN_src1, batch->src1, row);
	uop->src2 = register_of(batch, POLY_COLUMN_src2, batch->src2, row);
	uop->dest = register_of(batch, POLY_COLUMN_dest, batch->dest, row);
	uop->macro = name_of(batch, POLY_COLUMN_mnemonic, batch->mnemonic, row);
	uop->micro = name_of(batch, POLY_COLUMN_uop_name, batch->uop_name, row);
	set_letters(batch, row, uop);
	return true;
}
