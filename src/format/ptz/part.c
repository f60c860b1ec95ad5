/* SPDX-License-Identifier: MIT */
/* Numbers and heads of parts. */
#include "format/ptz/ptz.h"

#include "base/bits.h"
#include "io/checksum.h"
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
ptz_put(struct buf *to, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;
	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (uint8_t)(v | 0x80);
	bytes[n++] = (uint8_t)v;
	buf_append(to, bytes, n);
}

uint64_t
ptz_take(struct ptz_bytes *bytes)
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
ptz_put32(struct buf *to, uint32_t v)
{
	uint8_t bytes[4];
	store_le32(bytes, v);
	buf_append(to, bytes, sizeof bytes);
}

void
ptz_put64(struct buf *to, uint64_t v)
{
	ptz_put32(to, (uint32_t)v);
	ptz_put32(to, (uint32_t)(v >> 32));
}

uint64_t
ptz_chain(uint64_t before, const uint8_t *head)
{
	uint8_t bytes[PTZ_CHAIN_SIZE + PTZ_HEAD_SIZE];
	store_le64(bytes, before);
	memcpy(bytes + PTZ_CHAIN_SIZE, head, PTZ_HEAD_SIZE);
	return checksum(bytes, sizeof bytes);
}

void
ptz_part_write(struct out *out, const struct ptz_part *part, const void *front, uint64_t *chain)
{
	uint8_t head[PTZ_HEAD_SIZE];
	store_le32(head, part->tag);
	store_le32(head + 4, part->front);
	store_le64(head + 8, part->body);
	store_le64(head + 16, checksum(front, part->front));
	store_le64(head + 24, checksum(head, 24));
	out_write(out, head, sizeof head);
	out_write(out, front, part->front);
	*chain = ptz_chain(*chain, head);
}

bool
ptz_take_at(const struct in *in, uint64_t offset, uint8_t *to, size_t size)
{
	struct source_room room = {to, size, 0};
	in_read_at(in, offset, &room, NULL);
	return room.got == size;
}

bool
ptz_part_read(const uint8_t *p, struct ptz_part *part)
{
	part->tag = load_le32(p);
	part->front = load_le32(p + 4);
	part->body = load_le64(p + 8);
	part->front_check = load_le64(p + 16);
	return load_le64(p + 24) == checksum(p, 24);
}
