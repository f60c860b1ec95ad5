/* SPDX-License-Identifier: MIT */
/* Putting counts in order, and what reports say of them. */
#ifndef ANALYSIS_TOP_N_H
#define ANALYSIS_TOP_N_H

#include "polytrace/report.h"

#include "analysis/static_ops.h"

/* Something that was counted. */
struct ranked {
	uint64_t count;
	uint64_t number; /* of what; equal counts stand in its order */
};

/* Puts the greatest counts first. */
void top_n_sort(struct ranked *ranks, size_t n);

/* The share of a part in percent; 0 where there is nothing. */
double top_n_percent(uint64_t part, uint64_t whole);

/* Cells: a count, and its share of whole in percent with two decimals. */
void top_n_cells(struct poly_report *report, uint64_t count, uint64_t whole);

/* Columns for those cells. */
void top_n_columns(struct poly_report *report);

/*
 * A table of how often each number from 1 on was counted, with shares of their sum, and a plot
 * of it. key: of the table; column_key: of the column of the numbers.
 */
void top_n_distribution(struct poly_report *report, const char *key, const char *column_key,
	const uint64_t *counts, size_t n);

/* Cells: the pc of a site and its mnemonic; both empty where the site is not known. */
void top_n_site_cells(struct poly_report *report, const struct static_ops *ops, uint32_t site);

/* Columns for those cells. */
void top_n_site_columns(struct poly_report *report);

#endif
