/* SPDX-License-Identifier: MIT */
/* Storage of batches. */
#include "model/batch.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

#define BITMAP_WORDS (POLY_BATCH_ROWS / 64)

static bool
wants(const struct batch *batch, enum poly_column column)
{
	return poly_columns_has(batch->wanted, column);
}

static bool
batch_allocate(struct batch *batch)
{
	FOR_COLUMNS(c, batch->wanted)
	{
		batch->bits[c] = mem_new(BITMAP_WORDS, sizeof(uint64_t));
		if (!batch->bits[c])
			return false;
		if (column_is_register(c) &&
			!(batch->view.reserved[c - POLY_COLUMN_COUNT] =
					mem_new(POLY_BATCH_ROWS, sizeof(uint64_t))))
			return false;
	}
#define COLUMN(name, type, form, doc)                                         \
	if (wants(batch, POLY_COLUMN_##name) &&                               \
		!(batch->view.name = mem_new(POLY_BATCH_ROWS, sizeof(type)))) \
		return false;
#include "polytrace/columns.def"
#undef COLUMN
	batch->all = mem_new(BITMAP_WORDS, sizeof(uint64_t));
	if (!batch->all)
		return false;
	memset(batch->all, 0xff, BITMAP_WORDS * sizeof(uint64_t));
	return true;
}

enum poly_status
batch_init(struct batch *batch, poly_columns wanted, size_t capacity,
	const struct poly_trace_info *info, struct poly_error *error)
{
	memset(batch, 0, sizeof *batch);
	batch->wanted = wanted;
	batch->capacity = capacity;
	batch->view.info = info;
	if (!batch_allocate(batch)) {
		batch_fini(batch);
		return err_memory(error);
	}
	batch_clear(batch);
	return POLY_OK;
}

void
batch_clear(struct batch *batch)
{
	size_t words = (batch->view.rows + 63) / 64;
	FOR_COLUMNS(c, batch->wanted)
	{
		memset(batch->bits[c], 0, words * sizeof(uint64_t));
		batch->view.present[c] = batch->bits[c];
	}
	batch->view.rows = 0;
	batch->view.internal = NULL;
	buf_clear(&batch->arena);
}

void
batch_all_present(struct batch *batch, enum poly_column column)
{
	if (wants(batch, column))
		batch->view.present[column] = batch->all;
}

enum poly_status
batch_finish(struct batch *batch, struct poly_error *error)
{
	batch->view.arena = batch->arena.data;
	batch->view.arena_size = batch->arena.size;
	return batch->arena.failed ? err_memory(error) : POLY_OK;
}

void
batch_put_bytes(
	struct batch *batch, enum poly_column column, size_t row, const void *data, size_t n)
{
	struct poly_slice slice = {(uint32_t)batch->arena.size, (uint32_t)n};
	struct poly_slice *dst = NULL;
	switch ((unsigned)column) {
	case POLY_COLUMN_text: dst = batch->view.text; break;
	case POLY_COLUMN_payload: dst = batch->view.payload; break;
	case POLY_COLUMN_raw: dst = batch->view.raw; break;
	case POLY_COLUMN_verbatim: dst = batch->view.verbatim; break;
	case POLY_COLUMN_counters: dst = batch->view.counters; break;
	}
	if (!dst)
		return;
	buf_append(&batch->arena, data, n);
	dst[row] = slice;
	bit_set(batch->bits[column], row);
}

/* Slices are not integers: storing one as an integer is a bug of the caller. */
#define STORE_COLUMN(name, type) batch->view.name[row] = (type)v
#define STORE_SLICE(name, type) (void)v
#define STORE_KIND STORE_COLUMN
#define STORE_ACCESS STORE_COLUMN
#define STORE_BRANCH STORE_COLUMN
#define STORE_SYNC STORE_COLUMN
#define STORE_EVENT STORE_COLUMN
#define STORE_FLAGS STORE_COLUMN
#define STORE_RECORD STORE_COLUMN
#define STORE_NAME STORE_COLUMN
#define STORE_BOOL STORE_COLUMN
#define STORE_DEC STORE_COLUMN
#define STORE_HEX STORE_COLUMN
#define STORE_BYTES STORE_SLICE
#define STORE_TEXT STORE_SLICE

void
batch_put_integer(struct batch *batch, enum poly_column column, size_t row, uint64_t v)
{
	if (!wants(batch, column))
		return;
	switch ((unsigned)column) {
#define COLUMN(name, type, form, doc)     \
	case POLY_COLUMN_##name:          \
		STORE_##form(name, type); \
		break;
#include "polytrace/columns.def"
#undef COLUMN
	}
	bit_set(batch->bits[column], row);
}

void *
batch_column(const struct batch *batch, enum poly_column column)
{
	if (column_is_register(column))
		return batch->view.reserved[column - POLY_COLUMN_COUNT];
	switch ((unsigned)column) {
#define COLUMN(name, type, form, doc) \
	case POLY_COLUMN_##name:      \
		return batch->view.name;
#include "polytrace/columns.def"
#undef COLUMN
	default: return NULL;
	}
}

void
batch_fini(struct batch *batch)
{
#define COLUMN(name, type, form, doc) mem_free(batch->view.name);
#include "polytrace/columns.def"
#undef COLUMN
	for (unsigned c = 0; c < COLUMN_STORED_END; c++) {
		mem_free(batch->bits[c]);
		if (column_is_register((enum poly_column)c))
			mem_free(batch->view.reserved[c - POLY_COLUMN_COUNT]);
	}
	mem_free(batch->all);
	buf_free(&batch->arena);
	memset(batch, 0, sizeof *batch);
}
