/* SPDX-License-Identifier: MIT */
/*
 * Writing: rows are collected in segments, by this thread or by several. The first segment, and
 * every eighth one, starts under both plans, and continues under the one whose first rows are
 * smaller.
 */
#include "format/ptz/file.h"

#include "base/err.h"
#include "base/checksum.h"

#include <string.h>

/* Zstandard's levels for the choices of ptz.level. */
static const int levels[] = {3, 9, 19};

/* Writes a section; streams may be NULL. */
static void
write_plain(struct writing *writing, const uint8_t head[PTZ_HEADER_SIZE],
	const struct buf *front, const struct buf *streams)
{
	struct ptz_writer *state = writing->state;
	const size_t more = streams ? streams->size : 0;
	out_write(writing->out, head, PTZ_HEADER_SIZE);
	out_write(writing->out, front->data, front->size);
	if (more)
		out_write(writing->out, streams->data, more);
	state->chain = ptz_next_chain(state->chain, head);
	state->offset += PTZ_HEADER_SIZE + front->size + more;
}

/* Writes a section and the parity of it, if it cannot be omitted. */
static enum poly_status
write_section(struct writing *writing, uint32_t tag, const struct buf *front,
	const struct buf *streams, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	uint8_t head[PTZ_HEADER_SIZE], parity_head[PTZ_HEADER_SIZE];
	if (front->failed)
		return err_memory(error);
	ptz_make_header(head, tag, front, streams);
	write_plain(writing, head, front, streams);
	if (tag != PTZ_TAG_HEAD && tag != PTZ_TAG_SEGMENT)
		return POLY_OK;
	struct buf *parity = &state->front;
	buf_clear(parity);
	ptz_put_parity(parity, head, front, streams);
	if (parity->failed)
		return err_memory(error);
	ptz_make_header(parity_head, PTZ_TAG_PARITY, parity, NULL);
	write_plain(writing, parity_head, parity, NULL);
	return POLY_OK;
}

/* Writes a section that the next index lists. */
static enum poly_status
write_listed(struct writing *writing, uint32_t tag, const struct buf *front,
	struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	const struct ptz_place place = {tag, state->offset, 0};
	buf_append(&state->others, &place, sizeof place);
	return state->others.failed ? err_memory(error)
				    : write_section(writing, tag, front, NULL, error);
}

/* Writes the magic and the head section. */
static enum poly_status
write_head(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct buf *head = &state->head;
	ptz_put_head(head, writing->source, writing->uses);
	ptz_put_labels(head, writing->labels);
	if (head->size > PTZ_FRONT_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the trace's metadata have %zu bytes, the limit of a packed trace is "
			"%u",
			head->size, PTZ_FRONT_MAX);
	out_write(writing->out, PTZ_MAGIC, PTZ_MAGIC_SIZE);
	state->offset = PTZ_MAGIC_SIZE;
	return write_section(writing, PTZ_TAG_HEAD, head, NULL, error);
}

/* Writes an index of the sections since the last one. */
static enum poly_status
write_index(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct buf *front = &state->front;
	const struct ptz_index_entry *entry = (const void *)state->entries.data;
	const struct ptz_place *other = (const void *)state->others.data;
	const size_t count = state->entries.size / sizeof *entry;
	const size_t others = state->others.size / sizeof *other;
	const uint8_t columns[PTZ_RANGES_MAX] = {
		ptz_range_columns[0], ptz_range_columns[1], ptz_range_columns[2]};
	const uint64_t offset = state->offset;
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
	for (size_t i = 0; i < others; i++) {
		ptz_put_u64(front, other[i].offset);
		ptz_put_u32(front, other[i].tag);
		ptz_put_u32(front, 0);
	}
	ptz_put_u64(front, others);
	ptz_put_u64(front, state->chain);
	state->index = offset;
	buf_clear(&state->entries);
	buf_clear(&state->others);
	return write_section(writing, PTZ_TAG_INDEX, front, NULL, error);
}

/* Writes an encoded segment. */
static enum poly_status
write_segment(void *user, const struct ptz_encoded *encoded, struct poly_error *error)
{
	struct writing *writing = user;
	struct ptz_writer *state = writing->state;
	struct ptz_index_entry entry = {.offset = state->offset,
		.first = encoded->begin.first,
		.rows = encoded->rows,
		.known = (1u << PTZ_RANGES) - 1};
	memcpy(entry.range, encoded->range, sizeof entry.range);
	buf_append(&state->entries, &entry, sizeof entry);
	const enum poly_status status = write_section(writing, PTZ_TAG_SEGMENT,
		&encoded->packed->front, &encoded->packed->streams, error);
	/* Whatever ends the process leaves the segment in the file. */
	out_flush(writing->out);
	if (status != POLY_OK || state->entries.failed)
		return status == POLY_OK ? err_memory(error) : status;
	return state->entries.size / sizeof entry < PTZ_INDEX_SEGMENTS_MAX
		       ? POLY_OK
		       : write_index(writing, error);
}

/* Encodes and writes the active segment, and starts the next one. */
static enum poly_status
end_segment(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct segment_encoder *encoder = state->encoder;
	const struct ptz_segment *segment = segment_encoder_segment(encoder);
	if (segment->rows == 0)
		return POLY_OK;
	if (!ptz_names_extend(&state->names, writing->source))
		return err_memory(error);
	state->begin.number++;
	enum poly_status status = segment_encoder_pack(encoder, &state->begin, error);
	if (status != POLY_OK)
		return status;
	struct ptz_encoded encoded = {
		.packed = &encoder->packed, .begin = state->begin, .rows = segment->rows};
	memcpy(encoded.range, segment->range, sizeof encoded.range);
	status = write_segment(writing, &encoded, error);
	state->begin.first += segment->rows;
	segment_encoder_clear(encoder);
	state->extent = (struct ptz_extent){0};
	encoder->trying = ptz_next_is_trial(&state->trials);
	return status;
}

/* Selects the plan of the active segment. */
static enum poly_status
end_trial(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	return ptz_names_extend(&state->names, writing->source)
		       ? segment_encoder_choose_plan(state->encoder, error)
		       : err_memory(error);
}

/* Returns the bytes of a batch's slices. */
static size_t
slice_bytes(const struct poly_batch *batch)
{
	size_t bytes = 0;
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const enum poly_column column = (enum poly_column)c;
		const struct poly_slice *slices =
			ptz_is_slice(column) ? column_data(batch, column) : NULL;
		for (size_t row = 0; slices && row < batch->rows; row++)
			bytes += poly_present(batch, column, row) ? slices[row].length : 0;
	}
	return bytes;
}

/* Adds rows, which do not exceed the next step. */
static enum poly_status
write_rows(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct segment_encoder *encoder = state->encoder;
	enum poly_status status = POLY_OK;
	if (!segment_encoder_add(encoder, batch))
		return err_memory(error);
	state->extent.rows += batch->rows;
	state->extent.bytes += slice_bytes(batch);
	if (state->extent.rows % ptz_check_interval(state->rows_max))
		return POLY_OK;
	if (encoder->trying &&
		ptz_ends_trial(&state->extent, &encoder->choice, state->rows_max))
		status = end_trial(writing, error);
	if (status == POLY_OK && !encoder->trying &&
		ptz_is_full(&state->extent, &encoder->choice, state->rows_max))
		status = end_segment(writing, error);
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
	if (state->parallel)
		return parallel_encoder_add(state->parallel, &view, error);
	for (size_t row = 0; row < view.rows && status == POLY_OK; row += rows) {
		const size_t step = ptz_check_interval(state->rows_max), left = view.rows - row,
			     room = step - state->extent.rows % step;
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

/* Encodes in several threads, if they are requested. */
static enum poly_status
start_parallel(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	const struct parallel_plan plan = {.threads = writing->threads,
		.level = levels[writing->options[PTZ_OPTION_LEVEL]],
		.rows_max = state->rows_max,
		.begin = state->begin,
		.info = writing->source,
		.write = write_segment,
		.user = writing};
	if (plan.threads < 2)
		return POLY_OK;
	state->parallel = parallel_encoder_new(&plan, state->encoder);
	if (!state->parallel)
		return err_memory(error);
	state->encoder = NULL;
	return POLY_OK;
}

enum poly_status
ptz_wopen(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	if (!checksum_available())
		return err_missing(error, "the format ptz", "libxxhash-dev");
	enum poly_status status = segment_encoder_new(
		levels[writing->options[PTZ_OPTION_LEVEL]], &state->encoder, error);
	if (status != POLY_OK)
		return status;
	state->encoder->packer.names = &state->names;
	state->encoder->trying = ptz_next_is_trial(&state->trials);
	state->rows_max = (size_t)writing->options[PTZ_OPTION_ROWS];
	writing->uses =
		poly_columns_minus(writing->columns, POLY_COLUMNS(PTZ_POSITION_COLUMNS));
	status = writing->old ? ptz_append(writing, error) : write_head(writing, error);
	return status == POLY_OK ? start_parallel(writing, error) : status;
}

enum poly_status
ptz_wfinish(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	enum poly_status status = POLY_OK;
	if (state->parallel)
		status = parallel_encoder_finish(state->parallel, error);
	else if (state->encoder->trying && state->extent.rows)
		status = end_trial(writing, error);
	if (status == POLY_OK && !state->parallel)
		status = end_segment(writing, error);
	if (status != POLY_OK)
		return status;
	status = write_listed(writing, PTZ_TAG_COPY, &state->head, error);
	if (status == POLY_OK)
		status = write_index(writing, error);
	if (status != POLY_OK)
		return status;
	struct buf *tail = &state->front;
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
	parallel_encoder_free(state->parallel);
	segment_encoder_free(state->encoder);
	slice_fini(&state->slice);
	ptz_names_free(&state->names);
	buf_free(&state->entries);
	buf_free(&state->others);
	buf_free(&state->head);
	buf_free(&state->front);
}
