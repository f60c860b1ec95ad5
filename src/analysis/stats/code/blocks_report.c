/* SPDX-License-Identifier: MIT */
/* The report of blocks and loops. */
#include "analysis/stats/code/blocks.h"

#include "analysis/facts/top_n.h"
#include "base/mem.h"
#include "report/table.h"

#include <string.h>

static void
report_lengths(const struct block_profile *profile, struct poly_report *report)
{
	uint64_t lengths[BLOCKS_LENGTH_MAX + 1];
	memcpy(lengths, profile->lengths, sizeof lengths);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		const uint64_t open = profile->walkers[i].block;
		lengths[open < BLOCKS_LENGTH_MAX ? open : BLOCKS_LENGTH_MAX] += open != 0;
	}
	top_n_distribution(
		report, "block_lengths", "block_length", lengths, BLOCKS_LENGTH_MAX + 1);
}

static void
report_blocks(const struct block_profile *profile, const struct static_ops *ops,
	uint64_t instructions, struct poly_report *report)
{
	struct ranked *ranks = mem_new((size_t)profile->capacity + 1, sizeof *ranks);
	size_t n = 0;
	for (size_t i = 0; ranks && i < profile->capacity; i++) {
		if (profile->counts[i].executions)
			ranks[n++] = (struct ranked){profile->counts[i].instructions, i};
	}
	top_n_sort(ranks, n);
	poly_report_table(report, "hottest_blocks");
	top_n_site_columns(report);
	table_columns(report, "executions instructions share block_length_mean");
	for (size_t i = 0; i < n && i < profile->top; i++) {
		const struct block_count *block = &profile->counts[ranks[i].number];
		top_n_site_cells(report, ops, (uint32_t)ranks[i].number);
		poly_report_cell_count(report, block->executions);
		top_n_cells(report, block->instructions, instructions);
		poly_report_cell_real(
			report, (double)block->instructions / (double)block->executions, 2);
	}
	poly_report_end(report);
	mem_free(ranks);
}

/* Reports executions of loops by their iterations, with those of open loops. */
static void
report_trips(const struct block_profile *profile, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t trips[65], all = 0;
	memcpy(trips, profile->trips, sizeof trips);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		for (size_t j = 0; j < profile->walkers[i].open; j++)
			trips[64 - (unsigned)__builtin_clzll(
					   profile->walkers[i].loops[j].iterations)]++;
	}
	for (size_t i = 0; i < 65; i++)
		all += trips[i];
	table_open(report, "trip_counts", "trip_count");
	top_n_columns(report);
	plot.kind = POLY_PLOT_HISTOGRAM;
	plot.x = "trip_count";
	plot.y[0] = "share";
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

/* Returns the instructions executed in each loop, with open ones; NULL: out of memory. */
static uint64_t *
sum_instructions(const struct block_profile *profile)
{
	uint64_t *executed = mem_new((size_t)profile->heads.count + 1, sizeof *executed);
	for (uint32_t i = 0; executed && i < profile->heads.count; i++)
		executed[i] = profile->loops[i].instructions;
	for (size_t i = 0; executed && i < ANALYSIS_CONTEXTS_MAX; i++) {
		const struct walker *walker = &profile->walkers[i];
		for (size_t j = 0; j < walker->open; j++) {
			const struct open_loop *open = &walker->loops[j];
			if (open->loop != PAIR_INDEX_FULL)
				executed[open->loop] += walker->instructions - open->counted;
		}
	}
	return executed;
}

static void
report_loops(
	const struct block_profile *profile, uint64_t instructions, struct poly_report *report)
{
	uint64_t *executed = sum_instructions(profile);
	struct ranked *ranks = mem_new((size_t)profile->heads.count + 1, sizeof *ranks);
	const size_t n = executed && ranks ? profile->heads.count : 0;
	for (uint32_t i = 0; i < n; i++)
		ranks[i] = (struct ranked){executed[i], i};
	top_n_sort(ranks, n);
	table_open(report, "hottest_loops",
		"head_pc:text latch_pc:text entries iterations trip_count_mean trip_count_max "
		"loop_depth instructions share");
	for (size_t i = 0; i < n && i < profile->top; i++) {
		const struct loop *loop = &profile->loops[ranks[i].number];
		poly_report_cell_address(report, profile->heads.list[ranks[i].number].a, 8);
		poly_report_cell_address(report, loop->latch, 8);
		poly_report_cell_count(report, loop->entries);
		poly_report_cell_count(report, loop->iterations);
		poly_report_cell_real(
			report, (double)loop->iterations / (double)loop->entries, 2);
		poly_report_cell_count(report, loop->max_iterations);
		poly_report_cell_count(report, loop->depth);
		top_n_cells(report, ranks[i].count, instructions);
	}
	poly_report_end(report);
	mem_free(ranks);
	mem_free(executed);
}

void
block_profile_report(
	const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct block_profile *profile = state;
	uint64_t executions = 0, unique = 0, instructions = 0, entries = 0, iterations = 0;
	for (size_t i = 0; i < profile->capacity; i++) {
		executions += profile->counts[i].executions;
		unique += profile->counts[i].executions != 0;
	}
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		instructions += profile->walkers[i].instructions;
	for (uint32_t i = 0; i < profile->heads.count; i++) {
		entries += profile->loops[i].entries;
		iterations += profile->loops[i].iterations;
	}
	poly_report_count(report, "instructions", instructions);
	poly_report_count(report, "block_executions", executions);
	poly_report_count(report, "unique_blocks", unique);
	poly_report_real(
		report, "block_length_mean", (double)instructions / (double)executions, 4);
	poly_report_count(report, "unique_loops", profile->heads.count);
	poly_report_count(report, "loop_entries", entries);
	poly_report_count(report, "loop_iterations", iterations);
	poly_report_real(report, "trip_count_mean", (double)iterations / (double)entries, 2);
	if (profile->untracked_nested)
		poly_report_count(report, "untracked_nested_loops", profile->untracked_nested);
	if (profile->untracked_loops)
		poly_report_count(report, "untracked_loops", profile->untracked_loops);
	report_lengths(profile, report);
	report_blocks(profile, ops, instructions, report);
	report_trips(profile, report);
	report_loops(profile, instructions, report);
}
