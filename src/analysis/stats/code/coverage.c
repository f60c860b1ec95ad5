/* SPDX-License-Identifier: MIT */
/*
 * Instruction-set coverage: the mnemonics that occurred, those of the instruction set's table
 * that did not, and the cumulative number of operations and sites.
 */
#include "analysis/core/analysis.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/counters.h"
#include "analysis/facts/static_ops_facts.h"
#include "analysis/facts/top_n.h"
#include "analysis/facts/column_stats.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "isa/isa.h"
#include "model/batch_internal.h"
#include "model/chain_graph.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

/* A row. */
struct covered_row {
	uint32_t op, site; /* op: OP_NONE: not an instruction, or a synthetic one */
};

struct coverage {
	uint64_t records;	  /* instructions and micro-operations */
	struct counters ops;	  /* first record of each operation, by its number plus 1 */
	struct counters sites;	  /* first record of each site, by its number plus 1 */
	struct covered_row *rows; /* of the weighted batches up to the next chain graph */
	uint32_t row_count, row_capacity;
	struct counters chains; /* instructions of each chain, plus 1; 0: not executed yet */
};

/* Returns whether the tracer inserted a row. */
static bool
is_synthetic(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row];
}

static void
coverage_begin(void *state, const struct poly_trace_info *info)
{
	struct coverage *coverage = state;
	(void)info;
	coverage->row_count = 0;
}

static inline struct covered_row
read_row(const struct analysis_rows *rows, size_t row)
{
	const bool synthetic = rows->batch->synthetic && is_synthetic(rows->batch, row);
	return (struct covered_row){synthetic ? OP_NONE : rows->op[row], rows->site[row]};
}

static inline void
cover(struct coverage *coverage, struct covered_row row)
{
	if (row.op == OP_NONE)
		return;
	uint64_t *op = &coverage->ops.list[row.op + 1],
		 *site = &coverage->sites.list[row.site + 1];
	coverage->records++;
	if (!*op)
		*op = coverage->records;
	if (!*site)
		*site = coverage->records;
}

/* Allocates counters for all operations and sites. */
static bool
reserve_counters(struct coverage *coverage, const struct static_ops *ops)
{
	return counters_reserve(&coverage->ops, (size_t)ops->count + 1) &&
	       counters_reserve(&coverage->sites, (size_t)ops->site_count + 1);
}

static bool
coverage_update(void *state, const struct analysis_rows *rows)
{
	struct coverage *coverage = state;
	if (!reserve_counters(coverage, rows->ops))
		return false;
	for (size_t row = 0; row < rows->batch->rows; row++)
		cover(coverage, read_row(rows, row));
	return true;
}

/* Walks the chains of a graph; only the first execution of a chain covers anything new. */
static bool
cover_chains(struct coverage *coverage, const struct poly_chain_graph *graph)
{
	struct chain_walk walk = {graph, 0, graph->records};
	uint32_t chain, records;
	if (!counters_reserve(&coverage->chains, graph->chains))
		return false;
	uint64_t *known = coverage->chains.list;
	memset(known, 0, graph->chains * sizeof *known);
	while (chain_next(&walk, &chain, &records)) {
		const uint64_t before = coverage->records;
		uint32_t row = graph->first[chain];
		if (known[chain] && records == graph->length[chain]) {
			coverage->records += known[chain] - 1;
			continue;
		}
		for (; records; records--, row = graph->next[row])
			cover(coverage, coverage->rows[row]);
		known[chain] = coverage->records - before + 1;
	}
	coverage->row_count = 0;
	return true;
}

static bool
coverage_update_weighted(void *state, const struct analysis_rows *rows)
{
	struct coverage *coverage = state;
	const struct poly_batch *batch = rows->batch;
	if (!VEC_RESERVE(coverage->rows, coverage->row_capacity,
		    coverage->row_count + batch->rows) ||
		!reserve_counters(coverage, rows->ops))
		return false;
	for (size_t row = 0; row < batch->rows; row++)
		coverage->rows[coverage->row_count++] = read_row(rows, row);
	return !batch_order(batch) || cover_chains(coverage, batch_order(batch));
}

/* Merges first records, which follow offset earlier records. */
static bool
merge_first(struct counters *into, const struct counters *from, const uint32_t *numbers,
	uint64_t offset)
{
	for (size_t i = 1; i < from->capacity; i++) {
		if (!from->list[i])
			continue;
		const uint32_t number = numbers[i - 1] + 1;
		if (!counters_reserve(into, (size_t)number + 1))
			return false;
		if (!into->list[number])
			into->list[number] = offset + from->list[i];
	}
	return true;
}

static bool
coverage_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct coverage *sum = into;
	const struct coverage *coverage = from;
	if (!merge_first(&sum->ops, &coverage->ops, numbers->ops, sum->records) ||
		!merge_first(&sum->sites, &coverage->sites, numbers->sites, sum->records))
		return false;
	sum->records += coverage->records;
	return true;
}

/* Returns the number of items whose first record is not after limit. */
static uint64_t
count_up_to(const struct counters *first, uint64_t limit)
{
	uint64_t count = 0;
	for (size_t i = 1; i < first->capacity; i++)
		count += first->list[i] && first->list[i] <= limit;
	return count;
}

static void
report_cumulative_coverage(const struct coverage *coverage, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "cumulative_coverage", "records operations sites");
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "records";
	plot.y[0] = "operations";
	plot.y[1] = "sites";
	plot.log_x = plot.log_y = true;
	poly_report_plot(report, &plot);
	for (uint64_t limit = 1; limit && coverage->records; limit *= 2) {
		const uint64_t upto = limit < coverage->records ? limit : coverage->records;
		poly_report_cell_count(report, upto);
		poly_report_cell_count(report, count_up_to(&coverage->ops, upto));
		poly_report_cell_count(report, count_up_to(&coverage->sites, upto));
		if (upto == coverage->records)
			break;
	}
	poly_report_end(report);
}

/* A mnemonic that occurred, or one of an instruction set's table. */
struct mnemonic_entry {
	const char *name;
	uint8_t class;
	uint64_t operations; /* number of operations with it that occurred */
};

static int
by_class(const void *a, const void *b)
{
	const struct mnemonic_entry *x = a, *y = b;
	return x->class != y->class ? (int)x->class - (int)y->class : strcmp(x->name, y->name);
}

/* Sorts entries and merges equal ones; returns their number. */
static size_t
merge_entries(struct mnemonic_entry *entries, size_t n)
{
	size_t used = 0;
	if (n)
		qsort(entries, n, sizeof *entries, by_class);
	for (size_t i = 0; i < n; i++) {
		if (used && by_class(&entries[used - 1], &entries[i]) == 0)
			entries[used - 1].operations += entries[i].operations;
		else
			entries[used++] = entries[i];
	}
	return used;
}

/* The mnemonics that occurred and, if their instruction set has a table, those of the table. */
struct mnemonics {
	struct mnemonic_entry *list;
	size_t count;
	bool has_table;
};

/* Returns the name of an operation that occurred; NULL: it did not, or has none. */
static const char *
seen_name(const struct coverage *coverage, const struct static_ops *ops, uint32_t i)
{
	const struct static_op *op = &ops->list[i];
	return !counters_at(&coverage->ops, (size_t)i + 1) ? NULL
	       : op->micro_op				   ? op->micro_op
							   : op->mnemonic;
}

/* Returns the first instruction set with a table among those of the operations that occurred,
 * or NULL; *lines: of its table. */
static const char *
find_table(const struct coverage *coverage, const struct static_ops *ops, size_t *lines)
{
	enum isa_class cls;
	*lines = 0;
	for (uint32_t i = 0; i < ops->count; i++) {
		const char *set = static_op_set(ops, i);
		if (!seen_name(coverage, ops, i) || !isa_mnemonic_at(set, 0, &cls))
			continue;
		while (isa_mnemonic_at(set, *lines, &cls))
			++*lines;
		return set;
	}
	return NULL;
}

static void
find_mnemonics(const struct coverage *coverage, const struct static_ops *ops,
	struct mnemonics *mnemonics)
{
	size_t lines;
	enum isa_class cls;
	const char *set = find_table(coverage, ops, &lines), *name;
	mnemonics->has_table = set != NULL;
	mnemonics->list = mem_new(ops->count + lines + 1, sizeof *mnemonics->list);
	if (!mnemonics->list)
		return;
	for (uint32_t i = 0; i < ops->count; i++) {
		if ((name = seen_name(coverage, ops, i)) != NULL)
			mnemonics->list[mnemonics->count++] =
				(struct mnemonic_entry){name, ops->list[i].class, 1};
	}
	for (size_t i = 0; i < lines; i++) {
		if (*(name = isa_mnemonic_at(set, i, &cls)))
			mnemonics->list[mnemonics->count++] =
				(struct mnemonic_entry){name, (uint8_t)static_op_class(cls), 0};
	}
	mnemonics->count = merge_entries(mnemonics->list, mnemonics->count);
}

static void
report_classes(const struct mnemonics *mnemonics, struct poly_report *report)
{
	table_open(report, "mnemonic_classes", "class:text seen_mnemonics");
	if (mnemonics->has_table) {
		table_columns(report, "known_mnemonics coverage_ratio");
	}
	poly_report_column(report, "operations", true);
	for (unsigned cls = 0; cls < OP_CLASS_COUNT; cls++) {
		uint64_t known = 0, seen = 0, operations = 0;
		for (size_t i = 0; i < mnemonics->count; i++) {
			const struct mnemonic_entry *entry = &mnemonics->list[i];
			known += entry->class == cls;
			seen += entry->class == cls && entry->operations;
			operations += entry->class == cls ? entry->operations : 0;
		}
		if (!known)
			continue;
		poly_report_cell_text(report, op_class_name((enum op_class)cls));
		poly_report_cell_count(report, seen);
		if (mnemonics->has_table) {
			poly_report_cell_count(report, known);
			poly_report_cell_ratio(report, (double)seen, (double)known, 2);
		}
		poly_report_cell_count(report, operations);
	}
	poly_report_end(report);
}

/* Appends the mnemonics of a class that occurred, or those that did not, to text. */
static bool
list_class(const struct mnemonics *mnemonics, unsigned cls, bool seen, struct buf *text)
{
	buf_clear(text);
	for (size_t i = 0; i < mnemonics->count; i++) {
		const struct mnemonic_entry *entry = &mnemonics->list[i];
		if (entry->class == cls && (entry->operations != 0) == seen)
			buf_printf(text, "%s%s", text->size ? " " : "", entry->name);
	}
	return text->size;
}

static void
report_lists(const struct mnemonics *mnemonics, bool seen, struct poly_report *report)
{
	struct buf line = {0};
	poly_report_table(report, seen ? "seen_mnemonics" : "unseen_mnemonics");
	table_columns(report, "class:text mnemonics:text");
	for (unsigned cls = 0; cls < OP_CLASS_COUNT; cls++) {
		if (!list_class(mnemonics, cls, seen, &line))
			continue;
		poly_report_cell_text(report, op_class_name((enum op_class)cls));
		poly_report_cell_text(report, buf_text(&line));
	}
	poly_report_end(report);
	buf_free(&line);
}

static void
coverage_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct coverage *coverage = state;
	struct mnemonics mnemonics = {0};
	uint64_t seen = 0;
	find_mnemonics(coverage, ops, &mnemonics);
	for (size_t i = 0; i < mnemonics.count; i++)
		seen += mnemonics.list[i].operations != 0;
	poly_report_count(report, "records", coverage->records);
	poly_report_count(report, "sites", count_up_to(&coverage->sites, UINT64_MAX));
	poly_report_count(report, "operations", count_up_to(&coverage->ops, UINT64_MAX));
	poly_report_count(report, "mnemonics", seen);
	if (mnemonics.has_table) {
		poly_report_count(report, "known_mnemonics", mnemonics.count);
		poly_report_ratio(
			report, "coverage_ratio", (double)seen, (double)mnemonics.count, 2);
	}
	report_classes(&mnemonics, report);
	report_lists(&mnemonics, true, report);
	if (mnemonics.has_table)
		report_lists(&mnemonics, false, report);
	report_cumulative_coverage(coverage, report);
	mem_free(mnemonics.list);
}

static void
coverage_fini(void *state)
{
	struct coverage *coverage = state;
	counters_fini(&coverage->ops);
	counters_fini(&coverage->sites);
	counters_fini(&coverage->chains);
	mem_free(coverage->rows);
}

static void
coverage_transfer(void *state, struct archive *archive)
{
	struct coverage *coverage = state;
	ARCHIVE(archive, coverage->records);
	archive_counters(archive, &coverage->ops, archive->ops);
	archive_counters(archive, &coverage->sites, archive->sites);
}

static const struct poly_option options[] = {{0}};

const struct analysis analysis_coverage = {
	.info = {.name = "coverage",
		.title = "Instruction-set coverage",
		.summary = "mnemonics that occurred, and cumulative number of operations and "
			   "sites",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(synthetic),
		.options = options},
	.shares = SHARES_OPS | SHARES_SITES,
	.needs = NEEDS_INSTRUCTIONS,
	.state_size = sizeof(struct coverage),
	.begin = coverage_begin,
	.update = coverage_update,
	.update_weighted = coverage_update_weighted,
	.merge = coverage_merge,
	.transfer = coverage_transfer,
	.report = coverage_report,
	.fini = coverage_fini,
};
