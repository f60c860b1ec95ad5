/* SPDX-License-Identifier: MIT */
/* Logs and diagrams of pipelines, against texts worked by hand. */
#include "test_help.h"

#include <errno.h>

#include "sim/pipeline/kanata.h"
#include "sim/pipeline/pipeline_svg.h"

static const struct pipeline_times two[] = {{7, 8, 11, 11}, {7, 9, 10, 12}};

static const struct pipeline_slice pair = {
	two, (const char *const[]){"LOAD\t<r1>", "ADD & \xff"}, 2, 100};

static void
a_log_has_its_commands_in_the_order_of_cycles(void **state)
{
	struct buf out = {0};
	(void)state;
	assert_int_equal(kanata_append(&pair, &out, NULL), POLY_OK);
	assert_string_equal(buf_text(&out), "Kanata\t0004\n"
					    "C=\t7\n"
					    "I\t0\t100\t0\n"
					    "L\t0\t0\t100: LOAD <r1>\n"
					    "S\t0\t0\tF\n"
					    "I\t1\t101\t0\n"
					    "L\t1\t0\t101: ADD & \xff\n"
					    "S\t1\t0\tF\n"
					    "C\t1\n"
					    "E\t0\t0\tF\n"
					    "S\t0\t0\tX\n"
					    "C\t1\n"
					    "E\t1\t0\tF\n"
					    "S\t1\t0\tX\n"
					    "C\t1\n"
					    "E\t1\t0\tX\n"
					    "S\t1\t0\tC\n"
					    "C\t1\n"
					    "E\t0\t0\tX\n"
					    "R\t0\t100\t0\n"
					    "C\t1\n"
					    "E\t1\t0\tC\n"
					    "R\t1\t101\t0\n");
	buf_free(&out);
}

static void
an_empty_log_has_its_head(void **state)
{
	struct buf out = {0};
	(void)state;
	assert_int_equal(
		kanata_append(&(struct pipeline_slice){.first = 1}, &out, NULL), POLY_OK);
	assert_string_equal(buf_text(&out), "Kanata\t0004\nC=\t0\n");
	buf_free(&out);
}

/* How often a word stands in a text. */
static size_t
count(const char *text, const char *word)
{
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		n++;
	return n;
}

/*
 * Two, three and one square of the first: 18 units a cycle, less 2 between stages; 19
 * characters of the head are longer than the labels, and need 8 units each, and 18 more.
 */
static void
a_diagram_has_a_bar_for_each_stage(void **state)
{
	struct buf out = {0};
	(void)state;
	assert_int_equal(pipeline_svg_append(&pair, &out, NULL), POLY_OK);
	const char *text = buf_text(&out);
	/* One of each is the legend. */
	assert_int_equal(count(text, "<rect class=\"F\""), 3);
	assert_int_equal(count(text, "<rect class=\"X\""), 3);
	assert_int_equal(count(text, "<rect class=\"C\""), 2);
	assert_non_null(strstr(text, "<rect class=\"F\" x=\"171\" y=\"49\" width=\"16\""));
	assert_non_null(strstr(text, "<rect class=\"X\" x=\"189\" y=\"49\" width=\"52\""));
	assert_non_null(strstr(text, "<rect class=\"C\" x=\"225\" y=\"67\" width=\"34\""));
	assert_non_null(strstr(text, "100 executes, cycles 8 to 10"));
	assert_non_null(strstr(text, ">100 LOAD &lt;r1&gt;</text>"));
	assert_non_null(strstr(text, ">101 ADD &amp; \xef\xbf\xbd</text>"));
	assert_non_null(strstr(text, ">10</text>"));
	buf_free(&out);
}

static void
long_labels_are_truncated_between_characters(void **state)
{
	struct buf out = {0};
	char label[100] = "";
	(void)state;
	for (size_t i = 0; i < 33; i++)
		strcat(label, "\xc3\xa4");
	const char *const labels[] = {label};
	const struct pipeline_slice slice = {two, labels, 1, 1};
	assert_int_equal(pipeline_svg_append(&slice, &out, NULL), POLY_OK);
	assert_int_equal(count(buf_text(&out), "\xc3\xa4"), 32);
	assert_non_null(strstr(buf_text(&out), "\xc3\xa4\xe2\x80\xa6</text>"));
	buf_free(&out);
}

static void
too_large_diagrams_are_rejected(void **state)
{
	struct buf out = {0};
	struct poly_error error;
	const struct pipeline_times apart[] = {{0, 1, 2, 2}, {9990, 9991, 9992, 10000}};
	const struct pipeline_slice slice = {apart, pair.labels, 2, 1};
	(void)state;
	assert_int_equal(pipeline_svg_append(&slice, &out, &error), POLY_ERR_LIMIT);
	assert_string_equal(error.message,
		"2 instructions in 10001 cycles are too many for a diagram of stages, expected "
		"at most 1000 in 10000");
	assert_int_equal(kanata_append(&(struct pipeline_slice){.n = 1048577}, &out, &error),
		POLY_ERR_LIMIT);
	assert_int_equal(out.size, 0);
}

/* An analysis with an option; NULL: out of memory. */
static struct poly_stats *
analyse(const char *analysis, const char *option)
{
	const char *const names[] = {analysis, NULL}, *const words[] = {option, NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_stats *stats;
	const struct poly_batch *batch;
	char path[4096];
	options.analyses = names;
	options.options = words;
	snprintf(path, sizeof path, "%s/tests/data/cis501/sort_1k.trace",
		getenv("POLYTRACE_ROOT"));
	if (poly_stats_new(&options, &stats, NULL) != POLY_OK)
		return NULL;
	enum poly_status status = poly_reader_open(path, &reading, &reader, NULL);
	if (status == POLY_OK)
		status = poly_stats_begin(stats, poly_reader_info(reader), NULL);
	while (status == POLY_OK &&
		(status = poly_reader_next(reader, &batch, NULL)) == POLY_OK)
		status = poly_stats_update(stats, batch, NULL);
	poly_reader_close(reader);
	if (status == POLY_END)
		return stats;
	poly_stats_free(stats);
	return NULL;
}

static void
stages_that_were_not_kept_are_rejected(void **state)
{
	struct poly_stats *stats = analyse("mix", NULL);
	const struct poly_sink sink = {refuse, NULL};
	struct poly_error error;
	(void)state;
	assert_int_equal(
		poly_stats_write(stats, "pipeline", "svg", &sink, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message,
		"no analysis 'pipeline' in the results; select it in options.analyses");
	poly_stats_free(stats);
	stats = analyse("pipeline", NULL);
	assert_int_equal(
		poly_stats_write(stats, "pipeline", "log", &sink, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "analysis 'pipeline' has no output 'log'");
	assert_int_equal(
		poly_stats_write(stats, "pipeline", "konata", &sink, &error), POLY_ERR_USAGE);
	assert_string_equal(
		error.message, "stages were not recorded; set option 'pipeline.count'");
	poly_stats_free(stats);
}

static void
the_requested_number_of_stages_is_kept(void **state)
{
	struct poly_stats *stats = analyse("pipeline", "pipeline.count=5");
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	(void)state;
	assert_int_equal(poly_stats_write(stats, "pipeline", "konata", &sink, NULL), POLY_OK);
	assert_int_equal(count(buf_text(&out), "\nI\t"), 5);
	poly_stats_free(stats);
	buf_free(&out);
}

static void
failures_of_a_sink_are_reported(void **state)
{
	struct poly_stats *stats = analyse("pipeline", "pipeline.count=5");
	const struct poly_sink sink = {refuse, NULL};
	struct poly_error error;
	(void)state;
	assert_int_equal(
		poly_stats_write(stats, "pipeline", "svg", &sink, &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, ENOSPC);
	poly_stats_free(stats);
}

static enum poly_status
write_stages(void *context)
{
	size_t bytes = 0;
	const struct poly_sink sink = {count_bytes, &bytes};
	struct poly_stats *stats = analyse("pipeline", "pipeline.count=5");
	(void)context;
	if (!stats)
		return POLY_ERR_MEMORY;
	const enum poly_status status =
		poly_stats_write(stats, "pipeline", "konata", &sink, NULL);
	poly_stats_free(stats);
	return status;
}

/* A reader does without the memory of further threads. */
static void
stages_survive_lack_of_memory(void **state)
{
	(void)state;
	law_memory_as(&(struct memory_law){.run = write_stages, .is_tolerant = true});
}

static enum poly_status
sweep(void *context)
{
	struct poly_stats *stats =
		analyse("pipeline", "pipeline.sweep=model=inorder,ooo,width=1,2");
	const enum poly_status status = stats ? POLY_OK : POLY_ERR_MEMORY;
	(void)context;
	poly_stats_free(stats);
	return status;
}

static void
sweeps_survive_lack_of_memory(void **state)
{
	(void)state;
	law_memory_as(&(struct memory_law){.run = sweep, .is_tolerant = true});
}

static enum poly_status
append_log(void *context)
{
	struct buf log = {0};
	const enum poly_status status = kanata_append(&pair, &log, NULL);
	(void)context;
	buf_free(&log);
	return status;
}

static enum poly_status
append_diagram(void *context)
{
	struct buf diagram = {0};
	const enum poly_status status = pipeline_svg_append(&pair, &diagram, NULL);
	(void)context;
	buf_free(&diagram);
	return status;
}

static void
lack_of_memory_is_reported(void **state)
{
	(void)state;
	law_memory(append_log, NULL);
	law_memory(append_diagram, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_has_its_commands_in_the_order_of_cycles),
		cmocka_unit_test(an_empty_log_has_its_head),
		cmocka_unit_test(a_diagram_has_a_bar_for_each_stage),
		cmocka_unit_test(long_labels_are_truncated_between_characters),
		cmocka_unit_test(too_large_diagrams_are_rejected),
		cmocka_unit_test(stages_that_were_not_kept_are_rejected),
		cmocka_unit_test(the_requested_number_of_stages_is_kept),
		cmocka_unit_test(failures_of_a_sink_are_reported),
		cmocka_unit_test(stages_survive_lack_of_memory),
		cmocka_unit_test(sweeps_survive_lack_of_memory),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
