/* SPDX-License-Identifier: MIT */
#include "select/tail_buffer.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/columns.h"

#include <string.h>

/* Returns the size of n bytes that are followed by aligned data. */
static size_t
align(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* Copies n bytes to *end, which moves past them; NULL, if there is nothing to copy. */
static void *
append(uint8_t **end, const void *src, size_t n)
{
	uint8_t *dst = *end;
	if (!src)
		return NULL;
	memcpy(dst, src, n);
	*end += align(n);
	return dst;
}

static struct tail_batch *
copy_batch(const struct poly_batch *batch)
{
	const size_t rows = batch->rows, bitmap = (rows + 63) / 64 * sizeof(uint64_t);
	const size_t picked = rows * sizeof *batch->picked;
	size_t size = sizeof(struct tail_batch) + align(batch->arena_size) + align(picked);
	for (unsigned c = 0; c < COLUMN_STORED_END; c++)
		if (column_data(batch, (enum poly_column)c))
			size += bitmap + align(rows * column_table[c].size);
	struct tail_batch *copy = mem_new(size, 1);
	if (!copy)
		return NULL;
	uint8_t *end = (uint8_t *)(copy + 1);
	copy->view = *batch;
	copy->view.arena = append(&end, batch->arena, batch->arena_size);
	copy->view.picked = append(&end, batch->picked, picked);
#define COLUMN(name, type, form, doc)                                     \
	copy->view.name = append(&end, batch->name, rows * sizeof(type)); \
	copy->view.present[POLY_COLUMN_##name] =                          \
		append(&end, batch->name ? batch->present[POLY_COLUMN_##name] : NULL, bitmap);
#include "polytrace/columns.def"
#undef COLUMN
	for (unsigned c = POLY_COLUMN_register; c < COLUMN_STORED_END; c++) {
		const uint64_t *values = batch->reserved[c - POLY_COLUMN_COUNT];
		copy->view.reserved[c - POLY_COLUMN_COUNT] =
			append(&end, values, rows * sizeof *values);
		copy->view.present[c] = append(&end, values ? batch->present[c] : NULL, bitmap);
	}
	copy->view.internal = NULL;
	return copy;
}

static void
drop_first(struct tail_buffer *tail)
{
	struct tail_batch *first = tail->first;
	tail->first = first->next;
	tail->last = tail->first ? tail->last : NULL;
	tail->rows -= first->view.rows;
	mem_free(first);
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
tail_buffer_next(
	struct tail_buffer *tail, const struct poly_batch **view, struct poly_error *error)
{
	struct tail_batch *copy = tail->first;
	mem_free(tail->current);
	tail->current = copy;
	if (!copy)
		return POLY_END;
	const size_t rows = copy->view.rows;
	const size_t excess = tail->rows > tail->max ? (size_t)(tail->rows - tail->max) : 0;
	tail->rows -= rows;
	tail->first = copy->next;
	*view = &tail->slice.view;
	return slice_make(&tail->slice, &copy->view, excess, rows - excess, error);
}

void
tail_buffer_free(struct tail_buffer *tail)
{
	while (tail->first)
		drop_first(tail);
	mem_free(tail->current);
	tail->current = NULL;
	slice_fini(&tail->slice);
}
