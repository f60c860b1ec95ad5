/* SPDX-License-Identifier: MIT */
/* Encodings of values. spec: Apache Parquet, Encodings.md */
#include "parquet/encoding.h"

#include "base/bits.h"

#include <string.h>

/* Minimum length of a run among bit-packed groups of 8. */
#define RUN_MIN 16

/* Numbers of a block of differences, and of its parts that have widths of their own. */
#define BLOCK 128
#define MINIBLOCK 32

void
encode_varint(struct buf *dst, uint64_t value)
{
	uint8_t *room = buf_reserve(dst, 10);
	if (!room)
		return;
	size_t n = 0;
	for (; value > 0x7f; value >>= 7)
		room[n++] = (uint8_t)(value | 0x80);
	room[n++] = (uint8_t)value;
	dst->size += n;
}

void
encode_zigzag(struct buf *dst, int64_t value)
{
	encode_varint(dst, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* Bits that are packed, the least significant first. */
struct bit_packer {
	uint8_t *dst;
	uint64_t pending;
	unsigned count; /* pending bits, below 32 */
};

/* Packs the low width bits, at most 32, of a value without others. */
static inline void
pack_bits(struct bit_packer *packer, uint64_t value, unsigned width)
{
	packer->pending |= value << packer->count;
	packer->count += width;
	if (packer->count < 32)
		return;
	store_le32(packer->dst, (uint32_t)packer->pending);
	packer->dst += 4;
	packer->pending >>= 32;
	packer->count -= 32;
}

/* Stores the pending bits, in whole bytes. */
static void
pack_rest(struct bit_packer *packer)
{
	for (; packer->count; packer->count -= packer->count < 8 ? packer->count : 8) {
		*packer->dst++ = (uint8_t)packer->pending;
		packer->pending >>= 8;
	}
}

/* Returns the number of values at the front that equal the first one. */
static size_t
run_length(const uint32_t *values, size_t n)
{
	size_t run = 1;
	while (run < n && values[run] == values[0])
		run++;
	return run;
}

/* Whether a run at the front is long enough to be written as one. */
static bool
begins_run(const uint32_t *values, size_t n)
{
	const size_t most = n < RUN_MIN ? n : RUN_MIN;
	return run_length(values, most) == most;
}

/* Appends n values, padded with zeros to groups of 8. */
static void
encode_groups(struct buf *dst, const uint32_t *values, size_t n, unsigned width)
{
	const size_t groups = (n + 7) / 8;
	encode_varint(dst, (uint64_t)groups << 1 | 1);
	uint8_t *room = buf_reserve(dst, groups * width);
	if (!room)
		return;
	dst->size += groups * width;
	if (width == 8) {
		for (size_t i = 0; i < n; i++)
			room[i] = (uint8_t)values[i];
		memset(room + n, 0, groups * 8 - n);
		return;
	}
	struct bit_packer packer = {.dst = room};
	for (size_t i = 0; i < n; i++)
		pack_bits(&packer, values[i], width);
	pack_rest(&packer);
	memset(packer.dst, 0, (size_t)(room + groups * width - packer.dst));
}

/* Returns the number of values at the front that are packed, up to the next long run. */
static size_t
packed_length(const uint32_t *values, size_t n)
{
	size_t count = 0;
	while (count < n && !begins_run(values + count, n - count))
		count += 8;
	return count < n ? count : n;
}

void
encode_hybrid(struct buf *dst, const uint32_t *values, size_t n, unsigned width)
{
	for (size_t i = 0, count; i < n; i += count) {
		count = packed_length(values + i, n - i);
		if (count) {
			encode_groups(dst, values + i, count, width);
			continue;
		}
		count = run_length(values + i, n - i);
		encode_varint(dst, (uint64_t)count << 1);
		for (unsigned bit = 0; bit < width; bit += 8)
			buf_byte(dst, (uint8_t)(values[i] >> bit));
	}
}

void
encode_levels(struct buf *dst, const uint64_t *present, size_t rows)
{
	const size_t count = bit_count(present, rows), start = dst->size;
	buf_append(dst, "\0\0\0\0", 4);
	if (count == 0 || count == rows) {
		encode_varint(dst, (uint64_t)rows << 1);
		buf_byte(dst, count != 0);
	} else {
		const size_t groups = (rows + 7) / 8;
		encode_varint(dst, (uint64_t)groups << 1 | 1);
		for (size_t i = 0; i < groups; i++)
			buf_byte(dst, (uint8_t)(present[i / 8] >> i % 8 * 8));
	}
	if (!dst->failed)
		store_le32(dst->data + start, (uint32_t)(dst->size - start - 4));
}

/* Returns the difference of a number and the one before it, as a signed one of their type. */
static int64_t
difference(const struct numbers *numbers, size_t i)
{
	const uint64_t difference = number_at(numbers, i) - number_at(numbers, i - 1);
	return sign_extend(difference, numbers->size == 8 ? 64 : 32);
}

/* Appends n differences from the i-th one on, which are at least min. */
static void
encode_block(struct buf *dst, const struct numbers *numbers, size_t i, size_t n)
{
	uint64_t offsets[BLOCK] = {0};
	uint8_t widths[BLOCK / MINIBLOCK];
	int64_t min = INT64_MAX;
	for (size_t k = 0; k < n; k++) {
		const int64_t value = difference(numbers, i + k);
		min = value < min ? value : min;
	}
	for (size_t k = 0; k < n; k++)
		offsets[k] = (uint64_t)difference(numbers, i + k) - (uint64_t)min;
	encode_zigzag(dst, min);
	for (size_t part = 0; part < BLOCK / MINIBLOCK; part++) {
		uint64_t all = 0;
		for (size_t k = 0; k < MINIBLOCK; k++)
			all |= offsets[part * MINIBLOCK + k];
		widths[part] = (uint8_t)(all ? 64 - __builtin_clzll(all) : 0);
	}
	buf_append(dst, widths, sizeof widths);
	for (size_t part = 0; part * MINIBLOCK < n; part++) {
		const unsigned width = widths[part], low = width < 32 ? width : 32;
		uint8_t *room = buf_reserve(dst, MINIBLOCK / 8 * width);
		if (!room)
			return;
		dst->size += MINIBLOCK / 8 * width;
		struct bit_packer packer = {.dst = room};
		for (size_t k = 0; k < MINIBLOCK && width; k++) {
			const uint64_t value = offsets[part * MINIBLOCK + k];
			pack_bits(&packer, (uint32_t)value, low);
			if (width > 32)
				pack_bits(&packer, value >> 32, width - 32);
		}
	}
}

void
encode_delta(struct buf *dst, const struct numbers *numbers)
{
	const size_t n = numbers->count;
	const unsigned bits = numbers->size == 8 ? 64 : 32;
	encode_varint(dst, BLOCK);
	encode_varint(dst, BLOCK / MINIBLOCK);
	encode_varint(dst, n);
	encode_zigzag(dst, n ? sign_extend(number_at(numbers, 0), bits) : 0);
	for (size_t i = 1; i < n; i += BLOCK)
		encode_block(dst, numbers, i, n - i < BLOCK ? n - i : BLOCK);
}

void
encode_plain(struct buf *dst, const struct numbers *numbers)
{
	const size_t size = numbers->size == 8 ? 8 : 4;
	uint8_t *room = buf_reserve(dst, numbers->count * size);
	if (!room)
		return;
	dst->size += numbers->count * size;
	for (size_t i = 0; i < numbers->count; i++, room += size) {
		const uint64_t value = number_at(numbers, i);
		store_le32(room, (uint32_t)value);
		if (size == 8)
			store_le32(room + 4, (uint32_t)(value >> 32));
	}
}

void
encode_bits(struct buf *dst, const struct numbers *numbers)
{
	const size_t size = (numbers->count + 7) / 8;
	uint8_t *room = buf_reserve(dst, size);
	if (!room)
		return;
	memset(room, 0, size);
	dst->size += size;
	for (size_t i = 0; i < numbers->count; i++)
		room[i / 8] |= (uint8_t)((numbers->data[i] != 0) << i % 8);
}

void
encode_bytes(struct buf *dst, const void *bytes, size_t n)
{
	uint8_t size[4];
	store_le32(size, (uint32_t)n);
	buf_append(dst, size, sizeof size);
	buf_append(dst, bytes, n);
}
