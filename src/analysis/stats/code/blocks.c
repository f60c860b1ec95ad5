/* SPDX-License-Identifier: MIT */
/*
 * The most executed basic blocks and loops.
 *
 * A loop begins at the target of a backward branch that is neither a call nor a return. It ends
 * when execution continues outside of it in the same call, or when that call returns.
 *
 * spec: Aho, Sethi, Ullman, Compilers, 9.4 (blocks), 10.4 (back edges), applied to execution.
 */
#include "analysis/stats/code/blocks.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/counters.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

static enum poly_status
profile_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct block_profile *profile = state;
	(void)error;
	profile->top = setup->values[0];
	profile->blocks.logs_parts = true;
	return POLY_OK;
}

static void
end_block(struct block_profile *profile, struct walker *walker)
{
	if (walker->block)
		profile->lengths[walker->block < BLOCKS_LENGTH_MAX ? walker->block
								   : BLOCKS_LENGTH_MAX]++;
	walker->block = 0;
}

/* Counts the instructions of a context's innermost loop since they were last counted. */
static void
count_loop_instructions(
	struct block_profile *profile, struct walker *walker, struct open_loop *open)
{
	if (open->loop != PAIR_INDEX_FULL)
		profile->loops[open->loop].instructions += walker->instructions - open->counted;
	open->counted = walker->instructions;
}

static void
leave_loop(struct block_profile *profile, struct walker *walker)
{
	struct open_loop *open = &walker->loops[--walker->open];
	count_loop_instructions(profile, walker, open);
	profile->trips[64 - (unsigned)__builtin_clzll(open->iterations)]++;
}

/* Ends open blocks and loops at the end of a trace and at skipped rows. */
static void
end_all(struct block_profile *profile)
{
	basic_blocks_begin(&profile->blocks);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		struct walker *walker = &profile->walkers[i];
		end_block(profile, walker);
		while (walker->open)
			leave_loop(profile, walker);
		walker->is_known = false;
		walker->level = 0;
	}
	profile->is_empty = true;
}

/* Counts an iteration of the innermost loop of a context, which branched back from latch. */
static void
count_iteration(struct block_profile *profile, struct walker *walker, uint64_t latch)
{
	struct open_loop *open = &walker->loops[walker->open - 1];
	count_loop_instructions(profile, walker, open);
	open->iterations++;
	if (latch > open->latch)
		open->latch = latch;
	if (open->loop == PAIR_INDEX_FULL)
		return;
	struct loop *loop = &profile->loops[open->loop];
	loop->iterations++;
	if (open->latch > loop->latch)
		loop->latch = open->latch;
	if (open->iterations > loop->max_iterations)
		loop->max_iterations = open->iterations;
}

/* Finds or adds the loop at head; false: out of memory. */
static bool
get_loop(struct block_profile *profile, uint64_t head, uint32_t *index)
{
	*index = pair_index_add(&profile->heads, head, 0, BLOCKS_LOOPS_MAX);
	profile->untracked_loops += *index == PAIR_INDEX_FULL;
	return *index == PAIR_INDEX_FULL ||
	       (*index != PAIR_INDEX_FAILED &&
		       VEC_ROOM_ZEROED(profile->loops, profile->loop_capacity, *index));
}

/* Opens a loop at the first branch back to head, which begins its second iteration. */
static bool
enter_loop(struct block_profile *profile, struct walker *walker, uint64_t head)
{
	uint32_t index;
	if (!walker->loops)
		walker->loops = mem_new(BLOCKS_NESTED_MAX, sizeof *walker->loops);
	if (!walker->loops)
		return false;
	if (walker->open == BLOCKS_NESTED_MAX) {
		profile->untracked_nested++;
		return true;
	}
	if (!get_loop(profile, head, &index))
		return false;
	walker->loops[walker->open++] = (struct open_loop){.head = head,
		.latch = walker->pc,
		.iterations = 1,
		.counted = walker->instructions,
		.level = walker->level,
		.loop = index};
	if (index != PAIR_INDEX_FULL) {
		struct loop *loop = &profile->loops[index];
		loop->entries++;
		loop->iterations++;
		if (walker->open > loop->depth)
			loop->depth = walker->open;
	}
	count_iteration(profile, walker, walker->pc);
	return true;
}

/* Ends the loops of a call that has returned. */
static void
leave_call(struct block_profile *profile, struct walker *walker)
{
	walker->level--;
	while (walker->open && walker->loops[walker->open - 1].level > walker->level)
		leave_loop(profile, walker);
}

/* Follows the transition of a context from its last instruction to a block at pc. */
static bool
follow(struct block_profile *profile, struct walker *walker, uint64_t pc)
{
	const bool taken = !walker->has_fallthrough || pc != walker->fallthrough;
	if (taken && (walker->flow & ISA_RETURNS)) {
		leave_call(profile, walker);
		return true;
	}
	if (taken && (walker->flow & ISA_CALLS)) {
		walker->level++;
		return true;
	}
	while (walker->open) {
		const struct open_loop *open = &walker->loops[walker->open - 1];
		if (open->level != walker->level || (pc >= open->head && pc <= open->latch))
			break;
		leave_loop(profile, walker);
	}
	if (!taken || !(walker->flow & ISA_JUMPS) || pc > walker->pc)
		return true;
	const struct open_loop *open = walker->open ? &walker->loops[walker->open - 1] : NULL;
	if (!open || open->level != walker->level || open->head != pc)
		return enter_loop(profile, walker, pc);
	count_iteration(profile, walker, walker->pc);
	return true;
}

/* Records the last instruction of a fragment as the last one of its context. */
static void
set_last(struct walker *walker, const struct block_fragment *fragment)
{
	/* The instruction in a delay slot is followed by the target of the branch before it. */
	const unsigned slot =
		walker->is_known && (walker->flow & ISA_DELAYED) ? walker->flow : 0;
	const unsigned flow =
		slot && fragment->count == 1 ? slot & ~(unsigned)ISA_DELAYED : fragment->flow;
	walker->pc = fragment->last.pc;
	walker->flow = (uint8_t)(flow | fragment->later_flow);
	walker->is_known = true;
	walker->has_fallthrough = fragment->has_fallthrough;
	walker->fallthrough = fragment->fallthrough;
}

/* Counts a fragment of a block; false: out of memory. */
static bool
count_fragment(void *user, const struct block_fragment *fragment, bool begins)
{
	struct block_profile *profile = user;
	struct walker *walker = &profile->walkers[fragment->context];
	bool ok = true;
	if (!fragment->count) {
		walker->flow |= fragment->later_flow;
		return true;
	}
	if (!fragment->has_pc) {
		end_block(profile, walker);
		walker->is_known = false;
		return true;
	}
	if (begins) {
		end_block(profile, walker);
		if (walker->is_known && !(walker->flow & ISA_DELAYED))
			ok = follow(profile, walker, fragment->pc);
		walker->site = fragment->site;
		if (walker->site != OP_NONE)
			profile->counts[walker->site].executions++;
	}
	walker->block += fragment->count;
	walker->instructions += fragment->count;
	if (walker->site != OP_NONE)
		profile->counts[walker->site].instructions += fragment->count;
	set_last(walker, fragment);
	return ok;
}

static void
profile_begin(void *state, const struct poly_trace_info *info)
{
	struct block_profile *profile = state;
	(void)info;
	profile->failed |= !basic_blocks_pass_log(&profile->blocks, count_fragment, profile);
	end_all(profile);
	basic_blocks_begin_trace(&profile->blocks);
}

static enum poly_status
profile_finish(void *state, struct poly_error *error)
{
	struct block_profile *profile = state;
	return basic_blocks_pass_log(&profile->blocks, count_fragment, profile)
		       ? POLY_OK
		       : err_memory(error);
}

static bool
profile_is_too_long(const void *state)
{
	return ((const struct block_profile *)state)->blocks.log.is_full;
}

/* Adds the counts of sites; makes room for those of the part. False: out of memory. */
static bool
merge_sites(struct block_profile *into, const struct block_profile *from,
	const struct analysis_numbers *numbers)
{
	size_t sites = into->capacity;
	for (size_t i = 0; i < from->capacity && i < numbers->site_count; i++) {
		if (numbers->sites[i] != OP_NONE && numbers->sites[i] >= sites)
			sites = numbers->sites[i] + (size_t)1;
	}
	if (!VEC_RESERVE_ZEROED(into->counts, into->capacity, sites))
		return false;
	for (size_t i = 0; i < from->capacity && i < numbers->site_count; i++) {
		if (numbers->sites[i] == OP_NONE)
			continue;
		struct block_count *count = &into->counts[numbers->sites[i]];
		count->executions += from->counts[i].executions;
		count->instructions += from->counts[i].instructions;
	}
	return true;
}

/* Merges a loop; *index: its number in into. False: out of memory. */
static bool
merge_loop(struct block_profile *into, const struct block_profile *from, uint32_t number,
	uint32_t *index)
{
	const struct loop *added = &from->loops[number];
	*index = pair_index_add(&into->heads, from->heads.list[number].a, 0, BLOCKS_LOOPS_MAX);
	if (*index == PAIR_INDEX_FULL) {
		into->untracked_loops += added->entries;
		return true;
	}
	if (*index == PAIR_INDEX_FAILED ||
		!VEC_ROOM_ZEROED(into->loops, into->loop_capacity, *index))
		return false;
	struct loop *loop = &into->loops[*index];
	loop->latch = added->latch > loop->latch ? added->latch : loop->latch;
	loop->entries += added->entries;
	loop->iterations += added->iterations;
	if (added->max_iterations > loop->max_iterations)
		loop->max_iterations = added->max_iterations;
	loop->instructions += added->instructions;
	loop->depth = added->depth > loop->depth ? added->depth : loop->depth;
	return true;
}

/* Copies the control flow of a context; loops: numbers of the loops in into. */
static bool
copy_walker(struct walker *into, const struct walker *from, const uint32_t *loops,
	const uint32_t *sites)
{
	struct open_loop *open = into->loops;
	const uint64_t instructions = into->instructions;
	if (from->open && !open)
		open = mem_new(BLOCKS_NESTED_MAX, sizeof *open);
	if (from->open && !open)
		return false;
	*into = *from;
	into->loops = open;
	into->instructions += instructions;
	if (into->site != OP_NONE && into->block)
		into->site = sites[into->site];
	for (uint32_t i = 0; i < from->open; i++) {
		open[i] = from->loops[i];
		open[i].counted += instructions;
		if (open[i].loop != PAIR_INDEX_FULL)
			open[i].loop = loops[open[i].loop];
	}
	return true;
}

/* Adds what was counted of a trace that begins after the rows of into. */
static bool
merge_trace(struct block_profile *into, const struct block_profile *from,
	const struct analysis_numbers *numbers)
{
	uint32_t *loops = mem_new((size_t)from->heads.count + 1, sizeof *loops);
	bool ok = loops != NULL;
	for (uint32_t i = 0; ok && i < from->heads.count; i++)
		ok = merge_loop(into, from, i, &loops[i]);
	for (size_t i = 0; ok && i < numbers->context_count; i++)
		ok = copy_walker(&into->walkers[numbers->contexts[i]], &from->walkers[i], loops,
			numbers->sites);
	mem_free(loops);
	for (size_t i = 0; i <= BLOCKS_LENGTH_MAX; i++)
		into->lengths[i] += from->lengths[i];
	for (size_t i = 0; i < sizeof into->trips / sizeof *into->trips; i++)
		into->trips[i] += from->trips[i];
	into->untracked_nested += from->untracked_nested;
	into->untracked_loops += from->untracked_loops;
	return ok;
}

static bool
profile_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct block_profile *sum = into;
	const struct block_profile *profile = from;
	bool ok = merge_sites(sum, profile, numbers);
	if (!numbers->continues) {
		ok = ok && basic_blocks_pass_log(&sum->blocks, count_fragment, sum);
		end_all(sum);
	}
	ok = ok &&
	     basic_blocks_merge(&sum->blocks, &profile->blocks, numbers, count_fragment, sum);
	sum->is_empty &= profile->is_empty;
	return ok && !sum->failed &&
	       (profile->blocks.log.is_part || merge_trace(sum, profile, numbers));
}

/* Before rows that are counted: room for the counts of all sites. */
static bool
reserve_blocks(struct block_profile *profile, const struct static_ops *ops)
{
	profile->is_empty = false;
	return !profile->failed &&
	       VEC_RESERVE_ZEROED(profile->counts, profile->capacity, ops->site_count);
}

static bool
profile_update(void *state, const struct analysis_rows *rows)
{
	struct block_profile *profile = state;
	if (!rows->counts) {
		const bool ok =
			basic_blocks_pass_log(&profile->blocks, count_fragment, profile);
		if (!profile->is_empty)
			end_all(profile);
		return ok;
	}
	return reserve_blocks(profile, rows->ops) &&
	       basic_blocks_update(&profile->blocks, rows, count_fragment, profile);
}

static bool
profile_update_weighted(void *state, const struct analysis_rows *rows)
{
	struct block_profile *profile = state;
	return reserve_blocks(profile, rows->ops) &&
	       basic_blocks_update_weighted(&profile->blocks, rows, count_fragment, profile);
}

static void
profile_fini(void *state)
{
	struct block_profile *profile = state;
	basic_blocks_fini(&profile->blocks);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		mem_free(profile->walkers[i].loops);
	mem_free(profile->counts);
	mem_free(profile->loops);
	pair_index_fini(&profile->heads);
}

static void
transfer_open_loop(
	struct archive *archive, struct open_loop *open, const struct block_profile *profile)
{
	ARCHIVE(archive, open->head);
	ARCHIVE(archive, open->latch);
	ARCHIVE(archive, open->iterations);
	archive_require(archive, open->iterations != 0);
	ARCHIVE(archive, open->counted);
	ARCHIVE(archive, open->level);
	archive_index(archive, &open->loop, profile->heads.count);
}

static void
transfer_walker(
	struct archive *archive, struct walker *walker, const struct block_profile *profile)
{
	ARCHIVE(archive, walker->pc);
	ARCHIVE(archive, walker->fallthrough);
	ARCHIVE(archive, walker->instructions);
	ARCHIVE(archive, walker->block);
	/* Without an open block, the next fragment begins one. */
	if (archive_loads(archive) && !walker->block)
		walker->site = OP_NONE;
	if (walker->block)
		archive_index(archive, &walker->site, archive->sites);
	ARCHIVE_UP_TO(archive, walker->open, BLOCKS_NESTED_MAX);
	ARCHIVE(archive, walker->level);
	ARCHIVE(archive, walker->flow);
	ARCHIVE(archive, walker->is_known);
	ARCHIVE(archive, walker->has_fallthrough);
	if (archive_loads(archive) && walker->open) {
		walker->loops = mem_new(BLOCKS_NESTED_MAX, sizeof *walker->loops);
		archive_allocate(archive, walker->loops != NULL);
	}
	for (uint32_t i = 0; i < walker->open && !archive_failed(archive); i++)
		transfer_open_loop(archive, &walker->loops[i], profile);
	if (archive_failed(archive))
		walker->open = 0;
}

static void
transfer_loop(struct archive *archive, struct loop *loop)
{
	ARCHIVE(archive, loop->latch);
	ARCHIVE(archive, loop->entries);
	ARCHIVE(archive, loop->iterations);
	ARCHIVE(archive, loop->max_iterations);
	ARCHIVE(archive, loop->instructions);
	ARCHIVE(archive, loop->depth);
}

static void
profile_transfer(void *state, struct archive *archive)
{
	struct block_profile *profile = state;
	size_t sites = profile->capacity;
	ARCHIVE(archive, profile->is_empty);
	basic_blocks_transfer(&profile->blocks, archive);
	while (sites && !profile->counts[sites - 1].executions &&
		!profile->counts[sites - 1].instructions)
		sites--;
	sites = ARCHIVE_ROOM(archive, profile->counts, profile->capacity, sites);
	archive_require(archive, sites <= archive->sites);
	for (size_t i = 0; i < sites; i++) {
		ARCHIVE(archive, profile->counts[i].executions);
		ARCHIVE(archive, profile->counts[i].instructions);
	}
	if (archive_loads(archive))
		archive_allocate(archive,
			VEC_RESERVE_ZEROED(profile->counts, profile->capacity, archive->sites));
	ARCHIVE_ARRAY(archive, profile->lengths);
	archive_pairs(archive, &profile->heads, UINT64_MAX);
	const size_t loops = ARCHIVE_ROOM(
		archive, profile->loops, profile->loop_capacity, profile->heads.count);
	archive_require(archive, loops == profile->heads.count);
	for (size_t i = 0; i < loops; i++)
		transfer_loop(archive, &profile->loops[i]);
	for (size_t i = 0; i < archive->contexts; i++)
		transfer_walker(archive, &profile->walkers[i], profile);
	ARCHIVE_ARRAY(archive, profile->trips);
	ARCHIVE(archive, profile->untracked_nested);
	ARCHIVE(archive, profile->untracked_loops);
}

static const struct poly_option options[] = {
	{"blocks.top", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1, .maximum = UINT32_MAX,
		.help = "list the N blocks and loops with most executed instructions"},
	{0},
};

const struct analysis analysis_blocks = {
	.info = {.name = "blocks",
		.title = "Blocks and loops",
		.summary = "most executed basic blocks and loops",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(BASIC_BLOCK_COLUMNS, fallthrough),
		.options = options},
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct block_profile),
	.init = profile_init,
	.begin = profile_begin,
	.update = profile_update,
	.merge = profile_merge,
	.transfer = profile_transfer,
	.part_grows = true,
	.is_too_long = profile_is_too_long,
	.finish = profile_finish,
	.update_weighted = profile_update_weighted,
	.report = block_profile_report,
	.fini = profile_fini,
};
