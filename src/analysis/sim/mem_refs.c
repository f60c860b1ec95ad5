/* SPDX-License-Identifier: MIT */
/* Memory references, gathered from columns. */
#include "analysis/sim/mem_refs.h"

const char *const mem_refs_choices[] = {"data", "instructions", "all", "uops", NULL};

static void
add(struct mem_refs *refs, uint64_t address, uint32_t size, enum cache_kind kind)
{
	refs->pcs[refs->count] = address;
	refs->addresses[refs->count] = address;
	refs->sizes[refs->count] = size;
	refs->kinds[refs->count++] = (uint8_t)kind;
}

/* Returns whether a row is an executed instruction, or, if requested, a micro-operation. */
static bool
is_fetched(const struct poly_batch *batch, size_t row, bool uops)
{
	if (!poly_present(batch, POLY_COLUMN_kind, row) ||
		batch->kind[row] != POLY_KIND_INSTRUCTION ||
		(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]))
		return false;
	return uops || !poly_present(batch, POLY_COLUMN_uop_index, row) ||
	       batch->uop_index[row] == 1;
}

static void
add_fetch(struct mem_refs *refs, const struct poly_batch *batch, size_t row, bool uops)
{
	if (!poly_present(batch, POLY_COLUMN_pc, row) || !is_fetched(batch, row, uops))
		return;
	const bool sized = poly_present(batch, POLY_COLUMN_opcode_size, row);
	add(refs, batch->pc[row], sized ? batch->opcode_size[row] : 0, CACHE_FETCH);
}

static void
add_access(struct mem_refs *refs, const struct poly_batch *batch, size_t row,
	enum mem_refs_selection selection)
{
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row) ||
		batch->access[row] > POLY_ACCESS_FETCH)
		return;
	const bool fetch = batch->access[row] == POLY_ACCESS_FETCH;
	if (selection != MEM_REFS_ALL && fetch != (selection != MEM_REFS_DATA))
		return;
	const bool sized = poly_present(batch, POLY_COLUMN_size, row);
	const bool write = batch->access[row] == POLY_ACCESS_WRITE;
	add(refs, batch->address[row], sized ? batch->size[row] : 0,
		fetch	? CACHE_FETCH
		: write ? CACHE_WRITE
			: CACHE_READ);
}

void
mem_refs_gather(struct mem_refs *refs, const struct poly_batch *batch,
	enum mem_refs_selection selection)
{
	refs->count = 0;
	for (size_t row = 0; row < batch->rows; row++) {
		const size_t before = refs->count;
		if (selection != MEM_REFS_DATA)
			add_fetch(refs, batch, row, selection == MEM_REFS_UOPS);
		add_access(refs, batch, row, selection);
		for (size_t i = before; i < refs->count; i++) {
			refs->rows[i] = (uint16_t)row;
			if (poly_present(batch, POLY_COLUMN_pc, row))
				refs->pcs[i] = batch->pc[row];
		}
	}
}

void
report_instructions(struct poly_report *report, uint64_t instructions)
{
	if (instructions)
		poly_report_count(report, "instructions", instructions);
	else
		poly_report_text(report, "instructions", NULL);
}

void
report_mpki_cell(struct poly_report *report, uint64_t misses, uint64_t instructions)
{
	if (instructions)
		poly_report_cell_real(report, 1000 * (double)misses / (double)instructions, 3);
	else
		poly_report_cell_text(report, NULL);
}

void
report_miss_cells(
	struct poly_report *report, uint64_t misses, uint64_t accesses, uint64_t instructions)
{
	poly_report_cell_count(report, misses);
	poly_report_cell_ratio(report, (double)misses, (double)accesses, 3);
	report_mpki_cell(report, misses, instructions);
}

bool
has_mem_refs(const struct poly_trace_info *info)
{
	return POLY_HAS(info->columns, pc) ||
	       poly_columns_subset(POLY_COLUMNS(access, address), info->columns);
}
