/* SPDX-License-Identifier: MIT */
/*
 * How sure a quotient of two counts is that was found in some units of a trace, each of the
 * same number of records: the ratio estimator.
 *
 * spec: W. G. Cochran, Sampling Techniques, 3rd edition (1977), 2.11 and 6.4; Student's t by
 * M. Abramowitz, I. Stegun, Handbook of Mathematical Functions (1964), 26.7.5 and table 26.10.
 */
#ifndef ANALYSIS_CONFIDENCE_INTERVAL_H
#define ANALYSIS_CONFIDENCE_INTERVAL_H

#include "analysis/analysis.h"

/* Sums over units of two counts, part x and whole y. */
struct ratio_sums {
	double x, y, xx, xy, yy;
};

/* Zero-initialise. */
struct ratio_estimator {
	uint64_t units;
	size_t count; /* of ratios */
	struct analysis_ratio last[ANALYSIS_RATIOS];
	struct ratio_sums sums[ANALYSIS_RATIOS];
};

/* An estimate, and where the true value is with a chance of 95 %. */
struct confidence_interval {
	double estimate, low, high;
};

/* Adds the counts of a unit. */
void ratio_sums_add(struct ratio_sums *sums, uint64_t part, uint64_t whole);

/*
 * The interval by so many units, which are the fraction sampled of all. What is not known is
 * not a number: all where whole is 0, the ends for fewer than 2 units.
 */
struct confidence_interval confidence_interval_of(
	const struct ratio_sums *sums, uint64_t units, double sampled);

/* A unit ends: takes what an analysis has counted in it. */
void ratio_estimator_end_unit(
	struct ratio_estimator *confidence, const struct analysis *analysis, const void *state);

/* Writes the table of ratios. */
void ratio_estimator_report(
	const struct ratio_estimator *confidence, double sampled, struct poly_report *report);

#endif
