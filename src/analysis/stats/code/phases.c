/* SPDX-License-Identifier: MIT */
/* Phases: clusters of similar intervals of the execution and their representatives. */
#include "analysis/stats/code/phases.h"

#include "analysis/facts/archive.h"
#include "base/err.h"
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
	phases->blocks.logs_parts = true;
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		phases->block_of[i] = PHASES_NONE;
	return POLY_OK;
}

/* Clears the counts of the touched blocks. */
static void
clear_touched(struct phases *phases)
{
	for (uint32_t i = 0; i < phases->touched_count; i++)
		phases->list[phases->touched[i]].count = 0;
	phases->touched_count = 0;
}

/* Clears the open interval. */
static void
clear_open(struct phases *phases)
{
	clear_touched(phases);
	memset(phases->open_sum, 0, sizeof phases->open_sum);
	phases->open = 0;
}

/* Discards the open interval at the end of a trace and at skipped rows. */
static void
end_trace(struct phases *phases)
{
	basic_blocks_begin(&phases->blocks);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		phases->block_of[i] = PHASES_NONE;
	clear_open(phases);
	phases->number = 0;
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

/* Counts stored counts in the open interval. */
static void
count_stored(struct phases *phases, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		count_block(phases, phases->counts[i].block, phases->counts[i].count);
}

/* Whether the counts of intervals are stored. */
static bool
stores_counts(const struct phases *phases)
{
	return phases->has_vectors && !phases->counts_full;
}

/* Saves the counts of the open interval while those of others are merged. */
static struct phases_count *
save_touched(struct phases *phases, uint32_t *count)
{
	struct phases_count *saved = mem_new((size_t)phases->touched_count + 1, sizeof *saved);
	*count = saved ? phases->touched_count : 0;
	for (uint32_t i = 0; i < *count; i++)
		saved[i] = (struct phases_count){
			phases->touched[i], phases->list[phases->touched[i]].count};
	if (saved)
		clear_touched(phases);
	return saved;
}

/* Makes an interval, the last one of its trace, the first half of the open one. */
static void
reopen(struct phases *phases, const struct phases_interval *interval, size_t begin)
{
	phases->open += phases->length;
	if (stores_counts(phases)) {
		count_stored(phases, begin, interval->end);
		return;
	}
	for (size_t i = 0; i < CLUSTER_DIMENSIONS; i++)
		phases->open_sum[i] += interval->sum[i];
}

/* Merges two intervals, whose counts are in an interval, and moves them to the front. */
static bool
merge_pair(struct phases *phases, uint32_t first, const size_t counts[2])
{
	struct phases_interval *merged = &phases->intervals[phases->interval_count];
	const struct phases_interval second = phases->intervals[first + 1];
	bool ok = true;
	*merged = phases->intervals[first];
	for (size_t i = 0; i < CLUSTER_DIMENSIONS; i++)
		merged->sum[i] += second.sum[i];
	merged->number /= 2;
	if (stores_counts(phases)) {
		count_stored(phases, counts[0], counts[1]);
		ok = store_counts(phases);
		clear_touched(phases);
	}
	merged->end = phases->counts_used;
	phases->interval_count++;
	return ok;
}

/*
 * Doubles the length of intervals: merges those of a trace in pairs. An interval without a pair
 * is dropped like an open one at the end of its trace; in the current trace, it becomes part of
 * the open one.
 */
static bool
double_intervals(struct phases *phases)
{
	const uint32_t count = phases->interval_count;
	uint32_t saved_count;
	struct phases_count *saved = save_touched(phases, &saved_count);
	size_t begin = 0;
	bool ok = saved != NULL;
	phases->interval_count = 0;
	phases->counts_used = 0;
	for (uint32_t i = 0, step; ok && i < count; i += step) {
		const struct phases_interval *interval = &phases->intervals[i];
		const bool pairs = i + 1 < count && interval[1].number == interval->number + 1;
		const size_t end = interval[pairs].end;
		step = pairs ? 2 : 1;
		if (pairs)
			ok = merge_pair(phases, i, (const size_t[]){begin, end});
		else if (phases->number == interval->number + 1 && i + 1 == count)
			reopen(phases, interval, begin);
		begin = end;
	}
	for (uint32_t i = 0; i < saved_count; i++)
		count_block(phases, saved[i].block, saved[i].count);
	mem_free(saved);
	phases->number /= 2;
	phases->length *= 2;
	return ok;
}

/* Doubles the length of intervals until there are few enough. */
static bool
limit_intervals(struct phases *phases)
{
	bool ok = true;
	while (ok && phases->is_adaptive && phases->interval_count >= PHASES_ADAPTIVE_MAX)
		ok = double_intervals(phases);
	return ok;
}

/* Ends the open interval; false: out of memory. */
static bool
close_interval(struct phases *phases)
{
	if (!VEC_ROOM(phases->intervals, phases->interval_capacity, phases->interval_count))
		return false;
	struct phases_interval *interval = &phases->intervals[phases->interval_count];
	memcpy(interval->sum, phases->open_sum, sizeof interval->sum);
	for (uint32_t i = 0; i < phases->touched_count; i++) {
		const struct phases_block *block = &phases->list[phases->touched[i]];
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			interval->sum[j] += (int64_t)block->count * block->projection[j];
	}
	if (phases->has_vectors && !store_counts(phases))
		return false;
	interval->end = phases->counts_used;
	interval->number = phases->number++;
	phases->interval_count++;
	clear_open(phases);
	return limit_intervals(phases);
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

static void
phases_begin(void *state, const struct poly_trace_info *info)
{
	struct phases *phases = state;
	(void)info;
	phases->failed |= !basic_blocks_pass_log(&phases->blocks, count_fragment, phases);
	end_trace(phases);
	basic_blocks_begin_trace(&phases->blocks);
}

static enum poly_status
phases_finish(void *state, struct poly_error *error)
{
	struct phases *phases = state;
	return basic_blocks_pass_log(&phases->blocks, count_fragment, phases)
		       ? POLY_OK
		       : err_memory(error);
}

static bool
phases_is_too_long(const void *state)
{
	return ((const struct phases *)state)->blocks.log.is_full;
}

static bool
phases_update(void *state, const struct analysis_rows *rows)
{
	struct phases *phases = state;
	if (!rows->counts) {
		const bool ok = basic_blocks_pass_log(&phases->blocks, count_fragment, phases);
		end_trace(phases);
		return ok;
	}
	return !phases->failed &&
	       basic_blocks_update(&phases->blocks, rows, count_fragment, phases);
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

/* Finds or adds the blocks of later rows; numbers gets their indices. */
static bool
merge_blocks(struct phases *into, const struct phases *from, uint32_t *numbers)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < from->count; i++)
		ok = get_block(into, from->list[i].pc, &numbers[i]);
	return ok;
}

/* Appends an interval, whose counts are those from begin on; false: out of memory. */
static bool
append_interval(struct phases *into, const struct phases *from, uint32_t number, size_t begin,
	const uint32_t *numbers)
{
	const struct phases_interval *interval = &from->intervals[number];
	if (into->interval_count == PHASES_INTERVALS_MAX) {
		into->untracked += into->length;
		return true;
	}
	if (!VEC_ROOM(into->intervals, into->interval_capacity, into->interval_count))
		return false;
	for (size_t i = begin; stores_counts(into) && i < interval->end; i++)
		count_block(into, numbers[from->counts[i].block], from->counts[i].count);
	const bool ok = !into->has_vectors || store_counts(into);
	clear_touched(into);
	into->intervals[into->interval_count] = *interval;
	into->intervals[into->interval_count++].end = into->counts_used;
	return ok;
}

/* Continues with the open interval and the blocks that contexts are in. */
static void
copy_open(struct phases *into, const struct phases *from, const uint32_t *numbers,
	const struct analysis_numbers *all)
{
	into->number = from->number;
	if (into->interval_count == PHASES_INTERVALS_MAX) {
		into->untracked += from->open;
	} else {
		for (uint32_t i = 0; i < from->touched_count; i++)
			count_block(into, numbers[from->touched[i]],
				from->list[from->touched[i]].count);
		memcpy(into->open_sum, from->open_sum, sizeof into->open_sum);
		into->open = from->open;
	}
	for (size_t i = 0; i < all->context_count; i++) {
		const uint32_t block = from->block_of[i];
		into->block_of[all->contexts[i]] =
			block == PHASES_NONE ? PHASES_NONE : numbers[block];
	}
}

/* Adds intervals of a trace that begins after the rows of into, and are not longer than those
 * of into. */
static bool
append_intervals(
	struct phases *into, const struct phases *from, const struct analysis_numbers *all)
{
	uint32_t *numbers = mem_new((size_t)from->count + 1, sizeof *numbers);
	bool ok = numbers && merge_blocks(into, from, numbers);
	into->counts_full |= from->counts_full;
	for (uint32_t i = 0; ok && i < from->interval_count; i++)
		ok = append_interval(
			into, from, i, i ? from->intervals[i - 1].end : 0, numbers);
	if (ok)
		copy_open(into, from, numbers, all);
	mem_free(numbers);
	return ok;
}

/* Copies a state so that its intervals can become longer; NULL: out of memory. */
static struct phases *
copy_phases(const struct phases *phases)
{
	const struct analysis_numbers same = {.context_count = 0};
	struct phases *copy = mem_new(1, sizeof *copy);
	if (!copy)
		return NULL;
	copy->is_adaptive = phases->is_adaptive;
	copy->has_vectors = phases->has_vectors;
	copy->length = phases->length;
	if (append_intervals(copy, phases, &same))
		return copy;
	phases_fini(copy);
	mem_free(copy);
	return NULL;
}

/* Adds a trace that begins after the rows of into: intervals of both get the same length. */
static bool
merge_trace(struct phases *into, const struct phases *from, const struct analysis_numbers *all)
{
	bool ok = true;
	while (ok && into->length < from->length)
		ok = double_intervals(into);
	struct phases *longer = ok && from->length < into->length ? copy_phases(from) : NULL;
	ok = ok && (longer || from->length == into->length);
	while (ok && longer && longer->length < into->length)
		ok = double_intervals(longer);
	for (size_t i = 0; longer && i < all->context_count; i++)
		longer->block_of[i] = from->block_of[i];
	ok = ok && append_intervals(into, longer ? longer : from, all);
	if (longer)
		phases_fini(longer);
	mem_free(longer);
	return ok && limit_intervals(into);
}

static bool
phases_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct phases *sum = into;
	const struct phases *phases = from;
	bool ok = true;
	if (!numbers->continues) {
		ok = basic_blocks_pass_log(&sum->blocks, count_fragment, sum);
		end_trace(sum);
	}
	ok = ok &&
	     basic_blocks_merge(&sum->blocks, &phases->blocks, numbers, count_fragment, sum);
	if (phases->blocks.log.is_part || !phases->instructions)
		return ok && !sum->failed;
	sum->instructions += phases->instructions;
	sum->untracked += phases->untracked;
	sum->untracked_blocks += phases->untracked_blocks;
	return ok && !sum->failed && merge_trace(sum, phases, numbers);
}

/* Transfers the counts of the blocks of the open interval, in the order of touched. */
static void
transfer_open(struct archive *archive, struct phases *phases)
{
	const size_t count = archive_count(archive, phases->touched_count, phases->count);
	phases->touched_count = 0;
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		uint32_t block = archive_loads(archive) ? 0 : phases->touched[i];
		ARCHIVE_UP_TO(archive, block, phases->count - 1);
		struct phases_block *open = &phases->list[block];
		archive_require(archive, !archive_loads(archive) || !open->count);
		ARCHIVE(archive, open->count);
		archive_require(archive, open->count != 0);
		phases->touched[phases->touched_count++] = block;
	}
}

static void
transfer_blocks(struct archive *archive, struct phases *phases)
{
	const size_t count = archive_count(archive, phases->count, PHASES_BLOCKS_MAX);
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		uint64_t pc = archive_loads(archive) ? 0 : phases->list[i].pc;
		uint32_t index = (uint32_t)i;
		ARCHIVE(archive, pc);
		if (archive_loads(archive) && !archive_failed(archive))
			archive_allocate(archive, get_block(phases, pc, &index));
		archive_require(archive, index == i);
	}
	transfer_open(archive, phases);
}

static void
transfer_intervals(struct archive *archive, struct phases *phases)
{
	size_t end = 0;
	phases->interval_count = (uint32_t)ARCHIVE_ROOM(
		archive, phases->intervals, phases->interval_capacity, phases->interval_count);
	archive_require(archive, phases->interval_count <= PHASES_INTERVALS_MAX);
	phases->counts_used = ARCHIVE_ROOM(
		archive, phases->counts, phases->counts_capacity, phases->counts_used);
	archive_require(archive, phases->counts_used <= PHASES_COUNTS_MAX);
	for (size_t i = 0; i < phases->interval_count; i++) {
		struct phases_interval *interval = &phases->intervals[i];
		ARCHIVE_ARRAY(archive, interval->sum);
		ARCHIVE_UP_TO(archive, interval->end, phases->counts_used);
		archive_require(archive, interval->end >= end);
		ARCHIVE(archive, interval->number);
		end = interval->end;
	}
	for (size_t i = 0; i < phases->counts_used; i++) {
		ARCHIVE(archive, phases->counts[i].block);
		archive_require(archive, phases->counts[i].block < phases->count);
		ARCHIVE(archive, phases->counts[i].count);
	}
}

/* Transfers the length of intervals, which is doubled only if it is adaptive. */
static void
transfer_length(struct archive *archive, struct phases *phases)
{
	uint64_t doubled = 0, length = phases->length;
	if (!phases->is_adaptive)
		return;
	while (!archive_loads(archive) && length >> doubled > PHASES_LENGTH_MIN)
		doubled++;
	ARCHIVE_UP_TO(archive, doubled, PHASES_DOUBLED_MAX);
	phases->length = (uint64_t)PHASES_LENGTH_MIN << doubled;
}

static void
phases_transfer(void *state, struct archive *archive)
{
	struct phases *phases = state;
	transfer_length(archive, phases);
	ARCHIVE(archive, phases->instructions);
	ARCHIVE(archive, phases->open);
	ARCHIVE(archive, phases->number);
	ARCHIVE_ARRAY(archive, phases->open_sum);
	ARCHIVE(archive, phases->untracked);
	basic_blocks_transfer(&phases->blocks, archive);
	transfer_blocks(archive, phases);
	for (size_t i = 0; i < archive->contexts; i++)
		archive_index(archive, &phases->block_of[i], phases->count);
	transfer_intervals(archive, phases);
	ARCHIVE(archive, phases->counts_full);
	ARCHIVE(archive, phases->untracked_blocks);
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

const struct analysis analysis_phases = {
	.info = {.name = "phases",
		.title = "Phases",
		.summary = "phases of the execution, found by clustering basic-block vectors, "
			   "and their representative intervals",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(BASIC_BLOCK_COLUMNS),
		.options = options,
		.outputs = outputs},
	.shares = SHARES_OPS | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct phases),
	.init = phases_init,
	.begin = phases_begin,
	.update = phases_update,
	.merge = phases_merge,
	.transfer = phases_transfer,
	.part_grows = true,
	.is_too_long = phases_is_too_long,
	.finish = phases_finish,
	.update_weighted = phases_update_weighted,
	.report = phases_report,
	.write = phases_write,
	.fini = phases_fini,
};
