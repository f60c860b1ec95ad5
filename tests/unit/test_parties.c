/* SPDX-License-Identifier: MIT */
/* Numbers of parties, against rows written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis/parties.h"
#include "base/mem.h"
#include "model/batch.h"

static const struct poly_trace_info info = {.format = "test"};

static struct batch
rows_of_threads(size_t rows, uint64_t (*thread)(size_t row))
{
	struct batch batch;
	assert_int_equal(
		batch_init(&batch, PARTY_COLUMNS, POLY_BATCH_ROWS, &info, NULL), POLY_OK);
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
expect_only(struct parties *parties, struct batch *batch, uint16_t expected)
{
	uint16_t party[POLY_BATCH_ROWS], only = UINT16_MAX;
	bool mixed = true;
	assert_true(parties_fill(parties, &batch->view, party, &only, &mixed));
	assert_false(mixed);
	assert_int_equal(only, expected);
	batch_fini(batch);
}

static void
a_batch_of_one_party_is_seen_as_such(void **unused)
{
	(void)unused;
	struct parties parties = {0};
	struct batch batch = rows_of_threads(4096, seven);
	parties_begin(&parties, &info);
	expect_only(&parties, &batch, 0);
	batch = rows_of_threads(1, each_its_own);
	expect_only(&parties, &batch, 1);
	batch = rows_of_threads(100, seven);
	expect_only(&parties, &batch, 0);
	parties_fini(&parties);
}

static void
the_last_row_of_another_party_is_not_missed(void **unused)
{
	(void)unused;
	struct parties parties = {0};
	struct batch batch = rows_of_threads(4096, all_but_the_last_seven);
	uint16_t party[POLY_BATCH_ROWS], only;
	bool mixed;
	parties_begin(&parties, &info);
	assert_true(parties_fill(&parties, &batch.view, party, &only, &mixed));
	assert_true(mixed);
	for (size_t row = 0; row < 4096; row++)
		assert_int_equal(party[row], row == 4095);
	batch_fini(&batch);
	parties_fini(&parties);
}

static void
a_row_is_of_the_first_column_that_it_has(void **unused)
{
	(void)unused;
	struct parties parties = {0};
	struct batch batch;
	uint16_t party[POLY_BATCH_ROWS], only;
	bool mixed;
	batch_init(&batch, PARTY_COLUMNS, POLY_BATCH_ROWS, &info, NULL);
	batch.view.rows = 6;
	batch_put(&batch, cpu, 0, 1);
	batch_put(&batch, process, 1, 1);
	batch_put(&batch, thread, 2, 1);
	batch_put(&batch, cpu, 2, 1);
	batch_put(&batch, cpu, 4, 1);
	batch_put(&batch, thread, 5, 1);
	parties_begin(&parties, &info);
	assert_true(parties_fill(&parties, &batch.view, party, &only, &mixed));
	assert_true(mixed);
	static const uint16_t expected[] = {0, 1, 2, 3, 0, 2};
	static const char *const names[] = {"cpu 1", "process 1", "thread 1", ""};
	assert_memory_equal(party, expected, sizeof expected);
	for (uint16_t i = 0; i < 4; i++) {
		struct buf name = {0};
		parties_name(&parties, i, &name);
		assert_string_equal(buf_text(&name), names[i]);
		buf_free(&name);
	}
	batch_fini(&batch);
	parties_fini(&parties);
}

static void
parties_beyond_the_table_are_one(void **unused)
{
	(void)unused;
	struct parties parties = {0};
	struct batch batch = rows_of_threads(4096, each_its_own);
	uint16_t party[POLY_BATCH_ROWS], only;
	bool mixed;
	parties_begin(&parties, &info);
	for (int round = 0; round < 2; round++) {
		assert_true(parties_fill(&parties, &batch.view, party, &only, &mixed));
		for (size_t row = 0; row < 4096; row++)
			assert_int_equal(party[row], row < 1023 ? row : 1023);
	}
	struct buf name = {0};
	parties_name(&parties, 1023, &name);
	assert_string_equal(buf_text(&name), "others");
	buf_free(&name);
	batch_fini(&batch);
	parties_fini(&parties);
}

static void
merged_parties_have_the_numbers_of_one_run(void **unused)
{
	(void)unused;
	struct parties into = {0}, from = {0};
	struct batch batch = rows_of_threads(10, each_its_own);
	uint16_t party[POLY_BATCH_ROWS], only, to[ANALYSIS_PARTIES];
	bool mixed;
	parties_begin(&into, &info);
	parties_begin(&from, &info);
	assert_true(parties_fill(&into, &batch.view, party, &only, &mixed));
	batch_fini(&batch);
	batch = rows_of_threads(10, seven);
	expect_only(&from, &batch, 0);
	batch = rows_of_threads(3, each_its_own);
	assert_true(parties_fill(&from, &batch.view, party, &only, &mixed));
	batch_fini(&batch);
	assert_true(parties_merge(&into, &from, to));
	static const uint16_t expected[] = {10, 0, 1, 2};
	assert_memory_equal(to, expected, sizeof expected);
	assert_int_equal(into.count, 11);
	parties_fini(&into);
	parties_fini(&from);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_of_one_party_is_seen_as_such),
		cmocka_unit_test(the_last_row_of_another_party_is_not_missed),
		cmocka_unit_test(a_row_is_of_the_first_column_that_it_has),
		cmocka_unit_test(parties_beyond_the_table_are_one),
		cmocka_unit_test(merged_parties_have_the_numbers_of_one_run),
	};
	return cmocka_run_group_tests_name("parties", tests, NULL, NULL);
}
