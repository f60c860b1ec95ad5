/* SPDX-License-Identifier: MIT */
/*
 * The first homework of the CIS 501 course: what its students count in a trace of
 * micro-operations. Records are taken in their order, whoever executed them.
 *
 * spec: reference cis501 7.1.1 (Q1 to Q6, the names of Penn 2015, the lines of WUSTL).
 */
#include "analysis/analysis.h"

#include "analysis/rank.h"

#include <stdio.h>

#define SIZES 256
#define BITS 67 /* 2 + floor(log2 of 64 bits) is below */
#define SHORT_BITS 8
#define PENN_MOST 32

enum category { LOAD, STORE, UNCONDITIONAL, CONDITIONAL, OTHER, CATEGORIES };

struct homework {
	uint64_t records;
	uint64_t heads;		    /* records numbered 1 */
	uint64_t groups[SIZES];	    /* macro-operations by micro-operations; 0: more */
	uint64_t sizes[SIZES];	    /* macro-operations by bytes; 0: others */
	uint64_t bits[BITS];	    /* branches by bits of the distance from their pc */
	uint64_t from_behind[BITS]; /* the same from the fall-through */
	uint64_t categories[CATEGORIES];
	uint64_t pairs;		 /* that could be fused */
	uint64_t lead;		 /* records before the first head */
	uint64_t open;		 /* records since the last head, and with it */
	bool begins_conditional; /* the first record is a conditional branch */
	bool ends_writing;	 /* the last record writes the flags */
	bool is_wustl;
};

static enum poly_status
homework_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct homework *it = state;
	(void)error;
	it->is_wustl = setup->values[0] != 0;
	return POLY_OK;
}

/* Bits that a distance takes: 2 + floor(log2(distance)); 2 for none. */
static unsigned
distance_bits(uint64_t from, uint64_t to)
{
	const uint64_t distance = to > from ? to - from : from - to;
	return distance ? 65 - (unsigned)__builtin_clzll(distance) : 2;
}

static void
end_group(struct homework *it)
{
	if (it->open)
		it->groups[it->open < SIZES ? it->open : 0]++;
	it->open = 0;
}

/* A macro-operation ends with the trace, and where rows are left out. */
static void
forget(struct homework *it)
{
	end_group(it);
	it->ends_writing = false;
}

static void
homework_begin(void *state, const struct poly_trace_info *info)
{
	(void)info;
	forget(state);
}

static void
take_group(struct homework *it, const struct poly_batch *batch, size_t row)
{
	if (poly_present(batch, POLY_COLUMN_uop, row) && batch->uop[row] == 1) {
		end_group(it);
		it->heads++;
		const uint64_t bytes = poly_present(batch, POLY_COLUMN_fallthrough, row) &&
						       poly_present(batch, POLY_COLUMN_pc, row)
					       ? batch->fallthrough[row] - batch->pc[row]
					       : 0;
		it->sizes[bytes < SIZES ? bytes : 0]++;
		it->open = 1;
	} else if (it->open) {
		it->open++;
	} else if (!it->heads) {
		it->lead++;
	}
}

static enum category
category_of(const struct poly_batch *batch, size_t row, bool branches, unsigned flags)
{
	if (poly_present(batch, POLY_COLUMN_access, row))
		return batch->access[row] == POLY_ACCESS_READ ? LOAD : STORE;
	if (branches && flags == POLY_FLAGS_NONE)
		return UNCONDITIONAL;
	return branches && flags == POLY_FLAGS_READ ? CONDITIONAL : OTHER;
}

static void
take_record(struct homework *it, const struct poly_batch *batch, size_t row)
{
	const bool branches = poly_present(batch, POLY_COLUMN_target, row);
	const unsigned flags = poly_present(batch, POLY_COLUMN_flags, row) ? batch->flags[row]
									   : POLY_FLAGS_NONE;
	const bool conditional = branches && flags == POLY_FLAGS_READ;
	take_group(it, batch, row);
	it->categories[category_of(batch, row, branches, flags)]++;
	if (branches) {
		const uint64_t target = batch->target[row];
		it->bits[distance_bits(batch->pc[row], target)]++;
		if (poly_present(batch, POLY_COLUMN_fallthrough, row))
			it->from_behind[distance_bits(batch->fallthrough[row], target)]++;
	}
	it->pairs += it->ends_writing && conditional;
	if (!it->records)
		it->begins_conditional = conditional;
	it->ends_writing = flags == POLY_FLAGS_WRITE || flags == POLY_FLAGS_BOTH;
	it->records++;
}

static bool
homework_update(void *state, const struct analysis_rows *rows)
{
	struct homework *it = state;
	const struct poly_batch *batch = rows->batch;
	if (!rows->counts) {
		forget(it);
		return true;
	}
	for (size_t row = 0; row < batch->rows; row++) {
		if (poly_present(batch, POLY_COLUMN_kind, row) &&
			batch->kind[row] == POLY_KIND_INSTRUCTION)
			take_record(it, batch, row);
	}
	return true;
}

static bool
homework_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct homework *to = into;
	const struct homework *more = from;
	(void)numbers;
	if (!more->records)
		return true;
	to->pairs += more->pairs + (to->ends_writing && more->begins_conditional);
	if (!to->records)
		to->begins_conditional = more->begins_conditional;
	to->ends_writing = more->ends_writing;
	if (to->open)
		to->open += more->lead;
	else if (!to->heads)
		to->lead += more->lead;
	if (more->heads) {
		end_group(to);
		to->open = more->open;
	}
	to->records += more->records;
	to->heads += more->heads;
	for (size_t i = 0; i < SIZES; i++) {
		to->groups[i] += more->groups[i];
		to->sizes[i] += more->sizes[i];
	}
	for (size_t i = 0; i < BITS; i++) {
		to->bits[i] += more->bits[i];
		to->from_behind[i] += more->from_behind[i];
	}
	for (size_t i = 0; i < CATEGORIES; i++)
		to->categories[i] += more->categories[i];
	return true;
}

static uint64_t
sum_to(const uint64_t *counts, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += counts[i];
	return sum;
}

static const char *const category_names[CATEGORIES] = {
	"loads", "stores", "unconditionalbranches", "conditionalbranches", "other"};

static void
report_categories(const struct homework *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "categories", "Q4: categories of micro-operations");
	poly_report_column(report, "category", "Category", false);
	rank_columns(report);
	plot.x = "category";
	plot.y[0] = "percent";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < CATEGORIES; i++) {
		poly_report_cell_text(report, category_names[i]);
		rank_cells(report, it->categories[i], it->records);
	}
	poly_report_end(report);
}

static double
quotient(uint64_t part, uint64_t whole)
{
	return (double)part / (double)whole;
}

static double
mean_size(const struct homework *it)
{
	uint64_t bytes = 0;
	for (size_t i = 1; i < SIZES; i++)
		bytes += i * it->sizes[i];
	return quotient(bytes, sum_to(it->sizes + 1, SIZES - 1));
}

/* The names of Penn's homework of 2015. */
static void
report_penn(const struct homework *it, struct poly_report *report)
{
	const uint64_t branches = sum_to(it->bits, BITS),
		       sized = sum_to(it->sizes + 1, SIZES - 1);
	uint64_t most = 0;
	for (size_t i = 1; i < CATEGORIES; i++)
		most = it->categories[i] > it->categories[most] ? i : most;
	poly_report_section(report, "penn2015", "Penn 2015");
	poly_report_real(report, "avg_insn_size", "avgInsnSize", mean_size(it), 6);
	poly_report_text(report, "most_common_uop_category", "mostCommonUopCategory",
		it->records ? category_names[most] : NULL);
	poly_report_table(report, "fractions", "Fractions at most N");
	poly_report_column(report, "n", "N", true);
	poly_report_column(report, "fraction_of_branch_targets_lte_n_bits",
		"fractionOfBranchTargetsLteNBits", true);
	poly_report_column(
		report, "fraction_of_insns_lte_n_bytes", "fractionOfInsnsLteNBytes", true);
	for (size_t n = 1; n <= PENN_MOST; n++) {
		poly_report_cell_count(report, n);
		poly_report_cell_real(report, quotient(sum_to(it->bits, n + 1), branches), 6);
		poly_report_cell_real(report, quotient(sum_to(it->sizes + 1, n), sized), 6);
	}
	poly_report_end(report);
	poly_report_end(report);
}

/* A line of WUSTL's printout for each number that occurs. */
static void
report_lines(struct poly_report *report, const char *form, const uint64_t *counts, size_t n,
	size_t first)
{
	const uint64_t whole = sum_to(counts, n);
	for (size_t i = first; i < n; i++) {
		char percent[32], line[100];
		if (!counts[i])
			continue;
		snprintf(percent, sizeof percent, "%4.1f%%", rank_percent(counts[i], whole));
		const int used = snprintf(line, sizeof line, form, (int)i);
		snprintf(line + used, sizeof line - (size_t)used, "%s", percent);
		poly_report_cell_text(report, line);
	}
}

static void
report_wustl(const struct homework *it, struct poly_report *report)
{
	poly_report_table(report, "wustl", "Lines of the WUSTL course");
	poly_report_column(report, "line", "Line", false);
	report_lines(
		report, "  Percent of mops consisting of %2d uops: ", it->groups, SIZES, 1);
	report_lines(report, "  Percent of mops of length %2d bytes: ", it->sizes, SIZES, 1);
	report_lines(report, "  Percent of targets requiring %2d bits: ", it->bits, BITS, 1);
	report_lines(report, "  Percent of uops of type %2d : ", it->categories, CATEGORIES, 0);
	poly_report_end(report);
}

static void
report_changes(const struct homework *it, struct poly_report *report)
{
	const uint64_t branches = sum_to(it->bits, BITS);
	const uint64_t far = branches - sum_to(it->bits, SHORT_BITS + 1);
	poly_report_count(report, "branches", "Q5: branches", branches, NULL);
	poly_report_count(
		report, "far_branches", "Q5: branches of more than 8 bits", far, NULL);
	poly_report_real(report, "far_percent", "Q5: share of the branches (%)",
		rank_percent(far, branches), 2);
	poly_report_real(report, "far_slowdown", "Q5: micro-operations more, as a factor",
		quotient(it->records + far, it->records), 6);
	poly_report_count(report, "fusions", "Q6: pairs that can be fused", it->pairs, NULL);
	poly_report_real(report, "fusion_percent", "Q6: share of the micro-operations (%)",
		rank_percent(it->pairs, it->records), 2);
	poly_report_real(report, "fusion_speedup", "Q6: speedup",
		quotient(it->records, it->records - it->pairs), 6);
}

static void
homework_report(const void *state, const struct ops *ops, struct poly_report *report)
{
	struct homework it = *(const struct homework *)state;
	(void)ops;
	end_group(&it);
	if (it.is_wustl) {
		report_wustl(&it, report);
		return;
	}
	poly_report_count(report, "micro_ops", "Micro-operations", it.records, NULL);
	poly_report_count(report, "macro_ops", "Macro-operations", it.heads, NULL);
	poly_report_real(report, "micro_ops_per_macro_op",
		"Q1: micro-operations a macro-operation", quotient(it.records, it.heads), 6);
	poly_report_real(
		report, "bytes_per_macro_op", "Q2: bytes a macro-operation", mean_size(&it), 6);
	report_changes(&it, report);
	rank_distribution(report,
		(const char *const[]){"groups", "Q1: micro-operations of a macro-operation",
			"micro_ops", "Micro-ops"},
		it.groups, SIZES);
	rank_distribution(report,
		(const char *const[]){
			"sizes", "Q2: bytes of a macro-operation", "bytes", "Bytes"},
		it.sizes, SIZES);
	rank_distribution(report,
		(const char *const[]){"distances", "Q3: bits of branch distances from the PC",
			"bits", "Bits"},
		it.bits, BITS);
	rank_distribution(report,
		(const char *const[]){"distances_behind",
			"Q3: bits of branch distances from the fall-through", "bits", "Bits"},
		it.from_behind, BITS);
	report_categories(&it, report);
	report_penn(&it, report);
}

static const char *const styles[] = {"quantities", "wustl", NULL};

static const struct poly_option options[] = {
	{"homework.style", POLY_OPTION_CHOICE, 0, 0, 0, 0, styles,
		"the quantities, or lines as the WUSTL course prints them",
		"reference cis501 7.1.1"},
	{0},
};

const struct analysis analysis_homework = {
	.info = {.name = "homework",
		.title = "CIS 501 homework 1",
		.summary = "the quantities of the first homework of the CIS 501 course",
		.needs = POLY_HAS(kind) | POLY_HAS(pc) | POLY_HAS(uop) | POLY_HAS(fallthrough) |
			 POLY_HAS(flags) | POLY_HAS(target),
		.wants = POLY_HAS(access),
		.options = options},
	.has_context = true,
	.state_size = sizeof(struct homework),
	.init = homework_init,
	.begin = homework_begin,
	.update = homework_update,
	.merge = homework_merge,
	.report = homework_report,
};
