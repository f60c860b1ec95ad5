/* SPDX-License-Identifier: MIT */
#include "model/row_store.h"

#include "base/mem.h"

/* Minimum rows of a batch that is held: a store has few batches. */
#define HOLD_ROWS (POLY_BATCH_ROWS / 8)

/* Holds a batch; returns whether it is long enough, and can be held. */
static bool
hold(struct kept_batch *stored, const struct poly_batch *batch, bool has_info)
{
	if (batch->rows < HOLD_ROWS || !batch_hold(batch, &stored->hold))
		return false;
	stored->view = stored->hold.batch;
	if (has_info) {
		stored->held = *stored->hold.batch;
		stored->held.info = &stored->info;
		stored->view = &stored->held;
	}
	return true;
}

/* Prepares an empty buffer; returns false if out of memory. */
static bool
begin_copy(struct kept_batch *stored, const struct poly_batch *batch, bool has_info)
{
	if (!stored->buffer)
		stored->buffer = row_buffer_new(POLY_BATCH_ROWS);
	if (!stored->buffer)
		return false;
	row_buffer_clear(stored->buffer);
	stored->buffer->view.info = has_info ? &stored->info : batch->info;
	stored->buffer->view.first = batch->first;
	stored->view = &stored->buffer->view;
	return true;
}

/* Sets the numbers of rows that are to be appended; returns false if out of memory. */
static bool
append_numbers(struct kept_batch *stored, const struct poly_batch *batch)
{
	struct poly_batch *view = &stored->buffer->view;
	const bool follows = batch->first == view->first + view->rows;
	if (!view->picked && !batch->picked && follows)
		return true;
	if (!stored->picked)
		stored->picked = mem_new(POLY_BATCH_ROWS, sizeof *stored->picked);
	if (!stored->picked)
		return false;
	for (size_t row = 0; !view->picked && row < view->rows; row++)
		stored->picked[row] = (uint32_t)row;
	for (size_t row = 0; row < batch->rows; row++)
		stored->picked[view->rows + row] =
			(uint32_t)(poly_batch_number(batch, row) - 1 - view->first);
	view->picked = stored->picked;
	return true;
}

/* Copies rows after those copied before; returns false if out of memory. */
static bool
copy(struct kept_batch *stored, const struct poly_batch *batch)
{
	return append_numbers(stored, batch) &&
	       row_buffer_append(stored->buffer, batch, 0, batch->rows);
}

/* Returns whether copied rows have room for those of a batch, with their numbers. */
static bool
has_room(const struct kept_batch *stored, const struct poly_batch *batch)
{
	const struct poly_batch *view = stored->view;
	return !stored->hold.batch && batch->rows <= POLY_BATCH_ROWS - view->rows &&
	       batch->first >= view->first &&
	       poly_batch_number(batch, batch->rows - 1) - view->first <= UINT32_MAX;
}

bool
row_store_add(struct row_store *store, const struct poly_batch *batch,
	const struct poly_trace_info *info)
{
	struct kept_batch *stored = &store->batches[store->count];
	bool good;
	if (store->count && has_room(stored - 1, batch)) {
		stored--;
		good = copy(stored, batch);
	} else {
		store->count++;
		good = hold(stored, batch, info) ||
		       (begin_copy(stored, batch, info) && copy(stored, batch));
	}
	if (info)
		stored->info = *info;
	store->rows += batch->rows;
	return good;
}

void
row_store_clear(struct row_store *store)
{
	for (size_t i = 0; i < store->count; i++) {
		struct kept_batch *stored = &store->batches[i];
		if (stored->hold.batch)
			batch_hold_release(&stored->hold);
		stored->hold.batch = NULL;
	}
	store->count = store->rows = 0;
}

void
row_store_fini(struct row_store *store)
{
	row_store_clear(store);
	for (size_t i = 0; i < ROW_STORE_BATCHES; i++) {
		row_buffer_free(store->batches[i].buffer);
		mem_free(store->batches[i].picked);
		store->batches[i].buffer = NULL;
		store->batches[i].picked = NULL;
	}
}
