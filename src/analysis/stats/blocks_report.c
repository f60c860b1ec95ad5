/* SPDX-License-Identifier: MIT */
/* What is told of blocks and loops. */
#include "analysis/stats/blocks.h"

#include "analysis/top_n.h"
#include "base/mem.h"

#include <string.h>

static void
report_sizes(const struct block_profile *it, struct poly_report *report)
{
	uint64_t sizes[BLOCKS_LONG + 1];
	memcpy(sizes, it->sizes, sizeof sizes);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		const uint64_t open = it->walkers[i].block;
		sizes[open < BLOCKS_LONG ? open : BLOCKS_LONG] += open != 0;
	}
	top_n_distribution(report, "sizes", "instructions", sizes, BLOCKS_LONG + 1);
}

static void
report_blocks(const struct block_profile *it, const struct static_ops *ops,
	uint64_t instructions, struct poly_report *report)
{
	struct ranked *ranks = mem_new((size_t)it->capacity + 1, sizeof *ranks);
	size_t n = 0;
	for (size_t i = 0; ranks && i < it->capacity; i++) {
		if (it->counts[i].executions)
			ranks[n++] = (struct ranked){it->counts[i].instructions, i};
	}
	top_n_sort(ranks, n);
	poly_report_table(report, "hottest");
	top_n_site_columns(report);
	poly_report_column(report, "executions", true);
	top_n_columns(report);
	poly_report_column(report, "mean_size", true);
	for (size_t i = 0; i < n && i < it->top; i++) {
		const struct block_count *block = &it->counts[ranks[i].number];
		top_n_site_cells(report, ops, (uint32_t)ranks[i].number);
		poly_report_cell_count(report, block->executions);
		top_n_cells(report, block->instructions, instructions);
		poly_report_cell_real(
			report, (double)block->instructions / (double)block->executions, 2);
	}
	poly_report_end(report);
	mem_free(ranks);
}

/* How long loops ran, with those that were not left. */
static void
report_trips(const struct block_profile *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t trips[65], all = 0;
	memcpy(trips, it->trips, sizeof trips);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		for (size_t j = 0; j < it->walkers[i].open; j++)
			trips[64 - (unsigned)__builtin_clzll(
					   it->walkers[i].loops[j].iterations)]++;
	}
	for (size_t i = 0; i < 65; i++)
		all += trips[i];
	poly_report_table(report, "trips");
	poly_report_column(report, "from", true);
	top_n_columns(report);
	plot.kind = POLY_PLOT_HISTOGRAM;
	plot.x = "from";
	plot.y[0] = "percent";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (size_t i = 1; i < 65; i++) {
		if (!trips[i])
			continue;
		poly_report_cell_count(report, (uint64_t)1 << (i - 1));
		top_n_cells(report, trips[i], all);
	}
	poly_report_end(report);
}

/* Instructions that were executed in each loop up to now, with open ones; NULL: no memory. */
static uint64_t *
sum_inside(const struct block_profile *it)
{
	uint64_t *inside = mem_new((size_t)it->heads.count + 1, sizeof *inside);
	for (uint32_t i = 0; inside && i < it->heads.count; i++)
		inside[i] = it->loops[i].instructions;
	for (size_t i = 0; inside && i < ANALYSIS_CONTEXTS_MAX; i++) {
		const struct walker *walker = &it->walkers[i];
		for (size_t j = 0; j < walker->open; j++) {
			const struct open_loop *open = &walker->loops[j];
			if (open->loop != PAIR_INDEX_FULL)
				inside[open->loop] += walker->instructions - open->mark;
		}
	}
	return inside;
}

static void
report_loops(const struct block_profile *it, uint64_t instructions, struct poly_report *report)
{
	uint64_t *inside = sum_inside(it);
	struct ranked *ranks = mem_new((size_t)it->heads.count + 1, sizeof *ranks);
	const size_t n = inside && ranks ? it->heads.count : 0;
	for (uint32_t i = 0; i < n; i++)
		ranks[i] = (struct ranked){inside[i], i};
	top_n_sort(ranks, n);
	poly_report_table(report, "loops");
	poly_report_column(report, "head", false);
	poly_report_column(report, "latch", false);
	poly_report_column(report, "entries", true);
	poly_report_column(report, "iterations", true);
	poly_report_column(report, "mean_trip", true);
	poly_report_column(report, "longest", true);
	poly_report_column(report, "depth", true);
	top_n_columns(report);
	for (size_t i = 0; i < n && i < it->top; i++) {
		const struct loop *loop = &it->loops[ranks[i].number];
		poly_report_cell_address(report, it->heads.list[ranks[i].number].a, 8);
		poly_report_cell_address(report, loop->latch, 8);
		poly_report_cell_count(report, loop->entries);
		poly_report_cell_count(report, loop->iterations);
		poly_report_cell_real(
			report, (double)loop->iterations / (double)loop->entries, 2);
		poly_report_cell_count(report, loop->longest);
		poly_report_cell_count(report, loop->depth);
		top_n_cells(report, ranks[i].count, instructions);
	}
	poly_report_end(report);
	mem_free(ranks);
	mem_free(inside);
}

void
block_profile_report(
	const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct block_profile *it = state;
	uint64_t executions = 0, different = 0, instructions = 0, entries = 0, iterations = 0;
	for (size_t i = 0; i < it->capacity; i++) {
		executions += it->counts[i].executions;
		different += it->counts[i].executions != 0;
	}
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		instructions += it->walkers[i].instructions;
	for (uint32_t i = 0; i < it->heads.count; i++) {
		entries += it->loops[i].entries;
		iterations += it->loops[i].iterations;
	}
	poly_report_count(report, "instructions", instructions);
	poly_report_count(report, "blocks", executions);
	poly_report_count(report, "different_blocks", different);
	poly_report_real(report, "mean_size", (double)instructions / (double)executions, 4);
	poly_report_count(report, "different_loops", it->heads.count);
	poly_report_count(report, "loop_entries", entries);
	poly_report_count(report, "loop_iterations", iterations);
	poly_report_real(report, "mean_trip", (double)iterations / (double)entries, 2);
	if (it->deep)
		poly_report_count(report, "too_deep", it->deep);
	if (it->beyond)
		poly_report_count(report, "beyond", it->beyond);
	report_sizes(it, report);
	report_blocks(it, ops, instructions, report);
	report_trips(it, report);
	report_loops(it, instructions, report);
}
