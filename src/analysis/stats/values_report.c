/* SPDX-License-Identifier: MIT */
/* What the analysis values tells. */
#include "analysis/stats/values.h"

#include "base/mem.h"
#include "report/tree.h"

#include <stdlib.h>
#include <string.h>

static double
percent(uint64_t part, uint64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

/* The columns of what is foretold. */
static void
open_foretold(struct poly_report *report)
{
	poly_report_column(report, "count", true);
	poly_report_column(report, "same_percent", true);
	poly_report_column(report, "strided_percent", true);
	poly_report_column(report, "zero_percent", true);
}

static void
cells_foretold(const struct foretold *it, struct poly_report *report)
{
	poly_report_cell_count(report, it->count);
	poly_report_cell_real(report, percent(it->same, it->count), 2);
	poly_report_cell_real(report, percent(it->strided, it->count), 2);
	poly_report_cell_real(report, percent(it->zero, it->count), 2);
}

static void
report_all(const struct values *values, struct poly_report *report)
{
	poly_report_table(report, "locality");
	poly_report_column(report, "of", false);
	open_foretold(report);
	if (values->all.count) {
		poly_report_cell_text(report, "registers");
		cells_foretold(&values->all, report);
	}
	if (values->loaded.count) {
		poly_report_cell_text(report, "loads");
		cells_foretold(&values->loaded, report);
	}
	poly_report_end(report);
	poly_report_count(report, "beyond", values->beyond);
}

/* A register of all contexts. */
struct named {
	const char *name;
	struct foretold counts;
};

static int
compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	if (x->counts.count != y->counts.count)
		return x->counts.count < y->counts.count ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void
report_registers(const struct values *values, struct named *named, struct poly_report *report)
{
	for (uint32_t i = 0; i < values->names.count; i++)
		named[i].name = intern_text(&values->names, i);
	for (uint32_t i = 0; i < values->registers.count; i++) {
		const struct slot *slot = adaptive_bins_item(&values->registers, i);
		struct foretold *to = &named[values->registers.list[i].number].counts;
		to->count += slot->counts.count;
		to->same += slot->counts.same;
		to->strided += slot->counts.strided;
		to->zero += slot->counts.zero;
	}
	qsort(named, values->names.count, sizeof *named, compare_named);
	poly_report_table(report, "registers");
	poly_report_column(report, "register", false);
	open_foretold(report);
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "register";
	plot.y[0] = "count";
	poly_report_plot(report, &plot);
	for (uint32_t i = 0; i < values->names.count && i < values->top; i++) {
		if (!named[i].counts.count)
			break;
		poly_report_cell_text(report, named[i].name);
		cells_foretold(&named[i].counts, report);
	}
	poly_report_end(report);
}

static void
report_widths(const struct values *values, struct poly_report *report)
{
	uint64_t total = 0, so_far = 0;
	struct poly_plot plot = POLY_PLOT_INIT;
	for (size_t i = 0; i < 65; i++)
		total += values->widths[i];
	poly_report_table(report, "widths");
	poly_report_column(report, "width", true);
	poly_report_column(report, "count", true);
	poly_report_column(report, "percent", true);
	poly_report_column(report, "within_percent", true);
	plot.kind = POLY_PLOT_BARS;
	plot.x = "width";
	plot.y[0] = "count";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < 65; i++) {
		if (!values->widths[i])
			continue;
		so_far += values->widths[i];
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, values->widths[i]);
		poly_report_cell_real(report, percent(values->widths[i], total), 2);
		poly_report_cell_real(report, percent(so_far, total), 2);
	}
	poly_report_end(report);
}

static void
report_changes(const struct values *values, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t total = 0;
	for (size_t i = 0; i <= STATE_REGISTERS; i++)
		total += values->changed[i];
	poly_report_table(report, "changes");
	poly_report_column(report, "registers", true);
	poly_report_column(report, "count", true);
	poly_report_column(report, "percent", true);
	plot.kind = POLY_PLOT_BARS;
	plot.x = "registers";
	plot.y[0] = "count";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i <= STATE_REGISTERS; i++) {
		if (!values->changed[i])
			continue;
		poly_report_cell_count(report, i);
		poly_report_cell_count(report, values->changed[i]);
		poly_report_cell_real(report, percent(values->changed[i], total), 2);
	}
	poly_report_end(report);
}

void
values_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct values *values = state;
	struct named *named = mem_new((size_t)values->names.count + 1, sizeof *named);
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
