/* SPDX-License-Identifier: MIT */
/* Finding where basic blocks begin. */
#include "analysis/block.h"

#include "base/bits.h"

#include <string.h>

void
blocks_begin(struct blocks *blocks)
{
	for (size_t i = 0; i < ANALYSIS_PARTIES; i++)
		blocks->cursors[i].is_open = false;
}

/* Whether a row is an instruction, or a micro-operation, behind which its block ends. */
static bool
ends(const struct analysis_rows *rows, size_t row)
{
	if (poly_present(rows->batch, POLY_COLUMN_branch, row))
		return true;
	return rows->op && rows->op[row] != OP_NONE &&
	       rows->ops->list[rows->op[row]].flow & OP_JUMPS;
}

/* Whether the instruction at pc stands behind the last one. */
static bool
goes_on(const struct block_cursor *last, uint64_t pc)
{
	const uint64_t distance = pc - last->pc;
	return last->is_open && (last->size ? distance == last->size : distance <= BLOCK_REACH);
}

static void
mark_instruction(struct block_cursor *last, const struct analysis_rows *rows, size_t row,
	struct block_marks *marks)
{
	const struct poly_batch *batch = rows->batch;
	bit_set(marks->instructions, row);
	if (!poly_present(batch, POLY_COLUMN_pc, row)) {
		last->is_open = false;
		return;
	}
	if (!goes_on(last, batch->pc[row]))
		bit_set(marks->begins, row);
	last->pc = batch->pc[row];
	last->size =
		poly_present(batch, POLY_COLUMN_opcode_size, row) ? batch->opcode_size[row] : 0;
	last->is_open = !ends(rows, row);
}

void
blocks_mark(struct blocks *blocks, const struct analysis_rows *rows, struct block_marks *marks)
{
	const struct poly_batch *batch = rows->batch;
	memset(marks, 0, sizeof *marks);
	for (size_t row = 0; row < batch->rows; row++) {
		struct block_cursor *last =
			&blocks->cursors[rows->party ? rows->party[row] : rows->only];
		if (block_is_instruction(batch, row))
			mark_instruction(last, rows, row, marks);
		else if (last->is_open && poly_present(batch, POLY_COLUMN_uop, row))
			last->is_open = !ends(rows, row);
	}
}
