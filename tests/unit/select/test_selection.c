/* SPDX-License-Identifier: MIT */
/* Selections against loops over all records, for batches of several sizes. */
#include "test_help.h"

#define LINES 9000

/* The trace: lines "pc time" with pc = 3 n, and a time of n / 10 in two of three lines. */
static char *trace;
static size_t trace_size;

static uint64_t
time_of(size_t n)
{
	return n / 10;
}

static bool
has_time(size_t n)
{
	return n % 3 != 0;
}

static int
make_trace(void **state)
{
	(void)state;
	trace = malloc((size_t)LINES * 40);
	assert_non_null(trace);
	for (size_t n = 1; n <= LINES; n++) {
		char time[24] = "-";
		if (has_time(n))
			snprintf(time, sizeof time, "%llu", (unsigned long long)time_of(n));
		trace_size += (size_t)sprintf(trace + trace_size, "%zx %s\n", 3 * n, time);
	}
	return 0;
}

static int
free_trace(void **state)
{
	(void)state;
	free(trace);
	return 0;
}

/* Marks the numbers of the records that are selected; returns how the selection ended. */
static enum poly_status
select_records(const struct poly_selection_options *options, size_t batch_rows, bool *taken)
{
	struct poly_reader *reader;
	struct poly_selection *selection;
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status;
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	reading.format = "text:pc:hex,time:dec|-";
	reading.batch_rows = batch_rows;
	if (poly_selection_new(options, &selection, &error) != POLY_OK)
		fail_msg("%s", error.message);
	reading.columns =
		poly_columns_union(POLY_COLUMNS(pc), poly_selection_columns(selection));
	if (poly_reader_open_memory(trace, trace_size, &reading, &reader, &error) != POLY_OK)
		fail_msg("%s", error.message);
	if (poly_selection_bind(selection, poly_reader_info(reader), &error) != POLY_OK)
		fail_msg("%s", error.message);
	const struct poly_source source = poly_reader_source(reader);
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	plan.may_match = poly_selection_pruning(selection);
	plan.user = selection;
	poly_reader_plan(reader, &plan, NULL);
	memset(taken, 0, LINES + 1);
	uint64_t count = 0, last = 0;
	while ((status = poly_selection_next(selection, &source, &batch, &error)) == POLY_OK) {
		assert_true(batch->rows > 0);
		for (size_t r = 0; r < batch->rows; r++) {
			const uint64_t number = poly_batch_number(batch, r);
			assert_true(number > last && number <= LINES);
			assert_int_equal(batch->pc[r], 3 * number);
			taken[number] = true;
			last = number;
			count++;
		}
	}
	assert_int_equal(poly_selection_count(selection), count);
	assert_int_equal(poly_selection_next(selection, &source, &batch, &error), status);
	poly_selection_free(selection);
	poly_reader_close(reader);
	return status;
}

static const size_t sizes[] = {POLY_BATCH_ROWS, 1000, 64, 7};

/* The selection takes the records for which expected is set, whatever the batches. */
static void
assert_selects(const struct poly_selection_options *options, const bool *expected)
{
	static bool taken[LINES + 1];
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		assert_int_equal(select_records(options, sizes[i], taken), POLY_END);
		for (size_t n = 1; n <= LINES; n++) {
			if (taken[n] != expected[n])
				fail_msg("batches of %zu: record %zu is %staken", sizes[i], n,
					taken[n] ? "" : "not ");
		}
	}
}

static bool expected[LINES + 1];

#define EXPECT(condition)                   \
	for (size_t n = 1; n <= LINES; n++) \
	expected[n] = (condition)

static void
places_are_the_first_matches_and_are_included(void **state)
{
	struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
	(void)state;
	options.start_at = "pc > 6000";
	EXPECT(n > 2000);
	assert_selects(&options, expected);
	options.stop_at = "pc % 5 == 0";
	EXPECT(n >= 2001 && n <= 2005);
	assert_selects(&options, expected);
	options.start_at = NULL;
	EXPECT(n <= 5);
	assert_selects(&options, expected);
	options.start_at = "pc == 15";
	EXPECT(n == 5);
	assert_selects(&options, expected);
	options.start_at = "pc == 1";
	EXPECT(false);
	assert_selects(&options, expected);
}

static void
records_without_a_time_inherit_that_of_the_record_before(void **state)
{
	struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
	(void)state;
	options.has_times = true;
	options.from_time = 17;
	options.to_time = 20;
	EXPECT(time_of(has_time(n) ? n : n - 1) >= 17 &&
		time_of(has_time(n) ? n : n - 1) <= 20);
	assert_selects(&options, expected);
	options.to_time = UINT64_MAX;
	EXPECT(time_of(has_time(n) ? n : n - 1) >= 17);
	assert_selects(&options, expected);
}

static void
each_step_selects_among_the_records_of_the_steps_before(void **state)
{
	struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
	size_t turn = 0, taken = 0;
	(void)state;
	options.start_at = "pc > 300";
	options.where = "pc & 1 == 0";
	options.every = 3;
	options.head = 50;
	EXPECT(n > 100 && n % 2 == 0 && turn++ % 3 == 0 && taken++ < 50);
	assert_selects(&options, expected);
	options.tail = 7;
	turn = taken = 0;
	EXPECT(n > 100 && n % 2 == 0 && turn++ % 3 == 0 && taken++ < 50 && taken > 43);
	assert_selects(&options, expected);
}

static void
the_last_records_are_kept(void **state)
{
	static const uint64_t tails[] = {1, 63, 64, 4096, 5000, 8999, 9000, 9001};
	struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
	(void)state;
	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
		options.tail = tails[i];
		EXPECT(n + tails[i] > LINES);
		assert_selects(&options, expected);
	}
	options.where = "pc % 2 == 0";
	options.tail = 100;
	EXPECT(n % 2 == 0 && n > LINES - 200);
	assert_selects(&options, expected);
}

static void
a_head_or_tail_of_0_selects_no_record(void **state)
{
	struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
	(void)state;
	EXPECT(false);
	options.head = 0;
	assert_selects(&options, expected);
	options.head = UINT64_MAX;
	options.tail = 0;
	assert_selects(&options, expected);
}

static void
samples_have_the_requested_size_and_repeat(void **state)
{
	static bool first[LINES + 1], second[LINES + 1];
	struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
	size_t count = 0, same = 0;
	(void)state;
	options.sample = 9;
	options.seed = 3;
	select_records(&options, 64, first);
	assert_selects(&options, first);
	options.seed = 4;
	select_records(&options, 64, second);
	for (size_t n = 1; n <= LINES; n++) {
		count += first[n];
		same += first[n] && second[n];
	}
	/* 1000 are expected, with a deviation of 30; of each other's, 111 with one of 10. */
	assert_in_range(count, 850, 1150);
	assert_in_range(same, 61, 161);
}

static void
invalid_selections_are_rejected(void **state)
{
	struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
	struct poly_selection *selection;
	struct poly_error error;
	const struct poly_trace_info info = {.columns = POLY_COLUMNS_INIT(pc)};
	(void)state;
	options.has_times = true;
	options.from_time = 2;
	options.to_time = 1;
	assert_int_equal(poly_selection_new(&options, &selection, &error), POLY_ERR_USAGE);
	assert_null(selection);
	options.to_time = 2;
	assert_int_equal(poly_selection_new(&options, &selection, &error), POLY_OK);
	assert_int_equal(poly_selection_bind(selection, &info, &error), POLY_ERR_USAGE);
	poly_selection_free(selection);
	options.tail = (uint64_t)POLY_TAIL_MAX + 1;
	assert_int_equal(poly_selection_new(&options, &selection, &error), POLY_ERR_LIMIT);
	options.tail = UINT64_MAX;
	options.where = "pc ==";
	assert_int_equal(poly_selection_new(&options, &selection, &error), POLY_ERR_USAGE);
	options.size = 0;
	assert_int_equal(poly_selection_new(&options, &selection, &error), POLY_ERR_USAGE);
}

/* A source that the library does not know: the records that another selection selects. */
struct chain {
	struct poly_selection *selection;
	struct poly_source source;
};

static enum poly_status
next_of_chain(void *user, const struct poly_batch **batch, struct poly_error *error)
{
	struct chain *chain = user;
	return poly_selection_next(chain->selection, &chain->source, batch, error);
}

static void
any_source_of_batches_can_be_selected_from(void **state)
{
	(void)state;
	struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_selection *outer;
	struct poly_error error;
	struct chain chain;
	const struct poly_batch *batch;
	uint64_t last = 0, count = 0;
	options.every = 3; /* records 1, 4, 7 ... */
	reading.format = "text:pc:hex,time:dec|-";
	assert_int_equal(poly_selection_new(&options, &chain.selection, &error), POLY_OK);
	options.every = 2; /* of these 1, 7, 13 ... */
	assert_int_equal(poly_selection_new(&options, &outer, &error), POLY_OK);
	assert_int_equal(
		poly_reader_open_memory(trace, trace_size, &reading, &reader, &error), POLY_OK);
	chain.source = poly_reader_source(reader);
	const struct poly_source source = {chain.source.info, next_of_chain, &chain};
	assert_int_equal(poly_selection_bind(chain.selection, source.info, &error), POLY_OK);
	assert_int_equal(poly_selection_bind(outer, source.info, &error), POLY_OK);
	while (poly_selection_next(outer, &source, &batch, &error) == POLY_OK) {
		for (size_t r = 0; r < batch->rows; r++, count++) {
			assert_int_equal(poly_batch_number(batch, r), last ? last + 6 : 1);
			last = poly_batch_number(batch, r);
		}
	}
	assert_int_equal(count, (LINES + 5) / 6);
	poly_selection_free(outer);
	poly_selection_free(chain.selection);
	poly_reader_close(reader);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_the_first_matches_and_are_included),
		cmocka_unit_test(records_without_a_time_inherit_that_of_the_record_before),
		cmocka_unit_test(each_step_selects_among_the_records_of_the_steps_before),
		cmocka_unit_test(the_last_records_are_kept),
		cmocka_unit_test(a_head_or_tail_of_0_selects_no_record),
		cmocka_unit_test(samples_have_the_requested_size_and_repeat),
		cmocka_unit_test(any_source_of_batches_can_be_selected_from),
		cmocka_unit_test(invalid_selections_are_rejected),
	};
	return cmocka_run_group_tests(tests, make_trace, free_trace);
}
