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

/* Rows by which plans are compared. */
#define TRIAL 65536

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

enum poly_status
ptz_wopen(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct buf head = {0};
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
	ptz_head_put(&head, writing->source, writing->uses);
	out_write(writing->out, PTZ_MAGIC, PTZ_MAGIC_SIZE);
	if (!head.failed)
		ptz_part_write(writing->out, PTZ_TAG_HEAD, head.data, head.size, head.size);
	state->offset = PTZ_MAGIC_SIZE + PTZ_HEAD_SIZE + head.size;
	status = head.failed ? err_memory(error) : POLY_OK;
	buf_free(&head);
	return status;
}

static enum poly_status
pack(struct ptz_writer *state, const struct segment *segment, struct poly_error *error)
{
	return segment_pack(
		segment, &state->packer, state->first, &state->front, &state->streams, error);
}

/* Writes the segment, and begins the next one. */
static enum poly_status
write_segment(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct segment *segment = state->segment;
	if (segment->rows == 0)
		return POLY_OK;
	const enum poly_status status = pack(state, segment, error);
	if (status != POLY_OK)
		return status;
	const struct ptz_place place = {state->offset, segment->rows};
	buf_append(&state->places, &place, sizeof place);
	const size_t front = state->front.size, streams = state->streams.size;
	ptz_part_write(
		writing->out, PTZ_TAG_SEGMENT, state->front.data, front, front + streams);
	out_write(writing->out, state->streams.data, streams);
	state->offset += PTZ_HEAD_SIZE + front + streams;
	state->first += segment->rows;
	segment_clear(segment);
	segment_clear(state->other);
	begin_trial(state);
	return state->places.failed ? err_memory(error) : POLY_OK;
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
		const enum poly_status status = segment_pack(
			segments[i], &quick, 0, &state->front, &state->streams, error);
		if (status != POLY_OK)
			return status;
		size[i] = state->front.size + state->streams.size;
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

/* True where the segment is as large as one may get. */
static bool
is_full(const struct ptz_writer *state)
{
	const struct segment *segment = state->segment;
	const bool flat = segment->dictionary.plan == PTZ_FLAT;
	const size_t most = flat && state->rows_most > FLAT_ROWS ? FLAT_ROWS : state->rows_most;
	return segment->rows + POLY_BATCH_ROWS > most || segment->slices > PTZ_SLICES_MOST;
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

enum poly_status
ptz_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct poly_batch view = *batch;
	enum poly_status status = POLY_OK;
	narrow(&view, writing->uses);
	if (!segment_add(state->segment, &view) ||
		(state->trying && !segment_add(state->other, &view)))
		return err_memory(error);
	if (state->trying && (state->segment->rows >= TRIAL || is_full(state)))
		status = end_trial(state, error);
	if (status == POLY_OK && is_full(state))
		status = write_segment(writing, error);
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
	struct buf *front = &state->front;
	const size_t count = state->places.size / sizeof(struct ptz_place);
	buf_clear(front);
	ptz_put64(front, count);
	for (size_t i = 0; i < count; i++) {
		const struct ptz_place *place = (const void *)state->places.data;
		ptz_put64(front, place[i].offset);
		ptz_put64(front, place[i].rows);
	}
	if (front->failed)
		return err_memory(error);
	ptz_part_write(writing->out, PTZ_TAG_INDEX, front->data, front->size, front->size);
	buf_clear(front);
	ptz_put64(front, state->offset);
	buf_append(front, PTZ_END_MAGIC, PTZ_MAGIC_SIZE);
	if (front->failed)
		return err_memory(error);
	out_write(writing->out, front->data, front->size);
	return POLY_OK;
}

void
ptz_wclose(struct writing *writing)
{
	struct ptz_writer *state = writing->state;
	segment_fini(&state->segments[0]);
	segment_fini(&state->segments[1]);
	block_packer_free(state->packer.packer);
	block_packer_free(state->packer.quick);
	buf_free(&state->places);
	buf_free(&state->front);
	buf_free(&state->streams);
}
