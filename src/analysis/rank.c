/* SPDX-License-Identifier: MIT */
/* Putting counts in order, and what reports say of them. */
#include "analysis/rank.h"

#include <stdlib.h>

static int
by_count(const void *a, const void *b)
{
	const struct rank *one = a, *other = b;
	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

void
rank_sort(struct rank *ranks, size_t n)
{
	if (n)
		qsort(ranks, n, sizeof *ranks, by_count);
}

double
rank_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

void
rank_cells(struct poly_report *report, uint64_t count, uint64_t whole)
{
	poly_report_cell_count(report, count);
	poly_report_cell_real(report, rank_percent(count, whole), 2);
}

void
rank_columns(struct poly_report *report)
{
	poly_report_column(report, "count", true);
	poly_report_column(report, "percent", true);
}

void
rank_distribution(struct poly_report *report, const char *key, const char *column_key,
	const uint64_t *counts, size_t n)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t whole = 0;
	for (size_t i = 1; i < n; i++)
		whole += counts[i];
	poly_report_table(report, key);
	poly_report_column(report, column_key, true);
	rank_columns(report);
	plot.x = column_key;
	plot.y[0] = "percent";
	poly_report_plot(report, &plot);
	for (size_t i = 1; i < n; i++) {
		if (!counts[i])
			continue;
		poly_report_cell_count(report, i);
		rank_cells(report, counts[i], whole);
	}
	poly_report_end(report);
}

void
rank_site_cells(struct poly_report *report, const struct ops *ops, uint32_t site)
{
	const struct op_site *it = site < ops->site_count ? &ops->sites[site] : NULL;
	if (it)
		poly_report_cell_address(report, it->pc, 8);
	else
		poly_report_cell_text(report, NULL);
	poly_report_cell_text(report, it ? ops_at(ops, it->op)->mnemonic : NULL);
}

void
rank_site_columns(struct poly_report *report)
{
	poly_report_column(report, "pc", false);
	poly_report_column(report, "mnemonic", false);
}
