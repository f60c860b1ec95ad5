/* SPDX-License-Identifier: MIT */
#include "model/id_remap.h"

#include "base/mem.h"
#include "base/vec.h"
#include "model/columns.h"

#include <string.h>

bool
id_remap_add(struct id_remap *remap, const uint32_t *dst, size_t n)
{
	if (!VEC_RESERVE(remap->dst, remap->capacity, remap->count + n))
		return false;
	for (size_t i = 0; i < n; i++) {
		remap->differs |= dst[i] != remap->count;
		remap->dst[remap->count++] = dst[i];
	}
	return true;
}

void
id_remap_apply(const struct id_remap *remap, struct batch *batch, enum poly_column column)
{
	uint32_t *ids = batch_column(batch, column);
	const uint32_t *dst = remap->dst, count = remap->count;
	if (!ids || !remap->differs)
		return;
	/* Rows without a value hold anything. */
	for (size_t row = 0; row < batch->view.rows; row++)
		ids[row] = ids[row] < count ? dst[ids[row]] : ids[row];
}

void
id_remap_apply_names(const struct id_remap *remap, struct batch *batch)
{
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (column_table[c].form == POLY_FORM_NAME)
			id_remap_apply(remap, batch, (enum poly_column)c);
	}
}

void
id_remap_apply_records(const struct id_remap *remap, struct batch *batch)
{
	uint8_t *records = batch->view.record;
	for (size_t row = 0; records && remap->differs && row < batch->view.rows; row++) {
		if (records[row] < remap->count)
			records[row] = (uint8_t)remap->dst[records[row]];
	}
}

void
id_remap_free(struct id_remap *remap)
{
	mem_free(remap->dst);
	memset(remap, 0, sizeof *remap);
}
