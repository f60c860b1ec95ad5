/* SPDX-License-Identifier: MIT */
/*
 * Writing: rows are collected in segments. The first segment, and every AGAIN-th one, starts
 * under both plans, and continues under the one whose first rows are smaller.
 */
#include "format/ptz/file.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/checksum.h"

#include <string.h>

/*
 * Rows by which plans are compared: enough for a dictionary to pay off. With a quarter of
 * them, a new phase of a program looks as if it did not repeat.
 */
#define TRIAL 262144

/* Segments between two comparisons. */
#define AGAIN 8

/* Rows of a segment that does not repeat, which needs more memory. */
#define FLAT_ROWS 262144

/* Zstandard's levels for the choices of ptz.level. */
static const int levels[] = {3, 9, 19};

static void
start_trial(struct ptz_writer *state)
{
	state->trying = state->plain == 0;
	state->plain = (state->plain + 1) % AGAIN;
}

/* Writes the magic and the head section. */
static enum poly_status
write_head(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct buf head = {0};
	ptz_put_head(&head, writing->source, writing->uses);
	ptz_put_labels(&head, writing->labels);
	enum poly_status status = POLY_OK;
	out_write(writing->out, PTZ_MAGIC, PTZ_MAGIC_SIZE);
	const struct ptz_section section = {
		.tag = PTZ_TAG_HEAD, .front = (uint32_t)head.size, .body = head.size};
	if (!head.failed)
		ptz_write_section(writing->out, &section, head.data, &state->chain);
	state->offset = PTZ_MAGIC_SIZE + PTZ_HEADER_SIZE + head.size;
	if (head.failed)
		status = err_memory(error);
	else if (head.size > PTZ_FRONT_MAX)
		status = err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the trace's metadata have %zu bytes, the limit of a packed trace is "
			"%u",
			head.size, PTZ_FRONT_MAX);
	buf_free(&head);
	return status;
}

enum poly_status
ptz_wopen(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	if (!checksum_available())
		return err_missing(error, "the format ptz", "libxxhash-dev");
	enum poly_status status = block_packer_new(
		levels[writing->options[PTZ_OPTION_LEVEL]], &state->packer.packer, error);
	if (status == POLY_OK)
		status = block_packer_new(BLOCK_LEVEL_FIRST, &state->packer.quick, error);
	if (status != POLY_OK)
		return status;
	state->packer.info = writing->source;
	state->rows_max = (size_t)writing->options[PTZ_OPTION_ROWS];
	writing->uses =
		poly_columns_minus(writing->columns, POLY_COLUMNS(PTZ_POSITION_COLUMNS));
	state->segment = &state->segments[0];
	state->alternative = &state->segments[1];
	segment_init(state->segment, PTZ_PROGRAM);
	segment_init(state->alternative, PTZ_FLAT);
	start_trial(state);
	return writing->old ? ptz_append(writing, error) : write_head(writing, error);
}

/* Writes an index of the segments since the last one. */
static enum poly_status
write_index(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct buf *front = &state->packed.front;
	const struct ptz_index_entry *entry = (const void *)state->entries.data;
	const size_t count = state->entries.size / sizeof *entry;
	const uint8_t columns[PTZ_RANGES_MAX] = {
		ptz_range_columns[0], ptz_range_columns[1], ptz_range_columns[2]};
	buf_clear(front);
	ptz_put_u64(front, state->index);
	ptz_put_u32(front, (uint32_t)count);
	ptz_put_u32(front, PTZ_RANGES);
	buf_append(front, columns, sizeof columns);
	for (size_t i = 0; i < count; i++) {
		ptz_put_u64(front, entry[i].offset);
		ptz_put_u64(front, entry[i].first);
		ptz_put_u64(front, entry[i].rows);
		for (size_t k = 0; k < PTZ_RANGES; k++) {
			ptz_put_u64(front, entry[i].range[k].min);
			ptz_put_u64(front, entry[i].range[k].max);
		}
	}
	ptz_put_u64(front, state->chain);
	if (front->failed)
		return err_memory(error);
	const struct ptz_section section = {
		.tag = PTZ_TAG_INDEX, .front = (uint32_t)front->size, .body = front->size};
	ptz_write_section(writing->out, &section, front->data, &state->chain);
	state->index = state->offset;
	state->offset += PTZ_HEADER_SIZE + front->size;
	buf_clear(&state->entries);
	return POLY_OK;
}

/* Writes the segment, and starts the next one. */
static enum poly_status
write_segment(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct ptz_segment *segment = state->segment;
	if (segment->rows == 0)
		return POLY_OK;
	struct ptz_index_entry entry = {.offset = state->offset,
		.first = state->begin.first,
		.rows = segment->rows,
		.known = (1u << PTZ_RANGES) - 1};
	state->begin.number++;
	const enum poly_status status =
		segment_pack(segment, &state->packer, &state->begin, &state->packed, error);
	if (status != POLY_OK)
		return status;
	memcpy(entry.range, segment->range, sizeof entry.range);
	buf_append(&state->entries, &entry, sizeof entry);
	const struct buf *front = &state->packed.front, *streams = &state->packed.streams;
	const struct ptz_section section = {.tag = PTZ_TAG_SEGMENT,
		.front = (uint32_t)front->size,
		.body = front->size + streams->size};
	ptz_write_section(writing->out, &section, front->data, &state->chain);
	out_write(writing->out, streams->data, streams->size);
	/* Whatever ends the process leaves the segment in the file. */
	out_flush(writing->out);
	state->offset += PTZ_HEADER_SIZE + front->size + streams->size;
	state->begin.first += segment->rows;
	segment_clear(segment);
	segment_clear(state->alternative);
	start_trial(state);
	if (state->entries.failed)
		return err_memory(error);
	return state->entries.size / sizeof entry < PTZ_INDEX_SEGMENTS_MAX
		       ? POLY_OK
		       : write_index(writing, error);
}

/* Selects the plan that is clearly smaller. */
static enum poly_status
end_trial(struct ptz_writer *state, struct poly_error *error)
{
	struct ptz_packer quick = state->packer;
	size_t size[2];
	struct ptz_segment *const segments[] = {state->segment, state->alternative};
	quick.packer = quick.quick;
	for (size_t i = 0; i < 2; i++) {
		const enum poly_status status =
			segment_pack(segments[i], &quick, &state->begin, &state->packed, error);
		if (status != POLY_OK)
			return status;
		size[i] = state->packed.front.size + state->packed.streams.size;
	}
	/* A program's dictionary pays off later, and decodes faster. */
	const bool repeats = segments[0]->dictionary.count < segments[0]->rows / 4;
	if (repeats ? size[1] < size[0] / 4 * 3 : size[1] < size[0]) {
		state->segment = segments[1];
		state->alternative = segments[0];
	}
	segment_clear(state->alternative);
	state->trying = false;
	return POLY_OK;
}

/* Returns the rows between two checks of the segment's size, independent of batch sizes. */
static size_t
check_interval(const struct ptz_writer *state)
{
	return state->rows_max < POLY_BATCH_ROWS ? state->rows_max : POLY_BATCH_ROWS;
}

/* Returns whether the segment has reached its maximum size. */
static bool
is_full(const struct ptz_writer *state)
{
	const struct ptz_segment *segment = state->segment;
	const bool flat = segment->dictionary.plan == PTZ_FLAT;
	const size_t max = flat && state->rows_max > FLAT_ROWS ? FLAT_ROWS : state->rows_max;
	return segment->rows + check_interval(state) > max ||
	       segment->slices + segment->dictionary.bytes.size > PTZ_SLICES_MAX;
}

/* Adds rows, which do not exceed the next step. */
static enum poly_status
write_rows(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	enum poly_status status = POLY_OK;
	if (!segment_add(state->segment, batch) ||
		(state->trying && !segment_add(state->alternative, batch)))
		return err_memory(error);
	if (state->segment->rows % check_interval(state))
		return POLY_OK;
	if (state->trying && (state->segment->rows >= TRIAL || is_full(state)))
		status = end_trial(state, error);
	if (status == POLY_OK && is_full(state))
		status = write_segment(writing, error);
	return status;
}

enum poly_status
ptz_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct poly_batch view = *batch;
	enum poly_status status = POLY_OK;
	size_t rows;
	batch_keep_columns(&view, writing->uses);
	for (size_t row = 0; row < view.rows && status == POLY_OK; row += rows) {
		const size_t step = check_interval(state), left = view.rows - row,
			     room = step - state->segment->rows % step;
		rows = left < room ? left : room;
		if (rows == view.rows) {
			status = write_rows(writing, &view, error);
			continue;
		}
		status = slice_make(&state->slice, &view, row, rows, error);
		if (status == POLY_OK)
			status = write_rows(writing, &state->slice.view, error);
	}
	return status;
}

enum poly_status
ptz_wfinish(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	enum poly_status status = POLY_OK;
	if (state->trying && state->segment->rows)
		status = end_trial(state, error);
	if (status == POLY_OK)
		status = write_segment(writing, error);
	if (status != POLY_OK)
		return status;
	if ((status = write_index(writing, error)) != POLY_OK)
		return status;
	struct buf *tail = &state->packed.front;
	buf_clear(tail);
	ptz_put_u64(tail, state->index);
	buf_append(tail, PTZ_END_MAGIC, PTZ_MAGIC_SIZE);
	if (tail->failed)
		return err_memory(error);
	out_write(writing->out, tail->data, tail->size);
	return POLY_OK;
}

void
ptz_wclose(struct writing *writing)
{
	struct ptz_writer *state = writing->state;
	slice_fini(&state->slice);
	segment_fini(&state->segments[0]);
	segment_fini(&state->segments[1]);
	block_packer_free(state->packer.packer);
	block_packer_free(state->packer.quick);
	buf_free(&state->entries);
	buf_free(&state->packed.front);
	buf_free(&state->packed.streams);
}
