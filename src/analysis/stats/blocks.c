/* SPDX-License-Identifier: MIT */
/*
 * Blocks and loops: where execution stays.
 *
 * A loop is where a branch that is no call and no return goes back; it is left where execution
 * goes on outside of it in the same call, or where that call returns.
 *
 * spec: Aho, Sethi, Ullman, Compilers, 9.4 (blocks), 10.4 (back edges), of what was executed.
 */
#include "analysis/stats/blocks.h"

#include "analysis/counters.h"
#include "base/mem.h"

static enum poly_status
profile_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct block_profile *it = state;
	(void)error;
	it->top = setup->values[0];
	return POLY_OK;
}

static void
end_block(struct block_profile *it, struct walker *walker)
{
	if (walker->block)
		it->sizes[walker->block < BLOCKS_LONG ? walker->block : BLOCKS_LONG]++;
	walker->block = 0;
}

/* Counts the instructions of a context's innermost loop up to now. */
static void
count_inside(struct block_profile *it, struct walker *walker, struct open_loop *open)
{
	if (open->loop != PAIR_INDEX_FULL)
		it->loops[open->loop].instructions += walker->instructions - open->mark;
	open->mark = walker->instructions;
}

static void
leave_loop(struct block_profile *it, struct walker *walker)
{
	struct open_loop *open = &walker->loops[--walker->open];
	count_inside(it, walker, open);
	it->trips[64 - (unsigned)__builtin_clzll(open->iterations)]++;
}

/* Blocks and loops that are open end with the trace, and where rows are left out. */
static void
forget(struct block_profile *it)
{
	basic_blocks_begin(&it->blocks);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		struct walker *walker = &it->walkers[i];
		end_block(it, walker);
		while (walker->open)
			leave_loop(it, walker);
		walker->is_known = false;
		walker->level = 0;
	}
	it->is_empty = true;
}

static void
profile_begin(void *state, const struct poly_trace_info *info)
{
	(void)info;
	forget(state);
}

/* A further iteration of the innermost loop of a context, by a jump from latch. */
static void
iterate(struct block_profile *it, struct walker *walker, uint64_t latch)
{
	struct open_loop *open = &walker->loops[walker->open - 1];
	count_inside(it, walker, open);
	open->iterations++;
	if (latch > open->latch)
		open->latch = latch;
	if (open->loop == PAIR_INDEX_FULL)
		return;
	struct loop *loop = &it->loops[open->loop];
	loop->iterations++;
	if (open->latch > loop->latch)
		loop->latch = open->latch;
	if (open->iterations > loop->longest)
		loop->longest = open->iterations;
}

/* The number of the loop at head; false: no memory. */
static bool
number_loop(struct block_profile *it, uint64_t head, uint32_t *number)
{
	void *list = it->loops;
	*number = pair_index_add(&it->heads, head, 0, BLOCKS_LOOPS);
	it->beyond += *number == PAIR_INDEX_FULL;
	const bool ok = *number == PAIR_INDEX_FULL ||
			(*number != PAIR_INDEX_FAILED &&
				counters_grow_array(&list, &it->loop_capacity,
					(size_t)*number + 1, sizeof *it->loops));
	it->loops = list;
	return ok;
}

/* A context jumped back to head for the first time: its second iteration begins. */
static bool
enter_loop(struct block_profile *it, struct walker *walker, uint64_t head)
{
	uint32_t number;
	if (!walker->loops)
		walker->loops = mem_new(BLOCKS_NESTED, sizeof *walker->loops);
	if (!walker->loops)
		return false;
	if (walker->open == BLOCKS_NESTED) {
		it->deep++;
		return true;
	}
	if (!number_loop(it, head, &number))
		return false;
	walker->loops[walker->open++] = (struct open_loop){.head = head,
		.latch = walker->pc,
		.iterations = 1,
		.mark = walker->instructions,
		.level = walker->level,
		.loop = number};
	if (number != PAIR_INDEX_FULL) {
		struct loop *loop = &it->loops[number];
		loop->entries++;
		loop->iterations++;
		if (walker->open > loop->depth)
			loop->depth = walker->open;
	}
	iterate(it, walker, walker->pc);
	return true;
}

/* Leaves the loops of a call that has returned. */
static void
leave_call(struct block_profile *it, struct walker *walker)
{
	walker->level--;
	while (walker->open && walker->loops[walker->open - 1].level > walker->level)
		leave_loop(it, walker);
}

/* Goes from the last instruction of a context to the first one of a block at pc. */
static bool
go_to(struct block_profile *it, struct walker *walker, uint64_t pc)
{
	const bool taken = !walker->has_behind || pc != walker->behind;
	if (taken && (walker->flow & OP_RETURNS)) {
		leave_call(it, walker);
		return true;
	}
	if (taken && (walker->flow & OP_CALLS)) {
		walker->level++;
		return true;
	}
	while (walker->open) {
		const struct open_loop *open = &walker->loops[walker->open - 1];
		if (open->level != walker->level || (pc >= open->head && pc <= open->latch))
			break;
		leave_loop(it, walker);
	}
	if (!taken || !(walker->flow & OP_JUMPS) || pc > walker->pc)
		return true;
	const struct open_loop *open = walker->open ? &walker->loops[walker->open - 1] : NULL;
	if (!open || open->level != walker->level || open->head != pc)
		return enter_loop(it, walker, pc);
	iterate(it, walker, walker->pc);
	return true;
}

/* The last instruction of a fragment is now the last one of its context. */
static void
take_last(struct walker *walker, const struct block_fragment *fragment)
{
	/* What stands in a delay slot is followed by where the branch before it goes. */
	const unsigned slot =
		walker->is_known && (walker->flow & OP_DELAYED) ? walker->flow : 0;
	const unsigned flow =
		slot && fragment->count == 1 ? slot & ~(unsigned)OP_DELAYED : fragment->flow;
	walker->pc = fragment->last.pc;
	walker->flow = (uint8_t)(flow | fragment->later_flow);
	walker->is_known = true;
	walker->has_behind = fragment->has_fallthrough;
	walker->behind = fragment->fallthrough;
}

/* Takes a fragment of a block; false: no memory. */
static bool
take_fragment(void *user, const struct block_fragment *fragment, bool begins)
{
	struct block_profile *it = user;
	struct walker *walker = &it->walkers[fragment->context];
	bool ok = true;
	if (!fragment->count) {
		walker->flow |= fragment->later_flow;
		return true;
	}
	if (!fragment->has_pc) {
		end_block(it, walker);
		walker->is_known = false;
		return true;
	}
	if (begins) {
		end_block(it, walker);
		if (walker->is_known && !(walker->flow & OP_DELAYED))
			ok = go_to(it, walker, fragment->pc);
		walker->site = fragment->site;
		if (walker->site != OP_NONE)
			it->counts[walker->site].executions++;
	}
	walker->block += fragment->count;
	walker->instructions += fragment->count;
	if (walker->site != OP_NONE)
		it->counts[walker->site].instructions += fragment->count;
	take_last(walker, fragment);
	return ok;
}

/* Before rows that are counted: room for the counts of all sites. */
static bool
expect_rows(struct block_profile *it, const struct static_ops *ops)
{
	void *list = it->counts;
	const bool ok =
		counters_grow_array(&list, &it->capacity, ops->site_count, sizeof *it->counts);
	it->counts = list;
	it->is_empty = false;
	return ok;
}

static bool
profile_update(void *state, const struct analysis_rows *rows)
{
	struct block_profile *it = state;
	if (!rows->counts) {
		if (!it->is_empty)
			forget(it);
		return true;
	}
	return expect_rows(it, rows->ops) &&
	       basic_blocks_update(&it->blocks, rows, take_fragment, it);
}

static bool
profile_update_weighted(void *state, const struct analysis_rows *rows)
{
	struct block_profile *it = state;
	return expect_rows(it, rows->ops) &&
	       basic_blocks_update_weighted(&it->blocks, rows, take_fragment, it);
}

static void
profile_fini(void *state)
{
	struct block_profile *it = state;
	basic_blocks_fini(&it->blocks);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		mem_free(it->walkers[i].loops);
	mem_free(it->counts);
	mem_free(it->loops);
	pair_index_fini(&it->heads);
}

static const struct poly_option options[] = {
	{"blocks.top", POLY_OPTION_NUMBER, 0, 10, 1, UINT32_MAX, NULL,
		"most blocks and loops of a table, those with most instructions first", NULL},
	{0},
};

const struct analysis analysis_blocks = {
	.info = {.name = "blocks",
		.title = "Blocks and loops",
		.summary = "basic blocks and loops that were executed most",
		.needs = POLY_HAS(kind) | POLY_HAS(pc),
		.wants = BASIC_BLOCK_COLUMNS | POLY_HAS(fallthrough),
		.options = options},
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
