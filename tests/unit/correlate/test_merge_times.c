/* SPDX-License-Identifier: MIT */
/* Merging by time, against a sort. */
#include "merge_help.h"

#define TIMED_TRACES 5
#define TIMED_ROWS 3000

/* A row as it should come. */
struct timed {
	uint64_t time, key;
	size_t trace, row;
	bool has_time;
};

static int
compare_timed(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

struct sorted {
	struct timed rows[TIMED_TRACES * TIMED_ROWS];
	size_t count, seen;
};

static void
compare_sorted(void *user, const struct poly_batch *batch, size_t row)
{
	struct sorted *sorted = user;
	assert_true(sorted->seen < sorted->count);
	const struct timed *expected = &sorted->rows[sorted->seen++];
	char name[20];
	snprintf(name, sizeof name, "op%zu", (expected->row * 7 + expected->trace) % 50);
	assert_int_equal(batch->pc[row], expected->key);
	assert_int_equal(batch->thread[row], expected->trace + 1);
	assert_int_equal(poly_present(batch, POLY_COLUMN_time, row), expected->has_time);
	if (expected->has_time)
		assert_int_equal(batch->time[row], expected->time);
	/* Each trace numbers names by itself. */
	assert_string_equal(poly_trace_name(batch->info, batch->mnemonic[row]), name);
}

/* Lines "time pc mnemonic", with equal times, gaps and lines without a time. */
static struct trace
make_timed(struct sorted *sorted, size_t trace, uint64_t *chance)
{
	struct trace timed = {.format = "text:time:dec|-,pc:hex,mnemonic"};
	const size_t rows = trace == 3 ? 0 : 1 + next_chance(chance) % TIMED_ROWS;
	uint64_t time = 0;
	for (size_t row = 0; row < rows; row++) {
		const bool has_time = next_chance(chance) % 5 != 0;
		if (has_time && next_chance(chance) % 3 == 0)
			time += next_chance(chance) % (row % 500 == 0 ? 2000 : 4);
		const uint64_t key = trace << 32 | row;
		char at[24] = "-";
		if (has_time)
			snprintf(at, sizeof at, "%llu", (unsigned long long)time);
		buf_printf(&timed.bytes, "%s %llx op%zu\n", at, (unsigned long long)key,
			(row * 7 + trace) % 50);
		sorted->rows[sorted->count++] = (struct timed){time, key, trace, row, has_time};
	}
	return timed;
}

static void
merging_by_time_is_a_stable_sort(void **state)
{
	static struct sorted sorted;
	static const size_t sizes[] = {0, 1000, 64, 1};
	uint64_t chance = 1;
	(void)state;
	for (size_t n = 0; n < 12; n++) {
		struct trace traces[TIMED_TRACES];
		struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
		struct poly_error error;
		const size_t count = 1 + n % TIMED_TRACES;
		options.by = POLY_MERGE_BY_TIME;
		struct poly_merge *merge = new_merge(&options);
		sorted.count = sorted.seen = 0;
		for (size_t i = 0; i < count; i++) {
			traces[i] = make_timed(&sorted, i, &chance);
			traces[i].batch_rows = sizes[n % 4];
			assert_int_equal(poly_merge_add(merge, i + 1, "t", &error), POLY_OK);
		}
		qsort(sorted.rows, sorted.count, sizeof *sorted.rows, compare_timed);
		if (read_merged(merge, traces, count,
			    &(struct visitor){compare_sorted, &sorted}, &error) != POLY_END)
			fail_msg("%s", error.message);
		assert_int_equal(sorted.seen, sorted.count);
		assert_null(poly_merge_note_at(merge, 0, NULL));
		poly_merge_free(merge);
		free_traces(traces, count);
	}
}

static void
times_that_go_back_are_noted(void **state)
{
	struct trace traces[] = {{bytes_of("1 10\n5 20\n3 30\n"), "text:time:dec,pc:hex", 0},
		{bytes_of("4 40\n"), "text:time:dec,pc:hex", 0}};
	char text[2000] = "";
	struct poly_merge_options options = POLY_MERGE_OPTIONS_INIT;
	struct poly_error error;
	(void)state;
	options.by = POLY_MERGE_BY_TIME;
	struct poly_merge *merge = new_merge(&options);
	assert_int_equal(poly_merge_add(merge, 1, "a", &error), POLY_OK);
	assert_int_equal(poly_merge_add(merge, 1, "b", &error), POLY_ERR_USAGE);
	assert_int_equal(poly_merge_add(merge, 2, "b", &error), POLY_OK);
	assert_int_equal(
		read_merged(merge, traces, 2, &(struct visitor){add_text, text}, &error),
		POLY_END);
	assert_string_equal(text, "1:10 2:40 1:20 1:30 ");
	assert_string_equal(poly_merge_note_at(merge, 0, NULL),
		"times decrease: thread 1, record 3 has time 3 after 5");
	poly_merge_free(merge);
	free_traces(traces, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging_by_time_is_a_stable_sort),
		cmocka_unit_test(times_that_go_back_are_noted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
