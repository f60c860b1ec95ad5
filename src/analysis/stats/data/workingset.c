/* SPDX-License-Identifier: MIT */
/*
 * Working sets: unique lines and pages touched in windows of several lengths, and over time (P.
 * J. Denning, The working set model for program behavior, Communications of the ACM 11(5),
 * 1968; windows here do not overlap).
 *
 * A window consists of complete windows of the next shorter length, so a block that was touched
 * before in the shortest one is new to none. Bounded: BLOCKS_MAX blocks per window.
 */
#include "analysis/core/analysis.h"

#include "analysis/facts/adaptive_bins.h"
#include "report/table.h"

#include "report/terms.h"

#define BLOCKS_MAX ((uint32_t)1 << 20)
#define LINE_SHIFT 6
#define PAGE_SHIFT 12

/* Max. number of bytes of an access that count. */
#define ACCESS_BYTES_MAX 4096

/* Window lengths; each is WINDOW_FACTOR times the one before. */
#define WINDOWS 4
#define WINDOW_FACTOR 8

#define BINS_MAX 96

enum { OPTION_WINDOW };

/* The sets of blocks. */
enum { DATA_LINES, DATA_PAGES, CODE_LINES, CODE_PAGES, SETS };

/* The windows of a length. */
struct window_stats {
	uint64_t count, sums[SETS], max[SETS]; /* of complete windows */
	uint64_t filled; /* shorter windows, or records, of the open one */
	struct adaptive_bins sets[SETS];
};

struct workingset {
	uint64_t window;    /* records of the shortest one */
	uint64_t untracked; /* accesses to blocks that exceed the table */
	struct window_stats windows[WINDOWS];
	unsigned bin_shift; /* a bin is 1 << bin_shift shortest windows */
	uint64_t bins[BINS_MAX][SETS];
};

static enum poly_status
workingset_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct workingset *workingset = state;
	(void)error;
	workingset->window = setup->values[OPTION_WINDOW];
	for (size_t i = 0; i < WINDOWS; i++) {
		for (size_t j = 0; j < SETS; j++) {
			struct adaptive_bins *set = &workingset->windows[i].sets[j];
			set->shift =
				j == DATA_LINES || j == CODE_LINES ? LINE_SHIFT : PAGE_SHIFT;
			set->max_count = BLOCKS_MAX;
			set->item_size = 1;
			set->is_fixed = true;
		}
	}
	return POLY_OK;
}

/* Clears the open window. */
static void
clear(struct window_stats *windows)
{
	windows->filled = 0;
	for (size_t i = 0; i < SETS; i++)
		adaptive_bins_clear(&windows->sets[i]);
}

static void
workingset_begin(void *state, const struct poly_trace_info *info)
{
	struct workingset *workingset = state;
	(void)info;
	for (size_t i = 0; i < WINDOWS; i++)
		clear(&workingset->windows[i]);
}

/* Doubles the width of bins until a window has one. */
static void
coarsen_bins(struct workingset *workingset, uint64_t window)
{
	for (; window >> workingset->bin_shift >= BINS_MAX; workingset->bin_shift++) {
		for (size_t i = 0; i < BINS_MAX; i++) {
			const size_t bin = i / 2;
			for (size_t j = 0; j < SETS; j++) {
				const uint64_t sum = workingset->bins[i][j];
				workingset->bins[i][j] = 0;
				workingset->bins[bin][j] =
					i % 2 ? workingset->bins[bin][j] + sum : sum;
			}
		}
	}
}

/* Ends the open window of a length. */
static void
close_window(struct window_stats *windows)
{
	windows->count++;
	for (size_t i = 0; i < SETS; i++) {
		const uint64_t size = windows->sets[i].count;
		windows->sums[i] += size;
		windows->max[i] = size > windows->max[i] ? size : windows->max[i];
	}
	clear(windows);
}

/* Ends the shortest window and all longer ones that end with it. */
static void
close_windows(struct workingset *workingset)
{
	struct window_stats *windows = workingset->windows;
	coarsen_bins(workingset, windows->count);
	for (size_t i = 0; i < SETS; i++)
		workingset->bins[windows->count >> workingset->bin_shift][i] +=
			windows->sets[i].count;
	close_window(windows);
	for (size_t i = 1; i < WINDOWS; i++) {
		if (++windows[i].filled < WINDOW_FACTOR)
			break;
		close_window(&windows[i]);
	}
}

/* Adds a block to all windows; *is_new: it is new to the shortest one. */
static bool
touch_block(struct workingset *workingset, unsigned set, uint64_t address, bool *is_new)
{
	*is_new = false;
	for (size_t i = 0; i < WINDOWS; i++) {
		struct adaptive_bins *blocks = &workingset->windows[i].sets[set];
		const uint32_t count = blocks->count;
		if (adaptive_bins_get(blocks, address, 0) == ADAPTIVE_BIN_NONE) {
			workingset->untracked++;
			if (blocks->failed)
				return false;
		}
		if (blocks->count == count)
			break;
		*is_new = true;
	}
	return true;
}

/* Adds the lines and pages of bytes; lines: DATA_LINES or CODE_LINES. */
static bool
touch(struct workingset *workingset, unsigned lines, uint64_t address, uint32_t size)
{
	const uint64_t bytes = (uint64_t)1 << LINE_SHIFT, first = address & ~(bytes - 1);
	const uint64_t reach =
		address - first + (size < ACCESS_BYTES_MAX ? size : ACCESS_BYTES_MAX);
	for (uint64_t offset = 0; !offset || offset < reach; offset += bytes) {
		bool is_new, ignored;
		if (!touch_block(workingset, lines, first + offset, &is_new))
			return false;
		if (is_new && !touch_block(workingset, lines + 1, first + offset, &ignored))
			return false;
	}
	return true;
}

static bool
update_row(struct workingset *workingset, const struct poly_batch *batch, size_t row)
{
	if (poly_present(batch, POLY_COLUMN_pc, row) &&
		poly_present(batch, POLY_COLUMN_kind, row) &&
		batch->kind[row] == POLY_KIND_INSTRUCTION &&
		!(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]) &&
		!touch(workingset, CODE_LINES, batch->pc[row],
			poly_present(batch, POLY_COLUMN_opcode_size, row)
				? batch->opcode_size[row]
				: 1))
		return false;
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row) ||
		batch->access[row] > POLY_ACCESS_FETCH)
		return true;
	return touch(workingset,
		batch->access[row] == POLY_ACCESS_FETCH ? CODE_LINES : DATA_LINES,
		batch->address[row],
		poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1);
}

static bool
workingset_update(void *state, const struct analysis_rows *rows)
{
	struct workingset *workingset = state;
	for (size_t row = 0; row < rows->batch->rows; row++) {
		if (!update_row(workingset, rows->batch, row))
			return false;
		if (++workingset->windows->filled == workingset->window)
			close_windows(workingset);
	}
	return true;
}

static const struct {
	const char *mean, *max;
} sets[SETS] = {
	[DATA_LINES] = {KEY("data_lines_mean"), KEY("data_lines_max")},
	[DATA_PAGES] = {KEY("data_pages_mean"), KEY("data_pages_max")},
	[CODE_LINES] = {KEY("code_lines_mean"), KEY("code_lines_max")},
	[CODE_PAGES] = {KEY("code_pages_mean"), KEY("code_pages_max")},
};

static void
report_windows(const struct workingset *workingset, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t records = workingset->window;
	table_open(report, "working_set_by_window", "window windows");
	for (size_t i = 0; i < SETS; i++) {
		poly_report_column(report, sets[i].mean, true);
		poly_report_column(report, sets[i].max, true);
		plot.y[i] = sets[i].mean;
	}
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "window";
	plot.y_title = "Mean working set";
	plot.log_x = plot.log_y = true;
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < WINDOWS; i++, records *= WINDOW_FACTOR) {
		const struct window_stats *windows = &workingset->windows[i];
		if (!windows->count)
			break;
		poly_report_cell_count(report, records);
		poly_report_cell_count(report, windows->count);
		for (size_t j = 0; j < SETS; j++) {
			poly_report_cell_real(
				report, (double)windows->sums[j] / (double)windows->count, 2);
			poly_report_cell_count(report, windows->max[j]);
		}
	}
	poly_report_end(report);
}

static void
report_time(const struct workingset *workingset, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	const uint64_t width = (uint64_t)1 << workingset->bin_shift,
		       count = workingset->windows->count;
	table_open(report, "working_set_over_time", "from_record");
	for (size_t i = 0; i < SETS; i++) {
		poly_report_column(report, sets[i].mean, true);
		plot.y[i] = sets[i].mean;
	}
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "from_record";
	plot.y_title = "Mean working set";
	poly_report_plot(report, &plot);
	for (uint64_t i = 0; i * width < count; i++) {
		const uint64_t left = count - i * width, windows = left < width ? left : width;
		poly_report_cell_count(report, i * width * workingset->window + 1);
		for (size_t j = 0; j < SETS; j++)
			poly_report_cell_real(
				report, (double)workingset->bins[i][j] / (double)windows, 2);
	}
	poly_report_end(report);
}

static void
workingset_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct workingset *workingset = state;
	(void)ops;
	poly_report_count(report, "line_size", 1 << LINE_SHIFT);
	poly_report_count(report, "page_size", 1 << PAGE_SHIFT);
	poly_report_count(report, "untracked_accesses", workingset->untracked);
	report_windows(workingset, report);
	report_time(workingset, report);
}

static void
workingset_fini(void *state)
{
	struct workingset *workingset = state;
	for (size_t i = 0; i < WINDOWS; i++) {
		for (size_t j = 0; j < SETS; j++)
			adaptive_bins_fini(&workingset->windows[i].sets[j]);
	}
}

static bool
workingset_suits(const struct poly_trace_info *info)
{
	return POLY_HAS(info->columns, pc) ||
	       poly_columns_subset(POLY_COLUMNS(access, address), info->columns);
}

static const struct poly_option options[] = {
	[OPTION_WINDOW] = {"workingset.window", POLY_OPTION_NUMBER, .initial = 1024,
		.minimum = 1, .maximum = (uint64_t)1 << 32,
		.help = "set the shortest window to N records; the others are 8, 64 and 512 "
			"times as long"},
	{0}};

const struct analysis analysis_workingset = {
	.info = {.name = "workingset",
		.title = "Working sets",
		.summary = "unique lines and pages touched in windows of several lengths, "
			   "and over time",
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(pc, opcode_size, access, address, size, synthetic),
		.options = options},
	.ordered = ORDERED_HISTORY,
	.uses_real = true,
	.state_size = sizeof(struct workingset),
	.suits = workingset_suits,
	.init = workingset_init,
	.begin = workingset_begin,
	.update = workingset_update,
	.report = workingset_report,
	.fini = workingset_fini,
};
