/* SPDX-License-Identifier: MIT */
/* Packs the streams of a segment. */
#include "format/ptz/pack.h"

#include "base/bits.h"
#include "base/err.h"

#include <string.h>

/* Appends slices, each xor the previous one if both have the same length. */
static void
append_xor(struct buf *out, const struct ptz_varying *varying)
{
	const uint8_t *p = varying->bytes.data;
	uint8_t *room = buf_reserve(out, varying->bytes.size);
	if (!room)
		return;
	uint64_t previous = 0;
	for (size_t i = 0; i < varying->count; i++) {
		const uint64_t n = varying->values[i];
		for (uint64_t k = 0; k < n; k++)
			*room++ = p[k] ^ (n == previous && i ? (p - n)[k] : 0);
		p += n;
		previous = n;
	}
	out->size += varying->bytes.size;
}

/* Adds the bytes of varying slices. */
static void
pack_slices(struct segment_packing *packing, unsigned column, const struct ptz_varying *varying)
{
	struct ptz_stream stream = {
		.role = PTZ_DYNAMIC_BYTES, .column = (uint8_t)column, .coding = PTZ_BYTES};
	struct buf xored = {0};
	const size_t n =
		varying->bytes.size < (size_t)1 << 20 ? varying->bytes.size : (size_t)1 << 20;
	append_xor(&xored, varying);
	if (xored.failed)
		packing->status = err_memory(packing->error);
	size_t plain = 0;
	buf_clear(&packing->trial);
	if (packing->status == POLY_OK)
		packing->status = block_pack(packing->packer->quick, varying->bytes.data, n,
			&packing->trial, packing->error);
	plain = packing->trial.size;
	buf_clear(&packing->trial);
	if (packing->status == POLY_OK)
		packing->status = block_pack(
			packing->packer->quick, xored.data, n, &packing->trial, packing->error);
	const bool is_xor = packing->trial.size < plain;
	stream.coding = is_xor ? PTZ_XOR : PTZ_BYTES;
	pack_stream(packing, stream, is_xor ? xored.data : varying->bytes.data,
		varying->bytes.size);
	buf_free(&xored);
}

void
pack_varying(struct segment_packing *packing, enum poly_column column)
{
	const struct ptz_varying *varying = &packing->segment->varying[column];
	const struct ptz_values values = {.values = varying->values,
		.count = varying->count,
		.template = varying->template,
		.templates = packing->segment->dictionary.count};
	pack_values(packing, PTZ_DYNAMIC, column, &values);
	if (varying->bytes.size)
		pack_slices(packing, column, varying);
}

enum poly_status
segment_pack(const struct ptz_segment *segment, const struct ptz_packer *packer,
	const struct ptz_begin *begin, struct ptz_packed *packed, struct poly_error *error)
{
	struct buf *front = &packed->front, *streams = &packed->streams;
	struct segment_packing packing = {.segment = segment,
		.packer = packer,
		.front = front,
		.streams = streams,
		.error = error};
	buf_clear(front);
	buf_clear(streams);
	ptz_put_u64(front, begin->first);
	ptz_put_u32(front, (uint32_t)segment->rows);
	ptz_put_u32(front, segment->dictionary.count);
	ptz_put_u32(front, 0);
	ptz_put_u32(front, begin->number);
	pack_order(&packing);
	pack_templates(&packing);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++)
		pack_varying(&packing, (enum poly_column)c);
	if (packing.status == POLY_OK && (front->failed || streams->failed))
		packing.status = err_memory(error);
	if (packing.status == POLY_OK)
		store_le32(front->data + 16, packing.count);
	buf_free(&packing.coded);
	buf_free(&packing.trial);
	return packing.status;
}
