/* SPDX-License-Identifier: MIT */
#include "select/attached_rows.h"

#include "base/err.h"

static bool
is_instruction(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_kind, row) &&
	       batch->kind[row] == POLY_KIND_INSTRUCTION;
}

/* Returns whether a row is an escape that belongs to the next instruction. */
static bool
is_escape(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_escape, row) && batch->escape[row] >= 1 &&
	       batch->escape[row] <= 5;
}

static void
set_bit(uint64_t *bits, size_t row, bool value)
{
	if (value)
		bit_set(bits, row);
	else
		bit_clear(bits, row);
}

/* Lets synthetic instructions follow the last executed one. */
static void
decide_pairs(struct attached_rows *attached, const struct poly_batch *batch, uint64_t *bits)
{
	for (size_t row = 0; row < batch->rows; row++) {
		if (!is_instruction(batch, row))
			continue;
		if (poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row])
			set_bit(bits, row, attached->follows);
		else
			attached->follows = bit_test(bits, row);
	}
}

/* Adds a row to those that wait; false: out of memory. */
static bool
wait_row(struct waiting_rows *waiting, struct row_copy *copy, size_t row)
{
	const uint64_t number = poly_batch_number(copy->source, row);
	const size_t dst = waiting->rows.view.rows;
	if (!dst)
		waiting->first = number;
	if (dst == POLY_BATCH_ROWS || number - waiting->first > UINT32_MAX)
		return true;
	waiting->picked[dst] = (uint32_t)(number - waiting->first);
	waiting->rows.view.rows++;
	return row_copy_row(copy, row, dst, POLY_NO_COLUMNS);
}

/* Makes the escapes from a row on wait; false: out of memory. */
static bool
wait_rows(struct waiting_rows *waiting, const struct poly_batch *batch, size_t row,
	uint64_t *bits)
{
	struct row_copy copy = {0};
	bool good = true;
	for (; row < batch->rows && good; row++) {
		if (!is_escape(batch, row))
			continue;
		bit_clear(bits, row);
		if (!copy.dst) {
			const poly_columns columns = row_copy_columns(batch);
			if (!waiting->rows.capacity)
				good = batch_init(&waiting->rows, columns, POLY_BATCH_ROWS,
					       batch->info, NULL) == POLY_OK;
			row_copy_begin(&copy, batch, &waiting->rows);
		}
		good = good && wait_row(waiting, &copy, row);
	}
	return good;
}

/* Completes rows that waited, for delivery. */
static enum poly_status
release(struct waiting_rows *waiting, const struct poly_batch *batch,
	const struct poly_batch **released, struct poly_error *error)
{
	struct poly_batch *view = &waiting->rows.view;
	view->first = waiting->first - 1;
	view->picked = waiting->picked;
	view->info = batch->info;
	*released = view;
	return batch_finish(&waiting->rows, error);
}

enum poly_status
attached_rows_decide(struct attached_rows *attached, const struct poly_batch *batch,
	uint64_t *bits, const struct poly_batch **released, struct poly_error *error)
{
	struct waiting_rows *waiting = &attached->waiting[attached->turn];
	enum poly_status status = POLY_OK;
	bool has_instruction = false, follows = false;
	size_t undecided = batch->rows;
	*released = NULL;
	decide_pairs(attached, batch, bits);
	for (size_t row = batch->rows; row-- > 0;) {
		if (is_instruction(batch, row)) {
			undecided = has_instruction ? undecided : row + 1;
			has_instruction = true;
			follows = bit_test(bits, row);
		} else if (has_instruction && is_escape(batch, row)) {
			set_bit(bits, row, follows);
		}
	}
	if (has_instruction && waiting->rows.view.rows) {
		if (follows)
			status = release(waiting, batch, released, error);
		attached->turn = !attached->turn;
		waiting = &attached->waiting[attached->turn];
		if (waiting->rows.capacity)
			batch_clear(&waiting->rows);
	}
	if (status == POLY_OK &&
		!wait_rows(waiting, batch, has_instruction ? undecided : 0, bits))
		return err_memory(error);
	return status;
}

void
attached_rows_fini(struct attached_rows *attached)
{
	for (unsigned i = 0; i < 2; i++)
		batch_fini(&attached->waiting[i].rows);
}
