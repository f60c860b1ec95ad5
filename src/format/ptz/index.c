/* SPDX-License-Identifier: MIT */
/*
 * Passing over segments: by the indexes at the end where the input has a known end, and else by
 * the segments' heads. Neither loads a stream.
 */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "io/checksum.h"

#include <string.h>

/* Bytes of an index without its chain, as its front of at least PTZ_INDEX_SIZE bytes says. */
static uint64_t
index_size(const uint8_t *front)
{
	const uint64_t segments = load_le32(front + 8), ranges = load_le32(front + 12);
	return PTZ_INDEX_SIZE + segments * (PTZ_ENTRY_SIZE + ranges * PTZ_RANGE_SIZE);
}

bool
ptz_index_chain(const uint8_t *front, size_t n, uint64_t *chain)
{
	const bool has = n >= PTZ_INDEX_SIZE + PTZ_CHAIN_SIZE &&
			 load_le32(front + 12) <= PTZ_RANGES_MOST &&
			 index_size(front) == n - PTZ_CHAIN_SIZE;
	if (has)
		*chain = load_le64(front + n - PTZ_CHAIN_SIZE);
	return has;
}

bool
ptz_index_front(const struct in *in, uint64_t offset, uint64_t end, struct buf *fronts)
{
	uint8_t head[PTZ_HEAD_SIZE];
	struct ptz_part part;
	if (!ptz_take_at(in, offset, head, sizeof head) || !ptz_part_read(head, &part) ||
		part.tag != PTZ_TAG_INDEX || part.front > PTZ_FRONT_MOST ||
		part.front < PTZ_INDEX_SIZE ||
		PTZ_HEAD_SIZE + (uint64_t)part.front > end - offset)
		return false;
	uint8_t *room = buf_reserve(fronts, part.front);
	if (!room || !ptz_take_at(in, offset + PTZ_HEAD_SIZE, room, part.front) ||
		checksum(room, part.front) != part.front_check)
		return false;
	fronts->size += part.front;
	uint64_t chain;
	return ptz_index_chain(room, part.front, &chain) ||
	       (load_le32(room + 12) <= PTZ_RANGES_MOST && index_size(room) == part.front);
}

/* The place of a segment, by an entry and the columns of its ranges. */
static struct ptz_place
take_place(const struct ptz_reader *state, const uint8_t *entry, const uint8_t *columns,
	uint32_t ranges)
{
	struct ptz_place place = {
		load_le64(entry), load_le64(entry + 8), load_le64(entry + 16), 0, {{0, 0}}};
	for (uint32_t i = 0; i < ranges; i++) {
		const uint8_t *range = entry + PTZ_ENTRY_SIZE + i * (size_t)PTZ_RANGE_SIZE;
		const uint8_t column =
			columns[i] < state->of_count ? state->of_column[columns[i]] : 255;
		for (unsigned k = 0; k < PTZ_RANGES; k++) {
			if (column != ptz_range_columns[k])
				continue;
			place.known |= 1u << k;
			place.range[k] =
				(struct ptz_range){load_le64(range), load_le64(range + 8)};
		}
	}
	return place;
}

/* Adds the segments of an index that stands at an offset; false where they can't be so. */
static bool
add_places(const struct ptz_reader *state, struct ptz_index *index, const uint8_t *front,
	uint64_t offset)
{
	const uint32_t segments = load_le32(front + 8), ranges = load_le32(front + 12);
	const size_t size = PTZ_ENTRY_SIZE + ranges * (size_t)PTZ_RANGE_SIZE;
	for (uint32_t i = 0; i < segments; i++) {
		const struct ptz_place place = take_place(
			state, front + PTZ_INDEX_SIZE + i * size, front + 16, ranges);
		if (place.first != index->records || place.rows > PTZ_ROWS_MOST ||
			place.offset < index->end || place.offset >= offset)
			return false;
		index->records += place.rows;
		index->end = place.offset + PTZ_HEAD_SIZE;
		index->count++;
		buf_append(&index->places, &place, sizeof place);
	}
	index->end = offset;
	return !index->places.failed;
}

/* An index on the way from the last one to the first. */
struct step {
	uint64_t offset;
	size_t front; /* where it begins in the fronts */
};

/* Takes the places of all indexes, of which the last one stands at an offset. */
static bool
take_indexes(const struct in *in, const struct ptz_reader *state, uint64_t offset,
	struct ptz_index *index)
{
	struct buf fronts = {0}, steps = {0};
	uint64_t end = UINT64_MAX;
	bool good = true;
	do {
		const struct step step = {offset, fronts.size};
		buf_append(&steps, &step, sizeof step);
		good = ptz_index_front(in, offset, end, &fronts) && !steps.failed;
		const uint64_t before = good ? load_le64(fronts.data + step.front) : 0;
		good = good && before < offset;
		end = offset;
		offset = before;
	} while (good && offset);
	const struct step *step = (const void *)steps.data;
	for (size_t i = steps.size / sizeof *step; good && i-- > 0;)
		good = add_places(state, index, fronts.data + step[i].front, step[i].offset);
	buf_free(&fronts);
	buf_free(&steps);
	return good;
}

/* The number of the last segment; 0: it has other records than its index says. */
static uint32_t
last_number(const struct in *in, const struct ptz_index *index)
{
	const struct ptz_place *last = (const void *)index->places.data;
	uint8_t head[PTZ_HEAD_SIZE + PTZ_FRONT_SIZE];
	const uint8_t *front = head + PTZ_HEAD_SIZE;
	struct ptz_part part;
	if (!index->count)
		return 0;
	last += index->count - 1;
	const bool same = ptz_take_at(in, last->offset, head, sizeof head) &&
			  ptz_part_read(head, &part) && part.tag == PTZ_TAG_SEGMENT &&
			  load_le64(front) == last->first && load_le32(front + 8) == last->rows;
	return same ? load_le32(front + 20) : 0;
}

bool
ptz_index_take(const struct in *in, const struct ptz_reader *state, struct ptz_index *index)
{
	uint8_t tail[PTZ_TAIL_SIZE];
	uint64_t taken, total;
	*index = (struct ptz_index){.end = PTZ_MAGIC_SIZE};
	in_progress(in, &taken, &total);
	if (!in_is_random(in) || total < PTZ_TAIL_SIZE ||
		!ptz_take_at(in, total - PTZ_TAIL_SIZE, tail, sizeof tail) ||
		memcmp(tail + PTZ_MAGIC_SIZE, PTZ_END_MAGIC, PTZ_MAGIC_SIZE) != 0)
		return false;
	if (!take_indexes(in, state, load_le64(tail), index)) {
		buf_free(&index->places);
		return false;
	}
	index->number = last_number(in, index);
	return true;
}

/* The index of the trace that is read, looked for once; NULL: it can't be used. */
static struct ptz_index *
index_of(struct reading *reading)
{
	struct ptz_reader *state = reading->state;
	if (!state->looked)
		state->indexed = ptz_index_take(reading->in, state, &state->places);
	state->looked = true;
	return state->indexed ? &state->places : NULL;
}

/*
 * Goes to the i-th segment, or to the last index behind all of them. False, and the index is
 * not used any more, where something else stands there.
 */
static bool
go_to(struct reading *reading, size_t i)
{
	struct ptz_reader *state = reading->state;
	const struct ptz_index *index = &state->places;
	const struct ptz_place *places = (const void *)index->places.data;
	const bool is_end = i == index->count;
	const uint64_t offset = is_end ? index->end : places[i].offset;
	uint8_t head[PTZ_HEAD_SIZE + PTZ_FRONT_SIZE];
	struct ptz_part part;
	state->indexed = offset >= in_offset(reading->in) &&
			 ptz_take_at(reading->in, offset, head, sizeof head) &&
			 ptz_part_read(head, &part) &&
			 part.tag == (is_end ? PTZ_TAG_INDEX : PTZ_TAG_SEGMENT) &&
			 (is_end || load_le64(head + PTZ_HEAD_SIZE) == places[i].first);
	if (!state->indexed)
		return false;
	/* Messages name the segment before. */
	if (!is_end)
		state->number = load_le32(head + PTZ_HEAD_SIZE + 20) - 1;
	state->met = is_end ? index->records : places[i].first;
	state->lost = is_end;
	in_seek(reading->in, offset);
	return true;
}

/* The segment of record n; the number of segments: it stands behind them. */
static size_t
find_segment(const struct ptz_index *index, uint64_t n)
{
	const struct ptz_place *place = (const void *)index->places.data;
	size_t low = 0, high = index->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (n >= place[middle].first + place[middle].rows)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Passes over segments by their heads. */
static uint64_t
jump_by_heads(struct reading *reading, uint64_t n)
{
	struct ptz_reader *state = reading->state;
	struct ptz_part part;
	const uint8_t *front;
	uint64_t passed = 0;
	while (ptz_next_part(reading, &part, NULL) == POLY_OK && part.tag == PTZ_TAG_SEGMENT &&
		part.front >= PTZ_FRONT_SIZE &&
		ptz_part_front(reading, &part, &front, NULL) == POLY_OK) {
		const uint32_t rows = load_le32(front + 8);
		uint8_t met[PTZ_FRONT_SIZE];
		memcpy(met, front, sizeof met);
		if (rows > n - passed || !ptz_follows(state, met) || !ptz_pass(reading, &part))
			break;
		ptz_meet(state, met);
		passed += rows;
	}
	return passed;
}

uint64_t
ptz_jump(struct reading *reading, uint64_t n)
{
	const struct ptz_index *index = index_of(reading);
	const size_t i = index ? find_segment(index, n) : 0;
	if (!index || !go_to(reading, i))
		return jump_by_heads(reading, n);
	const struct ptz_place *places = (const void *)index->places.data;
	return i == index->count ? index->records : places[i].first;
}

/* True where records of a segment may be wanted. */
static bool
is_wanted(const struct reading *reading, const struct ptz_place *place)
{
	const struct ptz_index *index = &((const struct ptz_reader *)reading->state)->places;
	struct poly_bounds bounds = {.first = place->first, .rows = place->rows};
	/* The end of the last segment is all that no other one's beginning tells. */
	if (index->number)
		bounds.behind = index->records - place->first - place->rows;
	for (unsigned k = 0; k < PTZ_RANGES; k++) {
		const struct ptz_range *range = &place->range[k];
		if (place->known >> k & 1)
			bounds.ranges[bounds.count++] =
				(struct poly_range){(enum poly_column)ptz_range_columns[k],
					range->least, range->greatest};
	}
	return place->rows && reading->may_match(reading->user, &bounds);
}

uint64_t
ptz_pass_over(struct reading *reading)
{
	struct ptz_index *index = reading->may_match ? index_of(reading) : NULL;
	if (!index)
		return 0;
	const uint64_t at = in_offset(reading->in);
	const struct ptz_place *place = (const void *)index->places.data;
	size_t here = index->asked;
	/* The one that was wanted was read. */
	while (here < index->count && place[here].offset < at)
		here++;
	if (here >= index->count || place[here].offset != at)
		return 0;
	size_t next = here;
	while (next < index->count && !is_wanted(reading, &place[next]))
		next++;
	index->asked = next + 1;
	if (next == here || !go_to(reading, next))
		return 0;
	return (next == index->count ? index->records : place[next].first) - place[here].first;
}
