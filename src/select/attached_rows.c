/* SPDX-License-Identifier: MIT */
#include "select/attached_rows.h"

#include "base/err.h"

#include <string.h>

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
		if (!is_instruction_row(batch, row))
			continue;
		if (attached_to_last(batch, row))
			set_bit(bits, row, attached->follows);
		else
			attached->follows = bit_test(bits, row);
	}
}

/* Adds a row to those that wait. */
static enum poly_status
wait_row(struct waiting_rows *waiting, struct row_copy *copy, size_t row, bool is_selected,
	struct poly_error *error)
{
	const uint64_t number = poly_batch_number(copy->source, row);
	const size_t dst = waiting->rows.view.rows;
	if (!dst) {
		waiting->first = number;
		memset(waiting->selected, 0, sizeof waiting->selected);
	}
	if (dst == POLY_BATCH_ROWS || number - waiting->first > UINT32_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"more than %d escapes precede an instruction", POLY_BATCH_ROWS);
	waiting->picked[dst] = (uint32_t)(number - waiting->first);
	waiting->rows.view.rows++;
	set_bit(waiting->selected, dst, is_selected);
	return row_copy_row(copy, row, dst, POLY_NO_COLUMNS) ? POLY_OK : err_memory(error);
}

/* Makes the escapes from a row on wait. */
static enum poly_status
wait_rows(struct waiting_rows *waiting, const struct poly_batch *batch, size_t row,
	uint64_t *bits, struct poly_error *error)
{
	struct row_copy copy = {0};
	enum poly_status status = POLY_OK;
	for (; row < batch->rows && status == POLY_OK; row++) {
		if (!attached_to_next(batch, row))
			continue;
		const bool is_selected = bit_test(bits, row);
		bit_clear(bits, row);
		if (!copy.dst) {
			const poly_columns columns = row_copy_columns(batch);
			if (!waiting->rows.capacity)
				status = batch_init(&waiting->rows, columns, POLY_BATCH_ROWS,
					batch->info, error);
			row_copy_begin(&copy, batch, &waiting->rows);
		}
		if (status == POLY_OK)
			status = wait_row(waiting, &copy, row, is_selected, error);
	}
	return status;
}

/* Completes rows that waited, for delivery. */
static enum poly_status
release(struct waiting_rows *waiting, const struct poly_trace_info *info,
	const struct poly_batch **released, struct poly_error *error)
{
	struct poly_batch *view = &waiting->rows.view;
	view->first = waiting->first - 1;
	view->picked = waiting->picked;
	view->info = info;
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
		if (is_instruction_row(batch, row)) {
			undecided = has_instruction ? undecided : row + 1;
			has_instruction = true;
			follows = bit_test(bits, row);
		} else if (has_instruction && attached_to_next(batch, row)) {
			set_bit(bits, row, follows);
		}
	}
	if (has_instruction && waiting->rows.view.rows) {
		if (follows)
			status = release(waiting, batch->info, released, error);
		attached->turn = !attached->turn;
		waiting = &attached->waiting[attached->turn];
		if (waiting->rows.capacity)
			batch_clear(&waiting->rows);
	}
	if (status == POLY_OK)
		status =
			wait_rows(waiting, batch, has_instruction ? undecided : 0, bits, error);
	return status;
}

enum poly_status
attached_rows_end(struct attached_rows *attached, struct batch_gather *gather,
	const struct poly_batch **released, struct poly_error *error)
{
	struct waiting_rows *waiting = &attached->waiting[attached->turn];
	const struct poly_batch *all;
	*released = NULL;
	if (!waiting->rows.view.rows)
		return POLY_OK;
	enum poly_status status = release(waiting, waiting->rows.view.info, &all, error);
	if (status == POLY_OK)
		status = batch_gather_rows(gather, all, waiting->selected, error);
	if (status == POLY_OK && gather->view.rows)
		*released = &gather->view;
	waiting->rows.view.rows = 0;
	return status;
}

void
attached_rows_fini(struct attached_rows *attached)
{
	for (unsigned i = 0; i < 2; i++)
		batch_fini(&attached->waiting[i].rows);
}
