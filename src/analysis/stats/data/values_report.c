/* SPDX-License-Identifier: MIT */
/* The report of the analysis values. */
#include "analysis/stats/data/values.h"

#include "base/mem.h"
#include "report/table.h"
#include "report/tree.h"

#include <stdlib.h>
#include <string.h>

/* Appends the columns of value_locality_cells. */
static void
value_locality_columns(struct poly_report *report)
{
	table_columns(report, "values last_value_ratio strided_ratio zero_ratio");
}

static void
value_locality_cells(const struct value_locality *counts, struct poly_report *report)
{
	poly_report_cell_count(report, counts->count);
	poly_report_cell_ratio(report, (double)counts->same, (double)counts->count, 2);
	poly_report_cell_ratio(report, (double)counts->strided, (double)counts->count, 2);
	poly_report_cell_ratio(report, (double)counts->zero, (double)counts->count, 2);
}

static void
report_all(const struct value_profile *values, struct poly_report *report)
{
	table_open(report, "value_locality", "value_source:text");
	value_locality_columns(report);
	if (values->all.count) {
		poly_report_cell_text(report, "registers");
		value_locality_cells(&values->all, report);
	}
	if (values->loaded.count) {
		poly_report_cell_text(report, "loads");
		value_locality_cells(&values->loaded, report);
	}
	poly_report_end(report);
	poly_report_count(report, "untracked_values", values->untracked);
}

/* A register of all contexts. */
struct register_locality {
	const char *name;
	struct value_locality counts;
};

static int
compare_named(const void *a, const void *b)
{
	const struct register_locality *x = a, *y = b;
	if (x->counts.count != y->counts.count)
		return x->counts.count < y->counts.count ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void
report_registers(const struct value_profile *values, struct register_locality *named,
	struct poly_report *report)
{
	for (uint32_t i = 0; i < values->names.count; i++)
		named[i].name = intern_text(&values->names, i);
	for (uint32_t i = 0; i < values->registers.count; i++) {
		const struct value_slot *slot = adaptive_bins_item(&values->registers, i);
		struct value_locality *sum = &named[values->registers.list[i].number].counts;
		sum->count += slot->counts.count;
		sum->same += slot->counts.same;
		sum->strided += slot->counts.strided;
		sum->zero += slot->counts.zero;
	}
	qsort(named, values->names.count, sizeof *named, compare_named);
	table_open(report, "hottest_registers", "register:text");
	value_locality_columns(report);
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "register";
	plot.y[0] = "values";
	poly_report_plot(report, &plot);
	for (uint32_t i = 0; i < values->names.count && i < values->top; i++) {
		if (!named[i].counts.count)
			break;
		poly_report_cell_text(report, named[i].name);
		value_locality_cells(&named[i].counts, report);
	}
	poly_report_end(report);
}

static void
report_widths(const struct value_profile *values, struct poly_report *report)
{
	uint64_t total = 0, cumulative = 0;
	struct poly_plot plot = POLY_PLOT_INIT;
	for (size_t i = 0; i < 65; i++)
		total += values->widths[i];
	table_open(report, "value_widths", "width values share cumulative_share");
	plot.kind = POLY_PLOT_BARS;
	plot.x = "width";
	plot.y[0] = "values";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < 65; i++) {
		if (!values->widths[i])
			continue;
		cumulative += values->widths[i];
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, values->widths[i]);
		poly_report_cell_ratio(report, (double)values->widths[i], (double)total, 2);
		poly_report_cell_ratio(report, (double)cumulative, (double)total, 2);
	}
	poly_report_end(report);
}

static void
report_changes(const struct value_profile *values, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t total = 0;
	for (size_t i = 0; i <= STATE_REGISTERS; i++)
		total += values->changed[i];
	table_open(report, "register_changes", "changed_registers records share");
	plot.kind = POLY_PLOT_BARS;
	plot.x = "changed_registers";
	plot.y[0] = "records";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i <= STATE_REGISTERS; i++) {
		if (!values->changed[i])
			continue;
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, values->changed[i]);
		poly_report_cell_ratio(report, (double)values->changed[i], (double)total, 2);
	}
	poly_report_end(report);
}

void
values_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct value_profile *values = state;
	struct register_locality *named =
		mem_new((size_t)values->names.count + 1, sizeof *named);
	(void)ops;
	report_all(values, report);
	if (named)
		report_registers(values, named, report);
	else
		tree_fail(report);
	report_widths(values, report);
	report_changes(values, report);
	mem_free(named);
}
