/* SPDX-License-Identifier: MIT */
/*
 * The memory footprint: unique blocks of every size that are read, written and fetched.
 *
 * A bin of 64 bytes has one bit per byte; the report derives blocks of all other sizes from
 * these. Bounded: BINS_MAX bins of all contexts; if there are more, bins double in size, and
 * the smallest blocks are not reported.
 */
#include "analysis/core/analysis.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/branch_stream.h"
#include "analysis/facts/adaptive_bins.h"
#include "analysis/facts/column_stats.h"
#include "analysis/sim/line_refs.h"
#include "base/mem.h"
#include "report/table.h"
#include "report/terms.h"
#include "report/tree.h"

#define BINS_MAX ((uint32_t)1 << 19)

/* log2 of the bytes of a bin with one bit per byte. */
#define BIN_SHIFT 6

/* The report has blocks of 1 << 0 to 1 << (LEVELS - 1) bytes. */
#define LEVELS 21

enum { READS, WRITES, FETCHES, ACCESS_KINDS };

/* Counts of blocks: by kind of access, of reads or writes, of any access. */
enum { DATA = ACCESS_KINDS, ALL, COUNTS };

struct footprint {
	struct adaptive_bins bins; /* by context */
	const struct contexts *contexts;
	bool is_first;	    /* accesses touch their first byte only */
	uint64_t truncated; /* accesses whose first bytes alone are touched */
};

/* The touched bytes of a bin by kind of access, one bit per 64th of the bin. */
struct touched_bits {
	uint64_t bits[ACCESS_KINDS];
};

/* Converts bits of 64ths to bits of 32nds, in the lower half. */
static uint64_t
fold(uint64_t bits)
{
	bits = (bits | bits >> 1) & 0x5555555555555555u;
	bits = (bits | bits >> 1) & 0x3333333333333333u;
	bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0fu;
	bits = (bits | bits >> 4) & 0x00ff00ff00ff00ffu;
	bits = (bits | bits >> 8) & 0x0000ffff0000ffffu;
	return (bits | bits >> 16) & 0xffffffffu;
}

static void
coarsen_touched(void *item, bool upper)
{
	struct touched_bits *touched = item;
	for (size_t i = 0; i < ACCESS_KINDS; i++)
		touched->bits[i] = fold(touched->bits[i]) << (upper ? 32 : 0);
}

static void
merge_touched(void *into, const void *from)
{
	struct touched_bits *sum = into;
	const struct touched_bits *touched = from;
	for (size_t i = 0; i < ACCESS_KINDS; i++)
		sum->bits[i] |= touched->bits[i];
}

static enum poly_status
footprint_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct footprint *footprint = state;
	(void)error;
	footprint->contexts = setup->contexts;
	footprint->is_first = setup->values[0];
	footprint->bins.shift = BIN_SHIFT;
	footprint->bins.max_count = BINS_MAX;
	footprint->bins.item_size = sizeof(struct touched_bits);
	footprint->bins.coarsen = coarsen_touched;
	footprint->bins.merge_item = merge_touched;
	return POLY_OK;
}

/* Marks bytes that a context touches; false: out of memory. */
static inline bool
touch(struct footprint *footprint, uint16_t context, unsigned kind, uint64_t address,
	uint64_t size)
{
	while (size) {
		const uint32_t found = adaptive_bins_get(&footprint->bins, address, context);
		if (found == ADAPTIVE_BIN_NONE)
			return false;
		struct touched_bits *touched = adaptive_bins_item(&footprint->bins, found);
		const unsigned shift = footprint->bins.shift, unit = shift - BIN_SHIFT;
		const uint64_t bytes = (uint64_t)1 << shift, first = address & (bytes - 1);
		const uint64_t n = size < bytes - first ? size : bytes - first;
		const unsigned low = (unsigned)(first >> unit),
			       high = (unsigned)((first + n - 1) >> unit);
		touched->bits[kind] |= (UINT64_MAX >> (63 - high)) & (UINT64_MAX << low);
		address += n;
		size -= n;
	}
	return true;
}

/* Returns the kind of an access; ACCESS_KINDS: it touches nothing. */
static unsigned
kind_of(unsigned access)
{
	switch (access) {
	case POLY_ACCESS_READ: return READS;
	case POLY_ACCESS_WRITE: return WRITES;
	case POLY_ACCESS_FETCH: return FETCHES;
	default: return ACCESS_KINDS;
	}
}

static bool
touch_access(struct footprint *footprint, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const unsigned kind = kind_of(batch->access[row]);
	uint64_t size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	size = size && !footprint->is_first ? size : 1;
	footprint->truncated += kind != ACCESS_KINDS && size > ACCESS_BYTES_MAX;
	return kind == ACCESS_KINDS ||
	       touch(footprint, rows->context ? rows->context[row] : rows->sole_context, kind,
		       batch->address[row], size < ACCESS_BYTES_MAX ? size : ACCESS_BYTES_MAX);
}

/* Adjacent instructions of a context, and the last of them. */
struct fetch_run {
	uint64_t first, bytes, last;
	uint32_t last_size;
	uint16_t context;
};

/* Adds an instruction to a run, or marks the run and begins another; false: out of memory. */
static inline bool
touch_instruction(struct footprint *footprint, struct fetch_run *run,
	const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const uint16_t context = rows->context ? rows->context[row] : rows->sole_context;
	const uint64_t pc = batch->pc[row];
	uint32_t size =
		poly_present(batch, POLY_COLUMN_opcode_size, row) ? batch->opcode_size[row] : 1;
	size = size && !footprint->is_first ? size : 1;
	if (run->bytes && context == run->context) {
		if (pc == run->last && size == run->last_size)
			return true;
		if (pc == run->first + run->bytes) {
			run->bytes += size;
			run->last = pc;
			run->last_size = size;
			return true;
		}
	}
	const struct fetch_run old = *run;
	*run = (struct fetch_run){pc, size, pc, size, context};
	return touch(footprint, old.context, FETCHES, old.first, old.bytes);
}

/* Returns the rows of a word that are instructions with a known address. */
static uint64_t
instructions(const struct poly_batch *batch, size_t word)
{
	return row_bits_present(batch, POLY_COLUMN_pc, word) & instruction_rows(batch, word);
}

static bool
footprint_update(void *state, const struct analysis_rows *rows)
{
	const struct poly_batch *batch = rows->batch;
	struct fetch_run run = {0};
	for (size_t w = 0; w < row_bits_words(batch); w++) {
		uint64_t left = instructions(batch, w);
		while (left) {
			if (!touch_instruction(
				    state, &run, rows, 64 * w + row_bits_next(&left)))
				return false;
		}
		left = row_bits_present(batch, POLY_COLUMN_access, w) &
		       row_bits_present(batch, POLY_COLUMN_address, w);
		while (left) {
			if (!touch_access(state, rows, 64 * w + row_bits_next(&left)))
				return false;
		}
	}
	return touch(state, run.context, FETCHES, run.first, run.bytes);
}

static bool
footprint_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct footprint *sum = into;
	const struct footprint *footprint = from;
	sum->truncated += footprint->truncated;
	return adaptive_bins_merge(&sum->bins, &footprint->bins, numbers->contexts);
}

/* Unique blocks by size, counted over bins in the order of their addresses. */
struct footprint_blocks {
	uint64_t counts[LEVELS][COUNTS];
	uint64_t last[LEVELS]
		     [COUNTS]; /* number of the last block, valid if the count is not 0 */
};

/* Counts the blocks of a bin, merged over contexts. */
static void
count_blocks(struct footprint_blocks *blocks, unsigned shift, uint64_t number,
	const struct touched_bits *touched)
{
	const uint64_t data = touched->bits[READS] | touched->bits[WRITES];
	const uint64_t bits[COUNTS] = {touched->bits[READS], touched->bits[WRITES],
		touched->bits[FETCHES], data, data | touched->bits[FETCHES]};
	for (unsigned i = 0; i < COUNTS; i++) {
		uint64_t left = bits[i];
		for (unsigned level = shift - BIN_SHIFT; level < LEVELS && left; level++) {
			uint64_t *count = &blocks->counts[level][i];
			if (level < shift) {
				*count += (uint64_t)__builtin_popcountll(left);
				left = fold(left);
				continue;
			}
			const uint64_t block = number >> (level - shift);
			*count += !*count || blocks->last[level][i] != block;
			blocks->last[level][i] = block;
		}
	}
}

/* Counts the blocks of all bins. */
static void
count_all(const struct adaptive_bins *bins, const uint32_t *sorted,
	struct footprint_blocks *blocks)
{
	for (uint32_t i = 0; i < bins->count;) {
		const uint64_t number = bins->list[sorted[i]].number;
		struct touched_bits touched = {{0}};
		for (; i < bins->count && bins->list[sorted[i]].number == number; i++)
			merge_touched(&touched, adaptive_bins_item(bins, sorted[i]));
		count_blocks(blocks, bins->shift, number, &touched);
	}
}

static void
report_blocks(const struct footprint_blocks *blocks, unsigned unit, struct poly_report *report)
{
	static const struct {
		const char *key;
		unsigned which;
	} columns[] = {{KEY("blocks_read"), READS}, {KEY("blocks_written"), WRITES},
		{KEY("blocks_accessed"), DATA}, {KEY("blocks_fetched"), FETCHES},
		{KEY("blocks_touched"), ALL}};
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "block_size";
	table_open(report, "unique_blocks", "block_size");
	for (size_t i = 0; i < COUNTS; i++) {
		poly_report_column(report, columns[i].key, true);
		plot.y[i] = columns[i].key;
	}
	plot.y_title = "Unique blocks";
	plot.log_x = plot.log_y = true;
	poly_report_plot(report, &plot);
	for (unsigned level = 0; level < LEVELS; level++) {
		poly_report_cell_count(report, (uint64_t)1 << level);
		for (size_t i = 0; i < COUNTS; i++) {
			if (level < unit)
				poly_report_cell_text(report, NULL);
			else
				poly_report_cell_count(
					report, blocks->counts[level][columns[i].which]);
		}
	}
	poly_report_end(report);
}

/* Line counts of a context. */
struct context_lines {
	uint64_t data, fetched, shared;
};

/* Counts lines by context. */
static void
count_contexts(const struct adaptive_bins *bins, const uint32_t *sorted,
	struct context_lines *contexts)
{
	for (uint32_t i = 0, next; i < bins->count; i = next) {
		const uint64_t number = bins->list[sorted[i]].number;
		next = i + 1;
		while (next < bins->count && bins->list[sorted[next]].number == number)
			next++;
		for (uint32_t j = i; j < next; j++) {
			const struct touched_bits *touched =
				adaptive_bins_item(bins, sorted[j]);
			struct context_lines *context = &contexts[bins->list[sorted[j]].tag];
			context->data += (touched->bits[READS] | touched->bits[WRITES]) != 0;
			context->fetched += touched->bits[FETCHES] != 0;
			context->shared += next - i > 1;
		}
	}
}

static void
report_contexts(const struct contexts *names, const struct context_lines *contexts,
	struct poly_report *report)
{
	struct buf name = {0};
	table_open(
		report, "contexts", "context:text lines_accessed lines_fetched shared_lines");
	for (uint16_t i = 0; i < ANALYSIS_CONTEXTS_MAX; i++) {
		if (!contexts[i].data && !contexts[i].fetched)
			continue;
		buf_clear(&name);
		contexts_append_name(names, i, &name);
		poly_report_cell_text(report, name.size ? buf_text(&name) : NULL);
		poly_report_cell_count(report, contexts[i].data);
		poly_report_cell_count(report, contexts[i].fetched);
		poly_report_cell_count(report, contexts[i].shared);
	}
	poly_report_end(report);
	if (name.failed)
		tree_fail(report);
	buf_free(&name);
}

static void
footprint_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct footprint *footprint = state;
	const struct adaptive_bins *bins = &footprint->bins;
	struct footprint_blocks *blocks = mem_new(1, sizeof *blocks);
	struct context_lines *contexts = mem_new(ANALYSIS_CONTEXTS_MAX, sizeof *contexts);
	uint32_t *sorted = adaptive_bins_sorted(bins);
	(void)ops;
	report_truncated_accesses(report, footprint->truncated);
	if (blocks && contexts && sorted) {
		count_all(bins, sorted, blocks);
		count_contexts(bins, sorted, contexts);
		report_blocks(blocks, bins->shift - BIN_SHIFT, report);
		poly_report_count(report, "line_size", (uint64_t)1 << bins->shift);
		report_contexts(footprint->contexts, contexts, report);
	} else {
		tree_fail(report);
	}
	mem_free(blocks);
	mem_free(contexts);
	mem_free(sorted);
}

static void
footprint_fini(void *state)
{
	struct footprint *footprint = state;
	adaptive_bins_fini(&footprint->bins);
}

static void
transfer_touched(struct archive *archive, void *item)
{
	struct touched_bits *touched = item;
	ARCHIVE_ARRAY(archive, touched->bits);
}

static void
footprint_transfer(void *state, struct archive *archive)
{
	struct footprint *footprint = state;
	ARCHIVE(archive, footprint->truncated);
	archive_bins(archive, &footprint->bins, archive->contexts, transfer_touched);
}

static const struct poly_option options[] = {LINE_REFS_OPTION("footprint"), {0}};

static bool
footprint_suits(const struct poly_trace_info *info)
{
	return POLY_HAS(info->columns, pc) ||
	       poly_columns_subset(POLY_COLUMNS(access, address), info->columns);
}

const struct analysis analysis_footprint = {
	.info = {.name = "footprint",
		.title = "Footprint",
		.summary = "unique blocks of every size that are read, written and fetched",
		.needs = POLY_COLUMNS_INIT(kind),
		.wants = POLY_COLUMNS_INIT(
			pc, opcode_size, access, address, size, INSTRUCTION_COUNT_COLUMNS),
		.is_default = true,
		.options = options},
	.shares = SHARES_CONTEXTS,
	.uses_real = true,
	.state_size = sizeof(struct footprint),
	.suits = footprint_suits,
	.init = footprint_init,
	.update = footprint_update,
	/* Repeated executions touch the same bytes. */
	.update_weighted = footprint_update,
	.merge = footprint_merge,
	.transfer = footprint_transfer,
	.report = footprint_report,
	.fini = footprint_fini,
};
