/* SPDX-License-Identifier: MIT */
/* What is told of branch prediction. */
#include "analysis/sim/branch.h"

#include "analysis/top_n.h"
#include "base/mem.h"

#include <stdio.h>

#define NAME_ROOM 60

/* Appends the cells of a count and of its ratio to a whole. */
static void
report_ratio(uint64_t count, uint64_t whole, struct poly_report *report)
{
	poly_report_cell_count(report, count);
	poly_report_cell_ratio(report, (double)count, (double)whole, 2);
}

/* Appends the cells of a predictor: storage, mispredictions, their ratio, and MPKI. */
static void
report_cells(const struct branch *it, const struct bpred_config *config, uint64_t wrong,
	struct poly_report *report)
{
	poly_report_cell_count(report, bpred_bits(config));
	report_ratio(wrong, it->branches, report);
	poly_report_cell_real(report, bpred_mpki(wrong, it->instructions), 3);
}

static void
report_columns(struct poly_report *report)
{
	poly_report_column(report, "storage_bits", true);
	poly_report_column(report, "mispredictions", true);
	poly_report_column(report, "misprediction_ratio", true);
	poly_report_column(report, "mpki", true);
}

static void
report_predictors(const struct branch *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "predictors");
	poly_report_column(report, "predictor", false);
	report_columns(report);
	plot.x = "predictor";
	plot.y[0] = "misprediction_ratio";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < it->count; i++) {
		char name[NAME_ROOM];
		branch_name(&it->predictors[i].config, name, sizeof name);
		poly_report_cell_text(report, name);
		report_cells(it, &it->predictors[i].config, it->predictors[i].wrong, report);
	}
	poly_report_end(report);
}

/* Predictors of a name are a line of the plot: those of a history, where these are swept. */
static void
swept_name(const struct branch *it, const struct bpred_config *config, char name[NAME_ROOM])
{
	if (it->sweeps_histories && config->kind == BPRED_GSHARE)
		snprintf(name, NAME_ROOM, "gshare, history %u", config->history);
	else
		snprintf(name, NAME_ROOM, "%s", bpred_name(config->kind));
}

static void
report_sweep(const struct branch *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "sweep");
	poly_report_column(report, "predictor", false);
	poly_report_column(report, "log2_counters", true);
	poly_report_column(report, "history_length", true);
	report_columns(report);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "log2_counters";
	plot.y[0] = "misprediction_ratio";
	plot.series = "predictor";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < it->swept_count; i++) {
		const struct bpred_config *config = &it->swept[i];
		char name[NAME_ROOM];
		swept_name(it, config, name);
		poly_report_cell_text(report, name);
		poly_report_cell_count(report, config->entries_log2);
		poly_report_cell_count(report, config->history);
		const uint64_t now = it->is_counting ? bpred_sweep_wrong(it->sweep, i) : 0;
		report_cells(it, config, it->swept_wrong[i] + now, report);
	}
	poly_report_end(report);
}

static void
report_budgets(const struct branch *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "largest_predictors_per_storage_budget");
	poly_report_column(report, "budget", true);
	poly_report_column(report, "kind", false);
	poly_report_column(report, "predictor", false);
	report_columns(report);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "budget";
	plot.y[0] = "misprediction_ratio";
	plot.series = "kind";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < it->budget_count; i++) {
		const struct branch_predictor *predictor = &it->budgets[i].predictor;
		char name[NAME_ROOM];
		branch_name(&predictor->config, name, sizeof name);
		poly_report_cell_count(report, it->budgets[i].bits);
		poly_report_cell_text(report, bpred_name(predictor->config.kind));
		poly_report_cell_text(report, name);
		report_cells(it, &predictor->config, predictor->wrong, report);
	}
	poly_report_end(report);
}

static void
report_sites(const struct branch *it, const struct static_ops *ops, struct poly_report *report)
{
	size_t most = it->top < it->sites.count ? (size_t)it->top : it->sites.count;
	uint32_t *worst = mem_new(most + 1, sizeof *worst);
	size_t count = worst ? bpred_sites_worst(&it->sites, worst, most) : 0;
	char name[NAME_ROOM], title[NAME_ROOM + 40];
	branch_name(&it->predictors[it->count - 1].config, name, sizeof name);
	snprintf(title, sizeof title, "Branches most mispredicted by %s", name);
	poly_report_table(report, "most_mispredicted_branches");
	poly_report_heading(report, title);
	top_n_site_columns(report);
	poly_report_column(report, "executions", true);
	poly_report_column(report, "taken", true);
	poly_report_column(report, "taken_ratio", true);
	poly_report_column(report, "mispredictions", true);
	poly_report_column(report, "misprediction_ratio", true);
	for (size_t i = 0; i < count; i++) {
		const struct bpred_site *site = &it->sites.sites[worst[i]];
		top_n_site_cells(report, ops, worst[i]);
		poly_report_cell_count(report, site->executions);
		report_ratio(site->taken, site->executions, report);
		report_ratio(site->wrong, site->executions, report);
	}
	poly_report_end(report);
	mem_free(worst);
}

static void
report_target(struct poly_report *report, const char *name, uint64_t asked, uint64_t right)
{
	poly_report_cell_text(report, name);
	poly_report_cell_count(report, asked);
	report_ratio(asked - right, asked, report);
}

static void
report_targets(const struct branch *it, struct poly_report *report)
{
	poly_report_table(report, "target_predictors");
	poly_report_column(report, "predictor", false);
	poly_report_column(report, "branches", true);
	poly_report_column(report, "mispredictions", true);
	poly_report_column(report, "misprediction_ratio", true);
	report_target(report, "BTB", it->btb_asked, it->btb_right);
	report_target(report, "RAS", it->returns, it->returns_right);
	report_target(report, "ITTAGE", it->indirect, it->indirect_right);
	poly_report_end(report);
}

void
branch_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct branch *it = state;
	poly_report_count(report, "instructions", it->instructions);
	poly_report_count(report, "predicted_branches", it->branches);
	poly_report_count(report, "taken_branches", it->taken);
	if (it->instructions && !it->jumps.derives_outcomes && !it->jumps.has_outcomes)
		branch_stream_report_note("", report);
	report_predictors(it, report);
	if (it->sweep)
		report_sweep(it, report);
	if (it->budget_count)
		report_budgets(it, report);
	report_sites(it, ops, report);
	report_targets(it, report);
}
