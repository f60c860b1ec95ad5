/* SPDX-License-Identifier: MIT */
/* Slices of batches: columns are shared, presence bits are shifted. */
#include "model/slice.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

#define BITMAP_WORDS (POLY_BATCH_ROWS / 64)

/* Copies rows bits, from bit from, to bit 0; reads no word past them. */
static void
shift_bits(uint64_t *dst, const uint64_t *bits, size_t from, size_t rows)
{
	size_t words = (rows + 63) / 64, last = (from + rows - 1) / 64;
	unsigned shift = from % 64;
	bits += from / 64;
	last -= from / 64;
	for (size_t i = 0; i < words; i++) {
		dst[i] = bits[i] >> shift;
		if (shift && i < last)
			dst[i] |= bits[i + 1] << (64 - shift);
	}
}

enum poly_status
slice_make(struct slice *slice, const struct poly_batch *batch, size_t from, size_t rows,
	struct poly_error *error)
{
	if (!slice->bits)
		slice->bits = mem_new(POLY_COLUMN_COUNT * BITMAP_WORDS, sizeof(uint64_t));
	if (!slice->bits)
		return err_memory(error);
	slice->view = *batch;
	if (batch->picked)
		slice->view.picked += from;
	else
		slice->view.first += from;
	if (batch->pattern)
		slice->view.pattern += from;
	if (batch->weight)
		slice->view.weight += from;
	slice->view.patterns = NULL;
	slice->view.order = NULL;
	slice->view.rows = rows;
	if (!rows)
		return POLY_OK;
	for (size_t c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (!batch->present[c])
			continue;
		shift_bits(slice->bits + c * BITMAP_WORDS, batch->present[c], from, rows);
		slice->view.present[c] = slice->bits + c * BITMAP_WORDS;
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
