/* SPDX-License-Identifier: MIT */
/* Numbers, section headers and the fronts of indexes. */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "base/checksum.h"
#include "io/source.h"

#include <string.h>

unsigned
ptz_column_size(enum poly_column column)
{
	static const struct {
		uint8_t size, form;
	} columns[] = {
#define COLUMN(name, type, form, doc) {sizeof(type), POLY_FORM_##form},
#include "polytrace/columns.def"
#undef COLUMN
	};
	const unsigned form = columns[column].form;
	return form == POLY_FORM_BYTES || form == POLY_FORM_TEXT ? 0 : columns[column].size;
}

void
ptz_put_varint(struct buf *out, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;
	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (uint8_t)(v | 0x80);
	bytes[n++] = (uint8_t)v;
	buf_append(out, bytes, n);
}

uint64_t
ptz_parse_varint(struct ptz_bytes *bytes)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64 && bytes->p < bytes->end; shift += 7) {
		const uint8_t byte = *bytes->p++;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	bytes->bad = true;
	return 0;
}

void
ptz_put_u32(struct buf *out, uint32_t v)
{
	uint8_t bytes[4];
	store_le32(bytes, v);
	buf_append(out, bytes, sizeof bytes);
}

void
ptz_put_u64(struct buf *out, uint64_t v)
{
	ptz_put_u32(out, (uint32_t)v);
	ptz_put_u32(out, (uint32_t)(v >> 32));
}

uint64_t
ptz_next_chain(uint64_t before, const uint8_t *head)
{
	uint8_t bytes[PTZ_CHAIN_SIZE + PTZ_HEADER_SIZE];
	store_le64(bytes, before);
	memcpy(bytes + PTZ_CHAIN_SIZE, head, PTZ_HEADER_SIZE);
	return checksum(bytes, sizeof bytes);
}

void
ptz_make_header(uint8_t head[PTZ_HEADER_SIZE], uint32_t tag, const struct buf *front,
	const struct buf *streams)
{
	store_le32(head, tag);
	store_le32(head + 4, (uint32_t)front->size);
	store_le64(head + 8, front->size + (streams ? streams->size : 0));
	store_le64(head + 16, checksum(front->data, front->size));
	store_le64(head + 24, checksum(head, 24));
}

bool
ptz_read_at(const struct in *in, uint64_t offset, uint8_t *dst, size_t size)
{
	struct source_room room = {dst, size, 0};
	in_read_at(in, offset, &room, NULL);
	return room.got == size;
}

bool
ptz_parse_header(const uint8_t *p, struct ptz_section *section)
{
	section->tag = load_le32(p);
	section->front = load_le32(p + 4);
	section->body = load_le64(p + 8);
	section->front_checksum = load_le64(p + 16);
	return load_le64(p + 24) == checksum(p, 24);
}

bool
ptz_parse_index(const uint8_t *front, size_t n, struct ptz_index_front *index)
{
	*index = (struct ptz_index_front){0};
	if (n < PTZ_INDEX_SIZE + 8 + PTZ_CHAIN_SIZE)
		return false;
	index->before = load_le64(front);
	index->segments = load_le32(front + 8);
	index->ranges = load_le32(front + 12);
	const uint64_t others = load_le64(front + n - 8 - PTZ_CHAIN_SIZE);
	index->chain = load_le64(front + n - PTZ_CHAIN_SIZE);
	if (index->ranges > PTZ_RANGES_MAX || others > n / PTZ_OTHER_SIZE)
		return false;
	const uint64_t entries =
		index->segments * (PTZ_ENTRY_SIZE + (uint64_t)index->ranges * PTZ_RANGE_SIZE);
	index->other_count = (uint32_t)others;
	index->others = front + PTZ_INDEX_SIZE + entries;
	return PTZ_INDEX_SIZE + entries + others * PTZ_OTHER_SIZE + 8 + PTZ_CHAIN_SIZE == n;
}

bool
ptz_load_front(const struct in *in, const struct ptz_place *place, struct buf *fronts)
{
	uint8_t head[PTZ_HEADER_SIZE];
	struct ptz_section section;
	if (!ptz_read_at(in, place->offset, head, sizeof head) ||
		!ptz_parse_header(head, &section) || section.tag != place->tag ||
		section.front > PTZ_FRONT_MAX ||
		PTZ_HEADER_SIZE + (uint64_t)section.front > place->end - place->offset)
		return false;
	uint8_t *room = buf_reserve(fronts, section.front);
	if (!room || !ptz_read_at(in, place->offset + PTZ_HEADER_SIZE, room, section.front) ||
		checksum(room, section.front) != section.front_checksum)
		return false;
	fronts->size += section.front;
	return true;
}
