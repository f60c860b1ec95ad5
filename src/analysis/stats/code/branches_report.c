/* SPDX-License-Identifier: MIT */
/* The report of branches. */
#include "analysis/stats/code/branches.h"

#include "analysis/facts/top_n.h"
#include "base/mem.h"
#include "report/table.h"

#include <math.h>

/* Number of classes of taken ratios. */
#define TENTHS 10

/* The targets of a site. */
struct target_summary {
	uint64_t targets;     /* number of unique tracked targets */
	uint64_t target_sum;  /* branches to these */
	double weighted_logs; /* sum of n log2 n over them */
};

/* Returns the Shannon entropy in bits; weighted_logs: n log2 n summed over all outcomes. */
static double
entropy(uint64_t whole, double weighted_logs)
{
	return whole ? log2((double)whole) - weighted_logs / (double)whole : 0;
}

static double
weighted_log(uint64_t n)
{
	return n ? (double)n * log2((double)n) : 0;
}

static double
direction_entropy(const struct branch_site *site)
{
	return entropy(site->executed,
		weighted_log(site->taken) + weighted_log(site->executed - site->taken));
}

static struct target_summary *
summarize_targets(const struct branch_profile *profile)
{
	struct target_summary *sites =
		mem_new((size_t)profile->site_capacity + 1, sizeof *sites);
	for (uint32_t i = 0; sites && i < profile->targets.count; i++) {
		struct target_summary *site = &sites[profile->targets.list[i].a];
		const uint64_t n = counters_at(&profile->target_counts, i);
		site->targets++;
		site->target_sum += n;
		site->weighted_logs += weighted_log(n);
	}
	return sites;
}

static void
report_kinds(const struct branch_profile *profile, const struct static_ops *ops, uint64_t all,
	struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t executed[BRANCH_KIND_COUNT] = {0}, taken[BRANCH_KIND_COUNT] = {0},
		 sites[BRANCH_KIND_COUNT] = {0};
	for (size_t i = 0; i < profile->site_capacity; i++) {
		const struct branch_site *site = &profile->sites[i];
		if (!site->executed)
			continue;
		const enum branch_kind kind = branch_kind_of(static_op_at(ops, site->op));
		executed[kind] += site->executed;
		taken[kind] += site->taken;
		sites[kind]++;
	}
	table_open(report, "branch_kinds", "kind:text");
	top_n_columns(report);
	table_columns(report, "taken taken_ratio sites");
	plot.x = "kind";
	plot.y[0] = "count";
	plot.y[1] = "taken";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i < BRANCH_KIND_COUNT; i++) {
		if (!executed[i])
			continue;
		poly_report_cell_text(report, branch_kind_name((enum branch_kind)i));
		top_n_cells(report, executed[i], all);
		top_n_cells(report, taken[i], executed[i]);
		poly_report_cell_count(report, sites[i]);
	}
	poly_report_end(report);
}

static bool
is_conditional(const struct branch_site *site, const struct static_ops *ops)
{
	return site->executed && (static_op_at(ops, site->op)->flow & ISA_CONDITIONAL);
}

static void
report_conditional(const struct branch_profile *profile, const struct static_ops *ops,
	struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t executed[TENTHS] = {0}, sites[TENTHS] = {0}, all = 0, taken = 0, changed = 0;
	double bits = 0;
	for (size_t i = 0; i < profile->site_capacity; i++) {
		const struct branch_site *site = &profile->sites[i];
		if (!is_conditional(site, ops))
			continue;
		const uint64_t tenth = site->taken * TENTHS / site->executed;
		executed[tenth < TENTHS ? tenth : TENTHS - 1] += site->executed;
		sites[tenth < TENTHS ? tenth : TENTHS - 1]++;
		all += site->executed;
		taken += site->taken;
		changed += site->transitions;
		bits += direction_entropy(site) * (double)site->executed;
	}
	poly_report_count(report, "conditional_branches", all);
	poly_report_count(report, "taken_conditional_branches", taken);
	poly_report_ratio(report, "conditional_taken_ratio", (double)taken, (double)all, 2);
	poly_report_ratio(report, "direction_change_ratio", (double)changed, (double)all, 2);
	poly_report_real(report, "direction_entropy", bits / (double)all, 4);
	table_open(report, "branch_bias", "min_taken_ratio sites");
	top_n_columns(report);
	plot.x = "min_taken_ratio";
	plot.y[0] = "share";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i < TENTHS && all; i++) {
		poly_report_cell_ratio(report, i, TENTHS, 0);
		poly_report_cell_count(report, sites[i]);
		top_n_cells(report, executed[i], all);
	}
	poly_report_end(report);
}

/* Returns all executed sites, or only the indirect ones, by falling executions. */
static struct ranked *
rank_sites(const struct branch_profile *profile, const struct static_ops *ops, bool indirect,
	size_t *n)
{
	struct ranked *ranks = mem_new((size_t)profile->site_capacity + 1, sizeof *ranks);
	*n = 0;
	for (size_t i = 0; ranks && i < profile->site_capacity; i++) {
		const struct branch_site *site = &profile->sites[i];
		if (site->executed &&
			(!indirect || (static_op_at(ops, site->op)->flow & ISA_INDIRECT)))
			ranks[(*n)++] = (struct ranked){site->executed, i};
	}
	if (ranks)
		top_n_sort(ranks, *n);
	return ranks;
}

static void
report_site(const struct branch_profile *profile, const struct static_ops *ops, uint32_t number,
	struct poly_report *report)
{
	const struct branch_site *site = &profile->sites[number];
	poly_report_cell_address(report, ops->sites[number].pc, 8);
	poly_report_cell_text(report, static_op_at(ops, site->op)->mnemonic);
	poly_report_cell_text(
		report, branch_kind_name(branch_kind_of(static_op_at(ops, site->op))));
}

static void
report_sites(const struct branch_profile *profile, const struct static_ops *ops, uint64_t all,
	struct poly_report *report)
{
	size_t n;
	struct ranked *ranks = rank_sites(profile, ops, false, &n);
	poly_report_table(report, "hottest_branches");
	top_n_site_columns(report);
	poly_report_column(report, "kind", false);
	top_n_columns(report);
	table_columns(report, "taken taken_ratio direction_changes direction_entropy");
	for (size_t i = 0; i < n && i < profile->top; i++) {
		const struct branch_site *site = &profile->sites[ranks[i].number];
		report_site(profile, ops, (uint32_t)ranks[i].number, report);
		top_n_cells(report, site->executed, all);
		top_n_cells(report, site->taken, site->executed);
		poly_report_cell_count(report, site->transitions);
		poly_report_cell_real(report, direction_entropy(site), 4);
	}
	poly_report_end(report);
	mem_free(ranks);
}

static void
report_indirect(const struct branch_profile *profile, const struct static_ops *ops,
	struct poly_report *report)
{
	size_t n;
	struct ranked *ranks = rank_sites(profile, ops, true, &n);
	struct target_summary *sites = summarize_targets(profile);
	uint64_t taken = 0;
	double bits = 0;
	for (size_t i = 0; sites && i < profile->site_capacity; i++) {
		taken += sites[i].target_sum;
		bits += entropy(sites[i].target_sum, sites[i].weighted_logs) *
			(double)sites[i].target_sum;
	}
	poly_report_count(report, "taken_indirect_branches", taken);
	poly_report_real(report, "target_entropy", bits / (double)taken, 4);
	if (profile->untracked_targets)
		poly_report_count(report, "untracked_targets", profile->untracked_targets);
	poly_report_table(report, "hottest_indirect_branches");
	top_n_site_columns(report);
	table_columns(report, "kind:text count targets target_entropy");
	for (size_t i = 0; sites && i < n && i < profile->top; i++) {
		const struct target_summary *site = &sites[ranks[i].number];
		report_site(profile, ops, (uint32_t)ranks[i].number, report);
		poly_report_cell_count(report, ranks[i].count);
		poly_report_cell_count(report, site->targets);
		poly_report_cell_real(
			report, entropy(site->target_sum, site->weighted_logs), 4);
	}
	poly_report_end(report);
	mem_free(sites);
	mem_free(ranks);
}

static void
report_distances(const struct branch_profile *profile, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "branch_distances", "distance_bits from_pc from_fallthrough");
	plot.x = "distance_bits";
	plot.y[0] = "from_pc";
	plot.y[1] = "from_fallthrough";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < BRANCHES_BITS; i++) {
		if (!profile->pc_bits[i] && !profile->fallthrough_bits[i])
			continue;
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, profile->pc_bits[i]);
		poly_report_cell_count(report, profile->fallthrough_bits[i]);
	}
	poly_report_end(report);
}

void
branches_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct branch_profile *profile = state;
	const uint64_t all = profile->branches;
	poly_report_count(report, "branches", all);
	poly_report_ratio(
		report, "branch_ratio", (double)all, (double)profile->instructions, 2);
	poly_report_count(report, "taken", profile->taken);
	poly_report_ratio(report, "taken_ratio", (double)profile->taken, (double)all, 2);
	if (profile->untracked_branches)
		poly_report_count(report, "untracked_branches", profile->untracked_branches);
	report_kinds(profile, ops, all, report);
	report_conditional(profile, ops, report);
	report_indirect(profile, ops, report);
	report_sites(profile, ops, all, report);
	report_distances(profile, report);
}
