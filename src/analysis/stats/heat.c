/* SPDX-License-Identifier: MIT */
/*
 * The heat map: accesses and executed instructions over address and time.
 *
 * One pass and bounded memory: GRANULES_MOST bins by BINS_MOST bins of time. Where there
 * are more bins they become twice as large, where the trace is longer the bins do; so every
 * count is exact. Rows of the map are chosen when it is reported: blocks of different size that
 * hold about equally many bins, so that the space between stack, heap and code takes none.
 */
#include "analysis/analysis.h"

#include "analysis/adaptive_bins.h"
#include "analysis/column_stats.h"
#include "base/mem.h"
#include "report/tree.h"

#include <string.h>

#define GRANULES_MOST ((uint32_t)1 << 12)
#define GRANULE_SHIFT 6
#define BINS_MOST 96

enum { OPTION_ROWS };

struct heat {
	uint32_t row_most;
	unsigned bin_shift; /* a bin is 1 << bin_shift records */
	uint64_t records;   /* so far */
	struct adaptive_bins bins;
};

/* Accesses of a bin by bin of time. */
struct bins {
	uint64_t counts[BINS_MOST];
};

static void
bins_join(void *into, const void *from)
{
	struct bins *to = into;
	const struct bins *more = from;
	for (size_t i = 0; i < BINS_MOST; i++)
		to->counts[i] += more->counts[i];
}

static enum poly_status
heat_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct heat *heat = state;
	(void)error;
	heat->row_most = (uint32_t)setup->values[OPTION_ROWS];
	heat->bins.shift = GRANULE_SHIFT;
	heat->bins.max_count = GRANULES_MOST;
	heat->bins.item_size = sizeof(struct bins);
	heat->bins.merge_item = bins_join;
	return POLY_OK;
}

/* Makes bins twice as wide until there is one for a record. */
static void
heat_widen(struct heat *heat, uint64_t record)
{
	for (; record >> heat->bin_shift >= BINS_MOST; heat->bin_shift++) {
		for (uint32_t i = 0; i < heat->bins.count; i++) {
			struct bins *it = adaptive_bins_item(&heat->bins, i);
			for (size_t j = 0; j < BINS_MOST / 2; j++)
				it->counts[j] = it->counts[2 * j] + it->counts[2 * j + 1];
			memset(it->counts + BINS_MOST / 2, 0, sizeof it->counts / 2);
		}
	}
}

static inline bool
heat_add(struct heat *heat, uint64_t address, size_t row)
{
	const uint32_t found = adaptive_bins_get(&heat->bins, address, 0);
	if (found == ADAPTIVE_BIN_NONE)
		return false;
	struct bins *it = adaptive_bins_item(&heat->bins, found);
	it->counts[(heat->records + row) >> heat->bin_shift]++;
	return true;
}

/* The accesses of a word's rows; ports have addresses of their own. */
static uint64_t
accesses(const struct poly_batch *batch, size_t word)
{
	const size_t rows = batch->rows - 64 * word, n = rows < 64 ? rows : 64;
	if (!batch->access || !batch->address)
		return 0;
	return row_bits_present(batch, POLY_COLUMN_access, word) &
	       row_bits_present(batch, POLY_COLUMN_address, word) &
	       ~row_bits_equal(batch->access + 64 * word, n, POLY_ACCESS_IO_READ) &
	       ~row_bits_equal(batch->access + 64 * word, n, POLY_ACCESS_IO_WRITE);
}

/* The instructions of a word's rows. */
static uint64_t
instructions(const struct poly_batch *batch, size_t word)
{
	const size_t rows = batch->rows - 64 * word, n = rows < 64 ? rows : 64;
	if (!batch->kind || !batch->pc)
		return 0;
	return row_bits_present(batch, POLY_COLUMN_pc, word) &
	       row_bits_present(batch, POLY_COLUMN_kind, word) &
	       row_bits_equal(batch->kind + 64 * word, n, POLY_KIND_INSTRUCTION);
}

static bool
heat_update(void *state, const struct analysis_rows *rows)
{
	struct heat *heat = state;
	const struct poly_batch *batch = rows->batch;
	bool ok = true;
	if (batch->rows)
		heat_widen(heat, heat->records + batch->rows - 1);
	for (size_t w = 0; ok && w < row_bits_words(batch); w++) {
		uint64_t left = instructions(batch, w);
		while (ok && left) {
			const size_t row = 64 * w + row_bits_next(&left);
			ok = heat_add(heat, batch->pc[row], row);
		}
		left = accesses(batch, w);
		while (ok && left) {
			const size_t row = 64 * w + row_bits_next(&left);
			ok = heat_add(heat, batch->address[row], row);
		}
	}
	heat->records += batch->rows;
	return ok;
}

/* A row of the map: bins of sorted order within an aligned block. */
struct heat_row {
	uint32_t first, count;
	unsigned shift; /* the block's bytes as a power of two; 64: all addresses */
};

/* The first bin of a row that lies in the upper half of its block; may be behind it. */
static uint32_t
upper_half(const struct adaptive_bins *bins, const uint32_t *sorted, const struct heat_row *row)
{
	uint32_t low = row->first, high = row->first + row->count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (adaptive_bins_address(bins, sorted[middle]) >> (row->shift - 1) & 1)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The row to be divided next: most bins, and the lowest of these; NULL: there is none. */
static struct heat_row *
fullest(struct heat_row *rows, size_t count)
{
	struct heat_row *found = NULL;
	for (size_t i = 0; i < count; i++) {
		if (rows[i].count > 1 && (!found || rows[i].count > found->count))
			found = &rows[i];
	}
	return found;
}

/* Makes a row's block as small as what is in it. */
static void
shrink(const struct adaptive_bins *bins, const uint32_t *sorted, struct heat_row *row)
{
	const uint64_t low = adaptive_bins_address(bins, sorted[row->first]);
	const uint64_t high = adaptive_bins_address(bins, sorted[row->first + row->count - 1]);
	while (row->shift > bins->shift && low >> (row->shift - 1) == high >> (row->shift - 1))
		row->shift--;
}

/* Divides addresses into at most as many rows as there is room for; how many. */
static size_t
divide(const struct heat *heat, const uint32_t *sorted, struct heat_row *rows)
{
	const struct adaptive_bins *bins = &heat->bins;
	size_t count = bins->count ? 1 : 0;
	struct heat_row *row;
	rows[0] = (struct heat_row){0, bins->count, 64};
	while ((row = fullest(rows, count))) {
		const uint32_t upper = upper_half(bins, sorted, row);
		const uint32_t below = upper - row->first, above = row->count - below;
		if (below && above && count == heat->row_most)
			break;
		row->shift--;
		if (!below || !above)
			continue;
		memmove(row + 1, row, (size_t)(rows + count - row) * sizeof *row);
		row[0].count = below;
		row[1].first = upper;
		row[1].count = above;
		count++;
	}
	for (size_t i = 0; i < count; i++)
		shrink(bins, sorted, &rows[i]);
	return count;
}

/* What happened in a row by bin of time, and in all. */
static uint64_t
sum_row(const struct heat *heat, const uint32_t *sorted, const struct heat_row *row,
	struct bins *sum)
{
	uint64_t count = 0;
	*sum = (struct bins){{0}};
	for (uint32_t i = 0; i < row->count; i++)
		bins_join(sum, adaptive_bins_item(&heat->bins, sorted[row->first + i]));
	for (size_t i = 0; i < BINS_MOST; i++)
		count += sum->counts[i];
	return count;
}

/* The first address of a row's block. */
static uint64_t
row_address(const struct heat *heat, const uint32_t *sorted, const struct heat_row *row)
{
	const uint64_t first = adaptive_bins_address(&heat->bins, sorted[row->first]);
	return row->shift < 64 ? first >> row->shift << row->shift : 0;
}

/* The rows of the map, a line each. */
static void
report_blocks(const struct heat *heat, const uint32_t *sorted, const struct heat_row *rows,
	size_t count, struct poly_report *report)
{
	struct bins sum;
	poly_report_table(report, "blocks");
	poly_report_column(report, "row", true);
	poly_report_column(report, "address", true);
	poly_report_column(report, "block_bytes", true);
	poly_report_column(report, "count", true);
	for (size_t i = 0; i < count; i++) {
		poly_report_cell_count(report, i + 1);
		poly_report_cell_address(report, row_address(heat, sorted, &rows[i]), 8);
		poly_report_cell_count(
			report, rows[i].shift < 64 ? (uint64_t)1 << rows[i].shift : UINT64_MAX);
		poly_report_cell_count(report, sum_row(heat, sorted, &rows[i], &sum));
	}
	poly_report_end(report);
}

static void
open_map(struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "map");
	poly_report_column(report, "record", true);
	poly_report_column(report, "row", true);
	poly_report_column(report, "address", true);
	poly_report_column(report, "count", true);
	plot.kind = POLY_PLOT_HEAT;
	plot.x = "record";
	plot.y[0] = "row";
	plot.value = "count";
	plot.label = "address";
	plot.y_title = "Row, from the lowest addresses to the highest";
	poly_report_plot(report, &plot);
}

/* The map: a line for every row and bin of time in which something happened. */
static void
report_map(const struct heat *heat, const uint32_t *sorted, const struct heat_row *rows,
	size_t count, struct poly_report *report)
{
	struct bins sum;
	open_map(report);
	for (size_t i = 0; i < count; i++) {
		sum_row(heat, sorted, &rows[i], &sum);
		for (size_t bin = 0; bin < BINS_MOST; bin++) {
			if (!sum.counts[bin])
				continue;
			poly_report_cell_count(report, ((uint64_t)bin << heat->bin_shift) + 1);
			poly_report_cell_count(report, i + 1);
			poly_report_cell_address(
				report, row_address(heat, sorted, &rows[i]), 8);
			poly_report_cell_count(report, sum.counts[bin]);
		}
	}
	poly_report_end(report);
}

static void
heat_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct heat *heat = state;
	uint32_t *sorted = adaptive_bins_sorted(&heat->bins);
	struct heat_row *rows = mem_new(heat->row_most, sizeof *rows);
	(void)ops;
	poly_report_count(report, "bin_records", (uint64_t)1 << heat->bin_shift);
	poly_report_count(report, "granule_bytes", (uint64_t)1 << heat->bins.shift);
	if (!sorted || !rows) {
		tree_fail(report);
	} else {
		const size_t count = divide(heat, sorted, rows);
		report_map(heat, sorted, rows, count, report);
		report_blocks(heat, sorted, rows, count, report);
	}
	mem_free(sorted);
	mem_free(rows);
}

static void
heat_fini(void *state)
{
	struct heat *heat = state;
	adaptive_bins_fini(&heat->bins);
}

static bool
heat_suits(const struct poly_trace_info *info)
{
	return (info->columns & POLY_HAS(pc)) ||
	       !(~info->columns & (POLY_HAS(access) | POLY_HAS(address)));
}

static const struct poly_option options[] = {
	[OPTION_ROWS] = {"heat.rows", POLY_OPTION_NUMBER, POLY_OPTION_READ, 48, 1, 1024, NULL,
		"most rows of the map", NULL},
	{0}};

const struct analysis analysis_heat = {
	.info = {.name = "heat",
		.title = "Heat map",
		.summary = "accesses and executed instructions over address and time",
		.needs = POLY_HAS(kind),
		.wants = POLY_HAS(pc) | POLY_HAS(access) | POLY_HAS(address),
		.options = options},
	.state_size = sizeof(struct heat),
	.suits = heat_suits,
	.init = heat_init,
	.update = heat_update,
	.report = heat_report,
	.fini = heat_fini,
};
