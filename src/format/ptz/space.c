/* SPDX-License-Identifier: MIT */
/* What the bytes of a packed trace are taken by: only heads and fronts are looked at. */
#include "format/ptz/file.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/* The words of struct poly_size_item, in their order. */
static const char *const holds[] = {
	"layout", "names", "shapes", "blocks", "order", "static", "moving", "unknown"};

enum { LAYOUT, NAMES, SHAPES, BLOCKS, ORDER, STATIC, MOVING, UNKNOWN };

/* What the streams of a role hold, and whether their values are counted. */
static const struct {
	uint8_t holds;
	bool counted;
} of_role[PTZ_ROLE_COUNT] = {
	[PTZ_NAMES] = {NAMES, true},
	[PTZ_SHAPES] = {SHAPES, true},
	[PTZ_TEMPLATE_SHAPES] = {SHAPES, false},
	[PTZ_FOLLOW] = {BLOCKS, false},
	[PTZ_STARTS] = {BLOCKS, true},
	[PTZ_BLOCKS] = {ORDER, true},
	[PTZ_STATIC] = {STATIC, true},
	[PTZ_STATIC_BYTES] = {STATIC, false},
	[PTZ_DYNAMIC] = {MOVING, true},
	[PTZ_DYNAMIC_BYTES] = {MOVING, false},
};

/* Adds to what holds such values. */
static void
add(struct buf *items, struct poly_size_item more)
{
	struct poly_size_item *item = (void *)items->data;
	for (size_t i = items->size / sizeof more; i > 0; i--, item++) {
		if (item->holds != more.holds || item->column != more.column)
			continue;
		item->values += more.values;
		item->packed += more.packed;
		item->unpacked += more.unpacked;
		return;
	}
	buf_append(items, &more, sizeof more);
}

static void
add_layout(struct buf *items, uint64_t bytes)
{
	add(items, (struct poly_size_item){holds[LAYOUT], POLY_COLUMN_COUNT, 0, bytes, bytes});
}

static void
add_stream(const struct ptz_reader *state, struct buf *items, const struct ptz_stream *stream)
{
	struct poly_size_item item = {holds[UNKNOWN], POLY_COLUMN_COUNT, stream->values,
		stream->packed, stream->size};
	const bool known = stream->role < PTZ_ROLE_COUNT;
	const bool has_column = known && stream->role >= PTZ_STATIC;
	const unsigned column =
		stream->column < state->of_count ? state->of_column[stream->column] : 255;
	if (known && (!has_column || column < POLY_COLUMN_COUNT)) {
		item.holds = holds[of_role[stream->role].holds];
		item.values = of_role[stream->role].counted ? stream->values : 0;
	}
	if (has_column && column < POLY_COLUMN_COUNT)
		item.column = (enum poly_column)column;
	add(items, item);
}

/* Adds a part whose front is at front, and which stands next. */
static enum poly_status
add_part(struct reading *reading, const struct ptz_part *part, const uint8_t *front,
	struct poly_size_breakdown *space, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct unpacked *segment = &state->segment;
	struct buf *items = &state->space;
	const bool is_segment = part->tag == PTZ_TAG_SEGMENT;
	struct poly_error why;
	enum poly_status status = POLY_OK;
	if (is_segment)
		status = unpacked_front(segment, front, part->front, &why);
	const uint32_t number =
		part->front < PTZ_FRONT_SIZE ? state->number + 1 : segment->number;
	if (status != POLY_OK)
		return err_set(error, POLY_ERR_FORMAT, state->offset, "segment %u: %s", number,
			why.message);
	const uint64_t size = is_segment ? unpacked_size(segment) : part->body - part->front;
	if (part->body - part->front != size)
		return err_set(error, POLY_ERR_FORMAT, state->offset,
			"segment %u: its streams have %llu bytes, and its head says %llu",
			number, (unsigned long long)size,
			(unsigned long long)(part->body - part->front));
	status = ptz_pass_part(reading, part, front, error);
	if (status != POLY_OK)
		return status;
	add_layout(items, PTZ_HEAD_SIZE + (uint64_t)part->front);
	if (!is_segment && size)
		add(items, (struct poly_size_item){
				   holds[UNKNOWN], POLY_COLUMN_COUNT, 0, size, size});
	if (!is_segment)
		return POLY_OK;
	for (uint32_t i = 0; i < segment->streams; i++)
		add_stream(state, items, &segment->stream[i]);
	state->number = number;
	reading->record += segment->rows;
	space->segments++;
	space->templates += segment->templates;
	return POLY_OK;
}

/* By bytes, the most first. */
static int
compare(const void *a, const void *b)
{
	const struct poly_size_item *one = a, *other = b;
	if (one->packed != other->packed)
		return one->packed < other->packed ? 1 : -1;
	if (one->column != other->column)
		return one->column < other->column ? -1 : 1;
	return strcmp(one->holds, other->holds);
}

enum poly_status
ptz_space(struct reading *reading, struct poly_size_breakdown *space, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct buf *items = &state->space;
	enum poly_status status = POLY_OK;
	add_layout(items, in_offset(reading->in));
	while (status == POLY_OK) {
		struct ptz_part part;
		const uint8_t *front;
		status = ptz_next_part(reading, &part, error);
		if (status == POLY_OK)
			status = ptz_part_front(reading, &part, &front, error);
		if (status == POLY_OK)
			status = add_part(reading, &part, front, space, error);
	}
	if (state->ended)
		add_layout(items, PTZ_TAIL_SIZE);
	unpacked_clear(&state->segment);
	if (items->failed)
		return err_memory(error);
	space->is_complete = state->ended;
	space->records = reading->record;
	space->items = (const void *)items->data;
	space->count = items->size / sizeof *space->items;
	qsort(items->data, space->count, sizeof *space->items, compare);
	return status == POLY_END ? POLY_OK : status;
}
