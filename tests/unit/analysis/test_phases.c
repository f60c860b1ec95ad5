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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
