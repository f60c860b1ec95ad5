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

#include "analysis/facts/access_stats.h"
#include "analysis/facts/archive.h"
#include "analysis/facts/adaptive_bins.h"
#include "analysis/facts/part_log.h"
#include "base/err.h"
#include "report/table.h"

#include "report/terms.h"

#define BLOCKS_MAX ((uint32_t)1 << 20)
#define LINE_SHIFT 6
#define PAGE_SHIFT 12

/* Window lengths; each is WINDOW_FACTOR times the one before. */
#define WINDOWS 4
#define WINDOW_FACTOR 8

#define BINS_MAX 96

/* Max. number of shortest windows of a saved part. */
#define PART_WINDOWS_MAX ((uint64_t)1 << 24)

enum { OPTION_WINDOW };

/* The sets of blocks. */
enum { DATA_LINES, DATA_PAGES, CODE_LINES, CODE_PAGES, SETS };

/* The windows of a length. */
struct window_stats {
	uint64_t count, sums[SETS], max[SETS]; /* of complete windows */
	uint64_t filled; /* shorter windows, or records, of the open one */
	struct adaptive_bins sets[SETS];
};

/* A bin of the shortest windows at a position in their traces. */
struct window_bin {
	uint64_t count, sums[SETS]; /* of complete windows */
};

/*
 * Touches of a part of a trace, whose windows begin at records that it does not know: a block
 * that consecutive rows touch.
 */
struct touched_rows {
	uint64_t address;
	uint64_t row; /* the first one, from 0 */
	uint32_t rows;
	uint32_t set;
};

struct workingset {
	uint64_t window;    /* records of the shortest one */
	uint64_t untracked; /* accesses to blocks that exceed the table */
	uint64_t truncated; /* accesses whose first bytes alone count */
	struct window_stats windows[WINDOWS];
	unsigned bin_shift; /* a bin is 1 << bin_shift shortest windows */
	struct window_bin bins[BINS_MAX];
	uint64_t number;     /* of the open shortest window in its trace */
	uint64_t rows;	     /* of the part */
	struct part_log log; /* of struct touched_rows, which are not counted yet */
	bool failed;	     /* out of memory */
};

static enum poly_status
workingset_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct workingset *workingset = state;
	(void)error;
	workingset->window = setup->values[OPTION_WINDOW];
	workingset->log.item_size = sizeof(struct touched_rows);
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

/* Clears the open windows at the end of a trace. */
static void
end_trace(struct workingset *workingset)
{
	for (size_t i = 0; i < WINDOWS; i++)
		clear(&workingset->windows[i]);
	workingset->number = workingset->rows = 0;
}

static void
add_bin(struct window_bin *into, const struct window_bin *from)
{
	into->count += from->count;
	for (size_t i = 0; i < SETS; i++)
		into->sums[i] += from->sums[i];
}

/* Doubles the width of bins. */
static void
double_bins(struct workingset *workingset)
{
	for (size_t i = 0; i < BINS_MAX; i++) {
		const struct window_bin bin = workingset->bins[i];
		workingset->bins[i] = (struct window_bin){0};
		add_bin(&workingset->bins[i / 2], &bin);
	}
	workingset->bin_shift++;
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
	while (workingset->number >> workingset->bin_shift >= BINS_MAX)
		double_bins(workingset);
	struct window_bin *bin = &workingset->bins[workingset->number >> workingset->bin_shift];
	workingset->number++;
	bin->count++;
	for (size_t i = 0; i < SETS; i++)
		bin->sums[i] += windows->sets[i].count;
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

/* Adds a line, and its page; false: out of memory. */
static bool
touch_line(struct workingset *workingset, unsigned lines, uint64_t address)
{
	bool is_new, ignored;
	return touch_block(workingset, lines, address, &is_new) &&
	       (!is_new || touch_block(workingset, lines + 1, address, &ignored));
}

/* Stores the touch of a line by the current row of a part; false: out of memory. */
static bool
store_touch(struct workingset *workingset, unsigned lines, uint64_t address)
{
	struct part_log *log = &workingset->log;
	const struct touched_rows touched = {address, workingset->rows, 1, lines};
	struct touched_rows *last =
		log->count ? (struct touched_rows *)log->items + log->count - 1 : NULL;
	if (last && last->address == address && last->set == lines &&
		last->row + last->rows == workingset->rows && last->rows < UINT32_MAX) {
		last->rows++;
		return true;
	}
	return part_log_add(log, &touched);
}

/* Adds the lines and pages of bytes; lines: DATA_LINES or CODE_LINES. */
static bool
touch(struct workingset *workingset, unsigned lines, uint64_t address, uint32_t size)
{
	const uint64_t bytes = (uint64_t)1 << LINE_SHIFT, first = address & ~(bytes - 1);
	const uint64_t reach =
		address - first + (size < ACCESS_BYTES_MAX ? size : ACCESS_BYTES_MAX);
	bool ok = true;
	for (uint64_t offset = 0; ok && (!offset || offset < reach); offset += bytes)
		ok = workingset->log.is_part ? store_touch(workingset, lines, first + offset)
					     : touch_line(workingset, lines, first + offset);
	return ok;
}

/* Counts rows up to a number of them, of which touches precede the last one. */
static void
count_rows(struct workingset *workingset, uint64_t rows)
{
	while (rows) {
		const uint64_t left = workingset->window - workingset->windows->filled;
		const uint64_t n = rows < left ? rows : left;
		workingset->windows->filled += n;
		rows -= n;
		if (n == left)
			close_windows(workingset);
	}
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
	const uint32_t size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	workingset->truncated += size > ACCESS_BYTES_MAX;
	return touch(workingset,
		batch->access[row] == POLY_ACCESS_FETCH ? CODE_LINES : DATA_LINES,
		batch->address[row], size);
}

/* Repeats the touches of a block by consecutive rows, before which *row rows were counted. */
static bool
repeat_touched(struct workingset *workingset, const struct touched_rows *touched, uint64_t *row)
{
	const uint64_t end = touched->row + touched->rows;
	bool ok = true;
	if (touched->row > *row) {
		count_rows(workingset, touched->row - *row);
		*row = touched->row;
	}
	ok = touch_line(workingset, touched->set, touched->address);
	/* The following rows touch the block again in each window that they reach. */
	while (ok && *row + 1 < end) {
		const uint64_t left = workingset->window - workingset->windows->filled;
		const uint64_t n = end - 1 - *row < left ? end - 1 - *row : left;
		count_rows(workingset, n);
		*row += n;
		ok = touch_line(workingset, touched->set, touched->address);
	}
	return ok;
}

/* Repeats the touches of a part; false: out of memory. */
static bool
repeat_log(struct workingset *workingset, const struct part_log *log, uint64_t rows)
{
	uint64_t row = 0;
	bool ok = true;
	for (size_t i = 0; ok && i < log->count; i++)
		ok = repeat_touched(workingset, part_log_at(log, i), &row);
	count_rows(workingset, rows - row);
	return ok;
}

/* Counts the log of a part that nothing precedes; false: out of memory. */
static bool
count_log(struct workingset *workingset)
{
	struct part_log log = workingset->log;
	if (!log.is_part)
		return true;
	workingset->log.items = NULL;
	part_log_end(&workingset->log);
	const bool ok = repeat_log(workingset, &log, workingset->rows);
	part_log_fini(&log);
	return ok;
}

static void
workingset_begin(void *state, const struct poly_trace_info *info)
{
	struct workingset *workingset = state;
	(void)info;
	workingset->failed |= !count_log(workingset);
	end_trace(workingset);
	part_log_begin(&workingset->log);
}

static bool
workingset_update(void *state, const struct analysis_rows *rows)
{
	struct workingset *workingset = state;
	part_log_see(&workingset->log, rows->batch);
	for (size_t row = 0; row < rows->batch->rows; row++) {
		if (!update_row(workingset, rows->batch, row))
			return false;
		workingset->rows++;
		if (!workingset->log.is_part &&
			++workingset->windows->filled == workingset->window)
			close_windows(workingset);
	}
	return !workingset->failed && (!workingset->log.is_full || count_log(workingset));
}

static enum poly_status
workingset_finish(void *state, struct poly_error *error)
{
	return count_log(state) ? POLY_OK : err_memory(error);
}

static bool
workingset_is_too_long(const void *state)
{
	return ((const struct workingset *)state)->log.is_full;
}

/* Stores the touches of a part after those of another one; false: out of memory. */
static bool
append_log(struct workingset *into, const struct workingset *from)
{
	bool ok = true;
	for (size_t i = 0; ok && i < from->log.count; i++) {
		struct touched_rows touched =
			*(const struct touched_rows *)part_log_at(&from->log, i);
		touched.row += into->rows;
		ok = part_log_add(&into->log, &touched);
	}
	into->rows += from->rows;
	return ok && (!into->log.is_full || count_log(into));
}

/* Adds the windows of a trace that begins after the rows of into; false: out of memory. */
static bool
merge_trace(struct workingset *into, const struct workingset *from)
{
	bool ok = true;
	for (size_t i = 0; ok && i < WINDOWS; i++) {
		struct window_stats *sum = &into->windows[i];
		const struct window_stats *windows = &from->windows[i];
		sum->count += windows->count;
		sum->filled = windows->filled;
		for (size_t j = 0; ok && j < SETS; j++) {
			sum->sums[j] += windows->sums[j];
			if (windows->max[j] > sum->max[j])
				sum->max[j] = windows->max[j];
			for (uint32_t k = 0; ok && k < windows->sets[j].count; k++)
				ok = adaptive_bins_get(&sum->sets[j],
					     adaptive_bins_address(&windows->sets[j], k),
					     0) != ADAPTIVE_BIN_NONE;
		}
	}
	while (into->bin_shift < from->bin_shift)
		double_bins(into);
	for (size_t i = 0; i < BINS_MAX; i++)
		add_bin(&into->bins[i >> (into->bin_shift - from->bin_shift)], &from->bins[i]);
	into->untracked += from->untracked;
	into->number = from->number;
	into->rows = from->rows;
	return ok;
}

static bool
workingset_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct workingset *sum = into;
	const struct workingset *workingset = from;
	bool ok = true;
	if (!numbers->continues) {
		ok = count_log(sum);
		end_trace(sum);
	}
	sum->truncated += workingset->truncated;
	part_log_merge(&sum->log, &workingset->log, numbers->continues);
	if (!workingset->log.has_rows)
		return ok && !sum->failed;
	if (!workingset->log.is_part)
		ok = ok && merge_trace(sum, workingset);
	else if (sum->log.is_part)
		ok = ok && append_log(sum, workingset);
	else
		ok = ok && repeat_log(sum, &workingset->log, workingset->rows);
	return ok && !sum->failed;
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
	const uint64_t width = (uint64_t)1 << workingset->bin_shift;
	table_open(report, "working_set_over_time", "from_record");
	for (size_t i = 0; i < SETS; i++) {
		poly_report_column(report, sets[i].mean, true);
		plot.y[i] = sets[i].mean;
	}
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "from_record";
	plot.y_title = "Mean working set";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < BINS_MAX && workingset->bins[i].count; i++) {
		const struct window_bin *bin = &workingset->bins[i];
		poly_report_cell_count(report, i * width * workingset->window + 1);
		for (size_t j = 0; j < SETS; j++)
			poly_report_cell_real(
				report, (double)bin->sums[j] / (double)bin->count, 2);
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
	report_truncated_accesses(report, workingset->truncated);
	report_windows(workingset, report);
	report_time(workingset, report);
}

static void
workingset_fini(void *state)
{
	struct workingset *workingset = state;
	part_log_fini(&workingset->log);
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

static void
transfer_touched(struct archive *archive, void *item)
{
	struct touched_rows *touched = item;
	ARCHIVE(archive, touched->address);
	ARCHIVE(archive, touched->row);
	ARCHIVE(archive, touched->rows);
	ARCHIVE_UP_TO(archive, touched->set, CODE_LINES);
	archive_require(archive, touched->set == DATA_LINES || touched->set == CODE_LINES);
}

static void
transfer_block(struct archive *archive, void *item)
{
	(void)archive, (void)item;
}

static void
transfer_windows(struct archive *archive, struct window_stats *windows, uint64_t length)
{
	ARCHIVE(archive, windows->count);
	ARCHIVE_ARRAY(archive, windows->sums);
	ARCHIVE_ARRAY(archive, windows->max);
	ARCHIVE_UP_TO(archive, windows->filled, length - 1);
	for (size_t i = 0; i < SETS; i++)
		archive_bins(archive, &windows->sets[i], 1, transfer_block);
}

/* Requires that touches are of rows of the part, whose windows can be counted again. */
static void
require_rows(struct archive *archive, const struct workingset *workingset)
{
	const struct part_log *log = &workingset->log;
	archive_require(archive,
		!log->is_part || workingset->rows / workingset->window <= PART_WINDOWS_MAX);
	for (size_t i = 0; i < log->count; i++) {
		const struct touched_rows *touched = part_log_at(log, i);
		archive_require(
			archive, touched->rows && touched->row <= workingset->rows &&
					 touched->rows <= workingset->rows - touched->row);
	}
}

static void
workingset_transfer(void *state, struct archive *archive)
{
	struct workingset *workingset = state;
	ARCHIVE(archive, workingset->untracked);
	ARCHIVE(archive, workingset->truncated);
	for (size_t i = 0; i < WINDOWS; i++)
		transfer_windows(archive, &workingset->windows[i],
			i ? WINDOW_FACTOR : workingset->window);
	ARCHIVE_UP_TO(archive, workingset->bin_shift, 63);
	for (size_t i = 0; i < BINS_MAX; i++) {
		ARCHIVE(archive, workingset->bins[i].count);
		ARCHIVE_ARRAY(archive, workingset->bins[i].sums);
	}
	ARCHIVE(archive, workingset->number);
	ARCHIVE(archive, workingset->rows);
	archive_log(archive, &workingset->log, transfer_touched);
	require_rows(archive, workingset);
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
	.uses_real = true,
	.state_size = sizeof(struct workingset),
	.suits = workingset_suits,
	.init = workingset_init,
	.begin = workingset_begin,
	.update = workingset_update,
	.merge = workingset_merge,
	.transfer = workingset_transfer,
	.part_grows = true,
	.is_too_long = workingset_is_too_long,
	.finish = workingset_finish,
	.report = workingset_report,
	.fini = workingset_fini,
};
