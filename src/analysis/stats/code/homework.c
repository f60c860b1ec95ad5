/* SPDX-License-Identifier: MIT */
/*
 * The first homework of the CIS 501 course: the quantities that its students count in a trace
 * of micro-operations. Records are read in their order, whatever context executed them.
 *
 * spec: Penn CIS 501, homework 1 (Q1 to Q6, the names of Penn 2015, the lines of WUSTL).
 */
#include "analysis/core/analysis.h"

#include "analysis/course/printout.h"
#include "analysis/facts/archive.h"
#include "analysis/facts/top_n.h"
#include "analysis/facts/uops.h"

#include "course/mix.h"
#include "report/table.h"

struct homework_state {
	struct course_mix mix;
	bool is_wustl;
};

static enum poly_status
homework_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct homework_state *homework = state;
	(void)error;
	homework->is_wustl = setup->values[0] != 0;
	return POLY_OK;
}

static void
homework_begin(void *state, const struct poly_trace_info *info)
{
	struct homework_state *homework = state;
	(void)info;
	course_mix_cut(&homework->mix);
}

static bool
homework_update(void *state, const struct analysis_rows *rows)
{
	struct homework_state *homework = state;
	struct course_uop uop;
	if (!rows->counts)
		course_mix_cut(&homework->mix);
	for (size_t row = 0; row < rows->batch->rows && rows->counts; row++) {
		if (uop_of_row(rows->batch, row, &uop))
			course_mix_uop(&homework->mix, &uop);
	}
	return true;
}

static bool
homework_merge(void *into, const void *from, const struct analysis_numbers *numbers)
{
	struct homework_state *sum = into;
	const struct homework_state *homework = from;
	if (!numbers->continues)
		course_mix_cut(&sum->mix);
	course_mix_merge(&sum->mix, &homework->mix);
	return true;
}

static void
report_categories(const struct course_mix *mix, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	table_open(report, "micro_op_categories", "category:text");
	top_n_columns(report);
	plot.x = "category";
	plot.y[0] = "share";
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

/* Reports the quantities under the names of Penn's homework of 2015. */
static void
report_penn(const struct course_mix *mix, struct poly_report *report)
{
	poly_report_section(report, "penn2015");
	poly_report_real(report, "avg_insn_size", course_mix_size(mix), 6);
	poly_report_heading(report, "avgInsnSize");
	poly_report_text(report, "most_common_uop_category",
		mix->count.uops ? course_category_names[course_mix_top_category(mix)] : NULL);
	poly_report_heading(report, "mostCommonUopCategory");
	table_open(report, "fractions", "n fraction_of_branch_targets_lte_n_bits");
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

/* Reports the lines of WUSTL. */
static void
report_wustl(const struct course_mix *mix, struct poly_report *report)
{
	struct buf lines = {0};
	course_mix_wustl(mix, &lines);
	printout_report_lines(report, "wustl", &lines);
	buf_free(&lines);
}

static void
report_changes(const struct course_mix *mix, struct poly_report *report)
{
	const uint64_t uops = mix->count.uops, far = course_mix_far(mix);
	const uint64_t branches = course_mix_sum(mix->bits, COURSE_MIX_BITS);
	poly_report_count(report, "branches", branches);
	poly_report_count(report, "far_branches", far);
	poly_report_ratio(report, "far_branch_ratio", (double)far, (double)branches, 2);
	poly_report_real(report, "far_slowdown", quotient(uops + far, uops), 6);
	poly_report_count(report, "fusions", mix->pairs);
	poly_report_ratio(report, "fusion_ratio", (double)mix->pairs, (double)uops, 2);
	poly_report_real(report, "fusion_speedup", quotient(uops, uops - mix->pairs), 6);
}

static void
homework_report(const void *state, const struct static_ops *ops, struct poly_report *report)
{
	const struct homework_state *homework = state;
	struct course_mix mix = homework->mix;
	(void)ops;
	course_mix_cut(&mix);
	if (homework->is_wustl) {
		report_wustl(&mix, report);
		return;
	}
	poly_report_count(report, "micro_ops", mix.count.uops);
	poly_report_count(report, "macro_ops", mix.count.mops);
	poly_report_real(
		report, "micro_ops_per_macro_op", quotient(mix.count.uops, mix.count.mops), 6);
	poly_report_real(report, "bytes_per_macro_op", course_mix_size(&mix), 6);
	report_changes(&mix, report);
	top_n_distribution(
		report, "macro_ops_by_micro_ops", "micro_ops", mix.groups, COURSE_MIX_SIZES);
	top_n_distribution(report, "macro_op_sizes", "size", mix.sizes, COURSE_MIX_SIZES);
	top_n_distribution(
		report, "branch_distances", "distance_bits", mix.bits, COURSE_MIX_BITS);
	top_n_distribution(report, "branch_distances_from_fallthrough", "distance_bits",
		mix.from_fallthrough, COURSE_MIX_BITS);
	report_categories(&mix, report);
	report_penn(&mix, report);
}

static const char *const styles[] = {"quantities", "wustl", NULL};

static void
homework_transfer(void *state, struct archive *archive)
{
	struct course_mix *mix = &((struct homework_state *)state)->mix;
	ARCHIVE(archive, mix->count.uops);
	ARCHIVE(archive, mix->count.mops);
	ARCHIVE_ARRAY(archive, mix->groups);
	ARCHIVE_ARRAY(archive, mix->sizes);
	ARCHIVE_ARRAY(archive, mix->bits);
	ARCHIVE_ARRAY(archive, mix->from_fallthrough);
	ARCHIVE_ARRAY(archive, mix->categories);
	ARCHIVE(archive, mix->pairs);
	ARCHIVE(archive, mix->lead);
	ARCHIVE(archive, mix->open);
	ARCHIVE(archive, mix->begins_conditional);
	ARCHIVE(archive, mix->ends_writing);
}

static const struct poly_option options[] = {
	{"homework.style", POLY_OPTION_CHOICE, .choices = styles,
		.help = "report quantities, or the lines that the WUSTL course prints",
		.source = "Penn CIS 501, homework 1"},
	{0},
};

const struct analysis analysis_homework = {
	.info = {.name = "homework",
		.title = "CIS 501 homework 1",
		.summary = "quantities of the first homework of the CIS 501 course",
		.needs = POLY_COLUMNS_INIT(kind, pc, uop_index, fallthrough, flags, target),
		.wants = POLY_COLUMNS_INIT(access),
		.options = options},
	.needs_warmup = true,
	.state_size = sizeof(struct homework_state),
	.init = homework_init,
	.begin = homework_begin,
	.update = homework_update,
	.merge = homework_merge,
	.transfer = homework_transfer,
	.report = homework_report,
};
