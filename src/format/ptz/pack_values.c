/* SPDX-License-Identifier: MIT */
/* Chooses the coding and packing of a stream. */
#include "format/ptz/pack.h"

#include "base/err.h"
#include "base/checksum.h"

/* Number of values for comparing codings. */
#define TRIAL 32768

void
pack_stream(struct segment_packing *packing, struct ptz_stream stream, const void *p, size_t n)
{
	if (packing->status != POLY_OK || n == 0)
		return;
	packing->size += n;
	if (n > PTZ_STREAM_MAX || packing->size > PTZ_SEGMENT_MAX) {
		packing->status = err_set(packing->error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"%u records with %zu bytes of text and raw bytes exceed the limit of a "
			"packed trace's segment; use a smaller ptz.rows",
			(unsigned)packing->segment->rows, n);
		return;
	}
	const size_t at = packing->streams->size;
	packing->status =
		block_pack(packing->packer->packer, p, n, packing->streams, packing->error);
	if (packing->status != POLY_OK)
		return;
	stream.packing = PTZ_ZSTD;
	if (packing->streams->size - at >= n) {
		packing->streams->size = at;
		buf_append(packing->streams, p, n);
		stream.packing = PTZ_STORED;
	}
	const size_t packed = packing->streams->size - at;
	const uint8_t bytes[] = {stream.role, stream.column, stream.coding, stream.packing};
	buf_append(packing->front, bytes, sizeof bytes);
	ptz_put_u32(packing->front, stream.values);
	ptz_put_u32(packing->front, (uint32_t)n);
	ptz_put_u32(packing->front, (uint32_t)packed);
	ptz_put_u64(packing->front,
		packing->streams->failed ? 0 : checksum(packing->streams->data + at, packed));
	packing->count++;
}

/* Returns the packed bytes of values in a coding. */
static size_t
try_coding(struct segment_packing *packing, const struct ptz_values *values,
	enum ptz_coding coding)
{
	buf_clear(&packing->coded);
	buf_clear(&packing->trial);
	if (!ptz_encode(values, coding, &packing->coded))
		packing->status = err_memory(packing->error);
	else
		packing->status = block_pack(packing->packer->quick, packing->coded.data,
			packing->coded.size, &packing->trial, packing->error);
	return packing->trial.size;
}

/* Returns the coding that makes the values smallest. */
static enum ptz_coding
choose_coding(struct segment_packing *packing, const struct ptz_values *values)
{
	struct ptz_values some = *values;
	some.count = some.count < TRIAL ? some.count : TRIAL;
	enum ptz_coding best = PTZ_PLANES;
	size_t smallest = SIZE_MAX;
	for (unsigned c = PTZ_PLANES; c <= PTZ_PC && packing->status == POLY_OK; c++) {
		if ((c == PTZ_TEMPLATE && !values->template) || (c == PTZ_PC && !values->pc))
			continue;
		const size_t size = try_coding(packing, &some, (enum ptz_coding)c);
		if (size < smallest) {
			smallest = size;
			best = (enum ptz_coding)c;
		}
	}
	return best;
}

void
pack_values(struct segment_packing *packing, enum ptz_role role, unsigned column,
	const struct ptz_values *values)
{
	if (packing->status != POLY_OK || values->count == 0)
		return;
	const enum ptz_coding coding = choose_coding(packing, values);
	const struct ptz_stream stream = {.role = (uint8_t)role,
		.column = (uint8_t)column,
		.coding = (uint8_t)coding,
		.values = (uint32_t)values->count};
	buf_clear(&packing->coded);
	if (packing->status == POLY_OK && !ptz_encode(values, coding, &packing->coded))
		packing->status = err_memory(packing->error);
	pack_stream(packing, stream, packing->coded.data, packing->coded.size);
}
