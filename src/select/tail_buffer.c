/* SPDX-License-Identifier: MIT */
#include "select/tail_buffer.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/columns.h"

#include <string.h>

static void
free_batch(struct tail_batch *copy)
{
	for (unsigned c = 0; copy && c < POLY_COLUMN_COUNT; c++) {
		mem_free(copy->columns[c]);
		mem_free(copy->bits[c]);
	}
	if (copy) {
		mem_free(copy->arena);
		mem_free(copy->picked);
	}
	mem_free(copy);
}

/* Copies n bytes; false: out of memory. */
static bool
copy_bytes(void **dst, const void *src, size_t n)
{
	*dst = mem_new(n ? n : 1, 1);
	if (*dst && n)
		memcpy(*dst, src, n);
	return *dst;
}

static bool
copy_column(struct tail_batch *copy, const struct poly_batch *batch, unsigned c)
{
	const void *data = column_data(batch, (enum poly_column)c);
	void *bits = NULL;
	if (!data)
		return true;
	bool done = copy_bytes(&copy->columns[c], data, batch->rows * column_table[c].size) &&
		    copy_bytes(&bits, batch->present[c],
			    (batch->rows + 63) / 64 * sizeof(uint64_t));
	copy->bits[c] = bits;
	copy->view.present[c] = copy->bits[c];
	return done;
}

static void
set_columns(struct tail_batch *copy)
{
#define COLUMN(name, type, form, doc) copy->view.name = copy->columns[POLY_COLUMN_##name];
#include "polytrace/columns.def"
#undef COLUMN
	copy->view.arena = copy->arena;
	copy->view.picked = copy->picked;
	copy->view.pattern = NULL;
	copy->view.weight = NULL;
	copy->view.order = NULL;
	copy->view.patterns = NULL;
}

static struct tail_batch *
copy_batch(const struct poly_batch *batch)
{
	struct tail_batch *copy = mem_new(1, sizeof *copy);
	void *arena = NULL, *picked = NULL;
	if (!copy)
		return NULL;
	copy->view = *batch;
	bool done = copy_bytes(&arena, batch->arena, batch->arena_size);
	copy->arena = arena;
	if (done && batch->picked)
		done = copy_bytes(&picked, batch->picked, batch->rows * sizeof *batch->picked);
	copy->picked = picked;
	for (unsigned c = 0; done && c < POLY_COLUMN_COUNT; c++)
		done = copy_column(copy, batch, c);
	set_columns(copy);
	if (done)
		return copy;
	free_batch(copy);
	return NULL;
}

static void
drop_first(struct tail_buffer *tail)
{
	struct tail_batch *first = tail->first;
	tail->first = first->next;
	tail->last = tail->first ? tail->last : NULL;
	tail->rows -= first->view.rows;
	free_batch(first);
}

enum poly_status
tail_buffer_add(
	struct tail_buffer *tail, const struct poly_batch *batch, struct poly_error *error)
{
	struct tail_batch *copy = copy_batch(batch);
	if (!copy)
		return err_memory(error);
	if (tail->last)
		tail->last->next = copy;
	else
		tail->first = copy;
	tail->last = copy;
	tail->rows += batch->rows;
	while (tail->first && tail->rows - tail->first->view.rows >= tail->max)
		drop_first(tail);
	return POLY_OK;
}

enum poly_status
tail_buffer_next(struct tail_buffer *tail, struct batch_gather *gather,
	const struct poly_batch **view, struct poly_error *error)
{
	uint64_t selected[POLY_BATCH_ROWS / 64] = {0};
	struct tail_batch *copy = tail->first;
	free_batch(tail->current);
	tail->current = copy;
	if (!copy)
		return POLY_END;
	const uint64_t excess = tail->rows > tail->max ? tail->rows - tail->max : 0;
	for (size_t r = (size_t)excess; r < copy->view.rows; r++)
		bit_set(selected, r);
	tail->rows -= copy->view.rows;
	tail->first = copy->next;
	const enum poly_status status = batch_gather_rows(gather, &copy->view, selected, error);
	*view = &gather->view;
	return status;
}

void
tail_buffer_free(struct tail_buffer *tail)
{
	while (tail->first)
		drop_first(tail);
	free_batch(tail->current);
	tail->current = NULL;
}
