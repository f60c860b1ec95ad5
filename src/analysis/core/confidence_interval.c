/* SPDX-License-Identifier: MIT */
/* Estimates quotients from sampling units. */
#include "analysis/core/confidence_interval.h"
#include "report/table.h"

#include <math.h>

/* Student's t at 97.5 %, by degrees of freedom from 1. */
static const double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
	2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
	2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

/* Returns the same for any degrees of freedom above 0; beyond the table, by its expansion. */
static double
student_t(double freedom)
{
	const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
	const size_t table_size = sizeof student / sizeof *student;
	if (freedom <= (double)table_size)
		return student[(size_t)freedom - 1];
	return z + (z3 + z) / (4 * freedom) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

void
ratio_sums_add(struct ratio_sums *sums, uint64_t part, uint64_t whole)
{
	const double x = (double)part, y = (double)whole;
	sums->x += x;
	sums->y += y;
	sums->xx += x * x;
	sums->xy += x * y;
	sums->yy += y * y;
}

struct confidence_interval
confidence_interval_of(const struct ratio_sums *sums, uint64_t units, double sampled)
{
	struct confidence_interval interval = {NAN, NAN, NAN};
	if (sums->y <= 0)
		return interval;
	const double n = (double)units, ratio = sums->x / sums->y, mean = sums->y / n;
	interval.estimate = ratio;
	if (units < 2)
		return interval;
	const double squares = sums->xx - 2 * ratio * sums->xy + ratio * ratio * sums->yy;
	/* Rounding can make 0 slightly negative. */
	const double spread = squares > 0 ? squares / (n - 1) : 0;
	const double half = student_t(n - 1) * sqrt((1 - sampled) * spread / n) / mean;
	interval.low = ratio > half ? ratio - half : 0;
	interval.high = ratio + half;
	return interval;
}

void
ratio_estimator_end_unit(
	struct ratio_estimator *estimator, const struct analysis *analysis, const void *state)
{
	struct analysis_ratio now[ANALYSIS_RATIOS];
	estimator->count = analysis->ratios(state, now);
	for (size_t i = 0; i < estimator->count; i++) {
		const struct analysis_ratio *last = &estimator->last[i];
		ratio_sums_add(&estimator->sums[i], now[i].part - last->part,
			now[i].whole - last->whole);
		estimator->last[i] = now[i];
	}
	estimator->units++;
}

void
ratio_estimator_report(
	const struct ratio_estimator *estimator, double sampled, struct poly_report *report)
{
	table_open(report, "confidence", "quantity:text meaning:text estimate low high units");
	for (size_t i = 0; i < estimator->count; i++) {
		const struct confidence_interval interval =
			confidence_interval_of(&estimator->sums[i], estimator->units, sampled);
		poly_report_cell_text(report, estimator->last[i].key);
		poly_report_cell_text(report, estimator->last[i].title);
		poly_report_cell_real(report, interval.estimate, 6);
		poly_report_cell_real(report, interval.low, 6);
		poly_report_cell_real(report, interval.high, 6);
		poly_report_cell_count(report, estimator->units);
	}
	poly_report_end(report);
}
