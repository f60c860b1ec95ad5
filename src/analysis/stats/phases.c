/* SPDX-License-Identifier: MIT */
/* Phases: which stretches of the execution are alike, and which ones stand for them. */
#include "analysis/stats/phases.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_INTERVAL, OPTION_MAX, OPTION_SEEDS, OPTION_SIMILARITY, OPTION_VECTORS };

static enum poly_status
phases_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct phases *phases = state;
	(void)error;
	phases->adapts = setup->values[OPTION_INTERVAL] == 0;
	phases->length = phases->adapts ? PHASES_LEAST : setup->values[OPTION_INTERVAL];
	phases->most = setup->values[OPTION_MAX];
	phases->seeds = setup->values[OPTION_SEEDS];
	phases->similarity = setup->values[OPTION_SIMILARITY];
	phases->keeps_vectors = setup->values[OPTION_VECTORS];
	return POLY_OK;
}

/* Forgets what the open interval has counted. */
static void
clear_open(struct phases *phases)
{
	for (uint32_t i = 0; i < phases->touched_count; i++)
		phases->list[phases->touched[i]].count = 0;
	phases->touched_count = 0;
	phases->open = 0;
}

/* An interval that the end of a trace, or rows that are left out, cut short is none. */
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

/* Makes room for a block; false: no memory. */
static bool
grow_blocks(struct phases *phases)
{
	if (phases->count < phases->capacity)
		return true;
	const uint32_t capacity = phases->capacity ? 2 * phases->capacity : 256;
	struct phases_block *list = mem_resize(phases->list, capacity, sizeof *list);
	if (list)
		phases->list = list;
	uint32_t *touched =
		list ? mem_resize(phases->touched, capacity, sizeof *touched) : NULL;
	if (!touched)
		return false;
	phases->touched = touched;
	phases->capacity = capacity;
	return true;
}

/* The number of the block at pc; blocks beyond the most are the last one. */
static bool
find_block(struct phases *phases, uint64_t pc, uint32_t *number)
{
	uint32_t *recent = &phases->recent[(pc ^ pc >> 12) % PHASES_RECENT];
	bool added;
	*number = *recent - 1;
	if (*recent && phases->list[*number].pc == pc)
		return true;
	const uint64_t *known = map_find(&phases->numbers, pc);
	if (!known && phases->count == PHASES_BLOCKS) {
		*number = PHASES_BLOCKS - 1;
		phases->unnumbered++;
		return true;
	}
	if (!known) {
		uint64_t state = pc;
		if (!grow_blocks(phases))
			return false;
		known = map_get(&phases->numbers, pc, phases->count, &added);
		if (!known)
			return false;
		struct phases_block *block = &phases->list[phases->count++];
		*block = (struct phases_block){.pc = pc};
		for (size_t i = 0; i < CLUSTER_DIMENSIONS; i++)
			block->projection[i] = (int16_t)(cluster_random(&state) >> 48);
	}
	*number = (uint32_t)*known;
	*recent = *number + 1;
	return true;
}

static int
by_number(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return a < b ? -1 : a > b;
}

/* Keeps the counts of the open interval in the order of blocks; false: no memory. */
static bool
keep_counts(struct phases *phases)
{
	if (phases->counts_full ||
		phases->counts_used + phases->touched_count > PHASES_COUNTS) {
		phases->counts_full = true;
		return true;
	}
	if (phases->counts_used + phases->touched_count > phases->counts_capacity) {
		size_t capacity = 2 * phases->counts_capacity;
		if (capacity < phases->counts_used + phases->touched_count)
			capacity = phases->counts_used + phases->touched_count;
		struct phases_count *counts =
			mem_resize(phases->counts, capacity, sizeof *counts);
		if (!counts)
			return false;
		phases->counts = counts;
		phases->counts_capacity = capacity;
	}
	qsort(phases->touched, phases->touched_count, sizeof *phases->touched, by_number);
	for (uint32_t i = 0; i < phases->touched_count; i++)
		phases->counts[phases->counts_used++] = (struct phases_count){
			phases->touched[i], phases->list[phases->touched[i]].count};
	return true;
}

/* Counts instructions of a block in the open interval. */
static inline void
count_block(struct phases *phases, uint32_t number, uint64_t count)
{
	struct phases_block *block = &phases->list[number];
	if (!block->count)
		phases->touched[phases->touched_count++] = number;
	block->count += count;
}

/* The counts of two neighbouring intervals as those of one, moved to the front. */
static bool
join_counts(struct phases *phases, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		count_block(phases, phases->counts[i].block, phases->counts[i].count);
	const bool ok = keep_counts(phases);
	clear_open(phases);
	return ok;
}

/* Makes intervals twice as long; their number is even. */
static bool
double_intervals(struct phases *phases)
{
	size_t from = 0;
	bool ok = true;
	phases->counts_used = 0;
	for (uint32_t i = 0; ok && i < phases->interval_count; i += 2) {
		struct phases_interval *one = &phases->intervals[i / 2];
		const struct phases_interval *two = &phases->intervals[i + 1];
		const size_t to = two->end;
		*one = phases->intervals[i];
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			one->sum[j] += two->sum[j];
		if (phases->keeps_vectors && !phases->counts_full)
			ok = join_counts(phases, from, to);
		one->end = phases->counts_used;
		from = to;
	}
	phases->interval_count /= 2;
	phases->length *= 2;
	return ok;
}

/* Ends the open interval; false: no memory. */
static bool
close_interval(struct phases *phases)
{
	if (phases->interval_count == phases->interval_capacity) {
		const uint32_t capacity =
			phases->interval_capacity ? 2 * phases->interval_capacity : 64;
		struct phases_interval *list =
			mem_resize(phases->intervals, capacity, sizeof *list);
		if (!list)
			return false;
		phases->intervals = list;
		phases->interval_capacity = capacity;
	}
	struct phases_interval *interval = &phases->intervals[phases->interval_count];
	memset(interval, 0, sizeof *interval);
	for (uint32_t i = 0; i < phases->touched_count; i++) {
		const struct phases_block *block = &phases->list[phases->touched[i]];
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			interval->sum[j] += (int64_t)block->count * block->projection[j];
	}
	if (phases->keeps_vectors && !keep_counts(phases))
		return false;
	interval->end = phases->counts_used;
	phases->interval_count++;
	clear_open(phases);
	if (!phases->adapts || phases->interval_count < PHASES_ADAPTED)
		return true;
	return double_intervals(phases);
}

/* Counts instructions of a block, or of none, in as many intervals as they take. */
static bool
count_instructions(struct phases *phases, uint32_t block, uint64_t count)
{
	bool ok = true;
	phases->instructions += count;
	while (ok && count) {
		const uint64_t left = phases->length - phases->open;
		const uint64_t some = count < left ? count : left;
		if (phases->interval_count == PHASES_INTERVALS) {
			phases->beyond += count;
			break;
		}
		if (block != PHASES_NONE)
			count_block(phases, block, some);
		phases->open += some;
		count -= some;
		if (some == left)
			ok = close_interval(phases);
	}
	return ok;
}

/* Takes a fragment of a block; false: no memory. */
static bool
take_fragment(void *user, const struct block_fragment *fragment, bool begins)
{
	struct phases *phases = user;
	uint32_t *block = &phases->block_of[fragment->context];
	if (begins && !find_block(phases, fragment->pc, block))
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
	return basic_blocks_update(&phases->blocks, rows, take_fragment, phases);
}

static bool
phases_update_weighted(void *state, const struct analysis_rows *rows)
{
	struct phases *phases = state;
	return basic_blocks_update_weighted(&phases->blocks, rows, take_fragment, phases);
}

static void
phases_fini(void *state)
{
	struct phases *phases = state;
	basic_blocks_fini(&phases->blocks);
	map_free(&phases->numbers);
	mem_free(phases->list);
	mem_free(phases->touched);
	mem_free(phases->intervals);
	mem_free(phases->counts);
}

static const struct poly_option options[] = {
	[OPTION_INTERVAL] = {"phases.interval", POLY_OPTION_NUMBER, POLY_OPTION_READ, 0, 0,
		1000000000000, NULL, "instructions of an interval; 0: as the trace is long",
		NULL},
	[OPTION_MAX] = {"phases.max", POLY_OPTION_NUMBER, POLY_OPTION_READ, 10, 1, CLUSTER_MAX,
		NULL, "most phases", NULL},
	[OPTION_SEEDS] = {"phases.seeds", POLY_OPTION_NUMBER, POLY_OPTION_READ, 5, 1, 100, NULL,
		"beginnings that are tried for each number of phases", NULL},
	[OPTION_SIMILARITY] = {"phases.similarity", POLY_OPTION_NUMBER, POLY_OPTION_READ, 16, 0,
		64, NULL, "rows and columns of the table of distances", NULL},
	[OPTION_VECTORS] = {"phases.vectors", POLY_OPTION_BOOL, POLY_OPTION_READ, 0, 0, 1, NULL,
		"keep the vectors, to be written to a file", NULL},
	{0},
};

/* No merge: intervals are counted from the first instruction on. */
const struct analysis analysis_phases = {
	.info = {.name = "phases",
		.title = "Phases",
		.summary = "which stretches of the execution are alike, and which ones stand "
			   "for them",
		.needs = POLY_HAS(kind) | POLY_HAS(pc),
		.wants = BASIC_BLOCK_COLUMNS,
		.options = options},
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct phases),
	.init = phases_init,
	.begin = phases_begin,
	.update = phases_update,
	.update_weighted = phases_update_weighted,
	.report = phases_report,
	.fini = phases_fini,
};
