/* SPDX-License-Identifier: MIT */
/* Phases: clusters of similar intervals of the execution and their representatives. */
#include "analysis/stats/code/phases.h"

#include "base/mem.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_INTERVAL, OPTION_MAX, OPTION_SEEDS, OPTION_SIMILARITY, OPTION_VECTORS };

static enum poly_status
phases_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct phases *phases = state;
	(void)error;
	phases->is_adaptive = setup->values[OPTION_INTERVAL] == 0;
	phases->length =
		phases->is_adaptive ? PHASES_LENGTH_MIN : setup->values[OPTION_INTERVAL];
	phases->max_phases = setup->values[OPTION_MAX];
	phases->seeds = setup->values[OPTION_SEEDS];
	phases->similarity = setup->values[OPTION_SIMILARITY];
	phases->has_vectors = setup->values[OPTION_VECTORS];
	return POLY_OK;
}

/* Clears the counts of the open interval. */
static void
clear_open(struct phases *phases)
{
	for (uint32_t i = 0; i < phases->touched_count; i++)
		phases->list[phases->touched[i]].count = 0;
	phases->touched_count = 0;
	phases->open = 0;
}

/* Discards the open interval at the end of a trace and at skipped rows. */
static void
phases_begin(void *state, const struct poly_trace_info *info)
{
	struct phases *phases = state;
	(void)info;
	basic_blocks_begin(&phases->blocks);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		phases->block_of[i] = PHASES_NONE;
	clear_open(phases);
}

/* Allocates a block; false: out of memory. */
static bool
reserve_block(struct phases *phases)
{
	uint32_t room[2] = {phases->capacity, phases->capacity};
	if (!VEC_ROOM(phases->list, room[0], phases->count) ||
		!VEC_ROOM(phases->touched, room[1], phases->count))
		return false;
	phases->capacity = room[0];
	return true;
}

/* Finds or adds the block at pc; blocks that exceed the table count as the last one. */
static bool
get_block(struct phases *phases, uint64_t pc, uint32_t *index)
{
	uint32_t *recent = &phases->recent[(pc ^ pc >> 12) % PHASES_RECENT];
	bool added;
	*index = *recent - 1;
	if (*recent && phases->list[*index].pc == pc)
		return true;
	const uint64_t *known = map_find(&phases->indices, pc);
	if (!known && phases->count == PHASES_BLOCKS_MAX) {
		*index = PHASES_BLOCKS_MAX - 1;
		phases->untracked_blocks++;
		return true;
	}
	if (!known) {
		uint64_t state = pc;
		if (!reserve_block(phases))
			return false;
		known = map_get(&phases->indices, pc, phases->count, &added);
		if (!known)
			return false;
		struct phases_block *block = &phases->list[phases->count++];
		*block = (struct phases_block){.pc = pc};
		for (size_t i = 0; i < CLUSTER_DIMENSIONS; i++)
			block->projection[i] = (int16_t)(cluster_random(&state) >> 48);
	}
	*index = (uint32_t)*known;
	*recent = *index + 1;
	return true;
}

static int
by_index(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return a < b ? -1 : a > b;
}

/* Stores the counts of the open interval in the order of blocks; false: out of memory. */
static bool
store_counts(struct phases *phases)
{
	if (phases->counts_full ||
		phases->counts_used + phases->touched_count > PHASES_COUNTS_MAX) {
		phases->counts_full = true;
		return true;
	}
	if (!VEC_RESERVE(phases->counts, phases->counts_capacity,
		    phases->counts_used + phases->touched_count))
		return false;
	qsort(phases->touched, phases->touched_count, sizeof *phases->touched, by_index);
	for (uint32_t i = 0; i < phases->touched_count; i++)
		phases->counts[phases->counts_used++] = (struct phases_count){
			phases->touched[i], phases->list[phases->touched[i]].count};
	return true;
}

/* Counts instructions of a block in the open interval. */
static inline void
count_block(struct phases *phases, uint32_t index, uint64_t count)
{
	struct phases_block *block = &phases->list[index];
	if (!block->count)
		phases->touched[phases->touched_count++] = index;
	block->count += count;
}

/* Merges the counts of two adjacent intervals and moves them to the front. */
static bool
merge_counts(struct phases *phases, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		count_block(phases, phases->counts[i].block, phases->counts[i].count);
	const bool ok = store_counts(phases);
	clear_open(phases);
	return ok;
}

/* Doubles the length of intervals, whose number is even. */
static bool
double_intervals(struct phases *phases)
{
	size_t begin = 0;
	bool ok = true;
	phases->counts_used = 0;
	for (uint32_t i = 0; ok && i < phases->interval_count; i += 2) {
		struct phases_interval *merged = &phases->intervals[i / 2];
		const struct phases_interval *second = &phases->intervals[i + 1];
		const size_t end = second->end;
		*merged = phases->intervals[i];
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			merged->sum[j] += second->sum[j];
		if (phases->has_vectors && !phases->counts_full)
			ok = merge_counts(phases, begin, end);
		merged->end = phases->counts_used;
		begin = end;
	}
	phases->interval_count /= 2;
	phases->length *= 2;
	return ok;
}

/* Ends the open interval; false: out of memory. */
static bool
close_interval(struct phases *phases)
{
	if (!VEC_ROOM(phases->intervals, phases->interval_capacity, phases->interval_count))
		return false;
	struct phases_interval *interval = &phases->intervals[phases->interval_count];
	memset(interval, 0, sizeof *interval);
	for (uint32_t i = 0; i < phases->touched_count; i++) {
		const struct phases_block *block = &phases->list[phases->touched[i]];
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			interval->sum[j] += (int64_t)block->count * block->projection[j];
	}
	if (phases->has_vectors && !store_counts(phases))
		return false;
	interval->end = phases->counts_used;
	phases->interval_count++;
	clear_open(phases);
	if (!phases->is_adaptive || phases->interval_count < PHASES_ADAPTIVE_MAX)
		return true;
	return double_intervals(phases);
}

/* Counts instructions of a block, or of none, over one or several intervals. */
static bool
count_instructions(struct phases *phases, uint32_t block, uint64_t count)
{
	bool ok = true;
	phases->instructions += count;
	while (ok && count) {
		const uint64_t left = phases->length - phases->open;
		const uint64_t n = count < left ? count : left;
		if (phases->interval_count == PHASES_INTERVALS_MAX) {
			phases->untracked += count;
			break;
		}
		if (block != PHASES_NONE)
			count_block(phases, block, n);
		phases->open += n;
		count -= n;
		if (n == left)
			ok = close_interval(phases);
	}
	return ok;
}

/* Counts a fragment of a block; false: out of memory. */
static bool
count_fragment(void *user, const struct block_fragment *fragment, bool begins)
{
	struct phases *phases = user;
	uint32_t *block = &phases->block_of[fragment->context];
	if (begins && !get_block(phases, fragment->pc, block))
		return false;
	if (fragment->count && !fragment->has_pc)
		*block = PHASES_NONE;
	return count_instructions(phases, *block, fragment->count);
}

static bool
phases_update(void *state, const struct analysis_rows *rows)
{
	struct phases *phases = state;
	if (!rows->counts) {
		phases_begin(state, rows->batch->info);
		return true;
	}
	return basic_blocks_update(&phases->blocks, rows, count_fragment, phases);
}

static bool
phases_update_weighted(void *state, const struct analysis_rows *rows)
{
	struct phases *phases = state;
	return basic_blocks_update_weighted(&phases->blocks, rows, count_fragment, phases);
}

static void
phases_fini(void *state)
{
	struct phases *phases = state;
	basic_blocks_fini(&phases->blocks);
	map_free(&phases->indices);
	mem_free(phases->list);
	mem_free(phases->touched);
	mem_free(phases->intervals);
	mem_free(phases->counts);
}

static const struct poly_option options[] = {
	[OPTION_INTERVAL] = {"phases.interval", POLY_OPTION_NUMBER, .maximum = 1000000000000,
		.help = "set the interval length in instructions (0: adapt to the trace)"},
	[OPTION_MAX] = {"phases.max", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1,
		.maximum = CLUSTER_MAX, .help = "find at most N phases"},
	[OPTION_SEEDS] = {"phases.seeds", POLY_OPTION_NUMBER, .initial = 5, .minimum = 1,
		.maximum = 100, .help = "run k-means from N seeds for each number of phases"},
	[OPTION_SIMILARITY] = {"phases.similarity", POLY_OPTION_NUMBER, .initial = 16,
		.maximum = 64,
		.help = "set the rows and columns of the similarity matrix (0: none)"},
	[OPTION_VECTORS] = {"phases.vectors", POLY_OPTION_BOOL,
		.help = "store the basic-block vectors, which can then be written to a file"},
	{0},
};

/*
 * The files of SimPoint 3 (G. Hamerly, E. Perelman, J. Lau, B. Calder, SimPoint 3.0: Faster and
 * More Flexible Program Phase Analysis, JILP 7, 2005).
 */
static const struct poly_analysis_output outputs[] = {
	[PHASES_VECTORS] = {"vectors",
		"basic-block vectors, one line per interval: T, and :BLOCK:COUNT for each "
		"block, "
		"numbered from 1 by first appearance; COUNT is in instructions; requires "
		"phases.vectors=1"},
	[PHASES_SIMPOINTS] = {"simpoints",
		"one line per phase: its representative interval and its number, both from 0"},
	[PHASES_WEIGHTS] = {"weights", "one line per phase: its share of the intervals, of sum "
				       "1, and its number from 0"},
	{0},
};

/* No merge: intervals are counted from the first instruction. */
const struct analysis analysis_phases = {
	.info = {.name = "phases",
		.title = "Phases",
		.summary = "phases of the execution, found by clustering basic-block vectors, "
			   "and their representative intervals",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(BASIC_BLOCK_COLUMNS),
		.options = options,
		.outputs = outputs},
	.ordered = ORDERED_HISTORY,
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct phases),
	.init = phases_init,
	.begin = phases_begin,
	.update = phases_update,
	.update_weighted = phases_update_weighted,
	.report = phases_report,
	.write = phases_write,
	.fini = phases_fini,
};
