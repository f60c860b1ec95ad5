/* SPDX-License-Identifier: MIT */
/*
 * Working sets: how many different lines and pages are touched in windows of several lengths,
 * and how that changes over time (P. J. Denning, The working set model for program behavior,
 * Communications of the ACM 11(5), 1968; windows here do not overlap).
 *
 * A window consists of whole ones of the next shorter length, so what was touched before in the
 * shortest one is new to none. Bounded: BLOCKS_MOST blocks a window.
 */
#include "analysis/analysis.h"

#include "analysis/adaptive_bins.h"

#include "report/terms.h"

#define BLOCKS_MOST ((uint32_t)1 << 20)
#define LINE_SHIFT 6
#define PAGE_SHIFT 12

/* Bytes of one access that count. */
#define ACCESS_MOST 4096

/* Windows, each of LONGER times as many records as the one before. */
#define WINDOWS 4
#define LONGER 8

#define BINS_MOST 96

enum { OPTION_WINDOW };

/* What is counted apart. */
enum { DATA_LINES, DATA_PAGES, CODE_LINES, CODE_PAGES, SETS };

/* Windows of a length. */
struct windows {
	uint64_t count, sums[SETS], most[SETS]; /* of those that are over */
	uint64_t filled; /* shorter windows, or records, of the one that is open */
	struct adaptive_bins sets[SETS];
};

struct workingset {
	uint64_t window; /* records of the shortest one */
	uint64_t untold; /* blocks beyond the table */
	struct windows windows[WINDOWS];
	unsigned bin_shift; /* a bin is 1 << bin_shift shortest windows */
	uint64_t bins[BINS_MOST][SETS];
};

static enum poly_status
workingset_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct workingset *it = state;
	(void)error;
	it->window = setup->values[OPTION_WINDOW];
	for (size_t i = 0; i < WINDOWS; i++) {
		for (size_t j = 0; j < SETS; j++) {
			struct adaptive_bins *set = &it->windows[i].sets[j];
			set->shift =
				j == DATA_LINES || j == CODE_LINES ? LINE_SHIFT : PAGE_SHIFT;
			set->max_count = BLOCKS_MOST;
			set->item_size = 1;
			set->is_fixed = true;
		}
	}
	return POLY_OK;
}

/* Empties a window. */
static void
clear(struct windows *windows)
{
	windows->filled = 0;
	for (size_t i = 0; i < SETS; i++)
		adaptive_bins_clear(&windows->sets[i]);
}

static void
workingset_begin(void *state, const struct poly_trace_info *info)
{
	struct workingset *it = state;
	(void)info;
	for (size_t i = 0; i < WINDOWS; i++)
		clear(&it->windows[i]);
}

/* Makes bins twice as wide until there is one for a window. */
static void
widen_bins(struct workingset *it, uint64_t window)
{
	for (; window >> it->bin_shift >= BINS_MOST; it->bin_shift++) {
		for (size_t i = 0; i < BINS_MOST; i++) {
			const size_t to = i / 2;
			for (size_t j = 0; j < SETS; j++) {
				const uint64_t sum = it->bins[i][j];
				it->bins[i][j] = 0;
				it->bins[to][j] = i % 2 ? it->bins[to][j] + sum : sum;
			}
		}
	}
}

/* A window is over. */
static void
close_window(struct windows *windows)
{
	windows->count++;
	for (size_t i = 0; i < SETS; i++) {
		const uint64_t size = windows->sets[i].count;
		windows->sums[i] += size;
		windows->most[i] = size > windows->most[i] ? size : windows->most[i];
	}
	clear(windows);
}

/* The shortest window is over, and with it those whose last one it is. */
static void
close_windows(struct workingset *it)
{
	struct windows *windows = it->windows;
	widen_bins(it, windows->count);
	for (size_t i = 0; i < SETS; i++)
		it->bins[windows->count >> it->bin_shift][i] += windows->sets[i].count;
	close_window(windows);
	for (size_t i = 1; i < WINDOWS; i++) {
		if (++windows[i].filled < LONGER)
			break;
		close_window(&windows[i]);
	}
}

/* A block is touched; *is_new: for the first time in the shortest window. */
static bool
touch_block(struct workingset *it, unsigned set, uint64_t address, bool *is_new)
{
	*is_new = false;
	for (size_t i = 0; i < WINDOWS; i++) {
		struct adaptive_bins *blocks = &it->windows[i].sets[set];
		const uint32_t count = blocks->count;
		if (adaptive_bins_get(blocks, address, 0) == ADAPTIVE_BIN_NONE) {
			it->untold++;
			if (blocks->failed)
				return false;
		}
		if (blocks->count == count)
			break;
		*is_new = true;
	}
	return true;
}

/* Bytes are touched; lines: DATA_LINES or CODE_LINES. */
static bool
touch(struct workingset *it, unsigned lines, uint64_t address, uint32_t size)
{
	const uint64_t bytes = (uint64_t)1 << LINE_SHIFT, first = address & ~(bytes - 1);
	const uint64_t reach = address - first + (size < ACCESS_MOST ? size : ACCESS_MOST);
	for (uint64_t offset = 0; !offset || offset < reach; offset += bytes) {
		bool is_new, ignored;
		if (!touch_block(it, lines, first + offset, &is_new))
			return false;
		if (is_new && !touch_block(it, lines + 1, first + offset, &ignored))
			return false;
	}
	return true;
}

static bool
update_row(struct workingset *it, const struct poly_batch *batch, size_t row)
{
	if (poly_present(batch, POLY_COLUMN_pc, row) &&
		poly_present(batch, POLY_COLUMN_kind, row) &&
		batch->kind[row] == POLY_KIND_INSTRUCTION &&
		!touch(it, CODE_LINES, batch->pc[row],
			poly_present(batch, POLY_COLUMN_opcode_size, row)
				? batch->opcode_size[row]
				: 1))
		return false;
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row) ||
		batch->access[row] > POLY_ACCESS_FETCH)
		return true;
	return touch(it, batch->access[row] == POLY_ACCESS_FETCH ? CODE_LINES : DATA_LINES,
		batch->address[row],
		poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1);
}

static bool
workingset_update(void *state, const struct analysis_rows *rows)
{
	struct workingset *it = state;
	for (size_t row = 0; row < rows->batch->rows; row++) {
		if (!update_row(it, rows->batch, row))
			return false;
		if (++it->windows->filled == it->window)
			close_windows(it);
	}
	return true;
}

static const struct {
	const char *mean, *most;
} sets[SETS] = {
	[DATA_LINES] = {KEY("data_lines"), KEY("data_lines_most")},
	[DATA_PAGES] = {KEY("data_pages"), KEY("data_pages_most")},
	[CODE_LINES] = {KEY("code_lines"), KEY("code_lines_most")},
	[CODE_PAGES] = {KEY("code_pages"), KEY("code_pages_most")},
};

static void
report_windows(const struct workingset *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	uint64_t records = it->window;
	poly_report_table(report, "windows");
	poly_report_column(report, "window", true);
	poly_report_column(report, "windows", true);
	for (size_t i = 0; i < SETS; i++) {
		poly_report_column(report, sets[i].mean, true);
		poly_report_column(report, sets[i].most, true);
		plot.y[i] = sets[i].mean;
	}
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "window";
	plot.y_title = "Mean working set";
	plot.log_x = plot.log_y = true;
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < WINDOWS; i++, records *= LONGER) {
		const struct windows *windows = &it->windows[i];
		if (!windows->count)
			break;
		poly_report_cell_count(report, records);
		poly_report_cell_count(report, windows->count);
		for (size_t j = 0; j < SETS; j++) {
			poly_report_cell_real(
				report, (double)windows->sums[j] / (double)windows->count, 2);
			poly_report_cell_count(report, windows->most[j]);
		}
	}
	poly_report_end(report);
}

static void
report_time(const struct workingset *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	const uint64_t width = (uint64_t)1 << it->bin_shift, count = it->windows->count;
	poly_report_table(report, "time");
	poly_report_column(report, "record", true);
	for (size_t i = 0; i < SETS; i++) {
		poly_report_column(report, sets[i].mean, true);
		plot.y[i] = sets[i].mean;
	}
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "record";
	plot.y_title = "Mean working set";
	poly_report_plot(report, &plot);
	for (uint64_t i = 0; i * width < count; i++) {
		const uint64_t left = count - i * width, windows = left < width ? left : width;
		poly_report_cell_count(report, i * width * it->window + 1);
		for (size_t j = 0; j < SETS; j++)
			poly_report_cell_real(
				report, (double)it->bins[i][j] / (double)windows, 2);
	}
	poly_report_end(report);
}

static void
workingset_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct workingset *it = state;
	(void)ops;
	poly_report_count(report, "line_bytes", 1 << LINE_SHIFT);
	poly_report_count(report, "page_bytes", 1 << PAGE_SHIFT);
	poly_report_count(report, "untold", it->untold);
	report_windows(it, report);
	report_time(it, report);
}

static void
workingset_fini(void *state)
{
	struct workingset *it = state;
	for (size_t i = 0; i < WINDOWS; i++) {
		for (size_t j = 0; j < SETS; j++)
			adaptive_bins_fini(&it->windows[i].sets[j]);
	}
}

static bool
workingset_suits(const struct poly_trace_info *info)
{
	return (info->columns & POLY_HAS(pc)) ||
	       !(~info->columns & (POLY_HAS(access) | POLY_HAS(address)));
}

static const struct poly_option options[] = {
	[OPTION_WINDOW] = {"workingset.window", POLY_OPTION_NUMBER, POLY_OPTION_READ, 1024, 1,
		(uint64_t)1 << 32, NULL,
		"records of the shortest window; the others are 8, 64 and 512 times as long",
		NULL},
	{0}};

const struct analysis analysis_workingset = {
	.info = {.name = "workingset",
		.title = "Working sets",
		.summary = "different lines and pages touched in windows of several lengths, "
			   "and over time",
		.needs = POLY_HAS(kind),
		.wants = POLY_HAS(pc) | POLY_HAS(opcode_size) | POLY_HAS(access) |
			 POLY_HAS(address) | POLY_HAS(size),
		.options = options},
	.state_size = sizeof(struct workingset),
	.suits = workingset_suits,
	.init = workingset_init,
	.begin = workingset_begin,
	.update = workingset_update,
	.report = workingset_report,
	.fini = workingset_fini,
};
