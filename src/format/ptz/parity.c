/* SPDX-License-Identifier: MIT */
/*
 * Parity of a section, and its repair: the exclusive or of equal blocks restores any one of
 * them. Which one is corrupt is found by trial, since the section has checksums.
 */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "base/checksum.h"

#include <string.h>

/* Maximum bytes of a section that is repaired. */
#define REPAIR_MAX ((uint64_t)PTZ_SEGMENT_MAX + PTZ_FRONT_MAX + PTZ_HEADER_SIZE)

/* Returns the size of a block, of which a section of size bytes has PTZ_PARITY_BLOCKS at most,
 * unless it is large. */
static uint32_t
block_size(uint64_t size)
{
	const uint64_t block = (size + PTZ_PARITY_BLOCKS - 1) / PTZ_PARITY_BLOCKS;
	const uint32_t max = PTZ_FRONT_MAX - PTZ_PARITY_SIZE;
	return block < max ? (uint32_t)block : max;
}

/* Adds n bytes at an offset of the section to the exclusive or of its blocks. */
static void
add_bytes(uint8_t *parity, uint32_t block, uint64_t offset, const uint8_t *p, size_t n)
{
	size_t at = (size_t)(offset % block);
	while (n) {
		const size_t step = n < block - at ? n : block - at;
		for (size_t i = 0; i < step; i++)
			parity[at + i] ^= p[i];
		p += step;
		n -= step;
		at = 0;
	}
}

void
ptz_put_parity(struct buf *out, const uint8_t head[PTZ_HEADER_SIZE], const struct buf *front,
	const struct buf *streams)
{
	const size_t more = streams ? streams->size : 0;
	const uint64_t size = PTZ_HEADER_SIZE + (uint64_t)front->size + more;
	const uint32_t block = block_size(size);
	ptz_put_u64(out, size);
	ptz_put_u32(out, block);
	ptz_put_u32(out, 0);
	uint8_t *parity = buf_reserve(out, block);
	if (!parity)
		return;
	memset(parity, 0, block);
	add_bytes(parity, block, 0, head, PTZ_HEADER_SIZE);
	add_bytes(parity, block, PTZ_HEADER_SIZE, front->data, front->size);
	if (more)
		add_bytes(parity, block, PTZ_HEADER_SIZE + front->size, streams->data, more);
	out->size += block;
}

/* Returns the bytes at an offset of the input, *n of them, or fewer if it has no more, or the
 * window of a pipe does not. */
static const uint8_t *
bytes_at(struct in *in, struct buf *room, uint64_t offset, uint64_t *n)
{
	uint64_t taken, total;
	size_t have;
	in_progress(in, &taken, &total);
	buf_clear(room);
	if (in_is_random(in)) {
		const uint64_t rest = offset < total ? total - offset : 0;
		*n = *n < rest ? *n : rest;
		uint8_t *dst = *n <= REPAIR_MAX ? buf_reserve(room, (size_t)*n) : NULL;
		*n = dst && ptz_read_at(in, offset, dst, (size_t)*n) ? *n : 0;
		return dst;
	}
	const uint64_t before = offset - in_offset(in);
	if (offset < in_offset(in) || before > IN_PEEK_MAX)
		*n = 0;
	const uint8_t *p = in_peek(
		in, *n > IN_PEEK_MAX - before ? IN_PEEK_MAX : (size_t)(before + *n), &have);
	const uint64_t shown = have > before ? have - before : 0;
	*n = *n < shown ? *n : shown;
	return *n ? p + before : p;
}

/* Returns the size of the corrupt section at an offset, which another one follows; 0: unknown.
 */
static uint64_t
section_size(struct in *in, struct buf *room, uint64_t offset)
{
	struct ptz_section section;
	uint64_t n = PTZ_HEADER_SIZE;
	const uint8_t *p = bytes_at(in, room, offset, &n);
	if (n == PTZ_HEADER_SIZE && ptz_parse_header(p, &section))
		return PTZ_HEADER_SIZE + section.body;
	for (uint64_t at = offset;; at += n - PTZ_HEADER_SIZE) {
		n = IN_PEEK_MAX;
		p = bytes_at(in, room, at, &n);
		for (size_t i = 1; i < n; i++) {
			if (ptz_is_header(p + i, (size_t)n - i))
				return at + i - offset;
		}
		if (n < IN_PEEK_MAX || !in_is_random(in))
			return 0;
	}
}

/* Returns whether the n bytes of a section match their checksums. */
static bool
is_whole(const uint8_t *p, size_t n)
{
	struct ptz_section section;
	if (!ptz_parse_header(p, &section) || section.front > PTZ_FRONT_MAX ||
		section.front > section.body || PTZ_HEADER_SIZE + section.body != n ||
		checksum(p + PTZ_HEADER_SIZE, section.front) != section.front_checksum)
		return false;
	const uint8_t *front = p + PTZ_HEADER_SIZE, *at = front + section.front, *end = p + n;
	if (section.tag != PTZ_TAG_SEGMENT)
		return section.front == section.body;
	for (size_t i = PTZ_FRONT_SIZE; i + PTZ_STREAM_SIZE <= section.front;
		i += PTZ_STREAM_SIZE) {
		const uint32_t packed = load_le32(front + i + 12);
		if (packed > (size_t)(end - at) ||
			checksum(at, packed) != load_le64(front + i + 16))
			return false;
		at += packed;
	}
	return at == end;
}

/* Replaces the block of the section that differs from the parity; false: not only one does. */
static bool
restore_block(uint8_t *section, size_t n, const uint8_t *parity, uint32_t block)
{
	for (size_t at = 0; at < n; at += block) {
		const size_t size = n - at < block ? n - at : block;
		add_bytes(section + at, block, 0, parity, size);
		if (is_whole(section, n))
			return true;
		add_bytes(section + at, block, 0, parity, size);
	}
	return false;
}

/* Loads the parity of the section of size bytes at an offset; returns its block size, 0: there
 * is none. */
static uint32_t
load_parity(struct in *in, uint64_t offset, uint64_t size, struct buf *room)
{
	struct ptz_section parity;
	uint64_t n = PTZ_HEADER_SIZE;
	const uint8_t *p = bytes_at(in, room, offset + size, &n);
	if (n < PTZ_HEADER_SIZE || !ptz_parse_header(p, &parity) ||
		parity.tag != PTZ_TAG_PARITY || parity.front <= PTZ_PARITY_SIZE ||
		parity.front > PTZ_FRONT_MAX)
		return 0;
	n = parity.front;
	p = bytes_at(in, room, offset + size + PTZ_HEADER_SIZE, &n);
	if (n < parity.front || checksum(p, parity.front) != parity.front_checksum ||
		load_le64(p) != size || load_le32(p + 8) != parity.front - PTZ_PARITY_SIZE)
		return 0;
	if (p != room->data)
		buf_append(room, p, parity.front);
	return room->failed ? 0 : load_le32(room->data + 8);
}

size_t
ptz_repair(struct reading *reading, const uint8_t **section)
{
	struct ptz_reader *state = reading->state;
	struct in *in = reading->in;
	struct buf parity = {0}, *bytes = &state->bytes;
	const uint64_t size = section_size(in, &parity, state->offset);
	const uint32_t block =
		size && size <= REPAIR_MAX ? load_parity(in, state->offset, size, &parity) : 0;
	uint64_t n = size;
	bool good = false;
	const uint8_t *p = block ? bytes_at(in, bytes, state->offset, &n) : NULL;
	if (p && n == size) {
		if (p != bytes->data)
			buf_append(bytes, p, (size_t)n);
		uint8_t *difference = parity.data + PTZ_PARITY_SIZE;
		if (!bytes->failed) {
			add_bytes(difference, block, 0, bytes->data, (size_t)n);
			good = restore_block(bytes->data, (size_t)n, difference, block);
		}
	}
	buf_free(&parity);
	*section = bytes->data;
	return good ? (size_t)size : 0;
}
