/* SPDX-License-Identifier: MIT */
/* Slices of batches against the rows that they stand for. */
#include "test_help.h"

#include "polytrace/trace.h"

#include "base/bits.h"
#include "model/batch.h"
#include "model/slice.h"

static uint64_t
next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* A full batch: pc in random rows, size in every third one, text in every row, value nowhere.
 */
static void
fill(struct batch *batch, uint64_t *state)
{
	static const struct poly_trace_info info;
	const poly_columns wanted = POLY_COLUMNS_INIT(pc, size, text, value);
	assert_int_equal(batch_init(batch, wanted, POLY_BATCH_ROWS, &info, NULL), POLY_OK);
	batch->view.first = 10000;
	batch->view.rows = POLY_BATCH_ROWS;
	for (size_t row = 0; row < POLY_BATCH_ROWS; row++) {
		if (next_random(state) % 2)
			batch_put(batch, pc, row, row * 4);
		if (row % 3 == 0)
			batch_put(batch, size, row, (uint32_t)row);
		batch_put_bytes(batch, POLY_COLUMN_text, row, &row, sizeof row);
	}
	assert_int_equal(batch_finish(batch, NULL), POLY_OK);
}

static void
assert_same_row(const struct poly_batch *slice, size_t row, const struct poly_batch *batch,
	size_t in_batch)
{
	size_t length, number;
	assert_int_equal(poly_present(slice, POLY_COLUMN_pc, row),
		poly_present(batch, POLY_COLUMN_pc, in_batch));
	if (poly_present(slice, POLY_COLUMN_pc, row))
		assert_int_equal(slice->pc[row], in_batch * 4);
	assert_int_equal(poly_present(slice, POLY_COLUMN_size, row), in_batch % 3 == 0);
	if (in_batch % 3 == 0)
		assert_int_equal(slice->size[row], in_batch);
	assert_false(poly_present(slice, POLY_COLUMN_value, row));
	assert_true(poly_present(slice, POLY_COLUMN_text, row));
	memcpy(&number, poly_batch_bytes(slice, POLY_COLUMN_text, row, &length), sizeof number);
	assert_int_equal(length, sizeof number);
	assert_int_equal(number, in_batch);
}

static void
check_slice(struct slice *slice, const struct poly_batch *batch, size_t from, size_t rows)
{
	assert_int_equal(slice_make(slice, batch, from, rows, NULL), POLY_OK);
	assert_int_equal(slice->view.rows, rows);
	assert_int_equal(slice->view.first, batch->first + from);
	assert_null(slice->view.opcode);
	assert_null(slice->view.present[POLY_COLUMN_opcode]);
	for (size_t row = 0; row < rows; row++)
		assert_same_row(&slice->view, row, batch, from + row);
}

static void
a_slice_has_the_rows_it_stands_for(void **unused)
{
	(void)unused;
	struct batch batch;
	struct slice slice = {0};
	uint64_t state = 1;
	fill(&batch, &state);
	for (int i = 0; i < 200; i++) {
		size_t from = next_random(&state) % POLY_BATCH_ROWS;
		size_t rows = 1 + next_random(&state) % (POLY_BATCH_ROWS - from);
		check_slice(&slice, &batch.view, from, rows);
	}
	check_slice(&slice, &batch.view, 0, POLY_BATCH_ROWS);
	check_slice(&slice, &batch.view, 0, 1);
	check_slice(&slice, &batch.view, POLY_BATCH_ROWS - 1, 1);
	check_slice(&slice, &batch.view, 64, POLY_BATCH_ROWS - 64);
	check_slice(&slice, &batch.view, 63, POLY_BATCH_ROWS - 63);
	check_slice(&slice, &batch.view, POLY_BATCH_ROWS, 0);
	slice_fini(&slice);
	batch_fini(&batch);
}

static void
rows_that_were_picked_keep_their_numbers(void **unused)
{
	(void)unused;
	struct slice slice = {0};
	struct batch batch;
	uint32_t picked[POLY_BATCH_ROWS];
	uint64_t state = 3;
	fill(&batch, &state);
	for (uint32_t row = 0; row < POLY_BATCH_ROWS; row++)
		picked[row] = 3 * row;
	batch.view.picked = picked;
	assert_int_equal(slice_make(&slice, &batch.view, 70, 100, NULL), POLY_OK);
	for (size_t row = 0; row < 100; row++)
		assert_int_equal(
			poly_batch_number(&slice.view, row), 10000 + 3 * (70 + row) + 1);
	slice_fini(&slice);
	batch_fini(&batch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slice_has_the_rows_it_stands_for),
		cmocka_unit_test(rows_that_were_picked_keep_their_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
