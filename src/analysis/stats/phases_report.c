/* SPDX-License-Identifier: MIT */
/* What is told of phases. */
#include "analysis/stats/phases.h"

#include "base/mem.h"
#include "report/tree.h"

#include <math.h>

/* Most stretches that are listed. */
#define STRETCHES 512

/* What a projection of one stands for. */
#define UNIT 32768.0

bool
phases_answer(const struct phases *phases, struct phases_answer *answer)
{
	const uint32_t n = phases->interval_count;
	const double scale = (double)phases->length * UNIT;
	double nearest[CLUSTER_MAX];
	*answer = (struct phases_answer){.points = NULL};
	if (!n)
		return true;
	answer->points = mem_new(n, sizeof *answer->points);
	for (uint32_t i = 0; answer->points && i < n; i++) {
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			answer->points[i].x[j] = (double)phases->intervals[i].sum[j] / scale;
	}
	if (!answer->points || !clusters_find(&answer->clusters, answer->points, n,
				       (uint32_t)phases->most, (uint32_t)phases->seeds)) {
		phases_answer_fini(answer);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t group = answer->clusters.group[i];
		const double d =
			cluster_distance(&answer->points[i], &answer->clusters.centers[group]);
		if (!answer->members[group]++ || d < nearest[group]) {
			nearest[group] = d;
			answer->representative[group] = i;
		}
	}
	return true;
}

void
phases_answer_fini(struct phases_answer *answer)
{
	clusters_fini(&answer->clusters);
	mem_free(answer->points);
	answer->points = NULL;
}

/* The mean distance of a phase's intervals from its center. */
static double
spread(const struct phases *phases, const struct phases_answer *answer, uint32_t phase)
{
	double sum = 0;
	for (uint32_t i = 0; i < phases->interval_count; i++) {
		if (answer->clusters.group[i] == phase)
			sum += sqrt(cluster_distance(
				&answer->points[i], &answer->clusters.centers[phase]));
	}
	return sum / answer->members[phase];
}

static void
report_phases(const struct phases *phases, const struct phases_answer *answer,
	struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "phases");
	poly_report_column(report, "phase", true);
	poly_report_column(report, "intervals", true);
	poly_report_column(report, "percent", true);
	poly_report_column(report, "representative", true);
	poly_report_column(report, "instruction", true);
	poly_report_column(report, "spread", true);
	plot.kind = POLY_PLOT_BARS;
	plot.title = "Weight of phases";
	plot.x = "phase";
	plot.y[0] = "percent";
	poly_report_plot(report, &plot);
	for (uint32_t i = 0; i < answer->clusters.k; i++) {
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, answer->members[i]);
		poly_report_cell_real(
			report, 100.0 * answer->members[i] / phases->interval_count, 2);
		poly_report_cell_count(report, answer->representative[i]);
		poly_report_cell_count(report, answer->representative[i] * phases->length + 1);
		poly_report_cell_real(report, spread(phases, answer, i), 6);
	}
	poly_report_end(report);
}

static void
report_stretches(const struct phases *phases, const struct phases_answer *answer,
	struct poly_report *report)
{
	const uint32_t *group = answer->clusters.group;
	struct poly_plot plot = POLY_PLOT_INIT;
	uint32_t told = 0, first = 0, transitions = 0;
	for (uint32_t i = 1; i < phases->interval_count; i++)
		transitions += group[i] != group[i - 1];
	poly_report_count(report, "transitions", transitions);
	poly_report_table(report, "stretches");
	poly_report_column(report, "from", true);
	poly_report_column(report, "to", true);
	poly_report_column(report, "phase", true);
	plot.kind = POLY_PLOT_TIMELINE;
	plot.x = "from";
	plot.y[0] = "to";
	plot.series = "phase";
	plot.x_title = "Interval";
	plot.y_title = "Phase";
	poly_report_plot(report, &plot);
	for (uint32_t i = 1; i <= phases->interval_count && told < STRETCHES; i++) {
		if (i < phases->interval_count && group[i] == group[first])
			continue;
		poly_report_cell_count(report, first);
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, group[first]);
		first = i;
		told++;
	}
	poly_report_end(report);
}

static void
report_scores(const struct phases_answer *answer, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "scores");
	poly_report_column(report, "k", true);
	poly_report_column(report, "score", true);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "k";
	plot.y[0] = "score";
	poly_report_plot(report, &plot);
	for (uint32_t k = 1; k <= answer->clusters.tried; k++) {
		poly_report_cell_count(report, k);
		poly_report_cell_real(report, answer->clusters.scores[k], 2);
	}
	poly_report_end(report);
}

/* The mean of the points of n stretches of intervals, as even as can be. */
static void
mean_of_stretch(const struct phases *phases, const struct phases_answer *answer, size_t n,
	size_t stretch, struct cluster_point *mean)
{
	const size_t from = stretch * phases->interval_count / n;
	const size_t to = (stretch + 1) * phases->interval_count / n;
	*mean = (struct cluster_point){{0}};
	for (size_t i = from; i < to; i++) {
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			mean->x[j] += answer->points[i].x[j];
	}
	for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
		mean->x[j] /= (double)(to - from);
}

static void
report_similarity(const struct phases *phases, const struct phases_answer *answer,
	struct poly_report *report)
{
	const uint32_t intervals = phases->interval_count;
	const size_t n = phases->similarity < intervals ? phases->similarity : intervals;
	struct poly_plot plot = POLY_PLOT_INIT;
	if (!n)
		return;
	poly_report_table(report, "similarity");
	poly_report_column(report, "from", true);
	poly_report_column(report, "other", true);
	poly_report_column(report, "euclidean_distance", true);
	plot.kind = POLY_PLOT_HEAT;
	plot.x = "from";
	plot.y[0] = "other";
	plot.value = "euclidean_distance";
	plot.x_title = "Interval";
	plot.y_title = "Interval";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < n; i++) {
		struct cluster_point one, two;
		mean_of_stretch(phases, answer, n, i, &one);
		for (size_t j = 0; j < n; j++) {
			mean_of_stretch(phases, answer, n, j, &two);
			poly_report_cell_count(report, i * intervals / n);
			poly_report_cell_count(report, j * intervals / n);
			poly_report_cell_real(report, sqrt(cluster_distance(&one, &two)), 4);
		}
	}
	poly_report_end(report);
}

void
phases_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct phases *phases = state;
	struct phases_answer *answer = mem_new(1, sizeof *answer);
	(void)ops;
	if (!answer || !phases_answer(phases, answer)) {
		mem_free(answer);
		tree_fail(report);
		return;
	}
	poly_report_count(report, "instructions", phases->instructions);
	poly_report_count(report, "interval_length", phases->length);
	poly_report_count(report, "intervals", phases->interval_count);
	poly_report_count(report, "rest",
		phases->instructions - phases->beyond -
			phases->length * phases->interval_count);
	if (phases->beyond)
		poly_report_count(report, "beyond", phases->beyond);
	poly_report_count(report, "blocks", phases->count);
	if (phases->unnumbered)
		poly_report_count(report, "blocks_beyond", phases->unnumbered);
	poly_report_count(report, "k", answer->clusters.k);
	if (phases->interval_count) {
		report_phases(phases, answer, report);
		report_stretches(phases, answer, report);
		report_scores(answer, report);
		report_similarity(phases, answer, report);
	}
	phases_answer_fini(answer);
	mem_free(answer);
}
