/* SPDX-License-Identifier: MIT */
/* What the analysis dependencies tells. */
#include "analysis/stats/dependencies.h"

static double
percent(uint64_t part, uint64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

/* The least distance of a bin. */
static uint64_t
bin_distance(unsigned bin)
{
	return bin ? (uint64_t)1 << (bin - 1) : 0;
}

/* A count of a table and its share. */
static void
cell_share(struct poly_report *report, uint64_t part, uint64_t whole)
{
	poly_report_cell_count(report, part);
	poly_report_cell_real(report, percent(part, whole), 2);
}

static uint64_t
sum(const uint64_t *counts, size_t n)
{
	uint64_t total = 0;
	for (size_t i = 0; i < n; i++)
		total += counts[i];
	return total;
}

/* The plot of a table by distance. */
static void
plot_distances(struct poly_report *report, const char *const *y)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "distance";
	for (size_t i = 0; y[i]; i++)
		plot.y[i] = y[i];
	plot.x_title = "Distance, up to the next one";
	plot.x_unit = "instructions";
	plot.y_title = "Share";
	plot.y_unit = "%";
	poly_report_plot(report, &plot);
}

static void
report_registers(const struct dependencies *it, struct poly_report *report)
{
	static const char *const shares[] = {"reads_percent", "load_uses_percent", NULL};
	const uint64_t reads = sum(it->read_distances, DISTANCE_BINS),
		       uses = sum(it->use_distances, DISTANCE_BINS);
	poly_report_count(report, "register_reads", it->reads);
	poly_report_count(report, "unwritten_reads", it->unwritten);
	poly_report_count(report, "register_writes", it->writes);
	poly_report_table(report, "distances");
	poly_report_column(report, "distance", true);
	poly_report_column(report, "reads", true);
	poly_report_column(report, "reads_percent", true);
	poly_report_column(report, "load_uses", true);
	poly_report_column(report, "load_uses_percent", true);
	plot_distances(report, shares);
	for (unsigned i = 0; i < DISTANCE_BINS; i++) {
		if (!it->read_distances[i])
			continue;
		poly_report_cell_count(report, bin_distance(i));
		cell_share(report, it->read_distances[i], reads);
		cell_share(report, it->use_distances[i], uses);
	}
	poly_report_end(report);
}

static void
report_reuse(const struct dependencies *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_count(report, "overwritten", it->overwritten);
	poly_report_count(report, "dead", it->reuse[0]);
	poly_report_real(report, "dead_percent", percent(it->reuse[0], it->overwritten), 2);
	poly_report_table(report, "reuse");
	poly_report_column(report, "reads", true);
	poly_report_column(report, "values", true);
	poly_report_column(report, "percent", true);
	plot.kind = POLY_PLOT_BARS;
	plot.x = "reads";
	plot.y[0] = "values";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i <= READS_MOST; i++) {
		if (!it->reuse[i])
			continue;
		poly_report_cell_count(report, i);
		cell_share(report, it->reuse[i], it->overwritten);
	}
	poly_report_end(report);
}

static void
report_loads(const struct dependencies *it, struct poly_report *report)
{
	static const char *const names[] = {
		"independent", "same", "contained", "several", "partial"};
	const uint64_t loads = sum(it->loads, LOAD_SOURCES);
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_count(report, "stores", it->stores);
	poly_report_count(report, "untold_bytes", it->untold);
	poly_report_table(report, "loads");
	poly_report_column(report, "source", false);
	poly_report_column(report, "count", true);
	poly_report_column(report, "percent", true);
	poly_report_column(report, "near", true);
	plot.kind = POLY_PLOT_BARS;
	plot.x = "source";
	plot.y[0] = "count";
	plot.y[1] = "near";
	plot.y_title = "Loads";
	poly_report_plot(report, &plot);
	for (size_t i = 0; loads && i < LOAD_SOURCES; i++) {
		poly_report_cell_text(report, names[i]);
		cell_share(report, it->loads[i], loads);
		poly_report_cell_count(report, it->near[i]);
	}
	poly_report_end(report);
	const uint64_t hazards = it->near[LOAD_SEVERAL] + it->near[LOAD_PARTIAL];
	poly_report_count(report, "hazards", hazards);
	poly_report_real(report, "hazards_percent", percent(hazards, loads), 2);
}

static void
report_memory(const struct dependencies *it, struct poly_report *report)
{
	static const char *const shares[] = {"percent", NULL};
	const uint64_t total = sum(it->load_distances, DISTANCE_BINS);
	poly_report_table(report, "store_load");
	poly_report_column(report, "distance", true);
	poly_report_column(report, "count", true);
	poly_report_column(report, "percent", true);
	plot_distances(report, shares);
	for (unsigned i = 0; i < DISTANCE_BINS; i++) {
		if (!it->load_distances[i])
			continue;
		poly_report_cell_count(report, bin_distance(i));
		cell_share(report, it->load_distances[i], total);
	}
	poly_report_end(report);
}

void
dependencies_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct dependencies *it = state;
	(void)ops;
	poly_report_count(report, "instructions", it->instructions);
	poly_report_count(report, "unknown", it->unknown);
	report_registers(it, report);
	report_reuse(it, report);
	report_loads(it, report);
	report_memory(it, report);
	poly_report_count(report, "stack_stores", it->stack_stores);
	poly_report_count(report, "reloaded", it->reloaded);
	poly_report_count(report, "reloads", it->reloads);
}
