/* SPDX-License-Identifier: MIT */
/* The report of the analysis memory. */
#include "analysis/stats/data/memory.h"

#include "base/mem.h"
#include "report/table.h"
#include "report/tree.h"

#include <stdlib.h>

/* Returns the number of accesses of a kind. */
static uint64_t
kind_count(const struct memory_kind *kind)
{
	uint64_t count = kind->large;
	for (size_t i = 0; i <= MEMORY_SIZES; i++)
		count += kind->sizes[i];
	return count;
}

/* Returns the bytes that a kind of access transferred. */
static uint64_t
kind_bytes(const struct memory_kind *kind)
{
	uint64_t bytes = kind->large_bytes;
	for (size_t i = 1; i <= MEMORY_SIZES; i++)
		bytes += i * kind->sizes[i];
	return bytes;
}

static void
report_kinds(const struct memory *memory, struct poly_report *report)
{
	table_open(report, "accesses_by_kind",
		"kind:text accesses bytes misaligned_accesses misaligned_ratio line_crossings "
		"page_crossings");
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "kind";
	plot.y[0] = "accesses";
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
		poly_report_cell_ratio(report, (double)kind->misaligned, (double)count, 2);
		poly_report_cell_count(report, kind->line_crossings);
		poly_report_cell_count(report, kind->page_crossings);
	}
	poly_report_end(report);
}

/* Adds a row of the table of sizes: counts of each kind of access. */
static void
report_size(struct poly_report *report, uint64_t size, const uint64_t counts[POLY_ACCESS_COUNT])
{
	uint64_t others = 0;
	for (unsigned i = POLY_ACCESS_WRITE + 1; i < POLY_ACCESS_COUNT; i++)
		others += counts[i];
	if (!(counts[POLY_ACCESS_READ] | counts[POLY_ACCESS_WRITE] | others))
		return;
	poly_report_cell_count(report, size);
	poly_report_cell_count(report, counts[POLY_ACCESS_READ]);
	poly_report_cell_count(report, counts[POLY_ACCESS_WRITE]);
	poly_report_cell_count(report, others);
}

/* Adds the rows of sizes that are in the map; false: out of memory. */
static bool
report_large_sizes(const struct memory *memory, struct poly_report *report)
{
	const size_t count = memory->sizes.count;
	struct map_entry *sorted = map_sorted(&memory->sizes);
	for (size_t i = 0; sorted && i < count;) {
		const uint64_t size = sorted[i].key / POLY_ACCESS_COUNT;
		uint64_t counts[POLY_ACCESS_COUNT] = {0};
		for (; i < count && sorted[i].key / POLY_ACCESS_COUNT == size; i++)
			counts[sorted[i].key % POLY_ACCESS_COUNT] = sorted[i].value;
		report_size(report, size, counts);
	}
	mem_free(sorted);
	return sorted || !count;
}

static void
report_sizes(const struct memory *memory, struct poly_report *report)
{
	table_open(report, "access_sizes", "size reads writes other_accesses");
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "size";
	plot.y[0] = "reads";
	plot.y[1] = "writes";
	plot.y_title = "Accesses";
	poly_report_plot(report, &plot);
	for (unsigned size = 1; size <= MEMORY_SIZES; size++) {
		uint64_t counts[POLY_ACCESS_COUNT];
		for (unsigned i = 0; i < POLY_ACCESS_COUNT; i++)
			counts[i] = memory->kinds[i].sizes[size];
		report_size(report, size, counts);
	}
	const bool good = report_large_sizes(memory, report);
	poly_report_end(report);
	if (!good)
		tree_fail(report);
}

/* A line or page and its accesses. */
struct hot_block {
	uint64_t address, count;
	struct memory_line line;
};

static int
compare_hot(const void *a, const void *b)
{
	const struct hot_block *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Merges sorted lines into aligned blocks of at least bytes; returns the number of blocks. */
static size_t
merge_lines(const struct adaptive_bins *lines, const uint32_t *sorted, uint64_t bytes,
	struct hot_block *hot)
{
	size_t count = 0;
	for (uint32_t i = 0; i < lines->count; i++) {
		const struct memory_line *line = adaptive_bins_item(lines, sorted[i]);
		const uint64_t address = adaptive_bins_address(lines, sorted[i]) & ~(bytes - 1);
		if (!count || hot[count - 1].address != address)
			hot[count++] = (struct hot_block){address, 0, {0}};
		struct hot_block *block = &hot[count - 1];
		block->line.reads += line->reads;
		block->line.writes += line->writes;
		block->line.fetches += line->fetches;
		block->line.others += line->others;
		block->count += line->reads + line->writes + line->fetches + line->others;
	}
	return count;
}

/* Appends the rows of the hottest blocks. */
static void
report_blocks(
	const struct hot_block *hot, size_t count, uint64_t total, struct poly_report *report)
{
	for (size_t i = 0; i < count; i++) {
		poly_report_cell_address(report, hot[i].address, 8);
		poly_report_cell_count(report, hot[i].count);
		poly_report_cell_ratio(report, (double)hot[i].count, (double)total, 2);
		poly_report_cell_count(report, hot[i].line.reads);
		poly_report_cell_count(report, hot[i].line.writes);
		poly_report_cell_count(report, hot[i].line.fetches);
	}
}

/* Opens a table of the hottest blocks. */
static void
open_blocks(struct poly_report *report, const char *key)
{
	poly_report_table(report, key);
	table_columns(report, "address accesses share reads writes fetches");
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_BARS;
	plot.x = "address";
	plot.y[0] = "reads";
	plot.y[1] = "writes";
	plot.y[2] = "fetches";
	plot.y_title = "Accesses";
	poly_report_plot(report, &plot);
}

/* Reports the hottest blocks of bytes each; false: out of memory. */
static bool
report_hot(const struct memory *memory, const uint32_t *sorted, uint64_t bytes,
	struct poly_report *report)
{
	struct hot_block *hot = mem_new(memory->lines.count + (size_t)1, sizeof *hot);
	if (!hot)
		return false;
	uint64_t total = 0;
	size_t count = merge_lines(&memory->lines, sorted, bytes, hot);
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
	poly_report_count(report, "forwarded_loads", memory->candidates);
	poly_report_ratio(report, "forwarded_ratio", (double)memory->candidates,
		(double)memory->loads, 2);
	poly_report_count(report, "fully_contained_loads", memory->contained);
	poly_report_count(report, "line_size", line);
	poly_report_count(report, "page_size", page);
	uint32_t *sorted = adaptive_bins_sorted(&memory->lines);
	open_blocks(report, "hottest_lines");
	bool ok = sorted && report_hot(memory, sorted, line, report);
	poly_report_end(report);
	open_blocks(report, "hottest_pages");
	ok = ok && report_hot(memory, sorted, page, report);
	poly_report_end(report);
	mem_free(sorted);
	if (!ok)
		tree_fail(report);
}
