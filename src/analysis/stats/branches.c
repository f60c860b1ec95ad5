/* SPDX-License-Identifier: MIT */
/*
 * Branches: how often they are taken, where they go, how predictable their sites are.
 *
 * spec: reference cis501 7.1.1 (Q3, bits of a distance), amber 6; entropy: Shannon 1948.
 */
#include "analysis/stats/branches.h"

#include "analysis/column_stats.h"
#include "base/err.h"
#include "base/mem.h"

static enum poly_status
branches_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct branches *it = state;
	it->top = setup->values[0];
	return branch_stream_init(&it->jumps) ? POLY_OK : err_memory(error);
}

static void
branches_begin(void *state, const struct poly_trace_info *info)
{
	struct branches *it = state;
	branch_stream_begin_trace(&it->jumps, info);
}

/* Bits that a distance takes: 2 + floor(log2(distance)); 2 for none. */
static unsigned
distance_bits(uint64_t from, uint64_t to)
{
	const uint64_t distance = to > from ? to - from : from - to;
	return distance ? 65 - (unsigned)__builtin_clzll(distance) : 2;
}

/* Counts an indirect branch from a site to a target. */
static bool
count_target(struct branches *it, uint32_t site, uint64_t target, uint64_t times)
{
	const uint32_t number = pair_index_add(&it->targets, site, target, BRANCHES_TARGETS);
	if (number == PAIR_INDEX_FAILED)
		return false;
	if (number == PAIR_INDEX_FULL) {
		it->beyond += times;
		return true;
	}
	if (!counters_reserve(&it->target_counts, (size_t)number + 1))
		return false;
	it->target_counts.list[number] += times;
	return true;
}

/* Room for the numbers of sites below wanted. */
static bool
reach_sites(struct branches *it, size_t wanted)
{
	void *list = it->sites;
	const bool ok =
		counters_grow_array(&list, &it->site_capacity, wanted, sizeof *it->sites);
	it->sites = list;
	return ok;
}

static bool
count_jump(struct branches *it, const struct executed_branch *jump)
{
	it->branches++;
	it->taken += jump->taken;
	if (jump->has_target) {
		it->bits[distance_bits(jump->pc, jump->target)]++;
		if (jump->has_fallthrough)
			it->bits_behind[distance_bits(jump->fallthrough, jump->target)]++;
	}
	if (jump->site == OP_NONE) {
		it->unplaced++;
		return true;
	}
	struct branch_site *site = &it->sites[jump->site];
	if (!site->executed)
		site->first = jump->taken;
	else
		site->transitions += site->last != jump->taken;
	site->executed++;
	site->taken += jump->taken;
	site->last = jump->taken;
	site->op = jump->op;
	if (jump->taken && jump->has_target && (jump->flow & OP_INDIRECT))
		return count_target(it, jump->site, jump->target, 1);
	return true;
}

/* Counts the branches found last. */
static bool
count_jumps(struct branches *it)
{
	bool ok = true;
	for (size_t i = 0; i < it->jumps.count && ok; i++)
		ok = count_jump(it, &it->jumps.list[i]);
	return ok;
}

static bool
branches_update(void *state, const struct analysis_rows *rows)
{
	struct branches *it = state;
	if (!rows->counts) {
		branch_stream_drop_pending(&it->jumps);
		return true;
	}
	it->instructions += count_batch_instructions(rows->batch);
	branch_stream_update(&it->jumps, rows);
	return reach_sites(it, rows->ops->site_count) && count_jumps(it);
}

/* Adds what another state counted of a site behind what this one did. */
static void
merge_site(struct branch_site *into, const struct branch_site *from,
	const struct analysis_numbers *numbers)
{
	into->transitions += from->transitions;
	if (into->executed)
		into->transitions += into->last != from->first;
	else
		into->first = from->first;
	into->last = from->last;
	into->op = from->op == OP_NONE ? OP_NONE : numbers->ops[from->op];
	into->executed += from->executed;
	into->taken += from->taken;
}

static bool
merge_targets(struct branches *into, const struct branches *from, const uint32_t *sites)
{
	bool ok = true;
	for (uint32_t i = 0; i < from->targets.count && ok; i++) {
		const struct indexed_pair *pair = &from->targets.list[i];
		ok = count_target(
			into, sites[pair->a], pair->b, counters_at(&from->target_counts, i));
	}
	return ok;
}

static bool
branches_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct branches *to = into;
	const struct branches *more = from;
	size_t sites = to->site_capacity;
	for (size_t i = 0; i < more->site_capacity; i++) {
		if (more->sites[i].executed && numbers->sites[i] + (size_t)1 > sites)
			sites = numbers->sites[i] + (size_t)1;
	}
	branch_stream_append(&to->jumps, &more->jumps, numbers);
	for (size_t i = 0; i < to->jumps.count; i++) {
		if (to->jumps.list[i].site != OP_NONE && to->jumps.list[i].site >= sites)
			sites = to->jumps.list[i].site + (size_t)1;
	}
	if (!reach_sites(to, sites) || !count_jumps(to))
		return false;
	to->instructions += more->instructions;
	to->branches += more->branches;
	to->taken += more->taken;
	to->unplaced += more->unplaced;
	to->beyond += more->beyond;
	for (size_t i = 0; i < BRANCHES_BITS; i++) {
		to->bits[i] += more->bits[i];
		to->bits_behind[i] += more->bits_behind[i];
	}
	for (size_t i = 0; i < more->site_capacity; i++) {
		if (more->sites[i].executed)
			merge_site(&to->sites[numbers->sites[i]], &more->sites[i], numbers);
	}
	return merge_targets(to, more, numbers->sites);
}

static size_t
branches_ratios(const void *state, struct analysis_ratio *ratios)
{
	const struct branches *it = state;
	ratios[0] = (struct analysis_ratio){
		"branches", "Branches an instruction", it->branches, it->instructions};
	ratios[1] = (struct analysis_ratio){
		"taken", "Branches that are taken", it->taken, it->branches};
	return 2;
}

static void
branches_fini(void *state)
{
	struct branches *it = state;
	branch_stream_fini(&it->jumps);
	mem_free(it->sites);
	pair_index_fini(&it->targets);
	counters_fini(&it->target_counts);
}

static const struct poly_option options[] = {
	{"branches.top", POLY_OPTION_NUMBER, 0, 10, 1, UINT32_MAX, NULL,
		"most sites of a table, the most frequent first", NULL},
	{0},
};

/* Whether anything tells branches. */
static bool
branches_suits(const struct poly_trace_info *info)
{
	return info->columns & (POLY_HAS(branch) | POLY_HAS(opcode) | POLY_HAS(mnemonic));
}

const struct analysis analysis_branches = {
	.info = {.name = "branches",
		.title = "Branches",
		.summary =
			"how often branches are taken, where they go, how predictable they are",
		.needs = POLY_HAS(kind) | POLY_HAS(pc),
		.wants = BRANCH_STREAM_COLUMNS,
		.is_default = true,
		.options = options},
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.suits = branches_suits,
	.needs_warmup = true,
	.state_size = sizeof(struct branches),
	.init = branches_init,
	.begin = branches_begin,
	.update = branches_update,
	.merge = branches_merge,
	.ratios = branches_ratios,
	.report = branches_report,
	.fini = branches_fini,
};
