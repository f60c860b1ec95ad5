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
ptz_write_section(
	struct out *out, const struct ptz_section *section, const void *front, uint64_t *chain)
{
	uint8_t head[PTZ_HEADER_SIZE];
	store_le32(head, section->tag);
	store_le32(head + 4, section->front);
	store_le64(head + 8, section->body);
	store_le64(head + 16, checksum(front, section->front));
	store_le64(head + 24, checksum(head, 24));
	out_write(out, head, sizeof head);
	out_write(out, front, section->front);
	*chain = ptz_next_chain(*chain, head);
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

/* Returns the bytes of an index without its chain, from its front of at least PTZ_INDEX_SIZE
 * bytes. */
static uint64_t
index_size(const uint8_t *front)
{
	const uint64_t segments = load_le32(front + 8), ranges = load_le32(front + 12);
	return PTZ_INDEX_SIZE + segments * (PTZ_ENTRY_SIZE + ranges * PTZ_RANGE_SIZE);
}

bool
ptz_parse_index_chain(const uint8_t *front, size_t n, uint64_t *chain)
{
	const bool has = n >= PTZ_INDEX_SIZE + PTZ_CHAIN_SIZE &&
			 load_le32(front + 12) <= PTZ_RANGES_MAX &&
			 index_size(front) == n - PTZ_CHAIN_SIZE;
	if (has)
		*chain = load_le64(front + n - PTZ_CHAIN_SIZE);
	return has;
}

bool
ptz_load_index_front(const struct in *in, uint64_t offset, uint64_t end, struct buf *fronts)
{
	uint8_t head[PTZ_HEADER_SIZE];
	struct ptz_section section;
	if (!ptz_read_at(in, offset, head, sizeof head) || !ptz_parse_header(head, &section) ||
		section.tag != PTZ_TAG_INDEX || section.front > PTZ_FRONT_MAX ||
		section.front < PTZ_INDEX_SIZE ||
		PTZ_HEADER_SIZE + (uint64_t)section.front > end - offset)
		return false;
	uint8_t *room = buf_reserve(fronts, section.front);
	if (!room || !ptz_read_at(in, offset + PTZ_HEADER_SIZE, room, section.front) ||
		checksum(room, section.front) != section.front_checksum)
		return false;
	fronts->size += section.front;
	uint64_t chain;
	return ptz_parse_index_chain(room, section.front, &chain) ||
	       (load_le32(room + 12) <= PTZ_RANGES_MAX && index_size(room) == section.front);
}
