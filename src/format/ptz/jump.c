/* SPDX-License-Identifier: MIT */
/*
 * Passing over segments: by the indexes at the end where the input has a known end, and else by
 * the segments' heads. Neither loads a stream.
 */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "io/checksum.h"
#include "io/source.h"

#include <string.h>

/* What the indexes say. */
struct found {
	uint64_t offset, first; /* of the segment, or of the last index behind all records */
};

/* Bytes at an offset; false: they can't be had. */
static bool
take_at(const struct reading *reading, uint64_t offset, uint8_t *to, size_t size)
{
	struct source_room room = {to, size, 0};
	in_take_at(reading->in, offset, &room, NULL);
	return room.got == size;
}

/* The front of the index at an offset, whose segments it has room for. */
static bool
take_index(const struct reading *reading, uint64_t offset, struct buf *front)
{
	uint8_t head[PTZ_HEAD_SIZE];
	struct ptz_part part;
	if (!take_at(reading, offset, head, sizeof head) || !ptz_part_read(head, &part) ||
		part.tag != PTZ_TAG_INDEX || part.front > PTZ_FRONT_MOST ||
		part.front < PTZ_INDEX_SIZE)
		return false;
	buf_clear(front);
	uint8_t *room = buf_reserve(front, part.front);
	if (!room || !take_at(reading, offset + PTZ_HEAD_SIZE, room, part.front) ||
		checksum(room, part.front) != part.front_check)
		return false;
	front->size = part.front;
	const uint64_t segments = load_le32(room + 8), ranges = load_le32(room + 12);
	return ranges <= PTZ_RANGES_MOST &&
	       segments * (PTZ_ENTRY_SIZE + ranges * PTZ_RANGE_SIZE) ==
		       part.front - PTZ_INDEX_SIZE;
}

/* The segment of record n among those of an index; false: it stands before them. */
static bool
find_segment(const struct buf *front, uint64_t n, struct found *found)
{
	const uint8_t *p = front->data;
	const uint32_t segments = load_le32(p + 8), ranges = load_le32(p + 12);
	const size_t size = PTZ_ENTRY_SIZE + ranges * (size_t)PTZ_RANGE_SIZE;
	for (uint32_t i = segments; i-- > 0;) {
		const uint8_t *entry = p + PTZ_INDEX_SIZE + i * size;
		const uint64_t first = load_le64(entry + 8), rows = load_le64(entry + 16);
		/* Behind the last record found stays where it is. */
		if (n >= first && n - first >= rows) {
			found->first = found->first ? found->first : first + rows;
			return true;
		}
		*found = (struct found){load_le64(entry), first};
		if (n >= first)
			return true;
	}
	return load_le64(p) == 0;
}

/* Finds the segment of record n. False: there is no index, or it is not to be trusted. */
static bool
find_by_index(const struct reading *reading, uint64_t n, struct found *found)
{
	uint8_t tail[PTZ_TAIL_SIZE];
	struct buf front = {0};
	uint64_t taken, total;
	in_progress(reading->in, &taken, &total);
	if (!in_is_random(reading->in) || total < PTZ_TAIL_SIZE ||
		!take_at(reading, total - PTZ_TAIL_SIZE, tail, sizeof tail) ||
		memcmp(tail + PTZ_MAGIC_SIZE, PTZ_END_MAGIC, PTZ_MAGIC_SIZE) != 0)
		return false;
	uint64_t offset = load_le64(tail);
	*found = (struct found){offset, 0};
	bool good = take_index(reading, offset, &front);
	while (good && !find_segment(&front, n, found)) {
		const uint64_t before = load_le64(front.data);
		good = before < offset && take_index(reading, before, &front);
		offset = before;
	}
	buf_free(&front);
	return good && found->offset >= in_offset(reading->in) && found->first <= n;
}

/* True where the segment with found->first records before it stands there, or an index. */
static bool
is_there(const struct reading *reading, const struct found *found)
{
	uint8_t head[PTZ_HEAD_SIZE + 8];
	struct ptz_part part;
	return take_at(reading, found->offset, head, sizeof head) &&
	       ptz_part_read(head, &part) &&
	       (part.tag == PTZ_TAG_INDEX ||
		       (part.tag == PTZ_TAG_SEGMENT &&
			       load_le64(head + PTZ_HEAD_SIZE) == found->first));
}

uint64_t
ptz_jump(struct reading *reading, uint64_t n)
{
	struct ptz_reader *state = reading->state;
	struct found found;
	struct ptz_part part;
	const uint8_t *front;
	uint64_t passed = 0;
	if (find_by_index(reading, n, &found) && is_there(reading, &found)) {
		in_jump(reading->in, found.offset);
		return found.first;
	}
	while (ptz_next_part(reading, &part, NULL) == POLY_OK && part.tag == PTZ_TAG_SEGMENT &&
		part.front >= PTZ_FRONT_SIZE &&
		ptz_part_front(reading, &part, &front, NULL) == POLY_OK) {
		const uint32_t rows = load_le32(front + 8), number = load_le32(front + 20);
		if (rows > n - passed || !ptz_pass(reading, PTZ_HEAD_SIZE + part.body))
			break;
		state->number = number;
		passed += rows;
	}
	return passed;
}
