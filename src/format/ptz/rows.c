/* SPDX-License-Identifier: MIT */
/*
 * Decoding rows of a segment column by column, and within a column in runs of consecutive
 * templates: programs mostly execute them in the order in which they were numbered.
 */
#include "format/ptz/decode.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"

#include <string.h>

struct row_emitter {
	struct unpacked *from;
	struct batch *batch;
	bool no_memory;
	size_t rows, run_count;
	struct pattern_run runs[POLY_BATCH_ROWS];
	uint32_t number[POLY_BATCH_ROWS + 8]; /* the template of each row */
	uint64_t value[POLY_BATCH_ROWS];
	struct ptz_span span[POLY_BATCH_ROWS];	   /* of the values, by run */
	uint16_t row[POLY_BATCH_ROWS + PTZ_SLACK]; /* rows of the values */
};

/* Adds rows, to the last run if they continue it: templates are numbered in the order of their
 * first execution. */
static void
add_run(struct row_emitter *emitter, uint32_t template, uint32_t row, uint32_t rows)
{
	struct pattern_run *last =
		emitter->run_count ? &emitter->runs[emitter->run_count - 1] : NULL;
	if (last && last->pattern + last->rows == template &&
		last->rows + rows <= PATTERN_RUN_MAX)
		last->rows += rows;
	else
		emitter->runs[emitter->run_count++] = (struct pattern_run){template, row, rows};
}

/* Stores rows consecutive numbers from first, and up to 7 more. */
static void
put_numbers(uint32_t *dst, uint32_t first, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i += 8) {
		for (uint32_t k = 0; k < 8; k++)
			dst[i + k] = first + i + k;
	}
}

/* Finds the templates of the next rows. Returns false if the streams do not specify them. */
static bool
find_runs(struct row_emitter *emitter)
{
	struct unpacked *from = emitter->from;
	size_t row = 0;
	while (row < emitter->rows) {
		if (from->next == PTZ_SEVERAL) {
			const uint32_t block = from->block < from->block_count
						       ? from->blocks[from->block]
						       : from->start_count;
			if (block >= from->start_count)
				return false;
			from->next = from->starts[block];
			from->block++;
		}
		const uint32_t t = from->next;
		const size_t left = emitter->rows - row, max = left < 64 ? left : 64;
		const uint32_t rows =
			from->run_length[t] < max ? from->run_length[t] : (uint32_t)max;
		add_run(emitter, t, (uint32_t)row, rows);
		put_numbers(emitter->number + row, t, rows);
		row += rows;
		from->next = from->follow[t + rows - 1];
	}
	return true;
}

/* Returns a bitmap of the rows whose templates are in a set; a bit past the last row may be
 * set. */
static const uint64_t *
find_rows(const struct row_emitter *emitter, struct ptz_set *set)
{
	const uint64_t *map = set->templates;
	uint64_t *dst = set->rows, some = 0;
	unsigned filled = 0;
	if (set->found)
		return set->rows;
	*dst = 0;
	for (size_t i = 0; i < emitter->run_count; i++) {
		const struct pattern_run *run = &emitter->runs[i];
		const uint64_t *word = map + run->pattern / 64;
		const unsigned shift = run->pattern % 64, n = run->rows;
		some = word[0] >> shift | word[1] << 1 << (63 - shift);
		some &= ~(uint64_t)0 >> (64 - n);
		*dst |= some << filled;
		filled += n;
		if (filled < 64)
			continue;
		filled -= 64;
		*++dst = filled ? some >> (n - filled) : 0;
	}
	set->found = true;
	return set->rows;
}

/* Copies elements of size bytes, a compile-time constant. */
static inline __attribute__((always_inline)) void
copy_elements(const struct row_emitter *emitter, uint8_t *dst, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < emitter->run_count; i++) {
		const struct pattern_run *run = &emitter->runs[i];
		uint8_t *target = dst + run->row * size;
		const uint8_t *source = from + run->pattern * size;
		if (run->row + 64 + PTZ_SLACK > POLY_BATCH_ROWS) {
			memcpy(target, source, run->rows * size);
			continue;
		}
		for (uint32_t done = 0; done < run->rows; done += PTZ_SLACK)
			memcpy(target + done * size, source + done * size, PTZ_SLACK * size);
	}
}

static void
copy_values(const struct row_emitter *emitter, const struct ptz_column *column)
{
	uint8_t *dst = batch_column(emitter->batch, column->column);
	switch (column->size) {
	case 1: copy_elements(emitter, dst, column->values, 1); break;
	case 2: copy_elements(emitter, dst, column->values, 2); break;
	case 4: copy_elements(emitter, dst, column->values, 4); break;
	case 8: copy_elements(emitter, dst, column->values, 8); break;
	}
}

static void
copy_slices(const struct row_emitter *emitter, const struct ptz_column *column,
	const uint64_t *rows)
{
	const struct poly_slice *slices = column->values;
	for (size_t w = 0; 64 * w < emitter->rows; w++) {
		for (uint64_t left = rows[w]; left; left &= left - 1) {
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);
			const struct poly_slice *slice = &slices[emitter->number[row]];
			batch_put_bytes(emitter->batch, column->column, row,
				column->bytes ? column->bytes + slice->offset : NULL,
				slice->length);
		}
	}
}

/* Fills the static values of a column. */
static void
emit_fixed(struct row_emitter *emitter, const struct ptz_column *column)
{
	uint64_t *bits = emitter->batch->bits[column->column];
	const uint64_t *rows = find_rows(emitter, column->fixed);
	if (column->size == 0) {
		copy_slices(emitter, column, rows);
		return;
	}
	copy_values(emitter, column);
	if (column->always) {
		batch_all_present(emitter->batch, column->column);
		return;
	}
	for (size_t w = 0; 64 * w < emitter->rows; w++)
		bits[w] |= rows[w];
}

/* Decodes the next slice of a varying column. Returns false if it is missing, or out of memory.
 */
static bool
decode_slice(struct row_emitter *emitter, struct ptz_column *column, uint64_t size,
	const uint8_t **bytes)
{
	struct ptz_bytes *slices = &column->slices;
	const size_t n = (size_t)size;
	if ((size_t)(slices->end - slices->p) < size)
		return false;
	*bytes = slices->p;
	/* If all slices are empty, the stream may have no bytes. */
	if (n)
		slices->p += n;
	if (!column->is_xor)
		return true;
	if (n > column->previous_capacity) {
		uint8_t *room = mem_resize(column->previous, n, 1);
		emitter->no_memory = !room;
		if (!room)
			return false;
		column->previous = room;
		column->previous_capacity = n;
	}
	const bool same = n == column->previous_size;
	for (size_t i = 0; i < n; i++)
		column->previous[i] = (*bytes)[i] ^ (same ? column->previous[i] : 0);
	column->previous_size = n;
	*bytes = column->previous;
	return true;
}

/* Lists the rows of a set, and the members that they have; returns their number. */
static size_t
list_rows(struct row_emitter *emitter, const struct ptz_set *set)
{
	size_t n = 0;
	for (size_t i = 0; i < emitter->run_count; i++) {
		const struct pattern_run *run = &emitter->runs[i];
		const uint32_t first = set->rank[run->pattern];
		const uint32_t count = set->rank[run->pattern + run->rows] - first;
		const uint32_t move = run->row - run->pattern;
		const uint32_t *member = set->members + first;
		uint16_t *row = emitter->row + n;
		for (uint32_t done = 0; done < count; done += 8) {
			for (uint32_t k = done; k < done + 8; k++)
				row[k] = (uint16_t)(member[k] + move);
		}
		emitter->span[i] = (struct ptz_span){first, count};
		n += count;
	}
	return n;
}

/* Lists the same for a set of all templates, whose rows are known. */
static void
list_spans(struct row_emitter *emitter)
{
	for (size_t i = 0; i < emitter->run_count; i++)
		emitter->span[i] =
			(struct ptz_span){emitter->runs[i].pattern, emitter->runs[i].rows};
}

/* Stores n numbers in their rows of a column. */
static void
store_values(const struct row_emitter *emitter, const struct ptz_column *column, size_t n)
{
	void *array = batch_column(emitter->batch, column->column);
	const uint64_t *v = emitter->value;
	const uint16_t *row = emitter->row;
	switch (column->size) {
	case 1:
		for (size_t i = 0; i < n; i++)
			((uint8_t *)array)[row[i]] = (uint8_t)v[i];
		break;
	case 2:
		for (size_t i = 0; i < n; i++)
			((uint16_t *)array)[row[i]] = (uint16_t)v[i];
		break;
	case 4:
		for (size_t i = 0; i < n; i++)
			((uint32_t *)array)[row[i]] = (uint32_t)v[i];
		break;
	case 8:
		for (size_t i = 0; i < n; i++)
			((uint64_t *)array)[row[i]] = v[i];
		break;
	}
}

/* Decodes the varying values of a column. Returns false if there are too few. */
static bool
emit_varying(struct row_emitter *emitter, struct ptz_column *column)
{
	uint64_t *bits = emitter->batch->bits[column->column];
	if (column->all_varying && column->size == sizeof(uint64_t)) {
		uint64_t *dst = batch_column(emitter->batch, column->column);
		list_spans(emitter);
		ptz_decode(&column->decoder, dst, emitter->rows, emitter->span);
		batch_all_present(emitter->batch, column->column);
		return !column->decoder.bytes.bad;
	}
	const size_t n = list_rows(emitter, column->varying);
	const uint64_t *rows = find_rows(emitter, column->varying);
	ptz_decode(&column->decoder, emitter->value, n, emitter->span);
	if (column->decoder.bytes.bad)
		return false;
	if (column->size) {
		store_values(emitter, column, n);
		for (size_t w = 0; 64 * w < emitter->rows; w++)
			bits[w] |= rows[w];
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *bytes;
		if (!decode_slice(emitter, column, emitter->value[i], &bytes))
			return false;
		batch_put_bytes(emitter->batch, column->column, emitter->row[i], bytes,
			(size_t)emitter->value[i]);
	}
	return true;
}

/* Discards the sets' rows, which are of another batch. */
static void
reset_sets(const struct unpacked *from)
{
	for (unsigned i = 0; i < from->set_count; i++)
		from->sets[i]->found = false;
}

/* Returns scratch space for emitting rows; NULL: out of memory. */
static struct row_emitter *
scratch_space(struct row_emitter **scratch)
{
	if (!*scratch)
		*scratch = mem_new(1, sizeof **scratch);
	return *scratch;
}

/* Prepares for emitting rows; NULL: out of memory. */
static struct row_emitter *
start_rows(struct unpacked *from, struct batch *batch)
{
	struct row_emitter *emitter = scratch_space(&from->emitter);
	if (!emitter)
		return NULL;
	emitter->from = from;
	emitter->batch = batch;
	emitter->no_memory = false;
	emitter->run_count = 0;
	reset_sets(from);
	return emitter;
}

enum poly_status
unpacked_emit_templates(struct unpacked *from, struct batch *batch, const uint32_t *templates,
	size_t n, struct poly_error *error)
{
	struct row_emitter *emitter = start_rows(from, batch);
	if (!emitter)
		return err_memory(error);
	emitter->rows = n;
	for (size_t row = 0; row < n; row++) {
		add_run(emitter, templates[row], (uint32_t)row, 1);
		emitter->number[row] = templates[row];
	}
	for (unsigned i = 0; i < from->columns; i++) {
		if (from->column[i].fixed)
			emit_fixed(emitter, &from->column[i]);
	}
	batch->view.rows = n;
	return POLY_OK;
}

enum poly_status
unpacked_next_rows(
	struct unpacked *from, struct batch *batch, size_t max, struct poly_error *error)
{
	struct row_emitter *emitter = start_rows(from, batch);
	if (!emitter)
		return err_memory(error);
	max = max < from->rows_max ? max : from->rows_max;
	emitter->rows = from->rows - from->delivered < max ? from->rows - from->delivered : max;
	if (from->delivered == 0)
		from->next = PTZ_SEVERAL;
	bool ok = find_runs(emitter);
	for (unsigned i = 0; ok && i < from->columns; i++) {
		struct ptz_column *column = &from->column[i];
		if (!column->varying)
			continue;
		/* Varying values replace the static ones of rows without a static value. */
		if (column->fixed)
			emit_fixed(emitter, column);
		ok = emit_varying(emitter, column);
	}
	from->delivered += (uint32_t)emitter->rows;
	batch->view.rows = emitter->rows;
	if (ok)
		return POLY_OK;
	/* Some columns were filled. */
	batch_clear(batch);
	if (emitter->no_memory)
		return err_memory(error);
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"the streams have fewer than the segment's %u rows", from->rows);
}

void
unpacked_fill_lazy(const struct unpacked *from)
{
	struct row_emitter *emitter = from->emitter;
	reset_sets(from);
	for (unsigned i = 0; i < from->columns; i++) {
		if (from->column[i].fixed && !from->column[i].varying)
			emit_fixed(emitter, &from->column[i]);
	}
}

void
unpacked_set_patterns(
	const struct unpacked *from, struct batch *batch, struct poly_patterns *patterns)
{
	const struct row_emitter *emitter = from->emitter;
	batch->view.internal = &batch->internal;
	batch->internal = (struct poly_batch_internal){.pattern = emitter->number,
		.varying = POLY_COLUMNS(PTZ_POSITION_COLUMNS),
		.patterns = patterns};
	for (unsigned i = 0; i < from->columns; i++) {
		if (from->column[i].varying)
			poly_columns_add(&batch->internal.varying,
				(enum poly_column)from->column[i].column);
	}
	patterns->runs = emitter->runs;
	patterns->run_count = emitter->run_count;
	patterns->count = from->templates;
	patterns->rows = from->rows;
}

/* Sets up each template as one row of a batch. */
static void
set_template_rows(struct row_emitter *emitter, uint32_t first)
{
	emitter->run_count = 0;
	for (uint32_t row = 0; row < emitter->rows; row += PATTERN_RUN_MAX) {
		const uint32_t left = (uint32_t)emitter->rows - row;
		emitter->runs[emitter->run_count++] = (struct pattern_run){
			first + row, row, left < PATTERN_RUN_MAX ? left : PATTERN_RUN_MAX};
	}
	for (uint32_t row = 0; row < emitter->rows; row++)
		emitter->number[row] = first + row;
}

enum poly_status
unpacked_list_templates(struct unpacked *from, uint32_t first, struct batch *batch,
	column_mask *varying, struct poly_error *error)
{
	struct row_emitter *emitter = scratch_space(&from->template_emitter);
	if (!emitter)
		return err_memory(error);
	const size_t left = from->templates - first, max = from->rows_max;
	emitter->from = from;
	emitter->batch = batch;
	emitter->rows = left < max ? left : max;
	set_template_rows(emitter, first);
	reset_sets(from);
	memset(varying, 0, emitter->rows * sizeof *varying);
	for (unsigned i = 0; i < from->columns; i++) {
		const struct ptz_column *column = &from->column[i];
		if (column->fixed)
			emit_fixed(emitter, column);
		const uint64_t *moves = column->varying ? column->varying->templates : NULL;
		for (size_t row = 0; moves && row < emitter->rows; row++) {
			const bool has = bit_test(moves, first + row);
			varying[row] |= (column_mask)has << column->column;
		}
	}
	batch->view.rows = emitter->rows;
	return batch_finish(batch, error);
}
