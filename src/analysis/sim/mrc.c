/* SPDX-License-Identifier: MIT */
/*
 * Miss ratios of fully associative lru caches of all sizes, of data and of instructions, each
 * with caches of its own; and of all numbers of sets and ways. Exact, or from samples of lines.
 */
#include "analysis/sim/uses.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/tree.h"
#include "sim/all_associativity.h"
#include "sim/dense.h"
#include "sim/shards.h"
#include "sim/stack_distance.h"

/* Different lines that distances are exact for, and of a sample; beyond, no more are looked at.
 */
#define LINES_MOST ((uint32_t)1 << 22)

/* Numbers of sets: 2^0 to 2^13. */
#define SETS_MOST 13

enum { OPTION_LINE, OPTION_SAMPLE, OPTION_SETS };

/* Data, or instructions. */
struct part {
	uint64_t uses;
	bool full; /* there are more lines than can be told apart */
	/* Exact: */
	struct dense dense;
	struct stack_distance *distance;
	struct all_associativity *all; /* NULL: not asked for */
	/* Or: */
	struct shards *shards;
};

enum { DATA, INSTRUCTIONS, PARTS };

struct state {
	unsigned line_shift;
	unsigned sample; /* k, 0: exact */
	struct part parts[PARTS];
	struct uses uses;
	uint64_t lines[USES_MOST];
	uint32_t ids[USES_MOST];
};

static enum poly_status
open_part(const struct state *it, struct part *part, bool sets, struct poly_error *error)
{
	if (it->sample)
		return shards_new(it->sample, LINES_MOST, &part->shards, error);
	enum poly_status status = dense_init(&part->dense, LINES_MOST, error);
	if (status == POLY_OK)
		status = stack_distance_new(&part->distance, error);
	if (status == POLY_OK && sets)
		status = all_associativity_new(0, SETS_MOST, &part->all, error);
	return status;
}

static enum poly_status
mrc_init(void *state, const struct analysis_setup *setup, struct poly_error *error)
{
	struct state *it = state;
	const uint64_t line = setup->values[OPTION_LINE];
	enum poly_status status = POLY_OK;
	if (line & (line - 1))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option 'mrc.line' is %llu bytes, a power of two is needed",
			(unsigned long long)line);
	it->line_shift = (unsigned)__builtin_ctzll(line);
	it->sample = (unsigned)setup->values[OPTION_SAMPLE];
	for (int i = 0; i < PARTS && status == POLY_OK; i++)
		status = open_part(it, &it->parts[i], setup->values[OPTION_SETS], error);
	return status;
}

static enum poly_status
run_exact(struct state *it, struct part *part, size_t count, bool counts)
{
	enum poly_status status = dense_find(&part->dense, it->lines, count, it->ids, NULL);
	if (status != POLY_OK)
		return status;
	stack_distance_counting(part->distance, counts);
	if (part->all) {
		all_associativity_counting(part->all, counts);
		all_associativity_run(part->all, it->lines, it->ids, count);
	}
	return stack_distance_run(part->distance, it->ids, count, part->dense.count, NULL);
}

/* The uses that are fetches, or those that are not; false: no memory. */
static bool
run_part(struct state *it, int number, bool counts)
{
	struct part *part = &it->parts[number];
	enum poly_status status;
	size_t count = 0;
	if (part->full)
		return true;
	for (size_t i = 0; i < it->uses.count; i++) {
		it->lines[count] = it->uses.addresses[i] >> it->line_shift;
		count += (it->uses.kinds[i] == CACHE_FETCH) == (number == INSTRUCTIONS);
	}
	if (it->sample) {
		shards_counting(part->shards, counts);
		status = shards_run(part->shards, it->lines, count, NULL);
	} else {
		status = run_exact(it, part, count, counts);
	}
	part->full = status == POLY_ERR_LIMIT;
	part->uses += counts && !part->full ? count : 0;
	return status == POLY_OK || part->full;
}

static bool
mrc_update(void *state, const struct analysis_rows *rows)
{
	struct state *it = state;
	uses_find(&it->uses, rows->batch, USES_ALL);
	return run_part(it, DATA, rows->counts) && run_part(it, INSTRUCTIONS, rows->counts);
}

static double
percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static const struct {
	const char *uses, *percent, *least, *most, *uses_title, *percent_title, *least_title,
		*most_title, *misses, *misses_title;
} words[PARTS] = {
	[DATA] = {"data_uses", "data_percent", "data_least", "data_most", "Reads and writes",
		"Data missed", "At least", "At most", "data_misses", "Data misses"},
	[INSTRUCTIONS] = {"code_uses", "code_percent", "code_least", "code_most", "Fetches",
		"Fetches missed", "At least", "At most", "code_misses", "Fetch misses"},
};

static void
open_curve(const struct state *it, struct poly_report *report)
{
	struct poly_plot plot = POLY_PLOT_INIT;
	poly_report_table(report, "sizes", "Fully associative caches");
	poly_report_column(report, "size", "Size", true);
	poly_report_unit(report, "bytes");
	for (int i = 0; i < PARTS; i++) {
		if (!it->sample)
			poly_report_column(
				report, words[i].misses, words[i].misses_title, true);
		poly_report_column(report, words[i].percent, words[i].percent_title, true);
		poly_report_unit(report, "%");
		plot.y[i] = words[i].percent;
		if (!it->sample)
			continue;
		poly_report_column(report, words[i].least, words[i].least_title, true);
		poly_report_unit(report, "%");
		poly_report_column(report, words[i].most, words[i].most_title, true);
		poly_report_unit(report, "%");
	}
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y_title = "Missed";
	plot.y_unit = "%";
	plot.log_x = true;
	poly_report_plot(report, &plot);
}

/* What misses in so many lines; whether more lines would change it. */
static bool
report_size(const struct state *it, uint64_t lines, struct poly_report *report)
{
	bool more = false;
	poly_report_cell_count(report, lines << it->line_shift);
	for (int i = 0; i < PARTS; i++) {
		const struct part *part = &it->parts[i];
		if (it->sample) {
			struct shards_ratio ratio, last;
			shards_ratio(part->shards, lines, &ratio);
			shards_ratio(part->shards, UINT64_MAX, &last);
			poly_report_cell_real(report, 100 * ratio.mean, 3);
			poly_report_cell_real(report, 100 * ratio.least, 3);
			poly_report_cell_real(report, 100 * ratio.most, 3);
			more |= ratio.mean > last.mean;
			continue;
		}
		const uint64_t misses = stack_distance_misses(part->distance, lines);
		poly_report_cell_count(report, misses);
		poly_report_cell_real(report, percent(misses, part->uses), 3);
		more |= misses > stack_distance_first(part->distance);
	}
	return more;
}

/* Data caches of all numbers of sets and ways. */
static void
report_sets(const struct state *it, struct poly_report *report)
{
	const struct part *part = &it->parts[DATA];
	struct poly_plot plot = POLY_PLOT_INIT;
	if (!part->all)
		return;
	poly_report_table(report, "sets", "Data caches of sets and ways");
	poly_report_column(report, "sets", "Sets", true);
	poly_report_column(report, "ways", "Ways", true);
	poly_report_column(report, "size", "Size", true);
	poly_report_unit(report, "bytes");
	poly_report_column(report, "misses", "Misses", true);
	poly_report_column(report, "percent", "Missed", true);
	poly_report_unit(report, "%");
	plot.kind = POLY_PLOT_CURVE;
	plot.x = "size";
	plot.y[0] = "percent";
	plot.series = "sets";
	plot.log_x = true;
	poly_report_plot(report, &plot);
	for (unsigned bits = 0; bits <= SETS_MOST; bits++) {
		for (unsigned ways = 1; ways <= ALL_ASSOCIATIVITY_WAYS; ways++) {
			const uint64_t misses = all_associativity_misses(part->all, bits, ways);
			poly_report_cell_count(report, (uint64_t)1 << bits);
			poly_report_cell_count(report, ways);
			poly_report_cell_count(
				report, (uint64_t)ways << bits << it->line_shift);
			poly_report_cell_count(report, misses);
			poly_report_cell_real(report, percent(misses, part->uses), 3);
		}
	}
	poly_report_end(report);
}

static void
mrc_report(const void *state, const struct ops *ops, struct poly_report *report)
{
	const struct state *it = state;
	(void)ops;
	poly_report_count(
		report, "line_bytes", "Lines have", (uint64_t)1 << it->line_shift, "bytes");
	for (int i = 0; i < PARTS; i++)
		poly_report_count(
			report, words[i].uses, words[i].uses_title, it->parts[i].uses, NULL);
	poly_report_bool(report, "complete", "Complete",
		!it->parts[DATA].full && !it->parts[INSTRUCTIONS].full);
	open_curve(it, report);
	/* Samples do not tell smaller sizes apart. */
	uint64_t lines = it->sample ? UINT64_C(4) << it->sample : 1;
	while (report_size(it, lines, report) && lines < UINT64_C(1) << 40)
		lines *= 2;
	poly_report_end(report);
	report_sets(it, report);
}

static void
mrc_fini(void *state)
{
	struct state *it = state;
	for (int i = 0; i < PARTS; i++) {
		dense_fini(&it->parts[i].dense);
		stack_distance_free(it->parts[i].distance);
		all_associativity_free(it->parts[i].all);
		shards_free(it->parts[i].shards);
	}
}

static const struct poly_option options[] = {
	[OPTION_LINE] = {"mrc.line", POLY_OPTION_NUMBER, POLY_OPTION_READ, 64, 1,
		(uint64_t)1 << 30, NULL, "bytes of a line, a power of two", NULL},
	[OPTION_SAMPLE] = {"mrc.sample", POLY_OPTION_NUMBER, POLY_OPTION_READ, 0, 0,
		SHARDS_MOST, NULL,
		"take eight samples of one of 2^N lines, N from 3 on; 0: all lines", NULL},
	[OPTION_SETS] = {"mrc.sets", POLY_OPTION_BOOL, POLY_OPTION_READ, 0, 0, 1, NULL,
		"tell of data caches of 1 to 8192 sets and 1 to 16 ways, too; not of samples",
		NULL},
	{0}};

const struct analysis analysis_mrc = {
	.info = {.name = "mrc",
		.title = "Miss ratios by size",
		.summary = "misses of lru caches of all sizes, exactly or from samples",
		.is_simulation = true,
		.needs = POLY_HAS(kind),
		.wants = USES_COLUMNS,
		.options = options},
	.has_context = true,
	.state_size = sizeof(struct state),
	.suits = uses_suit,
	.init = mrc_init,
	.update = mrc_update,
	.report = mrc_report,
	.fini = mrc_fini,
};
