/* SPDX-License-Identifier: MIT */
/*
 * Laws that every analysis must satisfy, on every sample that it supports. TAP.
 *
 * usage: analyses ROOT SAMPLES [threads]: all laws, or those that start threads; SAMPLES: the
 * list of samples, as for laws
 */
#include "analysis_law.h"

#include "../sampling.h"

#include <string.h>

/* Maximum number of merges of a sample. */
#define MERGES 60

/* One of this number of merges is of two traces. */
#define MERGES_PER_TWO_TRACES 6

/* Returns a random border of a part that begins at a row: some parts have one row or none. */
static uint64_t
random_border(uint64_t from, uint64_t rows)
{
	const uint64_t left = rows - from;
	switch (random_below(4)) {
	case 0: return from + (left ? random_below(2) : 0);
	case 1: return from + random_below((left < 40 ? left : 40) + 1);
	default: return from + random_below(left + 1);
	}
}

/* Makes a plan of parts with random borders. */
static struct merge_plan
random_plan(const struct sample *sample, uint64_t number)
{
	struct merge_plan plan = {.parts = 2 + (size_t)random_below(PARTS_MAX - 1),
		.order = (enum merge_order)(number % 4),
		.traces = 1};
	if (number % MERGES_PER_TWO_TRACES == 0) {
		plan = (struct merge_plan){.parts = 4,
			.cuts = {random_border(0, sample->rows), sample->rows,
				random_border(sample->rows, 2 * sample->rows)},
			.order = number % 4 ? MERGE_FROM_LEFT : MERGE_BALANCED,
			.traces = 2};
		return plan;
	}
	for (size_t i = 0; i + 1 < plan.parts; i++)
		plan.cuts[i] = random_border(i ? plan.cuts[i - 1] : 0, sample->rows);
	return plan;
}

/* Prints a plan as a comment. */
static void
describe_plan(const struct merge_plan *plan)
{
	printf("# order %d of %llu traces,%s cut at", (int)plan->order,
		(unsigned long long)plan->traces, plan->saves ? " saved," : "");
	for (size_t i = 0; i + 1 < plan->parts; i++)
		printf(" %llu", (unsigned long long)plan->cuts[i]);
	printf("\n");
}

static bool
law_merge(const struct sample *sample)
{
	const struct feeding feeding = {.every_column = false};
	struct buf whole[2] = {{0}, {0}}, merged = {0};
	bool good = true;
	for (uint64_t i = 0; good && sample->parts[0] && i < 2; i++)
		good = report_merged(sample, &(struct merge_plan){.parts = 1, .traces = i + 1},
			       &feeding, &whole[i]) == POLY_OK;
	seed_random(1);
	for (uint64_t i = 0; good && sample->parts[0] && i < MERGES; i++) {
		struct merge_plan plan = random_plan(sample, i);
		plan.saves = i % 4 < 2;
		if (!sample_takes())
			continue;
		good = report_merged(sample, &plan, &feeding, &merged) == POLY_OK &&
		       is_same(&merged, &whole[plan.traces - 1], "merge", i);
		if (!good)
			describe_plan(&plan);
	}
	buf_free(&whole[0]);
	buf_free(&whole[1]);
	buf_free(&merged);
	return good;
}

static bool
law_batches(const struct sample *sample)
{
	static const size_t sizes[] = {1, 7, 64, 1000, 4095};
	struct feeding feeding = {.every_column = false};
	struct buf whole = {0}, other = {0};
	report_whole(sample, sample->names, 1, &feeding, &whole);
	bool good = true;
	for (size_t i = 0; good && i < sizeof sizes / sizeof *sizes; i++) {
		feeding.rows = sizes[i];
		good = report_whole(sample, sample->names, 1, &feeding, &other) == POLY_OK &&
		       is_same(&other, &whole, "batches of", sizes[i]);
	}
	buf_free(&whole);
	buf_free(&other);
	return good;
}

static bool
law_projection(const struct sample *sample)
{
	struct feeding feeding = {.every_column = false};
	struct buf some = {0}, all = {0};
	report_whole(sample, sample->names, 1, &feeding, &some);
	feeding.every_column = true;
	const bool good = report_whole(sample, sample->names, 1, &feeding, &all) == POLY_OK &&
			  is_same(&some, &all, "of the requested columns,", 0);
	buf_free(&some);
	buf_free(&all);
	return good;
}

static bool
law_threads(const struct sample *sample)
{
	static const unsigned threads[] = {1, 2, 3, 8};
	const struct feeding feeding = {.rows = 500};
	struct buf one = {0}, many = {0};
	report_whole(sample, sample->names, 1, &feeding, &one);
	bool good = true;
	for (size_t i = 0; good && i < sizeof threads / sizeof *threads; i++)
		good = report_whole(sample, sample->names, threads[i], &feeding, &many) ==
			       POLY_OK &&
		       is_same(&many, &one, "threads", threads[i]);
	buf_free(&one);
	buf_free(&many);
	return good;
}

/* Threads that analyse blocks of rows as parts of a trace, or of two. */
static bool
law_blocks(const struct sample *sample)
{
	static const unsigned threads[] = {4, 5, 8};
	struct buf one = {0}, many = {0};
	bool good = true;
	for (size_t i = 0; good && i < 6; i++) {
		const struct feeding feeding = {.rows = 1 + (size_t)random_below(90),
			.block_rows = 1 + (size_t)random_below(200),
			.twice = i >= 3};
		if (i % 3 == 0)
			report_whole(sample, sample->parts, 1,
				&(struct feeding){.twice = feeding.twice}, &one);
		good = report_whole(sample, sample->parts, threads[i % 3], &feeding, &many) ==
			       POLY_OK &&
		       is_same(&many, &one, "blocks of rows by threads", threads[i % 3]);
	}
	buf_free(&one);
	buf_free(&many);
	return good;
}

/* Reports a single analysis with options, on the given number of threads. */
static enum poly_status
report_alone(const struct sample *sample, const char *const *words, unsigned threads,
	struct buf *out)
{
	const struct feeding feeding = {.rows = 500};
	const char *const names[] = {words[0], NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	options.analyses = names;
	options.options = words + 1;
	options.threads = threads;
	return report_options(sample, options, &feeding, out);
}

/* Machines that threads simulate in parallel have the same results as in sequence. */
static bool
law_machines(const struct sample *sample)
{
	static const char *const words[][4] = {
		{"cache", "cache.sweep=size=1k..64k,ways=1,2,4,policy=lru,random", NULL},
		{"cache", "cache.sweep=size=1k,2k", "cache.causes=0", NULL},
		{"branch", "branch.sweep=3..12", "branch.budget=8..12", NULL},
		{"pipeline", "pipeline.sweep=width=1,2,4,cache=0,4096,model=inorder,ooo", NULL},
	};
	struct buf one = {0}, many = {0};
	bool good = true;
	for (size_t i = 0; good && i < sizeof words / sizeof *words; i++) {
		size_t name = 0;
		while (sample->names[name] && strcmp(sample->names[name], words[i][0]) != 0)
			name++;
		if (!sample->names[name])
			continue;
		good = report_alone(sample, words[i], 1, &one) == POLY_OK ||
		       fails("%s has no report", words[i][1]);
		for (unsigned threads = 2; good && threads <= 8; threads *= 2)
			good = report_alone(sample, words[i], threads, &many) == POLY_OK &&
			       is_same(&many, &one, words[i][0], threads);
	}
	buf_free(&one);
	buf_free(&many);
	return good;
}

/* The results of an analysis do not depend on other requested ones. */
static bool
law_company(const struct sample *sample)
{
	const struct feeding feeding = {.every_column = false};
	struct buf all = {0}, one = {0};
	report_whole(sample, sample->names, 1, &feeding, &all);
	bool good = true;
	for (size_t i = 0; good && sample->names[i]; i++) {
		const char *names[] = {sample->names[i], NULL};
		good = report_whole(sample, names, 1, &feeding, &one) == POLY_OK;
		/* {"name": ...}\n without the outer braces */
		if (good && one.size > 3) {
			one.data[one.size - 2] = 0;
			good = strstr(buf_text(&all), (char *)one.data + 1) ||
			       fails("%s alone: %.400s", names[0], (char *)one.data);
		}
	}
	buf_free(&all);
	buf_free(&one);
	return good;
}

/* Reports all analyses without any row. */
static bool
report_none(const struct sample *sample, struct buf *out)
{
	struct poly_error error = {0};
	struct poly_stats *stats = NULL;
	struct poly_reader *reader;
	enum poly_status status = open_sample(sample, &reader, &error);
	if (status == POLY_OK)
		status = new_run(sample->names, 1, &stats, &error);
	if (status == POLY_OK)
		status = poly_stats_begin(stats, poly_reader_info(reader), &error);
	if (status == POLY_OK)
		status = render(stats, out, &error);
	poly_stats_free(stats);
	poly_reader_close(reader);
	return status == POLY_OK || fails("status %d: %s", status, error.message);
}

/* Warm-up and sampling units may end anywhere in a batch. */
static bool
law_borders(const struct sample *sample)
{
	static const size_t sizes[] = {1, 7, 64, 1000};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct feeding feeding = {.every_column = false};
	struct buf whole = {0}, other = {0};
	options.warmup = sample->rows / 3;
	options.unit = 3;
	options.period = 10;
	bool good = report_options(sample, options, &feeding, &whole) == POLY_OK;
	for (size_t i = 0; good && i < sizeof sizes / sizeof *sizes; i++) {
		feeding.rows = sizes[i];
		good = report_options(sample, options, &feeding, &other) == POLY_OK &&
		       is_same(&other, &whole, "batches of", sizes[i]);
	}
	buf_free(&whole);
	buf_free(&other);
	return good;
}

/* After a warm-up as long as the trace or longer, the report is that of an empty trace. */
static bool
law_warm_up(const struct sample *sample)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	const struct feeding feeding = {.every_column = false};
	struct buf all = {0}, more = {0};
	options.warmup = sample->rows;
	bool good = report_options(sample, options, &feeding, &all) == POLY_OK;
	options.warmup = UINT64_MAX;
	good = good && report_options(sample, options, &feeding, &more) == POLY_OK &&
	       is_same(&more, &all, "a longer warm-up", 0) && report_none(sample, &more) &&
	       is_same(&all, &more, "a warm-up as long as the trace", 0);
	buf_free(&all);
	buf_free(&more);
	return good;
}

static bool
law_empty(const struct sample *sample)
{
	struct buf report = {0};
	const bool good = report_none(sample, &report);
	buf_free(&report);
	return good;
}

/* Maximum number of statistics and queries that are not merged. */
#define ORDERED_MAX 3

/* Few statistics and queries depend on the order of all records; simulators share one reason.
 */
static void
expect_merges(void)
{
	const struct analysis *analysis;
	size_t ordered = 0;
	bool good = true;
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		const char *reason = poly_analysis_ordered(analysis->info.name);
		if (analysis->merge && !analysis->transfer)
			good = fails("%s is merged, but not saved", analysis->info.name);
		if (!reason)
			continue;
		if (analysis->info.kind == POLY_ANALYSIS_STATISTIC ||
			analysis->info.kind == POLY_ANALYSIS_QUERY)
			ordered++;
		else
			good = good && strcmp(reason, ORDERED_MACHINE) == 0;
	}
	if (ordered > ORDERED_MAX)
		good = fails("%zu statistics and queries are ordered", ordered);
	law_result(good, "few_analyses_depend_on_the_order_of_all_records", "registry");
}

static const struct {
	const char *name;
	analysis_law *holds;
	bool threads; /* starts threads */
} laws[] = {
	{"merged_parts_report_the_same_as_one_run", law_merge, false},
	{"batches_change_nothing", law_batches, false},
	{"columns_that_are_not_requested_change_nothing", law_projection, false},
	{"threads_change_nothing", law_threads, true},
	{"blocks_change_nothing", law_blocks, true},
	{"decoders_change_nothing", law_decoders, true},
	{"threads_that_load_segments_change_nothing", law_segments, true},
	{"machines_do_not_depend_on_threads", law_machines, true},
	{"other_analyses_change_nothing", law_company, false},
	{"an_empty_trace_has_a_report", law_empty, false},
	{"units_may_end_within_batches", law_borders, false},
	{"nothing_is_counted_while_warming_up", law_warm_up, false},
	{"weighted_rows_report_the_same_as_single_records", law_weights, false},
	{"outputs_do_not_depend_on_batches", law_outputs, false},
	{"lack_of_memory_is_reported", law_lack_of_memory, false},
};

/* Counts the rows, and finds the supporting analyses; false: unreadable in this build. */
static bool
prepare(struct sample *sample)
{
	struct poly_reader *reader;
	const struct poly_batch *batch;
	const struct analysis *analysis;
	size_t names = 0, parts = 0, weighted = 0;
	if (open_sample(sample, &reader, NULL) != POLY_OK)
		return fails("not in this build");
	for (size_t i = 0; (analysis = analysis_at(i)) && names < NAMES_MAX; i++) {
		const char *one[] = {analysis->info.name, NULL};
		struct poly_stats *stats;
		if (new_run(one, 1, &stats, NULL) != POLY_OK)
			continue;
		if (poly_stats_begin(stats, poly_reader_info(reader), NULL) == POLY_OK) {
			sample->names[names++] = one[0];
			if (analysis->merge)
				sample->parts[parts++] = one[0];
			if (analysis->update_weighted)
				sample->weighted[weighted++] = one[0];
		}
		poly_stats_free(stats);
	}
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		sample->rows += batch->rows;
	poly_reader_close(reader);
	return true;
}

static void
try_sample(struct sample *sample, bool threads)
{
	if (!prepare(sample)) {
		law_skip("all", sample->name.path);
		return;
	}
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
		if ((threads && !laws[i].threads) || !sample_takes_share(LAWS_SHARE))
			continue;
		fails("no result");
		law_result(laws[i].holds(sample), laws[i].name, sample->name.path);
	}
}

int
main(int argc, char **argv)
{
	const bool threads = argc == 4 && strcmp(argv[3], "threads") == 0;
	FILE *list = argc == 3 || threads ? fopen(argv[2], "r") : NULL;
	struct listed_sample name;
	if (!list) {
		fprintf(stderr, "usage: analyses ROOT SAMPLES [threads]\n");
		return 2;
	}
	while (next_sample(list, &name)) {
		struct sample sample = {.name = name};
		snprintf(sample.path, sizeof sample.path, "%s/tests/data/%s", argv[1],
			name.path);
		try_sample(&sample, threads);
	}
	fclose(list);
	if (!threads)
		expect_merges();
	if (threads && sample_is_complete())
		expect_decoders();
	if (!threads && sample_is_complete()) {
		expect_weights();
		expect_outputs();
	}
	return law_end();
}
