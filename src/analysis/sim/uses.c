/* SPDX-License-Identifier: MIT */
/* Uses of memory, gathered from columns. */
#include "analysis/sim/uses.h"

const char *const uses_words[] = {"data", "instructions", "all", NULL};

static void
add(struct uses *uses, uint64_t address, uint32_t size, enum cache_kind kind)
{
	uses->pcs[uses->count] = address;
	uses->addresses[uses->count] = address;
	uses->sizes[uses->count] = size;
	uses->kinds[uses->count++] = (uint8_t)kind;
}

static void
add_fetch(struct uses *uses, const struct poly_batch *batch, size_t row)
{
	if (!poly_present(batch, POLY_COLUMN_pc, row) ||
		!poly_present(batch, POLY_COLUMN_kind, row) ||
		batch->kind[row] != POLY_KIND_INSTRUCTION)
		return;
	const bool sized = poly_present(batch, POLY_COLUMN_opcode_size, row);
	add(uses, batch->pc[row], sized ? batch->opcode_size[row] : 0, CACHE_FETCH);
}

static void
add_access(struct uses *uses, const struct poly_batch *batch, size_t row, enum uses_of of)
{
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row) ||
		batch->access[row] > POLY_ACCESS_FETCH)
		return;
	const bool fetch = batch->access[row] == POLY_ACCESS_FETCH;
	if (of != USES_ALL && fetch != (of == USES_INSTRUCTIONS))
		return;
	const bool sized = poly_present(batch, POLY_COLUMN_size, row);
	const bool write = batch->access[row] == POLY_ACCESS_WRITE;
	add(uses, batch->address[row], sized ? batch->size[row] : 0,
		fetch	? CACHE_FETCH
		: write ? CACHE_WRITE
			: CACHE_READ);
}

void
uses_find(struct uses *uses, const struct poly_batch *batch, enum uses_of of)
{
	uses->count = 0;
	for (size_t row = 0; row < batch->rows; row++) {
		const size_t before = uses->count;
		if (of != USES_DATA)
			add_fetch(uses, batch, row);
		add_access(uses, batch, row, of);
		for (size_t i = before; i < uses->count; i++) {
			uses->rows[i] = (uint16_t)row;
			if (poly_present(batch, POLY_COLUMN_pc, row))
				uses->pcs[i] = batch->pc[row];
		}
	}
}

void
uses_mpki_column(struct poly_report *report)
{
	poly_report_column(report, "mpki", true);
}

void
uses_mpki_cell(struct poly_report *report, uint64_t misses, uint64_t instructions)
{
	if (instructions)
		poly_report_cell_real(report, 1000 * (double)misses / (double)instructions, 3);
	else
		poly_report_cell_text(report, NULL);
}

bool
uses_suit(const struct poly_trace_info *info)
{
	return (info->columns & POLY_HAS(pc)) ||
	       !(~info->columns & (POLY_HAS(access) | POLY_HAS(address)));
}
