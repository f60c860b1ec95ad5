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

#include "analysis/facts/counters.h"
#include "base/mem.h"
#include "base/vec.h"

static enum poly_status
profile_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct block_profile *profile = state;
	(void)error;
	profile->top = setup->values[0];
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

static void
profile_begin(void *state, const struct poly_trace_info *info)
{
	(void)info;
	end_all(state);
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

/* Before rows that are counted: room for the counts of all sites. */
static bool
reserve_blocks(struct block_profile *profile, const struct static_ops *ops)
{
	profile->is_empty = false;
	return VEC_RESERVE_ZEROED(profile->counts, profile->capacity, ops->site_count);
}

static bool
profile_update(void *state, const struct analysis_rows *rows)
{
	struct block_profile *profile = state;
	if (!rows->counts) {
		if (!profile->is_empty)
			end_all(profile);
		return true;
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
	.ordered = ORDERED_HISTORY,
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.needs_warmup = true,
	.state_size = sizeof(struct block_profile),
	.init = profile_init,
	.begin = profile_begin,
	.update = profile_update,
	.update_weighted = profile_update_weighted,
	.report = block_profile_report,
	.fini = profile_fini,
};
