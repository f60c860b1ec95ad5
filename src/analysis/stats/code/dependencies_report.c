/* SPDX-License-Identifier: MIT */
/* The report of the analysis dependencies. */
#include "analysis/stats/code/dependencies.h"

#include "analysis/facts/access_stats.h"
#include "analysis/facts/top_n.h"
#include "report/table.h"

/* Returns the min. distance of a bin. */
static uint64_t
bin_distance(unsigned bin)
{
	return bin ? (uint64_t)1 << (bin - 1) : 0;
}

static uint64_t
sum(const uint64_t *counts, size_t n)
{
	uint64_t total = 0;
	for (size_t i = 0; i < n; i++)
		total += counts[i];
	return total;
}

/* Adds the plot of a table by distance. */
static void
plot_distances(struct poly_report *report, const char *const *y)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "distance";
	for (size_t i = 0; y[i]; i++)
		plot.y[i] = y[i];
	plot.y_title = "Share";
	plot.y_unit = "%";
	poly_report_plot(report, &plot);
}

static void
report_registers(const struct dependencies *dependencies, struct poly_report *report)
{
	static const char *const shares[] = {"read_share", "load_use_share", NULL};
	const uint64_t reads = sum(dependencies->read_distances, DISTANCE_BINS),
		       uses = sum(dependencies->use_distances, DISTANCE_BINS);
	poly_report_count(report, "register_reads", dependencies->reads);
	poly_report_count(report, "reads_of_unwritten_registers", dependencies->unwritten);
	poly_report_count(report, "register_writes", dependencies->writes);
	table_open(report, "def_use_distance",
		"distance reads read_share load_uses load_use_share");
	plot_distances(report, shares);
	for (unsigned i = 0; i < DISTANCE_BINS; i++) {
		if (!dependencies->read_distances[i])
			continue;
		poly_report_cell_count(report, bin_distance(i));
		top_n_cells(report, dependencies->read_distances[i], reads);
		top_n_cells(report, dependencies->use_distances[i], uses);
	}
	poly_report_end(report);
}

static void
report_reuse(const struct dependencies *dependencies, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_count(report, "overwritten_values", dependencies->overwritten);
	poly_report_count(report, "dead_writes", dependencies->reuse[0]);
	poly_report_ratio(report, "dead_write_ratio", (double)dependencies->reuse[0],
		(double)dependencies->overwritten, 2);
	table_open(report, "reads_per_value", "reads values share");
	plot.kind = POLY_PLOT_BARS;
	plot.x = "reads";
	plot.y[0] = "values";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i <= READS_MAX; i++) {
		if (!dependencies->reuse[i])
			continue;
		poly_report_cell_count(report, i);
		top_n_cells(report, dependencies->reuse[i], dependencies->overwritten);
	}
	poly_report_end(report);
}

static void
report_loads(const struct dependencies *dependencies, struct poly_report *report)
{
	static const char *const names[] = {
		"independent", "same", "contained", "several", "partial"};
	const uint64_t loads = sum(dependencies->loads, LOAD_SOURCES);
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_count(report, "stores", dependencies->stores);
	poly_report_count(report, "untracked_bytes", dependencies->untracked_bytes);
	report_truncated_accesses(report, dependencies->truncated);
	table_open(report, "store_to_load_forwarding", "source:text loads share near_loads");
	plot.kind = POLY_PLOT_BARS;
	plot.x = "source";
	plot.y[0] = "loads";
	plot.y[1] = "near_loads";
	plot.y_title = "Loads";
	poly_report_plot(report, &plot);
	for (size_t i = 0; loads && i < LOAD_SOURCES; i++) {
		poly_report_cell_text(report, names[i]);
		top_n_cells(report, dependencies->loads[i], loads);
		poly_report_cell_count(report, dependencies->near[i]);
	}
	poly_report_end(report);
	const uint64_t hazards =
		dependencies->near[LOAD_SEVERAL] + dependencies->near[LOAD_PARTIAL];
	poly_report_count(report, "forwarding_hazards", hazards);
	poly_report_ratio(report, "forwarding_hazard_ratio", (double)hazards, (double)loads, 2);
}

static void
report_memory(const struct dependencies *dependencies, struct poly_report *report)
{
	static const char *const shares[] = {"share", NULL};
	const uint64_t total = sum(dependencies->load_distances, DISTANCE_BINS);
	table_open(report, "store_to_load_distance", "distance loads share");
	plot_distances(report, shares);
	for (unsigned i = 0; i < DISTANCE_BINS; i++) {
		if (!dependencies->load_distances[i])
			continue;
		poly_report_cell_count(report, bin_distance(i));
		top_n_cells(report, dependencies->load_distances[i], total);
	}
	poly_report_end(report);
}

void
dependencies_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct dependencies *dependencies = state;
	(void)ops;
	poly_report_count(report, "instructions", dependencies->instructions);
	poly_report_count(report, "undecoded_instructions", dependencies->undecoded);
	report_registers(dependencies, report);
	report_reuse(dependencies, report);
	report_loads(dependencies, report);
	report_memory(dependencies, report);
	poly_report_count(report, "stack_stores", dependencies->stack_stores);
	poly_report_count(report, "reloaded_stores", dependencies->reloaded);
	poly_report_count(report, "stack_reloads", dependencies->reloads);
}
