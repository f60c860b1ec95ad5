/* SPDX-License-Identifier: MIT */
/* Reports branch prediction. */
#include "analysis/sim/branch/branch.h"

#include "analysis/facts/top_n.h"
#include "base/mem.h"
#include "report/table.h"

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
report_cells(const struct branch_simulation *sim, const struct bpred_config *config,
	uint64_t mispredictions, struct poly_report *report)
{
	poly_report_cell_count(report, bpred_bits(config));
	report_ratio(mispredictions, sim->branches, report);
	poly_report_cell_real(report, bpred_mpki(mispredictions, sim->instructions), 3);
}

static void
report_columns(struct poly_report *report)
{
	table_columns(report, "storage_bits mispredictions misprediction_ratio mpki");
}

static void
report_predictors(const struct branch_simulation *sim, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "predictors", "predictor:text");
	report_columns(report);
	plot.x = "predictor";
	plot.y[0] = "misprediction_ratio";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < sim->count; i++) {
		char name[NAME_ROOM];
		branch_format_name(&sim->predictors[i].config, name, sizeof name);
		poly_report_cell_text(report, name);
		report_cells(sim, &sim->predictors[i].config, sim->predictors[i].mispredictions,
			report);
	}
	poly_report_end(report);
}

/* Formats the name of a curve of the plot: the predictor, and its history length if it is
 * swept. */
static void
swept_name(const struct branch_simulation *sim, const struct bpred_config *config,
	char name[NAME_ROOM])
{
	if (sim->sweeps_histories && config->kind == BPRED_GSHARE)
		snprintf(name, NAME_ROOM, "gshare, history %u", config->history);
	else
		snprintf(name, NAME_ROOM, "%s", bpred_name(config->kind));
}

static void
report_sweep(const struct branch_simulation *sim, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "sweep", "predictor:text log2_counters history_length");
	report_columns(report);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "log2_counters";
	plot.y[0] = "misprediction_ratio";
	plot.series = "predictor";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < sim->swept_count; i++) {
		const struct bpred_config *config = &sim->swept_configs[i];
		char name[NAME_ROOM];
		swept_name(sim, config, name);
		poly_report_cell_text(report, name);
		poly_report_cell_count(report, config->entries_log2);
		poly_report_cell_count(report, config->history);
		report_cells(sim, config, branch_swept_mispredictions(sim, i), report);
	}
	poly_report_end(report);
}

static void
report_budgets(const struct branch_simulation *sim, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "largest_predictors_per_storage_budget",
		"budget kind:text predictor:text");
	report_columns(report);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "budget";
	plot.y[0] = "misprediction_ratio";
	plot.series = "kind";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < sim->budget_count; i++) {
		const struct branch_predictor *predictor = &sim->budgets[i].predictor;
		char name[NAME_ROOM];
		branch_format_name(&predictor->config, name, sizeof name);
		poly_report_cell_count(report, sim->budgets[i].bits);
		poly_report_cell_text(report, bpred_name(predictor->config.kind));
		poly_report_cell_text(report, name);
		report_cells(sim, &predictor->config, predictor->mispredictions, report);
	}
	poly_report_end(report);
}

static void
report_sites(const struct branch_simulation *sim, const struct static_ops *ops,
	struct poly_report *report)
{
	size_t max = sim->top < sim->sites.count ? (size_t)sim->top : sim->sites.count;
	uint32_t *sites = mem_new(max + 1, sizeof *sites);
	size_t count = sites ? bpred_sites_worst(&sim->sites, sites, max) : 0;
	char name[NAME_ROOM], title[NAME_ROOM + 40];
	branch_format_name(&sim->predictors[sim->count - 1].config, name, sizeof name);
	snprintf(title, sizeof title, "Branches most mispredicted by %s", name);
	poly_report_table(report, "most_mispredicted_branches");
	poly_report_heading(report, title);
	top_n_site_columns(report);
	table_columns(
		report, "executions taken taken_ratio mispredictions misprediction_ratio");
	for (size_t i = 0; i < count; i++) {
		const struct bpred_site *site = &sim->sites.sites[sites[i]];
		top_n_site_cells(report, ops, sites[i]);
		poly_report_cell_count(report, site->executions);
		report_ratio(site->taken, site->executions, report);
		report_ratio(site->wrong, site->executions, report);
	}
	poly_report_end(report);
	mem_free(sites);
}

static void
report_target(struct poly_report *report, const char *name, uint64_t lookups, uint64_t hit)
{
	poly_report_cell_text(report, name);
	poly_report_cell_count(report, lookups);
	report_ratio(lookups - hit, lookups, report);
}

static void
report_targets(const struct branch_simulation *sim, struct poly_report *report)
{
	table_open(report, "target_predictors",
		"predictor:text branches mispredictions misprediction_ratio");
	report_target(report, "BTB", sim->btb_lookups, sim->btb_hits);
	report_target(report, "RAS", sim->ras_lookups, sim->ras_hits);
	report_target(report, "ITTAGE", sim->ittage_lookups, sim->ittage_hits);
	poly_report_end(report);
}

void
branch_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct branch_simulation *sim = state;
	poly_report_count(report, "instructions", sim->instructions);
	poly_report_count(report, "predicted_branches", sim->branches);
	poly_report_count(report, "taken_branches", sim->taken);
	if (sim->instructions && !sim->stream.derives_outcomes && !sim->stream.has_outcomes)
		branch_stream_report_note("", report);
	report_predictors(sim, report);
	if (sim->swept_count)
		report_sweep(sim, report);
	if (sim->budget_count)
		report_budgets(sim, report);
	report_sites(sim, ops, report);
	report_targets(sim, report);
}
