/* SPDX-License-Identifier: MIT */
/*
 * The footprint: how many different blocks of every size are read, written and fetched.
 *
 * A bin of 64 bytes has a bit a byte; blocks of every other size follow from these when it
 * is reported. Bounded: GRANULES_MOST bins of all contexts; where there are more, bins
 * become larger, and the smallest blocks are not told.
 */
#include "analysis/analysis.h"

#include "analysis/adaptive_bins.h"
#include "analysis/column_stats.h"
#include "base/mem.h"
#include "report/terms.h"
#include "report/tree.h"

#define GRANULES_MOST ((uint32_t)1 << 19)

/* The bytes of a bin whose bits stand for one byte each, as a power of two. */
#define GRANULE_SHIFT 6

/* Bytes of one access that count. */
#define ACCESS_MOST 4096

/* Blocks of 1 << 0 to 1 << LEVELS - 1 bytes are told. */
#define LEVELS 21

enum { READS, WRITES, FETCHES, PARTS };

/* What is told of blocks: the parts, reads or writes, everything. */
enum { DATA = PARTS, ALL, COUNTS };

struct footprint {
	struct adaptive_bins bins; /* by context */
	const struct contexts *contexts;
};

/* The parts of a bin that were touched, a bit a 64th. */
struct touched {
	uint64_t bits[PARTS];
};

/* Bits of 64ths as bits of 32nds, in the lower half. */
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
touched_widen(void *item, bool upper)
{
	struct touched *it = item;
	for (size_t i = 0; i < PARTS; i++)
		it->bits[i] = fold(it->bits[i]) << (upper ? 32 : 0);
}

static void
touched_join(void *into, const void *from)
{
	struct touched *to = into;
	const struct touched *more = from;
	for (size_t i = 0; i < PARTS; i++)
		to->bits[i] |= more->bits[i];
}

static enum poly_status
footprint_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct footprint *footprint = state;
	(void)error;
	footprint->contexts = setup->contexts;
	footprint->bins.shift = GRANULE_SHIFT;
	footprint->bins.max_count = GRANULES_MOST;
	footprint->bins.item_size = sizeof(struct touched);
	footprint->bins.coarsen = touched_widen;
	footprint->bins.merge_item = touched_join;
	return POLY_OK;
}

/* Some bytes are touched by a context. */
static inline bool
touch(struct footprint *footprint, uint16_t context, unsigned part, uint64_t address,
	uint64_t left)
{
	while (left) {
		const uint32_t found = adaptive_bins_get(&footprint->bins, address, context);
		if (found == ADAPTIVE_BIN_NONE)
			return false;
		struct touched *it = adaptive_bins_item(&footprint->bins, found);
		const unsigned shift = footprint->bins.shift, unit = shift - GRANULE_SHIFT;
		const uint64_t bytes = (uint64_t)1 << shift, first = address & (bytes - 1);
		const uint64_t n = left < bytes - first ? left : bytes - first;
		const unsigned from = (unsigned)(first >> unit),
			       to = (unsigned)((first + n - 1) >> unit);
		it->bits[part] |= (UINT64_MAX >> (63 - to)) & (UINT64_MAX << from);
		address += n;
		left -= n;
	}
	return true;
}

/* Which part an access is; PARTS: none. */
static unsigned
part_of(unsigned access)
{
	switch (access) {
	case POLY_ACCESS_READ: return READS;
	case POLY_ACCESS_WRITE: return WRITES;
	case POLY_ACCESS_FETCH: return FETCHES;
	default: return PARTS;
	}
}

static bool
touch_access(struct footprint *footprint, const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const unsigned part = part_of(batch->access[row]);
	uint64_t size = poly_present(batch, POLY_COLUMN_size, row) ? batch->size[row] : 1;
	size = size ? size : 1;
	return part == PARTS ||
	       touch(footprint, rows->context ? rows->context[row] : rows->sole_context, part,
		       batch->address[row], size < ACCESS_MOST ? size : ACCESS_MOST);
}

/* Instructions of a context that follow each other in memory, and the last of them. */
struct stretch {
	uint64_t first, bytes, last;
	uint32_t last_size;
	uint16_t context;
};

/* Adds instructions to a stretch, or begins another one; false: no memory. */
static inline bool
touch_instruction(struct footprint *footprint, struct stretch *stretch,
	const struct analysis_rows *rows, size_t row)
{
	const struct poly_batch *batch = rows->batch;
	const uint16_t context = rows->context ? rows->context[row] : rows->sole_context;
	const uint64_t pc = batch->pc[row];
	uint32_t size =
		poly_present(batch, POLY_COLUMN_opcode_size, row) ? batch->opcode_size[row] : 1;
	size = size ? size : 1;
	if (stretch->bytes && context == stretch->context) {
		if (pc == stretch->last && size == stretch->last_size)
			return true;
		if (pc == stretch->first + stretch->bytes) {
			stretch->bytes += size;
			stretch->last = pc;
			stretch->last_size = size;
			return true;
		}
	}
	const struct stretch old = *stretch;
	*stretch = (struct stretch){pc, size, pc, size, context};
	return touch(footprint, old.context, FETCHES, old.first, old.bytes);
}

/* The rows of a word that are instructions at a known place. */
static uint64_t
instructions(const struct poly_batch *batch, size_t word)
{
	const size_t rows = batch->rows - 64 * word;
	if (!batch->kind || !batch->pc)
		return 0;
	return row_bits_present(batch, POLY_COLUMN_pc, word) &
	       row_bits_present(batch, POLY_COLUMN_kind, word) &
	       row_bits_equal(
		       batch->kind + 64 * word, rows < 64 ? rows : 64, POLY_KIND_INSTRUCTION);
}

static bool
footprint_update(void *state, const struct analysis_rows *rows)
{
	const struct poly_batch *batch = rows->batch;
	struct stretch stretch = {0};
	for (size_t w = 0; w < row_bits_words(batch); w++) {
		uint64_t left = instructions(batch, w);
		while (left) {
			if (!touch_instruction(
				    state, &stretch, rows, 64 * w + row_bits_next(&left)))
				return false;
		}
		left = row_bits_present(batch, POLY_COLUMN_access, w) &
		       row_bits_present(batch, POLY_COLUMN_address, w);
		while (left) {
			if (!touch_access(state, rows, 64 * w + row_bits_next(&left)))
				return false;
		}
	}
	return touch(state, stretch.context, FETCHES, stretch.first, stretch.bytes);
}

static bool
footprint_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct footprint *to = into;
	const struct footprint *more = from;
	return adaptive_bins_merge(&to->bins, &more->bins, numbers->contexts);
}

/* Blocks so far, of bins in the order of their addresses. */
struct footprint_blocks {
	uint64_t counts[LEVELS][COUNTS];
	uint64_t last[LEVELS][COUNTS]; /* number of the last block, where there is one */
};

/* Adds a bin that several contexts may have touched. */
static void
count_blocks(struct footprint_blocks *blocks, unsigned shift, uint64_t number,
	const struct touched *it)
{
	const uint64_t data = it->bits[READS] | it->bits[WRITES];
	const uint64_t bits[COUNTS] = {it->bits[READS], it->bits[WRITES], it->bits[FETCHES],
		data, data | it->bits[FETCHES]};
	for (unsigned i = 0; i < COUNTS; i++) {
		uint64_t left = bits[i];
		for (unsigned level = shift - GRANULE_SHIFT; level < LEVELS && left; level++) {
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

/* Counts blocks of all sizes. */
static void
count_all(const struct adaptive_bins *bins, const uint32_t *sorted,
	struct footprint_blocks *blocks)
{
	for (uint32_t i = 0; i < bins->count;) {
		const uint64_t number = bins->list[sorted[i]].number;
		struct touched it = {{0}};
		for (; i < bins->count && bins->list[sorted[i]].number == number; i++)
			touched_join(&it, adaptive_bins_item(bins, sorted[i]));
		count_blocks(blocks, bins->shift, number, &it);
	}
}

static void
report_blocks(const struct footprint_blocks *blocks, unsigned unit, struct poly_report *report)
{
	static const struct {
		const char *key;
		unsigned which;
	} columns[] = {{KEY("reads"), READS}, {KEY("writes"), WRITES}, {KEY("data"), DATA},
		{KEY("fetches"), FETCHES}, {KEY("all"), ALL}};
	struct poly_plot plot = POLY_PLOT_INIT;
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "block_bytes";
	poly_report_table(report, "blocks");
	poly_report_column(report, "block_bytes", true);
	for (size_t i = 0; i < COUNTS; i++) {
		poly_report_column(report, columns[i].key, true);
		plot.y[i] = columns[i].key;
	}
	plot.y_title = "Different blocks";
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

/* Lines of a context. */
struct context_lines {
	uint64_t data, fetched, shared;
};

/* Counts lines by context, an item each. */
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
			const struct touched *it = adaptive_bins_item(bins, sorted[j]);
			struct context_lines *context = &contexts[bins->list[sorted[j]].tag];
			context->data += (it->bits[READS] | it->bits[WRITES]) != 0;
			context->fetched += it->bits[FETCHES] != 0;
			context->shared += next - i > 1;
		}
	}
}

static void
report_contexts(const struct contexts *names, const struct context_lines *contexts,
	struct poly_report *report)
{
	struct buf name = {0};
	poly_report_table(report, "contexts");
	poly_report_column(report, "context", false);
	poly_report_column(report, "data", true);
	poly_report_column(report, "fetches", true);
	poly_report_column(report, "shared", true);
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
	if (blocks && contexts && sorted) {
		count_all(bins, sorted, blocks);
		count_contexts(bins, sorted, contexts);
		report_blocks(blocks, bins->shift - GRANULE_SHIFT, report);
		poly_report_count(report, "line_bytes", (uint64_t)1 << bins->shift);
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

static const struct poly_option options[] = {{0}};

static bool
footprint_suits(const struct poly_trace_info *info)
{
	return (info->columns & POLY_HAS(pc)) ||
	       !(~info->columns & (POLY_HAS(access) | POLY_HAS(address)));
}

const struct analysis analysis_footprint = {
	.info = {.name = "footprint",
		.title = "Footprint",
		.summary = "different blocks of every size that are read, written and fetched",
		.needs = POLY_HAS(kind),
		.wants = POLY_HAS(pc) | POLY_HAS(opcode_size) | POLY_HAS(access) |
			 POLY_HAS(address) | POLY_HAS(size),
		.is_default = true,
		.options = options},
	.shares = SHARES_CONTEXTS,
	.state_size = sizeof(struct footprint),
	.suits = footprint_suits,
	.init = footprint_init,
	.update = footprint_update,
	/* What was touched once is touched. */
	.update_weighted = footprint_update,
	.merge = footprint_merge,
	.report = footprint_report,
	.fini = footprint_fini,
};
