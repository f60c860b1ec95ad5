/* SPDX-License-Identifier: MIT */
/* Counts the cycles of instructions, and reports them. */
#include "analysis/sim/pipeline/pipeline_stalls.h"

#include "analysis/facts/counters.h"
#include "analysis/facts/top_n.h"
#include "base/mem.h"
#include "base/vec.h"
#include "report/table.h"
#include "report/terms.h"
#include "report/tree.h"

#include <stdlib.h>

struct pipeline_stalls *
pipeline_stalls_new(uint64_t top)
{
	struct pipeline_stalls *stalls = mem_new(1, sizeof *stalls);
	if (!stalls)
		return NULL;
	stalls->top = top;
	if (dense_index_init(&stalls->dense, PIPELINE_STALLS_MAX, NULL) == POLY_OK)
		return stalls;
	mem_free(stalls);
	return NULL;
}

void
pipeline_stalls_free(struct pipeline_stalls *stalls)
{
	if (!stalls)
		return;
	dense_index_fini(&stalls->dense);
	mem_free(stalls->list);
	mem_free(stalls);
}

bool
pipeline_stalls_find(struct pipeline_stalls *stalls, const struct pipeline_buffer *buffer)
{
	if (stalls->full || stalls->failed)
		return false;
	const enum poly_status status = dense_index_find(
		&stalls->dense, buffer->op_pcs, buffer->count, stalls->ids, NULL);
	stalls->full = status == POLY_ERR_LIMIT;
	stalls->failed =
		status == POLY_ERR_MEMORY ||
		!VEC_RESERVE_ZEROED(stalls->list, stalls->capacity, stalls->dense.count);
	if (stalls->full || stalls->failed)
		return false;
	for (size_t i = 0; i < buffer->count; i++) {
		struct pipeline_stalled *instruction = &stalls->list[stalls->ids[i]];
		instruction->pc = buffer->op_pcs[i];
		instruction->site = buffer->sites[i];
	}
	return true;
}

void
pipeline_stalls_add(struct pipeline_stalls *stalls, const struct pipeline_stream *stream,
	size_t index, const struct pipeline_result *now)
{
	struct pipeline_stalled *own = &stalls->list[stalls->ids[index]];
	own->executions += stream->buffer.begins[index];
	for (unsigned part = 0; part < PIPELINE_PARTS; part++) {
		struct pipeline_stalled *at = own;
		if (part == PIPELINE_BRANCH && stream->has_mispredicted)
			at = &stalls->list[stream->mispredicted];
		at->parts[part] += now->parts[part] - stream->last.parts[part];
	}
}

/* Returns the cycles in which no micro-operation issued or committed. */
static uint64_t
stalled_cycles(const struct pipeline_stalled *instruction)
{
	uint64_t cycles = 0;
	for (unsigned part = PIPELINE_BUSY + 1; part < PIPELINE_PARTS; part++)
		cycles += instruction->parts[part];
	return cycles;
}

static const char *const columns[PIPELINE_PARTS] = {
	[PIPELINE_BUSY] = KEY("busy_cycles"),
	[PIPELINE_FETCH] = KEY("fetch_stalls"),
	[PIPELINE_BRANCH] = KEY("branch_stalls"),
	[PIPELINE_SQUASH] = KEY("squash_stalls"),
	[PIPELINE_ORDER] = KEY("order_stalls"),
	[PIPELINE_LOAD] = KEY("load_stalls"),
	[PIPELINE_MISS] = KEY("miss_stalls"),
	[PIPELINE_EXECUTE] = KEY("execute_stalls"),
};

static void
report_instruction(const struct pipeline_stalled *instruction, uint64_t total,
	const struct static_ops *ops, struct poly_report *report)
{
	const struct static_site *site =
		instruction->site < ops->site_count ? &ops->sites[instruction->site] : NULL;
	poly_report_cell_address(report, instruction->pc, 8);
	poly_report_cell_text(report, site ? static_op_at(ops, site->op)->mnemonic : NULL);
	poly_report_cell_count(report, instruction->executions);
	top_n_cells(report, stalled_cycles(instruction), total);
	for (unsigned part = 0; part < PIPELINE_PARTS; part++)
		poly_report_cell_count(report, instruction->parts[part]);
}

/* An instruction in the order of the report. */
struct ranked_stalls {
	uint64_t cycles, pc;
	uint32_t number;
};

static int
compare_ranked(const void *a, const void *b)
{
	const struct ranked_stalls *x = a, *y = b;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

void
pipeline_stalls_report(const struct pipeline_stalls *stalls, const struct static_ops *ops,
	struct poly_report *report)
{
	/* A buffer that exceeded the limit may have added addresses without counts. */
	const uint32_t count =
		stalls->dense.count < stalls->capacity ? stalls->dense.count : stalls->capacity;
	struct ranked_stalls *ranks = mem_new((size_t)count + 1, sizeof *ranks);
	uint64_t total = 0;
	if (!ranks) {
		tree_fail(report);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct pipeline_stalled *instruction = &stalls->list[i];
		ranks[i] =
			(struct ranked_stalls){stalled_cycles(instruction), instruction->pc, i};
		total += ranks[i].cycles;
	}
	qsort(ranks, count, sizeof *ranks, compare_ranked);
	poly_report_table(report, "stalls_by_pc");
	top_n_site_columns(report);
	table_columns(report, "executions stall_cycles share");
	for (unsigned part = 0; part < PIPELINE_PARTS; part++)
		poly_report_column(report, columns[part], true);
	for (uint32_t i = 0; i < count && i < stalls->top; i++) {
		if (stalls->list[ranks[i].number].executions || ranks[i].cycles)
			report_instruction(&stalls->list[ranks[i].number], total, ops, report);
	}
	poly_report_end(report);
	mem_free(ranks);
}
