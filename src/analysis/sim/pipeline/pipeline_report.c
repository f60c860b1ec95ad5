/* SPDX-License-Identifier: MIT */
/* Reports pipelines. */
#include "analysis/sim/pipeline/pipeline_stalls.h"
#include "analysis/sim/pipeline/pipeline_sweep.h"

#include "analysis/facts/branch_stream.h"
#include "report/table.h"

static double
divide(uint64_t part, uint64_t fits)
{
	return fits ? (double)part / (double)fits : 0;
}

/* Reports the CPI stack, whose components add up to all cycles. */
static void
report_cpi_stack(
	const struct pipeline_result *result, uint64_t instructions, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "cpi_stack", "component:text cycles share cpi");
	plot.kind = POLY_PLOT_BARS;
	plot.title = "CPI stack";
	plot.x = "component";
	plot.y[0] = "cpi";
	plot.y_title = "CPI";
	plot.y_unit = "cycles";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i < PIPELINE_PARTS; i++) {
		if (!result->parts[i])
			continue;
		poly_report_cell_text(report, pipeline_part_name((enum pipeline_part)i));
		poly_report_cell_count(report, result->parts[i]);
		poly_report_cell_ratio(
			report, (double)result->parts[i], (double)result->cycles, 2);
		poly_report_cell_real(report, divide(result->parts[i], instructions), 4);
	}
	poly_report_end(report);
}

static void
report_events(const struct pipeline_simulation *sim, struct poly_report *report)
{
	const struct pipeline_events *events = &sim->events;
	if (sim->machine.has_bpred) {
		poly_report_count(report, "conditional_branches", events->branches);
		poly_report_count(report, "mispredictions", events->mispredictions);
		poly_report_ratio(report, "misprediction_ratio", (double)events->mispredictions,
			(double)events->branches, 2);
	}
	if (sim->machine.has_cache) {
		poly_report_count(report, "accesses", events->accesses);
		poly_report_count(report, "misses", events->misses);
		poly_report_ratio(report, "miss_ratio", (double)events->misses,
			(double)events->accesses, 2);
	}
}

static void
report_sweep(const struct pipeline_simulation *sim, uint64_t instructions,
	struct poly_report *report)
{
	uint64_t cycles[PIPELINE_SWEEP_MAX];
	pipeline_sum_swept(sim, cycles);
	pipeline_sweep_report(sim->sweep, cycles, instructions, report);
}

void
pipeline_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct pipeline_simulation *sim = state;
	struct pipeline_result result = sim->total;
	uint64_t instructions = sim->instructions;
	for (size_t i = 0; i < PIPELINE_CONTEXTS; i++) {
		if (!sim->streams[i] || !sim->is_counting)
			continue;
		pipeline_stream_add(sim->streams[i], &result);
		instructions += sim->streams[i]->instructions;
	}
	poly_report_count(report, "instructions", instructions);
	poly_report_count(report, "uops", result.ops);
	poly_report_count(report, "cycles", result.cycles);
	poly_report_real(report, "cpi", divide(result.cycles, instructions), 4);
	poly_report_real(report, "ipc", divide(instructions, result.cycles), 4);
	poly_report_real(report, "uops_per_cycle", divide(result.ops, result.cycles), 4);
	if (result.ops && !sim->has_late_outcomes && !sim->has_outcomes)
		branch_stream_report_note(", so all count as not taken", report);
	report_events(sim, report);
	if (sim->machine.is_ooo && sim->machine.ooo.memory >= PIPELINE_MEMORY_NAIVE)
		poly_report_count(report, "memory_order_squashes", result.squashes);
	poly_report_count(report, "uops_without_known_registers", sim->events.unknown);
	if (sim->excess_ops && result.ops)
		poly_report_count(report, "operations_with_excess_registers", sim->excess_ops);
	if (sim->untracked)
		poly_report_count(report, "untracked_uops", sim->untracked);
	report_cpi_stack(&result, instructions, report);
	if (sim->stalls)
		pipeline_stalls_report(sim->stalls, ops, report);
	if (sim->sweep)
		report_sweep(sim, instructions, report);
}
