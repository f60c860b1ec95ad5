/* SPDX-License-Identifier: MIT */
/* Runs of several traces whose rows threads analyse in blocks report what one thread does. */
#include "trace_help.h"

#include "analysis/core/analysis_instance.h"
#include "base/buf.h"
#include "base/mem.h"

#define ROWS 3000
#define HEADER "{\"polytrace\":\"trace\",\"version\":1,\"columns\":"

/* Adds rows of a loop; calls: every seventh is a call, by its record. */
static void
append_loop(struct buf *text, bool calls)
{
	for (unsigned row = 0; row < ROWS; row++)
		buf_printf(text, "{\"kind\":\"instruction\",\"pc\":\"0x%x\"%s}\n",
			0x1000 + 4 * (row % 70),
			calls && row % 7 == 0 ? ",\"record\":\"call\",\"branch\":\"taken\""
					      : "");
}

static struct buf
make_loop(void)
{
	struct buf text = bytes_of(HEADER "[\"kind\",\"pc\"]}\n");
	append_loop(&text, false);
	return text;
}

static struct poly_stats *
new_stats(const char *const *names, unsigned threads)
{
	struct poly_stats_options request = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	request.analyses = names;
	request.threads = threads;
	assert_int_equal(poly_stats_new(&request, &stats, NULL), POLY_OK);
	stats->block_rows = 300;
	return stats;
}

/* Adds a trace without its first rows, and closes its reader; returns the status of its begin.
 * Counts weighted batches. */
static enum poly_status
add_trace(struct poly_stats *stats, const struct buf *text, uint64_t skip, unsigned *weighted)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	const struct poly_batch *batch;
	reading.one_thread = true;
	reading.batch_rows = 100;
	reading.skip = skip;
	struct poly_reader *reader = open_memory(text, &reading);
	const enum poly_status begun = poly_stats_begin(stats, poly_reader_info(reader), NULL);
	const struct poly_read_plan plan = {.size = sizeof plan,
		.columns = poly_stats_columns(stats),
		.weights = poly_stats_accepts_weights(stats)};
	if (begun == POLY_OK)
		assert_int_equal(poly_reader_plan(reader, &plan, NULL), POLY_OK);
	while (begun == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		*weighted += poly_batch_weights(batch) != NULL;
		assert_int_equal(poly_stats_update(stats, batch, NULL), POLY_OK);
	}
	poly_reader_close(reader);
	return begun;
}

/* Returns the report of two traces; *weighted: the number of weighted batches. */
static struct buf
report(const char *const *names, unsigned threads, const struct buf *const traces[2],
	uint64_t skip, unsigned *weighted)
{
	struct poly_stats *stats = new_stats(names, threads);
	struct buf text = {0};
	const struct poly_sink sink = {collect, &text};
	*weighted = 0;
	for (int i = 0; i < 2; i++)
		assert_int_equal(add_trace(stats, traces[i], skip, weighted), POLY_OK);
	struct poly_report *result = poly_report_new();
	assert_int_equal(poly_stats_finish(stats, NULL), POLY_OK);
	poly_stats_report(stats, NULL, result);
	assert_int_equal(
		poly_report_render(result, POLY_RENDER_JSON_LINE, &sink, NULL), POLY_OK);
	poly_report_free(result);
	poly_stats_free(stats);
	return text;
}

/* Compares the reports of one thread and several; returns the number of weighted batches. */
static unsigned
expect_same_reports(const char *const *names, const struct buf *const traces[2], uint64_t skip)
{
	unsigned weighted, weighted_alone;
	struct buf one = report(names, 1, traces, skip, &weighted_alone),
		   many = report(names, 5, traces, skip, &weighted);
	assert_string_equal(buf_text(&many), buf_text(&one));
	assert_int_equal(weighted, weighted_alone);
	buf_free(&one);
	buf_free(&many);
	return weighted;
}

static void
weighted_rows_follow_blocks(void **state)
{
	struct buf plain = make_loop(),
		   packed = convert(open_memory(&plain, NULL), "ptz", NULL, NULL);
	(void)state;
	assert_true(expect_same_reports(
		(const char *[]){"mix", NULL}, (const struct buf *[]){&plain, &packed}, 0));
	buf_free(&plain);
	buf_free(&packed);
}

/* Readers of both have the same address, as one is closed before the other is opened. */
static void
a_trace_without_its_first_records_continues_no_other(void **state)
{
	struct buf plain = make_loop();
	(void)state;
	expect_same_reports((const char *[]){"flow", "blocks", NULL},
		(const struct buf *[]){&plain, &plain}, 5);
	buf_free(&plain);
}

static void
records_that_rows_add_do_not_describe_operations(void **state)
{
	struct buf text = {0};
	(void)state;
	append_loop(&text, true);
	expect_same_reports((const char *[]){"branches", "summary", "flow", NULL},
		(const struct buf *[]){&text, &text}, 0);
	buf_free(&text);
}

static void
a_further_trace_is_refused(void **state)
{
	struct buf plain = make_loop(),
		   other = bytes_of(HEADER "[\"address\"]}\n{\"address\":\"0x10\"}\n");
	(void)state;
	for (unsigned threads = 1; threads <= 5; threads += 4) {
		struct poly_stats *stats = new_stats((const char *[]){"mix", NULL}, threads);
		unsigned weighted = 0;
		assert_int_equal(add_trace(stats, &plain, 0, &weighted), POLY_OK);
		assert_int_equal(add_trace(stats, &other, 0, &weighted), POLY_ERR_USAGE);
		poly_stats_free(stats);
	}
	buf_free(&plain);
	buf_free(&other);
}

#ifdef POLY_FAULT_INJECTION

/* Which allocations fail: the given one and later ones of an update, and of the threads. */
struct lack {
	unsigned update;
	size_t own, of_threads;
};

/* Adds the batches of a reader and finishes a run, all of which fail after the first failure;
 * returns whether there was one. */
static bool
fails_for_good(struct poly_stats *stats, struct poly_reader *reader, const struct lack *lack)
{
	const struct poly_batch *batch;
	bool failed = false;
	mem_fail_in_threads(lack->of_threads);
	for (unsigned i = 0; poly_reader_next(reader, &batch, NULL) == POLY_OK; i++) {
		mem_fail_at(i == lack->update ? lack->own : 0);
		const enum poly_status status = poly_stats_update(stats, batch, NULL);
		mem_fail_at(0);
		assert_true(status == POLY_ERR_MEMORY || (status == POLY_OK && !failed));
		failed |= status != POLY_OK;
	}
	mem_fail_in_threads(0);
	const enum poly_status status = poly_stats_finish(stats, NULL);
	assert_true(status == POLY_ERR_MEMORY || (status == POLY_OK && !failed));
	return status != POLY_OK;
}

static bool
run_short_of_memory(const struct buf *text, const struct lack *lack)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	const size_t live = mem_live();
	reading.one_thread = true;
	reading.batch_rows = 100;
	struct poly_reader *reader = open_memory(text, &reading);
	struct poly_stats *stats = new_stats((const char *[]){"flow", "mix", NULL}, 5);
	assert_int_equal(poly_stats_begin(stats, poly_reader_info(reader), NULL), POLY_OK);
	const bool failed = fails_for_good(stats, reader, lack);
	poly_stats_free(stats);
	poly_reader_close(reader);
	assert_int_equal(mem_live(), live);
	return failed;
}

static void
lack_of_memory_ends_a_run_for_good(void **state)
{
	struct buf plain = make_loop();
	unsigned failed = 0;
	(void)state;
	for (size_t k = 1; run_short_of_memory(&plain, &(struct lack){.of_threads = k}); k++)
		failed++;
	assert_in_range(failed, 10, 1000);
	for (unsigned update = 3; update < 8; update++)
		for (size_t k = 1; k < 8; k++)
			run_short_of_memory(&plain, &(struct lack){.update = update, .own = k});
	buf_free(&plain);
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weighted_rows_follow_blocks),
		cmocka_unit_test(a_trace_without_its_first_records_continues_no_other),
		cmocka_unit_test(records_that_rows_add_do_not_describe_operations),
		cmocka_unit_test(a_further_trace_is_refused),
#ifdef POLY_FAULT_INJECTION
		cmocka_unit_test(lack_of_memory_ends_a_run_for_good),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
