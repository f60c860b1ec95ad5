/* SPDX-License-Identifier: MIT */
/*
 * Homeworks of courses through the public interface: what is found, what is refused, and what
 * goes to the sink. What the models print is tested with them; here outputs are worked by hand.
 */
#include "trace_help.h"

#include "polytrace/stats.h"

#include <errno.h>

/* Two conditional branches and what is none. */
static const char trace[] = "1 5 -1 -1 -1 R T - 0 0 7 9 J JMP_IMM\n"
			    "1 9 -1 3 44 - - L 0 1000 c 0 MOV LOAD\n"
			    "1 5 -1 -1 -1 R N - 0 0 7 9 J JMP_IMM\n";

/* Where output goes: a buffer, until a write fails. */
struct place {
	struct buf text;
	int failure; /* errno value that writes return; 0: they succeed */
};

static int
write_text(void *user, const void *data, size_t size)
{
	struct place *place = user;
	if (!place->failure)
		buf_append(&place->text, data, size);
	return place->failure;
}

/* Does a homework with a text, to its end or to the first failure. */
static enum poly_status
work(struct poly_stats *stats, const char *text, const char *format, struct poly_error *error)
{
	struct buf bytes = bytes_of(text);
	struct poly_reader *reader = open_bytes(&bytes, format, NULL, false);
	const struct poly_batch *batch;
	enum poly_status status = poly_stats_begin(stats, poly_reader_info(reader), error);
	while (status == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK)
		status = poly_stats_update(stats, batch, error);
	if (status == POLY_OK)
		status = poly_stats_finish(stats, error);
	poly_reader_close(reader);
	buf_free(&bytes);
	return status;
}

/* Creates a run of a homework that prints into place, unless that is NULL. */
static enum poly_status
new_homework(const char *name, const char *const *words, struct place *place,
	struct poly_stats **stats, struct poly_error *error)
{
	const char *const names[] = {name, NULL};
	const struct poly_sink sink = {write_text, place};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	options.analyses = names;
	options.options = words;
	options.sink = place ? &sink : NULL;
	return poly_stats_new(&options, stats, error);
}

static void
expect_output(const char *name, const char *const *words, const char *text, const char *format,
	const char *expected)
{
	struct place place = {{0}, 0};
	struct poly_stats *stats;
	assert_int_equal(new_homework(name, words, &place, &stats, NULL), POLY_OK);
	assert_int_equal(work(stats, text, format, NULL), POLY_OK);
	assert_string_equal(buf_text(&place.text), expected);
	poly_stats_free(stats);
	buf_free(&place.text);
}

static void
a_homework_prints_the_output_of_its_course(void **state)
{
	(void)state;
	expect_output("penn_hw3",
		(const char *const[]){"penn_hw3.predictor=gshare", "penn_hw3.size=1",
			"penn_hw3.history=1", NULL},
		trace, "cis501",
		"NN  N | 5  T | N  incorrect  1\nNn  T | 5  N | N  correct    1\n");
	expect_output("wustl_hw3",
		(const char *const[]){"wustl_hw3.predictor=taken", "wustl_hw3.debug=0", NULL},
		trace, "cis501",
		"Trace name  \t\t\t\t-\nBranch Predictor: \t\t\tstatic -- taken\n"
		"Instruction Limit\t\t\tnone\nProcessed 3 trace lines.\n"
		"Num Uops (micro-ops): \t\t\t3\n** static predictor, predicting taken ** \n"
		"Prediction Accuracy: 50.00% (Mis-prediction rate: 50.00%)\n");
	expect_output("sfsu_2", NULL, trace, "cis501",
		"reads = 1\nwrites = 0\naccesses = 1\nread misses = 1\nwrite misses = 0\n"
		"misses = 1\ndirty read misses = 0\ndirty write misses = 0\n"
		"bytes read from memory = 16\nbytes written to memory = 0\n"
		"access time of reads (cycles) = 81\naccess time of writes (cycles) = 0\n"
		"miss rate = 1.000000\n");
}

static void
tables_of_a_tournament_have_their_own_sizes(void **state)
{
	(void)state;
	const char *const own[] = {"penn_hw3.predictor=tournament", "penn_hw3.size=1",
		"penn_hw3.gshare-size=2", "penn_hw3.chooser-size=0", NULL};
	const char *const fair[] = {"penn_hw3.predictor=fair", "penn_hw3.size=3", NULL};
	expect_output("penn_hw3", own, trace, "cis501",
		"B NN NNNN  NN | 5  T | N  incorrect  1\n"
		"B Nn NnNN  NT | 5  N | N  correct    1\n");
	/* 2^3 counters: two of each choice, two bimodal, four with two outcomes. */
	expect_output("penn_hw3", fair, trace, "cis501",
		"BB NN NNNN  NN | 5  T | N  incorrect  1\n"
		"BB Nn NnNN  NT | 5  N | N  correct    1\n");
}

static void
the_name_of_the_trace_may_be_another(void **state)
{
	(void)state;
	expect_output("penn_hw2a",
		(const char *const[]){"penn_hw2a.trace=gcc", "penn_hw2a.debug=0", NULL}, trace,
		"cis501",
		"Trace name  \t\t\t\tgcc\nLoad Latency (cycles) \t\t\t2\n"
		"Processed 3 trace lines.\nNum Uops (micro-ops): \t\t\t3\n"
		"Num Mops (macro-ops): \t\t\t3\nTotal Execution Time (in cycles): \t3\n"
		"CPI (per uop): \t\t\t\t1.000\nIPC (per uop): \t\t\t\t1.000\n");
}

/*
 * Worked by 7.1.8: the second instruction needs what the first one loads, which takes a cycle
 * more: it waits in D until the value is bypassed from W.
 */
static void
stage_times_have_options_as_their_files_have_names(void **state)
{
	(void)state;
	const char text[] =
		"00008000\t2\t _\t_\t00000000\tL\t00001000\t4\t_\t r3\t sp\t  _\tldr r3, [sp]\n"
		"00008002\t2\t _\t_\t00000000\t_\t00000000\t0\t_\t r4\t r3\t  _\tmov r4, r3\n"
		"00008004\t2\t _\t_\t00000000\t_\t00000000\t0\t_\t r5\t r6\t  _\tmov r5, r6\n";
	const char *const words[] = {
		"penn_v2.bypass=full", "penn_v2.memlat=1", "penn_v2.predictor=perfect", NULL};
	expect_output("penn_v2", words, text, "cis501v2",
		"0 1 2 3 5 ldr r3, [sp] {}\n"
		"1 2 5 6 7 mov r4, r3 {load-use}\n"
		"2 5 6 7 8 mov r5, r6 {}\n");
}

static void
every_homework_ends_an_empty_trace(void **state)
{
	(void)state;
	const struct poly_analysis_info *info;
	size_t count = 0;
	for (size_t i = 0; (info = poly_analysis_at(i)); i++) {
		struct place place = {{0}, 0};
		const bool is_v2 = strcmp(info->name, "penn_v2") == 0;
		struct poly_stats *stats;
		if (info->kind != POLY_ANALYSIS_HOMEWORK)
			continue;
		assert_int_equal(new_homework(info->name, NULL, &place, &stats, NULL), POLY_OK);
		assert_int_equal(work(stats, "", is_v2 ? "cis501v2" : "cis501", NULL), POLY_OK);
		assert_null(strstr(buf_text(&place.text), "nan"));
		poly_stats_free(stats);
		buf_free(&place.text);
		count++;
	}
	assert_int_equal(count, 14);
}

/* The report has the lines at the end, also without a sink. */
static void
results_are_reported(void **state)
{
	(void)state;
	for (int with_sink = 0; with_sink < 2; with_sink++) {
		struct place place = {{0}, 0}, rendering = {{0}, 0};
		struct poly_report *report = poly_report_new();
		struct poly_stats *stats;
		assert_int_equal(new_homework("wustl_hw1", NULL, with_sink ? &place : NULL,
					 &stats, NULL),
			POLY_OK);
		assert_int_equal(work(stats, trace, "cis501", NULL), POLY_OK);
		poly_stats_report(stats, "wustl_hw1", report);
		assert_int_equal(poly_report_render(report, POLY_RENDER_CSV,
					 &(struct poly_sink){write_text, &rendering}, NULL),
			POLY_OK);
		assert_non_null(strstr(buf_text(&rendering.text),
			"results,  Percent of mops consisting of  1 uops: 100.0%\n"));
		poly_report_free(report);
		poly_stats_free(stats);
		buf_free(&place.text);
		buf_free(&rendering.text);
	}
}

static const struct {
	const char *name, *word, *message;
} refused[] = {
	{"penn_hw9", NULL, "options.analyses: no such analysis 'penn_hw9'"},
	{"penn_hw1", "penn_hw1.size=3", "no analysis has an option 'penn_hw1.size'"},
	{"penn_hw3", "penn_hw3.size",
		"option 'penn_hw3.size' has no value, expected 'penn_hw3.size=VALUE'"},
	{"penn_hw3", "penn_hw3.size=21",
		"option 'penn_hw3.size' is '21', expected a number from 0 to 20"},
	{"penn_hw3", "penn_hw3.predictor=taken",
		"Penn's layout does not have static predictors, expected WUSTL's layout"},
	{"wustl_hw4", "wustl_hw4.block=24",
		"found a cache of 512 bytes, blocks of 24 bytes and 1 ways, expected powers of "
		"two"},
	{"penn_v2", "penn_v2.btb=5",
		"option 'penn_v2.btb': found '5', expected numbers and letters as in 5i"},
	{"penn_v2", "penn_v2.cache=10i2w",
		"option 'penn_v2.cache': found '10i2w', expected numbers and letters as in "
		"10i2w2b"},
	{"penn_v2", "penn_v2.cache=10i0w2b",
		"option 'penn_v2.cache': found 0 ways, expected 1 to 16"},
	{"penn_v2", "penn_v2.predictor=gshare5i",
		"option 'penn_v2.predictor': found 'gshare5i', expected perfect, never, or as "
		"bimodal5i or gshare5i5h"},
};

static void
unknown_names_are_rejected(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		const char *const words[] = {refused[i].word, NULL};
		struct poly_error error;
		struct poly_stats *stats;
		assert_int_equal(new_homework(refused[i].name, words, NULL, &stats, &error),
			POLY_ERR_USAGE);
		assert_string_equal(error.message, refused[i].message);
		assert_null(stats);
	}
}

static void
a_sink_takes_one_homework(void **state)
{
	(void)state;
	static const char *const names[] = {"wustl_hw1", "penn_hw1", "mix", NULL};
	const struct poly_sink sink = {write_text, NULL};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_error error;
	struct poly_stats *stats;
	options.analyses = names;
	options.sink = &sink;
	assert_int_equal(poly_stats_new(&options, &stats, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message,
		"options.sink: found the homeworks 'penn_hw1' and 'wustl_hw1', expected one");
	options.analyses = names + 1;
	assert_int_equal(poly_stats_new(&options, &stats, &error), POLY_OK);
	poly_stats_free(stats);
}

static void
a_trace_without_micro_ops_is_rejected(void **state)
{
	(void)state;
	struct poly_error error;
	struct poly_stats *stats;
	assert_int_equal(new_homework("penn_hw1", NULL, NULL, &stats, &error), POLY_OK);
	assert_int_equal(
		work(stats, "0 1000\n1 2000\n2 3000\n", "din", &error), POLY_ERR_USAGE);
	assert_non_null(strstr(error.message, "homework 'hw1' of penn requires the column"));
	poly_stats_free(stats);
}

static void
an_output_that_fails_ends_it(void **state)
{
	(void)state;
	struct place place = {{0}, ENOSPC};
	struct poly_error error;
	struct poly_stats *stats;
	assert_int_equal(new_homework("wustl_hw5", NULL, &place, &stats, NULL), POLY_OK);
	assert_int_equal(work(stats, trace, "cis501", &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, ENOSPC);
	poly_stats_free(stats);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_homework_prints_the_output_of_its_course),
		cmocka_unit_test(tables_of_a_tournament_have_their_own_sizes),
		cmocka_unit_test(the_name_of_the_trace_may_be_another),
		cmocka_unit_test(stage_times_have_options_as_their_files_have_names),
		cmocka_unit_test(every_homework_ends_an_empty_trace),
		cmocka_unit_test(results_are_reported),
		cmocka_unit_test(unknown_names_are_rejected),
		cmocka_unit_test(a_sink_takes_one_homework),
		cmocka_unit_test(a_trace_without_micro_ops_is_rejected),
		cmocka_unit_test(an_output_that_fails_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
