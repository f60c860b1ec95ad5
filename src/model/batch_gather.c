/* SPDX-License-Identifier: MIT */
#include "model/batch_gather.h"

#include "model/columns.h"
#include "model/row_copy.h"

#include <string.h>

static size_t
index_rows(
	struct batch_gather *gather, const struct poly_batch *batch, const uint64_t *selected)
{
	size_t n = 0;
	for (size_t w = 0; w < (batch->rows + 63) / 64; w++) {
		for (uint64_t left = selected[w]; left; left &= left - 1)
			gather->index[n++] = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(left));
	}
	return n;
}

static void
copy_values(
	const struct batch_gather *gather, size_t n, size_t size, void *dst, const void *src)
{
	const uint32_t *index = gather->index;
	switch (size) {
	case 1:
		for (size_t i = 0; i < n; i++)
			((uint8_t *)dst)[i] = ((const uint8_t *)src)[index[i]];
		break;
	case 2:
		for (size_t i = 0; i < n; i++)
			((uint16_t *)dst)[i] = ((const uint16_t *)src)[index[i]];
		break;
	case 4:
		for (size_t i = 0; i < n; i++)
			((uint32_t *)dst)[i] = ((const uint32_t *)src)[index[i]];
		break;
	default:
		for (size_t i = 0; i < n; i++)
			memcpy((uint8_t *)dst + 8 * i, (const uint8_t *)src + 8 * index[i], 8);
	}
}

static void
copy_column(
	struct batch_gather *gather, const struct poly_batch *batch, enum poly_column column)
{
	const uint64_t *present = batch->present[column];
	uint64_t *bits = gather->rows.bits[column];
	const size_t n = gather->rows.view.rows;
	copy_values(gather, n, column_table[column].size, batch_column(&gather->rows, column),
		column_data(batch, column));
	memset(bits, 0, (n + 63) / 64 * sizeof *bits);
	for (size_t i = 0; i < n; i++)
		bits[i / 64] |= (present[gather->index[i] / 64] >> gather->index[i] % 64 & 1)
				<< i % 64;
}

enum poly_status
batch_gather_rows(struct batch_gather *gather, const struct poly_batch *batch,
	const uint64_t *selected, struct poly_error *error)
{
	const poly_columns columns = row_copy_columns(batch);
	const size_t n = index_rows(gather, batch, selected);
	if (n == batch->rows) {
		gather->view = *batch;
		return POLY_OK;
	}
	if (!poly_columns_equal(gather->rows.wanted, columns)) {
		batch_fini(&gather->rows);
		const enum poly_status status =
			batch_init(&gather->rows, columns, POLY_BATCH_ROWS, batch->info, error);
		if (status != POLY_OK)
			return status;
	}
	gather->rows.view.rows = n;
	FOR_COLUMNS(column, columns)
	copy_column(gather, batch, column);
	gather->view = gather->rows.view;
	gather->view.first = batch->first;
	gather->view.info = batch->info;
	gather->view.arena = batch->arena;
	gather->view.arena_size = batch->arena_size;
	gather->view.picked = gather->index;
	for (size_t i = 0; batch->picked && i < n; i++)
		gather->index[i] = batch->picked[gather->index[i]];
	return POLY_OK;
}

void
batch_gather_fini(struct batch_gather *gather)
{
	batch_fini(&gather->rows);
}
