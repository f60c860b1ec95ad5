/* SPDX-License-Identifier: MIT */
/*
 * The first homework of the CIS 501 course: what its students count in a trace of
 * micro-operations. Records are taken in their order, whoever executed them.
 *
 * spec: reference cis501 7.1.1 (Q1 to Q6, the names of Penn 2015, the lines of WUSTL).
 */
#include "analysis/analysis.h"

#include "analysis/top_n.h"
#include "analysis/uops.h"

#include "course/mix.h"

#include "report/tree.h"

#include <string.h>

struct homework {
	struct course_mix mix;
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

static void
homework_begin(void *state, const struct poly_trace_info *info)
{
	struct homework *it = state;
	(void)info;
	course_mix_cut(&it->mix);
}

static bool
homework_update(void *state, const struct analysis_rows *rows)
{
	struct homework *it = state;
	struct course_uop uop;
	if (!rows->counts)
		course_mix_cut(&it->mix);
	for (size_t row = 0; row < rows->batch->rows && rows->counts; row++) {
		if (uop_of_row(rows->batch, row, &uop))
			course_mix_uop(&it->mix, &uop);
	}
	return true;
}

static bool
homework_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct homework *to = into;
	const struct homework *more = from;
	(void)numbers;
	course_mix_merge(&to->mix, &more->mix);
	return true;
}

static void
report_categories(const struct course_mix *mix, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "categories");
	poly_report_column(report, "category", false);
	top_n_columns(report);
	plot.x = "category";
	plot.y[0] = "percent";
	poly_report_plot(report, &plot);
	for (size_t i = 0; i < COURSE_CATEGORIES; i++) {
		poly_report_cell_text(report, course_category_names[i]);
		top_n_cells(report, mix->categories[i], mix->count.uops);
	}
	poly_report_end(report);
}

static double
quotient(uint64_t part, uint64_t whole)
{
	return (double)part / (double)whole;
}

/* The names of Penn's homework of 2015. */
static void
report_penn(const struct course_mix *mix, struct poly_report *report)
{
	poly_report_section(report, "penn2015");
	poly_report_real(report, "avg_insn_size", course_mix_size(mix), 6);
	poly_report_heading(report, "avgInsnSize");
	poly_report_text(report, "most_common_uop_category",
		mix->count.uops ? course_category_names[course_mix_top_category(mix)] : NULL);
	poly_report_heading(report, "mostCommonUopCategory");
	poly_report_table(report, "fractions");
	poly_report_column(report, "n", true);
	poly_report_column(report, "fraction_of_branch_targets_lte_n_bits", true);
	poly_report_heading(report, "fractionOfBranchTargetsLteNBits");
	poly_report_column(report, "fraction_of_insns_lte_n_bytes", true);
	poly_report_heading(report, "fractionOfInsnsLteNBytes");
	for (unsigned n = 1; n <= COURSE_MIX_PENN; n++) {
		poly_report_cell_count(report, n);
		poly_report_cell_real(report, course_mix_near(mix, n), 6);
		poly_report_cell_real(report, course_mix_small(mix, n), 6);
	}
	poly_report_end(report);
	poly_report_end(report);
}

/* The lines of WUSTL as a table of one column. */
static void
report_wustl(const struct course_mix *mix, struct poly_report *report)
{
	struct buf lines = {0};
	course_mix_wustl(mix, &lines);
	poly_report_table(report, "wustl");
	poly_report_column(report, "line", false);
	char *line = lines.size ? (char *)lines.data : NULL;
	for (char *end; line && (end = memchr(line, '\n', lines.size)); line = end + 1) {
		lines.size -= (size_t)(end + 1 - line);
		*end = 0;
		poly_report_cell_text(report, line);
	}
	poly_report_end(report);
	if (lines.failed)
		tree_fail(report);
	buf_free(&lines);
}

static void
report_changes(const struct course_mix *mix, struct poly_report *report)
{
	const uint64_t uops = mix->count.uops, far = course_mix_far(mix);
	const uint64_t branches = course_mix_sum(mix->bits, COURSE_MIX_BITS);
	poly_report_count(report, "branches", branches);
	poly_report_count(report, "far_branches", far);
	poly_report_real(report, "far_percent", top_n_percent(far, branches), 2);
	poly_report_real(report, "far_slowdown", quotient(uops + far, uops), 6);
	poly_report_count(report, "fusions", mix->pairs);
	poly_report_real(report, "fusion_percent", top_n_percent(mix->pairs, uops), 2);
	poly_report_real(report, "fusion_speedup", quotient(uops, uops - mix->pairs), 6);
}

static void
homework_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct homework *it = state;
	struct course_mix mix = it->mix;
	(void)ops;
	course_mix_cut(&mix);
	if (it->is_wustl) {
		report_wustl(&mix, report);
		return;
	}
	poly_report_count(report, "micro_ops", mix.count.uops);
	poly_report_count(report, "macro_ops", mix.count.mops);
	poly_report_real(
		report, "micro_ops_per_macro_op", quotient(mix.count.uops, mix.count.mops), 6);
	poly_report_real(report, "bytes_per_macro_op", course_mix_size(&mix), 6);
	report_changes(&mix, report);
	top_n_distribution(report, "groups", "micro_ops", mix.groups, COURSE_MIX_SIZES);
	top_n_distribution(report, "sizes", "bytes", mix.sizes, COURSE_MIX_SIZES);
	top_n_distribution(report, "distances", "bits", mix.bits, COURSE_MIX_BITS);
	top_n_distribution(
		report, "distances_behind", "bits", mix.from_fallthrough, COURSE_MIX_BITS);
	report_categories(&mix, report);
	report_penn(&mix, report);
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
		.needs = POLY_HAS(kind) | POLY_HAS(pc) | POLY_HAS(uop_index) |
			 POLY_HAS(fallthrough) | POLY_HAS(flags) | POLY_HAS(target),
		.wants = POLY_HAS(access),
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct homework),
	.init = homework_init,
	.begin = homework_begin,
	.update = homework_update,
	.merge = homework_merge,
	.report = homework_report,
};
