/* SPDX-License-Identifier: MIT */
/*
 * Whether calls and returns are pairs: return addresses against a stack of those that calls
 * leave behind, as a return-address predictor of unbounded age would.
 *
 * spec: reference amber 6 (call and return pairing; bcl 20,31,$+4 calls nothing).
 */
#include "analysis/branch_stream.h"

#include "analysis/top_n.h"
#include "base/err.h"
#include "base/mem.h"

/* Return addresses that are kept of a context; a further one takes the place of the oldest. */
#define FRAMES 1024

/* Depths that are told apart. */
#define DEPTHS 1025

struct stack {
	uint64_t *addresses; /* FRAMES of them, allocated with the first call */
	uint32_t depth;	     /* of those kept */
	uint32_t bottom;     /* place of the lowest one */
};

struct returns_counts {
	uint64_t calls, returns;
	uint64_t matched;   /* went where the last call left off */
	uint64_t unwound;   /* went where an earlier call left off */
	uint64_t elsewhere; /* went to another place */
	uint64_t empty;	    /* returned where no call was left */
	uint64_t frames;    /* calls that were passed over by those unwound */
	uint64_t forgotten; /* calls whose place was taken */
	uint64_t depths[DEPTHS];
};

struct returns {
	struct branch_stream jumps;
	struct stack stacks[ANALYSIS_CONTEXTS_MAX];
	struct returns_counts counts, before; /* before: what warming up does not change */
};

static enum poly_status
returns_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct returns *it = state;
	(void)setup;
	return branch_stream_init(&it->jumps) ? POLY_OK : err_memory(error);
}

static void
returns_begin(void *state, const struct poly_trace_info *info)
{
	struct returns *it = state;
	branch_stream_begin_trace(&it->jumps, info);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		it->stacks[i].depth = 0;
}

/* The address that is so many frames below the top. */
static uint64_t
address_at(const struct stack *stack, uint32_t below)
{
	return stack->addresses[(stack->bottom + stack->depth - 1 - below) % FRAMES];
}

static bool
push(struct returns *it, struct stack *stack, uint64_t address)
{
	if (!stack->addresses)
		stack->addresses = mem_new(FRAMES, sizeof *stack->addresses);
	if (!stack->addresses)
		return false;
	if (stack->depth == FRAMES) {
		stack->bottom = (stack->bottom + 1) % FRAMES;
		stack->depth--;
		it->counts.forgotten++;
	}
	stack->addresses[(stack->bottom + stack->depth) % FRAMES] = address;
	stack->depth++;
	it->counts.depths[stack->depth]++;
	return true;
}

/* A return to an address; one that is not on the stack leaves it as it is. */
static void
pop(struct returns *it, struct stack *stack, uint64_t address)
{
	uint32_t below = 0;
	while (below < stack->depth && address_at(stack, below) != address)
		below++;
	if (stack->depth == 0) {
		it->counts.empty++;
		return;
	}
	if (below == stack->depth) {
		it->counts.elsewhere++;
		return;
	}
	it->counts.matched += below == 0;
	it->counts.unwound += below != 0;
	it->counts.frames += below;
	stack->depth -= below + 1;
}

/* Takes the branches found last. */
static bool
take_jumps(struct returns *it)
{
	bool ok = true;
	for (size_t i = 0; i < it->jumps.count && ok; i++) {
		const struct executed_branch *jump = &it->jumps.list[i];
		struct stack *stack = &it->stacks[jump->context];
		if (!jump->taken)
			continue;
		if (jump->flow & OP_RETURNS) {
			it->counts.returns++;
			if (jump->has_target)
				pop(it, stack, jump->target);
		} else if (jump->flow & OP_CALLS) {
			it->counts.calls++;
			if (jump->has_fallthrough)
				ok = push(it, stack, jump->fallthrough);
		}
	}
	return ok;
}

static bool
returns_update(void *state, const struct analysis_rows *rows)
{
	struct returns *it = state;
	branch_stream_update(&it->jumps, rows);
	if (rows->counts)
		return take_jumps(it);
	/* What is on the stacks stays, what was counted does not. */
	it->before = it->counts;
	const bool ok = take_jumps(it);
	it->counts = it->before;
	return ok;
}

static void
returns_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct returns_counts *it = &((const struct returns *)state)->counts;
	uint64_t deepest = 0;
	(void)ops;
	for (size_t i = 0; i < DEPTHS; i++)
		deepest = it->depths[i] ? i : deepest;
	poly_report_count(report, "calls", it->calls);
	poly_report_count(report, "returns", it->returns);
	poly_report_count(report, "matched", it->matched);
	poly_report_real(report, "matched_percent", top_n_percent(it->matched, it->returns), 2);
	poly_report_count(report, "unwound", it->unwound);
	poly_report_count(report, "frames", it->frames);
	poly_report_count(report, "elsewhere", it->elsewhere);
	poly_report_count(report, "empty", it->empty);
	poly_report_count(report, "deepest", deepest);
	if (it->forgotten)
		poly_report_count(report, "forgotten", it->forgotten);
	top_n_distribution(report, "depths", "depth", it->depths, DEPTHS);
}

static void
returns_fini(void *state)
{
	struct returns *it = state;
	branch_stream_fini(&it->jumps);
	for (size_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++)
		mem_free(it->stacks[i].addresses);
}

/* Whether anything tells calls. */
static bool
returns_suits(const struct poly_trace_info *info)
{
	return info->columns & (POLY_HAS(opcode) | POLY_HAS(mnemonic) | POLY_HAS(text));
}

static const struct poly_option options[] = {{0}};

const struct analysis analysis_returns = {
	.info = {.name = "returns",
		.title = "Calls and returns",
		.summary = "whether returns go where calls left off, and how deep calls are",
		.needs = POLY_HAS(kind) | POLY_HAS(pc),
		.wants = BRANCH_STREAM_COLUMNS,
		.is_default = true,
		.options = options},
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.needs_warmup = true,
	.suits = returns_suits,
	.state_size = sizeof(struct returns),
	.init = returns_init,
	.begin = returns_begin,
	.update = returns_update,
	.report = returns_report,
	.fini = returns_fini,
};
