/* SPDX-License-Identifier: MIT */
/* What is told of branches. */
#include "analysis/stats/branches.h"

#include "analysis/top_n.h"
#include "base/mem.h"

#include <math.h>

/* Classes of how often a site is taken, a tenth wide. */
#define TENTHS 10

/* What is known of a site when all is counted. */
struct summary {
	uint64_t targets;     /* different ones that were kept */
	uint64_t target_sum;  /* times that these were branched to */
	double weighted_logs; /* sum of n log2 n over them */
};

/* Bits of information in a choice, n log2 n summed over its parts. */
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

static struct summary *
summarise(const struct branches *it)
{
	struct summary *sites = mem_new((size_t)it->site_capacity + 1, sizeof *sites);
	for (uint32_t i = 0; sites && i < it->targets.count; i++) {
		struct summary *site = &sites[it->targets.list[i].a];
		const uint64_t n = counters_at(&it->target_counts, i);
		site->targets++;
		site->target_sum += n;
		site->weighted_logs += weighted_log(n);
	}
	return sites;
}

static void
report_kinds(const struct branches *it, const struct static_ops *ops, uint64_t all,
	struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t executed[BRANCH_KIND_COUNT] = {0}, taken[BRANCH_KIND_COUNT] = {0},
		 sites[BRANCH_KIND_COUNT] = {0};
	for (size_t i = 0; i < it->site_capacity; i++) {
		const struct branch_site *site = &it->sites[i];
		if (!site->executed)
			continue;
		const enum branch_kind kind = branch_kind_of(static_op_at(ops, site->op));
		executed[kind] += site->executed;
		taken[kind] += site->taken;
		sites[kind]++;
	}
	poly_report_table(report, "kinds");
	poly_report_column(report, "kind", false);
	top_n_columns(report);
	poly_report_column(report, "taken", true);
	poly_report_column(report, "taken_percent", true);
	poly_report_column(report, "sites", true);
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
	return site->executed && (static_op_at(ops, site->op)->flow & OP_CONDITIONAL);
}

static void
report_conditional(
	const struct branches *it, const struct static_ops *ops, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t executed[TENTHS] = {0}, sites[TENTHS] = {0}, all = 0, taken = 0, changed = 0;
	double bits = 0;
	for (size_t i = 0; i < it->site_capacity; i++) {
		const struct branch_site *site = &it->sites[i];
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
	poly_report_count(report, "conditional", all);
	poly_report_count(report, "conditional_taken", taken);
	poly_report_real(report, "conditional_taken_percent", top_n_percent(taken, all), 2);
	poly_report_real(report, "transition_percent", top_n_percent(changed, all), 2);
	poly_report_real(report, "direction_entropy", bits / (double)all, 4);
	poly_report_table(report, "bias");
	poly_report_column(report, "from_percent", true);
	poly_report_column(report, "sites", true);
	top_n_columns(report);
	plot.x = "from_percent";
	plot.y[0] = "percent";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i < TENTHS && all; i++) {
		poly_report_cell_count(report, 100 / TENTHS * i);
		poly_report_cell_count(report, sites[i]);
		top_n_cells(report, executed[i], all);
	}
	poly_report_end(report);
}

/* The most executed sites, all or those that are indirect alone. */
static struct ranked *
rank_sites(const struct branches *it, const struct static_ops *ops, bool indirect, size_t *n)
{
	struct ranked *ranks = mem_new((size_t)it->site_capacity + 1, sizeof *ranks);
	*n = 0;
	for (size_t i = 0; ranks && i < it->site_capacity; i++) {
		const struct branch_site *site = &it->sites[i];
		if (site->executed &&
			(!indirect || (static_op_at(ops, site->op)->flow & OP_INDIRECT)))
			ranks[(*n)++] = (struct ranked){site->executed, i};
	}
	if (ranks)
		top_n_sort(ranks, *n);
	return ranks;
}

static void
report_site(const struct branches *it, const struct static_ops *ops, uint32_t number,
	struct poly_report *report)
{
	const struct branch_site *site = &it->sites[number];
	poly_report_cell_address(report, ops->sites[number].pc, 8);
	poly_report_cell_text(report, static_op_at(ops, site->op)->mnemonic);
	poly_report_cell_text(
		report, branch_kind_name(branch_kind_of(static_op_at(ops, site->op))));
}

static void
report_sites(const struct branches *it, const struct static_ops *ops, uint64_t all,
	struct poly_report *report)
{
	size_t n;
	struct ranked *ranks = rank_sites(it, ops, false, &n);
	poly_report_table(report, "sites");
	top_n_site_columns(report);
	poly_report_column(report, "kind", false);
	top_n_columns(report);
	poly_report_column(report, "taken", true);
	poly_report_column(report, "taken_percent", true);
	poly_report_column(report, "transitions", true);
	poly_report_column(report, "entropy", true);
	for (size_t i = 0; i < n && i < it->top; i++) {
		const struct branch_site *site = &it->sites[ranks[i].number];
		report_site(it, ops, (uint32_t)ranks[i].number, report);
		top_n_cells(report, site->executed, all);
		top_n_cells(report, site->taken, site->executed);
		poly_report_cell_count(report, site->transitions);
		poly_report_cell_real(report, direction_entropy(site), 4);
	}
	poly_report_end(report);
	mem_free(ranks);
}

static void
report_indirect(
	const struct branches *it, const struct static_ops *ops, struct poly_report *report)
{
	size_t n;
	struct ranked *ranks = rank_sites(it, ops, true, &n);
	struct summary *sites = summarise(it);
	uint64_t taken = 0;
	double bits = 0;
	for (size_t i = 0; sites && i < it->site_capacity; i++) {
		taken += sites[i].target_sum;
		bits += entropy(sites[i].target_sum, sites[i].weighted_logs) *
			(double)sites[i].target_sum;
	}
	poly_report_count(report, "indirect", taken);
	poly_report_real(report, "target_entropy", bits / (double)taken, 4);
	if (it->beyond)
		poly_report_count(report, "beyond", it->beyond);
	poly_report_table(report, "indirect_sites");
	top_n_site_columns(report);
	poly_report_column(report, "kind", false);
	poly_report_column(report, "count", true);
	poly_report_column(report, "targets", true);
	poly_report_column(report, "entropy", true);
	for (size_t i = 0; sites && i < n && i < it->top; i++) {
		const struct summary *site = &sites[ranks[i].number];
		report_site(it, ops, (uint32_t)ranks[i].number, report);
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
report_distances(const struct branches *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "distances");
	poly_report_column(report, "bits", true);
	poly_report_column(report, "from_pc", true);
	poly_report_column(report, "from_behind", true);
	plot.x = "bits";
	plot.y[0] = "from_pc";
	plot.y[1] = "from_behind";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < BRANCHES_BITS; i++) {
		if (!it->bits[i] && !it->bits_behind[i])
			continue;
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, it->bits[i]);
		poly_report_cell_count(report, it->bits_behind[i]);
	}
	poly_report_end(report);
}

void
branches_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct branches *it = state;
	const uint64_t all = it->branches;
	poly_report_count(report, "branches", all);
	poly_report_real(report, "percent", top_n_percent(all, it->instructions), 2);
	poly_report_count(report, "taken", it->taken);
	poly_report_real(report, "taken_percent", top_n_percent(it->taken, all), 2);
	if (it->unplaced)
		poly_report_count(report, "unplaced", it->unplaced);
	report_kinds(it, ops, all, report);
	report_conditional(it, ops, report);
	report_indirect(it, ops, report);
	report_sites(it, ops, all, report);
	report_distances(it, report);
}
