/* SPDX-License-Identifier: MIT */
/* The most frequent items of an analysis, and the columns and cells that report them. */
#ifndef ANALYSIS_TOP_N_H
#define ANALYSIS_TOP_N_H

#include "polytrace/report.h"

#include "analysis/static_ops.h"

/* An item and its count. */
struct ranked {
	uint64_t count;
	uint64_t number; /* identifies the item; orders items of equal counts */
};

/* Sorts by falling counts. */
void top_n_sort(struct ranked *ranks, size_t n);

/* Returns a share in percent; 0 if whole is 0. */
double top_n_percent(uint64_t part, uint64_t whole);

/* Appends the cells of a count and its share of whole in percent, with two decimals. */
void top_n_cells(struct poly_report *report, uint64_t count, uint64_t whole);

/* Appends the cells of a count and its share of whole, a ratio with two decimals. */
void top_n_ratio_cells(struct poly_report *report, uint64_t count, uint64_t whole);

/* Appends the columns of top_n_ratio_cells. */
void top_n_columns(struct poly_report *report);

/*
 * Reports a distribution: a table and a plot of the counts of the numbers from 1 to n - 1, with
 * their shares. key: of the table; column_key: of the column of the numbers.
 */
void top_n_distribution(struct poly_report *report, const char *key, const char *column_key,
	const uint64_t *counts, size_t n);

/* Appends the cells of the pc of a site and its mnemonic, both empty if it is not known. */
void top_n_site_cells(struct poly_report *report, const struct static_ops *ops, uint32_t site);

/* Appends the columns of top_n_site_cells. */
void top_n_site_columns(struct poly_report *report);

#endif
