/* SPDX-License-Identifier: MIT */
/*
 * Coverage of the instruction set: which mnemonics occurred, of PowerPC which did not, and how
 * the program that was seen grew.
 */
#include "analysis/analysis.h"

#include "analysis/counters.h"
#include "analysis/top_n.h"
#include "analysis/column_stats.h"
#include "base/buf.h"
#include "base/mem.h"
#include "isa/powerpc.h"
#include "model/chain_graph.h"

#include <stdlib.h>
#include <string.h>

/* What a row is. */
struct covered {
	uint32_t op, site; /* op: OP_NONE: it is no instruction, or the tracer's */
};

struct coverage {
	uint64_t records;    /* instructions and micro-operations */
	struct counters ops; /* record in which an operation was first, by its number plus 1 */
	struct counters places; /* the same of sites */
	struct covered *rows;	/* of the stretch whose records are being counted */
	uint32_t row_count, row_capacity;
	struct counters chains; /* of that: instructions of each, plus 1; 0: not executed yet */
};

/* Whether the tracer put a row there. */
static bool
is_synthetic(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row];
}

static void
coverage_begin(void *state, const struct poly_trace_info *info)
{
	struct coverage *it = state;
	(void)info;
	it->row_count = 0;
}

static inline struct covered
take_row(const struct analysis_rows *rows, size_t row)
{
	const bool made = rows->batch->synthetic && is_synthetic(rows->batch, row);
	return (struct covered){made ? OP_NONE : rows->op[row], rows->site[row]};
}

static inline void
cover(struct coverage *it, struct covered row)
{
	uint64_t *op = &it->ops.list[row.op + 1], *place = &it->places.list[row.site + 1];
	if (row.op == OP_NONE)
		return;
	it->records++;
	if (!*op)
		*op = it->records;
	if (!*place)
		*place = it->records;
}

/* Makes room for all operations and sites. */
static bool
reach_all(struct coverage *it, const struct static_ops *ops)
{
	return counters_reserve(&it->ops, (size_t)ops->count + 1) &&
	       counters_reserve(&it->places, (size_t)ops->site_count + 1);
}

static bool
coverage_update(void *state, const struct analysis_rows *rows)
{
	struct coverage *it = state;
	if (!reach_all(it, rows->ops))
		return false;
	for (size_t row = 0; row < rows->batch->rows; row++)
		cover(it, take_row(rows, row));
	return true;
}

/* Goes through the chains of a stretch; only at the first execution anything is new. */
static bool
cover_stretch(struct coverage *it, const struct poly_chain_graph *order)
{
	struct chain_walk walk = {order, 0, order->records};
	uint32_t chain, records;
	if (!counters_reserve(&it->chains, order->chains))
		return false;
	uint64_t *known = it->chains.list;
	memset(known, 0, order->chains * sizeof *known);
	while (chain_next(&walk, &chain, &records)) {
		const uint64_t before = it->records;
		uint32_t row = order->first[chain];
		if (known[chain] && records == order->length[chain]) {
			it->records += known[chain] - 1;
			continue;
		}
		for (; records; records--, row = order->next[row])
			cover(it, it->rows[row]);
		known[chain] = it->records - before + 1;
	}
	it->row_count = 0;
	return true;
}

static bool
coverage_update_weighted(void *state, const struct analysis_rows *rows)
{
	struct coverage *it = state;
	const struct poly_batch *batch = rows->batch;
	void *list = it->rows;
	const bool ok = counters_grow_array(
		&list, &it->row_capacity, it->row_count + batch->rows, sizeof *it->rows);
	it->rows = list;
	if (!ok || !reach_all(it, rows->ops))
		return false;
	for (size_t row = 0; row < batch->rows; row++)
		it->rows[it->row_count++] = take_row(rows, row);
	return !batch->order || cover_stretch(it, batch->order);
}

/* Adds first records that stand offset records behind. */
static bool
merge_first(struct counters *into, const struct counters *from, const uint32_t *numbers,
	uint64_t offset)
{
	for (size_t i = 1; i < from->capacity; i++) {
		if (!from->list[i])
			continue;
		const uint32_t to = numbers[i - 1] + 1;
		if (!counters_reserve(into, (size_t)to + 1))
			return false;
		if (!into->list[to])
			into->list[to] = offset + from->list[i];
	}
	return true;
}

static bool
coverage_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct coverage *to = into;
	const struct coverage *more = from;
	if (!merge_first(&to->ops, &more->ops, numbers->ops, to->records) ||
		!merge_first(&to->places, &more->places, numbers->sites, to->records))
		return false;
	to->records += more->records;
	return true;
}

/* How many of something were first in a record up to a limit. */
static uint64_t
count_up_to(const struct counters *first, uint64_t limit)
{
	uint64_t count = 0;
	for (size_t i = 1; i < first->capacity; i++)
		count += first->list[i] && first->list[i] <= limit;
	return count;
}

static void
report_growth(const struct coverage *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "growth");
	poly_report_column(report, "records", true);
	poly_report_column(report, "operations", true);
	poly_report_column(report, "sites", true);
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "records";
	plot.y[0] = "operations";
	plot.y[1] = "sites";
	plot.log_x = plot.log_y = true;
	poly_report_plot(report, &plot);
	for (uint64_t limit = 1; limit && it->records; limit *= 2) {
		const uint64_t upto = limit < it->records ? limit : it->records;
		poly_report_cell_count(report, upto);
		poly_report_cell_count(report, count_up_to(&it->ops, upto));
		poly_report_cell_count(report, count_up_to(&it->places, upto));
		if (upto == it->records)
			break;
	}
	poly_report_end(report);
}

/* A mnemonic, or a line of the PowerPC table. */
struct word {
	const char *name;
	uint8_t class;
	uint64_t operations; /* with it that occurred */
};

static int
by_class(const void *a, const void *b)
{
	const struct word *one = a, *other = b;
	return one->class != other->class ? (int)one->class - (int)other->class
					  : strcmp(one->name, other->name);
}

/* Puts words in order and makes one of those that are equal; how many are left. */
static size_t
join_words(struct word *words, size_t n)
{
	size_t used = 0;
	if (n)
		qsort(words, n, sizeof *words, by_class);
	for (size_t i = 0; i < n; i++) {
		if (used && by_class(&words[used - 1], &words[i]) == 0)
			words[used - 1].operations += words[i].operations;
		else
			words[used++] = words[i];
	}
	return used;
}

/* What occurred, and what is known of PowerPC where that was among it. */
struct words {
	struct word *list;
	size_t count;
	bool powerpc;
};

static void
find_words(const struct coverage *it, const struct static_ops *ops, struct words *words)
{
	size_t lines = 0;
	while (powerpc_at(lines))
		lines++;
	words->list = mem_new(ops->count + lines + 1, sizeof *words->list);
	for (uint32_t i = 0; words->list && i < ops->count; i++) {
		const struct static_op *op = &ops->list[i];
		const char *name = op->micro_op ? op->micro_op : op->mnemonic;
		if (!counters_at(&it->ops, i + 1) || !name)
			continue;
		words->powerpc |= static_ops_is_powerpc(ops, i);
		words->list[words->count++] = (struct word){name, op->class, 1};
	}
	for (size_t i = 0; words->list && words->powerpc && i < lines; i++) {
		const struct powerpc_instruction *line = powerpc_at(i);
		/* Some lines are of encodings that are known for their class alone. */
		if (!line->mnemonic)
			continue;
		words->list[words->count++] = (struct word){
			line->mnemonic, (uint8_t)static_op_powerpc_class(line->unit), 0};
	}
	words->count = words->list ? join_words(words->list, words->count) : 0;
}

static void
report_classes(const struct words *words, struct poly_report *report)
{
	poly_report_table(report, "classes");
	poly_report_column(report, "class", false);
	poly_report_column(report, "seen", true);
	if (words->powerpc) {
		poly_report_column(report, "known", true);
		poly_report_column(report, "percent", true);
	}
	poly_report_column(report, "operations", true);
	for (unsigned cls = 0; cls < OP_CLASS_COUNT; cls++) {
		uint64_t known = 0, seen = 0, operations = 0;
		for (size_t i = 0; i < words->count; i++) {
			const struct word *word = &words->list[i];
			known += word->class == cls;
			seen += word->class == cls && word->operations;
			operations += word->class == cls ? word->operations : 0;
		}
		if (!known)
			continue;
		poly_report_cell_text(report, op_class_name((enum op_class)cls));
		poly_report_cell_count(report, seen);
		if (words->powerpc) {
			poly_report_cell_count(report, known);
			poly_report_cell_real(report, top_n_percent(seen, known), 2);
		}
		poly_report_cell_count(report, operations);
	}
	poly_report_end(report);
}

/* The mnemonics of a class that occurred, or those that did not, as one cell. */
static bool
list_class(const struct words *words, unsigned cls, bool seen, struct buf *to)
{
	buf_clear(to);
	for (size_t i = 0; i < words->count; i++) {
		const struct word *word = &words->list[i];
		if (word->class == cls && (word->operations != 0) == seen)
			buf_printf(to, "%s%s", to->size ? " " : "", word->name);
	}
	return to->size;
}

static void
report_lists(const struct words *words, bool seen, struct poly_report *report)
{
	struct buf line = {0};
	poly_report_table(report, seen ? "seen" : "unseen");
	poly_report_column(report, "class", false);
	poly_report_column(report, "mnemonics", false);
	for (unsigned cls = 0; cls < OP_CLASS_COUNT; cls++) {
		if (!list_class(words, cls, seen, &line))
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
	const struct coverage *it = state;
	struct words words = {0};
	uint64_t seen = 0;
	find_words(it, ops, &words);
	for (size_t i = 0; i < words.count; i++)
		seen += words.list[i].operations != 0;
	poly_report_count(report, "records", it->records);
	poly_report_count(report, "sites", count_up_to(&it->places, UINT64_MAX));
	poly_report_count(report, "operations", count_up_to(&it->ops, UINT64_MAX));
	poly_report_count(report, "mnemonics", seen);
	if (words.powerpc) {
		poly_report_count(report, "known", words.count);
		poly_report_real(report, "percent", top_n_percent(seen, words.count), 2);
	}
	report_classes(&words, report);
	report_lists(&words, true, report);
	if (words.powerpc)
		report_lists(&words, false, report);
	report_growth(it, report);
	mem_free(words.list);
}

static void
coverage_fini(void *state)
{
	struct coverage *it = state;
	counters_fini(&it->ops);
	counters_fini(&it->places);
	counters_fini(&it->chains);
	mem_free(it->rows);
}

static const struct poly_option options[] = {{0}};

const struct analysis analysis_coverage = {
	.info = {.name = "coverage",
		.title = "Instruction-set coverage",
		.summary =
			"which instructions occurred, and how the program that was seen grew",
		.needs = POLY_HAS(kind) | POLY_HAS(pc),
		.wants = POLY_HAS(synthetic),
		.options = options},
	.shares = SHARES_OPS | SHARES_SITES,
	.state_size = sizeof(struct coverage),
	.begin = coverage_begin,
	.update = coverage_update,
	.update_weighted = coverage_update_weighted,
	.merge = coverage_merge,
	.report = coverage_report,
	.fini = coverage_fini,
};
