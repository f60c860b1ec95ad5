/* SPDX-License-Identifier: MIT */
/* What a pipeline took, as sections of a report. */
#include "analysis/sim/pipeline_sweep.h"

#include "analysis/branch_stream.h"

#include <string.h>

static double
quotient(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Where cycles went: parts that add up to all of them. */
static void
report_parts(const struct pipeline_result *result, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "cpi_stack");
	poly_report_column(report, "component", false);
	poly_report_column(report, "cycles", true);
	poly_report_column(report, "share", true);
	poly_report_column(report, "cycles_per_uop", true);
	plot.kind = POLY_PLOT_BARS;
	plot.title = "CPI stack";
	plot.x = "component";
	plot.y[0] = "cycles_per_uop";
	plot.y_title = "Cycles per µop";
	plot.y_unit = "cycles";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i < PIPELINE_PARTS; i++) {
		if (!result->parts[i])
			continue;
		poly_report_cell_text(report, pipeline_part_name((enum pipeline_part)i));
		poly_report_cell_count(report, result->parts[i]);
		poly_report_cell_ratio(
			report, (double)result->parts[i], (double)result->cycles, 2);
		poly_report_cell_real(report, quotient(result->parts[i], result->ops), 4);
	}
	poly_report_end(report);
}

static void
report_met(const struct pipeline_analysis *it, struct poly_report *report)
{
	const struct pipeline_met *met = &it->met;
	if (it->machine.has_bpred) {
		poly_report_count(report, "conditional_branches", met->branches);
		poly_report_count(report, "mispredictions", met->mispredicted);
		poly_report_ratio(report, "misprediction_ratio", (double)met->mispredicted,
			(double)met->branches, 2);
	}
	if (it->machine.has_cache) {
		poly_report_count(report, "accesses", met->accesses);
		poly_report_count(report, "misses", met->misses);
		poly_report_ratio(
			report, "miss_ratio", (double)met->misses, (double)met->accesses, 2);
	}
}

static void
report_sweep(const struct pipeline_analysis *it, uint64_t ops, struct poly_report *report)
{
	uint64_t cycles[PIPELINE_SWEEP_MOST];
	memcpy(cycles, it->sweep->cycles, sizeof cycles);
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (it->streams[i] && it->is_counting)
			pipeline_sweep_stream_add(it->streams[i]->sweep, cycles);
	}
	pipeline_sweep_report(it->sweep, cycles, ops, report);
}

void
pipeline_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct pipeline_analysis *it = state;
	struct pipeline_result result = it->total;
	(void)ops;
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (it->streams[i] && it->is_counting)
			pipeline_stream_add(it->streams[i], &result);
	}
	poly_report_count(report, "uops", result.ops);
	poly_report_count(report, "cycles", result.cycles);
	poly_report_real(report, "cycles_per_uop", quotient(result.cycles, result.ops), 4);
	poly_report_real(report, "uops_per_cycle", quotient(result.ops, result.cycles), 4);
	if (result.ops && !it->is_told_late && !it->is_told)
		branch_stream_report_note(", so all count as not taken", report);
	report_met(it, report);
	if (it->machine.is_ooo && it->machine.ooo.memory >= PIPELINE_MEMORY_NAIVE)
		poly_report_count(report, "memory_order_squashes", result.squashes);
	poly_report_count(report, "uops_without_known_registers", it->met.unknown);
	if (it->cut_ops && result.ops)
		poly_report_count(report, "operations_with_excess_registers", it->cut_ops);
	if (it->left_out)
		poly_report_count(report, "untracked_uops", it->left_out);
	report_parts(&result, report);
	if (it->sweep)
		report_sweep(it, result.ops, report);
}
