/* SPDX-License-Identifier: MIT */
/*
 * Confidence interval of the quotient of two counts, estimated from sampling units of equal
 * length: the ratio estimator.
 *
 * spec: W. G. Cochran, Sampling Techniques, 3rd edition (1977), 2.11 and 6.4; Student's t by
 * M. Abramowitz, I. Stegun, Handbook of Mathematical Functions (1964), 26.7.5 and table 26.10.
 */
#ifndef ANALYSIS_CONFIDENCE_INTERVAL_H
#define ANALYSIS_CONFIDENCE_INTERVAL_H

#include "analysis/core/analysis.h"

/* Sums over units of two counts, part x and whole y, and of their products. */
struct ratio_sums {
	double x, y, xx, xy, yy;
};

/* Estimators of the ratios of an analysis. Zero-initialize. */
struct ratio_estimator {
	uint64_t units;
	size_t count; /* of ratios */
	struct analysis_ratio last[ANALYSIS_RATIOS];
	struct ratio_sums sums[ANALYSIS_RATIOS];
};

/* An estimate and its 95 % confidence interval. */
struct confidence_interval {
	double estimate, low, high;
};

/* Adds the counts of a unit. */
void ratio_sums_add(struct ratio_sums *sums, uint64_t part, uint64_t whole);

/*
 * Returns the interval of a sample of units, the fraction sampled of all. Unknown values are
 * NaN: all if whole is 0, the ends for fewer than 2 units.
 */
struct confidence_interval confidence_interval_of(
	const struct ratio_sums *sums, uint64_t units, double sampled);

/* Ends a unit: adds its counts of an analysis. */
void ratio_estimator_end_unit(
	struct ratio_estimator *estimator, const struct analysis *analysis, const void *state);

/* Writes the table of ratios. */
void ratio_estimator_report(
	const struct ratio_estimator *estimator, double sampled, struct poly_report *report);

#endif
