/* SPDX-License-Identifier: MIT */
/*
 * Homeworks of courses through the public interface: what is found, what is refused, and what
 * goes to the sink. What the models print is tested with them; here outputs are worked by hand.
 */
#include "rows_help.h"

#include "polytrace/course.h"

#include "base/mem.h"

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
work(struct poly_course *course, const char *text, const char *format, struct poly_error *error)
{
	struct buf bytes = bytes_of(text);
	struct poly_reader *reader = open_bytes(&bytes, format, NULL, false);
	const struct poly_batch *batch;
	enum poly_status status = poly_course_begin(course, poly_reader_info(reader), error);
	while (status == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK)
		status = poly_course_update(course, batch, error);
	if (status == POLY_OK)
		status = poly_course_finish(course, error);
	poly_reader_close(reader);
	buf_free(&bytes);
	return status;
}

static struct poly_course_options
options_of(
	const char *course, const char *homework, const char *const *words, struct place *place)
{
	struct poly_course_options options = POLY_COURSE_OPTIONS_INIT;
	options.course = course;
	options.homework = homework;
	options.words = words;
	options.trace = "few.trace";
	options.sink = (struct poly_sink){write_text, place};
	return options;
}

static void
expect_output(const char *course, const char *homework, const char *const *words,
	const char *expected)
{
	struct place place = {{0}, 0};
	const struct poly_course_options options = options_of(course, homework, words, &place);
	struct poly_course *printer;
	assert_int_equal(poly_course_new(&options, &printer, NULL), POLY_OK);
	assert_int_equal(work(printer, trace, "cis501", NULL), POLY_OK);
	assert_string_equal(buf_text(&place.text), expected);
	poly_course_free(printer);
	buf_free(&place.text);
}

static void
a_homework_prints_the_output_of_its_course(void **state)
{
	(void)state;
	expect_output("penn", "hw3",
		(const char *const[]){"predictor=gshare", "size=1", "history=1", NULL},
		"NN  N | 5  T | N  incorrect  1\nNn  T | 5  N | N  correct    1\n");
	expect_output("wustl", "hw3", (const char *const[]){"predictor=taken", "debug=0", NULL},
		"Trace name  \t\t\t\tfew.trace\nBranch Predictor: \t\t\tstatic -- taken\n"
		"Instruction Limit\t\t\tnone\nProcessed 3 trace lines.\n"
		"Num Uops (micro-ops): \t\t\t3\n** static predictor, predicting taken ** \n"
		"Prediction Accuracy: 50.00% (Mis-prediction rate: 50.00%)\n");
	expect_output("sfsu", "2", NULL,
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
	const char *const own[] = {
		"predictor=tournament", "size=1", "gshare-size=2", "chooser-size=0", NULL};
	const char *const fair[] = {"predictor=fair", "size=3", NULL};
	expect_output("penn", "hw3", own,
		"B NN NNNN  NN | 5  T | N  incorrect  1\n"
		"B Nn NnNN  NT | 5  N | N  correct    1\n");
	/* 2^3 counters: two of each choice, two bimodal, four with two outcomes. */
	expect_output("penn", "hw3", fair,
		"BB NN NNNN  NN | 5  T | N  incorrect  1\n"
		"BB Nn NnNN  NT | 5  N | N  correct    1\n");
}

static void
the_name_of_the_trace_may_be_another(void **state)
{
	(void)state;
	expect_output("penn", "hw2a", (const char *const[]){"trace=gcc", "debug=0", NULL},
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
	const char *const words[] = {"bypass=full", "memlat=1", "predictor=perfect", NULL};
	struct place place = {{0}, 0};
	const struct poly_course_options options = options_of("penn", "v2", words, &place);
	struct poly_course *printer;
	assert_int_equal(poly_course_new(&options, &printer, NULL), POLY_OK);
	assert_int_equal(work(printer, text, "cis501v2", NULL), POLY_OK);
	assert_string_equal(buf_text(&place.text), "0 1 2 3 5 ldr r3, [sp] {}\n"
						   "1 2 5 6 7 mov r4, r3 {load-use}\n"
						   "2 5 6 7 8 mov r5, r6 {}\n");
	poly_course_free(printer);
	buf_free(&place.text);
}

static void
every_homework_is_found_by_its_name_alone(void **state)
{
	(void)state;
	const struct poly_homework_info *info;
	size_t n = 0;
	for (; (info = poly_homework_at(n)); n++) {
		assert_ptr_equal(poly_homework_find(info->course, info->name), info);
		assert_non_null(info->options);
		assert_true(POLY_HAS(info->needs, pc));
	}
	assert_int_equal(n, 14);
	assert_null(poly_homework_find("wustl", "hw7"));
	assert_null(poly_homework_find("mit", "hw1"));
}

static void
every_homework_ends_an_empty_trace(void **state)
{
	(void)state;
	const struct poly_homework_info *info;
	for (size_t i = 0; (info = poly_homework_at(i)); i++) {
		struct place place = {{0}, 0};
		const bool is_v2 = strcmp(info->name, "v2") == 0;
		const struct poly_course_options options =
			options_of(info->course, info->name, NULL, &place);
		struct poly_course *printer;
		assert_int_equal(poly_course_new(&options, &printer, NULL), POLY_OK);
		assert_int_equal(
			work(printer, "", is_v2 ? "cis501v2" : "cis501", NULL), POLY_OK);
		assert_null(strstr(buf_text(&place.text), "nan"));
		poly_course_free(printer);
		buf_free(&place.text);
	}
}

static const struct {
	const char *course, *homework, *word, *message;
} refused[] = {
	{"penn", "hw9", NULL,
		"no such homework 'hw9' of penn, expected hw1, hw2a, hw3, hw4, hw5, v2"},
	{"penn", "hw1", "size=3",
		"homework 'hw1' of penn: no such option 'size', expected no option"},
	{"penn", "hw3", "size", "option 'size' has no value, expected 'size=VALUE'"},
	{"penn", "hw3", "size=21", "option 'size' is '21', expected a number from 0 to 20"},
	{"penn", "hw3", "predictor=taken",
		"Penn's layout does not have static predictors, expected WUSTL's layout"},
	{"wustl", "hw4", "block=24",
		"found a cache of 512 bytes, blocks of 24 bytes and 1 ways, expected powers of "
		"two"},
	{"penn", "v2", "btb=5",
		"option 'btb': found '5', expected numbers and letters as in 5i"},
	{"penn", "v2", "cache=10i2w",
		"option 'cache': found '10i2w', expected numbers and letters as in 10i2w2b"},
	{"penn", "v2", "cache=10i0w2b", "option 'cache': found 0 ways, expected 1 to 16"},
	{"penn", "v2", "predictor=gshare5i",
		"option 'predictor': found 'gshare5i', expected perfect, never, or as "
		"bimodal5i or gshare5i5h"},
};

static void
unknown_names_are_rejected(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct place place = {{0}, 0};
		const char *const words[] = {refused[i].word, NULL};
		const struct poly_course_options options =
			options_of(refused[i].course, refused[i].homework, words, &place);
		struct poly_error error;
		struct poly_course *printer;
		assert_int_equal(poly_course_new(&options, &printer, &error), POLY_ERR_USAGE);
		assert_string_equal(error.message, refused[i].message);
		assert_null(printer);
	}
}

static void
a_trace_without_micro_ops_is_rejected(void **state)
{
	(void)state;
	struct place place = {{0}, 0};
	const struct poly_course_options options = options_of("penn", "hw1", NULL, &place);
	struct poly_error error;
	struct poly_course *printer;
	assert_int_equal(poly_course_new(&options, &printer, &error), POLY_OK);
	assert_int_equal(
		work(printer, "0 1000\n1 2000\n2 3000\n", "din", &error), POLY_ERR_USAGE);
	assert_non_null(strstr(error.message, "homework 'hw1' of penn requires the column"));
	poly_course_free(printer);
}

static void
an_output_that_fails_ends_it(void **state)
{
	(void)state;
	struct place place = {{0}, ENOSPC};
	const struct poly_course_options options = options_of("wustl", "hw5", NULL, &place);
	struct poly_error error;
	struct poly_course *printer;
	assert_int_equal(poly_course_new(&options, &printer, NULL), POLY_OK);
	assert_int_equal(work(printer, trace, "cis501", &error), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, ENOSPC);
	poly_course_free(printer);
}

#ifdef POLY_FAULT_INJECTION
static void
lack_of_memory_is_reported_before_the_trace(void **state)
{
	(void)state;
	const struct poly_homework_info *info;
	for (size_t i = 0; (info = poly_homework_at(i)); i++) {
		const struct poly_course_options options =
			options_of(info->course, info->name, NULL, &(struct place){{0}, 0});
		enum poly_status status = POLY_ERR_MEMORY;
		for (size_t k = 1; status == POLY_ERR_MEMORY; k++) {
			struct poly_course *printer;
			mem_fail_at(k);
			status = poly_course_new(&options, &printer, NULL);
			assert_int_equal(printer != NULL, status == POLY_OK);
			mem_fail_at(0);
			poly_course_free(printer);
			assert_true(k < 30);
		}
		assert_int_equal(status, POLY_OK);
	}
}

/* Does a homework with a batch and the k-th allocation failing. */
static enum poly_status
work_failing(struct poly_course *course, const struct poly_trace_info *info,
	const struct poly_batch *batch, size_t k)
{
	mem_fail_at(k);
	enum poly_status status = poly_course_begin(course, info, NULL);
	if (status == POLY_OK)
		status = poly_course_update(course, batch, NULL);
	if (status == POLY_OK)
		status = poly_course_finish(course, NULL);
	mem_fail_at(0);
	return status;
}

static void
lack_of_memory_is_reported_in_the_trace(void **state)
{
	(void)state;
	struct buf bytes = bytes_of(trace);
	const struct poly_homework_info *info;
	for (size_t i = 0; (info = poly_homework_at(i)); i++) {
		enum poly_status status = POLY_ERR_MEMORY;
		for (size_t k = 1; status == POLY_ERR_MEMORY && !strstr("v2", info->name);
			k++) {
			struct poly_reader *reader = open_bytes(&bytes, "cis501", NULL, false);
			struct place place = {{0}, 0};
			const struct poly_course_options options =
				options_of(info->course, info->name, NULL, &place);
			const struct poly_batch *batch;
			struct poly_course *printer;
			assert_int_equal(poly_course_new(&options, &printer, NULL), POLY_OK);
			assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
			status = work_failing(printer, poly_reader_info(reader), batch, k);
			poly_course_free(printer);
			poly_reader_close(reader);
			buf_free(&place.text);
			assert_true(status == POLY_OK || status == POLY_ERR_MEMORY);
			assert_true(k < 30);
		}
	}
	buf_free(&bytes);
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_homework_prints_the_output_of_its_course),
		cmocka_unit_test(tables_of_a_tournament_have_their_own_sizes),
		cmocka_unit_test(the_name_of_the_trace_may_be_another),
		cmocka_unit_test(stage_times_have_options_as_their_files_have_names),
		cmocka_unit_test(every_homework_is_found_by_its_name_alone),
		cmocka_unit_test(every_homework_ends_an_empty_trace),
		cmocka_unit_test(unknown_names_are_rejected),
		cmocka_unit_test(a_trace_without_micro_ops_is_rejected),
		cmocka_unit_test(an_output_that_fails_ends_it),
#ifdef POLY_FAULT_INJECTION
		cmocka_unit_test(lack_of_memory_is_reported_before_the_trace),
		cmocka_unit_test(lack_of_memory_is_reported_in_the_trace),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
