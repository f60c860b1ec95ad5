/* SPDX-License-Identifier: MIT */
/*
 * Writing: rows are gathered into segments. The first segment, and now and then another one, is
 * begun under both plans, and goes on under the one that makes less of its first rows.
 */
#include "format/ptz/file.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/checksum.h"

#include <string.h>

/*
 * Rows by which plans are compared: so many that a dictionary begins to pay. By a quarter of
 * them a new phase of a program looks as if it did not repeat.
 */
#define TRIAL 262144

/* Segments after which they are compared again. */
#define AGAIN 8

/* Rows of a segment that does not repeat, which takes more memory. */
#define FLAT_ROWS 262144

/* The levels of Zstandard for fast, usual and small. */
static const int levels[] = {3, 9, 19};

static void
begin_trial(struct ptz_writer *state)
{
	state->trying = state->plain == 0;
	state->plain = (state->plain + 1) % AGAIN;
}

/* Begins a file. */
static enum poly_status
write_head(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct buf head = {0};
	ptz_head_put(&head, writing->source, writing->uses);
	ptz_labels_put(&head, writing->labels);
	enum poly_status status = POLY_OK;
	out_write(writing->out, PTZ_MAGIC, PTZ_MAGIC_SIZE);
	const struct ptz_part part = {
		.tag = PTZ_TAG_HEAD, .front = (uint32_t)head.size, .body = head.size};
	if (!head.failed)
		ptz_part_write(writing->out, &part, head.data, &state->chain);
	state->offset = PTZ_MAGIC_SIZE + PTZ_HEAD_SIZE + head.size;
	if (head.failed)
		status = err_memory(error);
	else if (head.size > PTZ_FRONT_MOST)
		status = err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"what is told of the trace has %zu bytes, and a packed trace holds "
			"%u",
			head.size, PTZ_FRONT_MOST);
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
	state->rows_most = (size_t)writing->options[PTZ_OPTION_ROWS];
	writing->uses = writing->columns & ~PTZ_PLACES;
	state->segment = &state->segments[0];
	state->other = &state->segments[1];
	segment_init(state->segment, PTZ_PROGRAM);
	segment_init(state->other, PTZ_FLAT);
	begin_trial(state);
	return writing->old ? ptz_append(writing, error) : write_head(writing, error);
}

/* Writes an index of the segments since the last one. */
static enum poly_status
write_index(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct buf *front = &state->packed.front;
	const struct ptz_place *place = (const void *)state->places.data;
	const size_t count = state->places.size / sizeof *place;
	const uint8_t columns[PTZ_RANGES_MOST] = {
		ptz_range_columns[0], ptz_range_columns[1], ptz_range_columns[2]};
	buf_clear(front);
	ptz_put64(front, state->index);
	ptz_put32(front, (uint32_t)count);
	ptz_put32(front, PTZ_RANGES);
	buf_append(front, columns, sizeof columns);
	for (size_t i = 0; i < count; i++) {
		ptz_put64(front, place[i].offset);
		ptz_put64(front, place[i].first);
		ptz_put64(front, place[i].rows);
		for (size_t k = 0; k < PTZ_RANGES; k++) {
			ptz_put64(front, place[i].range[k].least);
			ptz_put64(front, place[i].range[k].greatest);
		}
	}
	ptz_put64(front, state->chain);
	if (front->failed)
		return err_memory(error);
	const struct ptz_part part = {
		.tag = PTZ_TAG_INDEX, .front = (uint32_t)front->size, .body = front->size};
	ptz_part_write(writing->out, &part, front->data, &state->chain);
	state->index = state->offset;
	state->offset += PTZ_HEAD_SIZE + front->size;
	buf_clear(&state->places);
	return POLY_OK;
}

/* Writes the segment, and begins the next one. */
static enum poly_status
write_segment(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct segment *segment = state->segment;
	if (segment->rows == 0)
		return POLY_OK;
	struct ptz_place place = {.offset = state->offset,
		.first = state->begin.first,
		.rows = segment->rows,
		.known = (1u << PTZ_RANGES) - 1};
	state->begin.number++;
	const enum poly_status status =
		segment_pack(segment, &state->packer, &state->begin, &state->packed, error);
	if (status != POLY_OK)
		return status;
	memcpy(place.range, segment->range, sizeof place.range);
	buf_append(&state->places, &place, sizeof place);
	const struct buf *front = &state->packed.front, *streams = &state->packed.streams;
	const struct ptz_part part = {.tag = PTZ_TAG_SEGMENT,
		.front = (uint32_t)front->size,
		.body = front->size + streams->size};
	ptz_part_write(writing->out, &part, front->data, &state->chain);
	out_write(writing->out, streams->data, streams->size);
	state->offset += PTZ_HEAD_SIZE + front->size + streams->size;
	state->begin.first += segment->rows;
	segment_clear(segment);
	segment_clear(state->other);
	begin_trial(state);
	if (state->places.failed)
		return err_memory(error);
	return state->places.size / sizeof place < PTZ_INDEX_MOST ? POLY_OK
								  : write_index(writing, error);
}

/* Keeps the plan that makes clearly less. */
static enum poly_status
end_trial(struct ptz_writer *state, struct poly_error *error)
{
	struct ptz_packer quick = state->packer;
	size_t size[2];
	struct segment *const segments[] = {state->segment, state->other};
	quick.packer = quick.quick;
	for (size_t i = 0; i < 2; i++) {
		const enum poly_status status =
			segment_pack(segments[i], &quick, &state->begin, &state->packed, error);
		if (status != POLY_OK)
			return status;
		size[i] = state->packed.front.size + state->packed.streams.size;
	}
	/* A program's dictionary pays later, and is faster to read. */
	const bool repeats = segments[0]->dictionary.count < segments[0]->rows / 4;
	if (repeats ? size[1] < size[0] / 4 * 3 : size[1] < size[0]) {
		state->segment = segments[1];
		state->other = segments[0];
	}
	segment_clear(state->other);
	state->trying = false;
	return POLY_OK;
}

/* Rows after which it is looked whether a segment goes on, whatever batches they come in. */
static size_t
step_of(const struct ptz_writer *state)
{
	return state->rows_most < POLY_BATCH_ROWS ? state->rows_most : POLY_BATCH_ROWS;
}

/* True where the segment is as large as one may get. */
static bool
is_full(const struct ptz_writer *state)
{
	const struct segment *segment = state->segment;
	const bool flat = segment->dictionary.plan == PTZ_FLAT;
	const size_t most = flat && state->rows_most > FLAT_ROWS ? FLAT_ROWS : state->rows_most;
	return segment->rows + step_of(state) > most ||
	       segment->slices + segment->dictionary.bytes.size > PTZ_SLICES_MOST;
}

/* Hides the columns that are not to be written. */
static void
narrow(struct poly_batch *view, poly_columns columns)
{
#define COLUMN(name, type, form, doc)                     \
	if (!(columns & POLY_HAS(name))) {                \
		view->name = NULL;                        \
		view->present[POLY_COLUMN_##name] = NULL; \
	}
#include "polytrace/columns.def"
#undef COLUMN
}

/* Adds rows that do not go beyond the next step. */
static enum poly_status
write_rows(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	enum poly_status status = POLY_OK;
	if (!segment_add(state->segment, batch) ||
		(state->trying && !segment_add(state->other, batch)))
		return err_memory(error);
	if (state->segment->rows % step_of(state))
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
	narrow(&view, writing->uses);
	for (size_t row = 0; row < view.rows && status == POLY_OK; row += rows) {
		const size_t step = step_of(state), left = view.rows - row,
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
	ptz_put64(tail, state->index);
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
	buf_free(&state->places);
	buf_free(&state->packed.front);
	buf_free(&state->packed.streams);
}
