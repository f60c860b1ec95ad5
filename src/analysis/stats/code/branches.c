/* SPDX-License-Identifier: MIT */
/*
 * Branches: taken ratios, targets, and the predictability of their sites.
 *
 * spec: Penn CIS 501, homework 1 (Q3, bits of a distance); Apple amber traces 6; entropy: C. E.
 * Shannon, A Mathematical Theory of Communication, 1948.
 */
#include "analysis/stats/code/branches.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/column_stats.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

static enum poly_status
branches_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct branch_profile *profile = state;
	profile->top = setup->values[0];
	return branch_stream_init(&profile->stream) ? POLY_OK : err_memory(error);
}

static void
branches_begin(void *state, const struct poly_trace_info *info)
{
	struct branch_profile *profile = state;
	branch_stream_begin_trace(&profile->stream, info);
}

/* Returns the bits of a distance: 2 + floor(log2(distance)); 2 for 0. */
static unsigned
distance_bits(uint64_t origin, uint64_t target)
{
	const uint64_t distance = target > origin ? target - origin : origin - target;
	return distance ? 65 - (unsigned)__builtin_clzll(distance) : 2;
}

/* Counts executions of an indirect branch from a site to a target. */
static bool
count_target(
	struct branch_profile *profile, uint32_t site, uint64_t target, uint64_t executions)
{
	const uint32_t number =
		pair_index_add(&profile->targets, site, target, BRANCHES_TARGETS_MAX);
	if (number == PAIR_INDEX_FAILED)
		return false;
	if (number == PAIR_INDEX_FULL) {
		profile->untracked_targets += executions;
		return true;
	}
	if (!counters_reserve(&profile->target_counts, (size_t)number + 1))
		return false;
	profile->target_counts.list[number] += executions;
	return true;
}

/* Allocates the sites below count. */
static bool
reserve_sites(struct branch_profile *profile, size_t count)
{
	return VEC_RESERVE_ZEROED(profile->sites, profile->site_capacity, count);
}

static bool
count_branch(struct branch_profile *profile, const struct executed_branch *branch)
{
	profile->branches++;
	profile->taken += branch->taken;
	if (branch->has_target) {
		profile->pc_bits[distance_bits(branch->pc, branch->target)]++;
		if (branch->has_fallthrough)
			profile->fallthrough_bits[distance_bits(
				branch->fallthrough, branch->target)]++;
	}
	if (branch->site == OP_NONE) {
		profile->untracked_branches++;
		return true;
	}
	struct branch_site *site = &profile->sites[branch->site];
	if (!site->executed)
		site->first = branch->taken;
	else
		site->transitions += site->last != branch->taken;
	site->executed++;
	site->taken += branch->taken;
	site->last = branch->taken;
	site->op = branch->op;
	if (branch->taken && branch->has_target && (branch->flow & ISA_INDIRECT))
		return count_target(profile, branch->site, branch->target, 1);
	return true;
}

/* Counts the branches of the last update of the stream. */
static bool
count_branches(struct branch_profile *profile)
{
	bool ok = true;
	for (size_t i = 0; i < profile->stream.count && ok; i++)
		ok = count_branch(profile, &profile->stream.list[i]);
	return ok;
}

static bool
branches_update(void *state, const struct analysis_rows *rows)
{
	struct branch_profile *profile = state;
	if (!rows->counts) {
		branch_stream_drop_pending(&profile->stream);
		return true;
	}
	profile->instructions += count_batch_instructions(rows->batch);
	branch_stream_update(&profile->stream, rows);
	return reserve_sites(profile, rows->ops->site_count) && count_branches(profile);
}

/* Merges the counts of a site; those of from follow those of into. */
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
merge_targets(
	struct branch_profile *into, const struct branch_profile *from, const uint32_t *sites)
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
	struct branch_profile *sum = into;
	const struct branch_profile *profile = from;
	size_t sites = sum->site_capacity;
	for (size_t i = 0; i < profile->site_capacity; i++) {
		if (profile->sites[i].executed && numbers->sites[i] + (size_t)1 > sites)
			sites = numbers->sites[i] + (size_t)1;
	}
	branch_stream_append(&sum->stream, &profile->stream, numbers);
	for (size_t i = 0; i < sum->stream.count; i++) {
		if (sum->stream.list[i].site != OP_NONE && sum->stream.list[i].site >= sites)
			sites = sum->stream.list[i].site + (size_t)1;
	}
	if (!reserve_sites(sum, sites) || !count_branches(sum))
		return false;
	sum->instructions += profile->instructions;
	sum->branches += profile->branches;
	sum->taken += profile->taken;
	sum->untracked_branches += profile->untracked_branches;
	sum->untracked_targets += profile->untracked_targets;
	for (size_t i = 0; i < BRANCHES_BITS; i++) {
		sum->pc_bits[i] += profile->pc_bits[i];
		sum->fallthrough_bits[i] += profile->fallthrough_bits[i];
	}
	for (size_t i = 0; i < profile->site_capacity; i++) {
		if (profile->sites[i].executed)
			merge_site(&sum->sites[numbers->sites[i]], &profile->sites[i], numbers);
	}
	return merge_targets(sum, profile, numbers->sites);
}

static size_t
branches_ratios(const void *state, struct analysis_ratio *ratios)
{
	const struct branch_profile *profile = state;
	ratios[0] = (struct analysis_ratio){"branch_ratio", "Branches per instruction",
		profile->branches, profile->instructions};
	ratios[1] = (struct analysis_ratio){
		"taken_ratio", "Taken branches per branch", profile->taken, profile->branches};
	return 2;
}

static void
branches_fini(void *state)
{
	struct branch_profile *profile = state;
	branch_stream_fini(&profile->stream);
	mem_free(profile->sites);
	pair_index_fini(&profile->targets);
	counters_fini(&profile->target_counts);
}

static void
transfer_site(struct archive *archive, struct branch_site *site)
{
	ARCHIVE(archive, site->executed);
	if (!site->executed)
		return;
	ARCHIVE(archive, site->taken);
	ARCHIVE(archive, site->transitions);
	archive_index(archive, &site->op, archive->ops);
	ARCHIVE(archive, site->first);
	ARCHIVE(archive, site->last);
}

static void
branches_transfer(void *state, struct archive *archive)
{
	struct branch_profile *profile = state;
	size_t sites = profile->site_capacity;
	branch_stream_transfer(&profile->stream, archive);
	ARCHIVE(archive, profile->instructions);
	ARCHIVE(archive, profile->branches);
	ARCHIVE(archive, profile->taken);
	ARCHIVE(archive, profile->untracked_branches);
	ARCHIVE_ARRAY(archive, profile->pc_bits);
	ARCHIVE_ARRAY(archive, profile->fallthrough_bits);
	ARCHIVE(archive, profile->untracked_targets);
	while (sites && !profile->sites[sites - 1].executed)
		sites--;
	sites = ARCHIVE_ROOM(archive, profile->sites, profile->site_capacity, sites);
	archive_require(archive, sites <= archive->sites);
	for (size_t i = 0; i < sites; i++)
		transfer_site(archive, &profile->sites[i]);
	archive_pairs(archive, &profile->targets, archive->sites);
	archive_counters(archive, &profile->target_counts, BRANCHES_TARGETS_MAX);
}

static const struct poly_option options[] = {
	{"branches.top", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1, .maximum = UINT32_MAX,
		.help = "list the N most executed sites per table"},
	{0},
};

/* Returns whether a trace identifies branches. */
static bool
branches_suits(const struct poly_trace_info *info)
{
	return poly_columns_overlap(info->columns, POLY_COLUMNS(branch, opcode, mnemonic));
}

const struct analysis analysis_branches = {
	.info = {.name = "branches",
		.title = "Branches",
		.summary = "branches by kind, taken ratios, target distances, direction and "
			   "target entropy",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(BRANCH_STREAM_COLUMNS),
		.is_default = true,
		.options = options},
	.shares = SHARES_OPS | SHARES_SITES | SHARES_CONTEXTS,
	.needs = NEEDS_FLOW,
	.suits = branches_suits,
	.needs_warmup = true,
	.state_size = sizeof(struct branch_profile),
	.init = branches_init,
	.begin = branches_begin,
	.update = branches_update,
	.merge = branches_merge,
	.transfer = branches_transfer,
	.ratios = branches_ratios,
	.report = branches_report,
	.fini = branches_fini,
};
