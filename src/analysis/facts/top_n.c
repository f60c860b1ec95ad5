/* SPDX-License-Identifier: MIT */
/* Sorts items by their counts, and reports them. */
#include "analysis/facts/top_n.h"
#include "report/table.h"

#include <stdlib.h>

static int
by_count(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void
top_n_sort(struct ranked *ranks, size_t n)
{
	if (n)
		qsort(ranks, n, sizeof *ranks, by_count);
}

void
top_n_cells(struct poly_report *report, uint64_t count, uint64_t whole)
{
	poly_report_cell_count(report, count);
	poly_report_cell_ratio(report, (double)count, (double)whole, 2);
}

void
top_n_columns(struct poly_report *report)
{
	table_columns(report, "count share");
}

void
top_n_distribution(struct poly_report *report, const char *key, const char *column_key,
	const uint64_t *counts, size_t n)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t whole = 0;
	for (size_t i = 1; i < n; i++)
		whole += counts[i];
	poly_report_table(report, key);
	poly_report_column(report, column_key, true);
	top_n_columns(report);
	plot.x = column_key;
	plot.y[0] = "share";
	poly_report_plot(report, &plot);
	for (size_t i = 1; i < n; i++) {
		if (!counts[i])
			continue;
		poly_report_cell_count(report, i);
		top_n_cells(report, counts[i], whole);
	}
	poly_report_end(report);
}

void
top_n_site_cells(struct poly_report *report, const struct static_ops *ops, uint32_t site)
{
	const struct static_site *known = site < ops->site_count ? &ops->sites[site] : NULL;
	if (known)
		poly_report_cell_address(report, known->pc, 8);
	else
		poly_report_cell_text(report, NULL);
	poly_report_cell_text(report, known ? static_op_at(ops, known->op)->mnemonic : NULL);
}

void
top_n_site_columns(struct poly_report *report)
{
	table_columns(report, "pc:text mnemonic:text");
}
