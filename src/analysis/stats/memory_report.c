/* SPDX-License-Identifier: MIT */
/* What the analysis memory tells. */
#include "analysis/stats/memory.h"

#include "base/mem.h"
#include "report/tree.h"

#include <stdlib.h>

/* How often a kind occurred. */
static uint64_t
kind_count(const struct memory_kind *kind)
{
	uint64_t count = 0;
	for (size_t i = 0; i <= MEMORY_SIZES; i++)
		count += kind->sizes[i];
	return count;
}

/* The bytes that a kind moved. */
static uint64_t
kind_bytes(const struct memory_kind *kind)
{
	uint64_t bytes = kind->more;
	for (size_t i = 1; i <= MEMORY_SIZES; i++)
		bytes += i * kind->sizes[i];
	return bytes;
}

static double
percent(uint64_t part, uint64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

static void
report_kinds(const struct memory *memory, struct poly_report *report)
{
	poly_report_table(report, "accesses");
	poly_report_column(report, "kind", false);
	poly_report_column(report, "count", true);
	poly_report_column(report, "bytes", true);
	poly_report_column(report, "misaligned", true);
	poly_report_column(report, "misaligned_percent", true);
	poly_report_column(report, "line_crossings", true);
	poly_report_column(report, "page_crossings", true);
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.title = "Accesses by kind";
	plot.x = "kind";
	plot.y[0] = "count";
	plot.y_title = "Accesses";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i < POLY_ACCESS_COUNT; i++) {
		const struct memory_kind *kind = &memory->kinds[i];
		const uint64_t count = kind_count(kind);
		if (!count)
			continue;
		poly_report_cell_text(report, poly_enum_name(POLY_FORM_ACCESS, i));
		poly_report_cell_count(report, count);
		poly_report_cell_count(report, kind_bytes(kind));
		poly_report_cell_count(report, kind->misaligned);
		poly_report_cell_real(report, percent(kind->misaligned, count), 2);
		poly_report_cell_count(report, kind->line_crossings);
		poly_report_cell_count(report, kind->page_crossings);
	}
	poly_report_end(report);
}

static void
report_sizes(const struct memory *memory, struct poly_report *report)
{
	const struct memory_kind *kinds = memory->kinds;
	poly_report_table(report, "sizes");
	poly_report_column(report, "size", true);
	poly_report_column(report, "reads", true);
	poly_report_column(report, "writes", true);
	poly_report_column(report, "others", true);
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.title = "Accesses by size";
	plot.x = "size";
	plot.y[0] = "reads";
	plot.y[1] = "writes";
	plot.y_title = "Accesses";
	poly_report_plot(report, &plot);
	for (unsigned size = 1; size <= MEMORY_SIZES; size++) {
		uint64_t others = 0;
		for (unsigned i = POLY_ACCESS_WRITE + 1; i < POLY_ACCESS_COUNT; i++)
			others += kinds[i].sizes[size];
		const uint64_t reads = kinds[POLY_ACCESS_READ].sizes[size],
			       writes = kinds[POLY_ACCESS_WRITE].sizes[size];
		if (!(reads | writes | others))
			continue;
		poly_report_cell_count(report, size);
		poly_report_cell_count(report, reads);
		poly_report_cell_count(report, writes);
		poly_report_cell_count(report, others);
	}
	poly_report_end(report);
}

/* A line or page, to be ordered by how often it was accessed. */
struct hot {
	uint64_t address, count;
	struct memory_line line;
};

static int
compare_hot(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Joins lines of sorted items to blocks of at least bytes; how many. */
static size_t
join_lines(const struct adaptive_bins *lines, const uint32_t *sorted, uint64_t bytes,
	struct hot *hot)
{
	size_t count = 0;
	for (uint32_t i = 0; i < lines->count; i++) {
		const struct memory_line *line = adaptive_bins_item(lines, sorted[i]);
		const uint64_t address = adaptive_bins_address(lines, sorted[i]) & ~(bytes - 1);
		if (!count || hot[count - 1].address != address)
			hot[count++] = (struct hot){address, 0, {0}};
		struct hot *to = &hot[count - 1];
		to->line.reads += line->reads;
		to->line.writes += line->writes;
		to->line.fetches += line->fetches;
		to->line.others += line->others;
		to->count += line->reads + line->writes + line->fetches + line->others;
	}
	return count;
}

/* The cells of the hottest blocks. */
static void
report_blocks(const struct hot *hot, size_t count, uint64_t total, struct poly_report *report)
{
	for (size_t i = 0; i < count; i++) {
		poly_report_cell_address(report, hot[i].address, 8);
		poly_report_cell_count(report, hot[i].count);
		poly_report_cell_real(report, percent(hot[i].count, total), 2);
		poly_report_cell_count(report, hot[i].line.reads);
		poly_report_cell_count(report, hot[i].line.writes);
		poly_report_cell_count(report, hot[i].line.fetches);
	}
}

/* The columns of a table of hot blocks. */
static void
open_blocks(struct poly_report *report, const char *key)
{
	poly_report_table(report, key);
	poly_report_column(report, "address", true);
	poly_report_column(report, "count", true);
	poly_report_column(report, "percent", true);
	poly_report_column(report, "reads", true);
	poly_report_column(report, "writes", true);
	poly_report_column(report, "fetches", true);
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "address";
	plot.y[0] = "reads";
	plot.y[1] = "writes";
	plot.y[2] = "fetches";
	plot.y_title = "Accesses";
	poly_report_plot(report, &plot);
}

/* The hottest blocks of some bytes; false: no memory. */
static bool
report_hot(const struct memory *memory, const uint32_t *sorted, uint64_t bytes,
	struct poly_report *report)
{
	struct hot *hot = mem_new(memory->lines.count + (size_t)1, sizeof *hot);
	if (!hot)
		return false;
	uint64_t total = 0;
	size_t count = join_lines(&memory->lines, sorted, bytes, hot);
	for (size_t i = 0; i < count; i++)
		total += hot[i].count;
	qsort(hot, count, sizeof *hot, compare_hot);
	report_blocks(hot, count < memory->top ? count : memory->top, total, report);
	mem_free(hot);
	return true;
}

void
memory_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct memory *memory = state;
	const uint64_t line = (uint64_t)1 << memory->lines.shift;
	const uint64_t page = line > MEMORY_PAGE ? line : MEMORY_PAGE;
	(void)ops;
	report_kinds(memory, report);
	poly_report_real(report, "reads_per_write",
		(double)kind_count(&memory->kinds[POLY_ACCESS_READ]) /
			(double)kind_count(&memory->kinds[POLY_ACCESS_WRITE]),
		2);
	report_sizes(memory, report);
	poly_report_count(report, "loads", memory->loads);
	poly_report_count(report, "forwarded", memory->candidates);
	poly_report_real(
		report, "forwarded_percent", percent(memory->candidates, memory->loads), 2);
	poly_report_count(report, "contained", memory->contained);
	poly_report_count(report, "line_bytes", line);
	poly_report_count(report, "page_bytes", page);
	uint32_t *sorted = adaptive_bins_sorted(&memory->lines);
	open_blocks(report, "hot_lines");
	bool ok = sorted && report_hot(memory, sorted, line, report);
	poly_report_end(report);
	open_blocks(report, "hot_pages");
	ok = ok && report_hot(memory, sorted, page, report);
	poly_report_end(report);
	mem_free(sorted);
	if (!ok)
		tree_fail(report);
}
