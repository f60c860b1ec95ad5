/* SPDX-License-Identifier: MIT */
/* Slices of batches: columns are shared, presence bits are shifted. */
#include "model/slice.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "model/columns.h"

#include <string.h>

#define BITMAP_WORDS (POLY_BATCH_ROWS / 64)

/* The rows from one on have patterns and weights, but end no interval. */
static void
slice_internal(struct slice *slice, const struct poly_batch_internal *internal, size_t from)
{
	slice->internal = *internal;
	slice->internal.patterns = NULL;
	slice->internal.order = NULL;
	if (internal->pattern)
		slice->internal.pattern += from;
	if (internal->weight)
		slice->internal.weight += from;
	slice->view.internal = &slice->internal;
}

enum poly_status
slice_make(struct slice *slice, const struct poly_batch *batch, size_t from, size_t rows,
	struct poly_error *error)
{
	if (!slice->bits)
		slice->bits = mem_new(COLUMN_STORED_END * BITMAP_WORDS, sizeof(uint64_t));
	if (!slice->bits)
		return err_memory(error);
	slice->view = *batch;
	if (batch->picked)
		slice->view.picked += from;
	else
		slice->view.first += from;
	if (batch->internal)
		slice_internal(slice, batch->internal, from);
	slice->view.rows = rows;
	if (!rows)
		return POLY_OK;
	for (size_t c = 0; c < COLUMN_STORED_END; c++) {
		if (!batch->present[c])
			continue;
		uint64_t *bits = slice->bits + c * BITMAP_WORDS;
		memset(bits, 0, BITMAP_WORDS * sizeof *bits);
		bits_copy(bits, 0, batch->present[c], from, rows);
		slice->view.present[c] = bits;
	}
	for (unsigned c = POLY_COLUMN_register; c < COLUMN_STORED_END; c++) {
		uint64_t *values = batch->reserved[c - POLY_COLUMN_COUNT];
		slice->view.reserved[c - POLY_COLUMN_COUNT] = values ? values + from : NULL;
	}
#define COLUMN(name, type, form, doc) \
	if (batch->name)              \
		slice->view.name += from;
#include "polytrace/columns.def"
#undef COLUMN
	return POLY_OK;
}

void
slice_fini(struct slice *slice)
{
	mem_free(slice->bits);
	memset(slice, 0, sizeof *slice);
}
