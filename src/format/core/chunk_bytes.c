/* SPDX-License-Identifier: MIT */
/* The bytes of chunks. */
#include "format/core/chunk_bytes.h"

#include "io/source.h"

#include <string.h>

/* Last bytes of a streamed chunk that are read first, to find its end. */
#define TAIL_SIZE ((size_t)16 << 10)

/* Returns the maximum number of bytes that are loaded for a chunk. */
static size_t
load_max(const struct decode_plan *plan)
{
	const bool streams = in_is_random(plan->in);
	return streams || plan->work_size < plan->chunk_size ? plan->chunk_size
							     : plan->work_size;
}

/* The context, the rest of the previous chunk, what is loaded. */
size_t
chunk_memory_size(const struct decode_plan *plan)
{
	return plan->format->split_context + 2 * load_max(plan) + IN_PADDING;
}

/* Returns where the bytes that are loaded for a chunk begin. */
static uint8_t *
load_data(const struct decode_plan *plan, const struct chunk *chunk)
{
	return chunk->memory + plan->format->split_context + load_max(plan);
}

/* Loads the last bytes of a streamed chunk; returns their number. */
static size_t
load_tail(const struct decode_plan *plan, struct chunk *chunk, size_t size)
{
	struct source_room room = {load_data(plan, chunk), size, 0};
	chunk->end = in_read_at(
		plan->in, chunk->position + chunk->extent - size, &room, &chunk->failure);
	chunk->end_data = room.dst + room.got;
	return room.got;
}

void
chunk_read(const struct decode_plan *plan, struct chunk *chunk)
{
	struct in *in = plan->in;
	struct source_room room = {load_data(plan, chunk), chunk->extent, 0};
	if (chunk->streamed) {
		const size_t tail = chunk->extent < TAIL_SIZE ? chunk->extent : TAIL_SIZE;
		chunk->held = load_tail(plan, chunk, tail);
		room.got = chunk->extent - (tail - chunk->held);
	} else if (in_is_random(in)) {
		chunk->end = in_read_at(in, chunk->position, &room, &chunk->failure);
	} else {
		room.got = in_read(in, room.dst, room.size);
		chunk->end = room.got < room.size ? in_status(in, &chunk->failure) : POLY_OK;
	}
	chunk->read = room.got;
	chunk->over = chunk->end != POLY_OK;
}

/* Puts the last bytes of the previous chunk in front of a chunk. */
static void
copy_context(const struct decode_plan *plan, struct chunk *chunk, const struct chunk *before)
{
	const size_t max = plan->format->split_context;
	chunk->first = !before;
	chunk->context = !before ? 0 : before->held < max ? before->held : max;
	chunk->enter_data = chunk->streamed ? chunk->memory + max : chunk->data;
	if (chunk->context)
		memcpy(chunk->enter_data - chunk->context, before->end_data - chunk->context,
			chunk->context);
}

/* Ends a chunk at a split point after n of the bytes in memory; the rest after it must be small
 * enough to be moved. n 0: there is none. */
static void
end_chunk(const struct decode_plan *plan, struct chunk *chunk, size_t n)
{
	chunk->open = n == 0 || chunk->held - n > load_max(plan);
	if (chunk->open)
		return;
	chunk->size -= chunk->held - n;
	chunk->end_data -= chunk->held - n;
	chunk->held = n;
}

/* Finds the end of a chunk in the bytes in memory: returns how many of them precede it. */
static size_t
find_split(const struct decode_plan *plan, const struct reading *reading,
	const struct chunk *chunk)
{
	return plan->format->find_split(reading, chunk->offset + chunk->size - chunk->held,
		chunk->end_data - chunk->held, chunk->held);
}

/* Finds the end of a streamed chunk in more and more of its last bytes. */
static size_t
find_split_in_tail(
	const struct decode_plan *plan, const struct reading *reading, struct chunk *chunk)
{
	const size_t max = chunk->extent < load_max(plan) ? chunk->extent : load_max(plan);
	for (;;) {
		const size_t split = find_split(plan, reading, chunk);
		if (split > plan->format->split_context)
			return split;
		if (chunk->held >= max || chunk->over)
			return 0;
		const size_t wanted = max / 4 > chunk->held ? 4 * chunk->held : max;
		chunk->held = load_tail(plan, chunk, wanted);
		chunk->over = chunk->end != POLY_OK;
		chunk->read -= wanted - chunk->held;
		chunk->filled -= wanted - chunk->held;
		chunk->size -= wanted - chunk->held;
	}
}

void
chunk_join(const struct decode_plan *plan, const struct reading *reading, struct chunk *chunk,
	const struct chunk *before)
{
	const size_t rest = before ? before->rest : 0;
	if (before && before->is_final) {
		/* The end is final, even if the file has grown. */
		chunk->streamed = false;
		chunk->read = 0;
		chunk->over = true;
		chunk->end = before->end;
		chunk->failure = before->failure;
	}
	chunk->data = load_data(plan, chunk) - rest;
	chunk->offset = before ? before->end_offset : chunk->position;
	chunk->filled = chunk->size = rest + chunk->read;
	if (!chunk->streamed) {
		if (rest)
			memcpy(chunk->data, before->end_data, rest);
		chunk->end_data = chunk->data + chunk->filled;
		chunk->held = chunk->filled;
	}
	copy_context(plan, chunk, before);
	/* Bytes at the end without a split point are a last record, or a truncated one. */
	chunk->irregular = (before && before->open) || (!chunk->read && rest);
	chunk->open = false;
	if (chunk->read)
		end_chunk(plan, chunk,
			!chunk->may_split ? 0
			: chunk->streamed ? find_split_in_tail(plan, reading, chunk)
					  : find_split(plan, reading, chunk));
	chunk->irregular |= chunk->open;
	chunk->last = chunk->over && chunk->size == chunk->filled;
	chunk->irregular |= chunk->last && plan->format->reads_end;
	chunk->rest = chunk->filled - chunk->size;
	chunk->end_offset = chunk->offset + chunk->size;
	chunk->is_final = chunk->over;
}

void
chunk_copy(const struct decode_plan *plan, struct chunk *chunk, size_t at,
	struct source_room *room)
{
	if (!chunk->streamed) {
		memcpy(room->dst, chunk->data + at, room->size);
		room->got = room->size;
		return;
	}
	struct poly_error failure;
	const enum poly_status status =
		in_read_at(plan->in, chunk->offset + at, room, &failure);
	if (room->got == room->size)
		return;
	chunk->size = at + room->got;
	chunk->last = true;
	/* Of a final chunk, the next one may be reading these. */
	if (chunk->is_final)
		return;
	chunk->over = true;
	chunk->end = status;
	chunk->failure = failure;
}

void
chunk_enter(const struct chunk *chunk, const struct format *format, struct reading *reading)
{
	if (format->enter_split && !chunk->first)
		format->enter_split(
			reading, chunk->enter_data - chunk->context, chunk->context);
}

bool
chunk_ends_at_split(
	const struct chunk *chunk, const struct format *format, const struct reading *reading)
{
	const size_t n =
		chunk->held < format->split_context ? chunk->held : format->split_context;
	return !format->is_at_split || format->is_at_split(reading, chunk->end_data - n, n);
}
