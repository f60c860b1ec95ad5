/* SPDX-License-Identifier: MIT */
#include "model/batch_gather.h"

#include "model/columns.h"

#include <string.h>

/* The columns that a batch has. */
static poly_columns
columns_of(const struct poly_batch *batch)
{
	poly_columns columns = 0;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++)
		columns |= (poly_columns)(column_data(batch, (enum poly_column)c) != NULL) << c;
	return columns;
}

static size_t
number_rows(struct batch_gather *pick, const struct poly_batch *batch, const uint64_t *chosen)
{
	size_t n = 0;
	for (size_t w = 0; w < (batch->rows + 63) / 64; w++) {
		for (uint64_t left = chosen[w]; left; left &= left - 1)
			pick->numbers[n++] = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(left));
	}
	return n;
}

static void
copy_values(const struct batch_gather *pick, size_t n, size_t size, void *to, const void *from)
{
	const uint32_t *numbers = pick->numbers;
	switch (size) {
	case 1:
		for (size_t i = 0; i < n; i++)
			((uint8_t *)to)[i] = ((const uint8_t *)from)[numbers[i]];
		break;
	case 2:
		for (size_t i = 0; i < n; i++)
			((uint16_t *)to)[i] = ((const uint16_t *)from)[numbers[i]];
		break;
	case 4:
		for (size_t i = 0; i < n; i++)
			((uint32_t *)to)[i] = ((const uint32_t *)from)[numbers[i]];
		break;
	default:
		for (size_t i = 0; i < n; i++)
			memcpy((uint8_t *)to + 8 * i, (const uint8_t *)from + 8 * numbers[i],
				8);
	}
}

static void
copy_column(struct batch_gather *pick, const struct poly_batch *batch, enum poly_column column)
{
	const uint64_t *from = batch->present[column];
	uint64_t *bits = pick->rows.bits[column];
	const size_t n = pick->rows.view.rows;
	copy_values(pick, n, column_table[column].size, batch_column(&pick->rows, column),
		column_data(batch, column));
	memset(bits, 0, (n + 63) / 64 * sizeof *bits);
	for (size_t i = 0; i < n; i++)
		bits[i / 64] |= (from[pick->numbers[i] / 64] >> pick->numbers[i] % 64 & 1)
				<< i % 64;
}

enum poly_status
batch_gather_rows(struct batch_gather *pick, const struct poly_batch *batch, const uint64_t *chosen,
	struct poly_error *error)
{
	const poly_columns columns = columns_of(batch);
	const size_t n = number_rows(pick, batch, chosen);
	if (n == batch->rows) {
		pick->view = *batch;
		return POLY_OK;
	}
	if (pick->rows.wanted != columns) {
		batch_fini(&pick->rows);
		const enum poly_status status =
			batch_init(&pick->rows, columns, POLY_BATCH_ROWS, batch->info, error);
		if (status != POLY_OK)
			return status;
	}
	pick->rows.view.rows = n;
	for (poly_columns left = columns; left; left &= left - 1)
		copy_column(pick, batch, (enum poly_column)__builtin_ctzll(left));
	pick->view = pick->rows.view;
	pick->view.first = batch->first;
	pick->view.info = batch->info;
	pick->view.arena = batch->arena;
	pick->view.arena_size = batch->arena_size;
	pick->view.picked = pick->numbers;
	for (size_t i = 0; batch->picked && i < n; i++)
		pick->numbers[i] = batch->picked[pick->numbers[i]];
	return POLY_OK;
}

void
batch_gather_fini(struct batch_gather *pick)
{
	batch_fini(&pick->rows);
}
