/* SPDX-License-Identifier: MIT */
/* Numbers in bytes of either order, and bitmaps. Compilers turn each load into one instruction.
 */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint32_t
load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint32_t
load_le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static inline uint64_t
load_be64(const uint8_t *p)
{
	return (uint64_t)load_be32(p) << 32 | load_be32(p + 4);
}

static inline uint64_t
load_le64(const uint8_t *p)
{
	return (uint64_t)load_le32(p + 4) << 32 | load_le32(p);
}

static inline void
store_be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

static inline void
store_le32(uint8_t *p, uint32_t v)
{
	p[3] = (uint8_t)(v >> 24);
	p[2] = (uint8_t)(v >> 16);
	p[1] = (uint8_t)(v >> 8);
	p[0] = (uint8_t)v;
}

static inline void
store_le64(uint8_t *p, uint64_t v)
{
	store_le32(p, (uint32_t)v);
	store_le32(p + 4, (uint32_t)(v >> 32));
}

/* The low bits bits of v (1 to 64) as a signed number. */
static inline int64_t
sign_extend(uint64_t v, unsigned bits)
{
	uint64_t sign = (uint64_t)1 << (bits - 1);
	v &= sign | (sign - 1);
	return (int64_t)((v ^ sign) - sign);
}

static inline bool
bit_test(const uint64_t *map, size_t i)
{
	return map[i / 64] >> (i % 64) & 1;
}

static inline void
bit_set(uint64_t *map, size_t i)
{
	map[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void
bit_clear(uint64_t *map, size_t i)
{
	map[i / 64] &= ~((uint64_t)1 << (i % 64));
}

/* The number of set bits among the first n of a map. */
static inline size_t
bit_count(const uint64_t *map, size_t n)
{
	size_t count = 0, words = n / 64;
	for (size_t i = 0; i < words; i++)
		count += (size_t)__builtin_popcountll(map[i]);
	if (n % 64)
		count += (size_t)__builtin_popcountll(
			map[words] & (((uint64_t)1 << (n % 64)) - 1));
	return count;
}

/* Copies n bits of src from from_row to dst from to_row, where they are 0. */
static inline void
bits_copy(uint64_t *dst, size_t to_row, const uint64_t *src, size_t from_row, size_t n)
{
	while (n) {
		const size_t room = 64 - to_row % 64, part = n < room ? n : room;
		const unsigned shift = from_row % 64;
		uint64_t word = src[from_row / 64] >> shift;
		if (shift && shift + part > 64)
			word |= src[from_row / 64 + 1] << (64 - shift);
		if (part < 64)
			word &= ((uint64_t)1 << part) - 1;
		dst[to_row / 64] |= word << to_row % 64;
		to_row += part;
		from_row += part;
		n -= part;
	}
}

#endif
