/* SPDX-License-Identifier: MIT */
/* The report of phases. */
#include "analysis/stats/code/phases.h"

#include "base/mem.h"
#include "report/table.h"
#include "report/tree.h"

#include <math.h>

/* Max. number of listed runs of intervals. */
#define RUNS_MAX 512

/* The fixed-point representation of 1 in a projection. */
#define UNIT 32768.0

bool
phases_find(const struct phases *phases, struct phase_result *result)
{
	const uint32_t n = phases->interval_count;
	const double scale = (double)phases->length * UNIT;
	double nearest[CLUSTER_MAX];
	*result = (struct phase_result){.points = NULL};
	if (!n)
		return true;
	result->points = mem_new(n, sizeof *result->points);
	for (uint32_t i = 0; result->points && i < n; i++) {
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			result->points[i].x[j] = (double)phases->intervals[i].sum[j] / scale;
	}
	if (!result->points || !clusters_find(&result->clusters, result->points, n,
				       (uint32_t)phases->max_phases, (uint32_t)phases->seeds)) {
		phase_result_fini(result);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t group = result->clusters.group[i];
		const double d =
			cluster_distance(&result->points[i], &result->clusters.centers[group]);
		if (!result->members[group]++ || d < nearest[group]) {
			nearest[group] = d;
			result->representative[group] = i;
		}
	}
	return true;
}

void
phase_result_fini(struct phase_result *result)
{
	clusters_fini(&result->clusters);
	mem_free(result->points);
	result->points = NULL;
}

/* Returns the mean distance of a phase's intervals from its center. */
static double
spread(const struct phases *phases, const struct phase_result *result, uint32_t phase)
{
	double sum = 0;
	for (uint32_t i = 0; i < phases->interval_count; i++) {
		if (result->clusters.group[i] == phase)
			sum += sqrt(cluster_distance(
				&result->points[i], &result->clusters.centers[phase]));
	}
	return sum / result->members[phase];
}

static void
report_phases(const struct phases *phases, const struct phase_result *result,
	struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "phases",
		"phase intervals share representative_interval first_instruction "
		"center_distance_mean");
	plot.kind = POLY_PLOT_BARS;
	plot.x = "phase";
	plot.y[0] = "share";
	poly_report_plot(report, &plot);
	for (uint32_t i = 0; i < result->clusters.k; i++) {
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, result->members[i]);
		poly_report_cell_ratio(report, result->members[i], phases->interval_count, 2);
		poly_report_cell_count(report, result->representative[i]);
		poly_report_cell_count(report, result->representative[i] * phases->length + 1);
		poly_report_cell_real(report, spread(phases, result, i), 6);
	}
	poly_report_end(report);
}

static void
report_sequence(const struct phases *phases, const struct phase_result *result,
	struct poly_report *report)
{
	const uint32_t *group = result->clusters.group;
	struct poly_plot plot = POLY_PLOT_INIT;
	uint32_t listed = 0, first = 0, transitions = 0;
	for (uint32_t i = 1; i < phases->interval_count; i++)
		transitions += group[i] != group[i - 1];
	poly_report_count(report, "phase_transitions", transitions);
	table_open(report, "phase_sequence", "first_interval end_interval phase");
	plot.kind = POLY_PLOT_TIMELINE;
	plot.x = "first_interval";
	plot.y[0] = "end_interval";
	plot.series = "phase";
	plot.x_title = "Interval";
	plot.y_title = "Phase";
	poly_report_plot(report, &plot);
	for (uint32_t i = 1; i <= phases->interval_count && listed < RUNS_MAX; i++) {
		if (i < phases->interval_count && group[i] == group[first])
			continue;
		poly_report_cell_count(report, first);
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, group[first]);
		first = i;
		listed++;
	}
	poly_report_end(report);
}

static void
report_bic(const struct phase_result *result, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "bic_by_clusters", "clusters bic");
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "clusters";
	plot.y[0] = "bic";
	poly_report_plot(report, &plot);
	for (uint32_t k = 1; k <= result->clusters.tried; k++) {
		poly_report_cell_count(report, k);
		poly_report_cell_real(report, result->clusters.scores[k], 2);
	}
	poly_report_end(report);
}

/* Computes the mean point of one of n runs of intervals of about equal length. */
static void
mean_of_run(const struct phases *phases, const struct phase_result *result, size_t n,
	size_t run, struct cluster_point *mean)
{
	const size_t begin = run * phases->interval_count / n;
	const size_t end = (run + 1) * phases->interval_count / n;
	*mean = (struct cluster_point){{0}};
	for (size_t i = begin; i < end; i++) {
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			mean->x[j] += result->points[i].x[j];
	}
	for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
		mean->x[j] /= (double)(end - begin);
}

static void
report_similarity(const struct phases *phases, const struct phase_result *result,
	struct poly_report *report)
{
	const uint32_t intervals = phases->interval_count;
	const size_t n =
		phases->similarity < intervals ? (size_t)phases->similarity : intervals;
	struct poly_plot plot = POLY_PLOT_INIT;
	if (!n)
		return;
	table_open(report, "phase_similarity_matrix",
		"first_interval other_first_interval euclidean_distance");
	plot.kind = POLY_PLOT_HEAT;
	plot.x = "first_interval";
	plot.y[0] = "other_first_interval";
	plot.value = "euclidean_distance";
	plot.x_title = "Interval";
	plot.y_title = "Interval";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < n; i++) {
		struct cluster_point x, y;
		mean_of_run(phases, result, n, i, &x);
		for (size_t j = 0; j < n; j++) {
			mean_of_run(phases, result, n, j, &y);
			poly_report_cell_count(report, i * intervals / n);
			poly_report_cell_count(report, j * intervals / n);
			poly_report_cell_real(report, sqrt(cluster_distance(&x, &y)), 4);
		}
	}
	poly_report_end(report);
}

void
phases_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct phases *phases = state;
	struct phase_result *result = mem_new(1, sizeof *result);
	(void)ops;
	if (!result || !phases_find(phases, result)) {
		mem_free(result);
		tree_fail(report);
		return;
	}
	poly_report_count(report, "instructions", phases->instructions);
	poly_report_count(report, "interval_length", phases->length);
	poly_report_count(report, "intervals", phases->interval_count);
	poly_report_count(report, "excluded_instructions",
		phases->instructions - phases->untracked -
			phases->length * phases->interval_count);
	if (phases->untracked)
		poly_report_count(report, "untracked_instructions", phases->untracked);
	poly_report_count(report, "unique_blocks", phases->count);
	if (phases->untracked_blocks)
		poly_report_count(
			report, "untracked_block_executions", phases->untracked_blocks);
	poly_report_count(report, "clusters", result->clusters.k);
	if (phases->interval_count) {
		report_phases(phases, result, report);
		report_sequence(phases, result, report);
		report_bic(result, report);
		report_similarity(phases, result, report);
	}
	phase_result_fini(result);
	mem_free(result);
}
