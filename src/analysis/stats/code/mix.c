/* SPDX-License-Identifier: MIT */
/* The instruction mix: executed instructions by class, mnemonic, micro-operation and length. */
#include "analysis/core/analysis.h"

#include "analysis/facts/archive.h"
#include "analysis/facts/counters.h"
#include "analysis/facts/top_n.h"
#include "analysis/facts/column_stats.h"
#include "base/mem.h"
#include "report/table.h"
#include "report/terms.h"

#include <stdlib.h>
#include <string.h>

struct mix {
	struct counters executed;   /* records by operation plus 1 */
	struct counters later_uops; /* those that are not the first of their instruction */
	struct counters skipped;    /* records whose predicate was false, by operation plus 1 */
	uint64_t records;	    /* instructions and micro-operations */
	uint64_t synthetic;	    /* records that no other counter includes */
	uint64_t
		uop_indices[257]; /* records by their index in the instruction; the last is 0 */
	uint64_t distances[256];  /* instructions without a size, by bytes to the next one */
	uint64_t top;
	const struct static_ops *ops;
};

static enum poly_status
mix_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct mix *mix = state;
	(void)error;
	mix->top = setup->values[0];
	mix->ops = setup->ops;
	return POLY_OK;
}

/* Returns the rows of a word whose byte in a column differs from value. */
static uint64_t
differing_rows(const struct poly_batch *batch, enum poly_column column, const uint8_t *values,
	size_t word, uint8_t value)
{
	const uint64_t present = row_bits_present(batch, column, word);
	const size_t rows = batch->rows - 64 * word;
	return present ? present & ~row_bits_equal(
					   values + 64 * word, rows < 64 ? rows : 64, value)
		       : 0;
}

/* Returns the number of records that a row represents. */
static inline uint64_t
weigh(const uint64_t *weight, size_t row)
{
	return weight ? weight[row] : 1;
}

/* Returns the number of records that rows of a word represent. */
static inline uint64_t
weigh_rows(const uint64_t *weight, size_t word, uint64_t rows)
{
	uint64_t records = weight ? 0 : (uint64_t)__builtin_popcountll(rows);
	while (weight && rows)
		records += weight[64 * word + row_bits_next(&rows)];
	return records;
}

/* Counts the micro-operations among the real (not synthetic) instructions of a word. */
static inline __attribute__((always_inline)) void
count_uops(struct mix *mix, const struct analysis_rows *rows, size_t word, uint64_t real,
	const uint64_t *weight)
{
	const struct poly_batch *batch = rows->batch;
	uint64_t later =
		real & differing_rows(batch, POLY_COLUMN_uop_index, batch->uop_index, word, 1);
	uint64_t numbered = real & row_bits_present(batch, POLY_COLUMN_uop_index, word);
	uint64_t sized = real & ~later & row_bits_present(batch, POLY_COLUMN_pc, word) &
			 row_bits_present(batch, POLY_COLUMN_fallthrough, word) &
			 ~row_bits_present(batch, POLY_COLUMN_opcode_size, word);
	while (later) {
		const size_t row = 64 * word + row_bits_next(&later);
		mix->later_uops.list[rows->op[row] + 1] += weigh(weight, row);
	}
	while (numbered) {
		const size_t row = 64 * word + row_bits_next(&numbered);
		mix->uop_indices[batch->uop_index[row]] += weigh(weight, row);
	}
	while (sized) {
		const size_t row = 64 * word + row_bits_next(&sized);
		const uint64_t bytes = batch->fallthrough[row] - batch->pc[row];
		mix->distances[bytes < 256 ? bytes : 0] += weigh(weight, row);
	}
}

/* Counts rows; weight: number of records that each represents, NULL: one. */
static inline __attribute__((always_inline)) bool
count_rows(struct mix *mix, const struct analysis_rows *rows, const uint64_t *weight)
{
	const struct poly_batch *batch = rows->batch;
	const size_t numbers = (size_t)rows->ops->count + 1;
	if (!counters_reserve(&mix->executed, numbers) ||
		!counters_reserve(&mix->later_uops, numbers) ||
		!counters_reserve(&mix->skipped, numbers))
		return false;
	for (size_t row = 0; row < batch->rows; row++)
		mix->executed.list[rows->op[row] + 1] += weigh(weight, row);
	for (size_t word = 0; word < row_bits_words(batch); word++) {
		const uint64_t kinds = row_bits_present(batch, POLY_COLUMN_kind, word) &
				       ~differing_rows(batch, POLY_COLUMN_kind, batch->kind,
					       word, POLY_KIND_INSTRUCTION);
		uint64_t synthetic = kinds & differing_rows(batch, POLY_COLUMN_synthetic,
						     batch->synthetic, word, 0);
		uint64_t skipped =
			kinds & ~synthetic &
			row_bits_present(batch, POLY_COLUMN_executed, word) &
			~differing_rows(batch, POLY_COLUMN_executed, batch->executed, word, 0);
		mix->records += weigh_rows(weight, word, kinds & ~synthetic);
		if (batch->uop_index || batch->fallthrough)
			count_uops(mix, rows, word, kinds & ~synthetic, weight);
		while (skipped) {
			const size_t row = 64 * word + row_bits_next(&skipped);
			mix->skipped.list[rows->op[row] + 1] += weigh(weight, row);
		}
		while (synthetic) {
			const size_t row = 64 * word + row_bits_next(&synthetic);
			mix->synthetic += weigh(weight, row);
			mix->executed.list[rows->op[row] + 1] -= weigh(weight, row);
		}
	}
	return true;
}

static bool
mix_update(void *state, const struct analysis_rows *rows)
{
	return count_rows(state, rows, NULL);
}

static bool
mix_update_weighted(void *state, const struct analysis_rows *rows)
{
	return count_rows(state, rows, poly_batch_weights(rows->batch));
}

static bool
mix_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct mix *sum = into;
	const struct mix *mix = from;
	for (size_t i = 0; i < 256; i++) {
		sum->uop_indices[i] += mix->uop_indices[i];
		sum->distances[i] += mix->distances[i];
	}
	sum->records += mix->records;
	sum->synthetic += mix->synthetic;
	return counters_merge(&sum->executed, &mix->executed, numbers->ops) &&
	       counters_merge(&sum->later_uops, &mix->later_uops, numbers->ops) &&
	       counters_merge(&sum->skipped, &mix->skipped, numbers->ops);
}

/* The counts of a name. */
struct mix_line {
	const char *name;
	uint64_t count, records, operations;
};

static int
by_name(const void *a, const void *b)
{
	const struct mix_line *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static int
by_count(const void *a, const void *b)
{
	const struct mix_line *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sums lines of equal names and sorts them by falling counts; returns their number. */
static size_t
merge_lines(struct mix_line *lines, size_t n)
{
	size_t used = 0;
	if (n)
		qsort(lines, n, sizeof *lines, by_name);
	for (size_t i = 0; i < n; i++) {
		if (!used || strcmp(lines[used - 1].name, lines[i].name) != 0) {
			lines[used++] = lines[i];
			continue;
		}
		lines[used - 1].count += lines[i].count;
		lines[used - 1].records += lines[i].records;
		lines[used - 1].operations += lines[i].operations;
	}
	if (used)
		qsort(lines, used, sizeof *lines, by_count);
	return used;
}

/* A table of names and their counts. */
struct mix_table {
	const char *key, *name_key;
	bool is_micro;			 /* names of micro-operations */
	bool has_records;		 /* with a column of records */
	const struct counters *counts;	 /* by operation plus 1 */
	const struct counters *excluded; /* subtracted from counts; NULL: nothing */
	uint64_t whole;
};

static void
report_names(const struct mix_table *table, const struct static_ops *ops, uint64_t top,
	struct poly_report *report)
{
	struct mix_line *lines = mem_new((size_t)ops->count + 1, sizeof *lines);
	struct poly_plot plot = POLY_PLOT_INIT;
	size_t n = 0;
	for (uint32_t i = 0; lines && i < ops->count; i++) {
		const struct static_op *op = &ops->list[i];
		const char *name = table->is_micro ? op->micro_op : op->mnemonic;
		const uint64_t excluded =
			table->excluded ? counters_at(table->excluded, i + 1) : 0;
		const uint64_t records = counters_at(table->counts, i + 1);
		if (records && name)
			lines[n++] = (struct mix_line){name, records - excluded, records, 1};
	}
	n = lines ? merge_lines(lines, n) : 0;
	poly_report_table(report, table->key);
	poly_report_column(report, table->name_key, false);
	top_n_columns(report);
	if (table->has_records)
		poly_report_column(report, "records", true);
	poly_report_column(report, "operations", true);
	plot.x = table->name_key;
	plot.y[0] = "share";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < n && i < top; i++) {
		poly_report_cell_text(report, lines[i].name);
		top_n_cells(report, lines[i].count, table->whole);
		if (table->has_records)
			poly_report_cell_count(report, lines[i].records);
		poly_report_cell_count(report, lines[i].operations);
	}
	poly_report_end(report);
	mem_free(lines);
}

/* Sums records by class. */
static void
sum_classes(
	const struct mix *mix, const struct static_ops *ops, uint64_t classes[OP_CLASS_COUNT])
{
	uint64_t known = 0;
	memset(classes, 0, OP_CLASS_COUNT * sizeof *classes);
	for (uint32_t i = 0; i < ops->count; i++) {
		classes[ops->list[i].class] += counters_at(&mix->executed, i + 1);
		known += counters_at(&mix->executed, i + 1);
	}
	classes[OP_UNKNOWN] += mix->records - known;
}

static size_t
mix_ratios(const void *state, struct analysis_ratio *ratios)
{
	static const char *const titles[OP_CLASS_COUNT] = {"Records of unknown class",
		"Integer instructions", "Floating-point instructions", "Vector instructions",
		"Loads", "Stores", "Branches", "Cache operations", "System instructions",
		"Atomic operations"};
	const struct mix *mix = state;
	uint64_t classes[OP_CLASS_COUNT];
	sum_classes(mix, mix->ops, classes);
	for (unsigned i = 0; i < OP_CLASS_COUNT; i++)
		ratios[i] = (struct analysis_ratio){
			op_class_name((enum op_class)i), titles[i], classes[i], mix->records};
	return OP_CLASS_COUNT;
}

static void
report_classes(const struct mix *mix, const struct static_ops *ops, struct poly_report *report)
{
	uint64_t classes[OP_CLASS_COUNT];
	struct poly_plot plot = POLY_PLOT_INIT;
	sum_classes(mix, ops, classes);
	table_open(report, "instruction_classes", "class:text");
	top_n_columns(report);
	plot.x = "class";
	plot.y[0] = "share";
	poly_report_plot(report, &plot);
	for (unsigned i = 0; i < OP_CLASS_COUNT; i++) {
		if (!classes[i])
			continue;
		poly_report_cell_text(report, op_class_name((enum op_class)i));
		top_n_cells(report, classes[i], mix->records);
	}
	poly_report_end(report);
}

static void
report_sizes(const struct mix *mix, const struct static_ops *ops, struct poly_report *report)
{
	uint64_t sizes[256], bytes = 0, sized = 0;
	memcpy(sizes, mix->distances, sizeof sizes);
	for (uint32_t i = 0; i < ops->count; i++)
		sizes[ops->list[i].size] += counters_at(&mix->executed, i + 1) -
					    counters_at(&mix->later_uops, i + 1);
	for (size_t i = 1; i < 256; i++) {
		bytes += sizes[i] * i;
		sized += sizes[i];
	}
	poly_report_real(report, "mean_instruction_length", (double)bytes / (double)sized, 4);
	top_n_distribution(report, "instruction_lengths", "instruction_length", sizes, 256);
}

static void
mix_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct mix *mix = state;
	uint64_t later_uops = 0, skipped = 0, groups[256] = {0};
	for (size_t i = 0; i < mix->later_uops.capacity; i++)
		later_uops += mix->later_uops.list[i];
	for (size_t i = 0; i < mix->skipped.capacity; i++)
		skipped += mix->skipped.list[i];
	/* An instruction that has a k-th micro-operation and no later one has k of them. */
	for (size_t i = 1; i < 256; i++)
		groups[i] = mix->uop_indices[i] > mix->uop_indices[i + 1]
				    ? mix->uop_indices[i] - mix->uop_indices[i + 1]
				    : 0;
	const uint64_t instructions = mix->records - later_uops;
	const bool has_uops = mix->uop_indices[1] || later_uops;
	poly_report_count(report, "instructions", instructions);
	if (has_uops) {
		poly_report_count(report, "uops", mix->records);
		poly_report_real(report, "uops_per_instruction",
			(double)mix->records / (double)instructions, 6);
	}
	poly_report_count(report, "not_executed_instructions", skipped);
	poly_report_count(report, "synthetic_instructions", mix->synthetic);
	report_classes(mix, ops, report);
	report_names(&(struct mix_table){KEY("mnemonics"), KEY("mnemonic"), false, has_uops,
			     &mix->executed, &mix->later_uops, instructions},
		ops, mix->top, report);
	if (has_uops) {
		report_names(&(struct mix_table){KEY("uop_names"), KEY("uop_name"), true, false,
				     &mix->executed, NULL, mix->records},
			ops, mix->top, report);
		top_n_distribution(report, "instructions_by_uops", "uops", groups, 256);
	}
	if (skipped)
		report_names(&(struct mix_table){KEY("not_executed_mnemonics"), KEY("mnemonic"),
				     false, false, &mix->skipped, NULL, skipped},
			ops, mix->top, report);
	report_sizes(mix, ops, report);
}

static void
mix_fini(void *state)
{
	struct mix *mix = state;
	counters_fini(&mix->executed);
	counters_fini(&mix->later_uops);
	counters_fini(&mix->skipped);
}

static void
mix_transfer(void *state, struct archive *archive)
{
	struct mix *mix = state;
	archive_counters(archive, &mix->executed, archive->ops);
	archive_counters(archive, &mix->later_uops, archive->ops);
	archive_counters(archive, &mix->skipped, archive->ops);
	ARCHIVE(archive, mix->records);
	ARCHIVE(archive, mix->synthetic);
	ARCHIVE_ARRAY(archive, mix->uop_indices);
	ARCHIVE_ARRAY(archive, mix->distances);
}

static const struct poly_option options[] = {
	{"mix.top", POLY_OPTION_NUMBER, .initial = 10, .minimum = 1, .maximum = UINT32_MAX,
		.help = "list the N most frequent names per table"},
	{0},
};

const struct analysis analysis_mix = {
	.info = {.name = "mix",
		.title = "Instruction mix",
		.summary = "instruction mix by class, mnemonic and length",
		.needs = POLY_COLUMNS_INIT(kind, pc),
		.wants = POLY_COLUMNS_INIT(
			opcode_size, synthetic, executed, uop_index, fallthrough),
		.is_default = true,
		.options = options},
	.shares = SHARES_OPS,
	.needs = NEEDS_INSTRUCTIONS,
	.state_size = sizeof(struct mix),
	.init = mix_init,
	.update = mix_update,
	.update_weighted = mix_update_weighted,
	.merge = mix_merge,
	.transfer = mix_transfer,
	.ratios = mix_ratios,
	.report = mix_report,
	.fini = mix_fini,
};
