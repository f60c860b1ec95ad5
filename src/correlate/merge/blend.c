/* SPDX-License-Identifier: MIT */
/* Rows of several readers, column by column. */
#include "correlate/merge/blend.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/columns.h"

#include <string.h>

/* Columns that are about one file alone. */
#define OWN_COLUMNS (POLY_HAS(site) | POLY_HAS(verbatim))

/* Copies n bits of a map, which are 0 in the other so far. */
static void
copy_bits(uint64_t *to, size_t to_row, const uint64_t *from, size_t from_row, size_t n)
{
	while (n) {
		const size_t room = 64 - to_row % 64, part = n < room ? n : room;
		const unsigned shift = from_row % 64;
		uint64_t word = from[from_row / 64] >> shift;
		if (shift && shift + part > 64)
			word |= from[from_row / 64 + 1] << (64 - shift);
		if (part < 64)
			word &= ((uint64_t)1 << part) - 1;
		to[to_row / 64] |= word << to_row % 64;
		to_row += part;
		from_row += part;
		n -= part;
	}
}

/* Copies n elements of size bytes. */
static inline void
copy_cells(void *to, const void *from, size_t n, size_t size)
{
	if (n > 1) {
		memcpy(to, from, n * size);
		return;
	}
	switch (size) {
	case 1: memcpy(to, from, 1); break;
	case 2: memcpy(to, from, 2); break;
	case 4: memcpy(to, from, 4); break;
	default: memcpy(to, from, 8);
	}
}

/* The number in the blend of a name of an input; false: no room or no memory. */
static bool
learn_names(struct blend *blend, struct input *input, uint32_t number)
{
	const struct poly_trace_info *info = poly_reader_info(input->reader);
	while (input->name_count <= number) {
		const char *name = poly_trace_name(info, input->name_count);
		uint32_t to = input->name_count;
		if (name && !info_keep_name(&blend->info, name, strlen(name), &to))
			return false;
		if (input->name_count == input->name_capacity) {
			const uint32_t capacity =
				input->name_capacity ? 2 * input->name_capacity : 64;
			uint32_t *names = mem_resize(input->names, capacity, sizeof *names);
			blend->info.no_memory |= !names;
			if (!names)
				return false;
			input->names = names;
			input->name_capacity = capacity;
		}
		input->names_differ |= to != input->name_count;
		input->names[input->name_count++] = to;
	}
	return true;
}

/* Translates the names of n cells that are present. */
static bool
translate_names(struct blend *blend, struct input *input, uint32_t *cells, const uint64_t *bits,
	const struct segment *rows)
{
	const struct poly_trace_info *info = poly_reader_info(input->reader);
	for (size_t i = 0; i < rows->count; i++) {
		if (!bit_test(bits, rows->from + i) || !poly_trace_name(info, cells[i]))
			continue;
		if (cells[i] >= input->name_count && !learn_names(blend, input, cells[i]))
			return false;
		cells[i] = input->names[cells[i]];
	}
	return true;
}

/* Moves the bytes of cells into the arena of the blend. */
static void
move_bytes(struct blend *blend, const struct poly_batch *batch, struct poly_slice *cells,
	const uint64_t *bits, const struct segment *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (!bit_test(bits, rows->from + i))
			continue;
		const uint32_t offset = (uint32_t)blend->out.arena.size;
		buf_append(&blend->out.arena, batch->arena + cells[i].offset, cells[i].length);
		cells[i].offset = offset;
	}
}

/* What the values of some columns need when they change their trace. */
static bool
settle_cells(
	struct blend *blend, const struct segment *rows, enum poly_column column, void *cells)
{
	struct input *input = &blend->inputs[rows->input];
	const uint64_t *bits = input->batch->present[column];
	const enum poly_form form = column_table[column].form;
	if (form == POLY_FORM_NAME)
		return translate_names(blend, input, cells, bits, rows);
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
		move_bytes(blend, input->batch, cells, bits, rows);
	for (size_t i = 0; column == POLY_COLUMN_record && i < rows->count; i++)
		((uint8_t *)cells)[i] = input->records[((uint8_t *)cells)[i]];
	return true;
}

static bool
put_column(struct blend *blend, enum poly_column column)
{
	const size_t size = column_table[column].size;
	uint8_t *to = batch_column(&blend->out, column);
	uint64_t *bits = blend->out.bits[column];
	const bool plain = column_table[column].form != POLY_FORM_NAME &&
			   column_table[column].form != POLY_FORM_BYTES &&
			   column_table[column].form != POLY_FORM_TEXT &&
			   column != POLY_COLUMN_record;
	size_t row = 0;
	for (size_t i = 0; i < blend->segment_count; i++) {
		const struct segment *rows = &blend->segments[i];
		const struct poly_batch *batch = blend->inputs[rows->input].batch;
		const uint8_t *from = column_data(batch, column);
		if (from) {
			copy_cells(
				to + row * size, from + rows->from * size, rows->count, size);
			copy_bits(bits, row, batch->present[column], rows->from, rows->count);
			if (!plain && !settle_cells(blend, rows, column, to + row * size))
				return false;
		}
		row += rows->count;
	}
	return true;
}

/* The thread's number in the rows of inputs that get it. */
static void
put_threads(struct blend *blend)
{
	size_t row = 0;
	for (size_t i = 0; i < blend->segment_count; i++) {
		const struct segment *rows = &blend->segments[i];
		const struct input *input = &blend->inputs[rows->input];
		for (size_t n = 0; input->fills_thread && n < rows->count; n++)
			batch_put(&blend->out, thread, row + n, input->thread);
		row += rows->count;
	}
}

bool
blend_passes(const struct blend *blend, size_t number, size_t rows)
{
	const struct input *input = &blend->inputs[number];
	if (blend->rows || rows < BLEND_WHOLE || input->records_differ)
		return false;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (column_table[c].form == POLY_FORM_NAME && input->batch->present[c])
			return false;
	}
	return true;
}

/* The column thread of rows that are handed on. */
static enum poly_status
set_threads(struct blend *blend, size_t number, struct poly_error *error)
{
	const struct input *input = &blend->inputs[number];
	if (!input->fills_thread)
		return POLY_OK;
	if (!blend->threads) {
		blend->threads = mem_new(POLY_BATCH_ROWS, sizeof *blend->threads);
		blend->threads_of = SIZE_MAX;
	}
	if (!blend->threads)
		return err_memory(error);
	for (size_t i = 0; blend->threads_of != number && i < POLY_BATCH_ROWS; i++)
		blend->threads[i] = input->thread;
	blend->threads_of = number;
	blend->view.thread = blend->threads;
	blend->view.present[POLY_COLUMN_thread] = blend->out.all;
	return POLY_OK;
}

/* The number of the first row given, and what is not kept of the trace that it is from. */
static void
settle_view(struct blend *blend)
{
	blend->view.first = blend->given;
	blend->view.picked = NULL;
	blend->view.pattern = NULL; /* the thread is another one's */
	blend->view.patterns = NULL;
	blend->view.info = &blend->info.view;
	blend->view.site = NULL;
	if (!blend->info.view.raw_format) {
		blend->view.raw = NULL;
		blend->view.present[POLY_COLUMN_raw] = NULL;
	}
	blend->view.verbatim = NULL;
	blend->view.present[POLY_COLUMN_site] = NULL;
	blend->view.present[POLY_COLUMN_verbatim] = NULL;
	blend->given += blend->view.rows;
}

enum poly_status
blend_pass(struct blend *blend, size_t number, size_t count, struct poly_error *error)
{
	struct input *input = &blend->inputs[number];
	enum poly_status status = POLY_OK;
	if (count == input->batch->rows)
		blend->view = *input->batch;
	else
		status = slice_make(&blend->slice, input->batch, input->at, count, error);
	if (status != POLY_OK)
		return status;
	if (count != input->batch->rows)
		blend->view = blend->slice.view;
	input->at += count;
	settle_view(blend);
	return set_threads(blend, number, error);
}

void
blend_add(struct blend *blend, size_t number, size_t count)
{
	struct input *input = &blend->inputs[number];
	blend->segments[blend->segment_count++] =
		(struct segment){(uint32_t)number, (uint32_t)input->at, (uint32_t)count};
	input->at += count;
	blend->rows += count;
}

enum poly_status
blend_flush(struct blend *blend, struct poly_error *error)
{
	batch_clear(&blend->out);
	blend->out.view.rows = blend->rows;
	for (poly_columns left = blend->out.wanted; left; left &= left - 1) {
		if (put_column(blend, (enum poly_column)__builtin_ctzll(left)))
			continue;
		if (blend->info.no_memory)
			return err_memory(error);
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the traces have more than %zu bytes of names", INFO_NAMES_MAX);
	}
	put_threads(blend);
	blend->segment_count = blend->rows = 0;
	const enum poly_status status = batch_finish(&blend->out, error);
	blend->view = blend->out.view;
	settle_view(blend);
	return status;
}

/* The number in the blend of a name of records; 256: no room, or no memory. */
static unsigned
record_number(struct blend *blend, const char *name)
{
	unsigned number = 0;
	while (number < blend->info.view.record_count &&
		strcmp(blend->record_names[number], name) != 0)
		number++;
	if (number < blend->info.view.record_count)
		return number;
	const char *kept = number < 255 ? info_string(&blend->info, name) : NULL;
	if (!kept)
		return 256;
	blend->record_names[number] = kept;
	blend->info.view.record_count = number + 1;
	return number;
}

static enum poly_status
blend_records(struct blend *blend, struct input *input, struct poly_error *error)
{
	const struct poly_trace_info *info = poly_reader_info(input->reader);
	for (unsigned i = 0; i < 256; i++)
		input->records[i] = (uint8_t)i;
	for (unsigned i = 0; i < info->record_count; i++) {
		const unsigned number = record_number(blend, info->records[i]);
		if (number == 256 && blend->info.view.record_count < 255)
			return err_memory(error);
		if (number == 256)
			return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
				"the traces have more than 255 names of records");
		input->records[i] = (uint8_t)number;
		input->records_differ |= number != i;
	}
	return POLY_OK;
}

enum poly_status
blend_open(struct blend *blend, struct input *inputs, size_t count, struct poly_error *error)
{
	poly_columns columns = 0;
	enum poly_status status = POLY_OK;
	info_init(&blend->info);
	blend->inputs = inputs;
	blend->input_count = count;
	blend->info.view.records = blend->record_names;
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		columns |= poly_reader_info(inputs[i].reader)->columns;
		columns |= inputs[i].fills_thread ? POLY_HAS(thread) : 0;
		status = blend_records(blend, &inputs[i], error);
	}
	if (status == POLY_OK)
		status = batch_init(&blend->out, columns & ~OWN_COLUMNS, POLY_BATCH_ROWS,
			&blend->info.view, error);
	/* Who may have any column has said nothing of what it has. */
	blend->info.view.columns =
		columns == POLY_ALL_COLUMNS ? columns : columns & ~OWN_COLUMNS;
	return status;
}

void
blend_close_input(struct input *input)
{
	mem_free(input->names);
}

void
blend_close(struct blend *blend)
{
	batch_fini(&blend->out);
	slice_fini(&blend->slice);
	mem_free(blend->threads);
	info_fini(&blend->info);
}
