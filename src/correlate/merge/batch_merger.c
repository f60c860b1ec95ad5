/* SPDX-License-Identifier: MIT */
/* Merges rows of several sources, column by column. */
#include "correlate/merge/batch_merger.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/columns.h"

#include <string.h>

/* Columns that describe one file. */
#define OWN_COLUMNS site, verbatim

/* Copies n elements of size bytes. */
static inline void
copy_cells(void *dst, const void *src, size_t n, size_t size)
{
	if (n > 1) {
		memcpy(dst, src, n * size);
		return;
	}
	switch (size) {
	case 1: memcpy(dst, src, 1); break;
	case 2: memcpy(dst, src, 2); break;
	case 4: memcpy(dst, src, 4); break;
	default: memcpy(dst, src, 8);
	}
}

/* Maps the names of an input up to a number; false: too many names, or out of memory. */
static bool
map_names(struct merger *merger, struct merge_input *input, uint32_t number)
{
	const struct poly_trace_info *info = input->source.info;
	while (input->name_count <= number) {
		const char *name = poly_trace_name(info, input->name_count);
		uint32_t dst = input->name_count;
		if (name && !info_keep_name(&merger->info, name, strlen(name), &dst))
			return false;
		if (!VEC_ROOM(input->names, input->name_capacity, input->name_count)) {
			merger->info.no_memory = true;
			return false;
		}
		input->names_differ |= dst != input->name_count;
		input->names[input->name_count++] = dst;
	}
	return true;
}

/* Maps the names of the cells that are present. */
static bool
translate_names(struct merger *merger, struct merge_input *input, uint32_t *cells,
	const uint64_t *bits, const struct row_segment *rows)
{
	const struct poly_trace_info *info = input->source.info;
	for (size_t i = 0; i < rows->count; i++) {
		if (!bit_test(bits, rows->src + i) || !poly_trace_name(info, cells[i]))
			continue;
		if (cells[i] >= input->name_count && !map_names(merger, input, cells[i]))
			return false;
		cells[i] = input->names[cells[i]];
	}
	return true;
}

/* Copies the bytes of cells into the merger's arena. */
static void
move_bytes(struct merger *merger, const struct poly_batch *batch, struct poly_slice *cells,
	const uint64_t *bits, const struct row_segment *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (!bit_test(bits, rows->src + i))
			continue;
		const uint32_t offset = (uint32_t)merger->out.arena.size;
		buf_append(&merger->out.arena, batch->arena + cells[i].offset, cells[i].length);
		cells[i].offset = offset;
	}
}

/* Adapts copied values to the merged trace: names, bytes, record names. */
static bool
adapt_cells(struct merger *merger, const struct row_segment *rows, enum poly_column column,
	void *cells)
{
	struct merge_input *input = &merger->inputs[rows->input];
	const uint64_t *bits = input->batch->present[column];
	const enum poly_form form = column_table[column].form;
	if (form == POLY_FORM_NAME)
		return translate_names(merger, input, cells, bits, rows);
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
		move_bytes(merger, input->batch, cells, bits, rows);
	for (size_t i = 0; column == POLY_COLUMN_record && i < rows->count; i++)
		((uint8_t *)cells)[i] = input->records[((uint8_t *)cells)[i]];
	return true;
}

static bool
merge_column(struct merger *merger, enum poly_column column)
{
	const size_t size = column_table[column].size;
	uint8_t *dst = batch_column(&merger->out, column);
	uint64_t *bits = merger->out.bits[column];
	const bool plain = column_table[column].form != POLY_FORM_NAME &&
			   column_table[column].form != POLY_FORM_BYTES &&
			   column_table[column].form != POLY_FORM_TEXT &&
			   column != POLY_COLUMN_record;
	size_t row = 0;
	for (size_t i = 0; i < merger->segment_count; i++) {
		const struct row_segment *rows = &merger->segments[i];
		const struct poly_batch *batch = merger->inputs[rows->input].batch;
		const uint8_t *src = column_data(batch, column);
		if (src) {
			copy_cells(dst + row * size, src + rows->src * size, rows->count, size);
			bits_copy(bits, row, batch->present[column], rows->src, rows->count);
			if (!plain && !adapt_cells(merger, rows, column, dst + row * size))
				return false;
		}
		row += rows->count;
	}
	return true;
}

/* Sets the column thread in the rows of inputs that need it. */
static void
fill_threads(struct merger *merger)
{
	size_t row = 0;
	for (size_t i = 0; i < merger->segment_count; i++) {
		const struct row_segment *rows = &merger->segments[i];
		const struct merge_input *input = &merger->inputs[rows->input];
		for (size_t n = 0; input->fills_thread && n < rows->count; n++)
			batch_put(&merger->out, thread, row + n, input->thread);
		row += rows->count;
	}
}

enum poly_status
merger_read(struct merger *merger, size_t number, struct poly_error *error)
{
	struct merge_input *input = &merger->inputs[number];
	const enum poly_status status =
		input->source.next(input->source.user, &input->batch, error);
	input->at = 0;
	if (status != POLY_OK)
		input->batch = NULL;
	if (status < 0)
		merger->failed = number;
	return status;
}

bool
merger_can_pass(const struct merger *merger, size_t number, size_t rows)
{
	const struct merge_input *input = &merger->inputs[number];
	if (merger->rows || rows < MERGER_PASS_ROWS || input->records_differ)
		return false;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (column_table[c].form == POLY_FORM_NAME && input->batch->present[c])
			return false;
	}
	return true;
}

/* Sets the column thread of passed rows. */
static enum poly_status
set_threads(struct merger *merger, size_t number, struct poly_error *error)
{
	const struct merge_input *input = &merger->inputs[number];
	if (!input->fills_thread)
		return POLY_OK;
	if (!merger->threads) {
		merger->threads = mem_new(POLY_BATCH_ROWS, sizeof *merger->threads);
		merger->threads_of = SIZE_MAX;
	}
	if (!merger->threads)
		return err_memory(error);
	for (size_t i = 0; merger->threads_of != number && i < POLY_BATCH_ROWS; i++)
		merger->threads[i] = input->thread;
	merger->threads_of = number;
	merger->view.thread = merger->threads;
	merger->view.present[POLY_COLUMN_thread] = merger->out.all;
	return POLY_OK;
}

/* Sets the number of the view's first row, and clears the columns that are not preserved. */
static void
finish_view(struct merger *merger)
{
	merger->view.first = merger->delivered;
	merger->view.picked = NULL;
	merger->view.internal = NULL; /* the column thread differs */
	merger->view.info = &merger->info.view;
	merger->view.site = NULL;
	if (!merger->info.view.raw_format) {
		merger->view.raw = NULL;
		merger->view.present[POLY_COLUMN_raw] = NULL;
	}
	merger->view.verbatim = NULL;
	merger->view.present[POLY_COLUMN_site] = NULL;
	merger->view.present[POLY_COLUMN_verbatim] = NULL;
	merger->delivered += merger->view.rows;
}

enum poly_status
merger_pass(struct merger *merger, size_t number, size_t count, struct poly_error *error)
{
	struct merge_input *input = &merger->inputs[number];
	enum poly_status status = POLY_OK;
	if (count == input->batch->rows)
		merger->view = *input->batch;
	else
		status = slice_make(&merger->slice, input->batch, input->at, count, error);
	if (status != POLY_OK)
		return status;
	if (count != input->batch->rows)
		merger->view = merger->slice.view;
	input->at += count;
	finish_view(merger);
	return set_threads(merger, number, error);
}

void
merger_add(struct merger *merger, size_t number, size_t count)
{
	struct merge_input *input = &merger->inputs[number];
	merger->segments[merger->segment_count++] =
		(struct row_segment){(uint32_t)number, (uint32_t)input->at, (uint32_t)count};
	input->at += count;
	merger->rows += count;
}

enum poly_status
merger_flush(struct merger *merger, struct poly_error *error)
{
	batch_clear(&merger->out);
	merger->out.view.rows = merger->rows;
	FOR_COLUMNS(column, merger->out.wanted)
	{
		if (merge_column(merger, column))
			continue;
		if (merger->info.no_memory)
			return err_memory(error);
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the traces have more than %zu bytes of names", INFO_NAMES_MAX);
	}
	fill_threads(merger);
	merger->segment_count = merger->rows = 0;
	const enum poly_status status = batch_finish(&merger->out, error);
	merger->view = merger->out.view;
	finish_view(merger);
	return status;
}

/* Returns the merged number of a record name; 256: too many, or out of memory. */
static unsigned
record_number(struct merger *merger, const char *name)
{
	unsigned number = 0;
	while (number < merger->info.view.record_count &&
		strcmp(merger->record_names[number], name) != 0)
		number++;
	if (number < merger->info.view.record_count)
		return number;
	const char *kept = number < 255 ? info_string(&merger->info, name) : NULL;
	if (!kept)
		return 256;
	merger->record_names[number] = kept;
	merger->info.view.record_count = number + 1;
	return number;
}

static enum poly_status
merger_map_records(struct merger *merger, struct merge_input *input, struct poly_error *error)
{
	const struct poly_trace_info *info = input->source.info;
	for (unsigned i = 0; i < 256; i++)
		input->records[i] = (uint8_t)i;
	for (unsigned i = 0; i < info->record_count; i++) {
		const unsigned number = record_number(merger, info->records[i]);
		if (number == 256 && merger->info.view.record_count < 255)
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
merger_open(struct merger *merger, struct merge_input *inputs, size_t count,
	struct poly_error *error)
{
	poly_columns columns = POLY_NO_COLUMNS;
	enum poly_status status = POLY_OK;
	info_init(&merger->info);
	merger->inputs = inputs;
	merger->input_count = count;
	merger->info.view.records = merger->record_names;
	for (size_t i = 0; i < count && status == POLY_OK; i++) {
		columns = poly_columns_union(columns, inputs[i].source.info->columns);
		if (inputs[i].fills_thread)
			poly_columns_add(&columns, POLY_COLUMN_thread);
		status = merger_map_records(merger, &inputs[i], error);
	}
	const poly_columns merged = poly_columns_minus(columns, POLY_COLUMNS(OWN_COLUMNS));
	if (status == POLY_OK)
		status = batch_init(
			&merger->out, merged, POLY_BATCH_ROWS, &merger->info.view, error);
	/* POLY_ALL_COLUMNS means that the columns are unknown. */
	merger->info.view.columns =
		poly_columns_equal(columns, POLY_ALL_COLUMNS) ? columns : merged;
	return status;
}

void
merger_close_input(struct merge_input *input)
{
	mem_free(input->names);
}

void
merger_close(struct merger *merger)
{
	batch_fini(&merger->out);
	slice_fini(&merger->slice);
	mem_free(merger->threads);
	info_fini(&merger->info);
}
