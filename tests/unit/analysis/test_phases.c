/* SPDX-License-Identifier: MIT */
/* Clusters of points, bins of gaps, and the files of phases with their errors. */
#include "trace_help.h"

#include "analysis/facts/cluster.h"
#include "analysis/stats/system/events.h"

#include <errno.h>

static void
equal_points_are_one_group(void **state)
{
	static const struct cluster_point points[20];
	struct clusters clusters;
	(void)state;
	assert_true(clusters_find(&clusters, points, 20, 10, 5));
	assert_int_equal(clusters.k, 1);
	assert_int_equal(clusters.tried, 10);
	for (size_t i = 0; i < 20; i++)
		assert_int_equal(clusters.group[i], 0);
	clusters_fini(&clusters);
}

static void
one_point_is_one_group(void **state)
{
	static const struct cluster_point point = {{1, 2, 3}};
	struct clusters clusters;
	(void)state;
	assert_true(clusters_find(&clusters, &point, 1, CLUSTER_MAX, 1));
	assert_int_equal(clusters.k, 1);
	assert_memory_equal(&clusters.centers[0], &point, sizeof point);
	clusters_fini(&clusters);
}

static void
separate_groups_are_found_and_numbered_by_first_point(void **state)
{
	static const uint32_t expected[12] = {0, 1, 1, 2, 0, 2, 1, 0, 2, 2, 1, 0};
	struct cluster_point points[12];
	struct clusters clusters;
	(void)state;
	memset(points, 0, sizeof points);
	for (size_t i = 0; i < 12; i++) {
		points[i].x[0] = 100.0 * (2 - expected[i]);
		points[i].x[7] = 0.01 * (double)(i % 3);
	}
	assert_true(clusters_find(&clusters, points, 12, 6, 5));
	assert_int_equal(clusters.k, 3);
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(clusters.group[i], expected[i]);
	clusters_fini(&clusters);
}

static void
random_numbers_are_those_of_splitmix64(void **state)
{
	/* The output of the reference implementation (S. Vigna, prng.di.unimi.it). */
	uint64_t seed = 1234567;
	(void)state;
	assert_true(cluster_random(&seed) == 6457827717110365317u);
	assert_true(cluster_random(&seed) == 3203168211198807973u);
	assert_true(cluster_random(&seed) == 9817491932198370423u);
}

static void
gaps_are_binned_by_their_upper_digits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < EVENTS_GAPS; i++) {
		const uint64_t gap = events_gap_min(i);
		assert_int_equal(events_gap(gap), i);
		if (i)
			assert_int_equal(events_gap(gap - 1), i - 1);
	}
	assert_int_equal(events_gap(UINT64_MAX), EVENTS_GAPS - 1);
	assert_int_equal(events_gap(255), 255);
	assert_int_equal(events_gap(257), events_gap(256));
}

/* Returns the results of analyses with options for a trace of 90 instructions. */
static struct poly_stats *
analyse(const char *const *analyses, const char *const *options)
{
	struct buf bytes = load_sample("amber/thread_001.tt6");
	struct poly_reader *reader = open_bytes(&bytes, "tt6", NULL, false);
	struct poly_stats_options stats_options = POLY_STATS_OPTIONS_INIT;
	const struct poly_batch *batch;
	struct poly_stats *stats;
	struct poly_error error;
	stats_options.analyses = analyses;
	stats_options.options = options;
	if (poly_stats_new(&stats_options, &stats, &error) != POLY_OK)
		fail_msg("%s", error.message);
	assert_int_equal(poly_stats_begin(stats, poly_reader_info(reader), &error), POLY_OK);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_stats_columns(stats)},
		NULL);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		assert_int_equal(poly_stats_update(stats, batch, &error), POLY_OK);
	poly_reader_close(reader);
	buf_free(&bytes);
	return stats;
}

static const char *const by_phases[] = {"phases", NULL};
static const char *const with_vectors[] = {"phases.interval=30", "phases.vectors=1", NULL};

static void
files_need_their_analysis(void **state)
{
	static const char *const by_mix[] = {"mix", NULL};
	struct poly_stats *stats = analyse(by_mix, NULL);
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	struct poly_error error;
	(void)state;
	assert_int_equal(
		poly_stats_write(stats, "phases", "weights", &sink, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message,
		"no analysis 'phases' in the results; select it in options.analyses");
	poly_stats_free(stats);
	stats = analyse(by_phases, NULL);
	assert_int_equal(
		poly_stats_write(stats, "phases", "vectors", &sink, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message,
		"no basic-block vectors in the results; set the option phases.vectors=1");
	assert_int_equal(
		poly_stats_write(stats, "phases", "simpoints", &sink, &error), POLY_OK);
	assert_int_equal(out.size, 0);
	poly_stats_free(stats);
	buf_free(&out);
}

static const char *const outputs[] = {"vectors", "simpoints", "weights"};

static void
vectors_count_every_instruction_of_their_intervals(void **state)
{
	struct poly_stats *stats = analyse(by_phases, with_vectors);
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	struct poly_error error;
	(void)state;
	assert_int_equal(poly_stats_write(stats, "phases", "vectors", &sink, &error), POLY_OK);
	size_t lines = 0;
	for (char *line = strtok((char *)(uintptr_t)buf_text(&out), "\n"); line;
		line = strtok(NULL, "\n"), lines++) {
		unsigned long block, count, sum = 0;
		int n;
		assert_int_equal(*line++, 'T');
		for (; sscanf(line, ":%lu:%lu %n", &block, &count, &n) == 2; line += n)
			sum += count;
		assert_int_equal(*line, 0);
		assert_int_equal(sum, 30);
	}
	assert_int_equal(lines, 3);
	poly_stats_free(stats);
	buf_free(&out);
}

static void
failures_of_a_sink_are_reported(void **state)
{
	struct poly_stats *stats = analyse(by_phases, with_vectors);
	const struct poly_sink sink = {refuse, NULL};
	struct poly_error error;
	(void)state;
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
		assert_int_equal(poly_stats_write(stats, "phases", outputs[i], &sink, &error),
			POLY_ERR_IO);
		assert_int_equal(error.sys_errno, ENOSPC);
	}
	poly_stats_free(stats);
}

/* An output of phases. */
struct writing {
	const struct poly_stats *stats;
	const char *output;
};

static enum poly_status
write_output(void *context)
{
	const struct writing *writing = context;
	size_t bytes = 0;
	const struct poly_sink sink = {count_bytes, &bytes};
	struct poly_error error;
	return poly_stats_write(writing->stats, "phases", writing->output, &sink, &error);
}

static void
out_of_memory_is_reported(void **state)
{
	struct poly_stats *stats = analyse(by_phases, with_vectors);
	(void)state;
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		assert_true(law_memory(write_output, &(struct writing){stats, outputs[i]}) > 0);
	poly_stats_free(stats);
}

/* Adds a trace whose rows have these digits as times, "-" for none. */
static void
add_times(struct poly_stats *stats, const char *times)
{
	struct buf text = bytes_of("{\"polytrace\":\"trace\",\"version\":1,"
				   "\"columns\":[\"kind\",\"record\",\"time\"],"
				   "\"records\":[\"at\"]}\n");
	const struct poly_batch *batch;
	for (; *times; times++) {
		buf_string(&text, "{\"kind\":\"event\",\"record\":\"at\"");
		if (*times != '-')
			buf_printf(&text, ",\"time\":%c", *times);
		buf_string(&text, "}\n");
	}
	struct poly_reader *reader = open_bytes(&text, "jsonl", NULL, false);
	assert_int_equal(poly_stats_begin(stats, poly_reader_info(reader), NULL), POLY_OK);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		assert_int_equal(poly_stats_update(stats, batch, NULL), POLY_OK);
	poly_reader_close(reader);
	buf_free(&text);
}

/* Returns the results for traces with these times. */
static struct poly_stats *
results_of(const char *const *traces)
{
	const char *names[] = {"events", NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	options.analyses = names;
	assert_int_equal(poly_stats_new(&options, &stats, NULL), POLY_OK);
	for (; *traces; traces++)
		add_times(stats, *traces);
	return stats;
}

/* Checks the numbers of gaps and of backward times in a report. */
static void
expect_gaps(const struct poly_stats *stats, const char *expected)
{
	struct buf printed = {0};
	const struct poly_sink sink = {collect, &printed};
	struct poly_report *report = poly_report_new();
	poly_stats_report(stats, NULL, report);
	assert_int_equal(
		poly_report_render(report, POLY_RENDER_JSON_LINE, &sink, NULL), POLY_OK);
	if (!strstr(buf_text(&printed), expected))
		fail_msg("%s, expected %s", buf_text(&printed), expected);
	poly_report_free(report);
	buf_free(&printed);
}

static void
gaps_do_not_extend_over_traces(void **state)
{
	(void)state;
	const struct {
		const char *slices[4][4], *gaps;
	} cases[] = {
		/* Slices of one trace: 1 3, 4 6, 9. */
		{{{"13"}, {"46"}, {"9"}, {""}}, "\"gaps\": 4, \"backward_times\": 0,"},
		/* The slice in between has no times. */
		{{{"13"}, {"--"}, {"9"}, {""}}, "\"gaps\": 2, \"backward_times\": 0,"},
		/* The first trace ends in the second slice, which has none of its times. */
		{{{"13"}, {"", "46"}, {"9"}, {""}}, "\"gaps\": 3, \"backward_times\": 0,"},
		/* Nor of the next trace, which the third slice continues. */
		{{{"13"}, {"", "--"}, {"91"}, {""}}, "\"gaps\": 1, \"backward_times\": 1,"},
		/* The second trace ends there, too. */
		{{{"13"}, {"4", "5", "-"}, {"8"}, {""}}, "\"gaps\": 2, \"backward_times\": 0,"},
		{{{""}, {"-", "57"}, {"8"}, {""}}, "\"gaps\": 2, \"backward_times\": 0,"},
		/* The first trace ends in the third slice, before any other time. */
		{{{"13"}, {"-"}, {"-", "-"}, {"57"}}, "\"gaps\": 2, \"backward_times\": 0,"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (unsigned from_right = 0; from_right < 2; from_right++) {
			struct poly_stats *slices[4];
			for (unsigned k = 0; k < 4; k++)
				slices[k] = results_of(cases[i].slices[k]);
			for (unsigned k = 1 + from_right; k < 4; k++)
				assert_int_equal(
					poly_stats_merge(slices[from_right], slices[k], NULL),
					POLY_OK);
			if (from_right)
				assert_int_equal(
					poly_stats_merge(slices[0], slices[1], NULL), POLY_OK);
			expect_gaps(slices[0], cases[i].gaps);
			for (unsigned k = 0; k < 4; k++)
				poly_stats_free(slices[k]);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_points_are_one_group),
		cmocka_unit_test(one_point_is_one_group),
		cmocka_unit_test(separate_groups_are_found_and_numbered_by_first_point),
		cmocka_unit_test(random_numbers_are_those_of_splitmix64),
		cmocka_unit_test(gaps_are_binned_by_their_upper_digits),
		cmocka_unit_test(files_need_their_analysis),
		cmocka_unit_test(vectors_count_every_instruction_of_their_intervals),
		cmocka_unit_test(failures_of_a_sink_are_reported),
		cmocka_unit_test(out_of_memory_is_reported),
		cmocka_unit_test(gaps_do_not_extend_over_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
