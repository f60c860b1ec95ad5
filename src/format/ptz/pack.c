/* SPDX-License-Identifier: MIT */
/* Streams: the coding and packing of each. */
#include "format/ptz/pack.h"

#include "base/bits.h"
#include "base/err.h"
#include "io/checksum.h"

#include <string.h>

/* Values by which codings are compared. */
#define TRIAL 32768

void
pack_stream(struct packing *it, struct ptz_stream stream, const void *p, size_t n)
{
	if (it->status != POLY_OK || n == 0)
		return;
	it->size += n;
	if (n > PTZ_STREAM_MOST || it->size > PTZ_SEGMENT_MOST) {
		it->status = err_set(it->error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"%u records have %zu bytes of text and raw bytes, more than a segment "
			"of a packed trace holds",
			(unsigned)it->segment->rows, n);
		return;
	}
	const size_t at = it->streams->size;
	it->status = block_pack(it->packer->packer, p, n, it->streams, it->error);
	if (it->status != POLY_OK)
		return;
	stream.packing = PTZ_ZSTD;
	if (it->streams->size - at >= n) {
		it->streams->size = at;
		buf_append(it->streams, p, n);
		stream.packing = PTZ_STORED;
	}
	const size_t packed = it->streams->size - at;
	const uint8_t bytes[] = {stream.role, stream.column, stream.coding, stream.packing};
	buf_append(it->front, bytes, sizeof bytes);
	ptz_put32(it->front, stream.values);
	ptz_put32(it->front, (uint32_t)n);
	ptz_put32(it->front, (uint32_t)packed);
	ptz_put64(
		it->front, it->streams->failed ? 0 : checksum(it->streams->data + at, packed));
	it->count++;
}

/* The bytes that values take in a coding, packed. */
static size_t
try_coding(struct packing *it, const struct ptz_values *values, enum ptz_coding coding)
{
	buf_clear(&it->coded);
	buf_clear(&it->trial);
	if (!ptz_code(values, coding, &it->coded))
		it->status = err_memory(it->error);
	else
		it->status = block_pack(it->packer->quick, it->coded.data, it->coded.size,
			&it->trial, it->error);
	return it->trial.size;
}

/* The coding in which values are the smallest. */
static enum ptz_coding
choose_coding(struct packing *it, const struct ptz_values *values)
{
	struct ptz_values some = *values;
	some.count = some.count < TRIAL ? some.count : TRIAL;
	enum ptz_coding best = PTZ_PLANES;
	size_t least = SIZE_MAX;
	for (unsigned c = PTZ_PLANES; c <= PTZ_PC && it->status == POLY_OK; c++) {
		if ((c == PTZ_TEMPLATE && !values->template) || (c == PTZ_PC && !values->pc))
			continue;
		const size_t size = try_coding(it, &some, (enum ptz_coding)c);
		if (size < least) {
			least = size;
			best = (enum ptz_coding)c;
		}
	}
	return best;
}

void
pack_values(struct packing *it, enum ptz_role role, unsigned column,
	const struct ptz_values *values)
{
	if (it->status != POLY_OK || values->count == 0)
		return;
	const enum ptz_coding coding = choose_coding(it, values);
	const struct ptz_stream stream = {.role = (uint8_t)role,
		.column = (uint8_t)column,
		.coding = (uint8_t)coding,
		.values = (uint32_t)values->count};
	buf_clear(&it->coded);
	if (it->status == POLY_OK && !ptz_code(values, coding, &it->coded))
		it->status = err_memory(it->error);
	pack_stream(it, stream, it->coded.data, it->coded.size);
}

/* Appends slices, each xor the one before where both have the same length. */
static void
append_xor(struct buf *to, const struct ptz_moving *moving)
{
	const uint8_t *p = moving->bytes.data;
	uint8_t *room = buf_reserve(to, moving->bytes.size);
	if (!room)
		return;
	uint64_t before = 0;
	for (size_t i = 0; i < moving->count; i++) {
		const uint64_t n = moving->values[i];
		for (uint64_t k = 0; k < n; k++)
			*room++ = p[k] ^ (n == before && i ? (p - n)[k] : 0);
		p += n;
		before = n;
	}
	to->size += moving->bytes.size;
}

/* Adds the bytes of slices that move. */
static void
put_slices(struct packing *it, unsigned column, const struct ptz_moving *moving)
{
	struct ptz_stream stream = {
		.role = PTZ_DYNAMIC_BYTES, .column = (uint8_t)column, .coding = PTZ_BYTES};
	struct buf other = {0};
	const size_t n =
		moving->bytes.size < (size_t)1 << 20 ? moving->bytes.size : (size_t)1 << 20;
	append_xor(&other, moving);
	if (other.failed)
		it->status = err_memory(it->error);
	size_t plain = 0;
	buf_clear(&it->trial);
	if (it->status == POLY_OK)
		it->status = block_pack(
			it->packer->quick, moving->bytes.data, n, &it->trial, it->error);
	plain = it->trial.size;
	buf_clear(&it->trial);
	if (it->status == POLY_OK)
		it->status =
			block_pack(it->packer->quick, other.data, n, &it->trial, it->error);
	const bool is_xor = it->trial.size < plain;
	stream.coding = is_xor ? PTZ_XOR : PTZ_BYTES;
	pack_stream(it, stream, is_xor ? other.data : moving->bytes.data, moving->bytes.size);
	buf_free(&other);
}

void
pack_moving(struct packing *it, enum poly_column column)
{
	const struct ptz_moving *moving = &it->segment->moving[column];
	const struct ptz_values values = {.values = moving->values,
		.count = moving->count,
		.template = moving->template,
		.templates = it->segment->dictionary.count};
	pack_values(it, PTZ_DYNAMIC, column, &values);
	if (moving->bytes.size)
		put_slices(it, column, moving);
}

enum poly_status
segment_pack(const struct segment *segment, const struct ptz_packer *packer,
	const struct ptz_begin *begin, struct ptz_packed *to, struct poly_error *error)
{
	struct buf *front = &to->front, *streams = &to->streams;
	struct packing packing = {.segment = segment,
		.packer = packer,
		.front = front,
		.streams = streams,
		.error = error};
	buf_clear(front);
	buf_clear(streams);
	ptz_put64(front, begin->first);
	ptz_put32(front, (uint32_t)segment->rows);
	ptz_put32(front, segment->dictionary.count);
	ptz_put32(front, 0);
	ptz_put32(front, begin->number);
	pack_order(&packing);
	pack_templates(&packing);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++)
		pack_moving(&packing, (enum poly_column)c);
	if (packing.status == POLY_OK && (front->failed || streams->failed))
		packing.status = err_memory(error);
	if (packing.status == POLY_OK)
		store_le32(front->data + 16, packing.count);
	buf_free(&packing.coded);
	buf_free(&packing.trial);
	return packing.status;
}
