/* SPDX-License-Identifier: MIT */
/* The N items with the highest counts, and their report cells. */
#ifndef ANALYSIS_TOP_N_H
#define ANALYSIS_TOP_N_H

#include "polytrace/report.h"

#include "analysis/facts/static_ops.h"

/* A counted item. */
struct ranked {
	uint64_t count;
	uint64_t number; /* of the item; orders equal counts */
};

/* Sorts by descending count. */
void top_n_sort(struct ranked *ranks, size_t n);

/* Adds two cells: a count and its share of whole, a ratio with two decimals. */
void top_n_cells(struct poly_report *report, uint64_t count, uint64_t whole);

/* Adds the columns of top_n_cells. */
void top_n_columns(struct poly_report *report);

/*
 * Adds a table of the counts of each number from 1, with their shares of the total, and its
 * plot. key: of the table; column_key: of the column of numbers.
 */
void top_n_distribution(struct poly_report *report, const char *key, const char *column_key,
	const uint64_t *counts, size_t n);

/* Adds two cells: the pc and the mnemonic of a site; both empty if the site is unknown. */
void top_n_site_cells(struct poly_report *report, const struct static_ops *ops, uint32_t site);

/* Adds the columns of those cells. */
void top_n_site_columns(struct poly_report *report);

#endif
