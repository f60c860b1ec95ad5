/* SPDX-License-Identifier: MIT */
/* Tests numbers of contexts with hand-written rows. */
#include "test_help.h"

#include "analysis/facts/contexts.h"
#include "model/batch.h"

static const struct poly_trace_info info = {.format = "test"};

static struct batch
rows_of_threads(size_t rows, uint64_t (*thread)(size_t row))
{
	struct batch batch;
	assert_int_equal(
		batch_init(&batch, POLY_COLUMNS(CONTEXT_COLUMNS), POLY_BATCH_ROWS, &info, NULL),
		POLY_OK);
	batch.view.rows = rows;
	for (size_t row = 0; row < rows; row++)
		batch_put(&batch, thread, row, thread(row));
	return batch;
}

static uint64_t
seven(size_t row)
{
	(void)row;
	return 7;
}

static uint64_t
all_but_the_last_seven(size_t row)
{
	return row == 4095 ? 8 : 7;
}

static uint64_t
each_its_own(size_t row)
{
	return row * 1000;
}

static void
expect_only(struct contexts *contexts, struct batch *batch, uint16_t expected)
{
	uint16_t context[POLY_BATCH_ROWS], sole_context = UINT16_MAX;
	bool mixed = true;
	assert_true(
		contexts_number_rows(contexts, &batch->view, context, &sole_context, &mixed));
	assert_false(mixed);
	assert_int_equal(sole_context, expected);
	batch_fini(batch);
}

static void
a_batch_of_one_context_is_not_mixed(void **unused)
{
	(void)unused;
	struct contexts contexts = {0};
	struct batch batch = rows_of_threads(4096, seven);
	contexts_begin_trace(&contexts, &info);
	expect_only(&contexts, &batch, 0);
	batch = rows_of_threads(1, each_its_own);
	expect_only(&contexts, &batch, 1);
	batch = rows_of_threads(100, seven);
	expect_only(&contexts, &batch, 0);
	contexts_fini(&contexts);
}

static void
a_last_row_of_another_context_makes_a_batch_mixed(void **unused)
{
	(void)unused;
	struct contexts contexts = {0};
	struct batch batch = rows_of_threads(4096, all_but_the_last_seven);
	uint16_t context[POLY_BATCH_ROWS], sole_context;
	bool mixed;
	contexts_begin_trace(&contexts, &info);
	assert_true(
		contexts_number_rows(&contexts, &batch.view, context, &sole_context, &mixed));
	assert_true(mixed);
	for (size_t row = 0; row < 4096; row++)
		assert_int_equal(context[row], row == 4095);
	batch_fini(&batch);
	contexts_fini(&contexts);
}

static void
the_first_column_with_a_value_identifies_the_context(void **unused)
{
	(void)unused;
	struct contexts contexts = {0};
	struct batch batch;
	uint16_t context[POLY_BATCH_ROWS], sole_context;
	bool mixed;
	batch_init(&batch, POLY_COLUMNS(CONTEXT_COLUMNS), POLY_BATCH_ROWS, &info, NULL);
	batch.view.rows = 6;
	batch_put(&batch, cpu, 0, 1);
	batch_put(&batch, process, 1, 1);
	batch_put(&batch, thread, 2, 1);
	batch_put(&batch, cpu, 2, 1);
	batch_put(&batch, cpu, 4, 1);
	batch_put(&batch, thread, 5, 1);
	contexts_begin_trace(&contexts, &info);
	assert_true(
		contexts_number_rows(&contexts, &batch.view, context, &sole_context, &mixed));
	assert_true(mixed);
	static const uint16_t expected[] = {0, 1, 2, 3, 0, 2};
	static const char *const names[] = {"cpu 1", "process 1", "thread 1", ""};
	assert_memory_equal(context, expected, sizeof expected);
	for (uint16_t i = 0; i < 4; i++) {
		struct buf name = {0};
		contexts_append_name(&contexts, i, &name);
		assert_string_equal(buf_text(&name), names[i]);
		buf_free(&name);
	}
	batch_fini(&batch);
	contexts_fini(&contexts);
}

static void
contexts_beyond_the_table_share_a_number(void **unused)
{
	(void)unused;
	struct contexts contexts = {0};
	struct batch batch = rows_of_threads(4096, each_its_own);
	uint16_t context[POLY_BATCH_ROWS], sole_context;
	bool mixed;
	contexts_begin_trace(&contexts, &info);
	for (int round = 0; round < 2; round++) {
		assert_true(contexts_number_rows(
			&contexts, &batch.view, context, &sole_context, &mixed));
		for (size_t row = 0; row < 4096; row++)
			assert_int_equal(context[row], row < 1023 ? row : 1023);
	}
	struct buf name = {0};
	contexts_append_name(&contexts, 1023, &name);
	assert_string_equal(buf_text(&name), "others");
	buf_free(&name);
	batch_fini(&batch);
	contexts_fini(&contexts);
}

static void
merged_contexts_have_the_numbers_of_one_run(void **unused)
{
	(void)unused;
	struct contexts into = {0}, from = {0};
	struct batch batch = rows_of_threads(10, each_its_own);
	uint16_t context[POLY_BATCH_ROWS], sole_context, numbers[ANALYSIS_CONTEXTS_MAX];
	bool mixed;
	contexts_begin_trace(&into, &info);
	contexts_begin_trace(&from, &info);
	assert_true(contexts_number_rows(&into, &batch.view, context, &sole_context, &mixed));
	batch_fini(&batch);
	batch = rows_of_threads(10, seven);
	expect_only(&from, &batch, 0);
	batch = rows_of_threads(3, each_its_own);
	assert_true(contexts_number_rows(&from, &batch.view, context, &sole_context, &mixed));
	batch_fini(&batch);
	assert_true(contexts_merge(&into, &from, numbers));
	static const uint16_t expected[] = {10, 0, 1, 2};
	assert_memory_equal(numbers, expected, sizeof expected);
	assert_int_equal(into.count, 11);
	contexts_fini(&into);
	contexts_fini(&from);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_of_one_context_is_not_mixed),
		cmocka_unit_test(a_last_row_of_another_context_makes_a_batch_mixed),
		cmocka_unit_test(the_first_column_with_a_value_identifies_the_context),
		cmocka_unit_test(contexts_beyond_the_table_share_a_number),
		cmocka_unit_test(merged_contexts_have_the_numbers_of_one_run),
	};
	return cmocka_run_group_tests_name("contexts", tests, NULL, NULL);
}
