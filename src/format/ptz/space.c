/* SPDX-License-Identifier: MIT */
/* Size breakdown of a packed trace, from headers and fronts alone. */
#include "format/ptz/file.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/* The values of poly_size_item's holds, in the order of the enum. */
static const char *const holds[] = {
	"layout", "names", "shapes", "blocks", "order", "static", "moving", "unknown"};

enum { LAYOUT, NAMES, SHAPES, BLOCKS, ORDER, STATIC, VARYING, UNKNOWN };

/* What the streams of a role hold, and whether to count their values. */
static const struct {
	uint8_t holds;
	bool counted;
} role_contents[PTZ_ROLE_COUNT] = {
	[PTZ_NAMES] = {NAMES, true},
	[PTZ_SHAPES] = {SHAPES, true},
	[PTZ_TEMPLATE_SHAPES] = {SHAPES, false},
	[PTZ_FOLLOW] = {BLOCKS, false},
	[PTZ_STARTS] = {BLOCKS, true},
	[PTZ_BLOCKS] = {ORDER, true},
	[PTZ_STATIC] = {STATIC, true},
	[PTZ_STATIC_BYTES] = {STATIC, false},
	[PTZ_DYNAMIC] = {VARYING, true},
	[PTZ_DYNAMIC_BYTES] = {VARYING, false},
};

/* Adds to the item of the same contents and column. */
static void
add(struct buf *items, struct poly_size_item added)
{
	struct poly_size_item *item = (void *)items->data;
	for (size_t i = items->size / sizeof added; i > 0; i--, item++) {
		if (item->holds != added.holds || item->column != added.column)
			continue;
		item->values += added.values;
		item->packed += added.packed;
		item->unpacked += added.unpacked;
		return;
	}
	buf_append(items, &added, sizeof added);
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
		stream->column < state->column_count ? state->column_map[stream->column] : 255;
	if (known && (!has_column || column < POLY_COLUMN_COUNT)) {
		item.holds = holds[role_contents[stream->role].holds];
		item.values = role_contents[stream->role].counted ? stream->values : 0;
	}
	if (has_column && column < POLY_COLUMN_COUNT)
		item.column = (enum poly_column)column;
	add(items, item);
}

/* Adds the current section and its front, and skips it. */
static enum poly_status
add_section(struct reading *reading, const struct ptz_section *section, const uint8_t *front,
	struct poly_size_breakdown *space, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct unpacked *segment = &state->segment;
	struct buf *items = &state->space;
	const bool is_segment = section->tag == PTZ_TAG_SEGMENT;
	struct poly_error why;
	enum poly_status status = POLY_OK;
	if (is_segment)
		status = unpacked_parse_front(segment, front, section->front, &why);
	const uint32_t number =
		section->front < PTZ_FRONT_SIZE ? state->number + 1 : segment->number;
	if (status != POLY_OK)
		return err_set(error, POLY_ERR_FORMAT, state->offset, "segment %u: %s", number,
			why.message);
	const uint64_t size =
		is_segment ? unpacked_size(segment) : section->body - section->front;
	if (section->body - section->front != size)
		return err_set(error, POLY_ERR_FORMAT, state->offset,
			"segment %u: its streams have %llu bytes, its header specifies %llu",
			number, (unsigned long long)size,
			(unsigned long long)(section->body - section->front));
	status = ptz_verify_and_skip(reading, section, front, error);
	if (status != POLY_OK)
		return status;
	add_layout(items, PTZ_HEADER_SIZE + (uint64_t)section->front);
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

/* Compares by bytes, largest first. */
static int
compare(const void *a, const void *b)
{
	const struct poly_size_item *x = a, *y = b;
	if (x->packed != y->packed)
		return x->packed < y->packed ? 1 : -1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return strcmp(x->holds, y->holds);
}

enum poly_status
ptz_space(struct reading *reading, struct poly_size_breakdown *space, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct buf *items = &state->space;
	enum poly_status status = POLY_OK;
	add_layout(items, in_offset(reading->in));
	while (status == POLY_OK) {
		struct ptz_section section;
		const uint8_t *front;
		status = ptz_peek_section(reading, &section, error);
		if (status == POLY_OK)
			status = ptz_peek_front(reading, &section, &front, error);
		if (status == POLY_OK)
			status = add_section(reading, &section, front, space, error);
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
