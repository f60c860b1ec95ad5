/* SPDX-License-Identifier: MIT */
/*
 * The heat map: accesses and executed instructions over address and time.
 *
 * One pass and bounded memory: ADDRESS_BINS_MAX address bins by TIME_BINS_MAX time bins. Both
 * double in size when there are more, so every count is exact. The report chooses the rows of
 * the map: blocks of different size with about the same number of address bins, so that the
 * space between stack, heap and code needs no rows.
 */
#include "analysis/core/analysis.h"

#include "analysis/facts/branch_stream.h"
#include "analysis/facts/adaptive_bins.h"
#include "analysis/facts/archive.h"
#include "analysis/facts/column_stats.h"
#include "base/mem.h"
#include "report/table.h"
#include "report/tree.h"

#include <string.h>

#define ADDRESS_BINS_MAX ((uint32_t)1 << 12)
#define ADDRESS_BIN_SHIFT 6
#define TIME_BINS_MAX 96

enum { OPTION_ROWS };

struct heat {
	uint32_t max_rows;
	unsigned time_shift; /* a time bin is 1 << time_shift records of each trace */
	struct adaptive_bins bins;
};

/* Accesses of an address bin by time bin. */
struct time_bins {
	uint64_t counts[TIME_BINS_MAX];
};

static void
merge_time_bins(void *into, const void *from)
{
	struct time_bins *sum = into;
	const struct time_bins *bins = from;
	for (size_t i = 0; i < TIME_BINS_MAX; i++)
		sum->counts[i] += bins->counts[i];
}

static enum poly_status
heat_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct heat *heat = state;
	(void)error;
	heat->max_rows = (uint32_t)setup->values[OPTION_ROWS];
	heat->bins.shift = ADDRESS_BIN_SHIFT;
	heat->bins.max_count = ADDRESS_BINS_MAX;
	heat->bins.item_size = sizeof(struct time_bins);
	heat->bins.merge_item = merge_time_bins;
	return POLY_OK;
}

/* Sums pairs of time bins until they have a width. */
static void
widen_time(struct time_bins *bins, unsigned shift, unsigned to_shift)
{
	for (; shift < to_shift; shift++) {
		for (size_t i = 0; i < TIME_BINS_MAX / 2; i++)
			bins->counts[i] = bins->counts[2 * i] + bins->counts[2 * i + 1];
		memset(bins->counts + TIME_BINS_MAX / 2, 0, sizeof bins->counts / 2);
	}
}

/* Widens the time bins, which are not wider. */
static void
set_time_shift(struct heat *heat, unsigned shift)
{
	for (uint32_t i = 0; i < heat->bins.count; i++)
		widen_time(adaptive_bins_item(&heat->bins, i), heat->time_shift, shift);
	heat->time_shift = shift;
}

/* Widens the time bins until a record has one. */
static void
reach_record(struct heat *heat, uint64_t record)
{
	unsigned shift = heat->time_shift;
	while (record >> shift >= TIME_BINS_MAX)
		shift++;
	if (shift > heat->time_shift)
		set_time_shift(heat, shift);
}

static inline bool
heat_add(struct heat *heat, uint64_t address, uint64_t record)
{
	const uint32_t found = adaptive_bins_get(&heat->bins, address, 0);
	if (found == ADAPTIVE_BIN_NONE)
		return false;
	struct time_bins *bins = adaptive_bins_item(&heat->bins, found);
	bins->counts[record >> heat->time_shift]++;
	return true;
}

/* Returns the rows of a word that are memory accesses; ports are another address space. */
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

/* Returns the rows of a word that are instructions with a known address. */
static uint64_t
instructions(const struct poly_batch *batch, size_t word)
{
	return row_bits_present(batch, POLY_COLUMN_pc, word) & instruction_rows(batch, word);
}

static bool
heat_update(void *state, const struct analysis_rows *rows)
{
	struct heat *heat = state;
	const struct poly_batch *batch = rows->batch;
	bool ok = true;
	if (batch->rows)
		reach_record(heat, batch->first + batch->rows - 1);
	for (size_t w = 0; ok && w < row_bits_words(batch); w++) {
		uint64_t left = instructions(batch, w);
		while (ok && left) {
			const size_t row = 64 * w + row_bits_next(&left);
			ok = heat_add(heat, batch->pc[row], batch->first + row);
		}
		left = accesses(batch, w);
		while (ok && left) {
			const size_t row = 64 * w + row_bits_next(&left);
			ok = heat_add(heat, batch->address[row], batch->first + row);
		}
	}
	return ok;
}

/* Records have their numbers in the trace, so the bins of parts and of traces are the same. */
static bool
heat_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct heat *sum = into;
	const struct heat *heat = from;
	(void)numbers;
	if (sum->time_shift < heat->time_shift)
		set_time_shift(sum, heat->time_shift);
	adaptive_bins_widen(&sum->bins, heat->bins.shift);
	for (uint32_t i = 0; i < heat->bins.count; i++) {
		const uint32_t found = adaptive_bins_find(
			&sum->bins, adaptive_bins_address(&heat->bins, i), 0);
		if (found == ADAPTIVE_BIN_NONE)
			return false;
		struct time_bins bins =
			*(const struct time_bins *)adaptive_bins_item(&heat->bins, i);
		widen_time(&bins, heat->time_shift, sum->time_shift);
		merge_time_bins(adaptive_bins_item(&sum->bins, found), &bins);
	}
	return true;
}

/* A row of the map: sorted address bins within an aligned block. */
struct heat_row {
	uint32_t first, count;
	unsigned shift; /* log2 of the block's bytes; 64: all addresses */
};

/* Returns the first bin in the upper half of a row's block; one past the row if none. */
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

/* Returns the row to divide next: the lowest one with most bins; NULL: none. */
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

/* Shrinks a row's block to the smallest one that contains its bins. */
static void
shrink(const struct adaptive_bins *bins, const uint32_t *sorted, struct heat_row *row)
{
	const uint64_t low = adaptive_bins_address(bins, sorted[row->first]);
	const uint64_t high = adaptive_bins_address(bins, sorted[row->first + row->count - 1]);
	while (row->shift > bins->shift && low >> (row->shift - 1) == high >> (row->shift - 1))
		row->shift--;
}

/* Divides addresses into at most max_rows rows; returns their number. */
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
		if (below && above && count == heat->max_rows)
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

/* Sums the accesses of a row by time bin; returns their total. */
static uint64_t
sum_row(const struct heat *heat, const uint32_t *sorted, const struct heat_row *row,
	struct time_bins *sum)
{
	uint64_t count = 0;
	*sum = (struct time_bins){{0}};
	for (uint32_t i = 0; i < row->count; i++)
		merge_time_bins(sum, adaptive_bins_item(&heat->bins, sorted[row->first + i]));
	for (size_t i = 0; i < TIME_BINS_MAX; i++)
		count += sum->counts[i];
	return count;
}

/* Returns the first address of a row's block. */
static uint64_t
row_address(const struct heat *heat, const uint32_t *sorted, const struct heat_row *row)
{
	const uint64_t first = adaptive_bins_address(&heat->bins, sorted[row->first]);
	return row->shift < 64 ? first >> row->shift << row->shift : 0;
}

/* Reports the rows of the map. */
static void
report_rows(const struct heat *heat, const uint32_t *sorted, const struct heat_row *rows,
	size_t count, struct poly_report *report)
{
	struct time_bins sum;
	table_open(report, "map_rows", "row first_address block_size accesses");
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
	table_open(report, "heat_map", "from_record row first_address accesses");
	plot.kind = POLY_PLOT_HEAT;
	plot.x = "from_record";
	plot.y[0] = "row";
	plot.value = "accesses";
	plot.label = "first_address";
	plot.y_title = "Row, by rising addresses";
	poly_report_plot(report, &plot);
}

/* Reports the map: a line for each row and time bin with an access. */
static void
report_map(const struct heat *heat, const uint32_t *sorted, const struct heat_row *rows,
	size_t count, struct poly_report *report)
{
	struct time_bins sum;
	open_map(report);
	for (size_t i = 0; i < count; i++) {
		sum_row(heat, sorted, &rows[i], &sum);
		for (size_t bin = 0; bin < TIME_BINS_MAX; bin++) {
			if (!sum.counts[bin])
				continue;
			poly_report_cell_count(report, ((uint64_t)bin << heat->time_shift) + 1);
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
	struct heat_row *rows = mem_new(heat->max_rows, sizeof *rows);
	(void)ops;
	poly_report_count(report, "records_per_bin", (uint64_t)1 << heat->time_shift);
	poly_report_count(report, "bin_size", (uint64_t)1 << heat->bins.shift);
	if (!sorted || !rows) {
		tree_fail(report);
	} else {
		const size_t count = divide(heat, sorted, rows);
		report_map(heat, sorted, rows, count, report);
		report_rows(heat, sorted, rows, count, report);
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
	return POLY_HAS(info->columns, pc) ||
	       poly_columns_subset(POLY_COLUMNS(access, address), info->columns);
}

static void
transfer_time_bins(struct archive *archive, void *item)
{
	struct time_bins *bins = item;
	ARCHIVE_ARRAY(archive, bins->counts);
}

static void
heat_transfer(void *state, struct archive *archive)
{
	struct heat *heat = state;
	ARCHIVE_UP_TO(archive, heat->time_shift, 63);
	archive_bins(archive, &heat->bins, 1, transfer_time_bins);
}

static const struct poly_option options[] = {
	[OPTION_ROWS] = {"heat.rows", POLY_OPTION_NUMBER, .initial = 48, .minimum = 1,
		.maximum = 1024, .help = "limit the map to N rows"},
	{0}};

const struct analysis analysis_heat = {
	.info = {.name = "heat",
		.title = "Heat map",
		.summary = "accesses and executed instructions over address and time",
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(pc, access, address, INSTRUCTION_COUNT_COLUMNS),
		.options = options},
	.uses_real = true,
	.state_size = sizeof(struct heat),
	.suits = heat_suits,
	.init = heat_init,
	.update = heat_update,
	.uses_numbers = true,
	.merge = heat_merge,
	.transfer = heat_transfer,
	.report = heat_report,
	.fini = heat_fini,
};
