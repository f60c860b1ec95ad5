/* SPDX-License-Identifier: MIT */
#include "select/tail_buffer.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/columns.h"

#include <string.h>

static void
free_batch(struct tail_batch *it)
{
	for (unsigned c = 0; it && c < POLY_COLUMN_COUNT; c++) {
		mem_free(it->columns[c]);
		mem_free(it->bits[c]);
	}
	if (it) {
		mem_free(it->arena);
		mem_free(it->picked);
	}
	mem_free(it);
}

/* Copies n bytes; false where there is no memory for them. */
static bool
copy(void **to, const void *from, size_t n)
{
	*to = mem_new(n ? n : 1, 1);
	if (*to && n)
		memcpy(*to, from, n);
	return *to;
}

static bool
copy_column(struct tail_batch *it, const struct poly_batch *batch, unsigned c)
{
	const void *data = column_data(batch, (enum poly_column)c);
	void *bits = NULL;
	if (!data)
		return true;
	bool done = copy(&it->columns[c], data, batch->rows * column_table[c].size) &&
		    copy(&bits, batch->present[c], (batch->rows + 63) / 64 * sizeof(uint64_t));
	it->bits[c] = bits;
	it->view.present[c] = it->bits[c];
	return done;
}

static void
set_columns(struct tail_batch *it)
{
#define COLUMN(name, type, form, doc) it->view.name = it->columns[POLY_COLUMN_##name];
#include "polytrace/columns.def"
#undef COLUMN
	it->view.arena = it->arena;
	it->view.picked = it->picked;
	it->view.pattern = NULL;
	it->view.weight = NULL;
	it->view.order = NULL;
	it->view.patterns = NULL;
}

static struct tail_batch *
copy_batch(const struct poly_batch *batch)
{
	struct tail_batch *it = mem_new(1, sizeof *it);
	void *arena = NULL, *picked = NULL;
	if (!it)
		return NULL;
	it->view = *batch;
	bool done = copy(&arena, batch->arena, batch->arena_size);
	it->arena = arena;
	if (done && batch->picked)
		done = copy(&picked, batch->picked, batch->rows * sizeof *batch->picked);
	it->picked = picked;
	for (unsigned c = 0; done && c < POLY_COLUMN_COUNT; c++)
		done = copy_column(it, batch, c);
	set_columns(it);
	if (done)
		return it;
	free_batch(it);
	return NULL;
}

static void
forget_first(struct tail_buffer *kept)
{
	struct tail_batch *first = kept->first;
	kept->first = first->next;
	kept->last = kept->first ? kept->last : NULL;
	kept->rows -= first->view.rows;
	free_batch(first);
}

enum poly_status
tail_buffer_add(struct tail_buffer *kept, const struct poly_batch *batch, struct poly_error *error)
{
	struct tail_batch *it = copy_batch(batch);
	if (!it)
		return err_memory(error);
	if (kept->last)
		kept->last->next = it;
	else
		kept->first = it;
	kept->last = it;
	kept->rows += batch->rows;
	while (kept->first && kept->rows - kept->first->view.rows >= kept->most)
		forget_first(kept);
	return POLY_OK;
}

enum poly_status
tail_buffer_next(struct tail_buffer *kept, struct batch_gather *pick, const struct poly_batch **view,
	struct poly_error *error)
{
	uint64_t chosen[POLY_BATCH_ROWS / 64] = {0};
	struct tail_batch *it = kept->first;
	free_batch(kept->given);
	kept->given = it;
	if (!it)
		return POLY_END;
	const uint64_t more = kept->rows > kept->most ? kept->rows - kept->most : 0;
	for (size_t r = (size_t)more; r < it->view.rows; r++)
		bit_set(chosen, r);
	kept->rows -= it->view.rows;
	kept->first = it->next;
	const enum poly_status status = batch_gather_rows(pick, &it->view, chosen, error);
	*view = &pick->view;
	return status;
}

void
tail_buffer_free(struct tail_buffer *kept)
{
	while (kept->first)
		forget_first(kept);
	free_batch(kept->given);
	kept->given = NULL;
}
